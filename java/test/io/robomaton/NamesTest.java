package io.robomaton;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;

/** The names under which a crawler is looked for (SPEC.md section 8, "Agent rules"). */
public class NamesTest {
    @Test
    public void aHeaderIsLookedUpAsEachOfItsNames() {
        assertEquals(
                List.of("\"mozilla/5.0 (compatible; foo/1.0)\"", "\"foo\"", "foo", "foo*", "fo*", "f*"),
                AgentRule.TOKEN.lookupNames("Mozilla/5.0 (compatible; Foo/1.0)"));
        // Words without a comment are one more name only as a whole.
        assertEquals(
                List.of("\"ab/1 cd/2\"", "ab", "ab*", "a*", "cd", "cd*", "c*"),
                AgentRule.TOKEN.lookupNames("Ab/1 Cd/2"));
    }

    @Test
    public void whoAsksAsAStarHasNoName() {
        assertEquals("", AgentRule.SUBSTRING.reduce(" * "));
        assertEquals("", AgentRule.SUBSTRING.reduce("*/1"));
        assertEquals("*b", AgentRule.SUBSTRING.reduce("*B"));
    }
}
