package adapters;

import crawlercommons.robots.BaseRobotRules;
import io.robomaton.Crawler;
import io.robomaton.RobomatonImage;
import io.robomaton.RobotRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.storm.Config;
import org.apache.stormcrawler.protocol.okhttp.HttpProtocol;
import org.apache.stormcrawler.util.ConfUtils;

/** Takes rules from an image; the robots.txt of sites that it does not have is fetched as before. */
public class ImageProtocol extends HttpProtocol {
    private RobomatonImage image;
    private Crawler crawler;

    @Override
    public void configure(Config conf) {
        super.configure(conf);
        try {
            image = RobomatonImage.open(Path.of(ConfUtils.getString(conf, "robomaton.image")));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        crawler = image.crawler(ConfUtils.getString(conf, "http.agent.name"));
    }

    @Override
    public BaseRobotRules getRobotRules(String url) {
        return image.site(url).isEmpty()
                ? super.getRobotRules(url)
                : new ImageRobotRules(RobotRules.of(image, crawler, url));
    }
}
