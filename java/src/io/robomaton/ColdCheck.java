package io.robomaton;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Checks the cold records (I16 of SPEC.md, section 9): details and provenance decode, and texts are zstd
 * frames that state their size. It does not decompress a text.
 */
final class ColdCheck {
    private static final int DOCUMENT = 24;
    private static final long MAX_TEXT = 1L << 30;
    private static final int ZSTD = 0xFD2FB528;
    /** Windows have at most two to the power of this. */
    private static final int MAX_WINDOW = 31;
    private static final int BLOCK = 3;

    private ColdCheck() {}

    static void check(Shard shard) {
        for (long document = 0; document < shard.documentCount(); document++) {
            boolean decodes;
            try {
                Detail.read(shard.detailBytes(document));
                byte[] frame = shard.frame(document);
                decodes = frame.length == 0 || isFrame(frame);
            } catch (Damage | IndexOutOfBoundsException damage) {
                decodes = false;
            }
            if (!decodes) {
                String what = "a document's details do not decode, or its text is no frame";
                throw Verification.broken(shard, 16, Shard.DOCUMENTS, DOCUMENT * document, what);
            }
        }
        try {
            shard.meta();
        } catch (Damage | IndexOutOfBoundsException damage) {
            throw Verification.broken(shard, 16, Shard.META, 0, "the provenance does not decode");
        }
    }

    /** True if the bytes are one Zstandard frame (RFC 8878) that states the size of a text. */
    private static boolean isFrame(byte[] frame) {
        ByteBuffer bytes = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt(0) != ZSTD) {
            return false;
        }
        int flags = bytes.get(4) & 0xFF;
        boolean isSingle = (flags & 0x20) != 0;
        int at = 5;
        if (!isSingle && ((bytes.get(at++) & 0xFF) >> 3) + 10 > MAX_WINDOW || (flags & 8) != 0) {
            return false;
        }
        at += (1 << (flags & 3)) >> 1;
        int form = flags >> 6;
        if (form == 0 && !isSingle) {
            return false;
        }
        long size = form == 0 ? bytes.get(at) & 0xFF
                : form == 1 ? (bytes.getShort(at) & 0xFFFF) + 256
                : form == 2 ? bytes.getInt(at) & 0xFFFF_FFFFL : bytes.getLong(at);
        if (size < 0 || size > MAX_TEXT) {
            return false;
        }
        at += 1 << form;
        boolean isLast = false;
        while (!isLast) {
            int head = bytes.get(at) & 0xFF | (bytes.getShort(at + 1) & 0xFFFF) << 8;
            int kind = head >> 1 & 3;
            isLast = (head & 1) != 0;
            at = Math.addExact(at, BLOCK + (kind == 1 ? 1 : head >> 3));
            if (kind == 3 || at > frame.length) {
                return false;
            }
        }
        return at + ((flags & 4) != 0 ? 4 : 0) == frame.length;
    }
}
