package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A crawler, resolved against one image by {@link RobomatonImage#crawler}. Every other image refuses it,
 * since it would answer wrongly. Threads may share it.
 *
 * <p>Images number crawlers by tables of their own, so the crawler of a stack is one for each layer.
 */
public final class Crawler {
    final List<String> names;
    private final LookupNames lookup;
    /** The names, reduced for documents whose groups are found by substring. */
    private final List<String> shortNames;
    private final byte[][] shortBytes;
    private final boolean held;
    private final boolean heldShort;
    final boolean namedOnly;
    /** The ids of the names that the image has, best first; null where they are found by substring. */
    private final int[] ids;
    /** For each name, the crawlers whose names contain it; null where names are compared whole. */
    private final List<BitSet> containing;
    /** The crawler of each layer, newest first; null for that of one layer. */
    private final Crawler[] layers;
    /** The shards of the image that it belongs to. */
    final Object image;

    /** The crawler of a stack. */
    Crawler(Crawler[] layers) {
        this(layers[0], layers[0].namedOnly, layers);
    }

    Crawler(Object image, Shard shard, AgentRule rule, List<String> given) {
        this.image = image;
        names = reduced(rule, given);
        shortNames = reduced(AgentRule.SUBSTRING, given);
        shortBytes = new byte[shortNames.size()][];
        for (int n = 0; n < shortBytes.length; n++) {
            shortBytes[n] = shortNames.get(n).getBytes(StandardCharsets.UTF_8);
        }
        lookup = new LookupNames();
        given.forEach(name -> rule.addLookupNames(name, lookup));
        if (rule == AgentRule.SUBSTRING) {
            ids = null;
            containing = new ArrayList<>();
            for (String name : names) {
                containing.add(containing(shard, name.getBytes(StandardCharsets.UTF_8)));
            }
        } else {
            containing = null;
            ids = lookup.in(generalLengths(shard)).stream()
                    .mapToInt(shard::findCrawler)
                    .filter(id -> id >= 0)
                    .toArray();
        }
        List<String> narrowed = shard.narrowed();
        held = isHeld(narrowed, rule, names);
        heldShort = isHeld(narrowed, AgentRule.SUBSTRING, shortNames);
        namedOnly = false;
        layers = null;
    }

    private Crawler(Crawler of, boolean namedOnly, Crawler[] layers) {
        this.layers = layers;
        image = of.image;
        names = of.names;
        lookup = of.lookup;
        shortNames = of.shortNames;
        shortBytes = of.shortBytes;
        held = of.held;
        heldShort = of.heldShort;
        ids = of.ids;
        containing = of.containing;
        this.namedOnly = namedOnly;
    }

    private static List<String> reduced(AgentRule rule, List<String> given) {
        List<String> names = new ArrayList<>();
        for (String input : given) {
            rule.crawlerNames(input).forEach(name -> names.add(rule.reduce(name)));
        }
        return names;
    }

    /** The lengths of general names to search for: of many names, only those that the image has. */
    private long generalLengths(Shard shard) {
        if (lookup.size() < shard.crawlerCount()) {
            return LookupNames.ALL;
        }
        long lengths = 0;
        for (int id = 0; id < shard.crawlerCount(); id++) {
            lengths |= LookupNames.length(shard.crawler(id));
        }
        return lengths;
    }

    private static BitSet containing(Shard shard, byte[] name) {
        BitSet found = new BitSet();
        for (int id = 0; id < shard.crawlerCount() && name.length > 0; id++) {
            found.set(id, contains(shard.crawler(id), name));
        }
        return found;
    }

    private static boolean contains(byte[] text, byte[] name) {
        for (int at = 0; at + name.length <= text.length; at++) {
            if (Arrays.equals(text, at, at + name.length, name, 0, name.length)) {
                return true;
            }
        }
        return false;
    }

    /** True if the image can answer: it was not narrowed, or holds each of the names. */
    private static boolean isHeld(List<String> narrowed, AgentRule rule, List<String> names) {
        if (narrowed.isEmpty()) {
            return true;
        }
        Set<String> kept = narrowed.stream().map(rule::reduce).collect(Collectors.toSet());
        return names.stream().allMatch(name -> name.isEmpty() || name.equals("*") || kept.contains(name));
    }

    /**
     * The same crawler, restricted to groups and records that name it. Some crawlers of Google are of
     * this kind ({@code AdsBot-Google}).
     *
     * @param only true to pass over default groups, and over what pages say to all crawlers
     * @return another crawler
     */
    public Crawler namedOnly(boolean only) {
        if (layers == null) {
            return new Crawler(this, only, null);
        }
        return new Crawler(Arrays.stream(layers).map(of -> of.namedOnly(only)).toArray(Crawler[]::new));
    }

    /** The crawler as a layer knows it. */
    Crawler of(int layer) {
        return layers == null ? this : layers[layer];
    }

    /**
     * Its names as they are compared, best first.
     *
     * @return lower-case names
     */
    public List<String> names() {
        return List.copyOf(names);
    }

    /** The names under which statements about uses are looked for, best first, among names of groups. */
    List<String> lookupNames(Iterable<String> ofGroups) {
        return lookup.in(LookupNames.lengths(ofGroups));
    }

    /** The names under which groups of a document are looked for, best first. */
    List<String> lookupFor(AgentRule rule, Detail detail) {
        return rule == AgentRule.SUBSTRING ? shortNames : lookup.in(detail.generalLengths());
    }

    boolean isHeld(AgentRule rule) {
        return rule == AgentRule.SUBSTRING ? heldShort : held;
    }

    int idCount() {
        return ids == null ? 0 : ids.length;
    }

    int id(int number) {
        return ids[number];
    }

    /** The word of this crawler in a policy, or {@link Policy#NO_SET}. */
    long set(Shard shard, Policy policy) {
        int own = own(shard, policy);
        if (own >= 0) {
            return policy.set(own);
        }
        if (!namedOnly || !policy.hasDefault()) {
            return namedOnly ? Policy.NO_SET : policy.defaultSet();
        }
        // A list that is weighed says what silence means, and pages may name the crawler.
        long set = policy.defaultSet();
        return Policy.isList(set) && ScopedList.isScoped(shard, Policy.list(set)) ? set : Policy.NO_SET;
    }

    private int own(Shard shard, Policy policy) {
        if (policy.crawlers == 0) {
            return -1;
        }
        if (containing != null) {
            for (BitSet wanted : containing) {
                for (int place = 0; place < policy.crawlers && !wanted.isEmpty(); place++) {
                    if (wanted.get((int) Math.min(policy.crawler(place), Integer.MAX_VALUE))) {
                        return place;
                    }
                }
            }
            return -1;
        }
        if (policy.isBySubstring()) {
            return firstContaining(shard, policy);
        }
        for (int id : ids) {
            int place = policy.find(id);
            if (place >= 0 && !isOfPages(shard, policy, place)) {
                return place;
            }
        }
        return -1;
    }

    private int firstContaining(Shard shard, Policy policy) {
        for (byte[] name : shortBytes) {
            for (int place = 0; place < policy.crawlers && name.length > 0; place++) {
                if (contains(shard.crawler(policy.crawler(place)), name)) {
                    return place;
                }
            }
        }
        return -1;
    }

    /** True if the crawler in this place is named in pages alone. */
    private static boolean isOfPages(Shard shard, Policy policy, int place) {
        long word = policy.set(place);
        return Policy.isList(word) && ScopedList.isOfPages(shard, Policy.list(word));
    }
}
