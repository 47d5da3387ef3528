package io.robomaton;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Forms of crawlers' names: product tokens, whole names, names with commas. */
final class Names {
    private Names() {}

    /** Lower case of ASCII letters alone. */
    static String lower(String text) {
        StringBuilder lower = null;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c >= 'A' && c <= 'Z') {
                if (lower == null) {
                    lower = new StringBuilder(text);
                }
                lower.setCharAt(at, (char) (c + 32));
            }
        }
        return lower == null ? text : lower.toString();
    }

    /** White space of ASCII: tab, line feed, form feed, carriage return, space. */
    static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
    }

    static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isSpace(text.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    /**
     * The length in chars of the product token at the start of a text.
     *
     * @throws UnsupportedException if it ends at a character that this JDK does not know: an image may be made
     *     by a newer Unicode, in which that is a letter
     */
    static int productToken(String text) {
        int at = 0;
        while (at < text.length()) {
            int c = text.codePointAt(at);
            boolean isOfName = c < 0x80
                    ? c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
                    : isAlphanumeric(c) || c >= 0x300 && c <= 0x36F;
            if (!isOfName) {
                if (Character.getType(c) == Character.UNASSIGNED) {
                    throw new UnsupportedException("the crawler's name " + text + ": this JDK does not know all of its characters");
                }
                break;
            }
            at += Character.charCount(c);
        }
        return at;
    }

    /** Unicode's Alphabetic, and the numbers: decimal, letter and other. */
    private static boolean isAlphanumeric(int c) {
        int type = Character.getType(c);
        return Character.isAlphabetic(c)
                || type == Character.DECIMAL_DIGIT_NUMBER
                || type == Character.LETTER_NUMBER
                || type == Character.OTHER_NUMBER;
    }

    /** A name as a file has it: a whole name without its quotation marks. */
    static String shown(String name) {
        boolean isWhole = name.length() > 1 && name.startsWith("\"") && name.endsWith("\"");
        return isWhole ? name.substring(1, name.length() - 1) : name;
    }

    /** The whole name: lower case, single spaces, between quotation marks. */
    static String whole(String name) {
        StringBuilder out = new StringBuilder("\"");
        for (String word : words(name)) {
            if (out.length() > 1) {
                out.append(' ');
            }
            out.append(lower(word));
        }
        return out.append('"').toString();
    }

    static List<String> words(String text) {
        List<String> words = new ArrayList<>(Arrays.asList(text.split("[ \t\n\f\r]+")));
        words.removeIf(String::isEmpty);
        return words;
    }

    /**
     * Names separated by commas, of which there may be too many; null without a comma, or if there is a
     * comment: that of a header may contain commas, too.
     */
    static List<String> list(String given) {
        if (given.indexOf(',') < 0 || given.matches("(?s).*[();].*")) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (String part : given.split(",", -1)) {
            String name = trim(part);
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names.isEmpty() ? null : names;
    }
}
