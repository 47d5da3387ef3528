//! The tables: names, columns, types. All writers and the documentation use this one description.
//!
//! `docs/tables.md` shows the same, and a test compares the two. Tables about texts have a row for
//! each *document*, a distinct text, not for each site: `sites.document` connects the two. It does
//! not know how a row is made or written.

use Kind::{Flag, Number, Real, Text, Time, Word};

/// A table.
#[derive(Debug)]
pub struct Table {
    /// The name, which is also the name of its file.
    pub name: &'static str,
    /// The content of a row.
    pub about: &'static str,
    /// The columns, in order.
    pub columns: &'static [Column],
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name.
    pub name: &'static str,
    /// The type of its cells.
    pub kind: Kind,
    /// True if cells may be empty.
    pub nullable: bool,
    /// The content of a cell, and when it is empty.
    pub about: &'static str,
}

/// The type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text of any kind; bytes that are not UTF-8 are replaced.
    Text,
    /// One of few words: a dictionary in Parquet.
    Word,
    /// A whole number from 0.
    Number,
    /// A number with decimals.
    Real,
    /// True or false.
    Flag,
    /// A time in UTC, to the second: a timestamp in Parquet, RFC 3339 elsewhere.
    Time,
}

impl Kind {
    /// The name in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Text => "text",
            Word => "word",
            Number => "number",
            Real => "real",
            Flag => "flag",
            Time => "time",
        }
    }
}

/// One cell of a row. It must be of the kind of its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// An empty cell.
    Null,
    /// A text or a word.
    Text(&'a str),
    /// A number.
    Number(u64),
    /// A number with decimals.
    Real(f64),
    /// True or false.
    Flag(bool),
    /// Seconds since 1970.
    Time(u64),
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Cell<'a> {
        Cell::Text(text)
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Cell<'a> {
        Cell::Text(text)
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Cell::Number(u64::from(number))
    }
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        Cell::Number(number as u64)
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(cell: Option<T>) -> Cell<'a> {
        cell.map_or(Cell::Null, Into::into)
    }
}

const fn always(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, nullable: false, about }
}

const fn maybe(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, nullable: true, about }
}

/// A table for several images.
macro_rules! in_series {
    ($table:ident) => {
        Table {
            columns: &{
                const COLUMNS: [Column; $table.columns.len() + SNAPSHOT.len()] =
                    with_snapshot($table.columns);
                COLUMNS
            },
            ..$table
        }
    };
}

const DOCUMENT: Column = always("document", Number, "the number of the text in this image");
const OPERATOR: Column = maybe("operator", Word, "the operator of a well-known crawler");
const PURPOSE: Column = maybe(
    "purpose",
    Word,
    "`train`, `search`, `assistant`, `seo`, `archive` or `other`, for a well-known crawler",
);
const SITE: Column =
    always("site", Text, "the site as a URL without a path, or only its authority if the scheme is unknown");

/// The tables of an image.
pub static TABLES: [Table; 8] = [SITES, GROUPS, RULES, CRAWLERS, SITEMAPS, EXTENSIONS, POLICY, USAGES];

/// The same tables for several images together: each with [`SNAPSHOT`] after its own columns.
pub static SERIES: [Table; 8] = [
    in_series!(SITES),
    in_series!(GROUPS),
    in_series!(RULES),
    in_series!(CRAWLERS),
    in_series!(SITEMAPS),
    in_series!(EXTENSIONS),
    in_series!(POLICY),
    in_series!(USAGES),
];

/// The columns that identify the image of a row.
pub const SNAPSHOT: [Column; 2] = [
    always(
        "image",
        Word,
        "the image: its file name without `.rimg`, or its path if two images have the same name",
    ),
    maybe("newest", Time, "the time of the newest capture in that image; empty if unknown"),
];

