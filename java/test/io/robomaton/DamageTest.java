package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/**
 * Damaged images: {@link RobomatonException} or a verdict, never another exception, and in bounded time.
 *
 * <p>Every byte is changed, once with checksums as they were and once with all of them made to hold, as
 * someone would who means harm.
 */
public class DamageTest {
    private static final List<String> URLS = List.of(
            "https://x.example/private/open", "https://x.example/n/o/x.gif", "https://x.example/%2axxy%C3",
            "http://y.example:8080/aa/bb/cc/dd", "https://z.example/", "https://nowhere.example/a",
            "https://zacap.example/p/on", "https://zacap.example/n/o/x.gif", "https://zpage.example/p",
            "https://zversions.example/p/x.gif", "http://zplain.example/p/x");
    private static final List<String> SHARDS = List.of("shards/0.rimg", "shards/1.rimg", "shards/2.rimg");
    /** The time limit of all questions to a damaged image of some kilobytes. */
    private static final long BOUND = 5_000_000_000L;

    private long opened;

    private void ask(byte[] bytes, String what) {
        long start = System.nanoTime();
        try {
            RobomatonImage image = RobomatonImage.of(bytes);
            boolean sound = askAll(image);
            opened++;
            assertTrue(what + " verifies, but an answer is damaged", sound || !verifies(image));
        } catch (RobomatonException expected) {
            assertTrue(what, expected.getMessage() != null);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError error) {
            throw new AssertionError(what, error);
        }
        assertTrue(what + " takes long", System.nanoTime() - start < BOUND);
    }

    private static boolean verifies(RobomatonImage image) {
        try {
            image.verify();
            return true;
        } catch (RobomatonException broken) {
            return false;
        }
    }

    /** Asks everything; true if no answer says that the image is damaged. */
    private static boolean askAll(RobomatonImage image) {
        boolean sound = true;
        for (String name : List.of("a", "nobody")) {
            Crawler crawler = image.crawler(name);
            List<Usage> usages = List.of(
                    Usage.CRAWL, Usage.INDEX.forPurpose("newsletter"), image.usage("present-snippet"),
                    image.usage("ai-train"));
            for (String url : URLS) {
                for (Usage usage : usages) {
                    sound &= image.decide(crawler, usage, url).basis() != Basis.DAMAGED;
                }
            }
            for (String url : URLS) {
                Verdict verdict = image.decide(crawler, Usage.CRAWL, url);
                verdict.rules();
                verdict.requests();
                verdict.choice();
                image.site(url).ifPresent(site -> {
                    site.crawlDelay(crawler);
                    site.schedule(crawler).waitMillis(1_900_000_000, 0);
                    site.sitemaps();
                    site.line(3);
                    site.textLength();
                    site.outcome();
                    site.status();
                    site.fetchedAt();
                    site.freshFor();
                });
            }
            image.decideDocument("data.txt", crawler, Usage.CRAWL, URLS.get(9));
        }
        RobomatonImage later = image.withTerms(Terms.DEFAULT.at(1_900_000_000));
        for (String url : List.of(URLS.get(0), URLS.get(8), URLS.get(9))) {
            Verdict verdict = later.decide(later.crawler("a"), later.usage("ai-train"), url);
            verdict.statements();
            verdict.conditions();
        }
        image.withTerms(Terms.DEFAULT.elements(true)).decide(image.crawler("a"), image.usage("present"), URLS.get(8));
        return sound;
    }

