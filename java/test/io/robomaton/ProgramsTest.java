package io.robomaton;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The programs of java/README.md and docs/jvm.md compile, and print what their comments say. The image is
 * made by the command that ROBOMATON_COMMAND names; without it they are compiled alone.
 */
public class ProgramsTest {
    private static final String COMMAND = System.getenv("ROBOMATON_COMMAND");
    /** Around the lines of a program: with an image it runs, and prints each value beside its comment. */
    private static final String PROGRAM = """
            import io.robomaton.*;
            import java.nio.file.Path;

            class Program {
                static void show(Object value, String comment) {
                    System.out.println(value + "\\t" + comment);
                }

                public static void main(String[] args) throws Exception {
                    if (args.length == 0) {
                        return;
                    }
                    %s
                    %s
                }
            }
            """;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static List<String> run(String... line) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> out = new String(process.getInputStream().readAllBytes(), "UTF-8").lines().toList();
        assertEquals(String.join(" ", line), 0, process.waitFor());
        return out;
    }

    /** Runs the first program with this line in a document; so many of its comments are values. */
    private void check(String document, String line, String before, int values) throws Exception {
        String page = Files.readString(Conformance.DATA.resolve("../..").resolve(document));
        int start = page.lastIndexOf("```java\n", page.indexOf(line)) + "```java\n".length();
        String body = page.substring(start, page.indexOf("```", start))
                .replace("Path.of(\"sample.rimg\")", "Path.of(args[0])")
                .replaceAll("(?m)^( *)([^;\n]+); +// (.*)$", "$1show($2, \"$3\");");
        Path program = folder.getRoot().toPath().resolve("Program.java");
        Files.writeString(program, PROGRAM.formatted(before, body));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("java.class.path");
        if (COMMAND == null) {
            run(java, "-cp", classes, program.toString());
            return;
        }
        String image = folder.getRoot().toPath().resolve("sample.rimg").toString();
        run(COMMAND, "compile", Conformance.DATA.resolve("sample.warc.gz").toString(), "-o", image);
        List<String> shown = run(java, "-cp", classes, program.toString(), image);
        List<String> equal = shown.stream().filter(ProgramsTest::isValue).toList();
        assertEquals(document + ": " + shown, values, equal.size());
    }

    /** True if the comment is the value, or the value and an explanation. */
    private static boolean isValue(String shown) {
        String value = shown.substring(0, shown.indexOf('\t')).toLowerCase();
        String comment = shown.substring(shown.indexOf('\t') + 1).toLowerCase();
        return comment.equals(value) || comment.startsWith(value + ":") || comment.startsWith(value + ";");
    }

    @Test
    public void theProgramOfTheReadme() throws Exception {
        check("java/README.md", "RobomatonImage.open", "long now = 1_900_000_000; long lastVisit = 0;", 4);
    }

    @Test
    public void theProgramThatSaysWhy() throws Exception {
        String before = """
                RobomatonImage image = RobomatonImage.open(Path.of(args[0]));
                Crawler crawler = image.crawler("GPTBot");
                String url = "https://www.ed.ac.uk/search/x";
                """;
        check("docs/jvm.md", "for (Rule rule : verdict.rules())", before, 6);
    }
}
