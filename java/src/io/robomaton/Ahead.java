package io.robomaton;

import java.util.Arrays;

/** Offsets that are still to be visited, the lowest first: a binary heap. An offset may be in it twice. */
final class Ahead {
    private int[] heap = new int[16];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** The lowest offset. */
    int first() {
        return heap[0];
    }

    void add(int offset) {
        if (count == heap.length) {
            heap = Arrays.copyOf(heap, 2 * count);
        }
        int place = count++;
        while (place > 0 && heap[(place - 1) / 2] > offset) {
            heap[place] = heap[(place - 1) / 2];
            place = (place - 1) / 2;
        }
        heap[place] = offset;
    }

    /** Takes the lowest offset out. */
    int poll() {
        int lowest = heap[0];
        int offset = heap[--count];
        int place = 0;
        int child = 1;
        while (child < count) {
            if (child + 1 < count && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= offset) {
                break;
            }
            heap[place] = heap[child];
            place = child;
            child = 2 * place + 1;
        }
        heap[place] = offset;
        return lowest;
    }
}
