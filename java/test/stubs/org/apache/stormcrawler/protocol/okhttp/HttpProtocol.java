package org.apache.stormcrawler.protocol.okhttp;

import crawlercommons.robots.BaseRobotRules;
import org.apache.storm.Config;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class HttpProtocol {
    public void configure(Config conf) {}

    public BaseRobotRules getRobotRules(String url) {
        return null;
    }
}
