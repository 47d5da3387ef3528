package io.robomaton;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bits of a Zstandard bit stream, which is read from its end to its start (RFC 8878, section 4.1).
 * The highest set bit of the last byte marks the end.
 *
 * <p>Bits before the start are zeros, so a reader may go too far; {@link #isAtStart} and {@link #isBeyond}
 * tell.
 */
final class BackwardBits {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] bytes;
    private final int first;
    /** The number of bits that are left; below zero behind the start. */
    private long left;

    /** The stream that a part consists of. */
    BackwardBits(ZstdInput part) {
        bytes = part.bytes;
        first = part.at;
        int last = part.left() == 0 ? 0 : bytes[part.end - 1] & 0xFF;
        if (last == 0) {
            throw Damage.FOUND;
        }
        left = 8L * part.left() - 1 - Integer.numberOfLeadingZeros(last << 24);
    }

    /** The next bits, of which there may be 31, as a number. */
    int peek(int count) {
        long from = left - count;
        long place = first + (from >> 3);
        long word = place >= first && place + 8 <= bytes.length ? (long) LONGS.get(bytes, (int) place) : word(place);
        return (int) (word >>> (from & 7) & (1L << count) - 1);
    }

    /** Eight bytes from this place on, with zeros where there are none. */
    private long word(long place) {
        long word = 0;
        for (int number = 7; number >= 0; number--) {
            long at = place + number;
            word = word << 8 | (at >= first && at < bytes.length ? bytes[(int) at] & 0xFF : 0);
        }
        return word;
    }

    void skip(int count) {
        left -= count;
    }

    int read(int count) {
        int bits = peek(count);
        left -= count;
        return bits;
    }

    boolean isAtStart() {
        return left == 0;
    }

    boolean isBeyond() {
        return left < 0;
    }
}
