package io.robomaton;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** xxh64 without a seed, over bytes that come in pieces: the checksum of Zstandard frames. */
final class Xxh64 {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int[] TURNS = {1, 7, 12, 18};
    static final int STRIPE = 32;

    private final long[] sums = {PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1};
    private long length;

    /** Takes in whole stripes. Returns the end of the last one: the bytes behind it are to be given again. */
    int add(byte[] bytes, int from, int to) {
        int at = from;
        for (; to - at >= STRIPE; at += STRIPE) {
            for (int lane = 0; lane < sums.length; lane++) {
                sums[lane] = round(sums[lane], (long) LONGS.get(bytes, at + 8 * lane));
            }
        }
        length += at - from;
        return at;
    }

    private static long round(long sum, long word) {
        return Long.rotateLeft(sum + word * PRIME_2, 31) * PRIME_1;
    }

    /** The hash, with the last bytes, which are less than a stripe. */
    long finish(byte[] bytes, int from, int to) {
        long hash = PRIME_5;
        if (length > 0) {
            hash = 0;
            for (int lane = 0; lane < sums.length; lane++) {
                hash += Long.rotateLeft(sums[lane], TURNS[lane]);
            }
            for (long sum : sums) {
                hash = (hash ^ round(0, sum)) * PRIME_1 + PRIME_4;
            }
        }
        hash += length + to - from;
        int at = from;
        for (; to - at >= 8; at += 8) {
            hash = Long.rotateLeft(hash ^ round(0, (long) LONGS.get(bytes, at)), 27) * PRIME_1 + PRIME_4;
        }
        if (to - at >= 4) {
            long word = (int) INTS.get(bytes, at) & 0xFFFF_FFFFL;
            hash = Long.rotateLeft(hash ^ word * PRIME_1, 23) * PRIME_2 + PRIME_3;
            at += 4;
        }
        for (; at < to; at++) {
            hash = Long.rotateLeft(hash ^ (bytes[at] & 0xFF) * PRIME_5, 11) * PRIME_1;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }
}
