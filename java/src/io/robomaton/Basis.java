package io.robomaton;

/** The basis of a decision. */
public enum Basis {
    /** A rule matched. */
    RULE,
    /** ACAP fields weighed by specificity, possibly together with conventional rules. */
    FIELDS,
    /** Statements about the use of a resource, possibly together with rules and fields. */
    PREFERENCES,
    /** No rule of the crawler's groups matches. */
    NO_RULE,
    /** No rule of the crawler's groups is about the usage. */
    UNSPOKEN,
    /** The file has no group for the crawler. */
    NO_GROUP,
    /** The target is {@code /robots.txt} itself. */
    ROBOTS_TXT,
    /** There are no rules; the outcome of the fetch decides. */
    OUTCOME,
    /** The image was compiled for other crawlers only. */
    NARROWED,
    /** The image does not contain the site. */
    NO_SITE,
    /** The question is not about a URL of a site. */
    NO_URL,
    /** The image is damaged where the answer should be. */
    DAMAGED;

    static final Basis[] ALL = values();

    private final String word = name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');

    /**
     * The word in the output of the command.
     *
     * @return such as {@code no-rule}
     */
    @Override
    public String toString() {
        return word;
    }
}
