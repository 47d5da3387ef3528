package org.apache.storm;

import java.util.HashMap;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class Config extends HashMap<String, Object> {
    private static final long serialVersionUID = 1L;
}
