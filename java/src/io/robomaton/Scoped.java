package io.robomaton;

import java.util.ArrayList;
import java.util.List;

/**
 * Weighs the fields of a scoped set (SPEC.md section 5, "Weighing a scoped set"): the live level, the
 * conventional rule that joins, and the decision.
 *
 * <p>It allocates three sets of keys for each of fields and rules: few sites have fields. Damage throws.
 */
final class Scoped {
    /** The place of fields, closest first; the order of {@link #holds}. */
    private static final int ELEMENTS = 0;
    private static final int PAGE_FOR_PURPOSE = 1;
    private static final int PAGE = 2;
    private static final int SUB_RECORD = 3;
    private static final int RECORD = 4;

    private final Question question;
    private final Usage usage;
    private final ScopedList own;
    private final ScopedList rest;
    private final boolean isCut;
    private final List<ScopedList> named = new ArrayList<>();
    private final Scope scope;
    private final Matched fields;
    private final int silent;
    private final boolean robotsMayRefuse;

    // The live level: no holder, if no field matches on any.
    private int holder = -1;
    private boolean any;
    private boolean other;
    private int winner = -1;
    private boolean winnerPermits;
    private boolean incomplete;
    /** The decision of the fields alone, or null. */
    private Decision ofFields;

    Scoped(Question question, Usage usage, ScopedList own, long policyAt) {
        this.question = question;
        this.usage = usage;
        this.own = own;
        Policy policy = question.policy;
        Crawler crawler = question.crawler;
        boolean permits = own.permits && !usage.needsPermission()
                || (own.own || !crawler.namedOnly) && speaks();
        if (policy.outcome != null) {
            silent = question.withoutRules(policy.outcome, policy.status, usage);
            robotsMayRefuse = question.robotsMayRefuse(policy.outcome, policy.status);
        } else {
            robotsMayRefuse = false;
            silent = permits
                    ? Answer.of(Decision.ALLOWED, Basis.NO_RULE)
                    : Question.unspoken(usage, Basis.NO_RULE);
        }
        for (int number = 0; number < crawler.idCount(); number++) {
            int place = policy.find(crawler.id(number));
            long word = place < 0 ? 0 : policy.set(place);
            if (Policy.isList(word) && ScopedList.isScoped(question.shard, Policy.list(word))) {
                named.add(new ScopedList(question.shard, Policy.list(word)));
            }
        }
        ScopedList ofAny = own.rest < 0 ? null : new ScopedList(question.shard, own.rest);
        // A missing file that a record for any crawler refers to may name the crawler.
        isCut = own.incomplete || ofAny != null && ofAny.incomplete;
        rest = crawler.namedOnly ? null : ofAny;
        scope = new Scope(question.shard.scopes, own.scope);
        fields = new Matched(scope);
    }

    /** True if a conventional rule of the list is about the usage. */
    private boolean speaks() {
        for (int entry = 0; entry < own.count; entry++) {
            if (own.usage(entry) == usage.number && own.role(entry) == ScopedList.CONVENTIONAL) {
                return true;
            }
        }
        return false;
    }

    int answer() {
        Decision decision = weigh();
        boolean shut = Answer.decision(silent) == Decision.DISALLOWED;
        if (decision != null && !shut) {
            return Answer.incomplete(Answer.of(decision, Basis.FIELDS), incomplete);
        }
        return Answer.incomplete(silent, incomplete && !shut);
    }

    /** The decision of fields and rules, or null. */
    Decision weigh() {
        live(false, true);
        Matched rules = new Matched(scope);
        for (int entry = 0; entry < own.count && (own.own || !question.crawler.namedOnly); entry++) {
            long role = own.role(entry);
            boolean isRanked = role == ScopedList.CONVENTIONAL || role == ScopedList.PREFERENCE;
            if (isRanked && own.usage(entry) == usage.number) {
                question.collect(own.program(entry), rules);
            }
        }
        boolean isOfPage = holder >= 0 && holder < SUB_RECORD;
        boolean joins = !isOfPage;
        if (isOfPage && any && own.own && !rules.isEmpty()) {
            // A group that names the crawler overrides what a page says to all crawlers.
            fields.clear();
            live(false, false);
            joins = true;
        }
        winner = joins ? rules.winner(fields) : -1;
        if (holder < 0 && winner < 0) {
            live(true, true);
        }
        ofFields = holder < 0 ? null : fields.decide();
        if (winner >= 0) {
            winnerPermits = rules.permits.contains(winner);
            (winnerPermits ? fields.permits : fields.prohibits).insert(2 * scope.patternOf(winner));
        }
        incomplete = isCut || robotsMayRefuse && holder >= 0 && holder < SUB_RECORD;
        return fields.decide();
    }

