package adapters;

import crawlercommons.robots.BaseRobotRules;
import io.robomaton.Crawler;
import io.robomaton.RobomatonImage;
import io.robomaton.RobotRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.nutch.crawl.CrawlDatum;
import org.apache.nutch.protocol.Content;
import org.apache.nutch.protocol.okhttp.OkHttp;

/** Takes rules from an image; the robots.txt of sites that it does not have is fetched as before. */
public class ImageHttp extends OkHttp {
    private RobomatonImage image;
    private Crawler crawler;

    @Override
    public void setConf(Configuration conf) {
        super.setConf(conf);
        try {
            image = RobomatonImage.open(Path.of(conf.get("robomaton.image")));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        crawler = image.crawler(conf.get("http.agent.name"));
    }

    @Override
    public BaseRobotRules getRobotRules(Text url, CrawlDatum datum, List<Content> robotsTxtContent) {
        String site = url.toString();
        return image.site(site).isEmpty()
                ? super.getRobotRules(url, datum, robotsTxtContent)
                : new ImageRobotRules(RobotRules.of(image, crawler, site));
    }
}
