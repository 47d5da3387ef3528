package io.robomaton;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongUnaryOperator;

/**
 * Checks the policies, lists, scopes and programs that site entries lead to: I12, I13, I17 and I14 of
 * SPEC.md, section 9. It does not know what a program says.
 */
final class PolicyCheck {
    private static final int NO_TAG = 0;
    private static final int PADDING = 512;

    private final Shard shard;
    private final int usages;
    /** The programs that site entries and ranked lists name, and those that scoped lists name. */
    private final Marks ranked;
    private final Marks scoped;
    private final Marks scopedLists;
    /** All lists. */
    private final Marks allLists;

    PolicyCheck(Shard shard) {
        this.shard = shard;
        usages = shard.usages().size();
        ranked = new Marks(shard.programs.length);
        scoped = new Marks(shard.programs.length);
        scopedLists = new Marks(shard.lists.length);
        allLists = new Marks(shard.lists.length);
    }

    private RobomatonException broken(int rule, int section, long at, String what) {
        return Verification.broken(shard, rule, section, at, what);
    }

    /** I12, I13 and I17, from the site entries on. */
    void check(int[] entries) {
        Marks policies = new Marks(shard.policies.length);
        for (int entry : entries) {
            if (entry >>> 30 == 2) {
                policies.insert(entry & 0x3FFF_FFFF);
            } else if (entry >>> 30 != 3) {
                ranked.insert(entry);
            }
        }
        Marks linked = new Marks(shard.policies.length);
        Marks all = new Marks(shard.policies.length);
        Policy policy = new Policy();
        for (long at = policies.next(0); at >= 0; at = policies.next(at + 1)) {
            all.insert(at);
            try {
                policy.read(shard.policies, at);
                for (int number = 0; number < policy.preferences; number++) {
                    linked.insert(policy.preference(number));
                    all.insert(policy.preference(number));
                }
            } catch (Damage | IndexOutOfBoundsException damage) {
                // It is told below.
            }
        }
        apart(12, Shard.POLICIES, all, at -> {
            policy.read(shard.policies, at);
            return at + policy.length(shard.policies, at);
        });
        for (long at = policies.next(0); at >= 0; at = policies.next(at + 1)) {
            policy(policy, at, false);
        }
        for (long at = linked.next(0); at >= 0; at = linked.next(at + 1)) {
            policy(policy, at, true);
        }
        lists();
    }

    private void policy(Policy policy, long at, boolean isLinked) {
        String what = null;
        try {
            policy.read(shard.policies, at);
            what = policy.hasReservedFlag() ? "a policy has a reserved flag" : broken(policy, isLinked);
        } catch (Damage | IndexOutOfBoundsException damage) {
            what = "a policy is cut off";
        }
        if (what != null) {
            throw broken(12, Shard.POLICIES, at, what);
        }
        long scope = -1;
        for (int number = 0; number < policy.sets; number++) {
            long word = policy.word(number);
            if (!Policy.isList(word)) {
                if (isLinked) {
                    throw broken(12, Shard.POLICIES, at, "a set of preferences is no list");
                }
                ranked.insert(word);
                continue;
            }
            long list = Policy.list(word);
            what = list(list, isLinked);
            if (what == null && !isLinked && scopedLists.contains(list)) {
                long own = scope(list);
                what = scope >= 0 && own != scope ? "the lists of a policy have several scopes" : null;
                scope = own;
            }
            if (what != null) {
                throw broken(13, Shard.POLICIES, at, what);
            }
        }
    }

    /** What is wrong with a policy but for its words, or null. */
    private String broken(Policy policy, boolean isLinked) {
        boolean bySubstring = policy.isBySubstring();
        if (isLinked && (policy.preferences != 0 || bySubstring) || !isLinked && policy.isAdditive()) {
            return "a policy of preferences in the place of another";
        }
        boolean isImageBySubstring = shard.layout.profile.agentRule == AgentRule.SUBSTRING;
        if (policy.crawlers == 0 ? bySubstring : isImageBySubstring && !bySubstring) {
            return "a policy that is not looked up as its image's profile says";
        }
        long last = -1;
        for (int place = 0; place < policy.crawlers; place++) {
            long id = policy.crawler(place);
            if (id >= shard.crawlerCount()) {
                return "a policy names a crawler that does not exist";
            }
            if (!bySubstring && id <= last) {
                return "the crawlers of a policy are out of order";
            }
            last = id;
        }
        int named = policy.crawlers + (policy.hasDefault() ? 1 : 0);
        for (int place = 0; place < named; place++) {
            policy.set(place);
        }
        return null;
    }

    /** Checks that no record begins before the end of another; `end` may throw for a damaged one. */
    private void apart(int rule, int section, Marks starts, LongUnaryOperator end) {
        long done = 0;
        for (long at = starts.next(0); at >= 0; at = starts.next(at + 1)) {
            if (at < done) {
                throw broken(rule, section, at, "a record begins inside another");
            }
            try {
                done = end.applyAsLong(at);
            } catch (Damage | IndexOutOfBoundsException damage) {
                done = at;
            }
        }
    }

    /** The scope of a scoped list; one that no list has if it is damaged. */
    private long scope(long list) {
        try {
            return new ScopedList(shard, list).scope;
        } catch (Damage | IndexOutOfBoundsException damage) {
            return Long.MAX_VALUE;
        }
    }

