package io.robomaton;

/**
 * Answers about uses other than fetching: rules and fields, and the statements of the modern languages
 * (SPEC.md section 5, "Preferences"). One refusal suffices, what could not be read permits nothing, and
 * conditions unite. Damage throws.
 */
final class Preferences {
    private static final int REFUSED = 1;
    private static final int UNREAD = 2;
    private static final int CONDITIONAL = 4;
    private static final int PERMITTED = 8;

    // Kinds of tags; the first four are the effects above.
    private static final int KIND_CONDITIONAL = 2;
    private static final int KIND_EITHER = 4;
    private static final int KIND_GATE = 5;
    private static final int KIND_SUPERSEDES = 6;
    private static final int AIPREF = 0;
    private static final int CONTENT_SIGNALS = 1;
    private static final int ROBOTS_META = 7;
    /** The last end that a priority tells; later ones are told as this one. */
    private static final long LAST_END = 0xFFFF_FFFDL;

    private final Question question;
    private final Usage usage;
    /** The offsets of the policies of preferences. */
    private final long[] policies = new long[3];
    private int count;
    private int superseded;
    /** 0 not known yet, 1 the crawler may fetch the target, 2 it may not. */
    private int crawl;
    /** A document is out of date, so that what it says depends on its statements. */
    private boolean dependsOnTime;

    Preferences(Question question, Usage usage) {
        this.question = question;
        this.usage = usage;
    }

    int answer() {
        int entry = question.shard.hosts.entry(question.place);
        if (entry >>> 30 == 2 && question.crawler.isHeld(question.profile.agentRule)) {
            Policy policy = question.policy;
            policy.read(question.shard.policies, entry & 0x3FFF_FFFF);
            count = policy.preferences;
            for (int number = 0; number < count; number++) {
                policies[number] = policy.preference(number);
            }
        }
        int own = question.ofRules(usage);
        boolean isWhole = usage.parts().length > 0 && usage.number != Usage.PRESENT;
        boolean isOutcome = Answer.basis(own) == Basis.OUTCOME && Answer.decision(own) == Decision.DISALLOWED;
        return count == 0 && !isWhole || isOutcome ? own : unite(own);
    }

    private int unite(int own) {
        int stated = effectsNow(usage.statedAs());
        int ofParts = 0;
        boolean incomplete = Answer.isIncomplete(own);
        for (int part : usage.parts()) {
            ofParts |= effectsNow(part);
            // Fields about a special form of `present` do not speak of its general form (V28).
            if (usage.number != Usage.PRESENT) {
                int ofRules = question.ofRules(usage.part(part));
                ofParts |= effectsOf(Answer.decision(ofRules));
                incomplete |= Answer.isIncomplete(ofRules) && Answer.decision(ofRules) != Decision.UNKNOWN;
            }
        }
        int rules = effectsOf(Answer.decision(own));
        int all = withParts(stated | rules, ofParts);
        if (all == rules || decideAlone(rules, stated | ofParts)) {
            return Answer.incomplete(own, incomplete);
        }
        boolean isUnread = (all & (UNREAD | REFUSED)) == UNREAD;
        Decision decision = decision(all);
        // A robots.txt that could not be fetched may refuse what statements permit (decision g).
        boolean permits = decision == Decision.ALLOWED || decision == Decision.CONDITIONAL;
        incomplete |= isUnread || permits && question.robotsMayRefuse();
        return Answer.incomplete(Answer.of(decision, Basis.PREFERENCES), incomplete);
    }

    /** The effects of a usage with those of its parts, which never permit the whole. */
    static int withParts(int whole, int ofParts) {
        boolean permits = (whole & (CONDITIONAL | PERMITTED)) != 0;
        return whole | ofParts & (permits ? REFUSED | UNREAD | CONDITIONAL : REFUSED | UNREAD);
    }

    /** True if the strongest of all effects is one of these, and none of the others. */
    private static boolean decideAlone(int effects, int others) {
        int decisive = Integer.lowestOneBit(effects | others);
        return (effects & decisive) != 0 && (others & decisive) == 0;
    }

    static int effectsOf(Decision decision) {
        switch (decision) {
            case DISALLOWED:
                return REFUSED;
            case CONDITIONAL:
                return CONDITIONAL;
            case ALLOWED:
                return PERMITTED;
            default:
                return 0;
        }
    }

    static Decision decision(int effects) {
        switch (Integer.lowestOneBit(effects)) {
            case REFUSED:
                return Decision.DISALLOWED;
            case CONDITIONAL:
                return Decision.CONDITIONAL;
            case PERMITTED:
                return Decision.ALLOWED;
            default:
                return Decision.UNKNOWN;
        }
    }

