package io.robomaton;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * A Zstandard frame that states the size of its text (RFC 8878, section 3.1.1), decoded block by block.
 *
 * <p>The frame is untrusted. Invariants: whatever breaks the format is {@link Damage}; decoding takes time
 * linear in the frame and in the text, which is not longer than the frame states, and memory for two
 * windows and the longest block. Windows of more than 128 MiB are refused, as libzstd refuses them in
 * streams, and so are dictionaries.
 *
 * <p>{@link ZstdLiterals} and {@link ZstdSequences} know the blocks.
 */
final class ZstdFrame {
    private static final int MAGIC = 0xFD2FB528;
    private static final int MAX_WINDOW_BITS = 31;
    private static final int MAX_WINDOW = 1 << 27;
    private static final long MAX_TEXT = 1L << 30;
    private static final int MAX_BLOCK = 128 << 10;
    private static final int RAW = 0;
    private static final int REPEATED = 1;
    private static final int COMPRESSED = 2;
    private static final int CHECKSUM = 4;

    private final ZstdInput in;
    /** The size of the text. */
    final long size;
    /** How far back bytes are copied from. */
    private final int window;
    private final boolean hasDictionary;
    private final boolean hasChecksum;
    private final int maxBlock;
    private final ZstdLiterals literals = new ZstdLiterals();
    private final ZstdSequences sequences = new ZstdSequences();
    private boolean isLast;

    /** What was decoded: the window, and behind it the block, from {@link #start} to {@link #end}. */
    private byte[] bytes = {};
    private int start;
    private int end;
    /** The bytes of all blocks. */
    private long total;
    private final Xxh64 checksum = new Xxh64();
    /** How far the checksum has come in {@link #bytes}. */
    private int summed;

    /** Reads the header. */
    ZstdFrame(byte[] frame) {
        in = new ZstdInput(frame, 0, frame.length);
        if ((int) in.number(4) != MAGIC) {
            throw Damage.FOUND;
        }
        int flags = in.u8();
        boolean isSingle = (flags & 0x20) != 0;
        int form = flags >> 6;
        int stated = isSingle ? 0 : in.u8();
        int bits = 10 + (stated >> 3);
        if ((flags & 8) != 0 || bits > MAX_WINDOW_BITS || form == 0 && !isSingle) {
            throw Damage.FOUND;
        }
        hasDictionary = in.number(1 << (flags & 3) >> 1) != 0;
        hasChecksum = (flags & CHECKSUM) != 0;
        size = in.number(1 << form) + (form == 1 ? 256 : 0);
        if (size < 0 || size > MAX_TEXT) {
            throw Damage.FOUND;
        }
        long most = isSingle ? size : (1L << bits) + (1L << bits - 3) * (stated & 7);
        maxBlock = (int) Math.min(most, MAX_BLOCK);
        window = (int) Math.min(most, size);
    }

    /** The first bytes of a text, at most so many. */
    static byte[] text(byte[] frame, int limit) {
        ZstdFrame of = new ZstdFrame(frame);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        while (text.size() < limit && of.next()) {
            text.write(of.bytes, of.start, Math.min(of.end - of.start, limit - text.size()));
        }
        return text.toByteArray();
    }

    /** True if the blocks behind the header take up the frame. It does not look into them. */
    boolean takesUpAll() {
        for (boolean last = false; !last;) {
            int head = (int) in.number(3);
            int kind = head >> 1 & 3;
            last = (head & 1) != 0;
            if (kind > COMPRESSED) {
                return false;
            }
            in.skip(kind == REPEATED ? 1 : head >> 3);
        }
        return in.left() == (hasChecksum ? CHECKSUM : 0);
    }

    /** Decodes all blocks, and keeps none. */
    void decode() {
        boolean more = true;
        while (more) {
            more = next();
        }
    }

    /** Decodes the next block; false if there is none. */
    private boolean next() {
        if (isLast) {
            return false;
        }
        if (hasDictionary || window > MAX_WINDOW) {
            throw Damage.FOUND;
        }
        int head = (int) in.number(3);
        int length = head >> 3;
        isLast = (head & 1) != 0;
        if (length > maxBlock) {
            throw Damage.FOUND;
        }
        makeRoom();
        start = end;
        end = block(head >> 1 & 3, length);
        total += end - start;
        if (hasChecksum) {
            summed = checksum.add(bytes, summed, end);
        }
        if (isLast && !isSound()) {
            throw Damage.FOUND;
        }
        return true;
    }

    private int block(int kind, int length) {
        int room = Math.min(maxBlock, bytes.length - start);
        if (kind != COMPRESSED && length > room) {
            throw Damage.FOUND;
        }
        switch (kind) {
            case RAW:
                in.copy(bytes, start, length);
                return start + length;
            case REPEATED:
                in.repeat(bytes, start, length);
                return start + length;
            case COMPRESSED:
                ZstdInput block = in.take(length);
                literals.read(block, room);
                return sequences.execute(block, literals, bytes, start, start + room, window);
            default:
                throw Damage.FOUND;
        }
    }

    /** Grows the bytes up to two windows and a block; then moves the window to their front. */
    private void makeRoom() {
        long most = Math.min(size, 2L * window + maxBlock);
        int wanted = end + maxBlock;
        if (wanted > bytes.length && bytes.length < most) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(most, Math.max(wanted, 2L * bytes.length)));
        }
        if (wanted > bytes.length && size > most) {
            int moved = end - window;
            System.arraycopy(bytes, moved, bytes, 0, window);
            end -= moved;
            summed -= moved;
        }
    }

    private boolean isSound() {
        boolean isSummed = !hasChecksum || (int) in.number(CHECKSUM) == (int) checksum.finish(bytes, summed, end);
        return isSummed && total == size && in.left() == 0;
    }
}
