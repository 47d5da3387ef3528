package io.robomaton;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One file of an image: its sections, and the records that are found by number. */
final class Shard {
    static final int HOSTS = 0;
    static final int NAMES = 1;
    static final int POLICIES = 2;
    static final int LISTS = 3;
    static final int PROGRAMS = 4;
    static final int SCOPES = 5;
    static final int CRAWLERS = 7;
    static final int CRAWLER_NAMES = 8;
    static final int USAGES = 9;
    static final int FETCHES = 10;
    static final int ORDER = 11;
    static final int DOCUMENTS = 12;
    static final int META = 15;
    private static final long NONE = 0xFFFF_FFFFL;
    private static final int DOCUMENT = 24;

    final Section file;
    final Layout layout;
    private final Section[] all = new Section[Layout.SECTIONS];
    final HostTable hosts;
    final Section policies;
    final Section lists;
    final Section programs;
    final Section scopes;
    final Section purposes;
    private final Section crawlers;
    private final Section crawlerNames;
    private final Section usages;
    final Section fetches;
    final Section order;
    private final Section documents;
    private final Section details;
    private final Section sources;
    private final Section meta;

    Shard(Section.Source source, long length) {
        file = Section.of(source, 0, length);
        layout = new Layout(file);
        for (int number = 0; number < all.length; number++) {
            all[number] = Section.of(source, layout.at[number], layout.length[number]);
        }
        hosts = new HostTable(all[HOSTS], all[NAMES], layout.seed);
        policies = all[POLICIES];
        lists = all[LISTS];
        programs = all[PROGRAMS];
        scopes = all[SCOPES];
        purposes = all[6];
        crawlers = all[CRAWLERS];
        crawlerNames = all[8];
        usages = all[USAGES];
        fetches = all[FETCHES];
        order = all[ORDER];
        documents = all[DOCUMENTS];
        details = all[13];
        sources = all[14];
        meta = all[META];
    }

    static Shard of(byte[] bytes) {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        return new Shard((from, length) -> all.slice((int) from, length), bytes.length);
    }

    Section section(int number) {
        return all[number];
    }

    int crawlerCount() {
        return (int) (crawlers.length / 8);
    }

    /** The name of a crawler; empty, which no group has, if it cannot be read. */
    byte[] crawler(long id) {
        byte[] name = crawlerOrNull(id);
        return name == null ? new byte[0] : name;
    }

    /** The name of a crawler; null if it cannot be read. */
    byte[] crawlerOrNull(long id) {
        try {
            return crawlerNames.bytes(crawlers.u32(8 * id), (int) Math.min(crawlers.u32(8 * id + 4), Integer.MAX_VALUE));
        } catch (Damage | IndexOutOfBoundsException damage) {
            return null;
        }
    }

    /** The number of entries of a ranked list, all of which are inside the section. */
    int entries(long list) {
        int count = lists.u16(list);
        if ((count & 0x8000) != 0 || list + 2 + 8L * count > lists.length) {
            throw Damage.FOUND;
        }
        return count;
    }

    /**
     * The number of the crawler with exactly this name, or -1, also where the search meets a name that cannot
     * be read.
     */
    int findCrawler(String name) {
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        int from = 0;
        int to = crawlerCount();
        while (from < to) {
            int middle = (from + to) >>> 1;
            byte[] found = crawlerOrNull(middle);
            if (found == null) {
                return -1;
            }
            int order = java.util.Arrays.compareUnsigned(found, wanted);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return -1;
    }

    /** The names of usages, in the order of their numbers; none if the last one does not end. */
    List<String> usages() {
        byte[] bytes = usages.bytes();
        List<String> names = new ArrayList<>();
        if (bytes.length == 0 || bytes[bytes.length - 1] != '\n') {
            return names;
        }
        int start = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                names.add(new String(bytes, start, at - start, StandardCharsets.UTF_8));
                start = at + 1;
            }
        }
        return names;
    }

    /** The same; none if they cannot be read. */
    List<String> usagesOrNone() {
        try {
            return usages();
        } catch (Damage | IndexOutOfBoundsException damage) {
            return List.of();
        }
    }

    long documentCount() {
        return documents.length / DOCUMENT;
    }

    /** The bytes of a document's detail. Damage throws. */
    byte[] detailBytes(long document) {
        long at = documents.i64(DOCUMENT * document);
        return details.bytes(at, (int) Math.min(documents.u32(DOCUMENT * document + 8), Integer.MAX_VALUE));
    }

    /** The frame of a document's text, empty if the image does not hold it. Damage throws. */
    byte[] frame(long document) {
        long at = documents.i64(DOCUMENT * document + 16);
        return sources.bytes(at, (int) Math.min(documents.u32(DOCUMENT * document + 12), Integer.MAX_VALUE));
    }

    /** The detail of a site's document; null if it has none, or damage hides it. */
    Detail detail(long number) {
        try {
            long document = fetches.u32(18 * number + 12);
            return document == NONE ? null : Detail.read(detailBytes(document));
        } catch (Damage | IndexOutOfBoundsException damage) {
            return null;
        }
    }

    /** The first bytes of the text of a site's document; null if it has none, or damage hides it. */
    byte[] text(long number, int limit) {
        try {
            byte[] frame = frameOf(number);
            return frame.length == 0 ? null : ZstdFrame.text(frame, limit);
        } catch (Damage | IndexOutOfBoundsException damage) {
            return null;
        }
    }

    /** The size that the frame of this text states; -1 if there is none. */
    long textLength(long number) {
        try {
            byte[] frame = frameOf(number);
            return frame.length == 0 ? -1 : new ZstdFrame(frame).size;
        } catch (Damage | IndexOutOfBoundsException damage) {
            return -1;
        }
    }

    private byte[] frameOf(long number) {
        long document = fetches.u32(18 * number + 12);
        return document == NONE ? new byte[0] : frame(document);
    }

    /** The provenance. Damage throws. */
    Meta meta() {
        return Meta.read(meta.bytes());
    }

    /** The crawlers that the image was narrowed to; empty if it holds all. */
    List<String> narrowed() {
        try {
            return meta().crawlers();
        } catch (Damage | IndexOutOfBoundsException damage) {
            return List.of();
        }
    }
}
