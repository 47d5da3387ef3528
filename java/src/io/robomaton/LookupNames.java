package io.robomaton;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The names under which groups are looked for, best first (SPEC.md section 8, "Agent rules").
 *
 * <p>A word has up to 64 general names, and a header as many words as its sender likes. So general names
 * are made only in the lengths that those have with which they are compared. It does not know groups.
 */
final class LookupNames {
    /** Longer names are compared whole. */
    static final int MAX_GENERAL_NAME = 64;
    /** The set of all lengths: bit {@code n - 1} stands for general names of {@code n} bytes and a star. */
    static final long ALL = -1;

    /** The whole names and the reduced ones. */
    private final List<String> names = new ArrayList<>();
    /** The places of names that their general names follow. */
    private final BitSet general = new BitSet();

    void add(String name) {
        names.add(name);
    }

    /** Adds a name and its general names, the longest first. */
    void addWithGeneral(String name) {
        general.set(names.size());
        names.add(name);
    }

    /** The highest number of names. */
    long size() {
        return names.size() + (long) MAX_GENERAL_NAME * general.cardinality();
    }

    /** The names, without general names of other lengths than these. */
    List<String> in(long lengths) {
        if (lengths == 0) {
            return names;
        }
        List<String> all = new ArrayList<>();
        for (int place = 0; place < names.size(); place++) {
            all.add(names.get(place));
            if (general.get(place)) {
                addGeneral(names.get(place), lengths, all);
            }
        }
        return all;
    }

    private static void addGeneral(String name, long lengths, List<String> all) {
        int[] ends = new int[MAX_GENERAL_NAME];
        int count = 0;
        int bytes = 0;
        for (int at = 0; at < name.length();) {
            int character = name.codePointAt(at);
            at += Character.charCount(character);
            bytes += utf8Length(character);
            if (bytes > MAX_GENERAL_NAME) {
                break;
            }
            if ((lengths >> bytes - 1 & 1) != 0) {
                ends[count++] = at;
            }
        }
        while (count > 0) {
            all.add(name.substring(0, ends[--count]) + "*");
        }
    }

    private static int utf8Length(int character) {
        return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    }

    /** The lengths of the general names among the names of groups. */
    static long lengths(Iterable<String> values) {
        long lengths = 0;
        for (String value : values) {
            if (value.endsWith("*")) {
                lengths |= length(value.codePoints().mapToLong(LookupNames::utf8Length).sum());
            }
        }
        return lengths;
    }

    /** The length of a name in bytes as a set; the empty set if it is no general one. */
    static long length(byte[] name) {
        return name.length > 0 && name[name.length - 1] == '*' ? length(name.length) : 0;
    }

    private static long length(long bytes) {
        return bytes > 1 && bytes <= MAX_GENERAL_NAME + 1 ? 1L << bytes - 2 : 0;
    }
}
