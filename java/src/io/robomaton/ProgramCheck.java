package io.robomaton;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;

/**
 * Checks that a program of tries is well-formed (I14 of SPEC.md, section 9), node by node; packed ones
 * are {@link PackedCheck}'s. Whatever is wrong throws {@link Damage}, or an index outside the section.
 *
 * <p>It takes time linear in the program, does not recurse, and does not know the rules that a program
 * was built from.
 */
final class ProgramCheck extends Cursor {
    private static final int FRONT_SCOPED = 8;
    private static final int FRONT_TAILS = 16;
    private static final int FRONT_SILENCE = 0x60;
    private static final int NOTATIONS = 4;
    private static final int MAX_STEPS = 8192;
    private static final int FILTERS = 33;
    private static final int NODE_QUEUE = 1;
    private static final int NODE_EXTRA = 16;
    private static final int EXPLICIT = 3;
    private static final int FORMS = 6;
    private static final int STEP_FAR = 7;

    private final int start;
    private int prefixes;
    private long steps;
    private long highest;
    // As the program states them; without tails there are none.
    private long stateCount;
    private long queueCount;
    private final BitSet queues = new BitSet();
    /** The highest state for which a step waits, or -1, and the queues. */
    private long awaited = -1;
    private final BitSet queued = new BitSet();
    /** The numbers of the states that prefixes and steps lead to. */
    private final BitSet states = new BitSet();
    /** The lists of these states, of which there are no more than steps. */
    private long[] lists = new long[16];
    private int listCount;

    private ProgramCheck(ByteBuffer of, int from) {
        bytes = of;
        start = from;
        at = from + 1;
    }

    /** The length of a valid program. */
    static int length(Section programs, long offset) {
        ByteBuffer bytes = programs.piece(offset);
        int from = programs.place(offset);
        if (bytes.get(from) < 0) {
            return PackedCheck.length(bytes, from);
        }
        return new ProgramCheck(bytes, from).length();
    }

    static void require(boolean holds) {
        if (!holds) {
            throw Damage.FOUND;
        }
    }

    /** True for a known silence, which a scoped program does not have. */
    static boolean isKnown(int front) {
        int silence = front & FRONT_SILENCE;
        return (front & 7) < NOTATIONS && silence <= 0x20 && (silence == 0 || (front & FRONT_SCOPED) == 0);
    }

    private int u8() {
        return bytes.get(at++) & 0xFF;
    }

    private int length() {
        int front = bytes.get(start);
        require(isKnown(front));
        if ((front & FRONT_TAILS) == 0) {
            trie(false);
            require(prefixes == 0);
            return at - start;
        }
        at += FILTERS - 1;
        int log = u8();
        require(log >= 7 && log <= 19);
        at += (1 << log) / 8;
        stateCount = varint();
        queueCount = varint();
        long stepCount = varint();
        long top = varint();
        long ofLiterals = varint();
        long ofSegments = varint();
        require(stateCount <= stepCount && queueCount <= stepCount && stepCount <= MAX_STEPS);
        int literals = at;
        trie(false);
        require(at - literals == ofLiterals);
        int segments = at;
        trie(true);
        require(at - segments == ofSegments);
        int end = at;
        filters(segments, log);
        at = end;
        lists(stepCount);
        require(steps == stepCount && highest == top);
        require(states.cardinality() == stateCount && awaited < stateCount);
        require(queues.cardinality() == queueCount && queued.cardinality() == queueCount);
        return at - start;
    }

    /** Adds a number to some that are below a count; false if it is there already. */
    private static boolean add(BitSet numbers, long number, long count) {
        require(number < count);
        boolean isNew = !numbers.get((int) number);
        numbers.set((int) number);
        return isNew;
    }

    /**
     * Reads the trie that begins here, and moves behind it. Children only stand behind their node, and
     * nodes end to end, so each is read once, however many nodes have it as a child.
     */
    private void trie(boolean isOfSegments) {
        int root = at;
        Ahead ahead = new Ahead();
        ahead.add(root);
        while (!ahead.isEmpty()) {
            int node = ahead.poll();
            require(node == at);
            while (!ahead.isEmpty() && ahead.first() == node) {
                require(!isOfSegments);
                ahead.poll();
            }
            if (node != root) {
                skip(varint());
            }
            int flags = u8();
            boolean ends = (flags & NODE_EXTRA) != 0;
            if (isOfSegments) {
                boolean isQueue = (flags & NODE_QUEUE) != 0;
                require((flags & 0xE) == 0 && (ends || !isQueue) && !(ends && node == root));
                if (isQueue) {
                    require(add(queues, varint(), queueCount));
                } else if (ends) {
                    ownSteps();
                }
            } else {
                literal(flags);
            }
            children(flags >> 5, isOfSegments, ahead);
        }
    }

    private void skip(long count) {
        require(count < bytes.capacity() - at);
        at += (int) count;
    }

    private void children(int form, boolean isOfSegments, Ahead ahead) {
        require(form < FORMS);
        int count = form >= 2 ? u8() + 1 : form;
        int last = -1;
        for (int child = 0; child < count; child++) {
            int octet = u8();
            require(octet > last);
            last = octet;
        }
        int width = Math.max(form - 1, 0);
        int table = at;
        int end = table + count * width;
        for (int child = 0; child < count; child++) {
            long offset = 0;
            for (int n = 0; n < width; n++) {
                offset |= (bytes.get(table + child * width + n) & 0xFFL) << 8 * n;
            }
            require(!isOfSegments || child > 0 || offset == 0);
            require(offset < bytes.capacity() - end);
            ahead.add(end + (int) offset);
        }
        at = end;
    }