    /**
     * The effects of all statements about a usage, at the time of the terms. Cold records are read only
     * where a document is out of date; and for crawlers that pass default groups over, since a list holds
     * together what a default group and the lines before all groups say.
     */
    private int effectsNow(int of) {
        if (count == 0) {
            return 0;
        }
        if (!question.crawler.namedOnly) {
            dependsOnTime = false;
            int effects = effects(of);
            if (!dependsOnTime) {
                return effects;
            }
        }
        boolean isClosed = isClosed();
        Detail detail = question.shard.detail(question.shard.hosts.number(question.place));
        // The site has statements, so damage hides them.
        if (detail == null) {
            throw Damage.FOUND;
        }
        return Statements.effects(Statements.find(question, detail, of, isClosed));
    }

    /** The effects of all statements about a usage. */
    private int effects(int of) {
        int effects = 0;
        superseded = 0;
        Crawler crawler = question.crawler;
        Policy policy = question.preference;
        for (int number = 0; number < count; number++) {
            policy.read(question.shard.policies, policies[number]);
            int later = superseded;
            if (policy.isAdditive()) {
                long byDefault = policy.defaultSet();
                if (byDefault != Policy.NO_SET) {
                    later = ofList(Policy.list(byDefault), of, later);
                    effects |= found;
                }
                for (int name = 0; name < crawler.idCount(); name++) {
                    int place = policy.find(crawler.id(name));
                    if (place >= 0) {
                        later = ofList(Policy.list(policy.set(place)), of, later);
                        effects |= found;
                    }
                }
            } else {
                long set = crawler.set(question.shard, policy);
                if (set != Policy.NO_SET && Policy.isList(set)) {
                    later = ofList(Policy.list(set), of, later);
                    effects |= found;
                }
            }
            superseded = later;
        }
        return effects;
    }

    /** The effects that {@link #ofList} found. */
    private int found;

    /** Finds the effects of a list; returns the languages that later policies pass over. */
    private int ofList(long list, int of, int later) {
        Section lists = question.shard.lists;
        found = 0;
        boolean shut = false;
        boolean ended = false;
        int entries = question.shard.entries(list);
        for (int entry = 0; entry < entries; entry++) {
            long at = list + 2 + 8L * entry;
            if (lists.u16(at) != of) {
                continue;
            }
            int tag = lists.u16(at + 2);
            int kind = tag & 7;
            int language = tag >> 3 & 15;
            if (tag >> 9 != 0 || language >= Detail.LANGUAGES) {
                throw Damage.FOUND;
            }
            boolean isOfElements = (tag & 0x100) != 0 && question.terms.elements();
            boolean isShut = shut;
            boolean hasEnded = ended;
            shut = false;
            ended = false;
            if (isOfElements || isShut || (superseded >> language & 1) != 0) {
                continue;
            }
            long priority = question.best(lists.u32(at + 4));
            boolean hasBit = (priority & 1) != 0;
            if (kind == KIND_GATE) {
                shut = priority == 0;
            } else if (kind == KIND_SUPERSEDES) {
                later |= hasBit ? 1 << language : 0;
            } else if (kind > KIND_SUPERSEDES) {
                long end = 0xFFFF_FFFFL - priority;
                long now = question.terms.now();
                if (priority != 0 && now != Terms.NO_TIME && Long.compareUnsigned(now, end) >= 0) {
                    ended = language == ROBOTS_META && end < LAST_END;
                    dependsOnTime |= !ended;
                }
            } else if (kind == KIND_CONDITIONAL && hasBit && hasEnded) {
                take(0, language, (tag & 0x80) != 0, priority);
            } else {
                take(kind, language, (tag & 0x80) != 0, priority);
            }
        }
        return later;
    }

    private void take(int kind, int language, boolean ofRobots, long priority) {
        int effect;
        if ((priority & 1) != 0) {
            effect = kind == KIND_EITHER ? PERMITTED : 1 << kind;
        } else if (kind == KIND_EITHER && priority > 0) {
            effect = REFUSED;
        } else {
            return;
        }
        if (!needsCrawl(ofRobots, language, effect) || !isClosed()) {
            found |= effect;
        }
    }

    /** True if an effect counts only where the crawler may fetch the target. */
    static boolean needsCrawl(boolean ofRobots, int language, int effect) {
        boolean permits = (effect & (CONDITIONAL | PERMITTED)) != 0;
        return ofRobots && (language == AIPREF || language == CONTENT_SIGNALS && permits);
    }

    /** True if the crawler may not fetch the target for the purpose of the question. */
    private boolean isClosed() {
        if (crawl == 0) {
            boolean closed = Answer.decision(question.ofRules(usage.crawl())) == Decision.DISALLOWED;
            crawl = closed ? 2 : 1;
        }
        return crawl == 2;
    }
}
