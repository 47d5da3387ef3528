package io.robomaton;

/**
 * A decoding table of finite state entropy (RFC 8878, section 4.1): each state has a symbol, and the bits
 * of the stream that lead to the next one.
 */
final class Fse {
    private static final int MIN_ACCURACY = 5;

    /** The state is a number of so many bits. */
    private final int accuracy;
    private final byte[] symbols;
    private final byte[] bits;
    private final short[] bases;

    /** A table by how often each symbol occurs among the states; -1 is a single state at the end. */
    Fse(int accuracy, int... counts) {
        int size = 1 << accuracy;
        this.accuracy = accuracy;
        symbols = new byte[size];
        bits = new byte[size];
        bases = new short[size];
        int[] next = new int[counts.length];
        int end = size;
        for (int symbol = 0; symbol < counts.length; symbol++) {
            next[symbol] = Math.abs(counts[symbol]);
            if (counts[symbol] < 0) {
                symbols[--end] = (byte) symbol;
            }
        }
        int state = 0;
        for (int symbol = 0; symbol < counts.length; symbol++) {
            for (int left = counts[symbol]; left > 0; left--) {
                symbols[state] = (byte) symbol;
                do {
                    state = state + (size >> 1) + (size >> 3) + 3 & size - 1;
                } while (state >= end);
            }
        }
        for (state = 0; state < size; state++) {
            int number = next[symbols[state]]++;
            bits[state] = (byte) (accuracy - log2(number));
            bases[state] = (short) ((number << bits[state]) - size);
        }
    }

    /** The table that has this symbol alone, and takes no bits. */
    static Fse of(int symbol) {
        int[] counts = new int[symbol + 1];
        counts[symbol] = 1;
        return new Fse(0, counts);
    }

    /** Reads the description of a table for symbols up to this one. */
    static Fse read(ZstdInput in, int maxAccuracy, int maxSymbol) {
        long bit = 8L * in.at;
        int accuracy = bits(in, bit, 4) + MIN_ACCURACY;
        bit += 4;
        if (accuracy > maxAccuracy) {
            throw Damage.FOUND;
        }
        int[] counts = new int[maxSymbol + 1];
        int symbol = 0;
        int left = 1 << accuracy;
        while (left > 0) {
            // Of the values up to `left` plus one, the lower ones take a bit less.
            int width = log2(left + 1);
            int value = bits(in, bit, width + 1);
            int low = value & (1 << width) - 1;
            int shorter = (2 << width) - 2 - left;
            if (low < shorter) {
                value = low;
                bit += width;
            } else {
                value -= value >> width == 0 ? 0 : shorter;
                bit += width + 1;
            }
            if (symbol > maxSymbol) {
                throw Damage.FOUND;
            }
            counts[symbol++] = value - 1;
            left -= Math.abs(value - 1);
            for (int zeros = value == 1 ? 3 : 0; zeros == 3;) {
                zeros = bits(in, bit, 2);
                bit += 2;
                symbol += zeros;
                if (symbol > maxSymbol) {
                    throw Damage.FOUND;
                }
            }
        }
        if (left < 0) {
            throw Damage.FOUND;
        }
        in.skip((int) (bit + 7 >> 3) - in.at);
        return new Fse(accuracy, counts);
    }

    /** Bits, the lowest of a byte first. Behind the part are zeros: whoever reads there ends there, too. */
    private static int bits(ZstdInput in, long bit, int count) {
        int at = (int) (bit >> 3);
        int word = 0;
        for (int place = 2; place >= 0; place--) {
            word = word << 8 | (at + place < in.end ? in.bytes[at + place] & 0xFF : 0);
        }
        return word >>> (bit & 7) & (1 << count) - 1;
    }

    private static int log2(int number) {
        return 31 - Integer.numberOfLeadingZeros(number);
    }

    int first(BackwardBits in) {
        return in.read(accuracy);
    }

    int symbol(int state) {
        return symbols[state];
    }

    int next(int state, BackwardBits in) {
        return bases[state] + in.read(bits[state]);
    }
}
