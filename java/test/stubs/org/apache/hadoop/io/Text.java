package org.apache.hadoop.io;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class Text {
    private final String text;

    public Text(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
