package io.robomaton;

/**
 * How the groups that answered were chosen.
 *
 * @param kind {@code named}: they name the crawler; {@code default}: no group does, and the default groups
 *     answer; {@code nobody}: there is no group for the crawler
 * @param name the name of the crawler that they have, in lower case; null unless they name it
 */
public record Choice(String kind, String name) {
    static Choice of(Detail detail, AgentRule rule, Crawler crawler) {
        String name = detail.nameOf(rule, crawler.lookupFor(rule, detail));
        if (name != null) {
            return new Choice("named", Names.shown(name));
        }
        boolean hasDefault = detail.groups.stream().anyMatch(group -> !group.isOfPage() && group.isDefault());
        return new Choice(hasDefault && !crawler.namedOnly ? "default" : "nobody", null);
    }
}