    /** Makes all checksums hold. */
    static void sum(byte[] bytes) {
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 40; row < 424; row += 24) {
            long at = file.getLong(row);
            long length = file.getLong(row + 8);
            if (at >= 0 && length >= 0 && at <= bytes.length && length <= bytes.length - at) {
                byte[] section = Arrays.copyOfRange(bytes, (int) at, (int) (at + length));
                file.putLong(row + 16, Xxh3.hash(Section.of(section)));
            }
        }
        file.putLong(32, 0);
        file.putLong(32, Xxh3.hash(Section.of(Arrays.copyOf(bytes, 424))));
    }

    private void changeEveryByte(String name, int... flips) throws IOException {
        byte[] good = Conformance.image(name);
        RobomatonImage.of(good).verify();
        opened = 0;
        for (int at = 0; at < good.length; at++) {
            int flip = flips[at % flips.length];
            byte[] bytes = good.clone();
            bytes[at] ^= (byte) flip;
            String what = name + ": byte " + at + " changed by " + flip;
            assertFound(bytes, what);
            sum(bytes);
            ask(bytes, what + ", checksums made to hold");
        }
        assertTrue(name + ": " + opened + " opened", opened > good.length / 2);
    }

    /** Every change of a byte breaks a checksum, which verification sees. */
    private static void assertFound(byte[] bytes, String what) {
        try {
            RobomatonImage.of(bytes).verify();
        } catch (RobomatonException expected) {
            return;
        }
        fail(what + " verifies");
    }

    @Test
    public void everyByteOfTheSmallImage() throws IOException {
        changeEveryByte("small.rimg", 0x01, 0x80, 0x10, 0x7F, 0x02, 0x40, 0x20);
    }

    @Test
    public void everyByteOfOtherDialects() throws IOException {
        changeEveryByte("small-koster.rimg", 0xFF, 0x01, 0x80);
        changeEveryByte("small-google.rimg", 0xFF, 0x01, 0x80);
        changeEveryByte("small-rfc9309.rimg", 0xFF, 0x01, 0x80);
    }

    @Test
    public void everyByteOfShards() throws IOException {
        for (String name : SHARDS) {
            changeEveryByte(name, 0xFF, 0x01, 0x80, 0x10);
        }
    }

    @Test
    public void everyByteOfPackedProgramsAndTries() throws IOException {
        changeEveryByte("programs.rimg", 0xFF, 0x01, 0x80, 0x10, 0x08);
        changeEveryByte("tries.rimg", 0xFF, 0x01, 0x80, 0x10, 0x08, 0x40, 0x20);
    }

    @Test
    public void everyByteOfScopesAndStatements() throws IOException {
        changeEveryByte("scopes.rimg", 0xFF, 0x01, 0x80);
        changeEveryByte("modern.rimg", 0xFF, 0x01, 0x80, 0x10);
    }

    @Test
    public void everyTruncation() throws IOException {
        List<String> names = new ArrayList<>(Conformance.NAMES);
        names.addAll(SHARDS);
        for (String name : names) {
            byte[] good = Conformance.image(name);
            opened = 0;
            for (int end = 0; end < good.length; end++) {
                byte[] bytes = Arrays.copyOf(good, end);
                ask(bytes, name + " cut to " + end);
                if (end >= 424) {
                    // The same, with the length in the header set right.
                    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(16, end);
                    sum(bytes);
                    ask(bytes, name + " cut to " + end + ", header set right");
                }
            }
            assertEquals(name, 0, opened);
        }
    }

    @Test
    public void everySectionCutShort() throws IOException {
        byte[] good = Conformance.image("small.rimg");
        ByteBuffer table = ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN);
        opened = 0;
        for (int row = 40; row < 424; row += 24) {
            for (long length = 0; length < table.getLong(row + 8); length++) {
                byte[] bytes = good.clone();
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(row + 8, length);
                sum(bytes);
                ask(bytes, "the section of row " + row + " cut to " + length);
            }
        }
        assertTrue("opened " + opened, opened > 1000);
    }

    @Test
    public void errorsNameTheRule() throws IOException {
        byte[] version = Conformance.image("small.rimg");
        version[8] = 6;
        try {
            RobomatonImage.of(version);
            fail("another version opens");
        } catch (RobomatonException error) {
            assertEquals(2, error.rule());
            assertFalse(error.getMessage().isEmpty());
        }
    }
}
