package crawlercommons.robots;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** A stub with the signatures of the class of this name; the tests have no network. */
public abstract class BaseRobotRules implements Serializable {
    private static final long serialVersionUID = 1L;

    private long crawlDelay = Long.MIN_VALUE;
    private boolean deferVisits;
    private final ArrayList<String> sitemaps = new ArrayList<>();

    public abstract boolean isAllowed(String url);

    public abstract boolean isAllowAll();

    public abstract boolean isAllowNone();

    public long getCrawlDelay() {
        return crawlDelay;
    }

    public void setCrawlDelay(long delay) {
        crawlDelay = delay;
    }

    public boolean isDeferVisits() {
        return deferVisits;
    }

    public void setDeferVisits(boolean defer) {
        deferVisits = defer;
    }

    public void addSitemap(String sitemap) {
        sitemaps.add(sitemap);
    }

    public List<String> getSitemaps() {
        return sitemaps;
    }
}