/// The columns of a table and those of [`SNAPSHOT`].
const fn with_snapshot<const N: usize>(columns: &[Column]) -> [Column; N] {
    let mut all = [SNAPSHOT[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < columns.len() { columns[at] } else { SNAPSHOT[at - columns.len()] };
        at += 1;
    }
    all
}

/// The tables of the differences between two images.
pub static CHANGED: [Table; 3] = [CHANGES, ACCESS, USES];

const SITES: Table = Table {
    name: "sites",
    about: "a site (scheme, host and port) and the fetch of its robots.txt",
    columns: &[
        SITE,
        maybe("scheme", Word, "`http` or `https`; empty if unknown, which stands for both"),
        always("host", Text, "the host, in lower case and punycode"),
        maybe("port", Number, "the port; empty for the default port"),
        maybe(
            "outcome",
            Word,
            "`rules`, `empty`, `not-robots`, `unavailable`, `unreachable`, `too-many-redirects`, `unresolved`, `over-limit` or `not-captured` (RULES.md, R16); empty if the image is damaged",
        ),
        maybe(
            "status",
            Number,
            "the HTTP status; empty if there was none, 304 also if the newest answer was not read",
        ),
        maybe("fetched_at", Time, "the time of the fetch; empty if unknown"),
        always("fresh_for", Number, "the number of seconds after the fetch for which it is fresh (R17)"),
        maybe(
            "document",
            Number,
            "the number of the text in this image; sites with equal texts share it. Empty if there is no text",
        ),
        maybe("octets", Number, "the size of the text in bytes; empty if the image does not contain it"),
        maybe("groups", Number, "the number of groups in the text"),
        maybe("rules", Number, "the number of rules in the text"),
        maybe("named", Number, "the number of distinct crawlers that the text names, without `*`"),
        maybe("sitemaps", Number, "the number of sitemaps that the text lists"),
        maybe(
            "domain",
            Text,
            "the registered domain: a public suffix (publicsuffix.org, including private ones such as `github.io`) and the label before it; empty for IP addresses, single labels and public suffixes themselves",
        ),
    ],
};

const GROUPS: Table = Table {
    name: "groups",
    about: "a group of a text: one or more crawlers and the rules for them. Consecutive user-agent lines form one group",
    columns: &[
        DOCUMENT,
        always(
            "group",
            Number,
            "its number in the text, from 0: conventional groups first, then ACAP, then pages, each in file order",
        ),
        always("role", Word, "`conventional`, `acap`, and for pages `page` and `element`"),
        always("default", Flag, "true if it applies to crawlers that no group names (`*`)"),
        always("named", Number, "the number of crawlers that it names, without `*`"),
        always("rules", Number, "the number of its rules"),
        maybe("purposes", Text, "the purposes it applies to (ACAP), separated by spaces; empty for all"),
        maybe("crawl_delay", Real, "the seconds between requests (Crawl-delay); the longest of several"),
        maybe(
            "request_rate",
            Text,
            "documents, seconds and times of day (Request-rate), as in `1/60 0600-0845`; several are separated by `; `",
        ),
        maybe(
            "visit_time",
            Text,
            "the times of day for visits, in UTC (Visit-time), as in `0600-0845`; several are separated by `; `",
        ),
        maybe("file", Text, "the referenced file that contains it; empty for the text itself"),
        always("incomplete", Flag, "true if a file that it refers to is missing"),
    ],
};

const RULES: Table = Table {
    name: "rules",
    about: "a rule of a group. An empty `Disallow` is not a rule",
    columns: &[
        DOCUMENT,
        always("group", Number, "the number of its group"),
        always("line", Number, "its line, from 1"),
        always("allow", Flag, "true if the rule permits"),
        always("usage", Word, "the usage that it is about: `crawl`, `index`, ..."),
        always("pattern", Text, "the path pattern in canonical spelling (R10)"),
        maybe("conditions", Text, "the conditions of a permission (ACAP), separated by spaces"),
    ],
};

const CRAWLERS: Table = Table {
    name: "crawlers",
    about: "a crawler that a group names, including `*`; a name that a group repeats appears once",
    columns: &[
        DOCUMENT,
        always("group", Number, "the number of the group"),
        always("crawler", Word, "the name as compared: in lower case, without a version"),
        OPERATOR,
        PURPOSE,
    ],
};

const SITEMAPS: Table = Table {
    name: "sitemaps",
    about: "a sitemap that a text lists",
    columns: &[
        DOCUMENT,
        always("line", Number, "its line, from 1"),
        always("url", Text, "the URL as written"),
    ],
};

const EXTENSIONS: Table = Table {
    name: "extensions",
    about: "any other record that does not permit or prohibit anything by itself (R18): Host, Clean-param, Content-Signal, ...",
    columns: &[
        DOCUMENT,
        maybe("group", Number, "the number of its group; empty if it applies to the whole text"),
        always("line", Number, "its line, from 1"),
        always("key", Word, "the key in canonical spelling, lower case"),
        always("value", Text, "the value"),
    ],
};

const POLICY: Table = Table {
    name: "policy",
    about: "how much of a site a crawler may use, for one usage",
    columns: &[
        SITE,
        always("crawler", Word, "the crawler; `*` means one that no group names"),
        OPERATOR,
        PURPOSE,
        always("usage", Word, "the usage: `crawl`, ..."),
        always(
            "share",
            Word,
            "`none`, `some` or `all` of the site, without its robots.txt; `unknown` if there is no answer",
        ),
        always(
            "ground",
            Word,
            "`named` (a group names it), `default` (the groups for all other crawlers apply), `no-group` (no group applies to it), `outcome` (there are no rules; the outcome of the fetch decides) or `untold` (the image has no answer)",
        ),
        always("explicit", Flag, "true if a group names it"),
        always("conditional", Flag, "true if a part of the site is permitted under conditions only"),
        always(
            "incomplete",
            Flag,
            "true if a file, page or statement was not read, so that more may be refused",
        ),
        maybe(
            "line",
            Number,
            "the line of the catch-all rule (for example `Disallow: /`), if there is one; otherwise of the first rule that disallows something; empty if no rule decides",
        ),
    ],
};

const USAGES: Table = Table {
    name: "usages",
    about: "how much of a site a crawler may use in one of the ways that the usage languages speak of. Only sites with such statements are listed, each with all crawlers that it names and `*`",
    columns: &[
        SITE,
        always("crawler", Word, "the crawler, in lower case; `*` means one that no group names"),
        OPERATOR,
        PURPOSE,
        always("usage", Word, "`ai-train`, `ai-input`, `ai-index`, `search`, `index` or `tdm`"),
        always(
            "share",
            Word,
            "`all` or `none` of the site, without its robots.txt; `unknown` if nothing is stated about any of it; otherwise `some`, as for statements about single pages, and under conditions. Also `some` where patterns with a `*` meet those of another language, so that `all` and `none` are not certain; there, `unknown` may miss a few URLs. If a text gives so many crawlers so many patterns that measuring would take longer than seconds, the rest of its crawlers have `some`, `incomplete` and no languages",
        ),
        maybe(
            "languages",
            Text,
            "the languages that state something about the usage to this crawler, separated by spaces: `aipref`, `content-signals`, `ai-training`, `control-token`, `rsl`, `tdmrep`, `ai-txt`, `robots-meta`, and `rep` for a robots.txt that was not read to its end; empty if none does",
        ),
        always("conditional", Flag, "true if a part of the site is permitted under conditions only"),
        always(
            "incomplete",
            Flag,
            "true if a file, page or statement was not read, so that more may be refused",
        ),
    ],
};

const CHANGES: Table = Table {
    name: "changes",
    about: "a site that differs between the two images",
    columns: &[
        SITE,
        always(
            "change",
            Word,
            "the first of these that applies: `added`, `gone`, `outcome` (the fetch had another outcome), `rules` (the rules for some crawler changed), `uses` (what is stated about uses changed; the table `uses` has a row for each crawler whose share, languages or conditions did, and `access` one for each crawler and other requested usage whose share did), `records` (only other records changed, such as Crawl-delay and Sitemap), `text` (nothing else than spelling, order, comments or a period such as max-age changed)",
        ),
        maybe("outcome_from", Word, "the outcome of the fetch, before"),
        maybe("outcome_to", Word, "the outcome of the fetch, now"),
        maybe(
            "text_changed",
            Flag,
            "true if the text changed; empty unless both images contain a text of the site",
        ),
        always("gained", Number, "the number of requested crawler and usage pairs with more access now"),
        always("lost", Number, "the number of requested crawler and usage pairs with less access now"),
    ],
};

const ACCESS: Table = Table {
    name: "access",
    about: "a crawler that may use more or less of a site than before, or whose access was or is unknown",
    columns: &[
        SITE,
        always("crawler", Word, "the crawler"),
        OPERATOR,
        PURPOSE,
        always("usage", Word, "the usage"),
        always("share_from", Word, "the share before, as in `policy`"),
        always("share_to", Word, "the share now"),
        always("explicit_from", Flag, "true if a group named it before"),
        always("explicit_to", Flag, "true if a group names it now"),
        maybe("line_from", Number, "the line before, as in `policy`"),
        maybe("line_to", Number, "the line now"),
    ],
};

const USES: Table = Table {
    name: "uses",
    about: "a crawler with another answer about one of the usages in the table `usages`: another share, other languages, or conditions. Both captures answer for `*` and each crawler that one of them names",
    columns: &[
        SITE,
        always(
            "crawler",
            Word,
            "the crawler, as requested or in lower case; `*` means one that no group names",
        ),
        OPERATOR,
        PURPOSE,
        always("usage", Word, "the usage"),
        always("share_from", Word, "the share before, as in `usages`"),
        always("share_to", Word, "the share now"),
        maybe("languages_from", Text, "the languages before, as in `usages`"),
        maybe("languages_to", Text, "the languages now"),
        always("conditional_from", Flag, "true if a part of the site was permitted under conditions only"),
        always("conditional_to", Flag, "true if a part of the site is permitted under conditions only"),
    ],
};
