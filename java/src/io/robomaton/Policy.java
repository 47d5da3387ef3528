package io.robomaton;

/**
 * A policy, read in place: from crawlers to words (SPEC.md section 5). A thread reads policy after
 * policy into one object. Damage throws.
 */
final class Policy extends Cursor {
    /** No set: no group speaks to the crawler. */
    static final long NO_SET = -1;
    private static final int MAX_PREFERENCES = 3;

    private int flags;
    /** The outcome in place of rules, or null. */
    Outcome outcome;
    int status;
    int preferences;
    private int preferencesAt;
    int crawlers;
    int sets;
    private int ids;
    private int indexes;
    private int words;

    void read(Section policies, long from) {
        bytes = policies.piece(from);
        at = policies.place(from);
        flags = bytes.get(at++) & 0xFF;
        outcome = null;
        status = 0;
        if ((flags & 16) != 0) {
            outcome = Outcome.of(bytes.get(at) & 0xFF);
            status = bytes.getShort(at + 1) & 0xFFFF;
            at += 3;
            if (outcome == Outcome.RULES) {
                throw Damage.FOUND;
            }
        }
        preferences = 0;
        if ((flags & 32) != 0) {
            preferences = bytes.get(at) & 0xFF;
            preferencesAt = at + 1;
            at += 1 + 4 * preferences;
            if (preferences == 0 || preferences > MAX_PREFERENCES) {
                throw Damage.FOUND;
            }
        }
        long count = varint();
        long some = varint();
        ids = at;
        long end = ids + (isWide() ? 4L : 2L) * count;
        indexes = check(end);
        end += (wideIndexes() ? 2L : 1L) * (count + (hasDefault() ? 1 : 0));
        words = check(end);
        check(end + 4L * some);
        crawlers = (int) count;
        sets = (int) some;
    }

    private int check(long end) {
        if (end > bytes.capacity()) {
            throw Damage.FOUND;
        }
        return (int) end;
    }

    /** True if a flag is set that has no meaning, which only verification minds. */
    boolean hasReservedFlag() {
        return (flags & 0x80) != 0;
    }

    private boolean isWide() {
        return (flags & 1) != 0;
    }

    private boolean wideIndexes() {
        return (flags & 2) != 0;
    }

    boolean hasDefault() {
        return (flags & 4) != 0;
    }

    boolean isBySubstring() {
        return (flags & 8) != 0;
    }

    boolean isAdditive() {
        return (flags & 64) != 0;
    }

    /** The offset in {@code policies} of a policy of preferences. */
    long preference(int number) {
        return bytes.getInt(preferencesAt + 4 * number) & 0xFFFF_FFFFL;
    }

    long crawler(int place) {
        return isWide() ? bytes.getInt(ids + 4 * place) & 0xFFFF_FFFFL : bytes.getShort(ids + 2 * place) & 0xFFFF;
    }

    /** The place of a crawler's id, or -1. */
    int find(int id) {
        int from = 0;
        int to = crawlers;
        while (from < to) {
            int middle = (from + to) >>> 1;
            long found = crawler(middle);
            if (found == id) {
                return middle;
            }
            if (found < id) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return -1;
    }

    /** The word of the crawler in a place. */
    long set(int place) {
        int index = wideIndexes()
                ? bytes.getShort(indexes + 2 * place) & 0xFFFF
                : bytes.get(indexes + place) & 0xFF;
        if (index >= sets) {
            throw Damage.FOUND;
        }
        return word(index);
    }

    /** The word with this number, which is below {@link #sets}. */
    long word(int number) {
        return bytes.getInt(words + 4 * number) & 0xFFFF_FFFFL;
    }

    /** Its length in bytes, for the place that it was read from. */
    long length(Section policies, long from) {
        return words + 4L * sets - policies.place(from);
    }

    /** The word of every crawler without groups of its own, or {@link #NO_SET}. */
    long defaultSet() {
        return hasDefault() ? set(crawlers) : NO_SET;
    }

    static boolean isList(long word) {
        return word >>> 31 == 1;
    }

    static long list(long word) {
        if (!isList(word)) {
            throw Damage.FOUND;
        }
        return word & 0x7FFF_FFFFL;
    }
}
