package io.robomaton;

import java.util.List;

/** How a crawler's name is reduced and compared with groups (SPEC.md section 8, "Agent rules"). */
enum AgentRule {
    TOKEN,
    VERBATIM,
    SUBSTRING;

    /** The lower-case form of a caller's name. */
    String reduce(String name) {
        String trimmed = Names.trim(name);
        switch (this) {
            case TOKEN:
                return Names.lower(trimmed.substring(0, Names.productToken(trimmed)));
            case SUBSTRING:
                int slash = trimmed.indexOf('/');
                String own = Names.trim(slash < 0 ? trimmed : trimmed.substring(0, slash));
                // Who asks as `*` has no name.
                return own.equals("*") ? "" : Names.lower(own);
            default:
                return Names.lower(name);
        }
    }

    /** True if a file's value names the crawler with this reduced name. */
    boolean names(String value, String reduced) {
        String lower = Names.lower(value);
        return this == SUBSTRING ? !reduced.isEmpty() && lower.contains(reduced) : lower.equals(Names.lower(reduced));
    }

    /**
     * The names in a caller's input, best first: one name, several with commas, or a whole
     * {@code User-Agent} header. Input that names no crawler is a name that no group has.
     */
    List<String> crawlerNames(String given) {
        List<String> list = Names.list(given);
        if (list != null) {
            return list.stream().flatMap(name -> crawlerNames(name).stream()).toList();
        }
        if (!readsHeaders(given)) {
            return List.of(isName(given) ? Names.trim(given) : given);
        }
        List<String> names = UserAgent.crawlers(given);
        return names.isEmpty() ? List.of(this == VERBATIM ? given : "") : names;
    }

    /**
     * Refuses an input that names no crawler.
     *
     * @throws IllegalArgumentException what to give
     */
    void check(String given) {
        List<String> list = Names.list(given);
        if (list != null) {
            list.forEach(this::check);
            return;
        }
        if (readsHeaders(given)) {
            if (UserAgent.crawlers(given).isEmpty()) {
                throw new IllegalArgumentException("\"" + given + "\" is a User-Agent header that names no crawler:"
                        + " give the crawler's own name, as in `GPTBot`; `*` means any crawler");
            }
            return;
        }
        if (!isName(given)) {
            throw new IllegalArgumentException("\"" + given + "\" names no crawler: a name begins with a letter, a"
                    + " digit, `_`, `-` or `.`; `*` means any crawler");
        }
    }

    private boolean isName(String name) {
        return this == VERBATIM || Names.trim(name).equals("*") || !reduce(name).isEmpty();
    }

    private boolean readsHeaders(String given) {
        return this == TOKEN ? UserAgent.isHeader(given) : given.indexOf('(') >= 0;
    }

    /**
     * Appends the names under which groups are looked for, best first: each as a whole, reduced, and the
     * general names that it begins like. A header, or several words, is one more whole name.
     */
    void addLookupNames(String given, LookupNames names) {
        List<String> list = Names.list(given);
        if (list != null) {
            list.forEach(name -> addLookupNames(name, names));
            return;
        }
        boolean isHeader = readsHeaders(given);
        if (this == TOKEN && isHeader) {
            names.add(Names.whole(given));
        }
        // Words without a comment may be the one name of an ACAP record.
        boolean isOfWords = isHeader && given.indexOf('(') < 0 && given.indexOf(';') < 0;
        for (String name : crawlerNames(given)) {
            if (this == TOKEN && !isOfWords && !name.equals("*")) {
                names.add(Names.whole(name));
            }
            String reduced = reduce(name);
            if (this == TOKEN && !reduced.equals("*")) {
                names.addWithGeneral(reduced);
            } else {
                names.add(reduced);
            }
        }
    }
}
