package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.IDN;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.Test;

/** International hosts: the site of the Rust reader, or an exception that says so; never another site. */
public class HostTest {
    @Test
    public void hostsAreEqualOrRefused() throws IOException {
        int equal = 0;
        int refused = 0;
        for (String text : Files.readAllLines(Conformance.DATA.resolve("conformance-reasons.jsonl"))) {
            Map<String, Object> line = Json.object(text);
            if (!line.containsKey("host")) {
                continue;
            }
            String host = (String) line.get("host");
            try {
                String found = Host.parse(host.getBytes(StandardCharsets.UTF_8));
                String site = found == null ? null : "https://" + found;
                assertTrue(line + ", found " + site, Objects.equals(line.get("site"), site));
                equal++;
            } catch (UnsupportedException exception) {
                boolean isBeyond = host.codePoints().anyMatch(c -> c >= 0x80);
                assertTrue(host, isBeyond && exception.getMessage().contains("punycode"));
                refused++;
            }
        }
        assertTrue(equal + " equal, " + refused + " refused", equal > 25 && refused < 11);
    }

    @Test
    public void casesOfGreekAndGerman() {
        assertEquals("xn--nxasmm1c", Host.parse("\u03B2\u03CC\u03BB\u03BF\u03C2".getBytes(StandardCharsets.UTF_8)));
        // A capital sigma at the end of a word is the common one.
        assertEquals("xn--nxasmq6b", Host.parse("\u0392\u038C\u039B\u039F\u03A3".getBytes(StandardCharsets.UTF_8)));
    }

    /** UTS 46 drops some characters and makes ASCII of others, also in a label that begins like punycode. */
    @Test
    public void whatMappingLeavesIsNotGuessed() {
        for (String host : List.of(
                "xn--fsq\u200B.example", "xn--\u00ADfsq.example", "x\u2060n--fsq.example", "xn--fsq\uFE0F.example",
                "xn--fsq\uFF0Eexample", "xn--\uFF46sq.example", "xn--fsq.exam\u034Fple", "a" + "\u200B".repeat(20))) {
            for (String written : List.of(host, URLEncoder.encode(host, StandardCharsets.UTF_8))) {
                byte[] bytes = written.getBytes(StandardCharsets.UTF_8);
                assertThrows(written, UnsupportedException.class, () -> Host.parse(bytes));
            }
        }
        // No mapping makes these valid.
        assertNull(Host.parse("xn--fsq\u00FC.example".getBytes(StandardCharsets.UTF_8)));
        assertNull(Host.parse("xn--a.exam\u200Bple".getBytes(StandardCharsets.UTF_8)));
    }

    /** No label of DNS is longer, and the work grows with the square of the length. */
    @Test
    public void labelsBeyondAsciiHaveTheLengthOfDns() {
        String fits = "\u00FC".repeat(63);
        for (String dot : List.of(".", "%2e", "\u3002", "%E3%80%82")) {
            assertNotNull(Host.parse((fits + dot + fits).getBytes(StandardCharsets.UTF_8)));
        }
        for (String label : List.of(fits + "a", "a\u0301\u0323".repeat(300_000), "\u4E00".repeat(1000))) {
            assertNull(Host.parse((label + ".example").getBytes(StandardCharsets.UTF_8)));
            assertNull(Host.parse(URLEncoder.encode(label, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** If this fails, {@code java.net.IDN} may have become what the URL standard asks for. */
    @Test
    public void theJdkMapsAsIn2003() {
        assertNotEquals("xn--fa-hia.example", IDN.toASCII("fa\u00DF.example"));
    }
}
