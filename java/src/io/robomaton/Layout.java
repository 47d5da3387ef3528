package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Header and section table of a file, checked as it is opened (SPEC.md sections 2, 3 and 9: I1 to I5).
 */
final class Layout {
    static final int HEAD = 424;
    static final int SECTIONS = 16;
    private static final int VERSION = 8;
    private static final int ALIGNMENT = 128;
    private static final int ROW = 24;
    private static final int TABLE = 40;
    private static final byte[] MAGIC = "ROBOMAT\u001A".getBytes(StandardCharsets.US_ASCII);
    private static final int[] RECORD = {128, 1, 1, 1, 1, 1, 1, 8, 1, 1, 18, 4, 24, 1, 1, 1};
    private static final String[] NAMES = {
        "hosts", "names", "policies", "lists", "programs", "scopes", "purposes", "crawlers", "crawler-names",
        "usages", "fetches", "order", "documents", "details", "sources", "meta"
    };

    final Profile profile;
    final int shard;
    final int lastShard;
    final long seed;
    final long[] at = new long[SECTIONS];
    final long[] length = new long[SECTIONS];
    final long[] checksum = new long[SECTIONS];

    Layout(Section file) {
        byte[] head = file.bytes(0, (int) Math.min(HEAD, file.length));
        if (head.length < MAGIC.length || !Arrays.equals(head, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new RobomatonException(1, 0, "no image of robomaton: it does not begin with its magic bytes");
        }
        if (head.length < HEAD) {
            throw new RobomatonException(3, file.length, "the file ends inside the header");
        }
        int version = file.i32(8);
        if (version != VERSION) {
            String found = Integer.toUnsignedString(version);
            throw new RobomatonException(2, 8, "version " + found + "; this reader reads version " + VERSION
                    + " alone: compile the captures again");
        }
        if (file.i64(16) != file.length) {
            String stated = Long.toUnsignedString(file.i64(16));
            throw new RobomatonException(3, 16, "the file has " + file.length + " bytes, its header says " + stated);
        }
        if (head[13] != SECTIONS) {
            throw new RobomatonException(4, 13, (head[13] & 0xFF) + " sections, there are " + SECTIONS);
        }
        Arrays.fill(head, 32, 40, (byte) 0);
        Section blank = Section.of(head);
        if (Xxh3.hash(blank) != file.i64(32)) {
            throw new RobomatonException(4, 32, "the checksum of header and section table does not hold");
        }
        profile = Profile.of(head[12] & 0xFF);
        if (profile == null) {
            throw new RobomatonException(4, 12, "profile " + (head[12] & 0xFF) + " is unknown");
        }
        shard = head[14] & 0xFF;
        lastShard = head[15] & 0xFF;
        if (shard > lastShard) {
            throw new RobomatonException(4, 14, "the number of the shard is above that of the last");
        }
        seed = file.i64(24);
        readTable(file);
    }

    private void readTable(Section file) {
        long end = HEAD;
        for (int section = 0; section < SECTIONS; section++) {
            long row = TABLE + (long) ROW * section;
            at[section] = file.i64(row);
            length[section] = file.i64(row + 8);
            checksum[section] = file.i64(row + 16);
            String what = null;
            if (at[section] < end || at[section] % ALIGNMENT != 0) {
                what = "begins inside the one before, or off the alignment";
            } else if (length[section] < 0 || at[section] > file.length || length[section] > file.length - at[section]) {
                what = "ends beyond the file";
            } else if (length[section] % RECORD[section] != 0) {
                what = "holds a partial record";
            }
            if (what != null) {
                throw new RobomatonException(5, row, "section " + NAMES[section] + ": " + what);
            }
            end = at[section] + length[section];
        }
    }

    static String name(int section) {
        return NAMES[section];
    }
}
