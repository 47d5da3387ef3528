package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assume.assumeNotNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Answers about uses, of images that the command makes which ROBOMATON_COMMAND names: what has ended,
 * what may not be fetched for a purpose, and what is damaged permits nothing.
 */
public class UsesTest {
    private static final String COMMAND = System.getenv("ROBOMATON_COMMAND");
    private static final List<String> URLS = List.of("https://a.example/ended", "https://a.example/lasting");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static String page(String url, String until) {
        return """
                {"url":"%s","status":200,"fetched_at":1790000000,"body":"<html></html>",\
                "headers":{"Content-Type":"text/html","X-Robots-Tag":"unavailable_after: %s"}}
                """.formatted(url, until);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.getRoot().toPath().resolve(name), text);
    }

    /** The output of a program whose standard input is a file. */
    private static String run(Path in, String... line) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(line)
                .redirectInput(in.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(String.join(" ", line), 0, process.waitFor());
        return out;
    }

    @Before
    public void needsTheCommand() {
        assumeNotNull(COMMAND);
    }

    /** An image of one site, {@code https://h.example}. */
    private Path image(String text) throws IOException, InterruptedException {
        String body = text.replace("\n", "\\n");
        Path captures = file("one.jsonl", """
                {"url":"https://h.example/robots.txt","status":200,"fetched_at":1790000000,"body":"%s"}
                """.formatted(body));
        Path image = folder.getRoot().toPath().resolve("one.rimg");
        run(captures, COMMAND, "compile", captures.toString(), "-o", image.toString());
        return image;
    }

    /** Whether a URL may be fetched is asked for the purpose of the question. */
    @Test
    public void whatMayNotBeFetchedForAPurpose() throws Exception {
        Path path = image("ACAP-crawler: *\nACAP-usage-purpose: news\nACAP-disallow-crawl: /x\n"
                + "User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n");
        RobomatonImage image = RobomatonImage.open(path);
        Usage training = image.usage("ai-train");
        List<Decision> decisions = new ArrayList<>();
        for (String url : List.of("https://h.example/x", "https://h.example/y")) {
            Path urls = file("urls", url + "\n");
            for (String purpose : List.of("news", "ads")) {
                Verdict verdict = image.decide(image.crawler("bot"), training.forPurpose(purpose), url);
                String asked = run(urls, COMMAND, "query", path.toString(), "--agent", "bot", "--usage", "ai-train",
                        "--purpose", purpose);
                assertEquals(asked, verdict.safeDecision() + "\t" + url + "\n");
                decisions.add(verdict.decision());
            }
        }
        assertEquals(
                List.of(Decision.UNKNOWN, Decision.ALLOWED, Decision.ALLOWED, Decision.ALLOWED), decisions);
    }

    /** Where a page refuses to be crawled, not all is allowed, although there is no robots.txt. */
    @Test
    public void aPageThatRefusesIsARule() throws Exception {
        String robots = "{\"url\":\"https://%s.example/robots.txt\",\"status\":404,\"fetched_at\":1790000000}\n";
        Path captures = file("pages.jsonl", robots.formatted("a") + robots.formatted("b") + """
                {"url":"https://a.example/p","status":200,"fetched_at":1790000000,\
                "headers":{"Content-Type":"text/html"},\
                "body":"<html><meta name='robots' content='ACAP disallow-crawl'></html>"}
                """);
        Path path = folder.getRoot().toPath().resolve("pages.rimg");
        run(captures, COMMAND, "compile", "--pages", captures.toString(), "-o", path.toString());
        RobomatonImage image = RobomatonImage.open(path);
        RobotRules refuses = RobotRules.of(image, image.crawler("bot"), "https://a.example/");
        assertEquals(false, refuses.isAllowAll() || refuses.isAllowed("https://a.example/p"));
        assertEquals(true, RobotRules.of(image, image.crawler("bot"), "https://b.example/").isAllowAll());
    }

    /** A META tag of ACAP that names a crawler whole has its conditions and its rule. */
    @Test
    public void conditionsOfTagsWithWholeNames() throws Exception {
        for (String name : List.of("Bot/1.0", "Acme News", "Mozilla/5.0 (compatible; Bot/1.0)")) {
            String url = "https://a.example/p";
            Path captures = file("tags.jsonl", """
                    {"url":"https://a.example/robots.txt","status":200,"fetched_at":1790000000,"body":"User-agent: *"}
                    {"url":"%s","status":200,"fetched_at":1790000000,"headers":{"Content-Type":"text/html"},\
                    "body":"<html><meta name='%s' content='ACAP allow-index time-limit=3-days'></html>"}
                    """.formatted(url, name));
            Path path = folder.getRoot().toPath().resolve("tags.rimg");
            run(captures, COMMAND, "compile", "--force", "--pages", captures.toString(), "-o", path.toString());
            RobomatonImage image = RobomatonImage.open(path);
            Verdict verdict = image.decide(image.crawler(name), image.usage("index"), url);
            assertEquals(name, Decision.CONDITIONAL, verdict.decision());
            assertEquals(name, 1, verdict.conditions().size());
            assertEquals(name, 1, verdict.rules().size());
        }
    }

    /** Records that cannot be decoded permit nothing, and are no silence. */
    @Test
    public void damagedRecordsAreDamage() throws Exception {
        byte[] bytes = Files.readAllBytes(image("User-agent: bot\nContent-Signal: search=no\nDisallow: /z\n"));
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("Content-Signal");
        assertEquals(Basis.PREFERENCES, ofBot(bytes).basis());
        assertEquals(Decision.DISALLOWED, ofBot(bytes).decision());
        Arrays.fill(bytes, at - 40, at, (byte) 0xff);
        assertEquals(Basis.DAMAGED, ofBot(bytes).basis());
        assertEquals(Decision.UNKNOWN, ofBot(bytes).decision());
    }

    private static Verdict ofBot(byte[] bytes) {
        RobomatonImage image = RobomatonImage.of(bytes);
        return image.decide(image.crawler("bot").namedOnly(true), image.usage("search"), "https://h.example/a");
    }

    @Test
    public void whatHasEndedPermitsNothing() throws Exception {
        Path captures = file("captures.jsonl",
                "{\"url\":\"https://a.example/robots.txt\",\"status\":200,\"fetched_at\":1790000000,"
                        + "\"body\":\"User-agent: *\\nContent-Usage: search=y\\nAllow: /\\n\"}\n"
                        + page(URLS.get(0), "2020-01-01") + page(URLS.get(1), "2090-01-01"));
        Path urls = file("urls", String.join("\n", URLS) + "\n");
        String image = folder.getRoot().toPath().resolve("image.rimg").toString();
        run(urls, COMMAND, "compile", "--pages", captures.toString(), "-o", image);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("java.class.path");
        String found = run(urls, java, "-cp", classes, "io.robomaton.Query", image, "bot", "index");
        assertEquals("disallowed\t" + URLS.get(0) + "\nconditional\t" + URLS.get(1) + "\n", found);
        // Without a time, nothing has ended.
        RobomatonImage open = RobomatonImage.open(Path.of(image));
        Verdict verdict = open.decide(open.crawler("bot"), open.usage("index"), URLS.get(0));
        assertNotEquals(Decision.DISALLOWED, verdict.decision());
    }
}
