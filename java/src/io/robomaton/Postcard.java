package io.robomaton;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Reads the wire format of cold records (SPEC.md section 7): numbers, texts, sequences. What is not in
 * this format throws {@link Damage}, or an index outside the bytes.
 */
final class Postcard {
    private final byte[] bytes;
    private int at;

    Postcard(byte[] bytes) {
        this.bytes = bytes;
    }

    boolean isAtEnd() {
        return at == bytes.length;
    }

    /** A LEB128 number of so many bits, in so many bytes at most. */
    private long number(int bits) {
        long value = 0;
        for (int shift = 0; shift < bits; shift += 7) {
            int octet = bytes[at++] & 0xFF;
            value |= (long) (octet & 0x7F) << shift;
            if (octet < 0x80) {
                if (shift + 7 > bits && octet >>> bits - shift != 0) {
                    break;
                }
                return value;
            }
        }
        throw Damage.FOUND;
    }

    int u8() {
        return bytes[at++] & 0xFF;
    }

    int u16() {
        return (int) number(16);
    }

    long u32() {
        return number(32);
    }

    /** A number of 64 bits, whose highest bit is a sign. */
    long u64() {
        return number(64);
    }

    long i64() {
        long zigzag = number(64);
        return zigzag >>> 1 ^ -(zigzag & 1);
    }

    /** The number of an alternative of so many. */
    int below(int count) {
        long number = u32();
        if (number >= count) {
            throw Damage.FOUND;
        }
        return (int) number;
    }

    /** True for a value that follows, or for a bool. */
    boolean bool() {
        int octet = bytes[at++];
        if (octet >>> 1 != 0) {
            throw Damage.FOUND;
        }
        return octet == 1;
    }

    /** A length: no element takes up less than a byte. */
    private int length() {
        long length = number(64);
        if (length < 0 || length > bytes.length - at) {
            throw Damage.FOUND;
        }
        return (int) length;
    }

    byte[] run() {
        int length = length();
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }

    String string() {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(run())).toString();
        } catch (CharacterCodingException error) {
            throw Damage.FOUND;
        }
    }

    List<String> strings() {
        return list(Postcard::string);
    }

    <T> List<T> list(Function<Postcard, T> element) {
        List<T> list = new ArrayList<>();
        for (int left = length(); left > 0; left--) {
            list.add(element.apply(this));
        }
        return list;
    }
}
