package io.robomaton;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes of a file or of a section, of any length.
 *
 * <p>A {@link ByteBuffer} holds less than 2 GiB. Longer sections are pieces that begin each gigabyte
 * and overlap, so a record shorter than a gigabyte lies whole in the piece in which it begins.
 * Invariant: reads outside the section throw {@link IndexOutOfBoundsException}. It does not know what
 * the bytes mean.
 */
final class Section {
    private static final int STRIDE_BITS = 30;
    private static final long STRIDE = 1L << STRIDE_BITS;

    final long length;
    private final ByteBuffer[] pieces;

    /** Gives the bytes of a range of at most 2³¹ - 1 bytes. */
    interface Source {
        ByteBuffer slice(long from, int length);
    }

    private Section(ByteBuffer[] pieces, long length) {
        this.pieces = pieces;
        this.length = length;
    }

    static Section of(Source source, long from, long length) {
        int count = (int) Math.max(1, (length + STRIDE - 1) >> STRIDE_BITS);
        ByteBuffer[] pieces = new ByteBuffer[count];
        for (int number = 0; number < count; number++) {
            long start = (long) number << STRIDE_BITS;
            int size = (int) Math.min(length - start, Integer.MAX_VALUE);
            pieces[number] = source.slice(from + start, size).order(ByteOrder.LITTLE_ENDIAN);
        }
        return new Section(pieces, length);
    }

    /** Bytes in memory. */
    static Section of(byte[] bytes) {
        ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new Section(new ByteBuffer[] {all}, bytes.length);
    }

    /** The piece in which the byte lies, and up to a gigabyte behind it. */
    ByteBuffer piece(long at) {
        if (at < 0 || at > length) {
            throw Damage.FOUND;
        }
        return pieces.length == 1 ? pieces[0] : pieces[(int) Math.min(at >> STRIDE_BITS, pieces.length - 1)];
    }

    /** The place of the byte in {@link #piece}. */
    int place(long at) {
        if (pieces.length == 1) {
            return (int) at;
        }
        long piece = Math.min(at >> STRIDE_BITS, pieces.length - 1);
        return (int) (at - (piece << STRIDE_BITS));
    }

    int u8(long at) {
        return piece(at).get(place(at)) & 0xFF;
    }

    int u16(long at) {
        return piece(at).getShort(place(at)) & 0xFFFF;
    }

    int i32(long at) {
        return piece(at).getInt(place(at));
    }

    long u32(long at) {
        return i32(at) & 0xFFFF_FFFFL;
    }

    long i64(long at) {
        return piece(at).getLong(place(at));
    }

    byte[] bytes(long at, int count) {
        if (count < 0 || at < 0 || at > length || count > length - at) {
            throw Damage.FOUND;
        }
        byte[] bytes = new byte[count];
        for (int done = 0; done < count;) {
            ByteBuffer piece = piece(at + done);
            int place = place(at + done);
            int some = Math.min(count - done, piece.capacity() - place);
            piece.get(place, bytes, done, some);
            done += some;
        }
        return bytes;
    }

    /** All bytes; damage if an array cannot hold them. */
    byte[] bytes() {
        if (length > Integer.MAX_VALUE - 8) {
            throw Damage.FOUND;
        }
        return bytes(0, (int) length);
    }
}
