package io.robomaton;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A command: prints decision and URL as {@code robomaton query} does, for URLs from standard input. */
public final class Query {
    private Query() {}

    /**
     * Asks an image.
     *
     * @param args the image, the name of the crawler, and perhaps a usage
     * @throws IOException if a file cannot be read
     */
    public static void main(String[] args) throws IOException {
        if (args.length < 2 || args.length > 3) {
            System.err.println("usage: java -cp robomaton.jar io.robomaton.Query IMAGE AGENT [USAGE] < URLS");
            System.exit(2);
        }
        RobomatonImage image = RobomatonImage.open(Path.of(args[0]));
        Crawler crawler = image.crawler(args[1]);
        Usage usage = args.length > 2 ? image.usage(args[2]) : Usage.CRAWL;
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String url = in.readLine(); url != null; url = in.readLine()) {
            out.print(image.decide(crawler, usage, url).safeDecision() + "\t" + url + "\n");
        }
        out.flush();
    }
}
