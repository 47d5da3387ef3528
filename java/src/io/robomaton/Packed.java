package io.robomaton;

import java.nio.ByteBuffer;

/**
 * Runs a packed program: the first matching rule of a small set, best first (SPEC.md section 6).
 *
 * <p>Invariants: it allocates nothing, every loop ends, and reads outside the section throw. It does not
 * know what a priority means.
 */
final class Packed {
    private static final int HEAD = 9;
    private static final int MAX_PACKED = 64;
    private static final int OFFSET = 0x3FFF;
    private static final int ANCHORED = 0x4000;

    private Packed() {}

    /** The priority of the first rule that matches, else the fallback. */
    static long best(ByteBuffer bytes, int at, byte[] target, int length) {
        int front = bytes.get(at);
        int count = bytes.get(at + 1) & 0xFF;
        int pairs = bytes.get(at + 2) & 0xFF;
        int triggers = pairs + (bytes.get(at + 3) & 0xFF);
        if (count > MAX_PACKED || triggers > MAX_PACKED) {
            throw Damage.FOUND;
        }
        long left = candidates(bytes, at, count, target, length);
        long fallback = bytes.get(at + 8) & 0xFF;
        if (left == 0) {
            return fallback;
        }
        int words = at + HEAD + 3 * count;
        int masks = words + 2 * (count + 1);
        int width = count <= 16 ? 2 : 8;
        long starred = 0;
        if ((front & 0x10) != 0) {
            starred = mask(bytes, masks, width);
            masks += width;
        }
        long wild = 0;
        if (triggers != 0) {
            wild = mask(bytes, masks, width);
            if ((left & wild) != 0) {
                left &= ~wild | passed(bytes, masks + width, width, pairs, triggers, target, length);
            }
        }
        while (left != 0) {
            int rule = Long.numberOfTrailingZeros(left);
            left &= left - 1;
            int word = bytes.getShort(words + 2 * rule);
            int text = at + (word & OFFSET);
            int end = at + (bytes.getShort(words + 2 * rule + 2) & OFFSET);
            if (end < text) {
                throw Damage.FOUND;
            }
            boolean anchored = (word & ANCHORED) != 0;
            boolean isWild = (wild >> rule & 1) != 0;
            boolean matches = isWild
                    ? wild(bytes, text, end, anchored, target, length)
                    : begins(bytes, text, end, anchored, target, length);
            if (matches) {
                long rank = end - text + (anchored ? 1 : 0) + (starred >> rule & 1);
                return 2 * rank + (word >> 15 & 1);
            }
        }
        return fallback;
    }

    /** The rules that have, in each column, no byte or that of the target at its probe. */
    private static long candidates(ByteBuffer bytes, int at, int count, byte[] target, int length) {
        int a = probed(bytes.get(at + 5) & 0xFF, target, length);
        int b = probed(bytes.get(at + 6) & 0xFF, target, length);
        int c = probed(bytes.get(at + 7) & 0xFF, target, length);
        int column = at + HEAD;
        long left = 0;
        for (int rule = 0; rule < count; rule++) {
            int of = bytes.get(column + rule);
            if (of != 0 && of != a) {
                continue;
            }
            of = bytes.get(column + count + rule);
            if (of != 0 && of != b) {
                continue;
            }
            of = bytes.get(column + 2 * count + rule);
            if (of == 0 || of == c) {
                left |= 1L << rule;
            }
        }
        return left;
    }

    private static int probed(int place, byte[] target, int length) {
        return place < length ? target[place] : 0;
    }

    private static long mask(ByteBuffer bytes, int at, int width) {
        return width == 2 ? bytes.getShort(at) & 0xFFFF : bytes.getLong(at);
    }

    /** The rules whose trigger occurs in the target. */
    private static long passed(
            ByteBuffer bytes, int from, int width, int pairs, int triggers, byte[] target, int length) {
        long rules = 0;
        for (int number = 0, at = from; number < triggers; number++, at += 2 + width) {
            byte first = bytes.get(at);
            byte second = bytes.get(at + 1);
            boolean isPair = number < pairs && second != 0;
            if (occurs(first, second, isPair, target, length)) {
                rules |= mask(bytes, at + 2, width);
            }
        }
        return rules;
    }

    private static boolean occurs(byte first, byte second, boolean isPair, byte[] target, int length) {
        int last = isPair ? length - 1 : length;
        for (int at = 0; at < last; at++) {
            if (target[at] == first && (!isPair || target[at + 1] == second)) {
                return true;
            }
        }
        return false;
    }

    private static boolean begins(
            ByteBuffer bytes, int text, int end, boolean anchored, byte[] target, int length) {
        int size = end - text;
        return (anchored ? length == size : length >= size) && same(bytes, text, size, target, 0);
    }

    private static boolean same(ByteBuffer bytes, int text, int size, byte[] target, int from) {
        for (int at = 0; at < size; at++) {
            if (bytes.get(text + at) != target[from + at]) {
                return false;
            }
        }
        return true;
    }

    /** Each piece at its first place behind the one before, the last one of an anchored text at the end. */
    private static boolean wild(
            ByteBuffer bytes, int text, int end, boolean anchored, byte[] target, int length) {
        int star = star(bytes, text, end);
        if (star == end || length < star - text || !same(bytes, text, star - text, target, 0)) {
            return false;
        }
        int at = star - text;
        while (star < end) {
            int piece = star + 1;
            star = star(bytes, piece, end);
            int size = star - piece;
            if (size == 0) {
                continue;
            }
            if (anchored && star == end) {
                return length - at >= size && same(bytes, piece, size, target, length - size);
            }
            while (at + size <= length && !same(bytes, piece, size, target, at)) {
                at++;
            }
            if (at + size > length) {
                return false;
            }
            at += size;
        }
        return true;
    }

    private static int star(ByteBuffer bytes, int from, int end) {
        int at = from;
        while (at < end && bytes.get(at) != '*') {
            at++;
        }
        return at;
    }
}
