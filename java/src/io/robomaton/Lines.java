package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Lines of a text by their numbers, as the compiler counts them: they end with CR, LF or both, and a byte
 * order mark, or the beginning of one, is in none. It does not know records.
 */
final class Lines {
    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private Lines() {}

    /** A line without its end. */
    static Optional<String> line(byte[] text, long number) {
        int start = 0;
        while (start < Math.min(MARK.length, text.length) && text[start] == MARK[start]) {
            start++;
        }
        for (long line = 1; start < text.length; line++) {
            int end = start;
            while (end < text.length && text[end] != '\r' && text[end] != '\n') {
                end++;
            }
            if (line == number) {
                return Optional.of(new String(text, start, end - start, StandardCharsets.UTF_8));
            }
            boolean isBoth = end + 1 < text.length && text[end] == '\r' && text[end + 1] == '\n';
            start = end + (isBoth ? 2 : 1);
        }
        return Optional.empty();
    }
}
