package io.robomaton;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Runs a program of tries on one target (SPEC.md section 6, "The walk"): literals from the start of
 * the target, then the segments that end at each of its places.
 *
 * <p>Invariants: offsets only grow; a step enters its queue once and leaves it once; the space is that
 * of {@code MAX_STEPS} steps; damage throws. It does not know what a priority means: a ranked program
 * keeps the highest, a scoped one gives all to {@link Matched}.
 */
final class Walk extends Cursor {
    static final int MAX_STEPS = 8192;
    private static final int NEVER = Integer.MAX_VALUE;
    private static final int AFTER_PREFIX = 0;
    private static final int AFTER_SEGMENT = 1;

    private byte[] target;
    private int length;
    private long best;
    private Matched matched;

    private int filters;
    private int log;
    private int pairs;
    private long highest;
    private int root;
    private int lists;
    private int states;
    private int queues;

    /** The place at which each numbered state was reached. */
    private int[] reached = new int[32];
    /** First and last waiter of both lines of each queue, and its last anchored one; all plus one. */
    private int[] lines = new int[5 * 32];
    /** Step, place and next one of each waiter, then the same of each anchored one. */
    private int[] waiters = new int[3 * 32];
    private int[] anchored = new int[3 * 32];
    private int waiting;
    private int waitingAnchored;

    // The step that was read last.
    private long waits;
    private long open;
    private long closed;
    private long leadsTo;
    private long leadsToList;
    private boolean more;

    /** The highest priority of a ranked program, or 0; for a scoped one all go to {@code into}. */
    long run(ByteBuffer program, int from, byte[] of, int size, Matched into) {
        bytes = program;
        target = of;
        length = size;
        matched = into;
        best = 0;
        at = from;
        boolean hasTails = (next() & 0x10) != 0;
        if (hasTails) {
            header();
        }
        int start = literals(hasTails);
        if (hasTails && start != NEVER && !isSettled()) {
            segments(start);
        }
        return best;
    }

    @Override
    void release() {
        super.release();
        matched = null;
    }

    private void header() {
        filters = at;
        log = bytes.get(at + 32);
        if (log < 7 || log > 19) {
            throw Damage.FOUND;
        }
        pairs = at + 33;
        at = pairs + (1 << log) / 8;
        states = count();
        queues = count();
        int steps = count();
        highest = varint();
        long ofLiterals = varint();
        long ofSegments = varint();
        if (states > steps || queues > steps || ofLiterals + ofSegments > Integer.MAX_VALUE - at) {
            throw Damage.FOUND;
        }
        root = at + (int) ofLiterals;
        lists = root + (int) ofSegments;
        if (reached.length < steps) {
            int room = Math.min(MAX_STEPS, 2 * steps);
            reached = new int[room];
            lines = new int[5 * room];
            waiters = new int[3 * room];
            anchored = new int[3 * room];
        }
        Arrays.fill(reached, 0, states, NEVER);
        Arrays.fill(lines, 0, 5 * queues, 0);
        waiting = 0;
        waitingAnchored = 0;
    }

    private int count() {
        long count = varint();
        if (count > MAX_STEPS) {
            throw Damage.FOUND;
        }
        return (int) count;
    }

    private int next() {
        return bytes.get(at++) & 0xFF;
    }

    private int offset() {
        long offset = varint();
        if (offset > Integer.MAX_VALUE) {
            throw Damage.FOUND;
        }
        return (int) offset;
    }

    private void take(long priority) {
        if (matched != null) {
            matched.take(priority);
        } else if (priority > best) {
            best = priority;
        }
    }

    private boolean isSettled() {
        return matched == null && best >= highest;
    }

    /** Walks the literals; returns the length of the shortest prefix that was met, or {@link #NEVER}. */
    private int literals(boolean hasTails) {
        int depth = 0;
        int start = NEVER;
        while (true) {
            int flags = next();
            if ((flags & 3) != 0) {
                take(priority(flags & 3, depth));
            }
            if ((flags & 0xC) != 0) {
                long priority = priority(flags >> 2 & 3, depth + 1);
                if (depth == length) {
                    take(priority);
                }
            }
            if ((flags & 0x10) != 0) {
                if (!hasTails) {
                    throw Damage.FOUND;
                }
                long number = varint() - 1;
                long list = varint() - 1;
                reach(number, list, depth, AFTER_PREFIX);
                start = Math.min(start, depth);
            }
            if (depth == length || !child(flags >> 5, target[depth])) {
                return start;
            }
            int rest = offset();
            if (rest > length - depth - 1 || !same(at, rest, depth + 1)) {
                return start;
            }
            at += rest;
            depth += 1 + rest;
        }
    }

    private boolean same(int label, int size, int from) {
        for (int n = 0; n < size; n++) {
            if (bytes.get(label + n) != target[from + n]) {
                return false;
            }
        }
        return true;
    }

    private long priority(int form, int rank) {
        return form == 3 ? varint() : 2L * rank + (form - 1);
    }

