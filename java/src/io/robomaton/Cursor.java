package io.robomaton;

import java.nio.ByteBuffer;

/**
 * A place in a piece of a section, from which numbers are read. Bytes behind the piece are
 * {@link IndexOutOfBoundsException}, which whoever asks takes for damage. It does not know what the
 * numbers mean.
 */
abstract class Cursor {
    ByteBuffer bytes;
    int at;

    /** Forgets the piece, so that an image that is garbage is not kept. */
    void release() {
        bytes = null;
    }

    /** The varint here, of up to 32 bits. */
    final long varint() {
        int first = bytes.get(at++);
        if (first >= 0) {
            return first;
        }
        long value = first & 0x7F;
        for (int shift = 7; shift <= 28; shift += 7) {
            int octet = bytes.get(at++) & 0xFF;
            value |= (long) (octet & 0x7F) << shift;
            if (octet < 0x80) {
                if (shift == 28 && octet >= 0x10) {
                    break;
                }
                return value;
            }
        }
        throw Damage.FOUND;
    }
}
