package io.robomaton;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One file of an image: its sections, and the records that are found by number. */
final class Shard {
    private static final long NONE = 0xFFFF_FFFFL;

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
    private final Section meta;

    Shard(Section.Source source, long length) {
        file = Section.of(source, 0, length);
        layout = new Layout(file);
        for (int number = 0; number < all.length; number++) {
            all[number] = Section.of(source, layout.at[number], layout.length[number]);
        }
        hosts = new HostTable(all[0], all[1], layout.seed);
        policies = all[2];
        lists = all[3];
        programs = all[4];
        scopes = all[5];
        purposes = all[6];
        crawlers = all[7];
        crawlerNames = all[8];
        usages = all[9];
        fetches = all[10];
        order = all[11];
        documents = all[12];
        details = all[13];
        meta = all[15];
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
        try {
            return crawlerNames.bytes(crawlers.u32(8 * id), (int) Math.min(crawlers.u32(8 * id + 4), Integer.MAX_VALUE));
        } catch (Damage | IndexOutOfBoundsException damage) {
            return new byte[0];
        }
    }

    /** The number of the crawler with exactly this name, or -1. */
    int findCrawler(String name) {
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        int from = 0;
        int to = crawlerCount();
        while (from < to) {
            int middle = (from + to) >>> 1;
            int order = java.util.Arrays.compareUnsigned(crawler(middle), wanted);
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

    /** The names of usages, in the order of their numbers. */
    List<String> usages() {
        byte[] bytes = usages.bytes(0, (int) Math.min(usages.length, Integer.MAX_VALUE - 8));
        List<String> names = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                names.add(new String(bytes, start, at - start, StandardCharsets.UTF_8));
                start = at + 1;
            }
        }
        return names;
    }

    /** The detail of a site's document; null if it has none, or damage hides it. */
    Detail detail(long number) {
        try {
            long document = fetches.u32(18 * number + 12);
            if (document == NONE) {
                return null;
            }
            long at = documents.i64(24 * document);
            return Detail.read(details.bytes(at, (int) documents.u32(24 * document + 8)));
        } catch (Damage | IndexOutOfBoundsException damage) {
            return null;
        }
    }

    /** The crawlers that the image was narrowed to; empty if it holds all. */
    List<String> narrowed() {
        try {
            return Detail.narrowed(meta.bytes(0, (int) Math.min(meta.length, Integer.MAX_VALUE - 8)));
        } catch (Damage | IndexOutOfBoundsException damage) {
            return List.of();
        }
    }
}
