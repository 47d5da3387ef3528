package io.robomaton;

import static org.junit.Assert.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /** Whoever sends a header chooses its length. Quadratic time would be minutes. */
    @Test(timeout = 60_000)
    public void longHeadersTakeLinearTime() {
        for (String comment : List.of("()", "(", ")", "(a b;)")) {
            String header = "Foo/1 " + comment.repeat(1 << 18);
            assertEquals(comment, List.of("Foo"), UserAgent.crawlers(header));
        }
        List<String> names = IntStream.range(0, 1 << 16).mapToObj(n -> "bot" + n).toList();
        String words = names.stream().collect(Collectors.joining("/1 "));
        assertEquals(names, UserAgent.crawlers("Mozilla/5.0 (compatible; " + words + ")"));
        assertEquals(names, UserAgent.crawlers(words));
    }

    @Test
    public void commentsEndWithTheirParentheses() {
        assertEquals(List.of("A", "B", "C"), UserAgent.crawlers("A/1 (x (y) z) B/1 (z; C/2"));
        assertEquals(List.of("A", "B", "C"), UserAgent.crawlers("(A/1)(B/1 (x))C"));
        assertEquals(List.of("A"), UserAgent.crawlers("A)(b)"));
        for (String header : List.of("", "()", "(", ")", "()()((", "(+https://example.com)")) {
            assertEquals(header, List.of(), UserAgent.crawlers(header));
        }
    }
}
