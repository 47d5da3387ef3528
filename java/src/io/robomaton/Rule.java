package io.robomaton;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * A rule that decided, and where it stands.
 *
 * @param line the line, from 1, in the robots.txt, or in the file or page that contains the rule
 * @param carrier where it stands: {@code robots} for robots.txt and files that it refers to, or {@code page}
 * @param file the file that contains it, if the robots.txt refers to one; else null
 * @param permits true if it permits
 * @param text the rule in canonical spelling, with its conditions: {@code Disallow: /search/}. {@link
 *     Site#line} has the line as written
 * @param conditions the conditions of a permission
 */
public record Rule(
        long line, String carrier, String file, boolean permits, String text, List<Condition> conditions) {

    static Rule of(Detail detail, Detail.Group group, Detail.Rule rule) {
        List<Condition> conditions = detail.conditions(rule.conditions());
        StringBuilder text = new StringBuilder(spelling(detail, group, rule));
        conditions.forEach(condition -> text.append(' ').append(condition));
        String carrier = group.isOfPage() ? "page" : "robots";
        String file = detail.file(group.file());
        return new Rule(rule.line(), carrier, file, rule.permits(), text.toString(), conditions);
    }

    private static String spelling(Detail detail, Detail.Group group, Detail.Rule rule) {
        String word = rule.permits() ? "allow" : "disallow";
        String usage = detail.usage(rule.usage());
        String pattern = new String(rule.pattern(), StandardCharsets.UTF_8);
        switch (group.role()) {
            case Detail.ELEMENT:
                return "element, " + usage;
            case Detail.PAGE:
                return "META ACAP " + word + "-" + usage;
            case Detail.FIELD:
                return "ACAP-" + word + "-" + usage + ": " + pattern;
            default:
                return ranked(detail, group, rule, word, usage, pattern);
        }
    }

    private static String ranked(
            Detail detail, Detail.Group group, Detail.Rule rule, String word, String usage, String pattern) {
        boolean isConventional = group.role() == Detail.CONVENTIONAL;
        if (isConventional && isImplied(group, rule)) {
            return "(nothing else is allowed)";
        }
        if (isConventional && rule.usage() == Usage.CRAWL.number) {
            return titleCase(word) + ": " + pattern;
        }
        if (isConventional && rule.usage() == Usage.INDEX.number && !rule.permits()) {
            return "Noindex: " + pattern;
        }
        // Records of other languages are quoted.
        for (List<Detail.Extension> records : List.of(group.extensions(), detail.extensions)) {
            for (Detail.Extension record : records) {
                if (record.line() == rule.line()) {
                    return titleCase(record.key()) + ": " + record.value();
                }
            }
        }
        return word + " " + usage + ": " + pattern;
    }

    /**
     * True for the prohibition of everything that a rule set of Robot-version 2.0.0 does not list. It is the
     * last of its group, with the line at which the set begins.
     */
    private static boolean isImplied(Detail.Group group, Detail.Rule rule) {
        List<Detail.Rule> rules = group.rules();
        boolean isOfAll = rule.pattern().length == 1 && rule.pattern()[0] == '*';
        return !rule.permits() && isOfAll && rule == rules.get(rules.size() - 1) && rule.line() < rules.get(0).line();
    }

    /** {@code Content-Usage} for {@code content-usage}. */
    private static String titleCase(String key) {
        StringBuilder title = new StringBuilder(key.toLowerCase(Locale.ROOT));
        for (int at = 0; at < title.length(); at++) {
            char c = title.charAt(at);
            if (c >= 'a' && c <= 'z' && (at == 0 || title.charAt(at - 1) == '-')) {
                title.setCharAt(at, (char) (c - 32));
            }
        }
        return title.toString();
    }
}
