package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A stack of layers answers as the merged image; its files are written by tests/tests/layers.rs. */
public class LayersTest {
    private static final Path DATA = Conformance.DATA.resolve("layers");
    private static final Path STACK = DATA.resolve("stack");
    private static final List<String> PATHS =
            List.of("/", "/0", "/1/a", "/2", "/x/y.gif", "/zebra/b", "/mule", "/page?2", "/robots.txt", "/a*b");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** URLs of all sites of the merged image, with their other scheme, in capitals, and of none. */
    private static List<String> urls() throws IOException {
        Shard shard = Shard.of(Files.readAllBytes(DATA.resolve("merged.rimg")));
        List<String> urls = new ArrayList<>(List.of("https://nowhere.example/", "no url", "ftp://plain.example/"));
        for (long number = 0; 4 * number < shard.order.length; number++) {
            String name = shard.hosts.name(shard.order.u32(4 * number)).replaceAll("/.*", "");
            for (String path : PATHS) {
                urls.add("https://" + name + path);
                urls.add("http://" + name.toUpperCase(java.util.Locale.ROOT) + path);
            }
        }
        return urls;
    }

    private static String about(Site site, Crawler crawler) {
        return site.address() + " " + site.outcome() + " " + site.status() + " " + site.fetchedAt() + " "
                + site.freshFor() + " " + site.sitemaps() + " " + site.schedule(crawler);
    }

    private static String answer(RobomatonImage image, Crawler crawler, Usage usage, String url) {
        Verdict verdict = image.decide(crawler, usage, url);
        Verdict data = image.decideDocument("data.txt", crawler, usage, url);
        return verdict + " " + verdict.outcome() + verdict.isIncomplete() + verdict.lines()
                + verdict.site().map(site -> about(site, crawler)) + data + data.lines()
                + image.isAllowed(crawler, url) + image.site(url).map(site -> site.decide(crawler, usage, "/x/1"));
    }

    @Test
    public void aStackAnswersAsTheMergedImage() throws IOException {
        Terms terms = Terms.DEFAULT.at(1_800_000_000);
        RobomatonImage stack = RobomatonImage.open(STACK).withTerms(terms);
        RobomatonImage merged = RobomatonImage.open(DATA.resolve("merged.rimg")).withTerms(terms);
        stack.verify();
        assertTrue(stack.size() > 0);
        int held = 0;
        for (String name : List.of("zebra", "aardvark", "mule", "*", "a", "GPTBot")) {
            for (boolean only : new boolean[] {false, true}) {
                Crawler ours = stack.crawler(name).namedOnly(only);
                Crawler theirs = merged.crawler(name).namedOnly(only);
                for (String usage : List.of("crawl", "index", "ai-train", "zebra", "mule", "all", "present-none")) {
                    Usage ourUsage = stack.usage(usage).forPurpose("ads");
                    Usage theirUsage = merged.usage(usage).forPurpose("ads");
                    for (String url : urls()) {
                        String expected = answer(merged, theirs, theirUsage, url);
                        assertEquals(url, expected, answer(stack, ours, ourUsage, url));
                        held += merged.site(url).isPresent() ? 1 : 0;
                    }
                }
            }
        }
        assertTrue("held " + held, held > 10_000);
        // The crawler's own group is in the middle layer alone, whose site has no scheme.
        assertNotEquals(Decision.ALLOWED, stack.decide(
                stack.crawler("mule"), Usage.CRAWL, "https://mule.example/mule").decision());
    }

    @Test
    public void anotherImageRefusesCrawlerAndUsage() throws IOException {
        RobomatonImage stack = RobomatonImage.open(STACK);
        RobomatonImage other = RobomatonImage.open(STACK);
        String url = "https://mule.example/mule";
        Crawler crawler = stack.crawler("mule");
        Crawler foreign = other.crawler("mule").namedOnly(true);
        Usage usage = other.usage("zebra").forPurpose("ads");
        Site site = stack.site(url).orElseThrow();
        assertThrows(IllegalArgumentException.class, () -> stack.isAllowed(foreign, url));
        assertThrows(IllegalArgumentException.class, () -> stack.decide(crawler, usage, url));
        assertThrows(IllegalArgumentException.class, () -> stack.decideDocument("data.txt", foreign, Usage.CRAWL, url));
        assertThrows(IllegalArgumentException.class, () -> site.decide(foreign, Usage.INDEX, url));
        assertThrows(IllegalArgumentException.class, () -> site.crawlDelay(foreign));
        // Other terms are no other image.
        stack.withTerms(Terms.DEFAULT).decide(crawler, stack.usage("zebra"), url);
    }

    private void refused(String manifest, String what) throws IOException {
        Path path = folder.getRoot().toPath();
        Files.writeString(path.resolve("layers.manifest"), manifest);
        try {
            RobomatonImage.open(path);
        } catch (RobomatonException | IOException error) {
            assertTrue(error.getMessage(), error.getMessage().contains(what));
            return;
        }
        fail("opened " + manifest);
    }

    @Test
    public void badStacksAreRefused() throws IOException {
        String head = "robomaton layers 1\ngeneration 1\n";
        Path path = folder.getRoot().toPath();
        Files.copy(STACK.resolve("1.rimg"), path.resolve("1.rimg"));
        Files.copy(Conformance.IMAGES.resolve("small-koster.rimg"), path.resolve("2.rimg"));
        refused("", "damaged");
        refused(head + "layer 1.rimg\n", "damaged");
        refused(head + "layer 1.rimg\nend\nend\n", "damaged");
        refused(head + "layer ../1.rimg\nend\n", "damaged");
        refused(head + "layer .\nend\n", "damaged");
        refused("robomaton layers 2\ngeneration 1\nlayer 1.rimg\nend\n", "damaged");
        refused(head + "end\n", "0 layers");
        refused(head + "layer 1.rimg\n".repeat(65) + "end\n", "65 layers");
        refused(head + "layer 3.rimg\nend\n", "3.rimg");
        refused(head + "layer 1.rimg\nlayer 2.rimg\nend\n", "other options");
        Files.writeString(path.resolve("layers.manifest"), head + "layer 1.rimg\nend\n");
        assertTrue(RobomatonImage.open(path).size() > 0);
    }
}
