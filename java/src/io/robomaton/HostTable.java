package io.robomaton;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The host table of one file: from a name and a scheme to the place of a site (SPEC.md section 4).
 *
 * <p>Names are compared as they are decoded, so nothing is allocated. Invariant: a name outside its
 * section is no site. It does not know what answers for a site.
 */
final class HostTable {
    static final int HTTP = 1;
    static final int HTTPS = 2;
    /** The place of a site that is not in the table. */
    static final long NONE = -1;

    /** The scheme of a site that was captured without one. */
    static final int ANY = 0;
    private static final int BUCKET = 128;
    private static final int PLACES = 8;
    private static final int BODY = 13;
    static final int MAX_PROBE = 64;
    private static final int MAX_AUTHORITY = 255;
    private static final byte[][] SYMBOLS = symbols(""
            + ".b .c .co. .com .de .gov .m .n .net .org .p .pl .s .us a- a. a.com a.gov a.pl ab ac "
            + "ad ag ak al all am an and ap ar art as at au av aw ay az ch ci city cityof co con "
            + "county de e. e.com eb ec ed edu el em en ent er es est et for fr go gov ho ia ic id "
            + "ig il ill im in ing io ion ip ir is it ity iv le lin lo ne od of ok ol om on op or "
            + "org ort ot ow pl re ro s. s.com sh sk sp st te th ton town tr ty ub uk um un up ur "
            + "us ut ver www. www.b www.m www.s y.com");

    private final Section hosts;
    private final Section names;
    private final long seed;
    private final long buckets;

    HostTable(Section hosts, Section names, long seed) {
        this.hosts = hosts;
        this.names = names;
        this.seed = seed;
        buckets = hosts.length / BUCKET;
    }

    private static byte[][] symbols(String table) {
        String[] texts = table.split(" ");
        byte[][] symbols = new byte[texts.length][];
        for (int n = 0; n < texts.length; n++) {
            symbols[n] = texts[n].getBytes(StandardCharsets.US_ASCII);
        }
        return symbols;
    }

    long buckets() {
        return buckets;
    }

    /** The place of the site with this name: {@code 8 * bucket + place}, or {@link #NONE}. */
    long find(byte[] name, int from, int length, int scheme) {
        if (buckets == 0 || length == 0 || length > MAX_AUTHORITY) {
            return NONE;
        }
        long hash = Xxh3.hash(name, from, length, seed);
        int fingerprint = (int) (hash & 0xFF) == 0 ? 1 : (int) (hash & 0xFF);
        int mark = 1 << (int) (hash >>> 8 & 7);
        long step = buckets <= 256 ? 1 : (hash >>> 16 & 0xFF) + 1;
        long at = (hash >>> 32) * buckets >>> 32;
        long any = NONE;
        for (int probe = 0; probe < MAX_PROBE; probe++) {
            ByteBuffer bytes = hosts.piece(at * BUCKET);
            int bucket = hosts.place(at * BUCKET);
            for (int place = 0; place < PLACES; place++) {
                if ((bytes.get(bucket + place) & 0xFF) != fingerprint) {
                    continue;
                }
                int found = scheme(bytes, bucket, place, name, from, length);
                if (found == scheme) {
                    return PLACES * at + place;
                }
                if (found == ANY) {
                    any = PLACES * at + place;
                }
            }
            if ((bytes.get(bucket + PLACES) & mark) == 0) {
                return any;
            }
            at += step;
            if (at >= buckets) {
                at -= buckets;
            }
        }
        return any;
    }

    /** The number of places up to the last one that is not free. */
    private static int sites(ByteBuffer bytes, int bucket) {
        int sites = PLACES;
        while (sites > 0 && bytes.get(bucket + sites - 1) == 0) {
            sites--;
        }
        return sites;
    }

