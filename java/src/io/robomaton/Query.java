package io.robomaton;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;

/**
 * A command: prints decision and URL as {@code robomaton query} does, at the time when it begins, for URLs
 * from standard input; with {@code --rules} also the rules that decided. Lines are trimmed, and blank ones passed over. Bytes that
 * are not UTF-8 are asked and printed as U+FFFD; {@code robomaton query} prints them as they are.
 */
public final class Query {
    private static final String RULES = "--rules";
    private static final String SPACE = " \t\r\f";

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
        Terms now = Terms.DEFAULT.at(System.currentTimeMillis() / 1000);
        RobomatonImage image = RobomatonImage.open(Path.of(names.get(0))).withTerms(now);
        Crawler crawler = image.crawler(names.get(1));
        Usage usage = names.size() > 2 ? image.usage(names.get(2)) : Usage.CRAWL;
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8).useDelimiter("\n");
        int code = Command.OK;
        while (lines.hasNext()) {
            String url = trim(lines.next());
            if (url.isEmpty()) {
                continue;
            }
            try {
                Verdict verdict = image.decide(crawler, usage, url);
                out.print(verdict.safeDecision() + "\t" + url + (showsRules ? rules(verdict) : "") + "\n");
            } catch (UnsupportedException error) {
                out.print(Decision.UNKNOWN + "\t" + url + "\n");
                code = Command.failed(url + ": " + error.getMessage());
            }
        }
        out.flush();
        if (lines.ioException() != null) {
            throw lines.ioException();
        }
        return code;
    }

    /** The line without ASCII white space around it. */
    private static String trim(String line) {
        int from = 0;
        int to = line.length();
        while (from < to && SPACE.indexOf(line.charAt(from)) >= 0) {
            from++;
        }
        while (to > from && SPACE.indexOf(line.charAt(to - 1)) >= 0) {
            to--;
        }
        return line.substring(from, to);
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
