package io.robomaton;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The meaning of patterns, naively (SPEC.md section 8, "Patterns"). For purposes, and to find the
 * deciding line; programs decide without it.
 */
final class Pattern {
    private Pattern() {}

    /** True if the canonical pattern matches the first {@code length} bytes of a canonical target. */
    static boolean matches(byte[] text, Notation notation, byte[] target, int length) {
        int end = text.length;
        boolean anchored = notation != Notation.KOSTER && end > 0 && text[end - 1] == '$';
        end -= anchored ? 1 : 0;
        List<byte[]> pieces = new ArrayList<>();
        int from = 0;
        boolean endsInStar = false;
        for (int at = 0; at <= end; at++) {
            boolean isStar = at < end && text[at] == '*' && notation != Notation.KOSTER;
            if (at == end || isStar) {
                pieces.add(bytes(text, from, at, notation));
                from = at + 1;
                endsInStar = isStar ? at + 1 == end : endsInStar;
            }
        }
        anchored &= !endsInStar;
        byte[] prefix = pieces.get(0);
        if (length < prefix.length || !Arrays.equals(target, 0, prefix.length, prefix, 0, prefix.length)) {
            return false;
        }
        pieces.subList(1, pieces.size()).removeIf(piece -> piece.length == 0);
        if (pieces.size() == 1) {
            return !anchored || length == prefix.length;
        }
        int at = prefix.length;
        for (int number = 1; number < pieces.size(); number++) {
            byte[] piece = pieces.get(number);
            if (anchored && number == pieces.size() - 1) {
                int start = length - piece.length;
                return start >= at && Arrays.equals(target, start, length, piece, 0, piece.length);
            }
            at = find(target, at, length, piece);
            if (at < 0) {
                return false;
            }
            at += piece.length;
        }
        return true;
    }

    /** The first place of a piece, or -1; in time linear in both (Knuth, Morris and Pratt). */
    private static int find(byte[] target, int from, int length, byte[] piece) {
        // For each beginning of the piece, the length of the longest other one that it ends with.
        int[] borders = new int[piece.length];
        for (int at = 1, border = 0; at < piece.length; at++) {
            while (border > 0 && piece[at] != piece[border]) {
                border = borders[border - 1];
            }
            border += piece[at] == piece[border] ? 1 : 0;
            borders[at] = border;
        }
        for (int at = from, matched = 0; at < length; at++) {
            while (matched > 0 && target[at] != piece[matched]) {
                matched = borders[matched - 1];
            }
            matched += target[at] == piece[matched] ? 1 : 0;
            if (matched == piece.length) {
                return at + 1 - matched;
            }
        }
        return -1;
    }

    /** The bytes that a piece without stars stands for. */
    private static byte[] bytes(byte[] text, int from, int to, Notation notation) {
        byte[] out = new byte[to - from];
        int length = 0;
        boolean escapes = notation == Notation.REP || notation == Notation.ACAP;
        for (int at = from; at < to; at++) {
            boolean isEscape = escapes && at + 2 < to && text[at] == '%' && text[at + 1] == '2';
            if (isEscape && (text[at + 2] == 'A' || text[at + 2] == '4')) {
                out[length++] = (byte) (text[at + 2] == 'A' ? '*' : '$');
                at += 2;
            } else {
                out[length++] = text[at];
            }
        }
        return Arrays.copyOf(out, length);
    }

    /** True if the pattern of a purpose speaks of this purpose, which may be null. */
    static boolean matchesPurpose(byte[] pattern, byte[] purpose) {
        if (pattern.length == 1 && pattern[0] == '*') {
            return true;
        }
        if (purpose == null) {
            return false;
        }
        boolean isPlain = true;
        for (byte c : pattern) {
            isPlain &= c != '*' && c != '$' && c != ':';
        }
        byte[] text = lower(pattern);
        byte[] wanted = lower(purpose);
        return isPlain ? Arrays.equals(text, wanted) : matches(text, Notation.GOOGLE, wanted, wanted.length);
    }

    private static byte[] lower(byte[] text) {
        byte[] lower = text.clone();
        for (int at = 0; at < lower.length; at++) {
            if (lower[at] >= 'A' && lower[at] <= 'Z') {
                lower[at] += 32;
            }
        }
        return lower;
    }
}
