package org.apache.stormcrawler.util;

import java.util.Map;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class ConfUtils {
    private ConfUtils() {}

    public static String getString(Map<String, Object> conf, String key) {
        return (String) conf.get(key);
    }
}
