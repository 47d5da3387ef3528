package io.robomaton;

/** Ends the reading of a damaged record. It is thrown and caught inside the library. */
final class Damage extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static final Damage FOUND = new Damage();

    private Damage() {
        super("damaged", null, false, false);
    }
}
