package io.robomaton;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.Test;

/**
 * Answers with their reasons and at several times, schedules and texts are those of the Rust reader
 * (tests/tests/conformance_reasons.rs).
 */
@SuppressWarnings("unchecked")
public class ReasonsTest {
    private static List<Map<String, Object>> lines(String key) throws IOException {
        return Files.readAllLines(Conformance.DATA.resolve("conformance-reasons.jsonl")).stream()
                .map(Json::object)
                .filter(line -> line.containsKey(key))
                .toList();
    }

    private static RobomatonImage image(Map<String, Object> line) throws IOException {
        return RobomatonImage.open(Conformance.DATA.resolve((String) line.get("image")));
    }

    private static List<Object> texts(List<Condition> conditions) {
        return new ArrayList<>(conditions.stream().map(Condition::toString).toList());
    }

    private static List<Object> statement(Statement of) {
        Double line = of.line() == 0 ? null : (double) of.line();
        return Arrays.asList(of.language(), of.carrier(), line, of.document(), of.usage(), of.effect(), of.fate(),
                of.text(), texts(of.conditions()));
    }

    private static String text(Optional<Decision> decision) {
        return decision.map(Decision::toString).orElse(null);
    }

    /** A condition is a text, such as {@code Embedded}, or an object with one key and its value. */
    private static void kindsAreEqual(Map<String, Condition> conditions) throws IOException {
        List<Map<String, Object>> lines = lines("condition");
        assertEquals(lines.stream().map(line -> line.get("condition")).toList(), List.copyOf(conditions.keySet()));
        for (Map<String, Object> line : lines) {
            Condition condition = conditions.get(line.get("condition"));
            Object typed = line.get("typed");
            Map<String, Object> only =
                    typed instanceof String name ? Map.of(name, "") : (Map<String, Object>) typed;
            assertEquals(only.keySet(), Set.of(condition.kind().toString()));
            Object value = only.get(condition.kind().toString());
            OptionalLong limit =
                    value instanceof Double number ? OptionalLong.of(number.longValue()) : OptionalLong.empty();
            assertEquals(limit, condition.limit());
            String text = condition.toString();
            assertEquals(text, text.contains("="), text.endsWith("=" + condition.value()));
        }
    }

    @Test
    public void reasonsAreEqual() throws IOException {
        int asked = 0;
        int atTime = 0;
        Map<String, Condition> conditions = new TreeMap<>();
        for (Map<String, Object> line : lines("answers")) {
            Double now = (Double) line.get("now");
            Terms terms = now == null ? Terms.DEFAULT : Terms.DEFAULT.at(now.longValue());
            RobomatonImage image = image(line).withTerms(terms);
            Crawler crawler = image.crawler((String) line.get("crawler"));
            Usage usage = image.usage((String) line.get("usage"));
            for (Object each : (List<Object>) line.get("answers")) {
                List<Object> expected = (List<Object>) each;
                String url = (String) expected.get(0);
                Verdict verdict = image.decide(crawler, usage, url);
                List<Object> statements = new ArrayList<>();
                verdict.statements().forEach(of -> statements.add(statement(of)));
                List<Object> rules = new ArrayList<>();
                verdict.rules().forEach(of -> rules.add(
                        Arrays.asList((double) of.line(), of.carrier(), of.file(), of.permits(), of.text())));
                List<Object> requests = new ArrayList<>();
                verdict.requests().forEach(of -> requests.add(
                        Arrays.asList(of.action(), of.path(), (double) of.line(), of.file())));
                List<Object> choice =
                        verdict.choice().map(of -> Arrays.<Object>asList(of.kind(), of.name())).orElse(null);
                List<Object> found = Arrays.asList(url, verdict.decision().toString(), verdict.basis().toString(),
                        verdict.isIncomplete(), rules, texts(verdict.conditions()), statements, requests, choice,
                        text(verdict.fields()), text(verdict.conventional()));
                verdict.conditions().forEach(of -> conditions.put(of.toString(), of));
                assertEquals(line.get("image") + " " + line.get("crawler") + " " + line.get("usage") + " " + now,
                        expected, found);
                asked++;
                atTime += now != null && verdict.basis() == Basis.PREFERENCES ? 1 : 0;
            }
        }
        assertTrue(asked + " asked, " + atTime + " at a time", asked > 2000 && atTime > 200);
        kindsAreEqual(conditions);
    }

    private static List<Object> window(Schedule.Window window) {
        return window == null ? null : List.of((double) window.from(), (double) window.to());
    }

    /** Texts are equal, and begin with their first lines. */
    @Test
    public void textsAreEqual() throws IOException {
        int texts = 0;
        for (Map<String, Object> line : lines("text")) {
            Site site = site(image(line), (String) line.get("site"));
            byte[] bytes = site.text(1 << 20).orElse(null);
            String text = bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
            assertEquals((String) line.get("site"), line.get("text"), text);
            assertEquals(text != null, site.textLength().isPresent());
            if (text != null) {
                assertEquals(site.text(Integer.MAX_VALUE).orElseThrow().length, site.textLength().getAsLong());
                // A mark, or the beginning of one, is in no line. Latin-1 has a character for each byte.
                byte[] first = new String(bytes, StandardCharsets.ISO_8859_1)
                        .replaceFirst("^\u00EF(\u00BB\u00BF?)?", "").split("[\r\n]", 2)[0]
                        .getBytes(StandardCharsets.ISO_8859_1);
                assertEquals(new String(first, StandardCharsets.UTF_8), site.line(1).orElse(""));
                texts++;
            }
        }
        assertTrue("texts " + texts, texts > 25);
    }

    private static Site site(RobomatonImage image, String address) {
        if (address.lastIndexOf('/') > 8) {
            return image.document(address, address.substring(address.lastIndexOf('/') + 1)).orElseThrow();
        }
        return image.site(address.contains("://") ? address : "http://" + address).orElseThrow();
    }

    @Test
    public void schedulesAreEqual() throws IOException {
        int compared = 0;
        for (Map<String, Object> line : lines("schedule")) {
            RobomatonImage image = image(line);
            String address = (String) line.get("site");
            Site site = site(image, address);
            Schedule schedule = site.schedule(image.crawler("a"));
            Map<String, Object> expected = (Map<String, Object>) line.get("schedule");
            List<Object> rates = new ArrayList<>();
            schedule.rates().forEach(rate -> rates.add(
                    Arrays.asList((double) rate.documents(), (double) rate.seconds(), window(rate.window()))));
            assertEquals(address, expected.get("rates"), rates);
            assertEquals(address, expected.get("delays"),
                    new ArrayList<Object>(schedule.delays().stream().map(Long::doubleValue).toList()));
            List<Object> visits = new ArrayList<>();
            schedule.visits().forEach(of -> visits.add(window(of)));
            assertEquals(address, expected.get("visits"), visits);
            assertEquals(address, expected.get("comments"), new ArrayList<Object>(schedule.comments()));
            for (Object each : (List<Object>) expected.get("waits")) {
                long now = ((Double) ((List<Object>) each).get(0)).longValue();
                Schedule.Rate rate = schedule.rateAt(now);
                List<Object> found = Arrays.asList((double) now, schedule.mayVisit(now),
                        rate == null ? null : (Double) (double) rate.millis(),
                        (double) schedule.waitMillis(now, -1), (double) schedule.waitMillis(now, now),
                        (double) schedule.waitMillis(now, now / 2));
                assertEquals(address, each, found);
            }
            compared++;
        }
        assertTrue("compared " + compared, compared > 30);
    }
}
