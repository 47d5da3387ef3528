package adapters;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import crawlercommons.robots.BaseRobotRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.storm.Config;
import org.junit.Test;

/** The adapters of docs/jvm.md, compiled against stubs with the signatures of the projects' classes. */
public class AdaptersTest {
    private static final Path DATA = Path.of(System.getProperty("robomaton.tests", "../tests/data"));
    private static final String IMAGE = DATA.resolve("conformance/small.rimg").toString();

    private static void check(BaseRobotRules rules) {
        assertFalse(rules.isAllowed("https://x.example/n/o/x.gif"));
        assertTrue(rules.isAllowed("https://x.example/private/open"));
        assertEquals(2500, rules.getCrawlDelay());
        assertEquals(List.of("https://x.example/s.xml"), rules.getSitemaps());
        assertFalse(rules.isDeferVisits() || rules.isAllowAll() || rules.isAllowNone());
    }

    @Test
    public void nutch() {
        Configuration conf = new Configuration();
        conf.set("robomaton.image", IMAGE);
        conf.set("http.agent.name", "a");
        ImageHttp http = new ImageHttp();
        http.setConf(conf);
        check(http.getRobotRules(new Text("https://x.example/"), null, null));
        assertTrue(http.getRobotRules(new Text("https://z.example/a"), null, null).isAllowAll());
        assertNull(http.getRobotRules(new Text("https://nowhere.example/"), null, null));
    }

    @Test
    public void stormCrawler() {
        Config conf = new Config();
        conf.put("robomaton.image", IMAGE);
        conf.put("http.agent.name", "a");
        ImageProtocol protocol = new ImageProtocol();
        protocol.configure(conf);
        check(protocol.getRobotRules("https://x.example/"));
        assertNull(protocol.getRobotRules("https://nowhere.example/"));
    }

    /** The classes in docs/jvm.md and docs/spark.md are these, without the imports. */
    @Test
    public void theDocumentsHaveThem() throws IOException {
        String document = Files.readString(DATA.resolve("../../docs/jvm.md"))
                + Files.readString(DATA.resolve("../../docs/spark.md"));
        List<String> files = List.of("test/adapters/ImageRobotRules", "test/adapters/ImageHttp",
                "test/adapters/ImageProtocol", "spark/RobotsVerdict");
        for (String name : files) {
            List<String> lines =
                    new ArrayList<>(Files.readAllLines(DATA.resolve("../../java/" + name + ".java")));
            lines.removeIf(line -> line.startsWith("import ") || line.startsWith("package "));
            String text = String.join("\n", lines).strip();
            assertTrue(name + " is another one in its document", document.contains("```java\n" + text + "\n```"));
        }
    }
}