    /** What is wrong with a list, or null. Scoped ones are checked later. */
    private String list(long at, boolean isLinked) {
        Section lists = shard.lists;
        boolean isScoped = at + 1 < lists.length && ScopedList.isScoped(shard, at);
        if (isScoped && !isLinked) {
            scopedLists.insert(at);
            return null;
        }
        int count = !isScoped && at + 2 <= lists.length ? lists.u16(at) : -1;
        if (count < 0 || at + 2 + 8L * count > lists.length) {
            return "a list is cut off";
        }
        allLists.insert(at);
        int last = 0;
        for (long entry = at + 2; entry < at + 2 + 8L * count; entry += 8) {
            if (lists.u16(entry) < last) {
                return "the entries of a list are out of order";
            }
            last = lists.u16(entry);
            int tag = lists.u16(entry + 2);
            if (lists.u16(entry) >= usages) {
                return "a list names a usage that does not exist";
            }
            if (!isLinked && tag != NO_TAG) {
                return "a list of rules has a tag";
            }
            if (isLinked && (tag >> 9 != 0 || (tag >> 3 & 15) >= Detail.LANGUAGES)) {
                return "a list of preferences has an unknown tag";
            }
            ranked.insert(lists.u32(entry + 4));
        }
        return null;
    }

    /** I13 of scoped lists, and I17. */
    private void lists() {
        Marks rests = new Marks(shard.lists.length);
        Marks scopes = new Marks(shard.scopes.length);
        Deque<Long> waiting = new ArrayDeque<>();
        for (long at = scopedLists.next(0); at >= 0; at = scopedLists.next(at + 1)) {
            scopedList(at, false, rests, scopes, waiting);
            while (!waiting.isEmpty()) {
                scopedList(waiting.pop(), true, rests, scopes, waiting);
            }
        }
        for (long at = scopes.next(0); at >= 0; at = scopes.next(at + 1)) {
            boolean isWhole;
            try {
                isWhole = new Scope(shard.scopes, at).isWhole();
            } catch (Damage | IndexOutOfBoundsException damage) {
                isWhole = false;
            }
            if (!isWhole) {
                throw broken(17, Shard.SCOPES, at, "a scope is cut off or out of order");
            }
        }
        apart(17, Shard.SCOPES, scopes, at -> new Scope(shard.scopes, at).end());
        apart(13, Shard.LISTS, allLists, at -> ScopedList.isScoped(shard, at)
                ? new ScopedList(shard, at).end()
                : at + 2 + 8L * shard.lists.u16(at));
    }

    private void scopedList(long at, boolean isRest, Marks rests, Marks scopes, Deque<Long> waiting) {
        String what = null;
        try {
            ScopedList list = new ScopedList(shard, at);
            allLists.insert(at);
            scopes.insert(list.scope);
            if (list.rest >= 0 && isRest) {
                what = "a list of all crawlers leads to another";
            } else if (list.rest >= 0 && scope(list.rest) != Long.MAX_VALUE && scope(list.rest) != list.scope) {
                what = "a list leads to one of another scope";
            } else if (list.rest >= 0 && rests.insert(list.rest)) {
                waiting.push(list.rest);
            }
            for (int entry = 0; entry < list.count && what == null; entry++) {
                what = entry(list, entry);
            }
        } catch (Damage | IndexOutOfBoundsException damage) {
            what = "a scoped list is cut off";
        }
        if (what != null) {
            throw broken(13, Shard.LISTS, at, what);
        }
    }

    private String entry(ScopedList list, int entry) {
        if (!ScopedList.isRole(list.role(entry))) {
            return "a list holds an unknown role";
        }
        if (list.usage(entry) >= usages) {
            return "a list names a usage that does not exist";
        }
        long purpose = list.purpose(entry);
        if (purpose != 0) {
            try {
                ScopedList.purpose(shard, purpose - 1);
            } catch (Damage | IndexOutOfBoundsException damage) {
                return "a list names a purpose that does not exist";
            }
        }
        scoped.insert(list.program(entry));
        return null;
    }

    /** I14. */
    void checkPrograms() {
        Section programs = shard.programs;
        long end = programs.length - PADDING;
        boolean isPadded = end >= 0;
        for (long at = end; at < programs.length && isPadded; at++) {
            isPadded = programs.u8(at) == 0;
        }
        if (!isPadded) {
            throw broken(14, Shard.PROGRAMS, programs.length, "programs do not end with padding");
        }
        long done = 0;
        long at = next(0);
        while (at >= 0) {
            String what = null;
            try {
                if (at < done) {
                    what = "a program begins inside another";
                } else if ((programs.u8(at) & 8) != 0 != scoped.contains(at) || both(at)) {
                    what = "a program is weighed in another way than its set is";
                } else {
                    done = at + ProgramCheck.length(programs, at);
                    what = done > end ? "a program runs into the padding" : null;
                }
            } catch (Damage | IndexOutOfBoundsException damage) {
                what = "a program is damaged";
            }
            if (what != null) {
                throw broken(14, Shard.PROGRAMS, at, what);
            }
            at = next(at + 1);
        }
    }

    private boolean both(long at) {
        return ranked.contains(at) && scoped.contains(at);
    }

    private long next(long from) {
        long one = ranked.next(from);
        long other = scoped.next(from);
        return one < 0 || other >= 0 && other < one ? other : one;
    }
}
