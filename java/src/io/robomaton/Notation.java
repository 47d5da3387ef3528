package io.robomaton;

/**
 * How targets are spelled before bytes are compared (SPEC.md section 8, "Notations").
 *
 * <p>Invariants: rewriting never fails, reads each byte a bounded number of times, and writes at most
 * three bytes for one. It does not know where a URL's path begins.
 */
enum Notation {
    REP,
    GOOGLE,
    KOSTER,
    ACAP;

    private static final Notation[] ALL = values();
    private static final byte[] DIGITS = "0123456789ABCDEF".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    /** For each byte: bit 0 unreserved, bit 1 it stays as it is under {@code rep}. */
    private static final byte[] CLASS = new byte[256];

    static {
        for (int c = 0x21; c < 0x7F; c++) {
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            boolean unreserved = letter || "-._~".indexOf(c) >= 0;
            boolean stays = "\"<>\\^`{|}".indexOf(c) < 0;
            CLASS[c] = (byte) ((unreserved ? 1 : 0) | (stays ? 2 : 0));
        }
    }

    static Notation of(int number) {
        if (number >= ALL.length) {
            throw Damage.FOUND;
        }
        return ALL[number];
    }

    /** Writes the canonical bytes of a target to {@code out}, which has three times its length. */
    int target(byte[] text, int from, int to, byte[] out) {
        if (this == GOOGLE) {
            System.arraycopy(text, from, out, 0, to - from);
            return to - from;
        }
        int length = 0;
        for (int at = from; at < to;) {
            int first = text[at] & 0xFF;
            if (isDropped(first)) {
                byte[] kept = kept(text, from, to);
                return target(kept, 0, kept.length, out);
            }
            int value = first == '%' ? escape(text, at, to) : -1;
            if (this == REP) {
                length = rep(text, from, at, first, value, out, length);
            } else {
                length = decoded(first, value, out, length);
            }
            at += value < 0 ? 1 : 3;
        }
        return length;
    }

    /** True if clients drop this byte from a URL, wherever it stands. */
    static boolean isDropped(int c) {
        return c == '\t' || c == '\n' || c == '\r';
    }

    private static byte[] kept(byte[] text, int from, int to) {
        byte[] kept = new byte[to - from];
        int length = 0;
        for (int at = from; at < to; at++) {
            if (!isDropped(text[at])) {
                kept[length++] = text[at];
            }
        }
        return java.util.Arrays.copyOf(kept, length);
    }

    private int rep(byte[] text, int from, int at, int first, int value, byte[] out, int length) {
        if (value < 0) {
            return (CLASS[first] & 2) != 0 ? put(first, out, length) : putEscape(first, out, length);
        }
        boolean isFree = (CLASS[value] & 1) != 0 && !(hex(value) >= 0 && isNearStray(text, from, at));
        boolean isPlain = value == '*' || value == '$' || isFree;
        return isPlain ? put(value, out, length) : putEscape(value, out, length);
    }

    /** {@code koster} and {@code acap}: every escape but that of a slash is decoded. */
    private int decoded(int first, int value, byte[] out, int length) {
        int c = value < 0 ? first : value;
        if (c == '%' || c == '/' && value >= 0) {
            return putEscape(c, out, length);
        }
        return put(this == ACAP && c >= 'A' && c <= 'Z' ? c + 32 : c, out, length);
    }

    /** True if a stray percent sign is one or two bytes back, which a digit could complete. */
    private static boolean isNearStray(byte[] text, int from, int at) {
        if (at - 1 >= from && text[at - 1] == '%') {
            return true;
        }
        return at - 2 >= from && text[at - 2] == '%' && hex(text[at - 1] & 0xFF) >= 0;
    }

    private static int put(int c, byte[] out, int length) {
        out[length] = (byte) c;
        return length + 1;
    }

    private static int putEscape(int c, byte[] out, int length) {
        out[length] = '%';
        out[length + 1] = DIGITS[c >> 4];
        out[length + 2] = DIGITS[c & 15];
        return length + 3;
    }

    /** The byte that an escape stands for, or -1 for a stray percent sign. */
    static int escape(byte[] text, int at, int to) {
        if (at + 2 >= to) {
            return -1;
        }
        int high = hex(text[at + 1] & 0xFF);
        int low = hex(text[at + 2] & 0xFF);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    static int hex(int c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        int lower = c | 32;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}
