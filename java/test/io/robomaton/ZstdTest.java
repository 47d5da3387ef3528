package io.robomaton;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/** The decoder of texts: frames of the zstd command, frames made by hand, and damaged ones. */
public class ZstdTest {
    private static final Path FRAMES = Path.of("test/frames");
    private static final int TEXT = 254_995;
    private static final int SMALL = 779;
    /** A header before the size in one byte; and one of a text of 300 bytes. */
    private static final String SINGLE = "28b52ffd20";
    private static final String OF_300 = "28b52ffd40002c00";

    private static byte[] frame(String name) throws IOException {
        return Files.readAllBytes(FRAMES.resolve(name + ".zst"));
    }

    private static byte[] hex(String... parts) {
        return HexFormat.of().parseHex(String.join("", parts));
    }

    private static byte[] text(byte[] frame) {
        return ZstdFrame.text(frame, Integer.MAX_VALUE);
    }

    /** The text, or null if the frame is refused. Any other exception is a fault. */
    private static byte[] textOrNull(byte[] frame, String what) {
        try {
            return text(frame);
        } catch (Damage | IndexOutOfBoundsException refused) {
            return null;
        } catch (RuntimeException | OutOfMemoryError error) {
            throw new AssertionError(what, error);
        }
    }

    private static void refused(String why, byte[] frame) {
        assertEquals(why, null, textOrNull(frame, why));
    }

    @Test
    public void framesOfAllLevelsAreEqual() throws IOException {
        byte[] text = text(frame("text-1"));
        assertEquals(TEXT, text.length);
        for (String name : List.of("text-3", "text-19", "text-3-window-10", "text-3-no-check")) {
            assertArrayEquals(name, text, text(frame(name)));
        }
        byte[] small = text(frame("small-1"));
        assertEquals(SMALL, small.length);
        for (String name : List.of("small-19", "small-3-no-check")) {
            assertArrayEquals(name, small, text(frame(name)));
        }
    }

    @Test
    public void onlyTheFirstBytesAreDecoded() throws IOException {
        byte[] text = text(frame("text-3"));
        // The end is missing, and what comes before it is not looked at.
        byte[] cut = Arrays.copyOf(frame("text-3"), frame("text-3").length - 1);
        for (int limit : new int[] {0, 1, 1000, 100_000}) {
            assertArrayEquals(Arrays.copyOf(text, limit), ZstdFrame.text(cut, limit));
        }
        refused("the checksum is cut", cut);
    }

    @Test
    public void blocksMadeByHand() {
        assertArrayEquals(new byte[0], text(hex(SINGLE, "00", "010000")));
        assertArrayEquals("abc".getBytes(), text(hex(SINGLE, "03", "190000", "616263")));
        assertArrayEquals("aaaaa".getBytes(), text(hex(SINGLE, "05", "2b0000", "61")));
        // Raw, repeated, an empty block, raw.
        assertArrayEquals("abcccd".getBytes(),
                text(hex(SINGLE, "06", "100000", "6162", "1a0000", "63", "000000", "090000", "64")));
        // Literals without sequences: raw ones, and a repeated one.
        assertArrayEquals(("abc" + "z".repeat(297)).getBytes(),
                text(hex(OF_300, "2c0000", "1861626300", "4b0900", "7a")));
        assertArrayEquals("z".repeat(300).getBytes(), text(hex(OF_300, "250000", "c5127a", "00")));
    }

