package io.robomaton;

/** The outcome of fetching a site's robots.txt. */
public enum Outcome {
    /** Text with at least one group or extension record. */
    RULES,
    /** A 2xx answer whose text holds no record. */
    EMPTY,
    /** A 2xx answer that is HTML or binary and holds no record. */
    NOT_ROBOTS,
    /** 4xx. */
    UNAVAILABLE,
    /** 5xx, or no answer. */
    UNREACHABLE,
    /** More than five redirects in a row. */
    TOO_MANY_REDIRECTS,
    /** Redirected to what the captures do not hold. */
    UNRESOLVED,
    /** The text exceeds a limit of the compiler. */
    OVER_LIMIT,
    /** The captures hold pages of the site, and no robots.txt. */
    NOT_CAPTURED;

    private static final Outcome[] ALL = values();

    private final String word = name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');

    static Outcome of(int number) {
        if (number >= ALL.length) {
            throw Damage.FOUND;
        }
        return ALL[number];
    }

    /** True if there may be a robots.txt that nobody has read. */
    boolean isUnread() {
        return this == UNREACHABLE || this == UNRESOLVED || this == NOT_CAPTURED || this == OVER_LIMIT;
    }

    /**
     * The word in the output of the command.
     *
     * @return such as {@code not-robots}
     */
    @Override
    public String toString() {
        return word;
    }
}
