package io.robomaton;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The conformance file and its images, which the Rust tests write. */
final class Conformance {
    static final Path DATA = Path.of(System.getProperty("robomaton.tests", "../tests/data"));
    static final Path IMAGES = DATA.resolve("conformance");

    private Conformance() {}

    /** The lines of the file that have a key. */
    static List<Map<String, Object>> lines(String key) throws IOException {
        return Files.readAllLines(DATA.resolve("conformance.jsonl")).stream()
                .map(Json::object)
                .filter(line -> line.containsKey(key))
                .collect(Collectors.toList());
    }

    static byte[] image(String name) throws IOException {
        return Files.readAllBytes(IMAGES.resolve(name));
    }

    /** The names of the images that are one file. */
    static final List<String> NAMES = List.of(
            "small.rimg", "small-rfc9309.rimg", "small-google.rimg", "small-koster.rimg", "programs.rimg",
            "tries.rimg", "scopes.rimg", "modern.rimg");
}
