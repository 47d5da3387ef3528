package io.robomaton;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A command: prints decision and URL as {@code robomaton query} does, for URLs from standard input; with
 * {@code --rules} also the rules that decided.
 */
public final class Query {
    private static final String RULES = "--rules";

    private Query() {}

    /**
     * Asks an image.
     *
     * @param args the image, the name of the crawler, and perhaps a usage and {@code --rules}
     */
    public static void main(String[] args) {
        Command.run(() -> query(args));
    }

    private static int query(String[] args) throws IOException {
        List<String> names = new ArrayList<>(Arrays.asList(args));
        boolean showsRules = names.remove(RULES);
        if (names.size() < 2 || names.size() > 3) {
            throw new IllegalArgumentException(
                    "usage: java -cp robomaton.jar io.robomaton.Query IMAGE AGENT [USAGE] [--rules] < URLS");
        }
        RobomatonImage image = RobomatonImage.open(Path.of(names.get(0)));
        Crawler crawler = image.crawler(names.get(1));
        Usage usage = names.size() > 2 ? image.usage(names.get(2)) : Usage.CRAWL;
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        int code = Command.OK;
        for (String url = in.readLine(); url != null; url = in.readLine()) {
            try {
                Verdict verdict = image.decide(crawler, usage, url);
                out.print(verdict.safeDecision() + "\t" + url + (showsRules ? rules(verdict) : "") + "\n");
            } catch (UnsupportedException error) {
                out.print(Decision.UNKNOWN + "\t" + url + "\n");
                code = Command.failed(url + ": " + error.getMessage());
            }
        }
        out.flush();
        return code;
    }

    /** Each rule after a tab, and before it its line and, where that is not in robots.txt, its place. */
    private static String rules(Verdict verdict) {
        StringBuilder text = new StringBuilder();
        for (Rule rule : verdict.rules()) {
            String place = rule.carrier().equals("page") ? " of the page" : rule.file() == null ? "" : " of " + rule.file();
            text.append('\t').append(rule.line()).append(place).append(": ").append(rule.text());
        }
        return text.toString();
    }
}
