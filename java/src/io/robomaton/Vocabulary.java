package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The usages that a question may name (SPEC.md section 5, "Number of the usage"). Silence may permit the
 * usage that a misspelt name seems to be, so a name that nothing knows is refused.
 */
final class Vocabulary {
    /** Names of standard usages in languages. */
    private static final List<String> LABELS = List.of("train", "train-ai", "ai-use");
    /** Differing characters up to which a special form counts as misspelt. */
    private static final int SLIPS = 2;
    /** Longer names are not compared character by character, which takes time by the product of both. */
    private static final int LONGEST_BYTES = 64;

    private Vocabulary() {}

    /**
     * Refuses a name that may be misspelt.
     *
     * @param ofImage the usages of the image
     * @throws IllegalArgumentException if it is unknown
     */
    static void check(String name, Collection<String> ofImage) {
        String lower = Names.lower(name);
        List<String> known = new ArrayList<>(Usage.NAMES);
        known.addAll(LABELS);
        ofImage.forEach(usage -> known.add(Names.lower(usage)));
        if (known.contains(lower)) {
            return;
        }
        String near = nearest(lower, known);
        if (!Usage.isSpecial(lower) || near != null) {
            String guess = near == null ? "" : " (did you mean \"" + near + "\"?)";
            String names = Stream.concat(Usage.NAMES.stream(), LABELS.stream())
                    .filter(usage -> !Usage.isSpecial(usage))
                    .collect(Collectors.joining(", "));
            throw new IllegalArgumentException("\"" + name + "\" is not a known usage" + guess + "; known usages are "
                    + names + ", the special forms of present (present-snippet), and what the records of the image name");
        }
    }

    /** The known name with the fewest slips, if they are few. */
    private static String nearest(String name, List<String> known) {
        String nearest = null;
        int least = SLIPS + 1;
        for (String other : known) {
            boolean isLong = Math.max(bytes(name), bytes(other)) > LONGEST_BYTES;
            int slips = isLong ? least : slips(name.codePoints().toArray(), other.codePoints().toArray());
            if (slips < least) {
                least = slips;
                nearest = other;
            }
        }
        return nearest;
    }

    private static int bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length;
    }

    /** The optimal string alignment distance. */
    private static int slips(int[] one, int[] two) {
        int[][] slips = new int[one.length + 1][two.length + 1];
        for (int i = 0; i <= one.length; i++) {
            for (int j = 0; j <= two.length; j++) {
                if (i == 0 || j == 0) {
                    slips[i][j] = i + j;
                    continue;
                }
                int replaced = slips[i - 1][j - 1] + (one[i - 1] == two[j - 1] ? 0 : 1);
                int best = Math.min(replaced, Math.min(slips[i - 1][j], slips[i][j - 1]) + 1);
                boolean isSwap = i > 1 && j > 1 && one[i - 1] == two[j - 2] && one[i - 2] == two[j - 1];
                slips[i][j] = isSwap ? Math.min(best, slips[i - 2][j - 2] + 1) : best;
            }
        }
        return slips[one.length][two.length];
    }
}
