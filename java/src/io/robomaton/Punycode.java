package io.robomaton;

import java.text.Normalizer;

/**
 * Labels of hosts beyond ASCII (RFC 3492, and UTS 46 as the URL standard uses it, non-transitional).
 *
 * <p>Java has no tables of UTS 46: {@code java.net.IDN} is the standard of 2003, which makes {@code ss} of
 * {@code ß}. So letters are mapped where their lower case is all there is to it, in the scripts of
 * {@link #isSafe}; others are {@link UnsupportedException}. A label that is given in punycode is refused
 * where it cannot be valid. Its bidirectional and contextual rules, and characters that are newer than the
 * JDK, are not looked at.
 */
final class Punycode {
    private static final String PREFIX = "xn--";
    private static final int BASE = 36;
    /** Characters of a label in punycode: the work grows with their square. */
    private static final int MAX_ENCODED = 2000;
    /** Letters whose lower case in Java is not what UTS 46 maps them to, or was not always. */
    private static final String NOT_LOWERED = "\u0130\u1E9E";

    private Punycode() {}

    /** The name in lower case, composed, with one kind of dots. */
    static String fold(String name) {
        StringBuilder lower = new StringBuilder();
        // One by one: in the context of a word, Java lowers a final sigma to another letter.
        name.codePoints()
                .map(c -> NOT_LOWERED.indexOf(c) >= 0 ? c : Character.toLowerCase(c))
                .forEach(lower::appendCodePoint);
        return Normalizer.normalize(lower, Normalizer.Form.NFC).replace('\u3002', '.');
    }

    /** The label in ASCII, or null if it is not valid. */
    static String label(String folded) {
        // First of all: what mapping drops or makes ASCII of may leave a valid label of any kind.
        if (!folded.codePoints().allMatch(c -> c < 0x80 || isSafe(c))) {
            throw new UnsupportedException("the international host label " + folded + ": give it in punycode");
        }
        boolean isAscii = folded.chars().allMatch(c -> c < 0x80);
        if (folded.startsWith(PREFIX)) {
            return isAscii && isValid(folded.substring(PREFIX.length())) ? folded : null;
        }
        return isAscii ? folded : PREFIX + encode(folded);
    }

    /** True for letters that international names hold as they are. */
    private static boolean isSafe(int c) {
        boolean latin = c >= 0xDF && c <= 0x17E && c != 0xF7 && Character.isLowerCase(c) && c != 0x133 && c != 0x140 && c != 0x149;
        boolean greek = c >= 0x3AC && c <= 0x3CE;
        boolean cyrillic = c >= 0x430 && c <= 0x45F;
        boolean kana = c >= 0x3041 && c <= 0x3096 || c >= 0x30A1 && c <= 0x30FA || c == 0x30FC;
        boolean han = c >= 0x4E00 && c <= 0x9FA5;
        boolean hangul = c >= 0xAC00 && c <= 0xD7A3;
        return latin || greek || cyrillic || kana || han || hangul;
    }

    /** False for what no valid label decodes to. */
    private static boolean isValid(String encoded) {
        int[] text = decode(encoded);
        if (text == null) {
            return false;
        }
        boolean isAscii = true;
        for (int n = 0; n < text.length; n++) {
            int c = text[n];
            isAscii &= c < 0x80;
            int type = Character.getType(c);
            boolean isMark = type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK
                    || type == Character.ENCLOSING_MARK;
            boolean isJoiner = c == 0x200C || c == 0x200D;
            boolean isNone = type == Character.CONTROL || type == Character.SURROGATE
                    || type == Character.PRIVATE_USE || type == Character.FORMAT && !isJoiner;
            if (isNone || isMark && n == 0 || Character.toLowerCase(c) != c) {
                return false;
            }
        }
        // What compatibility takes for another text is mapped, so it stands in no label.
        String decoded = new String(text, 0, text.length);
        return !isAscii && Normalizer.isNormalized(decoded, Normalizer.Form.NFKC);
    }

    /** The characters that a text of punycode stands for, or null. */
    private static int[] decode(String encoded) {
        int basic = Math.max(0, encoded.lastIndexOf('-'));
        int length = basic;
        if (encoded.length() > MAX_ENCODED || encoded.isEmpty()) {
            return null;
        }
        int[] text = new int[encoded.length()];
        for (int n = 0; n < basic; n++) {
            text[n] = encoded.charAt(n);
        }
        int at = encoded.lastIndexOf('-') >= 0 ? basic + 1 : 0;
        long c = 0x80;
        long delta = 0;
        int bias = 72;
        while (at < encoded.length()) {
            long before = delta;
            long weight = 1;
            for (int k = BASE; ; k += BASE) {
                int digit = at < encoded.length() ? digit(encoded.charAt(at++)) : -1;
                if (digit < 0) {
                    return null;
                }
                delta += digit * weight;
                int threshold = threshold(k, bias);
                if (delta > Integer.MAX_VALUE) {
                    return null;
                }
                if (digit < threshold) {
                    break;
                }
                weight *= BASE - threshold;
                if (weight > Integer.MAX_VALUE) {
                    return null;
                }
            }
            length++;
            bias = adapt((int) (delta - before), length, before == 0);
            c += delta / length;
            delta %= length;
            if (c > Character.MAX_CODE_POINT) {
                return null;
            }
            System.arraycopy(text, (int) delta, text, (int) delta + 1, length - 1 - (int) delta);
            text[(int) delta++] = (int) c;
        }
        return java.util.Arrays.copyOf(text, length);
    }

    private static int digit(char c) {
        return c >= 'a' && c <= 'z' ? c - 'a' : c >= '0' && c <= '9' ? c - '0' + 26 : -1;
    }

    private static int threshold(int k, int bias) {
        return k <= bias ? 1 : Math.min(k - bias, 26);
    }

    private static String encode(String label) {
        StringBuilder out = new StringBuilder();
        int[] text = label.codePoints().toArray();
        for (int c : text) {
            if (c < 0x80) {
                out.append((char) c);
            }
        }
        int basic = out.length();
        int handled = basic;
        if (basic > 0) {
            out.append('-');
        }
        int n = 0x80;
        int delta = 0;
        int bias = 72;
        while (handled < text.length) {
            int least = Integer.MAX_VALUE;
            for (int c : text) {
                least = c >= n ? Math.min(least, c) : least;
            }
            delta = Math.addExact(delta, Math.multiplyExact(least - n, handled + 1));
            n = least;
            for (int c : text) {
                delta += c < n ? 1 : 0;
                if (c == n) {
                    number(delta, bias, out);
                    bias = adapt(delta, handled + 1, handled == basic);
                    delta = 0;
                    handled++;
                }
            }
            delta++;
            n++;
        }
        return out.toString();
    }

    private static void number(int delta, int bias, StringBuilder out) {
        int left = delta;
        for (int k = BASE; ; k += BASE) {
            int threshold = threshold(k, bias);
            int digit = left < threshold ? left : threshold + (left - threshold) % (BASE - threshold);
            out.append((char) (digit < 26 ? 'a' + digit : '0' + digit - 26));
            if (left < threshold) {
                return;
            }
            left = (left - threshold) / (BASE - threshold);
        }
    }

    private static int adapt(int delta, int points, boolean first) {
        int left = first ? delta / 700 : delta / 2;
        left += left / points;
        int k = 0;
        for (; left > 455; k += BASE) {
            left /= 35;
        }
        return k + BASE * left / (left + 38);
    }
}