    /** Moves to the rest of the label of the child with this byte. */
    private boolean child(int form, byte wanted) {
        if (form == 0) {
            return false;
        }
        if (form == 1) {
            return bytes.get(at++) == wanted;
        }
        if (form > 5) {
            throw Damage.FOUND;
        }
        int count = next() + 1;
        int width = form - 1;
        for (int n = 0; n < count; n++) {
            if (bytes.get(at + n) == wanted) {
                int table = at + count;
                long offset = 0;
                for (int octet = width - 1; octet >= 0; octet--) {
                    offset = offset << 8 | bytes.get(table + n * width + octet) & 0xFF;
                }
                long child = table + (long) count * width + offset;
                if (child > Integer.MAX_VALUE) {
                    throw Damage.FOUND;
                }
                at = (int) child;
                return true;
            }
        }
        return false;
    }

    private boolean admits(int filter, int c) {
        return (bytes.get(filter + (c >> 3 & 15)) >> (c & 7) & 1) != 0;
    }

    private boolean admitsPair(int before, int c) {
        int bit = (before + 256 * c) * 0x9E3779B1 >>> 32 - log;
        return (bytes.get(pairs + (bit >> 3)) >> (bit & 7) & 1) != 0;
    }

    private void segments(int start) {
        for (int place = start; place < length; place++) {
            int c = target[place] & 0xFF;
            if (!admits(filters, c)) {
                continue;
            }
            int before = place == 0 ? 0 : target[place - 1] & 0xFF;
            if ((admitsPair(before, c) || admits(filters + 16, c)) && endsAt(start, place + 1)) {
                return;
            }
        }
    }

    /** Takes the steps of all segments that end here and begin at {@code start} or later. */
    private boolean endsAt(int start, int end) {
        at = root;
        int begin = end;
        while (true) {
            int flags = next();
            if ((flags & 0x10) != 0) {
                if ((flags & 1) != 0) {
                    int queue = offset();
                    int node = at;
                    inQueue(queue, begin, end);
                    at = node;
                } else {
                    atNode(begin, end);
                }
                if (isSettled()) {
                    return true;
                }
            }
            if (begin <= start || !child(flags >> 5, target[begin - 1])) {
                return false;
            }
            int rest = offset();
            if (rest > begin - 1 || !same(at, rest, begin - 1 - rest)) {
                return false;
            }
            at += rest;
            begin -= 1 + rest;
        }
    }

    private void step() {
        int flags = next();
        waits = flags >> 5 == 7 ? varint() : flags >> 5;
        open = (flags & 1) != 0 ? varint() : 0;
        closed = (flags & 2) != 0 ? varint() : 0;
        leadsTo = (flags & 4) != 0 ? varint() : -1;
        leadsToList = (flags & 8) != 0 ? varint() : -1;
        more = (flags & 16) != 0;
    }

    /** Takes the steps of a rare segment whose states have been reached. */
    private void atNode(int begin, int end) {
        boolean goesOn;
        do {
            step();
            goesOn = more;
            if (waits >= states) {
                throw Damage.FOUND;
            }
            if (reached[(int) waits] <= begin) {
                if (closed != 0 && end == length) {
                    take(closed);
                }
                int behind = at;
                lead(end);
                at = behind;
            }
        } while (goesOn);
    }

    /** Takes the steps that wait for a frequent segment. */
    private void inQueue(int queue, int begin, int end) {
        if (queue >= queues) {
            throw Damage.FOUND;
        }
        if (end == length) {
            for (int n = lines[5 * queue + 4]; n != 0; n = anchored[3 * n - 1]) {
                if (anchored[3 * n - 2] <= begin) {
                    at = anchored[3 * n - 3];
                    step();
                    take(closed);
                }
            }
        }
        for (int line = 5 * queue; line < 5 * queue + 4; line += 2) {
            for (int n = lines[line]; n != 0 && waiters[3 * n - 2] <= begin; n = lines[line]) {
                lines[line] = waiters[3 * n - 1];
                at = waiters[3 * n - 3];
                step();
                lead(end);
            }
        }
    }

    private void lead(int end) {
        if (open != 0) {
            take(open);
        }
        reach(leadsTo, leadsToList, end, AFTER_SEGMENT);
    }

    /** Records that a state has been reached, unless it was before; the steps of its list wait. */
    private void reach(long number, long list, int place, int after) {
        if (number >= 0) {
            if (number >= states) {
                throw Damage.FOUND;
            }
            if (reached[(int) number] != NEVER) {
                return;
            }
            reached[(int) number] = place;
        }
        if (list >= 0) {
            if (list > Integer.MAX_VALUE - lists) {
                throw Damage.FOUND;
            }
            int behind = at;
            at = lists + (int) list;
            await(place, after);
            at = behind;
        }
    }

    private void await(int place, int after) {
        do {
            int start = at;
            step();
            if (waits >= queues) {
                throw Damage.FOUND;
            }
            int queue = 5 * (int) waits;
            if (open != 0 || leadsTo >= 0 || leadsToList >= 0) {
                int number = add(waiters, waiting++, start, place, 0);
                int line = queue + 2 * after;
                if (lines[line] == 0) {
                    lines[line] = number;
                } else {
                    waiters[3 * lines[line + 1] - 1] = number;
                }
                lines[line + 1] = number;
            }
            if (closed != 0) {
                lines[queue + 4] = add(anchored, waitingAnchored++, start, place, lines[queue + 4]);
            }
        } while (more);
    }

    private static int add(int[] waiters, int count, int step, int place, int next) {
        if (3 * count >= waiters.length) {
            throw Damage.FOUND;
        }
        waiters[3 * count] = step;
        waiters[3 * count + 1] = place;
        waiters[3 * count + 2] = next;
        return count + 1;
    }
}