    /** Finds the live level, and puts its fields into the sets. */
    private void live(boolean ofOther, boolean pages) {
        holder = -1;
        other = ofOther;
        boolean restHasPages = pages && rest != null && rest.hasPages();
        if (restHasPages && !question.terms.elements() && collect(rest, ELEMENTS)) {
            any = false;
            return;
        }
        for (int turn = 0; turn < 2; turn++) {
            any = turn == 1;
            for (int of = PAGE_FOR_PURPOSE; of <= PAGE && pages; of++) {
                if (any ? restHasPages && collect(rest, of) : collectNamed(of)) {
                    return;
                }
            }
            ScopedList list = any ? rest : own;
            for (int of = SUB_RECORD; of <= RECORD && list != null; of++) {
                if (collect(list, of)) {
                    return;
                }
            }
        }
        holder = -1;
    }

    private boolean collectNamed(int of) {
        for (ScopedList list : named) {
            if (list.hasPages()) {
                collect(list, of);
            }
        }
        holder = of;
        return !fields.isEmpty();
    }

    /** Runs the programs of one level; true if a field matches. */
    private boolean collect(ScopedList list, int of) {
        holder = of;
        for (int entry = 0; entry < list.count; entry++) {
            long purpose = list.purpose(entry);
            if (isWanted(list.usage(entry)) && holds(of, list.role(entry), purpose != 0) && isFor(purpose)) {
                question.collect(list.program(entry), fields);
            }
        }
        return !fields.isEmpty();
    }

    private boolean isWanted(long of) {
        if (other) {
            return of == Usage.OTHER;
        }
        return of == usage.number || usage.special && of == Usage.PRESENT;
    }

    /** True if fields of this role, with or without a purpose, belong to a place. */
    static boolean holds(int holder, long role, boolean forPurpose) {
        switch (holder) {
            case ELEMENTS:
                return role == ScopedList.ELEMENT;
            case PAGE_FOR_PURPOSE:
                return role == ScopedList.PAGE && forPurpose;
            case PAGE:
                return role == ScopedList.PAGE && !forPurpose;
            case SUB_RECORD:
                return role == ScopedList.FIELD && forPurpose;
            default:
                return role == ScopedList.FIELD && !forPurpose;
        }
    }

    private boolean isFor(long purpose) {
        if (purpose == 0) {
            return true;
        }
        byte[] pattern = ScopedList.purpose(question.shard, purpose - 1);
        return Pattern.matchesPurpose(pattern, usage.purpose);
    }

    // The account of a decision, after it was weighed.

    /** The decision of the fields alone, or null. */
    Decision ofFields() {
        return ofFields;
    }

    /** The decision of the conventional rules alone, or null. */
    Decision conventional() {
        return winner < 0 ? null : winnerPermits ? Decision.ALLOWED : Decision.DISALLOWED;
    }

    boolean hasLevel() {
        return holder >= 0;
    }

    /** True if the level addresses the crawler under any of its names. */
    boolean isOfPage() {
        return holder < SUB_RECORD;
    }

    /** True if the level addresses any crawler. */
    boolean isForAny() {
        return any || holder == ELEMENTS;
    }

    boolean holds(long role, boolean forPurpose) {
        return holds(holder, role, forPurpose);
    }

    boolean isOfOther() {
        return other;
    }

    /** True if a field of this key decides. */
    boolean decides(long key, boolean permits) {
        boolean isIn = permits
                ? fields.permits.contains(key) || fields.permitsIf.contains(key)
                : fields.prohibits.contains(key);
        return isIn && !fields.isBeaten((int) key);
    }

    /** The number of the conventional rule that decided, or -1. */
    int decidingRule(Decision decision) {
        boolean agrees = winner >= 0 && (decision != Decision.DISALLOWED) == winnerPermits;
        return agrees && !fields.isBeaten((int) (2 * scope.patternOf(winner))) ? winner : -1;
    }
}
