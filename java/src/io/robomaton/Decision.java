package io.robomaton;

/** What a crawler may do with a URL. */
public enum Decision {
    /** Permitted. */
    ALLOWED,
    /** Prohibited. */
    DISALLOWED,
    /** Permitted under conditions, which another reader lists. */
    CONDITIONAL,
    /** No rule applies and silence does not permit, or the site is unknown. */
    UNKNOWN;

    static final Decision[] ALL = values();

    private final String word = name().toLowerCase(java.util.Locale.ROOT);

    /**
     * The word in the output of the command.
     *
     * @return {@code allowed}, {@code disallowed}, {@code conditional} or {@code unknown}
     */
    @Override
    public String toString() {
        return word;
    }
}
