package io.robomaton;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the rules that decided, in the cold records (SPEC.md section 7). It decodes a whole document and
 * matches naively. It does not weigh rules itself.
 */
final class Explanation {
    private Explanation() {}

    static Account of(
            Site site, Crawler crawler, Usage of, String url, Basis basis, Decision decision) {
        Usage usage = site.own(of);
        boolean hasNone = basis == Basis.NARROWED || basis == Basis.DAMAGED
                || usage.isCrawl() && basis != Basis.RULE && basis != Basis.FIELDS;
        Detail detail = hasNone ? null : site.detail();
        if (detail == null) {
            return Account.NONE;
        }
        Question question = site.question(crawler, url);
        try {
            List<String> usages = site.usageNames();
            Account.OfRules found = rules(question, detail, usage, usages, basis);
            if (usage.isCrawl()) {
                return new Account(found, List.of(), List.of());
            }
            // Statements that agree with the rules add their conditions, and so do rules about parts.
            Account account = Account.ofPreferences(question, detail, usage, usages);
            if (found == Account.OfRules.NONE) {
                return account;
            }
            List<Condition> terms = new ArrayList<>(account.terms());
            if (decision == Decision.CONDITIONAL) {
                account.found().rules().forEach(rule -> terms.addAll(rule.conditions()));
            }
            return new Account(found, account.statements(), terms);
        } catch (Damage | IndexOutOfBoundsException damage) {
            return Account.NONE;
        } finally {
            question.release();
        }
    }

    /** The rules that decided, of an answer of rules and fields on this basis. */
    static Account.OfRules rules(
            Question question, Detail detail, Usage usage, List<String> usages, Basis basis) {
        switch (basis) {
            case RULE:
                return ofRule(question, detail, usage);
            case FIELDS:
                return ofFields(question, detail, usage, usages);
            default:
                return Account.OfRules.NONE;
        }
    }

    private static boolean matches(Question question, Detail.Group group, Detail.Rule rule) {
        byte[] target = question.target.bytes(group.notation());
        return Pattern.matches(rule.pattern(), group.notation(), target, question.target.length(group.notation()));
    }

    /** The first rule in the file with the highest priority of all that match. */
    private static Account.OfRules ofRule(Question question, Detail detail, Usage usage) {
        Crawler crawler = question.crawler;
        AgentRule rule = question.profile.agentRule;
        Detail.Rule best = null;
        Detail.Group ofBest = null;
        for (int number : detail.groupsOf(rule, crawler.lookupFor(rule, detail), crawler.namedOnly)) {
            Detail.Group group = detail.groups.get(number);
            for (Detail.Rule of : group.rules()) {
                boolean isBetter = best == null || of.priority() > best.priority();
                if (of.usage() == usage.number && isBetter && matches(question, group, of)) {
                    best = of;
                    ofBest = group;
                }
            }
        }
        if (best == null) {
            return Account.OfRules.NONE;
        }
        Decision conventional = best.permits() ? Decision.ALLOWED : Decision.DISALLOWED;
        return new Account.OfRules(List.of(Rule.of(detail, ofBest, best)), null, conventional);
    }

    /** The fields that decided, and the conventional rule that did with them. */
    private static Account.OfRules ofFields(
            Question question, Detail detail, Usage usage, List<String> usages) {
        int entry = question.shard.hosts.entry(question.place);
        question.policy.read(question.shard.policies, entry & 0x3FFF_FFFF);
        long set = question.crawler.set(question.shard, question.policy);
        ScopedList list = new ScopedList(question.shard, Policy.list(set));
        Scoped scoped = new Scoped(question, usage, list, entry & 0x3FFF_FFFFL);
        Decision decision = scoped.weigh();
        if (decision == null) {
            return Account.OfRules.NONE;
        }
        boolean permits = decision != Decision.DISALLOWED;
        AgentRule rule = question.profile.agentRule;
        Crawler crawler = question.crawler;
        List<String> names = crawler.lookupFor(rule, detail);
        String name = detail.nameOf(rule, names);
        List<Integer> conventional = detail.groupsOf(rule, names, crawler.namedOnly);
        String asked = usage.number >= 0 && usage.number < usages.size() ? usages.get(usage.number) : null;
        int winner = scoped.decidingRule(decision);
        List<Rule> deciders = new ArrayList<>();
        for (int number = 0; number < detail.groups.size(); number++) {
            Detail.Group group = detail.groups.get(number);
            boolean answers = group.isRanked()
                    ? conventional.contains(number)
                    : scoped.hasLevel() && isOfLevel(scoped, group, name, crawler, usage);
            for (Detail.Rule of : group.rules()) {
                if (!answers || of.permits() != permits) {
                    continue;
                }
                long key = (of.priority() >> 3) - 1;
                String about = detail.usage(of.usage());
                boolean decides = group.isRanked()
                        ? winner >= 0 && winner == key && about.equals(asked)
                        : key >= 0 && scoped.decides(key, permits) && isAsked(scoped, usage, asked, about);
                if (decides && matches(question, group, of)) {
                    // Of several equivalent conventional rules, the first one counts.
                    winner = group.isRanked() ? -1 : winner;
                    deciders.add(Rule.of(detail, group, of));
                }
            }
        }
        return new Account.OfRules(deciders, scoped.ofFields(), scoped.conventional());
    }

    private static boolean isOfLevel(
            Scoped scoped, Detail.Group group, String name, Crawler crawler, Usage usage) {
        List<byte[]> purposes = group.purposes();
        boolean isFor = purposes.isEmpty()
                || purposes.stream().anyMatch(purpose -> Pattern.matchesPurpose(purpose, usage.purpose));
        // A page may name the crawler as a whole, with its version or in several words.
        boolean named = scoped.isOfPage()
                ? crawler.lookupNames(group.crawlers()).stream().anyMatch(group.crawlers()::contains)
                : name != null && group.crawlers().contains(name);
        boolean addressed = scoped.isForAny() ? group.isDefault() : named;
        return addressed && isFor && scoped.holds(group.role(), !purposes.isEmpty());
    }

    private static boolean isAsked(Scoped scoped, Usage usage, String asked, String about) {
        if (scoped.isOfOther()) {
            return about.equals("other");
        }
        return about.equals(asked) || usage.special && about.equals("present");
    }
}
