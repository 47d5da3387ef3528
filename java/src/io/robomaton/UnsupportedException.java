package io.robomaton;

/** This reader cannot answer the question, though another one may. It never guesses. */
public final class UnsupportedException extends RobomatonException {
    private static final long serialVersionUID = 1L;

    UnsupportedException(String message) {
        super("not supported by the JVM reader: " + message);
    }
}
