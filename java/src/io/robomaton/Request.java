package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A request of an ACAP record about a URL: to erase every copy of it, or to fetch it again. No decision
 * depends on it.
 *
 * @param action {@code take-down} or {@code re-crawl}
 * @param path the resource as written
 * @param line the line, from 1
 * @param file the file that contains it, if the robots.txt refers to one; else null
 */
public record Request(String action, String path, long line, String file) {
    private static final String KEY = "request-";

    /** The requests of a site to a crawler for a URL, in the order of the document. */
    static List<Request> of(Site site, Crawler of, String url) {
        Detail detail = site.detail();
        if (detail == null) {
            return List.of();
        }
        Question question = site.question(of, url);
        try {
            return of(site, question, detail);
        } finally {
            question.release();
        }
    }

    private static List<Request> of(Site site, Question question, Detail detail) {
        AgentRule rule = question.profile.agentRule;
        Crawler crawler = question.crawler;
        String name = detail.nameOf(rule, crawler.lookupFor(rule, detail));
        List<Request> requests = new ArrayList<>();
        for (Detail.Group group : detail.groups) {
            boolean isForAll = group.isDefault() && !crawler.namedOnly;
            boolean isAsked = isForAll || name != null && group.crawlers().contains(name);
            if (group.role() != Detail.FIELD || !isAsked) {
                continue;
            }
            for (Detail.Extension record : group.extensions()) {
                String path = record.key().startsWith(KEY) ? path(record.value(), site.authority()) : null;
                if (path != null && isTarget(question.target, path, group.notation())) {
                    String action = record.key().substring(KEY.length());
                    requests.add(new Request(action, record.value(), record.line(), detail.file(group.file())));
                }
            }
        }
        return requests;
    }

    /** The path of a resource that is a path, or a URL of the site itself; else null. */
    private static String path(String written, String authority) {
        int scheme = written.indexOf("://");
        String path = written;
        if (scheme >= 0) {
            Target target = new Target();
            target.read(written);
            Url url = new Url();
            boolean isUrl = url.asParsed(target);
            if (!isUrl || !new String(url.bytes, url.from, url.length, StandardCharsets.UTF_8).equals(authority)) {
                return null;
            }
            int at = scheme + 3;
            while (at < written.length() && written.charAt(at) != '/' && written.charAt(at) != '?') {
                at++;
            }
            path = written.substring(at);
        }
        return path.startsWith("/") ? path : "/" + path;
    }

    /** A star in a request is a star. */
    private static boolean isTarget(Target target, String path, Notation notation) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        byte[] asked = new byte[3 * bytes.length];
        int length = notation.target(bytes, 0, bytes.length, asked);
        byte[] own = target.bytes(notation);
        return Arrays.equals(own, 0, target.length(notation), asked, 0, length);
    }
}
