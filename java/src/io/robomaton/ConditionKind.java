package io.robomaton;

/** What a {@link Condition} is about. The order is that of SPEC.md, section 7. */
public enum ConditionKind {
    /** {@code time-limit}: the period of use. */
    TIME_LIMIT("TimeLimit"),
    /** {@code max-length}: the length of a snippet in characters. */
    MAX_CHARS("MaxChars"),
    /** {@code max-length}: the length of a snippet in words. */
    MAX_WORDS("MaxWords"),
    /** {@code prohibited-modification}. */
    PROHIBITED_MODIFICATION("ProhibitedModification"),
    /** {@code must-use-resource}: the resource to use in place of the original. */
    MUST_USE_RESOURCE("MustUseResource"),
    /** {@code must-include-resource}: a resource to show with the original. */
    MUST_INCLUDE_RESOURCE("MustIncludeResource"),
    /** {@code prohibited-context=within-user-frame}. */
    OUTSIDE_USER_FRAME("OutsideUserFrame"),
    /** {@code required-context=within-original-frame}. */
    WITHIN_ORIGINAL_FRAME("WithinOriginalFrame"),
    /** {@code location}: the only URL that the permission covers. */
    LOCATION("Location"),
    /** An unknown or malformed qualifier, which cannot be met. */
    UNSUPPORTED("Unsupported"),
    /** {@code unavailable_after}: until this time. */
    BEFORE("Before"),
    /** {@code max-video-preview}: the length of a preview in seconds. */
    MAX_SECONDS("MaxSeconds"),
    /** {@code max-image-preview: standard}: no large previews. */
    STANDARD_PREVIEW("StandardPreview"),
    /** {@code indexifembedded}: only as part of a page that embeds it. */
    EMBEDDED("Embedded"),
    /** {@code noimageindex}, {@code noimageai}: not the images of the page. */
    NO_IMAGES("NoImages"),
    /** {@code nocache} of Bing: title, URL and snippet only. */
    EXCERPT("Excerpt"),
    /** {@code tdm-policy}: a licence as this document says. */
    POLICY("Policy"),
    /** The terms of alternative RSL licences: all terms of one of them. */
    LICENSE("License");

    private static final ConditionKind[] BY_NUMBER = values();

    private final String text;

    ConditionKind(String text) {
        this.text = text;
    }

    static ConditionKind of(int number) {
        return BY_NUMBER[number];
    }

    /**
     * The name in JSON of the command, under {@code typed_conditions}.
     *
     * @return such as {@code MaxWords}
     */
    @Override
    public String toString() {
        return text;
    }
}