    /** The scheme of the site in a place if it has this name, else -1. */
    private int scheme(ByteBuffer bytes, int bucket, int place, byte[] name, int from, int length) {
        int sites = sites(bytes, bucket);
        if (place >= sites) {
            throw Damage.FOUND;
        }
        int heads = bucket + BODY + 4 * sites;
        int code = heads + sites;
        for (int n = 0; n < place; n++) {
            code += (bytes.get(heads + n) & 0xFF) >> 2;
        }
        int head = bytes.get(heads + place) & 0xFF;
        int size = head >> 2;
        if (code + size > bucket + BUCKET) {
            throw Damage.FOUND;
        }
        boolean same;
        if (size == 5 && bytes.get(code) == 0) {
            long at = bytes.getInt(code + 1) & 0xFFFF_FFFFL;
            int longSize = names.u8(at);
            same = is(names.piece(at + 1), names.place(at + 1), longSize, name, from, length);
        } else {
            same = is(bytes, code, size, name, from, length);
        }
        return same ? head & 3 : -1;
    }

    /** True if a code stands for the name. */
    private static boolean is(ByteBuffer bytes, int code, int size, byte[] name, int from, int length) {
        int at = from;
        int end = from + length;
        for (int n = 0; n < size; n++) {
            int octet = bytes.get(code + n);
            if (octet >= 0) {
                if (at >= end || name[at++] != octet) {
                    return false;
                }
                continue;
            }
            byte[] symbol = SYMBOLS[octet & 0x7F];
            if (symbol.length > end - at) {
                return false;
            }
            for (byte c : symbol) {
                if (name[at++] != c) {
                    return false;
                }
            }
        }
        return at == end;
    }

    /** The site entry in a place, as 32 bits. */
    int entry(long place) {
        long bucket = place / PLACES * BUCKET;
        return hosts.i32(bucket + BODY + 4 * (place % PLACES));
    }

    /** The number of the site in a place. */
    long number(long place) {
        return hosts.u32(place / PLACES * BUCKET + 9) + place % PLACES;
    }

    /** True if a site stands in this place. */
    boolean isTaken(long place) {
        return hosts.u8(place / PLACES * BUCKET + place % PLACES) != 0;
    }

    /** The name of the site in a place. */
    String name(long place) {
        byte[] name = nameBytes(place);
        if (name == null) {
            throw Damage.FOUND;
        }
        return new String(name, StandardCharsets.US_ASCII);
    }

    /** The bytes of the name of the site in a place; null if it is empty or too long. */
    byte[] nameBytes(long place) {
        long bucket = place / PLACES * BUCKET;
        ByteBuffer bytes = hosts.piece(bucket);
        int start = hosts.place(bucket);
        int sites = sites(bytes, start);
        int heads = start + BODY + 4 * sites;
        int code = heads + sites;
        for (int n = 0; n < place % PLACES; n++) {
            code += (bytes.get(heads + n) & 0xFF) >> 2;
        }
        int size = (bytes.get(heads + (int) (place % PLACES)) & 0xFF) >> 2;
        if (size == 5 && bytes.get(code) == 0) {
            long at = bytes.getInt(code + 1) & 0xFFFF_FFFFL;
            return decoded(names.bytes(at + 1, names.u8(at)));
        }
        byte[] own = new byte[size];
        for (int n = 0; n < size; n++) {
            own[n] = bytes.get(code + n);
        }
        return decoded(own);
    }

    /** The number of the scheme of the site in a place. */
    int scheme(long place) {
        long bucket = place / PLACES * BUCKET;
        int sites = sites(hosts.piece(bucket), hosts.place(bucket));
        return hosts.u8(bucket + BODY + 4L * sites + place % PLACES) & 3;
    }

    /** The name that a code stands for; null if it is empty or too long. */
    static byte[] decoded(byte[] code) {
        byte[] name = new byte[MAX_AUTHORITY];
        int length = 0;
        for (byte octet : code) {
            byte[] symbol = octet >= 0 ? null : SYMBOLS[octet & 0x7F];
            int size = symbol == null ? 1 : symbol.length;
            if (length + size > MAX_AUTHORITY) {
                return null;
            }
            if (symbol == null) {
                name[length] = octet;
            } else {
                System.arraycopy(symbol, 0, name, length, size);
            }
            length += size;
        }
        return length == 0 ? null : Arrays.copyOf(name, length);
    }
}
