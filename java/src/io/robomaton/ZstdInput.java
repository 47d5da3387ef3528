package io.robomaton;

import java.util.Arrays;

/**
 * A part of a Zstandard frame, read from its first byte on. A read past its end is {@link Damage}. It does
 * not know what the bytes mean.
 */
final class ZstdInput {
    final byte[] bytes;
    int at;
    final int end;

    ZstdInput(byte[] bytes, int at, int end) {
        this.bytes = bytes;
        this.at = at;
        this.end = end;
    }

    int left() {
        return end - at;
    }

    /** Passes over so many bytes, and returns where they began. */
    int skip(int count) {
        if (count > end - at) {
            throw Damage.FOUND;
        }
        at += count;
        return at - count;
    }

    int u8() {
        return bytes[skip(1)] & 0xFF;
    }

    /** A little-endian number of so many bytes. */
    long number(int count) {
        int first = skip(count);
        long number = 0;
        for (int place = count - 1; place >= 0; place--) {
            number = number << 8 | bytes[first + place] & 0xFF;
        }
        return number;
    }

    /** The next bytes as a part of their own. */
    ZstdInput take(int count) {
        int first = skip(count);
        return new ZstdInput(bytes, first, at);
    }

    void copy(byte[] to, int place, int count) {
        System.arraycopy(bytes, skip(count), to, place, count);
    }

    /** Writes the next byte so many times. */
    void repeat(byte[] to, int place, int count) {
        Arrays.fill(to, place, place + count, (byte) u8());
    }
}
