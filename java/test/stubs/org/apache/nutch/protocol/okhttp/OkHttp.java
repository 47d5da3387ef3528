package org.apache.nutch.protocol.okhttp;

import crawlercommons.robots.BaseRobotRules;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.nutch.crawl.CrawlDatum;
import org.apache.nutch.protocol.Content;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class OkHttp {
    public void setConf(Configuration conf) {}

    public BaseRobotRules getRobotRules(Text url, CrawlDatum datum, List<Content> robotsTxtContent) {
        return null;
    }
}
