package io.robomaton;

import java.nio.charset.StandardCharsets;

/**
 * Hosts as the URL standard serialises them: names in lower case, international names in punycode, IPv4
 * as four decimals, IPv6 in brackets. {@link Punycode} has the labels that are not ASCII.
 */
final class Host {
    private Host() {}

    /** The host, or null if there is none. */
    static String parse(byte[] written) {
        if (written.length > 0 && written[0] == '[') {
            boolean closed = written.length > 2 && written[written.length - 1] == ']';
            return closed ? ipv6(new String(written, 1, written.length - 2, StandardCharsets.ISO_8859_1)) : null;
        }
        byte[] out = new byte[written.length];
        int length = 0;
        for (int at = 0; at < written.length; at++) {
            int value = written[at] == '%' ? Notation.escape(written, at, written.length) : -1;
            out[length++] = (byte) (value < 0 ? written[at] : value);
            at += value < 0 ? 0 : 2;
        }
        String name = new String(out, 0, length, StandardCharsets.UTF_8);
        if (name.indexOf('\uFFFD') >= 0) {
            return null;
        }
        name = toAscii(name);
        if (name == null) {
            return null;
        }
        for (int at = 0; at < name.length(); at++) {
            char c = name.charAt(at);
            if (c <= ' ' || c == 0x7F || "#%/:<>?@[\\]^|".indexOf(c) >= 0) {
                return null;
            }
        }
        if (name.isEmpty()) {
            return null;
        }
        return endsInNumber(name) ? ipv4(name) : name;
    }

    /** Characters of a label with one beyond ASCII: no label of DNS has more bytes. */
    private static final int MAX_LABEL = 63;

    /** The name in ASCII, or null if a label is not valid. */
    private static String toAscii(String name) {
        if (name.chars().allMatch(c -> c < 0x80)) {
            String lower = Names.lower(name);
            if (!lower.contains("xn--")) {
                return lower;
            }
        }
        // Before anything that takes time with the square of a label's length.
        for (String label : name.split("[.\u3002\uFF0E\uFF61]")) {
            if (label.codePointCount(0, label.length()) > MAX_LABEL && !label.chars().allMatch(c -> c < 0x80)) {
                return null;
            }
        }
        String[] labels = Punycode.fold(name).split("\\.", -1);
        for (int n = 0; n < labels.length; n++) {
            labels[n] = Punycode.label(labels[n]);
            if (labels[n] == null) {
                return null;
            }
        }
        return String.join(".", labels);
    }

    private static String[] parts(String name) {
        String trimmed = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        return trimmed.split("\\.", -1);
    }

    private static boolean endsInNumber(String name) {
        String[] parts = parts(name);
        String last = parts[parts.length - 1];
        boolean digits = !last.isEmpty() && last.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits || last.startsWith("0x") && last.chars().skip(2).allMatch(c -> Notation.hex(c) >= 0);
    }

    private static String ipv4(String name) {
        String[] parts = parts(name);
        if (parts.length > 4) {
            return null;
        }
        long address = 0;
        for (int n = 0; n < parts.length; n++) {
            long number = number(parts[n]);
            boolean isLast = n == parts.length - 1;
            long limit = isLast ? 1L << 8 * (5 - parts.length) : 256;
            if (number < 0 || number >= limit) {
                return null;
            }
            address |= isLast ? number : number << 8 * (3 - n);
        }
        return (address >> 24) + "." + (address >> 16 & 255) + "." + (address >> 8 & 255) + "." + (address & 255);
    }

    /** A part of an IPv4 address: decimal, octal or hexadecimal; -1 if it is none. */
    private static long number(String part) {
        if (part.isEmpty()) {
            return -1;
        }
        int radix = part.startsWith("0x") ? 16 : part.length() > 1 && part.charAt(0) == '0' ? 8 : 10;
        String digits = radix == 16 ? part.substring(2) : part;
        long value = 0;
        for (int at = 0; at < digits.length(); at++) {
            int digit = Notation.hex(digits.charAt(at));
            if (digit < 0 || digit >= radix) {
                return -1;
            }
            value = Math.min(value * radix + digit, 1L << 40);
        }
        return value;
    }

    private static String ipv6(String text) {
        int[] pieces = new int[8];
        int count = 0;
        int gap = -1;
        int at = 0;
        int end = text.length();
        if (text.startsWith(":")) {
            if (!text.startsWith("::")) {
                return null;
            }
            at = 2;
            gap = 0;
        }
        while (at < end) {
            if (count == 8) {
                return null;
            }
            if (text.charAt(at) == ':') {
                if (gap >= 0) {
                    return null;
                }
                at++;
                gap = count;
                continue;
            }
            int start = at;
            int value = 0;
            while (at < end && at - start < 4 && Notation.hex(text.charAt(at)) >= 0) {
                value = value << 4 | Notation.hex(text.charAt(at++));
            }
            if (at < end && text.charAt(at) == '.') {
                if (count > 6 || !embedded(text.substring(start), pieces, count)) {
                    return null;
                }
                count += 2;
                at = end;
                break;
            }
            if (at == start || at < end && (text.charAt(at) != ':' || at + 1 == end)) {
                return null;
            }
            at += at < end ? 1 : 0;
            pieces[count++] = value;
        }
        if (gap < 0 ? count != 8 : count > 7) {
            return null;
        }
        if (gap >= 0) {
            System.arraycopy(pieces.clone(), gap, pieces, 8 - (count - gap), count - gap);
            java.util.Arrays.fill(pieces, gap, 8 - (count - gap), 0);
        }
        return written(pieces);
    }

    /** The IPv4 address at the end of an IPv6 address: four decimals without leading zeros. */
    private static boolean embedded(String text, int[] pieces, int count) {
        String[] parts = text.split("\\.", -1);
        long address = 0;
        for (String part : parts) {
            boolean digits = part.chars().allMatch(c -> c >= '0' && c <= '9');
            if (part.isEmpty() || part.length() > 3 || !digits || part.length() > 1 && part.charAt(0) == '0') {
                return false;
            }
            int value = Integer.parseInt(part);
            if (value > 255) {
                return false;
            }
            address = address << 8 | value;
        }
        pieces[count] = (int) (address >> 16);
        pieces[count + 1] = (int) (address & 0xFFFF);
        return parts.length == 4;
    }

    private static String written(int[] pieces) {
        int start = -1;
        int longest = 1;
        for (int from = 0; from < 8; from++) {
            int to = from;
            while (to < 8 && pieces[to] == 0) {
                to++;
            }
            if (to - from > longest) {
                longest = to - from;
                start = from;
            }
            from = Math.max(from, to - 1);
        }
        StringBuilder out = new StringBuilder("[");
        for (int n = 0; n < 8; n++) {
            if (n == start) {
                out.append(n == 0 ? "::" : ":");
                n += longest - 1;
                continue;
            }
            out.append(Integer.toHexString(pieces[n]));
            out.append(n < 7 ? ":" : "");
        }
        return out.append(']').toString();
    }
}
