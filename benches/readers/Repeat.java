import io.robomaton.Crawler;
import io.robomaton.RobomatonImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The JVM reader asks every URL of a file many times: {@code IMAGE AGENT URLS REPEATS}. */
final class Repeat {
    public static void main(String[] args) throws IOException {
        RobomatonImage image = RobomatonImage.open(Path.of(args[0]));
        Crawler crawler = image.crawler(args[1]);
        List<String> urls = Files.readAllLines(Path.of(args[2]));
        long allowed = 0;
        for (int repeat = Integer.parseInt(args[3]); repeat > 0; repeat--) {
            for (String url : urls) {
                allowed += image.isAllowed(crawler, url) ? 1 : 0;
            }
        }
        System.out.println(allowed);
    }
}
