package io.robomaton;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A command: measures questions to an image, in nanoseconds of this thread's processor time and in bytes
 * allocated per question. Rounds before the measured ones let the compiler of the JVM finish.
 */
public final class Measure {
    private static final int ROUNDS = 7;

    private Measure() {}

    /**
     * Measures.
     *
     * @param args the image, the name of the crawler, a file of URLs, and perhaps a usage
     */
    public static void main(String[] args) {
        Command.run(() -> measure(args));
    }

    private static int measure(String[] args) throws IOException {
        if (args.length < 3 || args.length > 4) {
            throw new IllegalArgumentException(
                    "usage: java -cp robomaton.jar io.robomaton.Measure IMAGE AGENT FILE-OF-URLS [USAGE]");
        }
        RobomatonImage image = RobomatonImage.open(Path.of(args[0]));
        Crawler crawler = image.crawler(args[1]);
        Usage usage = args.length > 3 ? image.usage(args[3]) : Usage.CRAWL;
        List<String> urls = Files.readAllLines(Path.of(args[2]));
        int repeats = Math.max(1, 2_000_000 / Math.max(1, urls.size()));
        com.sun.management.ThreadMXBean thread =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int round = 0; round < ROUNDS; round++) {
            long bytes = thread.getThreadAllocatedBytes(Thread.currentThread().getId());
            long time = thread.getCurrentThreadCpuTime();
            long allowed = 0;
            for (int repeat = 0; repeat < repeats; repeat++) {
                for (String url : urls) {
                    boolean may = args.length > 3
                            ? image.decide(crawler, usage, url).isAllowed()
                            : image.isAllowed(crawler, url);
                    allowed += may ? 1 : 0;
                }
            }
            double questions = (double) repeats * urls.size();
            time = thread.getCurrentThreadCpuTime() - time;
            bytes = thread.getThreadAllocatedBytes(Thread.currentThread().getId()) - bytes;
            System.out.printf("round %d: %.1f ns, %.3f bytes per question; %.1f %% allowed%n",
                    round, time / questions, bytes / questions, 100 * allowed / questions);
        }
        return Command.OK;
    }
}
