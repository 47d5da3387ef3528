package io.robomaton;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Weighs the statements of the cold records, one by one (SPEC.md section 7, "Weighing statements"): for
 * answers that depend on the time, and to explain an answer. It decodes and allocates; the programs of
 * an image give the same effects where no time counts ({@link Preferences}).
 */
final class Statements {
    // Effects of statements; the first four are the effects of answers.
    static final int REFUSED = 0;
    static final int UNREAD = 1;
    static final int CONDITIONAL = 2;
    static final int PERMITTED = 3;
    static final int UNSTATED = 4;
    private static final int CLOSED = 5;
    static final int SUPERSEDES = 6;
    static final int DATED = 7;
    private static final int ELEMENT = 6;
    private static final Set<Integer> TIES_PERMIT = Set.of(3, 6);

    /** A statement that matches. */
    static final class Finding {
        final int source;
        final int group;
        final Detail.Statement statement;
        final Detail.Record record;
        /** What it says, at the time of the question. */
        int effect;
        boolean isInForce;

        private Finding(int source, int group, Detail.Statement statement, Detail.Record record) {
            this.source = source;
            this.group = group;
            this.statement = statement;
            this.record = record;
            effect = statement.effect();
        }

        /** The effect on an answer, as a bit; 0 if it has none. */
        int bit() {
            return isInForce ? Statements.bit(effect) : 0;
        }
    }

    private Statements() {}

    /** The effect of an answer, as a bit of {@link Preferences}. */
    static int bit(int effect) {
        return effect == CLOSED ? 1 << REFUSED : effect <= PERMITTED ? 1 << effect : 0;
    }

    static int effects(List<Finding> findings) {
        int effects = 0;
        for (Finding finding : findings) {
            effects |= finding.bit();
        }
        return effects;
    }

    /**
     * The statements about a usage that match the target of a question; {@code isClosed} says that the
     * crawler may not fetch it.
     */
    static List<Finding> find(Question question, Detail detail, int usage, boolean isClosed) {
        List<Finding> findings = new ArrayList<>();
        for (int source = 0; source < detail.sources.size(); source++) {
            findIn(question, detail.sources.get(source), source, usage, findings);
        }
        Map<Integer, List<Finding>> sets = new TreeMap<>();
        findings.forEach(of -> sets.computeIfAbsent(of.statement.set(), set -> new ArrayList<>()).add(of));
        for (List<Finding> set : sets.values()) {
            weigh(set, isClosed);
        }
        long[] superseding = new long[Detail.LANGUAGES];
        Arrays.fill(superseding, Long.MAX_VALUE);
        for (Finding finding : findings) {
            if (finding.statement.effect() == SUPERSEDES) {
                int language = finding.record.language();
                superseding[language] = Math.min(superseding[language], finding.source);
            }
        }
        for (Finding finding : findings) {
            finding.isInForce &= superseding[finding.record.language()] >= finding.source;
        }
        if (question.terms.now() != Terms.NO_TIME) {
            date(detail, findings, question.terms.now());
        }
        return findings;
    }

    private static void findIn(
            Question question, Detail.Source source, int number, int usage, List<Finding> findings) {
        byte[] target = question.target.bytes(Notation.REP);
        int length = question.target.length(Notation.REP);
        List<Integer> chosen = groups(source, question.crawler);
        // The languages of any chosen group, and those of more than one.
        int once = 0;
        int twice = 0;
        for (int group : chosen) {
            int languages = languages(source.groups().get(group));
            twice |= once & languages;
            once |= languages;
        }
        for (int group : chosen) {
            Detail.Preferences of = source.groups().get(group);
            int others = once & ~languages(of) | twice;
            for (Detail.Statement statement : of.statements()) {
                if (statement.usage() != usage || statement.record() >= of.records().size()) {
                    continue;
                }
                Detail.Record record = of.records().get((int) statement.record());
                boolean counts = !(of.fallback() && (others >> record.language() & 1) != 0)
                        && !(question.terms.elements() && record.carrier() == ELEMENT);
                if (counts && Pattern.matches(record.pattern(), Notation.REP, target, length)) {
                    findings.add(new Finding(number, group, statement, record));
                }
            }
        }
    }

