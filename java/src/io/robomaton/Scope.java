package io.robomaton;

/**
 * A scope: which patterns are narrower than which, and the patterns of conventional rules (SPEC.md
 * section 6, "Scopes"). Reads outside the section throw.
 */
final class Scope {
    private static final int MAX_PATTERNS = 32_768;
    private static final int MAX_RULES = 65_536;
    private static final int MAX_PRIORITY_SETS = 65_536;

    private final Section bytes;
    final long patterns;
    final long conventional;
    final long sets;
    private final long starts;
    private final long runs;
    private final long rules;
    private final long firsts;
    private final long priorities;

    Scope(Section bytes, long at) {
        this.bytes = bytes;
        patterns = bytes.u32(at);
        conventional = bytes.u32(at + 4);
        sets = bytes.u32(at + 8);
        if (patterns > MAX_PATTERNS || conventional > MAX_RULES || sets > MAX_PRIORITY_SETS) {
            throw Damage.FOUND;
        }
        starts = at + 12;
        runs = starts + 4 * (patterns + 1);
        rules = runs + 8 * bytes.u32(starts + 4 * patterns);
        firsts = rules + 4 * conventional;
        priorities = firsts + 4 * (sets + 1);
        if (end() > bytes.length) {
            throw Damage.FOUND;
        }
    }

    /** The place behind it. */
    long end() {
        return priorities + 4 * bytes.u32(firsts + 4 * sets);
    }

    /** True if all that I17 of SPEC.md says of a scope holds. Reads outside the section throw. */
    boolean isWhole() {
        long end = end();
        if (!ascends(starts, patterns) || !ascends(firsts, sets)) {
            return false;
        }
        for (long pattern = 0; pattern < patterns; pattern++) {
            if (!isOrdered(pattern)) {
                return false;
            }
        }
        for (long rule = 0; rule < conventional; rule++) {
            if (patternOf(rule) >= patterns) {
                return false;
            }
        }
        for (long at = priorities; at < end; at += 4) {
            if (bytes.u32(at) < 8 || (bytes.u32(at) & 7) == 0) {
                return false;
            }
        }
        return true;
    }

    private boolean ascends(long at, long count) {
        long last = 0;
        for (long number = 0; number <= count; number++) {
            long start = bytes.u32(at + 4 * number);
            if (start < last || number == 0 && start != 0) {
                return false;
            }
            last = start;
        }
        return true;
    }

    /** True if the runs of a pattern lie behind it, ascend without overlap, and are not empty. */
    private boolean isOrdered(long pattern) {
        long end = pattern + 1;
        long to = bytes.u32(starts + 4 * pattern + 4);
        for (long run = bytes.u32(starts + 4 * pattern); run < to; run++) {
            long from = bytes.u32(runs + 8 * run);
            long next = bytes.u32(runs + 8 * run + 4);
            if (from < end || next <= from || next > patterns) {
                return false;
            }
            end = next;
        }
        return true;
    }

    /** The pattern of a conventional rule, or -1 if there is no such rule. */
    long patternOf(long rule) {
        return rule < conventional ? bytes.u32(rules + 4 * rule) : -1;
    }

    /** True if a permission has a key in a run of the pattern. */
    boolean isBeaten(int pattern, Matched fields) {
        if (pattern >= patterns) {
            return false;
        }
        long from = bytes.u32(starts + 4L * pattern);
        long to = Math.min(bytes.u32(starts + 4L * pattern + 4), bytes.u32(starts + 4 * patterns));
        for (long run = from; run < to; run++) {
            long first = bytes.u32(runs + 8 * run);
            long end = bytes.u32(runs + 8 * run + 4);
            if (fields.permitsIn(2 * first, 2 * end)) {
                return true;
            }
        }
        return false;
    }

    /** Puts the priorities of a priority set into the sets. */
    void insertSet(long set, Matched fields) {
        if (set >= sets) {
            return;
        }
        long from = bytes.u32(firsts + 4 * set);
        long to = bytes.u32(firsts + 4 * set + 4);
        for (long number = from; number < to; number++) {
            fields.insert(bytes.u32(priorities + 4 * number));
        }
    }
}
