package io.robomaton;

import java.util.Arrays;

/**
 * Checks the host table, the order of the sites, and their fetch records: I10, I11 and I15 of SPEC.md,
 * section 9. It does not know what answers for a site.
 */
final class SiteCheck {
    private static final int BUCKET = 128;
    private static final int PLACES = 8;
    private static final int FIRST = 9;
    private static final int BODY = 13;
    private static final int MAX_CODE = 62;
    private static final int ELSEWHERE = 5;
    private static final int SCHEMES = 3;
    private static final int FETCH = 18;
    private static final long NONE = 0xFFFF_FFFFL;

    private final Shard shard;
    private final HostTable hosts;
    private final Section table;
    private final Section names;
    /** The entries of the sites, by number. */
    private int[] entries = new int[64];
    private int sites;
    /** For each bucket, the marks of the sites that passed it. */
    private final byte[] passed;
    private long namesEnd;

    SiteCheck(Shard shard) {
        this.shard = shard;
        hosts = shard.hosts;
        table = shard.section(Shard.HOSTS);
        names = shard.section(Shard.NAMES);
        passed = new byte[(int) hosts.buckets()];
    }

    private RobomatonException broken(int rule, long bucket, String what) {
        return Verification.broken(shard, rule, Shard.HOSTS, bucket * BUCKET, what);
    }

    /** I10, and I11 of buckets. Returns the entries of the sites, by number. */
    int[] buckets() {
        for (int number = 0; number < passed.length; number++) {
            bucket(number);
        }
        if (namesEnd != names.length) {
            throw Verification.broken(shard, 10, Shard.NAMES, namesEnd, "long names of no bucket");
        }
        for (int number = 0; number < passed.length; number++) {
            if ((byte) table.u8((long) number * BUCKET + PLACES) != passed[number]) {
                throw broken(11, number, "the overflow marks of a bucket are wrong");
            }
        }
        return Arrays.copyOf(entries, sites);
    }

    private void bucket(int number) {
        long at = (long) number * BUCKET;
        int count = PLACES;
        while (count > 0 && table.u8(at + count - 1) == 0) {
            count--;
        }
        for (int place = 0; place < count; place++) {
            if (table.u8(at + place) == 0) {
                throw broken(10, number, "a free place before a taken one");
            }
        }
        if (table.u32(at + FIRST) != sites) {
            throw broken(10, number, "the sites of a bucket do not follow those before");
        }
        long heads = at + BODY + 4L * count;
        long code = heads + count;
        long end = code;
        for (int place = 0; place < count; place++) {
            end += table.u8(heads + place) >> 2;
        }
        if (end > at + BUCKET) {
            throw broken(10, number, "the names of a bucket are cut off");
        }
        for (long behind = end; behind < at + BUCKET; behind++) {
            if (table.u8(behind) != 0) {
                throw broken(10, number, "bytes behind the names of a bucket");
            }
        }
        for (int place = 0; place < count; place++) {
            int entry = table.i32(at + BODY + 4L * place);
            if (!isEntry(entry)) {
                throw broken(10, number, "a site entry of no kind");
            }
            if (sites == entries.length) {
                entries = Arrays.copyOf(entries, 2 * sites);
            }
            entries[sites++] = entry;
            int head = table.u8(heads + place);
            byte[] name = (head & 3) < SCHEMES ? name(number, code, head >> 2) : null;
            if (name == null) {
                throw broken(10, number, "a name without scheme, or cut off");
            }
            stands(number, place, name);
            code += head >> 2;
        }
    }

    private static boolean isEntry(int entry) {
        try {
            return entry >>> 30 != 3 || Question.outcome(entry) != null;
        } catch (Damage damage) {
            return false;
        }
    }

