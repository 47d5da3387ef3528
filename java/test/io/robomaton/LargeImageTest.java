package io.robomaton;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * An image of more than 4 GiB, which a buffer of Java cannot hold: the small image with its sections far
 * apart, and its texts behind 2 GiB of their section. The file is sparse, so it takes up little room.
 */
public class LargeImageTest {
    private static final int HEAD = 424;
    private static final int TABLE = 40;
    private static final int ROW = 24;
    private static final int SECTIONS = 16;
    private static final int ALIGNMENT = 128;
    private static final int DOCUMENTS = 12;
    private static final int SOURCES = 14;
    /** Between the beginnings of two sections; a multiple of the alignment. */
    private static final long APART = 160L << 20;
    /** Unused bytes before the texts. */
    private static final long BEFORE_TEXTS = (2L << 30) + 4096;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Writes the large image. The checksum of the texts does not hold. */
    private Path write() throws IOException {
        byte[] good = Conformance.image("small.rimg");
        byte[] head = Arrays.copyOf(good, HEAD);
        ByteBuffer table = little(head);
        Path path = folder.getRoot().toPath().resolve("large.rimg");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long at = 0;
            long end = 0;
            for (int section = 0; section < SECTIONS; section++) {
                int row = TABLE + ROW * section;
                long from = table.getLong(row);
                int length = (int) table.getLong(row + 8);
                byte[] bytes = Arrays.copyOfRange(good, (int) from, (int) from + length);
                if (section == DOCUMENTS) {
                    moveTexts(little(bytes));
                    table.putLong(row + 16, Xxh3.hash(Section.of(bytes)));
                }
                long before = section == SOURCES ? BEFORE_TEXTS : 0;
                at = Math.max(at + APART, (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
                end = at + before + length;
                table.putLong(row, at);
                table.putLong(row + 8, before + length);
                file.write(ByteBuffer.wrap(bytes), at + before);
            }
            table.putLong(16, end);
            table.putLong(32, 0);
            table.putLong(32, Xxh3.hash(Section.of(head)));
            file.write(ByteBuffer.wrap(head), 0);
        }
        return path;
    }

    /** The offsets of texts in the records of documents. */
    private static void moveTexts(ByteBuffer documents) {
        for (int record = 0; record < documents.capacity(); record += 24) {
            documents.putLong(record + 16, documents.getLong(record + 16) + BEFORE_TEXTS);
        }
    }

    @Test
    public void answersAndTextsAreThoseOfTheSmallImage() throws IOException {
        Path path = write();
        long length = java.nio.file.Files.size(path);
        assertTrue("bytes " + length, length > 4L << 30);
        RobomatonImage large = RobomatonImage.open(path);
        RobomatonImage small = RobomatonImage.open(Conformance.IMAGES.resolve("small.rimg"));
        List<String> wrong = new ArrayList<>();
        int asked = 0;
        for (Map<String, Object> line : Conformance.lines("answers")) {
            if (line.get("image").equals("small.rimg") && !line.containsKey("patches")) {
                boolean elements = line.containsKey("elements");
                asked += ConformanceTest.ask(large.withTerms(Terms.DEFAULT.elements(elements)), line, wrong);
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue("asked " + asked, asked > 500);
        int texts = 0;
        for (Map<String, Object> line : Conformance.lines("outcome")) {
            String address = (String) line.get("site");
            String url = address.contains("://") ? address : "http://" + address;
            Optional<byte[]> text = small.site(url).flatMap(site -> site.text(1 << 20));
            Optional<byte[]> found = large.site(url).flatMap(site -> site.text(1 << 20));
            assertArrayEquals(url, text.orElse(null), found.orElse(null));
            texts += text.isPresent() ? 1 : 0;
        }
        assertTrue("texts " + texts, texts > 5);
        if ("1".equals(System.getenv("CI_LONG"))) {
            verify(path);
        }
    }

    /** Verification reads all of it: the checksum of the texts is first wrong, and then right. */
    private static void verify(Path path) throws IOException {
        try {
            RobomatonImage.open(path).verifyTexts();
            throw new AssertionError("a wrong checksum is not found");
        } catch (RobomatonException expected) {
            assertEquals(7, expected.rule());
        }
        long sum;
        ByteBuffer head = little(new byte[HEAD]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file.read(head, 0);
            int row = TABLE + ROW * SOURCES;
            Section texts = Section.of(
                    (from, length) -> {
                        try {
                            return file.map(FileChannel.MapMode.READ_ONLY, from, length);
                        } catch (IOException error) {
                            throw new java.io.UncheckedIOException(error);
                        }
                    },
                    head.getLong(row), head.getLong(row + 8));
            sum = Xxh3.hash(texts);
            head.putLong(row + 16, sum);
            head.putLong(32, 0);
            head.putLong(32, Xxh3.hash(Section.of(head.array())));
            file.write(head.rewind(), 0);
        }
        RobomatonImage.open(path).verifyTexts();
    }
}
