package io.robomaton;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * xxh3-64 with a seed (SPEC.md section 1): of names, and of whole sections for their checksums.
 *
 * <p>It follows the published definition of the hash and knows nothing of images.
 */
final class Xxh3 {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] SECRET = HexFormat.of().parseHex(""
            + "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
            + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
            + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
            + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
            + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
            + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

    private static final long PRIME32_1 = 0x9E3779B1L;
    private static final long PRIME32_2 = 0x85EBCA77L;
    private static final long PRIME32_3 = 0xC2B2AE3DL;
    private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME64_3 = 0x165667B19E3779F9L;
    private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME64_5 = 0x27D4EB2F165667C5L;

    /** The longest text that is hashed without blocks. */
    private static final int SHORT = 240;
    private static final int STRIPE = 64;
    private static final int STRIPES = 16;
    private static final int BLOCK = STRIPE * STRIPES;

    private Xxh3() {}

    /** The hash of the first {@code length} bytes of an array. */
    static long hash(byte[] text, int from, int length, long seed) {
        if (length > SHORT) {
            return ofLong(Section.of(java.util.Arrays.copyOfRange(text, from, from + length)), seed);
        }
        if (length > 128) {
            return of129To240(text, from, length, seed);
        }
        if (length > 16) {
            return of17To128(text, from, length, seed);
        }
        return of0To16(text, from, length, seed);
    }

    /** The hash of a section. */
    static long hash(Section section) {
        if (section.length <= SHORT) {
            byte[] bytes = section.bytes(0, (int) section.length);
            return hash(bytes, 0, bytes.length, 0);
        }
        return ofLong(section, 0);
    }

    private static long u64(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    private static long u32(byte[] bytes, int at) {
        return (int) INTS.get(bytes, at) & 0xFFFF_FFFFL;
    }

    private static long fold(long a, long b) {
        // The high half of the unsigned product.
        long high = Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
        return a * b ^ high;
    }

    private static long avalanche(long value) {
        value ^= value >>> 37;
        value *= 0x165667919E3779F9L;
        return value ^ value >>> 32;
    }

    private static long avalancheOf64(long value) {
        value ^= value >>> 33;
        value *= PRIME64_2;
        value ^= value >>> 29;
        value *= PRIME64_3;
        return value ^ value >>> 32;
    }

    private static long mix(byte[] text, int at, int secret, long seed) {
        return fold(u64(text, at) ^ u64(SECRET, secret) + seed, u64(text, at + 8) ^ u64(SECRET, secret + 8) - seed);
    }

    private static long of0To16(byte[] text, int from, int length, long seed) {
        if (length > 8) {
            long low = u64(text, from) ^ (u64(SECRET, 24) ^ u64(SECRET, 32)) + seed;
            long high = u64(text, from + length - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48)) - seed;
            return avalanche(length + Long.reverseBytes(low) + high + fold(low, high));
        }
        if (length >= 4) {
            long turned = seed ^ (Integer.reverseBytes((int) seed) & 0xFFFF_FFFFL) << 32;
            long flip = (u64(SECRET, 8) ^ u64(SECRET, 16)) - turned;
            long value = u32(text, from + length - 4) + (u32(text, from) << 32) ^ flip;
            value ^= Long.rotateLeft(value, 49) ^ Long.rotateLeft(value, 24);
            value *= 0x9FB21C651E98DF25L;
            value ^= (value >>> 35) + length;
            value *= 0x9FB21C651E98DF25L;
            return value ^ value >>> 28;
        }
        if (length > 0) {
            long first = text[from] & 0xFF;
            long middle = text[from + (length >> 1)] & 0xFF;
            long last = text[from + length - 1] & 0xFF;
            long combined = first << 16 | middle << 24 | last | (long) length << 8;
            return avalancheOf64(combined ^ (u32(SECRET, 0) ^ u32(SECRET, 4)) + seed);
        }
        return avalancheOf64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64));
    }

    private static long of17To128(byte[] text, int from, int length, long seed) {
        long sum = length * PRIME64_1;
        for (int pair = (length - 1) / 32; pair >= 0; pair--) {
            sum += mix(text, from + 16 * pair, 32 * pair, seed);
            sum += mix(text, from + length - 16 * (pair + 1), 32 * pair + 16, seed);
        }
        return avalanche(sum);
    }

    private static long of129To240(byte[] text, int from, int length, long seed) {
        long sum = length * PRIME64_1;
        for (int at = 0; at < 8; at++) {
            sum += mix(text, from + 16 * at, 16 * at, seed);
        }
        sum = avalanche(sum);
        for (int at = 8; at < length / 16; at++) {
            sum += mix(text, from + 16 * at, 16 * (at - 8) + 3, seed);
        }
        return avalanche(sum + mix(text, from + length - 16, 136 - 17, seed));
    }

    /** The secret for a seed, as the words that long texts are mixed with. */
    private static final class Keys {
        /** Words at multiples of eight bytes. */
        final long[] of = new long[SECRET.length / 8];
        /** Words from byte 121 on, for the last stripe. */
        final long[] last = new long[8];
        /** Words from byte 11 on, for the sums. */
        final long[] merge = new long[8];

        Keys(long seed) {
            byte[] secret = new byte[SECRET.length];
            for (int at = 0; at < secret.length; at += 16) {
                LONGS.set(secret, at, u64(SECRET, at) + seed);
                LONGS.set(secret, at + 8, u64(SECRET, at + 8) - seed);
            }
            for (int word = 0; word < of.length; word++) {
                of[word] = u64(secret, 8 * word);
            }
            for (int word = 0; word < 8; word++) {
                last[word] = u64(secret, 121 + 8 * word);
                merge[word] = u64(secret, 11 + 8 * word);
            }
        }
    }

    private static final Keys UNSEEDED = new Keys(0);

    private static long ofLong(Section text, long seed) {
        Keys keys = seed == 0 ? UNSEEDED : new Keys(seed);
        long[] sums = {
            PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
        };
        long blocks = (text.length - 1) / BLOCK;
        for (long block = 0; block < blocks; block++) {
            for (int stripe = 0; stripe < STRIPES; stripe++) {
                accumulate(sums, text, block * BLOCK + stripe * STRIPE, keys.of, stripe);
            }
            for (int lane = 0; lane < 8; lane++) {
                sums[lane] = scramble(sums[lane], keys.of[STRIPES + lane]);
            }
        }
        long stripes = (text.length - 1 - blocks * BLOCK) / STRIPE;
        for (int stripe = 0; stripe < stripes; stripe++) {
            accumulate(sums, text, blocks * BLOCK + stripe * STRIPE, keys.of, stripe);
        }
        accumulate(sums, text, text.length - STRIPE, keys.last, 0);
        long result = text.length * PRIME64_1;
        for (int lane = 0; lane < 8; lane += 2) {
            result += fold(sums[lane] ^ keys.merge[lane], sums[lane + 1] ^ keys.merge[lane + 1]);
        }
        return avalanche(result);
    }

    private static long scramble(long sum, long key) {
        return (sum ^ sum >>> 47 ^ key) * PRIME32_1;
    }

    private static void accumulate(long[] sums, Section text, long at, long[] keys, int key) {
        for (int lane = 0; lane < 8; lane += 2) {
            long first = text.i64(at + 8 * lane);
            long second = text.i64(at + 8 * lane + 8);
            sums[lane] += second + halves(first ^ keys[key + lane]);
            sums[lane + 1] += first + halves(second ^ keys[key + lane + 1]);
        }
    }

    private static long halves(long keyed) {
        return (keyed & 0xFFFF_FFFFL) * (keyed >>> 32);
    }
}
