package io.robomaton;

/**
 * The validity rules that this reader checks beyond those of opening: the bytes between sections (I6)
 * and the checksum of each section (I7), which find every accident.
 *
 * <p>I8 to I18, which find images made to harm, are left to {@code robomaton verify}; no question relies
 * on them.
 */
public final class Verification {
    private Verification() {}

    static void verify(Shard shard) {
        Layout layout = shard.layout;
        long end = Layout.HEAD;
        for (int section = 0; section < Layout.SECTIONS; section++) {
            checkZeros(shard.file, end, layout.at[section]);
            end = layout.at[section] + layout.length[section];
        }
        if (end != shard.file.length) {
            throw new RobomatonException(6, end, "bytes stand behind the last section");
        }
        for (int section = 0; section < Layout.SECTIONS; section++) {
            if (Xxh3.hash(shard.section(section)) != layout.checksum[section]) {
                throw new RobomatonException(7, layout.at[section],
                        "the checksum of section " + Layout.name(section) + " does not hold");
            }
        }
    }

    private static void checkZeros(Section file, long from, long to) {
        for (long at = from; at < to; at++) {
            if (file.u8(at) != 0) {
                throw new RobomatonException(6, at, "a byte between sections is not zero");
            }
        }
    }
}
