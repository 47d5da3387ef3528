package io.robomaton;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A site of an image, or another document of a site: the outcome of its fetch, and its records. */
public final class Site {
    private static final long NONE = 0xFFFF_FFFFL;
    /** The first bytes of a text in which lines are looked for. */
    private static final int LINES_WITHIN = 16 << 20;

    final RobomatonImage image;
    private final int layer;
    final Shard shard;
    private final long place;
    private final boolean isDocument;

    Site(RobomatonImage image, int layer, Shard shard, long place, boolean isDocument) {
        this.image = image;
        this.layer = layer;
        this.shard = shard;
        this.place = place;
        this.isDocument = isDocument;
    }

    private Profile profile() {
        return isDocument ? Profile.KOSTER : shard.layout.profile;
    }

    /** Makes the thread's question one to this site; the caller releases it. */
    Question question(Crawler crawler, String url) {
        RobomatonImage.Space space = image.space();
        space.readPath(url, profile());
        space.question.at(shard, place, isDocument, image.terms(), crawler.of(layer));
        return space.question;
    }

    int answer(Crawler crawler, Usage usage, String url) {
        image.check(crawler, usage);
        Question question = question(crawler, url);
        try {
            return question.answer(usage.of(layer));
        } finally {
            question.release();
        }
    }

    /** The crawler as this site's image knows it. */
    Crawler own(Crawler crawler) {
        return crawler.of(layer);
    }

    /** The usage as this site's image knows it. */
    Usage own(Usage usage) {
        return usage.of(layer);
    }

    /** The names of usages in this site's image; none if they cannot be read. */
    List<String> usageNames() {
        return shard.usagesOrNone();
    }

    /**
     * Decides a URL of this site, or a path with query. The host of a URL is not checked again.
     *
     * @param crawler who asks
     * @param usage what for
     * @param url a URL of this site, or a path
     * @return the verdict
     */
    public Verdict decide(Crawler crawler, Usage usage, String url) {
        return new Verdict(answer(crawler, usage, url), this, crawler, usage, url);
    }

    /**
     * Its URL, or the authority alone if it was captured without a scheme.
     *
     * @return such as {@code https://example.com}
     */
    public String address() {
        String name = shard.hosts.name(place);
        int scheme = shard.hosts.scheme(place);
        return scheme == HostTable.HTTPS ? "https://" + name : scheme == HostTable.HTTP ? "http://" + name : name;
    }

    /** Its host, and its port if it is not the default one. */
    String authority() {
        String name = shard.hosts.name(place);
        int slash = name.indexOf('/');
        return slash < 0 ? name : name.substring(0, slash);
    }

    private long number() {
        return shard.hosts.number(place);
    }

    /**
     * The outcome of fetching its robots.txt, or this document.
     *
     * @return the outcome; empty if the image is damaged here
     */
    public Optional<Outcome> outcome() {
        try {
            int entry = shard.hosts.entry(place);
            if (entry >>> 30 == 3) {
                return Optional.of(Question.outcome(entry));
            }
            if (entry >>> 30 != 2) {
                return Optional.of(Outcome.RULES);
            }
            Policy policy = new Policy();
            policy.read(shard.policies, entry & 0x3FFF_FFFF);
            return Optional.of(policy.outcome == null ? Outcome.RULES : policy.outcome);
        } catch (Damage | IndexOutOfBoundsException damage) {
            return Optional.empty();
        }
    }

    /** True if nothing but the outcome answers: there are no records, and none of pages either. */
    boolean isOutcomeAlone() {
        try {
            return shard.hosts.entry(place) >>> 30 == 3;
        } catch (Damage | IndexOutOfBoundsException damage) {
            return false;
        }
    }

    private long fetch(int field, int size) {
        try {
            long at = 18 * number() + field;
            return size == 8 ? shard.fetches.i64(at) : size == 4 ? shard.fetches.u32(at) : shard.fetches.u16(at);
        } catch (Damage | IndexOutOfBoundsException damage) {
            return field == 8 ? NONE : 0;
        }
    }

