package io.robomaton;

/**
 * The literals of the blocks of a Zstandard frame (RFC 8878, section 3.1.1.3.1). A block may use the code
 * of the one before.
 */
final class ZstdLiterals {
    private static final int RAW = 0;
    private static final int REPEATED = 1;
    private static final int CODED = 2;
    private static final int STREAMS = 4;
    /** The bytes of the sizes of all streams but the last. */
    private static final int SIZES = 6;
    private static final int MIN_IN_STREAMS = 6;

    /** The literals of the block, from the first byte on. */
    byte[] bytes = {};
    int length;
    private Huffman code;

    /** Reads the literals of a block, of at most so many bytes. */
    void read(ZstdInput in, int most) {
        int head = in.u8();
        int kind = head & 3;
        int form = head >> 2 & 3;
        in.at--;
        if (kind == RAW || kind == REPEATED) {
            // One size: of 5 bits where the lower bit of the form is zero.
            int width = form == 1 ? 2 : form == 3 ? 3 : 1;
            set((int) in.number(width) >> (width == 1 ? 3 : 4), most);
            if (kind == RAW) {
                in.copy(bytes, 0, length);
            } else {
                in.repeat(bytes, 0, length);
            }
            return;
        }
        // Two sizes, of the literals and of what they are coded in.
        int width = form < 2 ? 10 : form == 2 ? 14 : 18;
        long sizes = in.number((2 * width + 4) / 8) >> 4;
        int mask = (1 << width) - 1;
        set((int) sizes & mask, most);
        ZstdInput coded = in.take((int) (sizes >> width));
        if (kind == CODED) {
            code = Huffman.read(coded);
        }
        if (code == null) {
            throw Damage.FOUND;
        }
        if (form == 0) {
            code.decode(coded, bytes, 0, length);
        } else {
            decodeStreams(coded);
        }
    }

    private void set(int size, int most) {
        if (size > most) {
            throw Damage.FOUND;
        }
        length = size;
        if (bytes.length < size) {
            bytes = new byte[size];
        }
    }

    private void decodeStreams(ZstdInput in) {
        ZstdInput sizes = in.take(SIZES);
        int each = (length + STREAMS - 1) / STREAMS;
        int last = length - each * (STREAMS - 1);
        if (length < MIN_IN_STREAMS || last < 0) {
            throw Damage.FOUND;
        }
        for (int stream = 0; stream < STREAMS - 1; stream++) {
            code.decode(in.take((int) sizes.number(2)), bytes, stream * each, each);
        }
        code.decode(in, bytes, length - last, last);
    }
}