    private void literal(int flags) {
        for (int form : new int[] {flags & 3, flags >> 2 & 3}) {
            require(form != EXPLICIT || varint() >= 2);
        }
        if ((flags & NODE_EXTRA) != 0) {
            prefixes++;
            long number = varint() - 1;
            long list = varint() - 1;
            require(number >= 0 || list >= 0);
            reach(number, list);
        }
    }

    /** Only one prefix or step leads to a state. */
    private void reach(long number, long list) {
        require(number < 0 || add(states, number, stateCount));
        if (list >= 0) {
            require(listCount < MAX_STEPS);
            if (listCount == lists.length) {
                lists = Arrays.copyOf(lists, 2 * listCount);
            }
            lists[listCount++] = list;
        }
    }

    // The step that was read last.
    private long waits;
    private long leadsTo;
    private long leadsToList;
    private boolean more;

    private void step() {
        int flags = u8();
        waits = flags >> 5 == STEP_FAR ? varint() : flags >> 5;
        for (int bit = 1; bit <= 2; bit++) {
            if ((flags & bit) != 0) {
                long priority = varint();
                require(priority >= 2);
                highest = Math.max(highest, priority);
            }
        }
        leadsTo = (flags & 4) != 0 ? varint() : -1;
        leadsToList = (flags & 8) != 0 ? varint() : -1;
        more = (flags & 16) != 0;
        reach(leadsTo, leadsToList);
        steps++;
    }

    /** The steps of a rare segment, which may be taken again: the state needs a number. */
    private void ownSteps() {
        do {
            step();
            require(leadsToList < 0 || leadsTo >= 0);
            awaited = Math.max(awaited, waits);
        } while (more);
    }

    /** The lists, end to end. A step leads only to a list before its own. */
    private void lists(long stepCount) {
        int first = at;
        long[] starts = new long[(int) Math.max(0, stepCount - steps)];
        int count = 0;
        while (steps < stepCount) {
            long own = at - first;
            starts[count++] = own;
            do {
                step();
                require(leadsToList < own);
                add(queued, waits, queueCount);
            } while (more);
        }
        Arrays.sort(lists, 0, listCount);
        require(Arrays.equals(starts, 0, count, lists, 0, listCount));
    }

    /** A node of segments near the root, and the bytes that end the segments below it. */
    private record Above(int node, int last, int before) {}

    /** The filters must be exactly those of the last two bytes of the segments. */
    private void filters(int root, int log) {
        byte[] filters = new byte[FILTERS - 1];
        BitSet pairs = new BitSet();
        Deque<Above> above = new ArrayDeque<>();
        above.push(new Above(root, -1, -1));
        while (!above.isEmpty()) {
            Above up = above.pop();
            at = up.node;
            int flags = u8();
            if ((flags & NODE_EXTRA) != 0) {
                add(filters, 0, up.last);
                add(filters, 16, up.last);
                skipEnd(flags);
            }
            int form = flags >> 5;
            int count = form >= 2 ? u8() + 1 : form;
            int table = at;
            int width = Math.max(form - 1, 0);
            int end = table + count * (1 + width);
            for (int child = 0; child < count; child++) {
                long offset = 0;
                for (int n = 0; n < width; n++) {
                    offset |= (bytes.get(table + count + child * width + n) & 0xFFL) << 8 * n;
                }
                at = end + (int) offset;
                below(bytes.get(table + child) & 0xFF, up, filters, pairs, above);
            }
        }
        int least = 7;
        while (1 << least < 8 * pairs.cardinality()) {
            least++;
        }
        require(log == least);
        byte[] bits = new byte[(1 << log) / 8];
        for (int pair = pairs.nextSetBit(0); pair >= 0; pair = pairs.nextSetBit(pair + 1)) {
            int bit = pair * 0x9E3779B1 >>> 32 - log;
            bits[bit / 8] |= (byte) (1 << bit % 8);
        }
        byte[] found = new byte[FILTERS - 1];
        bytes.get(start + 1, found);
        byte[] foundBits = new byte[bits.length];
        bytes.get(start + 1 + FILTERS, foundBits);
        require(Arrays.equals(found, filters) && Arrays.equals(foundBits, bits));
    }

    /** Reads the label of a child, the last byte of which comes first. */
    private void below(int octet, Above up, byte[] filters, BitSet pairs, Deque<Above> above) {
        int rest = (int) varint();
        int node = at + rest;
        int last = up.last < 0 ? octet : up.last;
        int before = up.last < 0 ? -1 : octet;
        if (before < 0 && rest > 0) {
            before = bytes.get(node - 1) & 0xFF;
        }
        if (before < 0) {
            above.push(new Above(node, last, before));
        } else {
            add(filters, 0, last);
            pairs.set(before | last << 8);
        }
    }

    private static void add(byte[] filters, int from, int octet) {
        filters[from + (octet & 127) / 8] |= (byte) (1 << octet % 8);
    }

    private void skipEnd(int flags) {
        if ((flags & NODE_QUEUE) != 0) {
            varint();
            return;
        }
        int step;
        do {
            step = u8();
            int numbers = Integer.bitCount(step & 15) + (step >> 5 == STEP_FAR ? 1 : 0);
            for (int n = 0; n < numbers; n++) {
                varint();
            }
        } while ((step & 16) != 0);
    }
}
