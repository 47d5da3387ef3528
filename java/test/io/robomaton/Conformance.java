package io.robomaton;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The conformance file and its images, which the Rust tests write. */
final class Conformance {
    static final Path DATA = Path.of(System.getProperty("robomaton.tests", "../tests/data"));
    static final Path IMAGES = DATA.resolve("conformance");

    private Conformance() {}

    /** The lines of the file. */
    static List<Map<String, Object>> lines() throws IOException {
        return Files.readAllLines(DATA.resolve("conformance.jsonl")).stream()
                .map(Json::object)
                .collect(Collectors.toList());
    }

    /** The lines of the file that have a key. */
    static List<Map<String, Object>> lines(String key) throws IOException {
        return lines().stream().filter(line -> line.containsKey(key)).collect(Collectors.toList());
    }

    /**
     * The lines about damaged images, and those of the file that the property {@code robomaton.damage}
     * names, which has many more (tests/tests/conformance/main.rs).
     */
    static Stream<Map<String, Object>> damaged() throws IOException {
        String other = System.getProperty("robomaton.damage");
        Stream<Map<String, Object>> more =
                other == null ? Stream.empty() : Files.lines(Path.of(other)).map(Json::object);
        return Stream.concat(lines("patches").stream(), more);
    }

    /** The damaged image of a line. */
    @SuppressWarnings("unchecked")
    static byte[] damaged(Map<String, Object> line) throws IOException {
        byte[] bytes = image((String) line.get("image"));
        for (Object each : (List<Object>) line.get("patches")) {
            List<Object> patch = (List<Object>) each;
            byte[] put = HexFormat.of().parseHex((String) patch.get(1));
            System.arraycopy(put, 0, bytes, ((Double) patch.get(0)).intValue(), put.length);
        }
        return line.containsKey("length") ? Arrays.copyOf(bytes, ((Double) line.get("length")).intValue()) : bytes;
    }

    static byte[] image(String name) throws IOException {
        return Files.readAllBytes(IMAGES.resolve(name));
    }

    /** The names of the images that are one file. */
    static final List<String> NAMES = List.of(
            "small.rimg", "small-rfc9309.rimg", "small-google.rimg", "small-koster.rimg", "programs.rimg",
            "tries.rimg", "scopes.rimg", "modern.rimg");
}
