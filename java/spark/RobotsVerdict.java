import io.robomaton.Crawler;
import io.robomaton.RobomatonImage;
import io.robomaton.Terms;
import io.robomaton.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.spark.SparkFiles;
import org.apache.spark.sql.api.java.UDF3;

/** In SQL, {@code robots_verdict(agent, usage, url)}: the verdict as a word, null where any is null. */
public final class RobotsVerdict implements UDF3<String, String, String, String> {
    private static final long serialVersionUID = 1L;
    /** The name that the image has among the files of the job. */
    private static final String IMAGE = "crawl.rimg";

    /** One mapping for all tasks of an executor, made when it is first asked. */
    private static final class Mapped {
        private static final RobomatonImage IMAGE = open();

        private static RobomatonImage open() {
            try {
                return RobomatonImage.open(Path.of(SparkFiles.get(RobotsVerdict.IMAGE)));
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }

    /** Names and what they stand for: they stay the same from row to row, nearly always. */
    private record Resolved(String agent, String use, Crawler crawler, Usage usage) {
        static Resolved of(String agent, String use) {
            return new Resolved(agent, use, Mapped.IMAGE.crawler(agent), Mapped.IMAGE.usage(use));
        }
    }

    private transient Resolved last;

    @Override
    public String call(String agent, String use, String url) {
        if (agent == null || use == null || url == null) {
            return null;
        }
        // Threads may share the function, so it is read once.
        Resolved resolved = last;
        if (resolved == null || !resolved.agent.equals(agent) || !resolved.use.equals(use)) {
            resolved = Resolved.of(agent, use);
            last = resolved;
        }
        // A permission may have ended since the image was opened.
        RobomatonImage image = Mapped.IMAGE.withTerms(Terms.DEFAULT.at(System.currentTimeMillis() / 1000));
        return image.decide(resolved.crawler, resolved.usage, url).safeDecision().toString();
    }
}