    /** The groups that apply to a crawler, those of the fallback last. */
    private static List<Integer> groups(Detail.Source source, Crawler crawler) {
        List<Detail.Preferences> groups = source.groups();
        Set<String> values = groups.stream().flatMap(of -> of.crawlers().stream()).collect(Collectors.toSet());
        // No group has any other of the names, of which there may be many.
        List<String> names = crawler.lookupNames(values).stream().filter(values::contains).toList();
        List<Integer> chosen = new ArrayList<>();
        if (source.additive()) {
            for (int number = 0; number < groups.size(); number++) {
                Detail.Preferences group = groups.get(number);
                boolean isNamed = names.stream().anyMatch(group.crawlers()::contains);
                if (isNamed || group.isDefault()) {
                    chosen.add(number);
                }
            }
        } else {
            boolean isFound = false;
            for (int name = 0; name < names.size() && !isFound; name++) {
                for (int number = 0; number < groups.size(); number++) {
                    Detail.Preferences group = groups.get(number);
                    if (group.crawlers().contains(names.get(name))) {
                        isFound = true;
                        // The names of a fallback have the default groups.
                        if (!group.fallback()) {
                            chosen.add(number);
                        }
                    }
                }
            }
            boolean isNamed = !chosen.isEmpty() || crawler.namedOnly;
            for (int number = 0; number < groups.size() && !isNamed; number++) {
                if (groups.get(number).isDefault()) {
                    chosen.add(number);
                }
            }
        }
        for (int number = 0; number < groups.size(); number++) {
            if (groups.get(number).fallback()) {
                chosen.add(number);
            }
        }
        return chosen;
    }

    /** The languages that a group has a record in, as bits. */
    private static int languages(Detail.Preferences group) {
        int languages = 0;
        for (Detail.Record record : group.records()) {
            languages |= 1 << record.language();
        }
        return languages;
    }

    /** Finds which statements of one set are in force. */
    private static void weigh(List<Finding> set, boolean isClosed) {
        long highest = 0;
        boolean isAlone = true;
        for (Finding finding : set) {
            highest = Math.max(highest, finding.statement.rank());
            isAlone &= finding.effect == CLOSED;
        }
        int language = set.get(0).record.language();
        int best = Integer.MAX_VALUE;
        for (Finding finding : set) {
            if (finding.statement.rank() == highest) {
                boolean wins = TIES_PERMIT.contains(language) && finding.effect == PERMITTED;
                best = wins || best == -1 ? -1 : Math.min(best, finding.effect);
            }
        }
        boolean ofRobots = set.get(0).record.carrier() == 0;
        for (Finding finding : set) {
            boolean isBest = finding.effect == (best == -1 ? PERMITTED : best);
            boolean isBarred = isClosed && Preferences.needsCrawl(ofRobots, language, bit(finding.effect));
            finding.isInForce = finding.statement.rank() == highest
                    && isBest
                    && !(finding.effect == CLOSED && isAlone)
                    && !isBarred;
        }
    }

    /** What the statements in force say at a time. */
    private static void date(Detail detail, List<Finding> findings, long now) {
        Set<Integer> ended = new HashSet<>();
        for (Finding finding : findings) {
            if (!finding.isInForce) {
                continue;
            }
            int file = finding.record.file();
            long end = file > 0 && file <= detail.ends.size() ? detail.ends.get(file - 1) : 0;
            boolean isEnded = finding.effect == CONDITIONAL
                    && detail.conditions(finding.statement.conditions()).stream().anyMatch(of -> of.hasEnded(now));
            boolean mayEnd = finding.effect != UNSTATED && finding.effect != SUPERSEDES;
            if (isEnded) {
                finding.effect = REFUSED;
                ended.add(finding.statement.set());
            } else if (mayEnd && end != 0 && Long.compareUnsigned(now, end) >= 0) {
                finding.effect = UNREAD;
            }
        }
        // Of effects of equal rank, the strictest is in force.
        for (Finding finding : findings) {
            finding.isInForce &= finding.effect != CONDITIONAL || !ended.contains(finding.statement.set());
        }
    }

    /** The conditions of the statements in force. */
    static List<Condition> conditions(Detail detail, List<Finding> findings) {
        List<Condition> conditions = new ArrayList<>();
        Map<List<Integer>, List<Condition>> licenses = new HashMap<>();
        for (Finding finding : findings) {
            if (!finding.isInForce || finding.effect != CONDITIONAL) {
                continue;
            }
            List<Integer> set = List.of(finding.statement.usage(), finding.statement.set());
            for (Condition condition : detail.conditions(finding.statement.conditions())) {
                if (condition.isLicense()) {
                    licenses.computeIfAbsent(set, of -> new ArrayList<>()).add(condition);
                } else {
                    conditions.add(condition);
                }
            }
        }
        licenses.values().forEach(alternatives -> conditions.add(Condition.anyOf(alternatives)));
        return Condition.sorted(conditions, true);
    }
}
