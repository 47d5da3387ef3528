package io.robomaton;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code User-Agent} headers, and the crawlers that they name (RFC 9110 10.1.5).
 *
 * <p>A word in a comment counts only if it has a version, or the comment contains {@code compatible} or
 * a contact. It does not know groups.
 */
final class UserAgent {
    /** Words that name a browser, an engine, a platform or nothing. */
    private static final Set<String> NOBODY = Set.of(
            "android", "applewebkit", "brave", "build", "chrome", "chromium", "clr", "compatible",
            "cpu", "crios", "cros", "duckduckgo", "edg", "edga", "edge", "edgios", "electron",
            "epiphany", "fedora", "firefox", "fxios", "gecko", "gsa", "headlesschrome",
            "iceweasel", "intel", "ios", "ipad", "iphone", "ipod", "khtml", "konqueror", "like",
            "linux", "mac", "macintosh", "micromessenger", "mobile", "mozilla", "msie", "nt",
            "opera", "opr", "os", "palemoon", "presto", "qqbrowser", "rv", "safari",
            "samsungbrowser", "seamonkey", "silk", "slcc2", "tablet", "touch", "trident", "ubuntu",
            "ucbrowser", "version", "vivaldi", "waterfox", "webkit", "whale", "win32", "win64",
            "windows", "wow64", "x", "x11", "x64", "x86_64", "yabrowser");

    private record Word(String token, boolean hasVersion, boolean leads, boolean mayName) {}

    private UserAgent() {}

    /** True for a header rather than a name: it has a comment, or several words. */
    static boolean isHeader(String given) {
        return Names.trim(given).chars().anyMatch(c -> Names.isSpace((char) c) || c == '(' || c == ')' || c == ';');
    }

    /** The names that a crawler gives itself, in the order of the header. */
    static List<String> crawlers(String header) {
        Map<String, String> names = new LinkedHashMap<>();
        for (Word word : split(header)) {
            boolean plain = word.token.chars().allMatch(c -> c >= '0' && c <= '9' || c == '.' || c == '_');
            boolean counts = word.mayName && (!plain || word.leads && word.hasVersion) && !isNobody(word.token);
            if (counts) {
                names.putIfAbsent(Names.lower(word.token), word.token);
            }
        }
        return List.copyOf(names.values());
    }

    private static boolean isNobody(String token) {
        String lower = Names.lower(token);
        return lower.startsWith(".net") || NOBODY.contains(lower);
    }

    private static List<Word> split(String header) {
        List<Word> words = new ArrayList<>();
        int from = 0;
        // By positions: of a header of very many comments, copies of the rest would take quadratic time.
        for (int open = header.indexOf('('); open >= 0; open = header.indexOf('(', from)) {
            products(header.substring(from, open), words);
            int end = endOfComment(header, open + 1);
            comment(header.substring(open + 1, end), words);
            from = Math.min(end + 1, header.length());
        }
        products(header.substring(from), words);
        return words;
    }

    /** The position of the parenthesis that closes a comment, or the end if there is none. */
    private static int endOfComment(String header, int from) {
        int depth = 1;
        for (int at = from; at < header.length(); at++) {
            char c = header.charAt(at);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth == 0) {
                return at;
            }
        }
        return header.length();
    }

    private static void products(String text, List<Word> words) {
        for (String word : text.split("[ \t\n\f\r;,)]")) {
            push(word, true, true, words);
        }
    }

    private static void comment(String text, List<Word> words) {
        boolean namesSender = false;
        for (String word : text.split("[ \t\n\f\r;,()]")) {
            namesSender |= isContact(word) || Names.lower(word).equals("compatible");
        }
        for (String item : text.split("[;,()]")) {
            boolean leads = true;
            for (String word : Names.words(item)) {
                push(word, leads, namesSender, words);
                leads = false;
            }
        }
    }

    private static void push(String word, boolean leads, boolean mayName, List<Word> words) {
        if (isContact(word)) {
            return;
        }
        int slash = word.indexOf('/');
        String name = slash < 0 ? word : word.substring(0, slash);
        // `Yahoo! Slurp`, for example.
        name = name.endsWith("!") ? name.substring(0, name.length() - 1) : name;
        if (!name.isEmpty() && Names.productToken(name) == name.length()) {
            words.add(new Word(name, slash >= 0, leads, mayName || slash >= 0));
        }
    }

    /** True for a URL or a mail address, by which a crawler names its operator. */
    private static boolean isContact(String word) {
        int from = 0;
        while (from < word.length() && word.charAt(from) == '+') {
            from++;
        }
        String rest = word.substring(from);
        return rest.contains("://") || rest.contains("@") || Names.lower(rest).startsWith("www.");
    }
}
