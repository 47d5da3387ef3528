package io.robomaton;

import java.nio.charset.StandardCharsets;

/**
 * A URL split into scheme, authority and the rest, first as it is written, then as the URL standard
 * reads it (SPEC.md section 4). Each thread keeps one. It does not know images.
 */
final class Url {
    /** The scheme, {@link HostTable#HTTP} or {@link HostTable#HTTPS}. */
    int scheme;
    /** The authority: {@code bytes[from..from + length]}. */
    byte[] bytes;
    int from;
    int length;
    /** Where path and query begin and end in the URL. */
    int rest;
    int end;
    int start;
    private int authority;

    private static final byte[] HTTPS = "https://".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HTTP = "http://".getBytes(StandardCharsets.US_ASCII);

    /** Splits a URL after {@code http(s)://} and at the next slash; false if it does not begin so. */
    boolean asWritten(Target target) {
        byte[] url = target.url;
        int size = target.urlLength;
        if (size < 8 || (url[size - 1] >= 0 && url[size - 1] <= ' ')) {
            return false;
        }
        if (startsWith(url, HTTPS)) {
            scheme = HostTable.HTTPS;
            from = HTTPS.length;
        } else if (startsWith(url, HTTP)) {
            scheme = HostTable.HTTP;
            from = HTTP.length;
        } else {
            return false;
        }
        bytes = url;
        int at = from;
        while (at < size && url[at] != '/') {
            at++;
        }
        length = at - from;
        rest = at;
        end = size;
        return true;
    }

    private static boolean startsWith(byte[] text, byte[] start) {
        for (int at = 0; at < start.length; at++) {
            if (text[at] != start[at]) {
                return false;
            }
        }
        return true;
    }

    /** Finds where path and query of an address begin; false if it does not begin as one. */
    boolean asAddress(Target target) {
        byte[] url = target.url;
        start = 0;
        end = target.urlLength;
        while (start < end && isSpace(url[start])) {
            start++;
        }
        while (end > start && isSpace(url[end - 1])) {
            end--;
        }
        if (startsWithName(url, start, "https:")) {
            scheme = HostTable.HTTPS;
            authority = afterSlashes(url, start + 6);
        } else if (startsWithName(url, start, "http:")) {
            scheme = HostTable.HTTP;
            authority = afterSlashes(url, start + 5);
        } else {
            return false;
        }
        rest = authority;
        while (rest < end && url[rest] != '/' && url[rest] != '\\' && url[rest] != '?' && url[rest] != '#') {
            rest++;
        }
        return true;
    }

    private boolean startsWithName(byte[] url, int from, String name) {
        for (int at = 0; at < name.length(); at++) {
            int c = from + at < end ? url[from + at] : 0;
            if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != name.charAt(at)) {
                return false;
            }
        }
        return true;
    }

    /** Reads a URL as the URL standard does; false if it names no site. */
    boolean asParsed(Target target) {
        if (!asAddress(target)) {
            return false;
        }
        byte[] url = target.url;
        for (int at = start; at < rest; at++) {
            // Parsers drop these, and other software does not.
            if (url[at] >= 0 && url[at] <= ' ') {
                return false;
            }
        }
        int host = authority;
        for (int at = authority; at < rest; at++) {
            host = url[at] == '@' ? at + 1 : host;
        }
        return authority(url, host);
    }

    private int afterSlashes(byte[] url, int from) {
        int at = from;
        while (at < end && (url[at] == '/' || url[at] == '\\')) {
            at++;
        }
        return at;
    }

    /** True for white space and control characters, which are no part of a URL at its ends. */
    static boolean isSpace(byte c) {
        return c >= 0 && c <= ' ';
    }

    private boolean authority(byte[] url, int start) {
        int colon = start;
        boolean inBrackets = false;
        while (colon < rest && (url[colon] != ':' || inBrackets)) {
            inBrackets = url[colon] == '[' || inBrackets && url[colon] != ']';
            colon++;
        }
        int port = port(url, colon + 1);
        String host = port < -1 ? null : Host.parse(java.util.Arrays.copyOfRange(url, start, colon));
        if (host == null) {
            return false;
        }
        host = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        for (String label : host.split("\\.", -1)) {
            if (label.isEmpty()) {
                return false;
            }
        }
        int byDefault = scheme == HostTable.HTTPS ? 443 : 80;
        String authority = port == -1 || port == byDefault ? host : host + ":" + port;
        bytes = authority.getBytes(StandardCharsets.ISO_8859_1);
        from = 0;
        length = bytes.length;
        return length <= 255;
    }

    /** The port up to {@link #rest}; -1 if there is none, -2 if it is no number below 65536. */
    private int port(byte[] url, int from) {
        int port = -1;
        for (int at = from; at < rest; at++) {
            int digit = url[at] - '0';
            if (digit < 0 || digit > 9) {
                return -2;
            }
            port = Math.max(port, 0) * 10 + digit;
            if (port > 65_535) {
                return -2;
            }
        }
        return port;
    }
}
