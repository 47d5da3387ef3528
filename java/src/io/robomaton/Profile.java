package io.robomaton;

/** The dialect that an image was compiled under (SPEC.md section 8, "Profiles"). */
public enum Profile {
    /** All supported languages. */
    FULL(Notation.REP, AgentRule.TOKEN, 86_400),
    /** The conventional records, by RFC 9309. */
    RFC9309(Notation.REP, AgentRule.TOKEN, 86_400),
    /** The conventional records, with the answers of google/robotstxt. */
    GOOGLE(Notation.GOOGLE, AgentRule.VERBATIM, 86_400),
    /** The Internet-Draft of 1996. */
    KOSTER(Notation.KOSTER, AgentRule.SUBSTRING, 604_800);

    private static final Profile[] ALL = values();

    final Notation notation;
    final AgentRule agentRule;
    final long freshFor;

    Profile(Notation notation, AgentRule agentRule, long freshFor) {
        this.notation = notation;
        this.agentRule = agentRule;
        this.freshFor = freshFor;
    }

    /** The profile with this number, or null. */
    static Profile of(int number) {
        return number < ALL.length ? ALL[number] : null;
    }

    /** True if {@code /robots.txt} is allowed whatever the rules say. */
    boolean allowsRobotsTxt() {
        return this != GOOGLE;
    }
}
