package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Wrong arguments, of methods and of commands, are refused in words. */
public class ArgumentsTest {
    private static final String IMAGE = Conformance.IMAGES.resolve("small.rimg").toString();

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static void assertRefused(String what, org.junit.function.ThrowingRunnable call) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message, message.contains(what));
    }

    @Test
    public void namesOfNoCrawlerAreRefused() throws IOException {
        RobomatonImage image = RobomatonImage.open(Path.of(IMAGE));
        assertRefused("without names", image::crawler);
        assertRefused("\"\" names no crawler", () -> image.crawler(""));
        assertRefused("\"/1.0\" names no crawler", () -> image.crawler("a", "/1.0"));
        assertRefused("User-Agent header", () -> image.crawler("Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0"));
        for (String name : List.of("*", "a", "a, *", "Mozilla/5.0 (compatible; A/1.2; +https://a.example/bot)")) {
            assertTrue(name, !image.crawler(name).names().isEmpty());
        }
        // Where names are compared as they are, the empty one is a name, too.
        RobomatonImage google = RobomatonImage.open(Conformance.IMAGES.resolve("small-google.rimg"));
        assertEquals(List.of(""), google.crawler("").names());
    }

    @Test
    public void limitsBelowZeroAreRefused() throws IOException {
        Site site = RobomatonImage.open(Path.of(IMAGE)).site("http://zplain.example/").orElseThrow();
        assertRefused("-1", () -> site.text(-1));
        assertEquals(0, site.text(0).orElseThrow().length);
    }

    /** White space at the ends of a path alone is no part of it, as at those of a URL. */
    @Test
    public void whiteSpaceAroundAPathIsDropped() throws IOException {
        RobomatonImage image = RobomatonImage.open(Path.of(IMAGE));
        Site site = image.site("http://zplain.example/").orElseThrow();
        for (String path : List.of("/private", " /private", "\t /private\u000b", " http://zplain.example/private ")) {
            assertEquals(path, Decision.DISALLOWED, site.decide(image.crawler("*"), Usage.CRAWL, path).decision());
        }
    }

    @Test
    public void timesBefore1970AreRefused() {
        assertRefused("-2", () -> Terms.DEFAULT.at(-2));
        assertRefused("before 1970", () -> Terms.DEFAULT.at(Long.MIN_VALUE));
        assertEquals(Terms.DEFAULT, Terms.DEFAULT.at(0).at(Terms.NO_TIME));
    }

    /** The exit code of a command, and the lines of its output and of its errors. */
    private record Ended(int code, List<String> out, List<String> err) {}

    private Ended run(String stdin, Class<?> command, String... args) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", System.getProperty("java.class.path"), command.getName()));
        line.addAll(List.of(args));
        Path in = Files.writeString(folder.getRoot().toPath().resolve("in"), stdin);
        Path out = folder.getRoot().toPath().resolve("out");
        Path err = folder.getRoot().toPath().resolve("err");
        ProcessBuilder builder = new ProcessBuilder(line).redirectInput(in.toFile()).redirectOutput(out.toFile());
        int code = builder.redirectError(err.toFile()).start().waitFor();
        return new Ended(code, Files.readAllLines(out, StandardCharsets.UTF_8), Files.readAllLines(err));
    }

    private void assertFails(String what, Class<?> command, String... args) throws Exception {
        Ended ended = run("https://x.example/\n", command, args);
        assertEquals(ended.toString(), 2, ended.code);
        assertEquals(ended.toString(), 1, ended.err.size());
        assertTrue(ended.toString(), ended.out.isEmpty() && ended.err.get(0).contains(what));
    }

    @Test
    public void commandsFailInOneLine() throws Exception {
        assertFails("usage: ", Query.class, IMAGE);
        assertFails("usage: ", Query.class, IMAGE, "a", "crawl", "more");
        assertFails("/no/image.rimg: no such file", Query.class, "/no/image.rimg", "a");
        assertFails("I1, ", Query.class, "pom.xml", "a");
        assertFails("did you mean \"crawl\"?", Query.class, IMAGE, "a", "crwal");
        assertFails("names no crawler", Query.class, IMAGE, "");
        assertFails("/no/urls: no such file", Measure.class, IMAGE, "a", "/no/urls");
    }

    @Test
    public void linesAreTrimmed() throws Exception {
        String urls = "\n \t\n\f http://zplain.example/a \r\nhttp://zplain.example/private/\rx\u2003";
        Ended ended = run(urls, Query.class, IMAGE, "a");
        String out = "allowed\thttp://zplain.example/a\ndisallowed\thttp://zplain.example/private/\rx\u2003";
        assertEquals(ended.toString(), List.of(out.split("[\n\r]")), ended.out);
    }

    @Test
    public void rulesStandBehindTheUrl() throws Exception {
        Ended crawl = run("http://zplain.example/private/x\n", Query.class, IMAGE, "a", "--rules");
        assertEquals(List.of("disallowed\thttp://zplain.example/private/x\t2: Disallow: /p"), crawl.out);
        String urls = "http://zplain.example/private/x\nhttps://zpage.example/p\nhttps://\u05D0.example/\n";
        Ended ended = run(urls, Query.class, IMAGE, "a", "present", "--rules");
        assertEquals("unknown\thttp://zplain.example/private/x", ended.out.get(0));
        assertEquals("disallowed\thttps://zpage.example/p\t3 of the page: META ACAP disallow-present", ended.out.get(1));
        // What this reader cannot map is no verdict, and said.
        assertEquals("unknown\thttps://\u05D0.example/", ended.out.get(2));
        assertTrue(ended.toString(), ended.code == 2 && ended.err.size() == 1 && ended.err.get(0).contains("punycode"));
    }
}
