package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.Test;

/** The answers are those of the conformance file, which the Rust reader gives, too. */
@SuppressWarnings("unchecked")
public class ConformanceTest {
    private static final List<String> KINDS = List.of("patches", "answers", "known", "outcome", "url", "canonical");

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
            if (!line.containsKey("patches")) {
                asked += ask(image(line), line, wrong);
            }
        }
        report(wrong);
        assertTrue("asked " + asked, asked > 5000);
    }

    /** Asks an image the questions of a line; their number. */
    static int ask(RobomatonImage image, Map<String, Object> line, List<String> wrong) {
        Crawler crawler = crawler(image, line);
        Usage usage = usage(image, line);
        String document = (String) line.get("document");
        List<Object> answers = (List<Object>) line.get("answers");
        for (Object each : answers) {
            List<Object> expected = (List<Object>) each;
            String url = (String) expected.get(0);
            Verdict verdict = document == null
                    ? image.decide(crawler, usage, url)
                    : image.decideDocument(document, crawler, usage, url);
            List<Object> found = answer(verdict, url);
            if (!found.equals(expected)) {
                Map<String, Object> question = new HashMap<>(line);
                question.remove("answers");
                wrong.add(question + ": expected " + expected + ", found " + found);
            }
            if (document == null && usage.isCrawl() && !line.containsKey("purpose")) {
                assertEquals(url, verdict.isAllowed(), image.isAllowed(crawler, url));
            }
        }
        return answers.size();
    }

    @Test
    public void damagedImagesAreEqual() throws IOException {
        List<String> wrong = new ArrayList<>();
        int asked = 0;
        try (Stream<Map<String, Object>> lines = Conformance.damaged()) {
            for (Map<String, Object> line : (Iterable<Map<String, Object>>) lines::iterator) {
                askDamaged(line, wrong);
                asked++;
            }
        }
        report(wrong);
        assertTrue("asked " + asked, asked > 700);
    }

    private static void askDamaged(Map<String, Object> line, List<String> wrong) throws IOException {
        RobomatonImage image = null;
        Double rule = null;
        try {
            image = RobomatonImage.of(Conformance.damaged(line));
            image.verifyTexts();
        } catch (RobomatonException broken) {
            rule = (double) broken.rule();
        }
        if (!line.get("opens").equals(image != null) || !Objects.equals(line.get("rule"), rule)) {
            wrong.add(line + ", found opens " + (image != null) + ", rule " + rule);
        } else if (line.containsKey("answers")) {
            ask(image, line, wrong);
        }
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
            RobomatonImage image = image(line);
            Optional<Site> inImage = image.site((String) line.get("url"));
            assertEquals(line.get("site"), inImage.map(Site::address).orElse(null));
            assertEquals(line.get("fresh_for"), inImage.map(Site::freshFor).map(Long::doubleValue).orElse(null));
            Target target = new Target();
            target.read((String) line.get("url"));
            Url url = new Url();
            String site = null;
            if (url.asParsed(target)) {
                String authority = new String(url.bytes, url.from, url.length, StandardCharsets.US_ASCII);
                site = (url.scheme == HostTable.HTTPS ? "https://" : "http://") + authority;
            }
            if (!Objects.equals(site, line.get("site"))) {
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

    /** Each line has the key of a kind that a test above asks. */
    @Test
    public void noLineIsPassedOver() throws IOException {
        for (Map<String, Object> line : Conformance.lines()) {
            assertTrue("" + line, KINDS.stream().anyMatch(line::containsKey));
        }
        for (String kind : KINDS) {
            assertTrue(kind, Conformance.lines(kind).size() > 50);
        }
    }

    private static void report(List<String> wrong) {
        List<String> first = wrong.subList(0, Math.min(Integer.getInteger("robomaton.shown", 20), wrong.size()));
        assertTrue(wrong.size() + " differ:\n" + String.join("\n", first), wrong.isEmpty());
    }
}
