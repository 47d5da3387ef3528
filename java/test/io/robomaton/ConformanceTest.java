package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The answers are those of the conformance file, which the Rust reader gives, too. */
@SuppressWarnings("unchecked")
public class ConformanceTest {
    private final Map<String, RobomatonImage> images = new HashMap<>();

    private RobomatonImage image(Map<String, Object> line) throws IOException {
        String name = (String) line.get("image");
        RobomatonImage image = images.get(name);
        if (image == null) {
            image = RobomatonImage.open(Conformance.IMAGES.resolve(name));
            images.put(name, image);
        }
        boolean elements = line.containsKey("elements");
        return image.withTerms(Terms.DEFAULT.elements(elements));
    }

    private static Crawler crawler(RobomatonImage image, Map<String, Object> line) {
        String[] names = ((List<Object>) line.get("crawler")).toArray(new String[0]);
        return image.crawler(names).namedOnly(line.containsKey("named_only"));
    }

    private static Usage usage(RobomatonImage image, Map<String, Object> line) {
        Usage usage = image.usage((String) line.get("usage"));
        return line.containsKey("purpose") ? usage.forPurpose((String) line.get("purpose")) : usage;
    }

    /** An answer as the file has it. */
    private static List<Object> answer(Verdict verdict, String url) {
        String basis = verdict.basis() + verdict.outcome().map(outcome -> ":" + outcome).orElse("");
        List<Object> answer = new ArrayList<>(List.of(url, verdict.decision().toString(), basis));
        List<Object> lines = new ArrayList<>();
        verdict.lines().forEach(number -> lines.add((double) number));
        List<Object> more = new ArrayList<>();
        verdict.conditions().forEach(condition -> more.add(condition.toString()));
        if (verdict.isIncomplete()) {
            more.add("incomplete");
        }
        if (!lines.isEmpty() || !more.isEmpty()) {
            answer.add(lines);
        }
        if (!more.isEmpty()) {
            answer.add(more);
        }
        return answer;
    }

    @Test
    public void answersAreEqual() throws IOException {
        int asked = 0;
        List<String> wrong = new ArrayList<>();
        for (Map<String, Object> line : Conformance.lines("answers")) {
            RobomatonImage image = image(line);
            Crawler crawler = crawler(image, line);
            Usage usage = usage(image, line);
            String document = (String) line.get("document");
            for (Object each : (List<Object>) line.remove("answers")) {
                List<Object> expected = (List<Object>) each;
                String url = (String) expected.get(0);
                Verdict verdict = document == null
                        ? image.decide(crawler, usage, url)
                        : image.decideDocument(document, crawler, usage, url);
                List<Object> found = answer(verdict, url);
                if (!found.equals(expected)) {
                    wrong.add(line + ": expected " + expected + ", found " + found);
                }
                if (document == null && usage.isCrawl() && !line.containsKey("purpose")) {
                    assertEquals(url, verdict.isAllowed(), image.isAllowed(crawler, url));
                }
                asked++;
            }
        }
        report(wrong);
        assertTrue("asked " + asked, asked > 5000);
    }

    @Test
    public void misspeltUsagesAreRefused() throws IOException {
        List<String> wrong = new ArrayList<>();
        int asked = 0;
        for (Map<String, Object> line : Conformance.lines("known")) {
            boolean known = true;
            try {
                image(line).usage((String) line.get("usage"));
            } catch (IllegalArgumentException refused) {
                known = false;
                assertTrue(refused.getMessage(), refused.getMessage().contains("is not a known usage"));
            }
            if (!line.get("known").equals(known)) {
                wrong.add("expected " + line + ", found " + known);
            }
            asked++;
        }
        report(wrong);
        assertTrue("asked " + asked, asked > 100);
    }

    @Test
    public void factsOfSitesAreEqual() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Map<String, Object> line : Conformance.lines("outcome")) {
            RobomatonImage image = image(line);
            Crawler crawler = crawler(image, line);
            String address = (String) line.get("site");
            Site site = image.site(address.contains("://") ? address : "http://" + address).orElseThrow();
            Map<String, Object> found = new HashMap<>(line);
            found.put("site", site.address());
            found.put("outcome", site.outcome().map(Outcome::toString).orElse(null));
            found.put("status", (double) site.status());
            found.put("fetched_at", site.fetchedAt().isPresent() ? (double) site.fetchedAt().getAsLong() : null);
            found.put("fresh_for", (double) site.freshFor());
            found.put("crawl_delay", site.crawlDelay(crawler).isPresent() ? site.crawlDelay(crawler).getAsDouble() : null);
            found.put("sitemaps", site.sitemaps());
            if (!found.equals(line)) {
                wrong.add("expected " + line + ", found " + found);
            }
        }
        report(wrong);
    }

    @Test
    public void sitesOfUrlsAreEqual() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Map<String, Object> line : Conformance.lines("url")) {
            Target target = new Target();
            target.read((String) line.get("url"));
            Url url = new Url();
            String site = null;
            if (url.asParsed(target)) {
                String authority = new String(url.bytes, url.from, url.length, StandardCharsets.US_ASCII);
                site = (url.scheme == HostTable.HTTPS ? "https://" : "http://") + authority;
            }
            if (!java.util.Objects.equals(site, line.get("site"))) {
                wrong.add("expected " + line + ", found " + site);
            }
        }
        report(wrong);
    }

    @Test
    public void canonicalTargetsAreEqual() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Map<String, Object> line : Conformance.lines("notation")) {
            byte[] text = ((String) line.get("target")).getBytes(StandardCharsets.UTF_8);
            byte[] out = new byte[3 * text.length];
            Notation notation = Notation.valueOf(((String) line.get("notation")).toUpperCase(java.util.Locale.ROOT));
            int length = notation.target(text, 0, text.length, out);
            String canonical = new String(out, 0, length, StandardCharsets.UTF_8);
            if (!canonical.equals(line.get("canonical"))) {
                wrong.add("expected " + line + ", found " + canonical);
            }
        }
        report(wrong);
    }

    private static void report(List<String> wrong) {
        List<String> first = wrong.subList(0, Math.min(20, wrong.size()));
        assertTrue(wrong.size() + " differ:\n" + String.join("\n", first), wrong.isEmpty());
    }
}
