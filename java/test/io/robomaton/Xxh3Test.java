package io.robomaton;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** The hash of texts of every length, before and after the JVM has compiled it. */
public class Xxh3Test {
    /** Lengths, and the hashes of so many bytes 0, 1, 2, … by the reference implementation. */
    private static final long[][] KNOWN = {
        {0, 0x2D06800538D394C2L, 0x4DC5B0CC826F6703L},
        {1, 0xC44BDFF4074EECDBL, 0x5EAAC1F7B17EF730L},
        {3, 0x5F4299FC161C9CBBL, 0x3B3B85A968C7F81DL},
        {4, 0x60DAB036A58211F2L, 0x94E67B47EB6FCC90L},
        {8, 0x3A1C2D7C85AF88F8L, 0xE7241AC1FDCD24BBL},
        {9, 0xE9612598145BB9DCL, 0xD010A1FB14096C63L},
        {16, 0x8355E3A6F61770DBL, 0xE2D1E4053A219356L},
        {17, 0x9EF341A99DE37328L, 0xC44E866040ED1467L},
        {32, 0x3523581FE96E4C05L, 0xF26DB4E69AE38A8CL},
        {33, 0xE68C56BA88991E58L, 0x109BEDCE83E6DC1AL},
        {64, 0x6187EB9089B0ED55L, 0xFBA3F12B8F688F4L},
        {96, 0x278A3E12EA046DFBL, 0x2FAFA33149FCBF24L},
        {97, 0xE7220282DC4E14F4L, 0xD71C69A27E64A620L},
        {128, 0x85C6174C7FF4C46BL, 0xC04E68F839DDD006L},
        {129, 0xEC7642B431BA3E5AL, 0x88EE72694368E67DL},
        {200, 0xF42A8864FEAF0703L, 0x4E18EB39C54569E1L},
        {240, 0x375A384D957FE865L, 0x31A14C358E824BE4L},
        {241, 0x2E8CD95421C6D02L, 0xDA735D4F53476CB5L},
        {512, 0x1059105AD19BFA09L, 0xF3B8D192B389272L},
        {1024, 0xA870F92984398D22L, 0xC74822A5F349CEF8L},
        {1025, 0x78C86E91EE939852L, 0xCBFBBFDFC7F09133L},
        {1500, 0x11BF4B1F03FB7E7L, 0xF22F251AFE837148L},
        {2304, 0x5703BD07D242EA32L, 0x25CA1945F9844F23L},
    };

    @Test
    public void hashesAreKnown() {
        for (int round = 0; round < 3000; round++) {
            for (long[] known : KNOWN) {
                byte[] text = new byte[(int) known[0]];
                for (int at = 0; at < text.length; at++) {
                    text[at] = (byte) at;
                }
                assertEquals("length " + known[0], known[1], Xxh3.hash(Section.of(text)));
                assertEquals("length " + known[0], known[2], Xxh3.hash(text, 0, text.length, 1));
            }
        }
    }
}
