package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.junit.Test;

/**
 * Damaged images whose checksums hold: {@code verify} refuses the same ones as the Rust reader, by the
 * same rule. The property {@code robomaton.verdicts} names another file of verdicts, such as one that
 * has every bit of every byte (tests/tests/damage_verdicts.rs).
 */
public class VerificationTest {
    private static final int HEAD = 424;
    private static final int TABLE = 40;
    private static final int ROW = 24;
    private static final int SOURCES = 14;
    /** The place in a frame of the size of its text. */
    private static final int STATED = 5;

    /** The broken rule, or 0. */
    private static int rule(byte[] bytes, boolean texts) {
        try {
            RobomatonImage image = RobomatonImage.of(bytes);
            if (texts) {
                image.verifyTexts();
            } else {
                image.verify();
            }
            return 0;
        } catch (RobomatonException error) {
            assertTrue(error.getMessage(), error.rule() > 0 && error.offset() >= 0);
            return error.rule();
        }
    }

    private static byte[] with(byte[] good, int at, int value) {
        byte[] bytes = good.clone();
        bytes[at] = (byte) value;
        DamageTest.sum(bytes);
        return bytes;
    }

    private static byte[] turned(byte[] good, int at) {
        return with(good, at, good[at] ^ 1 << (at + at / 8) % 8);
    }

    private static byte[] cut(byte[] good, int end) {
        byte[] bytes = Arrays.copyOf(good, end);
        if (end >= HEAD) {
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(16, end);
            DamageTest.sum(bytes);
        }
        return bytes;
    }

    /** The image with the section of this byte cut there, counted over the bytes of all sections. */
    private static byte[] sectionCut(byte[] good, int number) {
        byte[] bytes = good.clone();
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int end = number;
        int row = TABLE;
        while (end >= file.getLong(row + 8)) {
            end -= (int) file.getLong(row + 8);
            row += ROW;
        }
        int at = (int) file.getLong(row);
        Arrays.fill(bytes, at + end, at + (int) file.getLong(row + 8), (byte) 0);
        file.putLong(row + 8, end);
        DamageTest.sum(bytes);
        return bytes;
    }

    private static IntFunction<byte[]> damage(byte[] good, String way) {
        switch (way) {
            case "turn":
                return at -> turned(good, at);
            case "cut":
                return end -> cut(good, end);
            case "section":
                return number -> sectionCut(good, number);
            case "zero":
                return at -> with(good, at, 0);
            case "ones":
                return at -> with(good, at, 0xFF);
            case "more":
                return at -> with(good, at, good[at] + 1);
            case "less":
                return at -> with(good, at, good[at] - 1);
            default:
                return at -> with(good, at, good[at] ^ 1 << Integer.parseInt(way));
        }
    }

    @Test
    public void verdictsAreEqual() throws IOException {
        String other = System.getProperty("robomaton.verdicts");
        Path path = other == null ? Conformance.DATA.resolve("damage-verdicts.txt") : Path.of(other);
        int compared = 0;
        for (String line : Files.readAllLines(path)) {
            String[] words = line.split(" ");
            IntFunction<byte[]> damaged = damage(Conformance.image(words[0]), words[1]);
            int number = 0;
            for (String run : Arrays.asList(words).subList(2, words.length)) {
                String[] parts = run.split("\\*");
                int end = number + (parts.length > 1 ? Integer.parseInt(parts[1]) : 1);
                for (; number < end; number++) {
                    String what = words[0] + ", " + words[1] + " " + number;
                    assertEquals(what, Integer.parseInt(parts[0]), rule(damaged.apply(number), false));
                    compared++;
                }
            }
        }
        assertTrue("compared " + compared, compared > 100_000);
    }

    /** I18: what {@code verify} passes, and has a text that does not decompress. */
    @Test
    public void textsAreChecked() throws IOException {
        byte[] good = Conformance.image("small.rimg");
        ByteBuffer file = ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN);
        int sources = (int) file.getLong(TABLE + SOURCES * ROW);
        int damaged = 0;
        for (int number = 0; number < file.getLong(TABLE + SOURCES * ROW + 8); number++) {
            byte[] bytes = turned(good, sources + number);
            int broken = rule(bytes, true);
            boolean isOfText = broken == 18;
            assertEquals("byte " + number, isOfText ? 0 : broken, rule(bytes, false));
            damaged += isOfText ? 1 : 0;
        }
        assertTrue("damaged " + damaged, damaged > 100);
        // The frame of the first text states a byte more than it holds.
        assertEquals(18, rule(with(good, sources + STATED, good[sources + STATED] + 1), true));
    }

    @Test
    public void goodImagesAreValid() throws IOException {
        for (String name : Conformance.NAMES) {
            assertEquals(name, 0, rule(Conformance.image(name), true));
        }
        RobomatonImage.open(Conformance.IMAGES.resolve("shards")).verifyTexts();
    }
}
