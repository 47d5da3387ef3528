package io.robomaton;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks the validity rules I6 to I17 of SPEC.md, section 9, in its order. {@link Layout} has checked I1
 * to I5. An image that passes never answers {@link Basis#DAMAGED}.
 *
 * <p>{@link ColdCheck} also checks I18, for which whoever verifies asks by itself. It takes time linear in
 * the image, and memory for one bit of each byte of policies, lists, programs and scopes.
 */
final class Verification {
    private Verification() {}

    static void verify(Shard shard) {
        padding(shard);
        checksums(shard);
        crawlers(shard);
        usages(shard);
        SiteCheck sites = new SiteCheck(shard);
        int[] entries = sites.buckets();
        PolicyCheck policies = new PolicyCheck(shard);
        policies.check(entries);
        policies.checkPrograms();
        sites.fetches(entries);
        sites.order();
        ColdCheck.check(shard);
    }

    /** A broken rule at an offset of a section. */
    static RobomatonException broken(Shard shard, int rule, int section, long at, String what) {
        return new RobomatonException(rule, shard.layout.at[section] + at, what);
    }

    /** I6. */
    private static void padding(Shard shard) {
        Layout layout = shard.layout;
        long end = Layout.HEAD;
        for (int section = 0; section < Layout.SECTIONS; section++) {
            for (long at = end; at < layout.at[section]; at++) {
                if (shard.file.u8(at) != 0) {
                    throw new RobomatonException(6, at, "a byte between sections is not zero");
                }
            }
            end = layout.at[section] + layout.length[section];
        }
        if (end != shard.file.length) {
            throw new RobomatonException(6, end, "bytes stand behind the last section");
        }
    }

    /** I7. */
    private static void checksums(Shard shard) {
        for (int section = 0; section < Layout.SECTIONS; section++) {
            if (Xxh3.hash(shard.section(section)) != shard.layout.checksum[section]) {
                String what = "the checksum of section " + Layout.name(section) + " does not hold";
                throw broken(shard, 7, section, 0, what);
            }
        }
    }

    /** I8. */
    private static void crawlers(Shard shard) {
        byte[] last = null;
        long end = 0;
        for (int id = 0; id < shard.crawlerCount(); id++) {
            if (shard.section(Shard.CRAWLERS).u32(8L * id) != end) {
                throw broken(shard, 8, Shard.CRAWLERS, 8L * id, "a crawler's name is not behind the last");
            }
            byte[] name = shard.crawlerOrNull(id);
            if (name == null || last != null && Arrays.compareUnsigned(last, name) >= 0) {
                throw broken(shard, 8, Shard.CRAWLERS, 8L * id, "a crawler's name is out of order, or nowhere");
            }
            last = name;
            end += name.length;
        }
        if (end != shard.section(Shard.CRAWLER_NAMES).length) {
            throw broken(shard, 8, Shard.CRAWLER_NAMES, 0, "bytes behind the last crawler's name");
        }
    }

    /** I9. */
    private static void usages(Shard shard) {
        byte[] bytes = shard.section(Shard.USAGES).bytes();
        boolean isText = true;
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException error) {
            isText = false;
        }
        List<String> names = shard.usages();
        boolean begins = names.size() >= Usage.STANDARD && names.subList(0, Usage.STANDARD).equals(Usage.NAMES);
        if (!isText || !begins || bytes[bytes.length - 1] != '\n') {
            throw broken(shard, 9, Shard.USAGES, 0, "usages do not begin with the standard ones");
        }
        Set<String> known = new HashSet<>();
        if (!names.stream().allMatch(name -> known.add(Names.lower(name)))) {
            throw broken(shard, 9, Shard.USAGES, 0, "two usages have one name");
        }
    }
}
