package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The cold records of a document, decoded (SPEC.md section 7): groups with their rules and lines,
 * extension records, names of usages.
 *
 * <p>Conditions, and statements about uses, stand behind these in a detail; this reader does not decode
 * them. Damage throws. It does not weigh rules.
 */
final class Detail {
    /** A rule. {@code usage} counts the standard usages, then those of the detail. */
    record Rule(long line, int usage, long priority, boolean permits, byte[] pattern) {}

    /** An extension record. */
    record Extension(long line, String key, String value) {}

    /** A group; {@code delays} are in milliseconds. */
    record Group(
            int role, List<String> crawlers, boolean isDefault, List<byte[]> purposes, Notation notation,
            List<Rule> rules, List<Extension> extensions, List<Long> delays) {
        boolean names(AgentRule rule, String name) {
            return crawlers.stream().anyMatch(value -> rule.names(value, name));
        }

        /** True for conventional rules of robots.txt, and its preferences. */
        boolean isRanked() {
            return role == 0 || role == 5;
        }

        /** True if its crawlers are names of the text: those in pages are not. */
        boolean namesCrawlers() {
            return isRanked() || role == 4;
        }
    }

    final List<Group> groups = new ArrayList<>();
    final List<Extension> extensions;
    final List<String> usages;

    private Detail(Postcard in) {
        for (long left = in.number(); left > 0; left--) {
            groups.add(group(in));
        }
        extensions = extensions(in);
        usages = strings(in);
    }

    static Detail read(byte[] bytes) {
        return new Detail(new Postcard(bytes));
    }

    /** The crawlers of a Meta: the image was narrowed to them. */
    static List<String> narrowed(byte[] meta) {
        Postcard in = new Postcard(meta);
        in.string();
        return strings(in);
    }

    /** Reads the wire format of postcard. */
    private static final class Postcard {
        private final byte[] bytes;
        private int at;

        Postcard(byte[] bytes) {
            this.bytes = bytes;
        }

        long number() {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                int octet = bytes[at++] & 0xFF;
                value |= (long) (octet & 0x7F) << shift;
                if (octet < 0x80) {
                    return value;
                }
            }
            throw Damage.FOUND;
        }

        int below(int limit) {
            long number = number();
            if (number < 0 || number >= limit) {
                throw Damage.FOUND;
            }
            return (int) number;
        }

        boolean bool() {
            int octet = bytes[at++];
            if (octet >>> 1 != 0) {
                throw Damage.FOUND;
            }
            return octet == 1;
        }

        byte[] run() {
            int length = below(bytes.length - at + 1);
            byte[] run = java.util.Arrays.copyOfRange(bytes, at, at + length);
            at += length;
            return run;
        }

        String string() {
            return new String(run(), StandardCharsets.UTF_8);
        }
    }

    private static List<String> strings(Postcard in) {
        List<String> strings = new ArrayList<>();
        for (long left = in.number(); left > 0; left--) {
            strings.add(in.string());
        }
        return strings;
    }

    private static List<Extension> extensions(Postcard in) {
        List<Extension> extensions = new ArrayList<>();
        for (long left = in.number(); left > 0; left--) {
            extensions.add(new Extension(in.number(), in.string(), in.string()));
        }
        return extensions;
    }

    private static Group group(Postcard in) {
        int role = in.below(6);
        List<String> crawlers = strings(in);
        boolean isDefault = in.bool();
        List<byte[]> purposes = new ArrayList<>();
        for (long left = in.number(); left > 0; left--) {
            purposes.add(in.run());
        }
        in.bool();
        in.below(1 << 16);
        Notation notation = Notation.of(in.below(4));
        List<Rule> rules = new ArrayList<>();
        for (long left = in.number(); left > 0; left--) {
            long line = in.number();
            int usage = in.below(1 << 16);
            long priority = in.number();
            boolean permits = in.bool();
            in.number();
            rules.add(new Rule(line, usage, priority, permits, in.run()));
        }
        List<Extension> extensions = extensions(in);
        return new Group(role, crawlers, isDefault, purposes, notation, rules, extensions, delays(in));
    }

    /** The delays of a schedule; its rates, windows and comments are passed over. */
    private static List<Long> delays(Postcard in) {
        List<Long> delays = new ArrayList<>();
        if (!in.bool()) {
            return delays;
        }
        for (long left = in.number(); left > 0; left--) {
            delays.add(in.number());
        }
        for (long left = in.number(); left > 0; left--) {
            in.number();
            in.number();
            if (in.bool()) {
                in.number();
                in.number();
            }
        }
        for (long left = in.number(); left > 0; left--) {
            in.number();
            in.number();
        }
        strings(in);
        return delays;
    }

    /** The first of the names that any group of the text has, or null (R5). */
    String nameOf(AgentRule rule, List<String> names) {
        for (String name : names) {
            for (Group group : groups) {
                if (group.namesCrawlers() && group.names(rule, name)) {
                    return name;
                }
            }
        }
        return null;
    }

    /** The conventional groups that apply to a crawler with these names, by number (R5 to R7, K9). */
    List<Integer> groupsOf(AgentRule rule, List<String> names, boolean namedOnly) {
        String name = nameOf(rule, names);
        List<Integer> own = new ArrayList<>();
        List<Integer> others = new ArrayList<>();
        for (int number = 0; number < groups.size(); number++) {
            Group group = groups.get(number);
            if (!group.isRanked()) {
                continue;
            }
            if (name != null && group.names(rule, name)) {
                own.add(number);
            }
            if (group.isDefault) {
                others.add(number);
            }
        }
        List<Integer> found = own.isEmpty() ? others : own;
        if (rule == AgentRule.SUBSTRING && found.size() > 1) {
            found = found.subList(0, 1);
        }
        if (!namedOnly) {
            return found;
        }
        List<Integer> named = new ArrayList<>(found);
        named.removeIf(number -> names.stream().noneMatch(of -> groups.get(number).names(rule, of)));
        return named;
    }
}
