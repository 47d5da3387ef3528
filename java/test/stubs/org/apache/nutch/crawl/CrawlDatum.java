package org.apache.nutch.crawl;

/** A stub with the signatures of the class of this name; the tests have no network. */
public class CrawlDatum {}
