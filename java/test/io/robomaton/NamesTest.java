package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.Test;

/** The names under which a crawler is looked for (SPEC.md section 8, "Agent rules"). */
public class NamesTest {
    private static List<String> lookupNames(String given, long lengths) {
        LookupNames names = new LookupNames();
        AgentRule.TOKEN.addLookupNames(given, names);
        return names.in(lengths);
    }

    private static List<String> lookupNames(String given) {
        return lookupNames(given, LookupNames.ALL);
    }

    @Test
    public void aHeaderIsLookedUpAsEachOfItsNames() {
        assertEquals(
                List.of("\"mozilla/5.0 (compatible; foo/1.0)\"", "\"foo\"", "foo", "foo*", "fo*", "f*"),
                lookupNames("Mozilla/5.0 (compatible; Foo/1.0)"));
        // Words without a comment are one more name only as a whole.
        assertEquals(
                List.of("\"ab/1 cd/2\"", "ab", "ab*", "a*", "cd", "cd*", "c*"),
                lookupNames("Ab/1 Cd/2"));
    }

    /** In a newer Unicode it may be a letter of the name, so that another group answers. */
    @Test
    public void aCharacterThatTheJdkDoesNotKnowEndsNoName() {
        String unassigned = "\u0378";
        assertThrows(UnsupportedException.class, () -> lookupNames("Foo" + unassigned + "bot"));
        assertEquals(List.of("foo", "foo*", "fo*", "f*"), lookupNames("Foo/" + unassigned).subList(1, 5));
    }

    /** General names are not made in lengths that nobody has: that would be 64 for each word. */
    @Test
    public void generalNamesHaveTheLengthsOfOthers() {
        String longest = "x".repeat(64) + "*";
        List<String> values = List.of("f\u00E9*", "abc*", "longer*", "*", "f", longest, "y" + longest);
        long lengths = LookupNames.lengths(values);
        assertEquals(1L << 2 | 1L << 5 | 1L << 63, lengths);
        long ofBytes = 0;
        for (String value : values) {
            ofBytes |= LookupNames.length(value.getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(lengths, ofBytes);
        for (String given : List.of("F\u00E9e", "a, abcdefg, *", "x".repeat(70) + " y", "\uD835\uDC9Cb/1 (c/2)", "*")) {
            List<String> wanted = new ArrayList<>(lookupNames(given));
            wanted.removeIf(name -> name.endsWith("*") && name.length() > 1 && LookupNames.lengths(List.of(name)) == 0);
            wanted.removeIf(name -> (LookupNames.lengths(List.of(name)) & ~lengths) != 0);
            assertEquals(given, wanted, lookupNames(given, lengths));
        }
    }

    /** With all of their general names, these would be five million names. */
    @Test(timeout = 60_000)
    public void manyLongNamesAreFew() throws IOException {
        RobomatonImage image = RobomatonImage.open(Conformance.IMAGES.resolve("small.rimg"));
        String words = IntStream.range(0, 80_000).mapToObj(n -> n + "x".repeat(60)).collect(Collectors.joining(" "));
        LookupNames names = new LookupNames();
        AgentRule.TOKEN.addLookupNames(words, names);
        assertEquals(80_001, names.in(0).size());
        assertEquals(80_000, image.crawler(words).names().size());
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
