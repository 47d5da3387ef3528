package io.robomaton;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The rules of one site for one crawler, in the shape of crawler-commons' {@code BaseRobotRules}, so that
 * an adapter for Nutch or StormCrawler is a page (docs/jvm.md).
 *
 * <p>It is immutable. A site that the image does not contain allows nothing and defers visits, as a
 * robots.txt that could not be fetched does.
 */
public final class RobotRules {
    /** There is no crawl delay. */
    public static final long UNSET_CRAWL_DELAY = Long.MIN_VALUE;

    private final RobomatonImage image;
    private final Crawler crawler;
    private final Optional<Site> site;

    private RobotRules(RobomatonImage image, Crawler crawler, Optional<Site> site) {
        this.image = image;
        this.crawler = crawler;
        this.site = site;
    }

    /**
     * The rules of the site that a URL belongs to.
     *
     * @param image the image
     * @param crawler a crawler of the image
     * @param url an absolute URL of the site
     * @return the rules
     */
    public static RobotRules of(RobomatonImage image, Crawler crawler, String url) {
        return new RobotRules(image, crawler, image.site(url));
    }

    /**
     * True if the crawler may fetch the URL. The site of the URL answers, whichever these rules are of.
     *
     * @param url an absolute URL
     * @return true if it may
     */
    public boolean isAllowed(String url) {
        return image.isAllowed(crawler, url);
    }

    /**
     * True if the site has no rules, not even in its pages, and its outcome allows everything.
     *
     * @return true if all is allowed
     */
    public boolean isAllowAll() {
        return site.map(Site::isOutcomeAlone).orElse(false) && withoutRules(Decision.ALLOWED);
    }

    /**
     * True if the site has no rules, and its outcome disallows everything.
     *
     * @return true if nothing is allowed
     */
    public boolean isAllowNone() {
        return site.isEmpty() || withoutRules(Decision.DISALLOWED);
    }

    private boolean withoutRules(Decision decision) {
        if (site.isEmpty() || site.get().outcome().orElse(Outcome.RULES) == Outcome.RULES) {
            return false;
        }
        Verdict verdict = site.get().decide(crawler, Usage.CRAWL, "/");
        return verdict.basis() == Basis.OUTCOME && verdict.decision() == decision;
    }

    /**
     * True if the crawler should come back later: there may be a robots.txt that nobody has read.
     *
     * @return true if visits are to be deferred
     */
    public boolean isDeferVisits() {
        return site.flatMap(Site::outcome).map(Outcome::isUnread).orElse(true);
    }

    /**
     * The longest Crawl-delay of the crawler's groups.
     *
     * @return milliseconds, or {@link #UNSET_CRAWL_DELAY}
     */
    public long getCrawlDelay() {
        OptionalDouble delay = site.isPresent() ? site.get().crawlDelay(crawler) : OptionalDouble.empty();
        return delay.isPresent() ? Math.round(delay.getAsDouble() * 1000) : UNSET_CRAWL_DELAY;
    }

    /**
     * The URLs of the site's sitemaps, in file order.
     *
     * @return URLs
     */
    public List<String> getSitemaps() {
        return site.map(Site::sitemaps).orElse(List.of());
    }
}
