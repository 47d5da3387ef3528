package io.robomaton;

import java.util.List;
import java.util.Map;

/** The provenance of an image (SPEC.md section 7, "Meta"). Damage throws. */
record Meta(String generator, List<String> crawlers, List<Map.Entry<String, Long>> limits, List<String> vocabulary) {
    static Meta read(byte[] bytes) {
        Postcard in = new Postcard(bytes);
        Meta meta = new Meta(in.string(), in.strings(), in.list(of -> Map.entry(of.string(), of.u64())), in.strings());
        if (!in.isAtEnd()) {
            throw Damage.FOUND;
        }
        return meta;
    }
}
