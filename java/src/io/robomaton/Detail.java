package io.robomaton;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The cold records of a document, decoded (SPEC.md section 7): groups with their rules and lines,
 * extension records, conditions, schedules, and statements about uses. Damage throws.
 *
 * <p>It does not weigh rules.
 */
final class Detail {
    /** Roles of groups. Number 3 is none. */
    static final int CONVENTIONAL = 0;
    static final int ELEMENT = 1;
    static final int PAGE = 2;
    static final int FIELD = 4;
    private static final int PREFERENCE = 5;
    private static final int NOTATIONS = 4;
    static final int LANGUAGES = 9;
    private static final int CARRIERS = 7;
    private static final int EFFECTS = 8;

    /**
     * A rule. {@code usage} counts the standard usages, then those of the detail; {@code conditions}, like
     * those of a statement, is a place in {@link Detail#conditions}, from 1.
     */
    record Rule(long line, int usage, long priority, boolean permits, long conditions, byte[] pattern) {}

    /** An extension record. */
    record Extension(long line, String key, String value) {}

    /** A group. */
    record Group(
            int role, List<String> crawlers, boolean isDefault, List<byte[]> purposes, int file, Notation notation,
            List<Rule> rules, List<Extension> extensions, Schedule schedule) {
        boolean names(AgentRule rule, String name) {
            return crawlers.stream().anyMatch(value -> rule.names(value, name));
        }

        /** True for conventional rules of robots.txt, and its preferences. */
        boolean isRanked() {
            return role == CONVENTIONAL || role == PREFERENCE;
        }

        boolean isOfPage() {
            return role == ELEMENT || role == PAGE;
        }
    }

    /** The statements that share one way of choosing groups. */
    record Source(boolean additive, List<Preferences> groups) {}

    /** A group of a source. */
    record Preferences(
            List<String> crawlers, boolean isDefault, boolean fallback, List<Record> records,
            List<Statement> statements) {}

    /** A line, header field, tag or rule that makes statements; {@code file} is a place from 1, or 0. */
    record Record(int language, int carrier, long line, int file, byte[] pattern, String text) {}

    /** What a record of its group says about one usage. */
    record Statement(long record, int usage, int set, long rank, int effect, long conditions) {}

    final List<Group> groups;
    final List<Extension> extensions;
    final List<String> usages;
    final List<List<Condition>> conditions;
    final List<String> files;
    /** For each of the files, the time from which it is out of date, or 0; empty if none ever is. */
    final List<Long> ends;
    final List<Source> sources;

    private Detail(Postcard in) {
        groups = in.list(Detail::group);
        extensions = in.list(Detail::extension);
        usages = in.strings();
        conditions = in.list(set -> set.list(Condition::read));
        files = in.strings();
        ends = in.list(Postcard::u64);
        sources = in.list(source -> new Source(source.bool(), source.list(Detail::preferences)));
    }

    static Detail read(byte[] bytes) {
        Postcard in = new Postcard(bytes);
        Detail detail = new Detail(in);
        if (!in.isAtEnd()) {
            throw Damage.FOUND;
        }
        return detail;
    }

    private static Extension extension(Postcard in) {
        return new Extension(in.u32(), in.string(), in.string());
    }

    private static Group group(Postcard in) {
        int role = role(in);
        List<String> crawlers = in.strings();
        boolean isDefault = in.bool();
        List<byte[]> purposes = in.list(Postcard::run);
        // That a file is missing stands in the hot records, too.
        in.bool();
        int file = in.u16();
        Notation notation = Notation.of(in.below(NOTATIONS));
        List<Rule> rules = in.list(
                rule -> new Rule(rule.u32(), rule.u16(), rule.u32(), rule.bool(), rule.u32(), rule.run()));
        List<Extension> extensions = in.list(Detail::extension);
        Schedule schedule = in.bool() ? Schedule.read(in) : Schedule.NONE;
        return new Group(role, crawlers, isDefault, purposes, file, notation, rules, extensions, schedule);
    }

    private static int role(Postcard in) {
        int role = in.below(PREFERENCE + 1);
        if (!ScopedList.isRole(role)) {
            throw Damage.FOUND;
        }
        return role;
    }

    private static Preferences preferences(Postcard in) {
        return new Preferences(
                in.strings(), in.bool(), in.bool(), in.list(Detail::record), in.list(Detail::statement));
    }

    private static Record record(Postcard in) {
        return new Record(in.below(LANGUAGES), in.below(CARRIERS), in.u32(), in.u16(), in.run(), in.string());
    }

    private static Statement statement(Postcard in) {
        return new Statement(in.u32(), in.u16(), in.u16(), in.u32(), in.below(EFFECTS), in.u32());
    }

    /** The conditions in a place from 1; none for 0, and for a place that does not exist. */
    List<Condition> conditions(long place) {
        return place > 0 && place <= conditions.size() ? conditions.get((int) place - 1) : List.of();
    }

    /** The file in a place from 1; null for 0, and for a place that does not exist. */
    String file(int place) {
        return place > 0 && place <= files.size() ? files.get(place - 1) : null;
    }

    /** The name of a usage by the number that rules have. */
    String usage(int number) {
        int own = number - Usage.STANDARD;
        return own < 0 ? Usage.NAMES.get(number) : own < usages.size() ? usages.get(own) : "?";
    }

    /** The first of the names that any group of the text has, or null (R5). Names in pages do not count. */
    String nameOf(AgentRule rule, List<String> names) {
        if (rule == AgentRule.SUBSTRING) {
            for (String name : names) {
                if (groups.stream().anyMatch(group -> !group.isOfPage() && group.names(rule, name))) {
                    return name;
                }
            }
            return null;
        }
        // Names that are compared whole: a header may have as many as there are groups.
        Set<String> values = new HashSet<>();
        for (Group group : groups) {
            if (!group.isOfPage()) {
                group.crawlers().forEach(value -> values.add(Names.lower(value)));
            }
        }
        for (String name : names) {
            if (values.contains(Names.lower(name))) {
                return name;
            }
        }
        return null;
    }

    /** The lengths of the general names that groups have. */
    long generalLengths() {
        long lengths = 0;
        for (Group group : groups) {
            lengths |= LookupNames.lengths(group.crawlers());
        }
        return lengths;
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
        if (rule == AgentRule.SUBSTRING) {
            named.removeIf(number -> names.stream().noneMatch(of -> groups.get(number).names(rule, of)));
            return named;
        }
        Set<String> wanted = names.stream().map(Names::lower).collect(Collectors.toSet());
        named.removeIf(number -> groups.get(number).crawlers().stream().map(Names::lower).noneMatch(wanted::contains));
        return named;
    }
}
