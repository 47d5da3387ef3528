package io.robomaton;

/**
 * The caller's choices: what outcomes other than rules mean, and the time of the question. The default
 * is RFC 9309 to the letter.
 *
 * @param onForbidden for status 401 and 403, which RFC 9309 counts as unavailable: allowed
 * @param onThrottled for status 429, which RFC 9309 counts as unavailable: allowed
 * @param onLongUnreachable for sites unreachable for more than 30 days, where the time is known
 * @param elements true if the caller works on single elements of pages
 * @param now the time of the question in seconds since 1970, or {@link #NO_TIME}
 */
public record Terms(
        Decision onForbidden, Decision onThrottled, Decision onLongUnreachable, boolean elements, long now) {
    /** Questions have no time. */
    public static final long NO_TIME = -1;
    /** RFC 9309 to the letter. */
    public static final Terms DEFAULT =
            new Terms(Decision.ALLOWED, Decision.ALLOWED, Decision.DISALLOWED, false, NO_TIME);

    private static final long LONG_UNREACHABLE = 30 * 86_400L;

    /**
     * Checks the time.
     *
     * @param onForbidden for status 401 and 403
     * @param onThrottled for status 429
     * @param onLongUnreachable for sites unreachable for more than 30 days
     * @param elements true if the caller works on single elements of pages
     * @param now the time of the question, or {@link #NO_TIME}
     * @throws IllegalArgumentException if the time is before 1970, and not {@link #NO_TIME}
     */
    public Terms {
        if (now < NO_TIME) {
            throw new IllegalArgumentException("the time " + now + " is before 1970");
        }
    }

    /**
     * The same terms at a time.
     *
     * @param seconds seconds since 1970, or {@link #NO_TIME}
     * @return other terms
     * @throws IllegalArgumentException if the time is before 1970
     */
    public Terms at(long seconds) {
        return new Terms(onForbidden, onThrottled, onLongUnreachable, elements, seconds);
    }

    /**
     * The same terms for single elements of pages.
     *
     * @param of true for elements
     * @return other terms
     */
    public Terms elements(boolean of) {
        return new Terms(onForbidden, onThrottled, onLongUnreachable, of, now);
    }

    /** The decision of an outcome about crawling where there are no rules (R16). */
    Decision decide(Outcome outcome, int status, long fetchedAt) {
        switch (outcome) {
            case UNAVAILABLE:
                if (status == 401 || status == 403) {
                    return onForbidden;
                }
                return status == 429 ? onThrottled : Decision.ALLOWED;
            case UNREACHABLE:
                boolean isLong = now != NO_TIME && age(fetchedAt) > LONG_UNREACHABLE;
                return isLong ? onLongUnreachable : Decision.DISALLOWED;
            case OVER_LIMIT:
                return Decision.DISALLOWED;
            case UNRESOLVED:
            case NOT_CAPTURED:
                return Decision.UNKNOWN;
            default:
                return Decision.ALLOWED;
        }
    }

    private long age(long fetchedAt) {
        return fetchedAt == 0 ? 0 : Math.max(0, now - fetchedAt);
    }
}
