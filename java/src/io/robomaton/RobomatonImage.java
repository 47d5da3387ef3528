package io.robomaton;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An image: the compiled robots.txt of many sites, in one file, a directory of shards, or a stack of such
 * layers, mapped and asked in place. Of the layers of a stack that have a site, the newest answers.
 *
 * <p>It is immutable, and any number of threads may ask it. The mapping lives until the image is garbage;
 * replace a file by renaming another one, never by writing into it.
 *
 * <pre>{@code
 * RobomatonImage image = RobomatonImage.open(Path.of("crawl.rimg"));
 * Crawler crawler = image.crawler("mybot");
 * if (image.isAllowed(crawler, "https://example.com/page")) { ... }
 * }</pre>
 */
public final class RobomatonImage {
    private static final ThreadLocal<Space> SPACES = ThreadLocal.withInitial(Space::new);

    /** The shards of each layer, newest first. */
    private final Shard[][] layers;
    private final Terms terms;

    /** What a thread needs to ask. It knows an image only while it asks it. */
    static final class Space {
        final Question question = new Question();
        final Url url = new Url();
        /** The layer of the site that was found. */
        int layer;

        /** Takes a URL of a site or a path alone, and makes its target. */
        void readPath(String text, Profile profile) {
            Target target = question.target;
            target.read(text);
            if (profile.notation == Notation.GOOGLE) {
                target.google();
            } else {
                target.path(url.asAddress(target) ? url.rest : url.start, url.end);
            }
        }

        /** Makes the target of the URL that was split. */
        void readTarget(Profile profile) {
            if (profile.notation == Notation.GOOGLE) {
                question.target.google();
            } else {
                question.target.path(url.rest, url.end);
            }
        }
    }

    RobomatonImage(Shard[][] layers, Terms terms) {
        this.layers = layers;
        this.terms = terms;
    }

    /**
     * Maps a file, the shards of a directory, or the layers of a stack, and checks header and section tables
     * (I1 to I5 of SPEC.md). That takes constant time; {@link #verify} checks the rest. A stack stays the
     * generation that was opened.
     *
     * @param path a file or a directory
     * @return the image
     * @throws IOException if it cannot be read
     * @throws RobomatonException if it is no image, or its shards or layers do not belong together
     */
    public static RobomatonImage open(Path path) throws IOException {
        return new RobomatonImage(Files.open(path), Terms.DEFAULT);
    }

    /**
     * Opens an image in memory. The bytes must not change.
     *
     * @param bytes the bytes of a file
     * @return the image; of a single shard, sites of the others are unknown
     * @throws RobomatonException if they do not begin as an image
     */
    public static RobomatonImage of(byte[] bytes) {
        return new RobomatonImage(new Shard[][] {{Shard.of(bytes)}}, Terms.DEFAULT);
    }

    /**
     * The same image under other terms. The bytes are shared.
     *
     * @param other the terms
     * @return an image
     */
    public RobomatonImage withTerms(Terms other) {
        return new RobomatonImage(layers, other);
    }

    Terms terms() {
        return terms;
    }

    Space space() {
        return SPACES.get();
    }

    /**
     * The profile that the image was compiled under.
     *
     * @return the profile
     */
    public Profile profile() {
        return layers[0][0].layout.profile;
    }

    /**
     * The number of sites, plus documents other than robots.txt. In a stack, each layer that has a site
     * counts.
     *
     * @return a count
     */
    public long size() {
        long size = 0;
        for (Shard[] shards : layers) {
            for (Shard shard : shards) {
                size += shard.fetches.length / 18;
            }
        }
        return size;
    }

