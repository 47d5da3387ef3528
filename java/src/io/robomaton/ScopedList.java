package io.robomaton;

/** A scoped list, read in place (SPEC.md section 5). Damage throws. */
final class ScopedList {
    static final int CONVENTIONAL = 0;
    static final int ELEMENT = 1;
    static final int PAGE = 2;
    static final int FIELD = 4;
    static final int PREFERENCE = 5;
    private static final long NONE = 0xFFFF_FFFFL;
    private static final int MAX_PURPOSE = 1024;
    private static final int HEAD = 12;
    private static final int ENTRY = 16;

    private final Section lists;
    private final long at;
    final int count;
    final boolean incomplete;
    final boolean own;
    final boolean permits;
    final boolean pages;
    final long scope;
    /** The offset of the list of fields for any crawler, or -1. */
    final long rest;

    ScopedList(Shard shard, long offset) {
        lists = shard.lists;
        at = offset;
        int head = lists.u16(at);
        int flags = lists.u8(at + 2);
        if ((head & 0x8000) == 0 || flags > 15 || lists.u8(at + 3) != 0) {
            throw Damage.FOUND;
        }
        count = head & 0x7FFF;
        incomplete = (flags & 1) != 0;
        own = (flags & 2) != 0;
        permits = (flags & 4) != 0;
        pages = (flags & 8) != 0;
        scope = lists.u32(at + 4);
        long next = lists.u32(at + 8);
        rest = next == NONE ? -1 : next;
        if (end() > lists.length) {
            throw Damage.FOUND;
        }
    }

    /** The place behind it. */
    long end() {
        return at + HEAD + (long) ENTRY * count;
    }

    /** True for the numbers of roles. */
    static boolean isRole(long number) {
        return number >= CONVENTIONAL && number <= PAGE || number == FIELD || number == PREFERENCE;
    }

    static boolean isScoped(Shard shard, long list) {
        return (shard.lists.u8(list + 1) & 0x80) != 0;
    }

    static boolean isOfPages(Shard shard, long list) {
        return isScoped(shard, list) && (shard.lists.u8(list + 2) & 8) != 0;
    }

    /** The pattern of the purpose at an offset. */
    static byte[] purpose(Shard shard, long offset) {
        Section purposes = shard.purposes;
        long at = offset;
        long length = 0;
        for (int shift = 0; ; shift += 7) {
            int octet = purposes.u8(at++);
            length |= (long) (octet & 0x7F) << shift;
            if (octet < 0x80 && (shift < 28 || octet < 0x10)) {
                if (length > MAX_PURPOSE) {
                    throw Damage.FOUND;
                }
                return purposes.bytes(at, (int) length);
            }
            if (shift >= 28) {
                throw Damage.FOUND;
            }
        }
    }

    long usage(int entry) {
        return lists.u32(at + HEAD + (long) ENTRY * entry);
    }

    /** The offset of the purpose and one, or 0 for whatever purpose. */
    long purpose(int entry) {
        return lists.u32(at + HEAD + (long) ENTRY * entry + 4);
    }

    long program(int entry) {
        return lists.u32(at + HEAD + (long) ENTRY * entry + 8);
    }

    long role(int entry) {
        return lists.u32(at + HEAD + (long) ENTRY * entry + 12);
    }

    /** True if any entry holds fields of pages. */
    boolean hasPages() {
        for (int entry = 0; entry < count; entry++) {
            long role = role(entry);
            if (role == ELEMENT || role == PAGE) {
                return true;
            }
        }
        return false;
    }
}
