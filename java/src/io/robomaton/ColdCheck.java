package io.robomaton;

/**
 * Checks the cold records (I16 of SPEC.md, section 9): details and provenance decode, and texts are zstd
 * frames that state their size, and neither overlap; and, where that is asked for, that texts decompress (I18).
 */
final class ColdCheck {
    private static final int DOCUMENT = 24;

    private ColdCheck() {}

    static void check(Shard shard) {
        long detailEnd = 0;
        long textEnd = 0;
        for (long document = 0; document < shard.documentCount(); document++) {
            Section documents = shard.section(Shard.DOCUMENTS);
            long detailAt = documents.i64(DOCUMENT * document);
            long textAt = documents.i64(DOCUMENT * document + 16);
            long textLength = documents.u32(DOCUMENT * document + 12);
            boolean isBehind = Long.compareUnsigned(detailAt, detailEnd) >= 0
                    && (textLength == 0 || Long.compareUnsigned(textAt, textEnd) >= 0);
            if (!isBehind) {
                String what = "a document is not behind the one before";
                throw Verification.broken(shard, 16, Shard.DOCUMENTS, DOCUMENT * document, what);
            }
            // What leads outside is found below.
            detailEnd = detailAt + documents.u32(DOCUMENT * document + 8);
            textEnd = textLength == 0 ? textEnd : textAt + textLength;
            boolean decodes;
            try {
                Detail.read(shard.detailBytes(document));
                byte[] frame = shard.frame(document);
                decodes = frame.length == 0 || new ZstdFrame(frame).takesUpAll();
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

    /** I18: texts decompress to the size that their frames state. */
    static void checkTexts(Shard shard) {
        for (long document = 0; document < shard.documentCount(); document++) {
            try {
                byte[] frame = shard.frame(document);
                if (frame.length > 0) {
                    new ZstdFrame(frame).decode();
                }
            } catch (Damage | IndexOutOfBoundsException damage) {
                String what = "a document's text does not decompress";
                throw Verification.broken(shard, 18, Shard.DOCUMENTS, DOCUMENT * document, what);
            }
        }
    }
}