    @Test
    public void malformedFramesAreRefused() {
        refused("no frame", new byte[0]);
        refused("a skippable frame", hex("502a4d18", "01000000", "00"));
        refused("a reserved bit", hex("28b52ffd28", "00", "010000"));
        refused("a size that is not stated", hex("28b52ffd00", "58", "010000"));
        refused("a dictionary", hex("28b52ffd21", "07", "00", "010000"));
        refused("a size above that of a text", hex("28b52ffde0", "0100004000000000", "010000"));
        refused("a size without sense", hex("28b52ffde0", "ffffffffffffffff", "010000"));
        refused("a window of 256 MiB", hex("28b52ffd80", "90", "00000010", "1a0000", "61", "010000"));
        refused("a block of no kind", hex(SINGLE, "00", "070000"));
        refused("no last block", hex(SINGLE, "01", "080000", "61"));
        refused("a text that is too short", hex(SINGLE, "02", "090000", "61"));
        refused("a text that is too long", hex(SINGLE, "01", "110000", "6162"));
        refused("bytes behind the frame", hex(SINGLE, "01", "090000", "61", "00"));
        refused("a code of a block that was not", hex(OF_300, "2c0000", "4340000100", "430900", "7a"));
        refused("sequences of no table", hex(OF_300, "2c0000", "086101fc01", "430900", "7a"));
        refused("bytes behind no sequences", hex(OF_300, "340000", "186162630000", "4b0900", "7a"));
    }

    @Test
    public void aSmallFrameHoldsALargeText() {
        // 8192 times 128 KiB.
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes(hex("28b52ffd80", "58", "00000040"));
        for (int block = 0; block < 8192; block++) {
            frame.writeBytes(hex(block < 8191 ? "020010" : "030010", "61"));
        }
        byte[] bytes = frame.toByteArray();
        assertEquals(10, ZstdFrame.text(bytes, 10).length);
        new ZstdFrame(bytes).decode();
        bytes[bytes.length - 2] = 0;
        assertThrows("a block less than stated", Damage.class, new ZstdFrame(bytes)::decode);
    }

    /** Every bit: whatever has a checksum is refused, or gives the same text. */
    @Test
    public void everyBit() throws IOException {
        for (String name : List.of("small-1", "small-19", "small-3-no-check")) {
            byte[] good = frame(name);
            byte[] text = text(good);
            int refused = 0;
            for (int bit = 0; bit < 8 * good.length; bit++) {
                byte[] bytes = good.clone();
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
                String what = name + ", bit " + bit;
                byte[] found = textOrNull(bytes, what);
                refused += found == null ? 1 : 0;
                if (found != null && !name.endsWith("no-check")) {
                    assertArrayEquals(what, text, found);
                }
            }
            assertTrue(name + ": " + refused, refused > good.length);
        }
    }

    @Test
    public void everyTruncation() throws IOException {
        for (String name : List.of("small-1", "small-19", "small-3-no-check", "text-3-window-10")) {
            byte[] good = frame(name);
            for (int end = 0; end < good.length; end += good.length > 10_000 ? 7 : 1) {
                refused(name + " cut to " + end, Arrays.copyOf(good, end));
            }
        }
    }

    @Test
    public void manyChanges() throws IOException {
        Random random = new Random(1);
        for (String name : List.of("text-1", "text-19", "text-3-window-10", "text-3-no-check")) {
            byte[] good = frame(name);
            long start = System.nanoTime();
            for (int turn = 0; turn < 300; turn++) {
                byte[] bytes = good.clone();
                for (int change = random.nextInt(3); change >= 0; change--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
                byte[] found = textOrNull(bytes, name + ", turn " + turn);
                assertTrue(found == null || found.length <= 1 << 20);
            }
            assertTrue(name + " takes long", System.nanoTime() - start < 60_000_000_000L);
        }
    }

    @Test
    public void linesAreCountedAsTheCompilerDoes() {
        byte[] text = "\u00EF\u00BB\u00BFa\r\nb\rc\n\nd#\u00FF".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        List<String> lines = List.of("a", "b", "c", "", "d#\uFFFD");
        for (int number = 1; number <= lines.size(); number++) {
            assertEquals(lines.get(number - 1), Lines.line(text, number).orElseThrow());
        }
        assertTrue(Lines.line(text, 0).isEmpty() && Lines.line(text, 6).isEmpty());
        assertTrue(Lines.line("a\n".getBytes(), 2).isEmpty());
    }
}
