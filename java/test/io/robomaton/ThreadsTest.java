package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.junit.Test;

/**
 * The space that a thread keeps for questions: threads do not share it, questions allocate nothing beside
 * it, and it keeps no image.
 */
public class ThreadsTest {
    private static final String URL = "https://zacap.example/n/o/x.gif";
    /** Collections of garbage that a test waits for. */
    private static final int COLLECTIONS = 100;
    private static final int THREADS = 4;
    private static final int QUESTIONS_IN_A_ROW = 20_000;

    /** Each way to ask an image. */
    private static final Map<String, BiConsumer<RobomatonImage, Crawler>> QUESTIONS = Map.of(
            "isAllowed", (image, crawler) -> image.isAllowed(crawler, URL),
            "decide", (image, crawler) -> image.decide(crawler, image.usage("ai-train"), URL),
            "site", (image, crawler) -> assertTrue(image.site(URL).isPresent()),
            "document", (image, crawler) -> image.document(URL, "data.txt"),
            "decideDocument", (image, crawler) -> image.decideDocument("data.txt", crawler, Usage.CRAWL, URL),
            "decide of a site", (image, crawler) -> image.site(URL).get().decide(crawler, Usage.INDEX, "/n/o"),
            "rules", (image, crawler) -> image.decide(crawler, Usage.INDEX, URL).rules(),
            "requests", (image, crawler) -> image.decide(crawler, Usage.INDEX, URL).requests(),
            "an unsupported host", (image, crawler) -> assertThrows(
                    UnsupportedException.class, () -> image.isAllowed(crawler, "https://\u05D0.example/")));

    /** Asks an image that is garbage afterwards, and returns what maps it. */
    private static List<WeakReference<?>> ask(RobomatonImage image, BiConsumer<RobomatonImage, Crawler> question) {
        Crawler crawler = image.crawler("a");
        Shard shard = image.site(URL).orElseThrow().shard;
        question.accept(image, crawler);
        return List.of(
                new WeakReference<>(shard), new WeakReference<>(shard.policies.piece(0)),
                new WeakReference<>(shard.programs.piece(0)));
    }

    private static void assertGarbage(String what, List<WeakReference<?>> references) throws InterruptedException {
        for (int n = 0; n < COLLECTIONS && references.stream().anyMatch(of -> of.get() != null); n++) {
            System.gc();
            Thread.sleep(10);
        }
        references.forEach(of -> assertEquals(what + " keeps the image", null, of.get()));
    }

    @Test
    public void threadsKeepNoImage() throws IOException, InterruptedException {
        for (Map.Entry<String, BiConsumer<RobomatonImage, Crawler>> question : QUESTIONS.entrySet()) {
            RobomatonImage image = RobomatonImage.open(Conformance.IMAGES.resolve("small.rimg"));
            List<WeakReference<?>> references = ask(image, question.getValue());
            image = null;
            assertGarbage(question.getKey(), references);
        }
    }

    @Test
    public void damageKeepsNoImage() throws IOException, InterruptedException {
        byte[] bytes = Conformance.image("tries.rimg");
        Layout layout = RobomatonImage.of(bytes).site(URL).orElseThrow().shard.layout;
        int programs = (int) layout.at[Shard.PROGRAMS];
        // Each byte begins a program of tries, whose header is damaged.
        Arrays.fill(bytes, programs, programs + (int) layout.length[Shard.PROGRAMS], (byte) 0x70);
        RobomatonImage damaged = RobomatonImage.of(bytes);
        List<WeakReference<?>> references = ask(damaged, (image, crawler) ->
                assertEquals(Basis.DAMAGED, image.decide(crawler, Usage.CRAWL, URL).basis()));
        damaged = null;
        assertGarbage("damage", references);
    }

    @Test
    public void manyThreadsAnswerAsOne() throws Exception {
        RobomatonImage image = RobomatonImage.open(Conformance.IMAGES.resolve("tries.rimg"));
        List<Map<String, Object>> lines = Conformance.lines("answers");
        List<String> urls = lines.stream()
                .flatMap(line -> ((List<?>) line.get("answers")).stream())
                .map(answer -> (String) ((List<?>) answer).get(0))
                .distinct()
                .toList();
        assertTrue("urls " + urls.size(), urls.size() > 300);
        Crawler crawler = image.crawler("a");
        List<Usage> usages = List.of(Usage.CRAWL, image.usage("index"), image.usage("ai-train"));
        List<String> expected = answers(image, crawler, usages, urls, 0);
        assertTrue(new HashSet<>(expected).size() > 10);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<List<String>>> found = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                // Each begins elsewhere, so that they ask different questions at a time.
                int first = thread * urls.size() / THREADS;
                found.add(threads.submit(() -> answers(image, crawler, usages, urls, first)));
            }
            for (Future<List<String>> of : found) {
                assertEquals(expected, of.get());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** The answers about all URLs, asked from one of them on, in the order of the URLs. */
    private static List<String> answers(
            RobomatonImage image, Crawler crawler, List<Usage> usages, List<String> urls, int first) {
        String[] answers = new String[urls.size()];
        for (int n = 0; n < answers.length; n++) {
            int at = (first + n) % answers.length;
            String url = urls.get(at);
            StringBuilder answer = new StringBuilder().append(image.isAllowed(crawler, url));
            for (Usage usage : usages) {
                Verdict verdict = image.decide(crawler, usage, url);
                answer.append(' ').append(verdict.decision()).append(verdict.basis()).append(verdict.lines());
            }
            answers[at] = answer.toString();
        }
        return List.of(answers);
    }

    @Test
    public void isAllowedAllocatesNothing() throws IOException {
        RobomatonImage image = RobomatonImage.open(Conformance.IMAGES.resolve("tries.rimg"));
        Crawler crawler = image.crawler("a");
        List<String> urls = List.of(URL, "https://x.example/private/open", "no URL");
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        int allowed = ask(image, crawler, urls);
        assertTrue(allowed > 0 && allowed < QUESTIONS_IN_A_ROW);
        long before = thread.getThreadAllocatedBytes(self);
        assertEquals(allowed, ask(image, crawler, urls));
        long bytes = thread.getThreadAllocatedBytes(self) - before;
        assertTrue(bytes + " bytes", bytes < QUESTIONS_IN_A_ROW);
    }

    private static int ask(RobomatonImage image, Crawler crawler, List<String> urls) {
        int allowed = 0;
        for (int n = 0; n < QUESTIONS_IN_A_ROW; n++) {
            allowed += image.isAllowed(crawler, urls.get(n % urls.size())) ? 1 : 0;
        }
        return allowed;
    }
}