    /**
     * Resolves a crawler by its names, best first. A name may be a whole {@code User-Agent} header, and {@code
     * *} means any crawler.
     *
     * @param names one or more names
     * @return the crawler, for questions to this image alone
     * @throws IllegalArgumentException if there is no name, or one names no crawler
     */
    public Crawler crawler(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("without names there is no crawler; `*` means any crawler");
        }
        for (String name : names) {
            profile().agentRule.check(name);
        }
        Crawler[] each = new Crawler[layers.length];
        for (int layer = 0; layer < each.length; layer++) {
            each[layer] = new Crawler(layers, layers[layer][0], profile().agentRule, List.of(names));
        }
        return each.length == 1 ? each[0] : new Crawler(each);
    }

    /**
     * Resolves a usage by its name, such as {@code index} or {@code ai-train}, or by a label of a
     * language, such as {@code train-ai}. A name that neither a vocabulary nor the image has may be
     * misspelt, and is refused.
     *
     * @param name the name, in any case
     * @return the usage, for questions to this image alone
     * @throws IllegalArgumentException if the usage is unknown
     */
    public Usage usage(String name) {
        List<List<String>> usages = Arrays.stream(layers).map(shards -> shards[0].usagesOrNone()).toList();
        Vocabulary.check(name, usages.stream().flatMap(List::stream).toList());
        return Usage.of(usages.stream().map(names -> Usage.of(layers, name, names)).toList());
    }

    private static Shard shard(Shard[] shards, byte[] name, int from, int length) {
        if (shards.length == 1) {
            return shards[0];
        }
        int end = from;
        while (end < from + length && name[end] != '/') {
            end++;
        }
        long hash = Xxh3.hash(name, from, end - from, 1);
        return shards[(int) ((hash >>> 32) * shards.length >>> 32)];
    }

    /** Finds the site of the URL that was split in a layer, or {@link HostTable#NONE}. */
    private static long place(Shard shard, Url url) {
        try {
            return shard.hosts.find(url.bytes, url.from, url.length, url.scheme);
        } catch (Damage | IndexOutOfBoundsException damage) {
            // A site whose name is damaged is not there.
            return HostTable.NONE;
        }
    }

    /** Finds the site of the URL that was split; the question is then to it. */
    private boolean find(Space space, Crawler crawler) {
        if (layers.length > 1) {
            return findInStack(space, crawler);
        }
        Shard shard = shard(layers[0], space.url.bytes, space.url.from, space.url.length);
        long place = place(shard, space.url);
        space.layer = 0;
        space.question.at(shard, place, false, terms, crawler);
        return place != HostTable.NONE;
    }

    /**
     * Of several layers, the newest one that has the site with its scheme counts, else the newest one that
     * has it without.
     */
    private boolean findInStack(Space space, Crawler crawler) {
        Url url = space.url;
        boolean found = false;
        for (int layer = 0; layer < layers.length; layer++) {
            Shard shard = shard(layers[layer], url.bytes, url.from, url.length);
            long place = place(shard, url);
            if (place == HostTable.NONE) {
                continue;
            }
            boolean isExact = shard.hosts.scheme(place) != HostTable.ANY;
            if (isExact || !found) {
                space.layer = layer;
                space.question.at(shard, place, false, terms, crawler == null ? null : crawler.of(layer));
                found = true;
            }
            if (isExact) {
                return true;
            }
        }
        return found;
    }

    /** Finds the site of a URL; else the answer of a question about it. */
    private int find(Space space, Crawler crawler, String text) {
        space.question.target.read(text);
        if (space.url.asWritten(space.question.target) && find(space, crawler)) {
            return FOUND;
        }
        if (!space.url.asParsed(space.question.target)) {
            return Answer.NO_URL;
        }
        return find(space, crawler) ? FOUND : Answer.NO_SITE;
    }

    /** The site was found. */
    private static final int FOUND = -1;

    /** Refuses what another image resolved. The same image under other terms has the same shards. */
    void check(Crawler crawler, Usage usage) {
        if (crawler.image != layers || usage.image != null && usage.image != layers) {
            String what = crawler.image != layers ? "crawler" : "usage";
            throw new IllegalArgumentException("the " + what + " was resolved for another image");
        }
    }

    private int answer(Space space, Crawler crawler, Usage usage, String url) {
        check(crawler, usage);
        int found = find(space, crawler, url);
        if (found != FOUND) {
            return found;
        }
        space.readTarget(space.question.profile);
        return space.question.answer(usage.of(space.layer));
    }

    /**
     * Decides whether the crawler may use the URL in this way. A site that the image does not contain
     * is unknown.
     *
     * @param crawler who asks
     * @param usage what for
     * @param url an absolute URL
     * @return the verdict
     * @throws IllegalArgumentException if crawler or usage belongs to another image
     * @throws UnsupportedException if this reader cannot tell
     */
    public Verdict decide(Crawler crawler, Usage usage, String url) {
        Space space = space();
        try {
            int answer = answer(space, crawler, usage, url);
            boolean hasSite = answer != Answer.NO_SITE && answer != Answer.NO_URL;
            return new Verdict(answer, hasSite ? site(space, false) : null, crawler, usage, url);
        } finally {
            space.question.release();
        }
    }

    /** The site that was found. */
    private Site site(Space space, boolean isDocument) {
        return new Site(this, space.layer, space.question.shard, space.question.place, isDocument);
    }

    /**
     * True if the crawler may fetch the URL: permitted without conditions, nothing is missing, and the
     * image contains the site. It allocates nothing, unless it has to parse the host: of a site that is not
     * there, or is written in another way, such as in capitals.
     *
     * @param crawler who asks
     * @param url an absolute URL
     * @return true if it may
     */
    public boolean isAllowed(Crawler crawler, String url) {
        Space space = space();
        try {
            int answer = answer(space, crawler, Usage.CRAWL, url);
            return Answer.decision(answer) == Decision.ALLOWED && !Answer.isIncomplete(answer);
        } finally {
            space.question.release();
        }
    }

    /**
     * The site that an absolute URL belongs to.
     *
     * @param url an absolute URL
     * @return the site, if the image contains it
     */
    public Optional<Site> site(String url) {
        Space space = space();
        try {
            return find(space, null, url) == FOUND ? Optional.of(site(space, false)) : Optional.empty();
        } finally {
            space.question.release();
        }
    }

    /**
     * Another document of the site that an absolute URL belongs to, such as {@code data.txt}.
     *
     * @param url an absolute URL
     * @param name the name of the document
     * @return the document, if the image contains it
     */
    public Optional<Site> document(String url, String name) {
        Space space = space();
        space.question.target.read(url);
        if (!space.url.asParsed(space.question.target)) {
            return Optional.empty();
        }
        Url of = space.url;
        byte[] tail = ("/" + name).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        byte[] whole = java.util.Arrays.copyOfRange(of.bytes, of.from, of.from + of.length + tail.length);
        System.arraycopy(tail, 0, whole, of.length, tail.length);
        of.bytes = whole;
        of.from = 0;
        of.length = whole.length;
        try {
            return find(space, null) ? Optional.of(site(space, true)) : Optional.empty();
        } finally {
            space.question.release();
        }
    }

    /**
     * Like {@link #decide}, by another document of the site. If the image does not contain the document,
     * robots.txt does not answer in its place.
     *
     * @param name the name of the document, such as {@code data.txt}
     * @param crawler who asks
     * @param usage what for
     * @param url an absolute URL
     * @return the verdict
     */
    public Verdict decideDocument(String name, Crawler crawler, Usage usage, String url) {
        check(crawler, usage);
        Optional<Site> document = document(url, name);
        if (document.isPresent()) {
            return document.get().decide(crawler, usage, url);
        }
        Space space = space();
        space.question.target.read(url);
        int answer = space.url.asParsed(space.question.target) ? Answer.NO_SITE : Answer.NO_URL;
        return new Verdict(answer, null, crawler, usage, url);
    }

    /**
     * Checks the validity rules I6 to I17 of SPEC.md in time linear in the size of the image. An image that
     * passes answers every question. {@link #verifyTexts} checks I18.
     *
     * @throws RobomatonException the first broken rule, and where
     */
    public void verify() {
        verify(false);
    }

    /**
     * Like {@link #verify}, and decompresses all texts (I18). That takes time linear in the texts, and a small
     * image may hold large ones. Those of an image that means harm take up to 512 MiB of memory.
     *
     * @throws RobomatonException the first broken rule, and where
     */
    public void verifyTexts() {
        verify(true);
    }

    private void verify(boolean texts) {
        for (Shard[] shards : layers) {
            for (Shard shard : shards) {
                Verification.verify(shard);
                if (texts) {
                    ColdCheck.checkTexts(shard);
                }
            }
        }
    }
}
