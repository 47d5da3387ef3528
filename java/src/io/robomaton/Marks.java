package io.robomaton;

import java.util.Arrays;

/** A set of offsets in a section, one bit for each byte, that are gone through in ascending order. */
final class Marks {
    private final long limit;
    private long[] words = new long[16];

    /** An empty set for a section of this length. */
    Marks(long length) {
        limit = Math.min(length, 0xFFFF_FFFFL);
    }

    /**
     * Adds an offset; true if it is new. An offset behind the section counts as its end, which is as
     * wrong.
     */
    boolean insert(long offset) {
        long at = Math.min(offset, limit);
        int word = (int) (at >>> 6);
        if (word >= words.length) {
            words = Arrays.copyOf(words, (int) Math.min(Math.max(word + 1L, 2L * words.length), (limit >>> 6) + 1));
        }
        long bit = 1L << (at & 63);
        boolean isNew = (words[word] & bit) == 0;
        words[word] |= bit;
        return isNew;
    }

    boolean contains(long at) {
        return at >>> 6 < words.length && (words[(int) (at >>> 6)] >>> (at & 63) & 1) != 0;
    }

    /** The first offset from this one on, or -1. */
    long next(long from) {
        long word = from >>> 6;
        if (word >= words.length) {
            return -1;
        }
        long left = words[(int) word] >>> (from & 63) << (from & 63);
        while (left == 0) {
            if (++word >= words.length) {
                return -1;
            }
            left = words[(int) word];
        }
        return 64 * word + Long.numberOfTrailingZeros(left);
    }
}
