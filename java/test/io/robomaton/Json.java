package io.robomaton;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one JSON value: maps, lists, strings, doubles, booleans and null. For the tests alone. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String line) {
        return (Map<String, Object>) new Json(line).value();
    }

    private char peek() {
        while (text.charAt(at) == ' ') {
            at++;
        }
        return text.charAt(at);
    }

    private Object value() {
        switch (peek()) {
            case '{':
                return map();
            case '[':
                return list();
            case '"':
                return string();
            case 't':
                at += 4;
                return true;
            case 'f':
                at += 5;
                return false;
            case 'n':
                at += 4;
                return null;
            default:
                int start = at;
                while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
                    at++;
                }
                return Double.valueOf(text.substring(start, at));
        }
    }

    private boolean ends(char end) {
        boolean ends = peek() == end;
        at += ends || text.charAt(at) == ',' || text.charAt(at) == ':' ? 1 : 0;
        return ends;
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        while (!ends('}')) {
            peek();
            String key = string();
            ends(':');
            map.put(key, value());
        }
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        at++;
        while (!ends(']')) {
            list.add(value());
        }
        return list;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char c = text.charAt(at);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            c = text.charAt(++at);
            if (c == 'u') {
                out.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                int escape = "bfnrt".indexOf(c);
                out.append(escape < 0 ? c : "\b\f\n\r\t".charAt(escape));
            }
        }
        at++;
        return out.toString();
    }
}
