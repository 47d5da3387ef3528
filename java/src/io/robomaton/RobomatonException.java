package io.robomaton;

/**
 * Says why bytes are no image, or why this reader does not answer a question. Every failure of the
 * library is of this type.
 */
public class RobomatonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The number of the broken rule, or 0. */
    private final int rule;
    /** The offset of the damage, or -1. */
    private final long offset;

    RobomatonException(String message) {
        this(0, -1, message);
    }

    /** A broken validity rule, at an offset of the file. */
    RobomatonException(int rule, long offset, String message) {
        super(rule == 0 ? message : "I" + rule + ", at byte " + offset + ": " + message);
        this.rule = rule;
        this.offset = offset;
    }

    /**
     * The number of the broken validity rule of SPEC.md, section 9.
     *
     * @return 1 to 18, or 0 if the failure is about no such rule
     */
    public int rule() {
        return rule;
    }

    /**
     * The offset in the file of a byte near the damage.
     *
     * @return an offset, or -1 if there is none
     */
    public long offset() {
        return offset;
    }
}
