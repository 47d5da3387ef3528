package org.apache.nutch.protocol;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class Content {}