    /** The decoded name, or null if it is cut off. */
    private byte[] name(int bucket, long at, int size) {
        byte[] code = table.bytes(at, size);
        boolean isElsewhere = size > 0 && code[0] == 0;
        if (isElsewhere) {
            long offset = size == ELSEWHERE ? table.u32(at + 1) : names.length;
            int length = offset < names.length ? names.u8(offset) : 0;
            if (offset >= names.length || length > names.length - offset - 1) {
                return null;
            }
            code = names.bytes(offset + 1, length);
            if (length > 0 && code[0] == 0) {
                return null;
            }
            if (offset != namesEnd) {
                throw broken(10, bucket, "long names are not end to end");
            }
            namesEnd += 1 + length;
        }
        if (code.length > MAX_CODE != isElsewhere) {
            throw broken(10, bucket, "a long name in a bucket, or a short one elsewhere");
        }
        byte[] name = HostTable.decoded(code);
        if (name == null) {
            throw broken(10, bucket, "a name that is empty or too long");
        }
        return name;
    }

    /** Checks that the look-up finds a site in its place, and notes the buckets that it passed. */
    private void stands(int bucket, int place, byte[] name) {
        int authority = 0;
        while (authority < name.length && name[authority] != '/') {
            authority++;
        }
        long own = (Xxh3.hash(name, 0, authority, 1) >>> 32) * (shard.layout.lastShard + 1) >>> 32;
        if (own != shard.layout.shard) {
            throw broken(11, bucket, "a site of another shard");
        }
        long hash = Xxh3.hash(name, 0, name.length, shard.layout.seed);
        int fingerprint = (int) (hash & 0xFF) == 0 ? 1 : (int) (hash & 0xFF);
        int count = passed.length;
        long step = count <= 256 ? 1 : (hash >>> 16 & 0xFF) + 1;
        long home = (hash >>> 32) * count >>> 32;
        int probes = 0;
        long at = home;
        while (probes < HostTable.MAX_PROBE && at != bucket) {
            probes++;
            at = at + step >= count ? at + step - count : at + step;
        }
        if (probes == HostTable.MAX_PROBE || table.u8((long) bucket * BUCKET + place) != fingerprint) {
            throw broken(11, bucket, "a site stands where no look-up finds it");
        }
        for (at = home; at != bucket; at = at + step >= count ? at + step - count : at + step) {
            passed[(int) at] |= (byte) (1 << (int) (hash >>> 8 & 7));
        }
    }

    /** I15. */
    void fetches(int[] of) {
        Section fetches = shard.fetches;
        if (fetches.length / FETCH != of.length) {
            throw Verification.broken(shard, 15, Shard.FETCHES, 0, "not one fetch record per site");
        }
        Policy policy = new Policy();
        for (int number = 0; number < of.length; number++) {
            long at = (long) FETCH * number;
            long document = fetches.u32(at + 12);
            if (document != NONE && document >= shard.documentCount()) {
                String what = "a site names a document that does not exist";
                throw Verification.broken(shard, 15, Shard.FETCHES, at, what);
            }
            if (document == NONE && of[number] >>> 30 != 3) {
                throw Verification.broken(shard, 15, Shard.FETCHES, at, "a site with rules names no document");
            }
            int status = fetches.u16(at + 16);
            int stated = status;
            if (of[number] >>> 30 == 3) {
                stated = of[number] & 0xFFFF;
            } else if (of[number] >>> 30 == 2) {
                policy.read(shard.policies, of[number] & 0x3FFF_FFFF);
                stated = policy.outcome == null ? status : policy.status;
            }
            if (stated != status) {
                throw Verification.broken(shard, 15, Shard.FETCHES, at, "a status that is not that of the entry");
            }
        }
    }

    /** I11 of the order. */
    void order() {
        Section order = shard.order;
        if (order.length / 4 != sites) {
            throw Verification.broken(shard, 11, Shard.ORDER, 0, "not one place in the order per site");
        }
        byte[] last = null;
        int lastScheme = 0;
        for (long number = 0; number < sites; number++) {
            long place = order.u32(4 * number);
            boolean isTaken = place < PLACES * hosts.buckets() && hosts.isTaken(place);
            byte[] name = isTaken ? hosts.nameBytes(place) : null;
            int scheme = isTaken ? hosts.scheme(place) : 0;
            int ascends = last == null || name == null ? 1 : Arrays.compareUnsigned(name, last);
            if (name == null || ascends < 0 || ascends == 0 && scheme <= lastScheme) {
                String what = "a place without a site, or out of order";
                throw Verification.broken(shard, 11, Shard.ORDER, 4 * number, what);
            }
            last = name;
            lastScheme = scheme;
        }
    }
}
