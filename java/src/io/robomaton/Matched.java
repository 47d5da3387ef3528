package io.robomaton;

import java.util.Arrays;

/**
 * Three sets of keys: of the fields that permit, permit under conditions, and prohibit (SPEC.md
 * section 5, "Weighing a scoped set"). Keys that no scope has are passed over.
 */
final class Matched {
    private static final int PERMITS = 1;
    private static final int PERMITS_IF = 2;
    private static final int PROHIBITS = 4;

    private final Scope scope;
    final Keys permits;
    final Keys permitsIf;
    final Keys prohibits;
    /** The priority sets that were taken: many priorities may stand for a long one. */
    private final Keys taken;

    Matched(Scope scope) {
        this.scope = scope;
        int words = (int) ((Math.max(2 * scope.patterns + 2, scope.conventional) + 63) / 64);
        permits = new Keys(words);
        permitsIf = new Keys(words);
        prohibits = new Keys(words);
        taken = new Keys((int) ((scope.sets + 63) / 64));
    }

    /** A set of keys, one bit for each. */
    static final class Keys {
        private final long[] words;

        Keys(int count) {
            words = new long[count];
        }

        void insert(long key) {
            if (key >>> 6 < words.length) {
                words[(int) (key >>> 6)] |= 1L << (key & 63);
            }
        }

        boolean contains(long key) {
            return key >>> 6 < words.length && (words[(int) (key >>> 6)] >>> (key & 63) & 1) != 0;
        }

        boolean isEmpty() {
            for (long word : words) {
                if (word != 0) {
                    return false;
                }
            }
            return true;
        }

        void clear() {
            Arrays.fill(words, 0);
        }

        /** The first key from this one on, or -1. */
        int next(int from) {
            int word = from >>> 6;
            if (word >= words.length) {
                return -1;
            }
            long left = words[word] >>> (from & 63) << (from & 63);
            while (left == 0) {
                if (++word == words.length) {
                    return -1;
                }
                left = words[word];
            }
            return 64 * word + Long.numberOfTrailingZeros(left);
        }

        /** The last key below this one, or -1. */
        int before(int end) {
            for (int key = end - 1; key >= 0; key--) {
                if (words[key >>> 6] == 0) {
                    key &= ~63;
                } else if (contains(key)) {
                    return key;
                }
            }
            return -1;
        }

        int room() {
            return 64 * words.length;
        }
    }

    void clear() {
        permits.clear();
        permitsIf.clear();
        prohibits.clear();
        taken.clear();
    }

    boolean isEmpty() {
        return permits.isEmpty() && permitsIf.isEmpty() && prohibits.isEmpty();
    }

    /** Takes a priority of a scoped program: a key with its bits, or a priority set. */
    void take(long priority) {
        if (priority < 8) {
            return;
        }
        if ((priority & 7) != 0) {
            insert(priority);
        } else if (!taken.contains((priority >> 3) - 1)) {
            taken.insert((priority >> 3) - 1);
            scope.insertSet((priority >> 3) - 1, this);
        }
    }

    void insert(long priority) {
        if (priority < 8) {
            return;
        }
        long key = (priority >> 3) - 1;
        if ((priority & PERMITS) != 0) {
            permits.insert(key);
        }
        if ((priority & PERMITS_IF) != 0) {
            permitsIf.insert(key);
        }
        if ((priority & PROHIBITS) != 0) {
            prohibits.insert(key);
        }
    }

    private boolean permits(long key) {
        return permits.contains(key) || permitsIf.contains(key);
    }

    /** True if a permission overrides the fields of this key. */
    boolean isBeaten(int key) {
        return (key & 1) == 0 && permits(key + 1) || scope.isBeaten(key / 2, this);
    }

    boolean permitsIn(long from, long to) {
        return isIn(permits, from, to) || isIn(permitsIf, from, to);
    }

    private static boolean isIn(Keys keys, long from, long to) {
        if (from >= keys.room()) {
            return false;
        }
        int key = keys.next((int) from);
        return key >= 0 && key < to;
    }

    /** The decision of these fields; null if there are none. */
    Decision decide() {
        if (stands(prohibits)) {
            return Decision.DISALLOWED;
        }
        if (stands(permitsIf)) {
            return Decision.CONDITIONAL;
        }
        return permits.isEmpty() ? null : Decision.ALLOWED;
    }

    private boolean stands(Keys keys) {
        for (int key = keys.next(0); key >= 0; key = keys.next(key + 1)) {
            if (!isBeaten(key)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Among conventional rules, whose keys are numbers: the best one that no field contradicts on the
     * very same pattern, or -1.
     */
    int winner(Matched fields) {
        int rule = Math.max(permits.before(permits.room()), prohibits.before(prohibits.room()));
        while (rule >= 0) {
            long pattern = scope.patternOf(rule);
            if (pattern >= 0) {
                long key = 2 * pattern;
                boolean contradicted =
                        permits.contains(rule) ? fields.prohibits.contains(key) : fields.permits(key);
                if (!contradicted) {
                    return rule;
                }
            }
            rule = Math.max(permits.before(rule), prohibits.before(rule));
        }
        return -1;
    }
}
