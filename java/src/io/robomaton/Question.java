package io.robomaton;

import java.nio.ByteBuffer;

/**
 * A question to one site, and the space to answer it: each thread keeps one, so that questions
 * allocate nothing. It answers by rules and fields ({@link #ofRules}); {@link Preferences} adds the
 * statements about uses. Damage throws.
 */
final class Question {
    final Target target = new Target();
    final Policy policy = new Policy();
    final Policy preference = new Policy();
    Shard shard;
    long place;
    Profile profile;
    boolean isDocument;
    Terms terms;
    Crawler crawler;

    /** What silence means in the program that was run last: true if it says nothing. */
    private boolean silenceIsUnknown;

    /** Asks a site, or another document of it. */
    void at(Shard of, long site, boolean document, Terms on, Crawler by) {
        shard = of;
        place = site;
        isDocument = document;
        profile = document ? Profile.KOSTER : of.layout.profile;
        terms = on;
        crawler = by;
    }

    /**
     * Forgets the image: a thread outlives it, and what it keeps stays mapped. Each question ends with this,
     * also where an exception leaves.
     */
    void release() {
        shard = null;
        terms = null;
        crawler = null;
        policy.release();
        preference.release();
        target.walk.release();
    }

    /** The answer of everything that speaks of the usage. */
    int answer(Usage usage) {
        try {
            return usage.isCrawl() ? ofRules(usage) : new Preferences(this, usage).answer();
        } catch (Damage | IndexOutOfBoundsException damage) {
            return Answer.DAMAGED;
        }
    }

    /** The answer of rules and fields (SPEC.md section 5, "The answer of rules"). */
    int ofRules(Usage usage) {
        if (usage.isCrawl() && profile.allowsRobotsTxt() && target.isRobotsTxt(profile.notation)) {
            return Answer.of(Decision.ALLOWED, Basis.ROBOTS_TXT);
        }
        if (!crawler.isHeld(profile.agentRule)) {
            return Answer.of(Decision.UNKNOWN, Basis.NARROWED);
        }
        int entry = shard.hosts.entry(place);
        switch (entry >>> 30) {
            case 2:
                policy.read(shard.policies, entry & 0x3FFF_FFFF);
                return inPolicy(usage, entry & 0x3FFF_FFFFL);
            case 3:
                return withoutRules(outcome(entry), entry & 0xFFFF, usage);
            default:
                if (crawler.namedOnly) {
                    return unspoken(usage, Basis.NO_GROUP);
                }
                return ofProgram(usage, entry);
        }
    }

    /** The answer of a word that is a program, which is about crawling alone. */
    private int ofProgram(Usage usage, long program) {
        // Whatever the usage, a word that leads outside the section is damage.
        shard.programs.piece(program);
        return usage.isCrawl() ? ranked(best(program)) : unspoken(usage, Basis.UNSPOKEN);
    }

    /** The outcome of an entry without rules. */
    static Outcome outcome(int entry) {
        Outcome outcome = Outcome.of(entry >>> 16 & 15);
        if (outcome == Outcome.RULES || (entry & 0x3FF0_0000) != 0) {
            throw Damage.FOUND;
        }
        return outcome;
    }

    private int inPolicy(Usage usage, long policyAt) {
        long set = crawler.set(shard, policy);
        if (set == Policy.NO_SET) {
            return policy.outcome != null
                    ? withoutRules(policy.outcome, policy.status, usage)
                    : unspoken(usage, Basis.NO_GROUP);
        }
        if (!Policy.isList(set)) {
            return ofProgram(usage, set);
        }
        long list = Policy.list(set);
        return ScopedList.isScoped(shard, list)
                ? new Scoped(this, usage, new ScopedList(shard, list), policyAt).answer()
                : ofList(list, usage);
    }

