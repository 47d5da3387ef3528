package org.apache.hadoop.conf;

import java.util.HashMap;
import java.util.Map;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class Configuration {
    private final Map<String, String> values = new HashMap<>();

    public String get(String name) {
        return values.get(name);
    }

    public void set(String name, String value) {
        values.put(name, value);
    }
}
