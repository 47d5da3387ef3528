package io.robomaton;

/**
 * The computed part of an answer, packed into an int, so that no question allocates one: bits 0-3
 * decision, 4-7 basis, 8-11 outcome, bit 12 incomplete.
 */
final class Answer {
    static final int NO_SITE = of(Decision.UNKNOWN, Basis.NO_SITE);
    static final int NO_URL = of(Decision.UNKNOWN, Basis.NO_URL);
    static final int DAMAGED = of(Decision.UNKNOWN, Basis.DAMAGED);
    private static final int INCOMPLETE = 1 << 12;

    private Answer() {}

    static int of(Decision decision, Basis basis) {
        return decision.ordinal() | basis.ordinal() << 4;
    }

    static int ofOutcome(Decision decision, Outcome outcome) {
        return of(decision, Basis.OUTCOME) | outcome.ordinal() << 8;
    }

    static int incomplete(int answer, boolean incomplete) {
        return incomplete ? answer | INCOMPLETE : answer & ~INCOMPLETE;
    }

    static Decision decision(int answer) {
        return Decision.ALL[answer & 15];
    }

    static Basis basis(int answer) {
        return Basis.ALL[answer >> 4 & 15];
    }

    static Outcome outcome(int answer) {
        return Outcome.of(answer >> 8 & 15);
    }

    static boolean isIncomplete(int answer) {
        return (answer & INCOMPLETE) != 0;
    }
}
