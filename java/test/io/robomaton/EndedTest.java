package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assume.assumeNotNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The program asks at the time when it begins, as the command does, so what has ended permits nothing. */
public class EndedTest {
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

    @Test
    public void whatHasEndedPermitsNothing() throws Exception {
        assumeNotNull(COMMAND);
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
