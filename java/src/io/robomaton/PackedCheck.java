package io.robomaton;

import java.nio.ByteBuffer;

/**
 * Checks that a packed program is well-formed (I14 of SPEC.md, section 9). Whatever is wrong throws
 * {@link Damage}, or an index outside the section. A program that passes answers as its texts say:
 * columns and triggers leave out no rule that may match.
 */
final class PackedCheck {
    private static final int FRONT_SCOPED = 8;
    private static final int FRONT_STARRED = 16;
    private static final int HEAD = 9;
    private static final int COLUMNS = 3;
    private static final int MAX_PACKED = 64;
    private static final int MAX_LENGTH = 253;
    private static final int MAX_TEXTS = 15_000;
    private static final int MIN_REACH = 16;
    private static final int REACH_ALL = 255;
    private static final int OFFSET = 0x3FFF;

    private final ByteBuffer bytes;
    private final int start;
    private final int front;
    private final int count;
    private final int pairs;
    private final int triggers;
    /** The bytes of a mask, and its bits of rules. */
    private final int width;
    private final long all;
    private final int words;
    /** Where the mask of starred rules and that of wild ones begin, each of them if there is one. */
    private final int masks;
    private final int wildAt;

    private PackedCheck(ByteBuffer bytes, int start) {
        this.bytes = bytes;
        this.start = start;
        front = bytes.get(start);
        count = u8(1);
        pairs = u8(2);
        triggers = pairs + u8(3);
        width = count <= 16 ? 2 : 8;
        all = count == 0 ? 0 : -1L >>> 64 - Math.min(count, MAX_PACKED);
        words = HEAD + COLUMNS * count;
        masks = words + 2 * (count + 1);
        wildAt = masks + ((front & FRONT_STARRED) != 0 ? width : 0);
    }

    private static void require(boolean holds) {
        ProgramCheck.require(holds);
    }

    private int u8(int at) {
        return bytes.get(start + at) & 0xFF;
    }

    private int word(int rule) {
        return bytes.getShort(start + words + 2 * rule) & 0xFFFF;
    }

    private long mask(int at) {
        return width == 2 ? bytes.getShort(start + at) & 0xFFFF : bytes.getLong(start + at);
    }

    /** The length of a valid program. */
    static int length(ByteBuffer bytes, int start) {
        PackedCheck check = new PackedCheck(bytes, start);
        int notation = check.front & 7;
        require(ProgramCheck.isKnown(check.front) && (check.front & FRONT_SCOPED) == 0);
        require(notation == Notation.REP.ordinal() || notation == Notation.GOOGLE.ordinal());
        require(check.count <= MAX_PACKED && check.triggers <= MAX_PACKED);
        return check.rules();
    }

    private int rules() {
        long starred = (front & FRONT_STARRED) != 0 ? mask(masks) : 0;
        require((starred & ~all) == 0 && (starred != 0 || (front & FRONT_STARRED) == 0));
        long wild = triggers == 0 ? 0 : mask(wildAt);
        require((wild & ~all) == 0);
        int first = wildAt + (triggers == 0 ? 0 : width + triggers * (2 + width));
        int offset = first;
        int fallback = u8(8);
        require(fallback != 1);
        long highest = Long.MAX_VALUE;
        int longest = 0;
        for (int rule = 0; rule < count; rule++) {
            int word = word(rule);
            int length = (word(rule + 1) & OFFSET) - (word & OFFSET);
            require((word & OFFSET) == offset && length >= 0 && length <= MAX_LENGTH);
            boolean isAnchored = (word & 0x4000) != 0;
            boolean isStarred = (starred >>> rule & 1) != 0;
            boolean isWild = text(offset, length) >= 0;
            require(!(isAnchored && isStarred) && isWild == ((wild >>> rule & 1) != 0));
            long priority = 2L * (length + (isAnchored ? 1 : 0) + (isStarred ? 1 : 0)) + (word >>> 15);
            require(priority >= 2 && priority <= highest && priority > fallback);
            highest = priority;
            longest = Math.max(longest, length);
            columns(rule, offset, length);
            offset += length;
        }
        require(word(count) == offset && offset - first <= MAX_TEXTS);
        require(u8(4) == (wild != 0 ? REACH_ALL : Math.max(longest + 1, MIN_REACH)));
        triggers(wild);
        return offset;
    }

    /** Checks the bytes of a text, and returns the place of its first star, or -1. */
    private int text(int at, int length) {
        int star = -1;
        for (int n = 0; n < length; n++) {
            int octet = u8(at + n);
            require(octet > 0 && octet < 0x80);
            if (octet == '*' && star < 0) {
                star = n;
            }
            boolean isEscape = octet == '%' && n + 2 < length && u8(at + n + 1) == '2';
            int digit = isEscape ? u8(at + n + 2) : 0;
            require((front & 7) != Notation.REP.ordinal() || digit != 'A' && digit != '4');
        }
        require(length == 0 || u8(at + length - 1) != '*');
        return star;
    }

    private void columns(int rule, int at, int length) {
        int star = text(at, length);
        int prefix = star < 0 ? length : star;
        for (int column = 0; column < COLUMNS; column++) {
            int place = u8(5 + column);
            require(u8(HEAD + column * count + rule) == (place < prefix ? u8(at + place) : 0));
        }
    }

    /** Each wild rule waits for one trigger, which occurs behind its prefix, in one piece. */
    private void triggers(long wild) {
        long waiting = 0;
        for (int number = 0; number < triggers; number++) {
            int at = wildAt + width + number * (2 + width);
            int first = u8(at);
            int second = u8(at + 1);
            long mask = mask(at + 2);
            require(first != 0 && second != 0 == number < pairs);
            require(mask != 0 && (mask & ~all) == 0 && (mask & waiting) == 0);
            waiting |= mask;
            for (int rule = 0; rule < count; rule++) {
                require((mask >>> rule & 1) == 0 || holds(rule, first, second));
            }
        }
        require(waiting == wild);
    }

    private boolean holds(int rule, int first, int second) {
        int at = word(rule) & OFFSET;
        int length = (word(rule + 1) & OFFSET) - at;
        // A trigger of a star is none: no segment has one.
        if (first == '*' || second == '*') {
            return false;
        }
        int star = text(at, length);
        for (int n = star + 1; star >= 0 && n < length; n++) {
            if (u8(at + n) == first && (second == 0 || n + 1 < length && u8(at + n + 1) == second)) {
                return true;
            }
        }
        return false;
    }
}
