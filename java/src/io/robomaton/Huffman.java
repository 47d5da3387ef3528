package io.robomaton;

import java.util.Arrays;

/**
 * A prefix code for literals (RFC 8878, section 4.2): a table with an entry for each string of as many
 * bits as the longest code has.
 */
final class Huffman {
    private static final int MAX_BITS = 11;
    private static final int MAX_WEIGHTS = 255;
    private static final int MAX_ACCURACY = 6;
    /** Weights are written as they are, from this number of them on. */
    private static final int DIRECT = 128;

    private final int bits;
    private final byte[] symbols;
    private final byte[] lengths;

    /** Reads the description of a code. */
    static Huffman read(ZstdInput in) {
        int head = in.u8();
        byte[] weights = new byte[MAX_WEIGHTS + 1];
        int count = head - DIRECT + 1;
        if (head < DIRECT) {
            count = weights(in.take(head), weights);
        } else {
            int first = in.skip((count + 1) / 2);
            for (int symbol = 0; symbol < count; symbol++) {
                int pair = in.bytes[first + symbol / 2] & 0xFF;
                weights[symbol] = (byte) (symbol % 2 == 0 ? pair >> 4 : pair & 15);
            }
        }
        return new Huffman(weights, count);
    }

    /** Reads weights that two states give in turn, until the stream is over. Returns their number. */
    private static int weights(ZstdInput in, byte[] weights) {
        Fse table = Fse.read(in, MAX_ACCURACY, MAX_BITS);
        BackwardBits stream = new BackwardBits(in);
        int[] states = {table.first(stream), table.first(stream)};
        int count = 0;
        do {
            if (count >= MAX_WEIGHTS - 1) {
                throw Damage.FOUND;
            }
            int state = states[count % 2];
            states[count % 2] = table.next(state, stream);
            weights[count++] = (byte) table.symbol(state);
        } while (!stream.isBeyond());
        weights[count] = (byte) table.symbol(states[count % 2]);
        return count + 1;
    }

    /** The code of these weights, and of one more that fills up the table. */
    private Huffman(byte[] weights, int count) {
        int sum = 0;
        int[] ofWeight = new int[16];
        for (int symbol = 0; symbol < count; symbol++) {
            ofWeight[weights[symbol]]++;
            sum += 1 << weights[symbol] >> 1;
        }
        bits = 32 - Integer.numberOfLeadingZeros(sum);
        int left = (1 << bits) - sum;
        if (sum == 0 || bits > MAX_BITS || Integer.bitCount(left) != 1) {
            throw Damage.FOUND;
        }
        weights[count] = (byte) (1 + Integer.numberOfTrailingZeros(left));
        ofWeight[weights[count]]++;
        // The longest codes differ in their last bit.
        if (ofWeight[1] < 2) {
            throw Damage.FOUND;
        }
        symbols = new byte[1 << bits];
        lengths = new byte[1 << bits];
        int at = 0;
        for (int weight = 1; weight <= bits; weight++) {
            for (int symbol = 0; symbol <= count; symbol++) {
                if (weights[symbol] == weight) {
                    int end = at + (1 << weight - 1);
                    Arrays.fill(symbols, at, end, (byte) symbol);
                    Arrays.fill(lengths, at, end, (byte) (bits + 1 - weight));
                    at = end;
                }
            }
        }
    }

    /** Decodes a stream, which must end with the last of so many literals. */
    void decode(ZstdInput in, byte[] out, int from, int count) {
        BackwardBits stream = new BackwardBits(in);
        for (int at = from; at < from + count; at++) {
            int code = stream.peek(bits);
            out[at] = symbols[code];
            stream.skip(lengths[code]);
        }
        if (!stream.isAtStart()) {
            throw Damage.FOUND;
        }
    }
}
