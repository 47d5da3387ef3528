package io.robomaton;

/**
 * The target of a question in the notations that programs ask for, and all other space of a question.
 *
 * <p>Each thread has one, so questions allocate nothing once its arrays have grown. It does not know
 * programs.
 */
final class Target {
    /** The URL in UTF-8. */
    byte[] url = new byte[512];
    int urlLength;
    /** The target as written, without a fragment. */
    private byte[] raw = new byte[512];
    private int rawLength;
    private final byte[][] spelled = new byte[4][1536];
    private final int[] lengths = new int[4];
    private int known;
    /** Space of a walk. */
    final Walk walk = new Walk();

    /** Takes a URL. */
    void read(String text) {
        int length = text.length();
        if (url.length < 3 * length) {
            url = new byte[4 * length];
        }
        byte[] out = url;
        int at = 0;
        for (int n = 0; n < length; n++) {
            char c = text.charAt(n);
            if (c < 0x80) {
                out[at++] = (byte) c;
            } else {
                n = encode(text, n, at);
                at = encodedEnd;
            }
        }
        urlLength = at;
    }

    private int encodedEnd;

    /** Encodes a character beyond ASCII; returns the place of its last char. */
    private int encode(String text, int n, int at) {
        int c = text.codePointAt(n);
        if (c >= 0xD800 && c <= 0xDFFF) {
            c = 0xFFFD;
        }
        if (c < 0x800) {
            url[at++] = (byte) (0xC0 | c >> 6);
        } else {
            if (c < 0x10000) {
                url[at++] = (byte) (0xE0 | c >> 12);
            } else {
                url[at++] = (byte) (0xF0 | c >> 18);
                url[at++] = (byte) (0x80 | c >> 12 & 63);
                n++;
            }
            url[at++] = (byte) (0x80 | c >> 6 & 63);
        }
        url[at++] = (byte) (0x80 | c & 63);
        encodedEnd = at;
        return n;
    }

    /** Makes the rest of the URL the target: a slash before it where it has none, no fragment. */
    void path(int from, int to) {
        int end = from;
        while (end < to && url[end] != '#') {
            end++;
        }
        boolean hasSlash = end > from && url[from] == '/';
        int skip = !hasSlash && end > from && url[from] == '\\' ? 1 : 0;
        set(from + skip, end, !hasSlash);
    }

    private void set(int from, int to, boolean slash) {
        int length = to - from;
        if (raw.length < length + 1) {
            raw = new byte[2 * length + 1];
        }
        int at = 0;
        if (slash) {
            raw[at++] = '/';
        }
        System.arraycopy(url, from, raw, at, length);
        rawLength = at + length;
        known = 0;
    }

    /**
     * The target as google/robotstxt takes it from a URL or a path. White space and control characters
     * at the ends are no part of it.
     */
    void google() {
        int start = 0;
        int end = urlLength;
        while (start < end && Url.isSpace(url[start])) {
            start++;
        }
        while (end > start && Url.isSpace(url[end - 1])) {
            end--;
        }
        start += end - start >= 2 && url[start] == '/' && url[start + 1] == '/' ? 2 : 0;
        int protocol = -1;
        for (int at = start; at + 2 < end && protocol < 0; at++) {
            if (url[at] == ':' && url[at + 1] == '/' && url[at + 2] == '/') {
                protocol = at;
            }
        }
        int path = pathFrom(start, end);
        if (protocol >= 0 && !(path >= 0 && path < protocol)) {
            path = pathFrom(protocol + 3, end);
        }
        int fragment = start;
        while (fragment < end && url[fragment] != '#') {
            fragment++;
        }
        if (path < 0 || fragment < path) {
            set(0, 0, true);
        } else {
            set(path, fragment, url[path] != '/');
        }
    }

    private int pathFrom(int from, int end) {
        for (int at = from; at < end; at++) {
            if (url[at] == '/' || url[at] == '?' || url[at] == ';') {
                return at;
            }
        }
        return -1;
    }

    /** The bytes in a notation; {@link #length} says how many. */
    byte[] bytes(Notation notation) {
        int number = notation.ordinal();
        if ((known >> number & 1) == 0) {
            if (spelled[number].length < 3 * rawLength) {
                spelled[number] = new byte[4 * rawLength];
            }
            lengths[number] = notation.target(raw, 0, rawLength, spelled[number]);
            known |= 1 << number;
        }
        return spelled[number];
    }

    /** The number of bytes in a notation that {@link #bytes} was asked for. */
    int length(Notation notation) {
        return lengths[notation.ordinal()];
    }

    private static final byte[] ROBOTS = "/robots.txt".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    /** True if the target canonically is {@code /robots.txt}. */
    boolean isRobotsTxt(Notation notation) {
        if (rawLength < 2 || raw[1] != 'r' && raw[1] != '%' && !Notation.isDropped(raw[1])) {
            return false;
        }
        byte[] bytes = bytes(notation);
        return java.util.Arrays.equals(bytes, 0, length(notation), ROBOTS, 0, ROBOTS.length);
    }
}