    /** The highest priority of all programs of the usage; the silence of the first one counts. */
    private int ofList(long list, Usage usage) {
        long best = -1;
        boolean silence = false;
        int count = shard.entries(list);
        for (int entry = 0; entry < count; entry++) {
            long at = list + 2 + 8L * entry;
            if (shard.lists.u16(at) == usage.number) {
                long priority = best(shard.lists.u32(at + 4));
                silence = best < 0 ? silenceIsUnknown : silence;
                best = Math.max(best, priority);
            }
        }
        silenceIsUnknown = silence;
        return best < 0 ? unspoken(usage, Basis.UNSPOKEN) : ranked(best);
    }

    private int ranked(long priority) {
        if (priority == 0) {
            return Answer.of(silenceIsUnknown ? Decision.UNKNOWN : Decision.ALLOWED, Basis.NO_RULE);
        }
        return Answer.of((priority & 1) != 0 ? Decision.ALLOWED : Decision.DISALLOWED, Basis.RULE);
    }

    /** The highest priority of a ranked program for the target. */
    long best(long program) {
        ByteBuffer bytes = shard.programs.piece(program);
        int at = shard.programs.place(program);
        int front = bytes.get(at);
        if ((front & 8) != 0) {
            throw Damage.FOUND;
        }
        silenceIsUnknown = (front & 0x60) != 0;
        Notation notation = Notation.of(front & 7);
        byte[] spelled = target.bytes(notation);
        int length = target.length(notation);
        return (front & 0x80) != 0
                ? Packed.best(bytes, at, spelled, length)
                : target.walk.run(bytes, at, spelled, length, null);
    }

    /** Puts all priorities of a scoped program for the target into the sets. */
    void collect(long program, Matched into) {
        ByteBuffer bytes = shard.programs.piece(program);
        int at = shard.programs.place(program);
        int front = bytes.get(at);
        if ((front & 8) == 0 || (front & 0x80) != 0) {
            throw Damage.FOUND;
        }
        Notation notation = Notation.of(front & 7);
        byte[] spelled = target.bytes(notation);
        target.walk.run(bytes, at, spelled, target.length(notation), into);
    }

    static int unspoken(Usage usage, Basis basis) {
        return Answer.of(usage.isCrawl() ? Decision.ALLOWED : Decision.UNKNOWN, basis);
    }

    int withoutRules(Outcome outcome, int status, Usage usage) {
        Decision decision = decideOutcome(outcome, status);
        // An outcome that allows crawling for lack of rules says nothing about other usages.
        boolean isSilent = !usage.isCrawl() && decision == Decision.ALLOWED;
        return Answer.ofOutcome(isSilent ? Decision.UNKNOWN : decision, outcome);
    }

    /** True if the robots.txt of the site may refuse what pages and statements permit. */
    boolean robotsMayRefuse() {
        int entry = shard.hosts.entry(place);
        switch (entry >>> 30) {
            case 2:
                policy.read(shard.policies, entry & 0x3FFF_FFFF);
                return policy.outcome != null && robotsMayRefuse(policy.outcome, policy.status);
            case 3:
                return robotsMayRefuse(outcome(entry), entry & 0xFFFF);
            default:
                return false;
        }
    }

    /** True if there may be a robots.txt that nobody has read, or if its outcome disallows on the terms. */
    boolean robotsMayRefuse(Outcome outcome, int status) {
        return outcome.isUnread() || decideOutcome(outcome, status) == Decision.DISALLOWED;
    }

    Decision decideOutcome(Outcome outcome, int status) {
        boolean answered = outcome == Outcome.EMPTY || outcome == Outcome.NOT_ROBOTS || outcome == Outcome.OVER_LIMIT;
        if (isDocument && !answered) {
            return Decision.UNKNOWN;
        }
        boolean asksTime = outcome == Outcome.UNREACHABLE && terms.now() != Terms.NO_TIME;
        return terms.decide(outcome, status, asksTime ? fetchedAt() : 0);
    }

    private long fetchedAt() {
        try {
            return shard.fetches.i64(18 * shard.hosts.number(place));
        } catch (Damage | IndexOutOfBoundsException damage) {
            return 0;
        }
    }
}
