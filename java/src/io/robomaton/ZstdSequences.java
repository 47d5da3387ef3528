package io.robomaton;

/**
 * The sequences of the blocks of a Zstandard frame (RFC 8878, sections 3.1.1.3.2 to 3.1.1.5): each copies
 * some literals, and then some bytes from further back. A block may use tables of the one before, and
 * offsets of earlier sequences.
 */
final class ZstdSequences {
    private static final int PREDEFINED = 0;
    private static final int SINGLE = 1;
    private static final int DESCRIBED = 2;
    private static final int MIN_MATCH = 3;
    private static final int LONG_COUNT = 0x7F00;

    /** The bits that follow a code for a length; its least value is the one behind those of the code before. */
    private static final byte[] LITERAL_BITS = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14,
        15, 16
    };
    private static final byte[] MATCH_BITS = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
        2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    };
    private static final int[] LITERAL_BASES = bases(LITERAL_BITS, 0);
    private static final int[] MATCH_BASES = bases(MATCH_BITS, MIN_MATCH);

    private static final Fse LITERAL_LENGTHS = new Fse(6,
            4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
            -1, -1);
    private static final Fse OFFSETS = new Fse(5,
            1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1);
    private static final Fse MATCH_LENGTHS = new Fse(6,
            1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1);
    private static final int MAX_OFFSET_CODE = 31;
    private static final int LENGTH_ACCURACY = 9;
    private static final int OFFSET_ACCURACY = 8;

    /** The tables of the last block; null before the first. */
    private Fse literalLengths;
    private Fse offsets;
    private Fse matchLengths;
    /** The last offsets, the latest first. */
    private final int[] last = {1, 4, 8};

    private static int[] bases(byte[] bits, int first) {
        int[] bases = new int[bits.length];
        bases[0] = first;
        for (int code = 1; code < bits.length; code++) {
            bases[code] = bases[code - 1] + (1 << bits[code - 1]);
        }
        return bases;
    }

    private static Fse table(ZstdInput in, int mode, Fse predefined, Fse before, int accuracy, int maxSymbol) {
        switch (mode) {
            case PREDEFINED:
                return predefined;
            case SINGLE:
                int symbol = in.u8();
                if (symbol > maxSymbol) {
                    throw Damage.FOUND;
                }
                return Fse.of(symbol);
            case DESCRIBED:
                return Fse.read(in, accuracy, maxSymbol);
            default:
                if (before == null) {
                    throw Damage.FOUND;
                }
                return before;
        }
    }

    private static int count(ZstdInput in) {
        int first = in.u8();
        if (first < 128) {
            return first;
        }
        return first < 255 ? (first - 128 << 8) + in.u8() : (int) in.number(2) + LONG_COUNT;
    }

    /**
     * Reads the sequences of a block, and executes them. Bytes are copied from at most {@code window} bytes
     * further back. Returns the end of the block in {@code out}, which is not above {@code limit}.
     */
    int execute(ZstdInput in, ZstdLiterals literals, byte[] out, int start, int limit, int window) {
        int count = count(in);
        int at = start;
        int used = 0;
        if (count == 0 && in.left() > 0) {
            throw Damage.FOUND;
        }
        if (count > 0) {
            int modes = in.u8();
            if ((modes & 3) != 0) {
                throw Damage.FOUND;
            }
            literalLengths = table(
                    in, modes >> 6, LITERAL_LENGTHS, literalLengths, LENGTH_ACCURACY, LITERAL_BITS.length - 1);
            offsets = table(in, modes >> 4 & 3, OFFSETS, offsets, OFFSET_ACCURACY, MAX_OFFSET_CODE);
            matchLengths = table(
                    in, modes >> 2 & 3, MATCH_LENGTHS, matchLengths, LENGTH_ACCURACY, MATCH_BITS.length - 1);
            BackwardBits stream = new BackwardBits(in);
            int literalState = literalLengths.first(stream);
            int offsetState = offsets.first(stream);
            int matchState = matchLengths.first(stream);
            for (int left = count; left > 0; left--) {
                int offsetCode = offsets.symbol(offsetState);
                long distance = (1L << offsetCode) + stream.read(offsetCode);
                int matchCode = matchLengths.symbol(matchState);
                int match = MATCH_BASES[matchCode] + stream.read(MATCH_BITS[matchCode]);
                int literalCode = literalLengths.symbol(literalState);
                int some = LITERAL_BASES[literalCode] + stream.read(LITERAL_BITS[literalCode]);
                if (left > 1) {
                    literalState = literalLengths.next(literalState, stream);
                    matchState = matchLengths.next(matchState, stream);
                    offsetState = offsets.next(offsetState, stream);
                }
                int offset = offset(distance, some == 0);
                if (some > literals.length - used || some + match > limit - at) {
                    throw Damage.FOUND;
                }
                System.arraycopy(literals.bytes, used, out, at, some);
                used += some;
                at += some;
                if (offset == 0 || offset > window || offset > at) {
                    throw Damage.FOUND;
                }
                copy(out, at, offset, match);
                at += match;
            }
            if (!stream.isAtStart()) {
                throw Damage.FOUND;
            }
        }
        int rest = literals.length - used;
        if (rest > limit - at) {
            throw Damage.FOUND;
        }
        System.arraycopy(literals.bytes, used, out, at, rest);
        return at + rest;
    }

    /** The offset that a value stands for: one of the last, or a new one. */
    private int offset(long value, boolean withoutLiterals) {
        int place = value > last.length ? last.length : (int) value - (withoutLiterals ? 0 : 1);
        int offset = place < last.length ? last[place] : last[0] - 1;
        if (value > last.length) {
            offset = (int) Math.min(value - last.length, Integer.MAX_VALUE);
        }
        if (place > 1) {
            last[2] = last[1];
        }
        if (place > 0) {
            last[1] = last[0];
        }
        last[0] = offset;
        return offset;
    }

    /** Copies bytes that may be among those written. */
    private static void copy(byte[] out, int at, int offset, int count) {
        if (offset >= count) {
            System.arraycopy(out, at - offset, out, at, count);
            return;
        }
        for (int place = at; place < at + count; place++) {
            out[place] = out[place - offset];
        }
    }
}
