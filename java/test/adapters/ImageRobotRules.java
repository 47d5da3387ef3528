package adapters;

import crawlercommons.robots.BaseRobotRules;
import io.robomaton.RobotRules;

/** The rules of a site in an image, for crawlers that know crawler-commons. */
final class ImageRobotRules extends BaseRobotRules {
    private static final long serialVersionUID = 1L;

    /** An image is mapped, so its rules are not sent to another machine. */
    private final transient RobotRules rules;

    ImageRobotRules(RobotRules rules) {
        this.rules = rules;
        setCrawlDelay(rules.getCrawlDelay());
        setDeferVisits(rules.isDeferVisits());
        rules.getSitemaps().forEach(this::addSitemap);
    }

    @Override
    public boolean isAllowed(String url) {
        return rules.isAllowed(url);
    }

    @Override
    public boolean isAllowAll() {
        return rules.isAllowAll();
    }

    @Override
    public boolean isAllowNone() {
        return rules.isAllowNone();
    }
}
