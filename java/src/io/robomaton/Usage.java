package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A use of a URL, perhaps for a purpose; resolved against one image by {@link RobomatonImage#usage}. Every
 * other image refuses it. {@link #CRAWL} and {@link #INDEX} are for all images.
 */
public final class Usage {
    /** Fetching. */
    public static final Usage CRAWL = new Usage(0, false, null, null, null);
    /** Indexing. */
    public static final Usage INDEX = new Usage(1, false, null, null, null);

    static final int PRESENT = 4;
    static final int OTHER = 5;
    /** The standard usages, in the order of their numbers. */
    static final List<String> NAMES = List.of(
            "crawl", "index", "follow", "preserve", "present", "other", "present-original",
            "present-currentcopy", "present-oldcopy", "present-snippet", "present-extract",
            "present-thumbnail", "present-oldsnippet", "present-oldextract", "present-oldthumbnail",
            "present-link", "translate", "search", "ai-train", "ai-input", "ai-index", "ai-all", "tdm", "all",
            "present-video");
    /** The number of standard usages. */
    static final int STANDARD = NAMES.size();
    private static final int ALL = 23;
    /** The number of a usage that the image does not have. */
    private static final int UNSPOKEN = -1;
    /** Labels of languages, and the usages that they speak of. */
    private static final Map<String, String> LABELS = Map.of("train", "ai-train", "train-ai", "ai-train", "ai-use", "ai-input");
    private static final int[] NO_PARTS = {};
    private static final int[][] PARTS = new int[ALL + 1][];

    static {
        PARTS[PRESENT] = new int[] {6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24};
        PARTS[17] = new int[] {1};
        PARTS[21] = new int[] {18, 19, 20};
        PARTS[22] = new int[] {18};
        PARTS[ALL] = new int[] {17, 1, 21, 18, 19, 20};
    }

    final int number;
    final boolean special;
    final byte[] purpose;
    /** The numbers in the layers of a stack, newest first; null where all are {@link #number}. */
    private final int[] layers;
    /** The shards of the image that it belongs to; null if it belongs to all. */
    final Object image;

    private Usage(int number, boolean special, byte[] purpose, int[] layers, Object image) {
        this.image = image;
        this.number = number;
        this.special = special;
        this.purpose = purpose;
        this.layers = layers;
    }

    /** The usage of a stack, by that of each layer. */
    static Usage of(List<Usage> layers) {
        Usage first = layers.get(0);
        int[] numbers = layers.stream().mapToInt(of -> of.number).toArray();
        boolean isAlike = Arrays.stream(numbers).allMatch(number -> number == first.number);
        return isAlike ? first : new Usage(first.number, first.special, first.purpose, numbers, first.image);
    }

    /** The usage as a layer knows it. */
    Usage of(int layer) {
        return layers == null ? this : new Usage(layers[layer], special, purpose, null, image);
    }

    static Usage of(Object image, String name, List<String> usages) {
        String lower = Names.lower(name);
        int number = find(LABELS.getOrDefault(lower, lower), usages);
        return new Usage(number, isSpecial(lower), null, null, image);
    }

    private static int find(String lower, List<String> usages) {
        for (int number = 0; number < usages.size(); number++) {
            if (Names.lower(usages.get(number)).equals(lower)) {
                return number;
            }
        }
        return UNSPOKEN;
    }

    /**
     * The same usage for a purpose.
     *
     * @param of the name of the purpose
     * @return another usage
     */
    public Usage forPurpose(String of) {
        return new Usage(number, special, of.getBytes(StandardCharsets.UTF_8), layers, image);
    }

    /** True if a name in lower case is a special form of {@code present}. */
    static boolean isSpecial(String lower) {
        return lower.startsWith("present-");
    }

    /** The name of a standard usage. */
    static String name(int number) {
        return number < STANDARD ? NAMES.get(number) : "?";
    }

    boolean isCrawl() {
        return number == 0;
    }

    /** True if silence never permits it: a use by models or for mining. */
    boolean needsPermission() {
        return number >= 18 && number <= ALL;
    }

    /** The number of the usage whose statements speak of this one. */
    int statedAs() {
        return number >= 0 && number < STANDARD ? number : OTHER;
    }

    /** The numbers of the usages that it covers. */
    int[] parts() {
        boolean hasParts = number >= 0 && number <= ALL && PARTS[number] != null;
        return hasParts ? PARTS[number] : NO_PARTS;
    }

    /** Fetching, for the same purpose. */
    Usage crawl() {
        return purpose == null ? CRAWL : new Usage(CRAWL.number, false, purpose, null, image);
    }

    /** A part of this usage, for the same purpose. */
    Usage part(int of) {
        return new Usage(of, false, purpose, null, image);
    }
}
