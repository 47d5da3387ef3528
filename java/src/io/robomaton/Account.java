package io.robomaton;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How an answer came about: the rules that decided, and the statements about the use that match, those
 * that decide first. {@link Explanation} finds the rules.
 *
 * @param terms the conditions of the statements in force
 */
record Account(OfRules found, List<Statement> statements, List<Condition> terms) {
    static final Account NONE = new Account(OfRules.NONE, List.of(), List.of());

    /**
     * What rules and fields say.
     *
     * @param rules those that decided, in file order
     * @param fields the decision of the fields alone, or null
     * @param conventional the decision of the conventional rules alone, or null
     */
    record OfRules(List<Rule> rules, Decision fields, Decision conventional) {
        static final OfRules NONE = new OfRules(List.of(), null, null);
    }

    private static final List<String> LANGUAGES = List.of(
            "aipref", "content-signals", "ai-training", "control-token", "rsl", "tdmrep", "ai-txt", "robots-meta",
            "rep");
    private static final List<String> CARRIERS =
            List.of("robots", "header", "page", "tdmrep", "rsl", "ai-txt", "page");
    private static final List<String> EFFECTS = List.of(
            "disallowed", "unread", "conditional", "allowed", "unstated", "disallowed", "unstated", "unstated");

    /** The conditions of the rules that decided and of the statements in force. */
    List<Condition> conditions() {
        List<Condition> conditions = new ArrayList<>(terms);
        found.rules.forEach(rule -> conditions.addAll(rule.conditions()));
        return Condition.sorted(conditions, false);
    }

    /** The account of an answer about a use. */
    static Account ofPreferences(Question question, Detail detail, Usage usage, List<String> usages) {
        boolean isClosed = Answer.decision(question.ofRules(usage.crawl())) == Decision.DISALLOWED;
        List<Statements.Finding> findings =
                new ArrayList<>(Statements.find(question, detail, usage.statedAs(), isClosed));
        int own = Preferences.effectsOf(Answer.decision(question.ofRules(usage))) | Statements.effects(findings);
        int count = findings.size();
        List<Usage> spoken = new ArrayList<>(List.of(usage));
        for (int part : usage.parts()) {
            findings.addAll(Statements.find(question, detail, part, isClosed));
            if (usage.number != Usage.PRESENT) {
                spoken.add(usage.part(part));
            }
        }
        int ofParts = Statements.effects(findings.subList(count, findings.size()));
        for (Usage part : spoken.subList(1, spoken.size())) {
            ofParts |= Preferences.effectsOf(Answer.decision(question.ofRules(part)));
        }
        int effects = Preferences.withParts(own, ofParts);
        List<Rule> rules = new ArrayList<>();
        for (Usage of : spoken) {
            int answer = question.ofRules(of);
            // A part never permits the whole.
            boolean permitsPart = Answer.decision(answer) == Decision.ALLOWED && of != usage;
            if (Answer.decision(answer) == Preferences.decision(effects) && !permitsPart) {
                rules.addAll(Explanation.rules(question, detail, of, usages, Answer.basis(answer)).rules);
            }
        }
        List<Statement> statements = statements(detail, findings, usage, effects);
        return new Account(new OfRules(rules, null, null), statements, Statements.conditions(detail, findings));
    }

    /** A finding, and what is said of it. */
    private record WeighedStatement(Statements.Finding finding, int effect, boolean decides) {
        boolean isBeaten() {
            return !finding.isInForce;
        }
    }

    /**
     * What each record says about each usage. A record may have statements in several sets, some of which
     * only take part in the weighing; the one that counts most is kept.
     */
    private static List<Statement> statements(
            Detail detail, List<Statements.Finding> findings, Usage usage, int effects) {
        List<WeighedStatement> told = new ArrayList<>();
        for (Statements.Finding finding : findings) {
            int effect = finding.isInForce ? finding.effect : finding.statement.effect();
            boolean isOfPart = finding.statement.usage() != usage.statedAs();
            boolean decides = (finding.bit() & Integer.lowestOneBit(effects)) != 0
                    && !(isOfPart && effect == Statements.PERMITTED);
            // A document that is up to date, and a page whose own documents count, have nothing to add.
            if (effect != Statements.DATED && effect != Statements.SUPERSEDES) {
                told.add(new WeighedStatement(finding, effect, decides));
            }
        }
        Comparator<WeighedStatement> first = Comparator.comparing(of -> !of.decides);
        told.sort(first.thenComparing(of -> of.effect == Statements.UNSTATED).thenComparing(WeighedStatement::isBeaten));
        Map<List<Long>, Integer> sets = new HashMap<>();
        told.removeIf(of -> {
            Statements.Finding finding = of.finding;
            List<Long> record = List.of((long) finding.source, (long) finding.group,
                    finding.statement.record(), (long) finding.statement.usage());
            Integer set = sets.putIfAbsent(record, finding.statement.set());
            return set != null && set != finding.statement.set();
        });
        told.sort(first.thenComparing(WeighedStatement::isBeaten).thenComparing(of -> of.effect));
        return told.stream().map(of -> statement(detail, of)).toList();
    }

    private static Statement statement(Detail detail, WeighedStatement told) {
        Detail.Record record = told.finding.record;
        String fate = told.isBeaten() ? "beaten" : told.decides ? "decides" : "stands";
        return new Statement(
                LANGUAGES.get(record.language()), CARRIERS.get(record.carrier()), record.line(), detail.file(record.file()),
                Usage.name(told.finding.statement.usage()), EFFECTS.get(told.effect), fate, record.text(),
                detail.conditions(told.finding.statement.conditions()));
    }
}