    /**
     * The HTTP status of the capture.
     *
     * @return the status, 0 if there was none
     */
    public int status() {
        return (int) fetch(16, 2);
    }

    /**
     * The time of the fetch.
     *
     * @return seconds since 1970, if it is known
     */
    public OptionalLong fetchedAt() {
        long at = fetch(0, 8);
        return at == 0 ? OptionalLong.empty() : OptionalLong.of(at);
    }

    /**
     * How long after the fetch answers are fresh: as the capture says, else the profile's default.
     *
     * @return seconds
     */
    public long freshFor() {
        long stated = fetch(8, 4);
        return stated == NONE ? profile().freshFor : stated;
    }

    /** How the groups that answered a question on this basis were chosen; empty without rules. */
    Optional<Choice> choice(Crawler crawler, Basis basis) {
        if (basis != Basis.FIELDS && !outcome().equals(Optional.of(Outcome.RULES))) {
            return Optional.empty();
        }
        Detail detail = detail();
        AgentRule rule = profile().agentRule;
        return Optional.of(detail == null ? new Choice("nobody", null) : Choice.of(detail, rule, own(crawler)));
    }

    Detail detail() {
        try {
            return shard.detail(number());
        } catch (Damage | IndexOutOfBoundsException damage) {
            return null;
        }
    }

    /**
     * The text of its robots.txt, or of this document, as it was captured. Whoever reads a site that is not
     * trusted sets a limit: a small image may hold a large text.
     *
     * @param limit the first bytes to return, at most so many
     * @return the bytes; empty if the image does not contain the text, or is damaged here
     * @throws IllegalArgumentException if the limit is below zero
     */
    public Optional<byte[]> text(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("the limit " + limit + " is below zero");
        }
        return Optional.ofNullable(shard.text(number(), limit));
    }

    /**
     * The length of its text.
     *
     * @return bytes, if the image contains the text
     */
    public OptionalLong textLength() {
        long length = shard.textLength(number());
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    /**
     * A line of its text as written, such as that of a {@link Rule} of carrier {@code robots} and without a
     * file. Bytes that are not UTF-8 are replaced.
     *
     * @param number the number of the line, from 1
     * @return the line without its end; empty if the image does not contain it within the first 16 MiB
     */
    public Optional<String> line(long number) {
        return text(LINES_WITHIN).flatMap(text -> Lines.line(text, number));
    }

    /**
     * The URLs of its sitemaps, in file order. This decodes cold records.
     *
     * @return URLs
     */
    public List<String> sitemaps() {
        List<String> urls = new ArrayList<>();
        Detail detail = detail();
        if (detail != null) {
            for (Detail.Extension record : detail.extensions) {
                if (record.key().equals("sitemap") && !record.value().isEmpty()) {
                    urls.add(record.value());
                }
            }
        }
        return urls;
    }

    /**
     * The longest Crawl-delay in the groups that apply to a crawler. This decodes cold records.
     *
     * @param crawler who asks
     * @return seconds between requests
     */
    public OptionalDouble crawlDelay(Crawler crawler) {
        Long longest = schedule(crawler).longestDelay();
        if (longest == null) {
            return OptionalDouble.empty();
        }
        double millis = longest < 0 ? longest + 0x1p64 : longest;
        return OptionalDouble.of(millis / 1000.0);
    }

    /**
     * When and how often a crawler may come: the records of all groups that apply to it. This decodes
     * cold records.
     *
     * @param crawler who asks
     * @return the schedule
     */
    public Schedule schedule(Crawler crawler) {
        image.check(crawler, Usage.CRAWL);
        Detail detail = detail();
        if (detail == null) {
            return Schedule.NONE;
        }
        AgentRule rule = profile().agentRule;
        List<Integer> groups = detail.groupsOf(rule, crawler.lookupFor(rule, detail), crawler.namedOnly);
        return Schedule.of(groups.stream().map(number -> detail.groups.get(number).schedule()).toList());
    }
}
