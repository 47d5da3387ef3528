//! The tables: names, columns, types. All writers, and the document, use this one description.
//!
//! `docs/tables.md` shows the same, and a test compares the two. Tables about texts have a row for
//! each *document*, a distinct text, not for each site: `sites.document` leads from one to the
//! other. It does not know how a row is made or written.

use Kind::{Flag, Number, Real, Text, Time, Word};

/// A table.
#[derive(Debug)]
pub struct Table {
    /// The name, which is that of its file, too.
    pub name: &'static str,
    /// The subject of a row.
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
    /// Whether cells may be empty.
    pub nullable: bool,
    /// The content of a cell, and when it is empty.
    pub about: &'static str,
}

/// The type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text of any kind; bytes that are no UTF-8 are replaced.
    Text,
    /// One of few words: a dictionary in Parquet.
    Word,
    /// A whole number from 0.
    Number,
    /// A number with decimals.
    Real,
    /// Yes or no.
    Flag,
    /// A moment, to the second, in UTC: a timestamp in Parquet, RFC 3339 elsewhere.
    Time,
}

impl Kind {
    /// The name in the document.
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
    /// Nothing.
    Null,
    /// A text or a word.
    Text(&'a str),
    /// A number.
    Number(u64),
    /// A number with decimals.
    Real(f64),
    /// Yes or no.
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

const DOCUMENT: Column = always("document", Number, "the text, by its number in this image");
const SITE: Column =
    always("site", Text, "the site as a URL without a path, or its authority alone where no scheme is known");

/// The tables of an image.
pub static TABLES: [Table; 7] = [SITES, GROUPS, RULES, CRAWLERS, SITEMAPS, EXTENSIONS, POLICY];

/// The same tables for several images together: each with [`SNAPSHOT`] behind its own columns.
pub static SERIES: [Table; 7] = [
    in_series!(SITES),
    in_series!(GROUPS),
    in_series!(RULES),
    in_series!(CRAWLERS),
    in_series!(SITEMAPS),
    in_series!(EXTENSIONS),
    in_series!(POLICY),
];

/// The columns that say which of several images a row is of.
pub const SNAPSHOT: [Column; 2] = [
    always(
        "image",
        Word,
        "the image, by the name of its file without `.rimg`; by its path where two have the same name",
    ),
    maybe("newest", Time, "when the newest capture of that image was fetched; empty where that is not known"),
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

/// The tables of the differences of two images.
pub static CHANGED: [Table; 2] = [CHANGES, ACCESS];

const SITES: Table = Table {
    name: "sites",
    about: "a site (scheme, host and port) and what became of fetching its robots.txt",
    columns: &[
        SITE,
        maybe("scheme", Word, "`http` or `https`; empty where it is not known, and then it stands for both"),
        always("host", Text, "the host, in lower case and punycode"),
        maybe("port", Number, "the port, where it is not the default one"),
        maybe(
            "outcome",
            Word,
            "`rules`, `empty`, `not-robots`, `unavailable`, `unreachable`, `too-many-redirects`, `unresolved`, `over-limit` or `not-captured` (RULES.md, R16); empty where the image is damaged",
        ),
        maybe("status", Number, "the HTTP status; empty where there was none"),
        maybe("fetched_at", Time, "when it was fetched; empty where that is not known"),
        always("fresh_for", Number, "for how many seconds after that it is fresh (R17)"),
        maybe(
            "document",
            Number,
            "the text, by its number in this image; sites with equal texts share one. Empty where there is none",
        ),
        maybe("octets", Number, "bytes of the text; empty where there is none, or the image holds no texts"),
        maybe("groups", Number, "groups of the text"),
        maybe("rules", Number, "rules of the text"),
        maybe("named", Number, "distinct crawlers that the text names, `*` aside"),
        maybe("sitemaps", Number, "sitemaps that the text lists"),
        maybe(
            "domain",
            Text,
            "the registered domain: a public suffix (publicsuffix.org, private ones as `github.io` too) and the label before it; empty for IP addresses, single labels and public suffixes themselves",
        ),
    ],
};

const GROUPS: Table = Table {
    name: "groups",
    about: "a group of a text: some crawlers, and the rules for them. Stacked user-agent lines are one group",
    columns: &[
        DOCUMENT,
        always(
            "group",
            Number,
            "its number in the text, from 0: conventional groups, then ACAP, then pages, each in file order",
        ),
        always(
            "role",
            Word,
            "`conventional`, `acap`, and of pages `page`, `page-conventional` and `element`",
        ),
        always("default", Flag, "whether it is the group, or one, of crawlers that no group names (`*`)"),
        always("named", Number, "crawlers that it names, `*` aside"),
        always("rules", Number, "its rules"),
        maybe("purposes", Text, "purposes that it is for (ACAP), separated by spaces; empty for any"),
        maybe("crawl_delay", Real, "seconds between requests (Crawl-delay), the longest of several"),
        maybe(
            "request_rate",
            Text,
            "documents, seconds and times (Request-rate), as in `1/60 0600-0845`; several separated by `; `",
        ),
        maybe(
            "visit_time",
            Text,
            "when to come, UTC (Visit-time), as in `0600-0845`; several separated by `; `",
        ),
        maybe("file", Text, "the file that it stands in, where the text refers to one"),
        always("incomplete", Flag, "whether a file that it refers to is missing"),
    ],
};

const RULES: Table = Table {
    name: "rules",
    about: "a rule of a group. An empty `Disallow` is none",
    columns: &[
        DOCUMENT,
        always("group", Number, "its group"),
        always("line", Number, "its line, from 1"),
        always("allow", Flag, "whether it permits"),
        always("usage", Word, "what it speaks of: `crawl`, `index`, ..."),
        always("pattern", Text, "the path pattern in canonical spelling (R10)"),
        maybe("conditions", Text, "conditions of a permission (ACAP), separated by spaces"),
    ],
};

const CRAWLERS: Table = Table {
    name: "crawlers",
    about: "a crawler that a group names, `*` among them; a name that a group repeats is there once",
    columns: &[
        DOCUMENT,
        always("group", Number, "the group"),
        always("crawler", Word, "the name as it is compared: in lower case, without a version"),
        maybe("operator", Word, "who runs it, where it is well known"),
        maybe(
            "purpose",
            Word,
            "`train`, `search`, `assistant`, `seo`, `archive` or `other`, where it is well known",
        ),
    ],
};

const SITEMAPS: Table = Table {
    name: "sitemaps",
    about: "a sitemap that a text lists",
    columns: &[
        DOCUMENT,
        always("line", Number, "its line, from 1"),
        always("url", Text, "the URL as it stands there"),
    ],
};

const EXTENSIONS: Table = Table {
    name: "extensions",
    about: "any other record that grants and forbids nothing by itself (R18): Host, Clean-param, Content-Signal, ...",
    columns: &[
        DOCUMENT,
        maybe("group", Number, "the group that it belongs to; empty where it is one of the whole text"),
        always("line", Number, "its line, from 1"),
        always("key", Word, "the key in canonical spelling, lower case"),
        always("value", Text, "the value"),
    ],
};

const POLICY: Table = Table {
    name: "policy",
    about: "how much of a site a crawler may use in one way",
    columns: &[
        SITE,
        always("crawler", Word, "the crawler; `*` is one that no group names"),
        maybe("operator", Word, "who runs it, where it is well known"),
        maybe(
            "purpose",
            Word,
            "`train`, `search`, `assistant`, `seo`, `archive` or `other`, where it is well known",
        ),
        always("usage", Word, "what it would do: `crawl`, ..."),
        always(
            "share",
            Word,
            "`none`, `some` or `all` of the site, its robots.txt aside; `unknown` where nobody says",
        ),
        always(
            "ground",
            Word,
            "`named` (a group names it), `default` (the groups for all others answer), `no-group` (there is none for it), `outcome` (there are no rules; what became of the fetch decides) or `untold` (the image cannot tell)",
        ),
        always("explicit", Flag, "whether a group names it"),
        always("conditional", Flag, "whether a part is permitted under conditions only (ACAP)"),
        always(
            "incomplete",
            Flag,
            "whether a file that speaks to it is missing, so that what is permitted counts as disallowed",
        ),
        maybe(
            "line",
            Number,
            "the line that decides what no rule is written for in particular, as `Disallow: /` does; else the first rule that disallows something; empty where no rule does",
        ),
    ],
};

const CHANGES: Table = Table {
    name: "changes",
    about: "a site that the two images differ in",
    columns: &[
        SITE,
        always(
            "change",
            Word,
            "the first that is so: `added`, `gone`, `outcome` (it became something else), `rules` (what somebody may do is said otherwise), `records` (only other records changed, as Crawl-delay and Sitemap), `text` (nothing changes for anyone)",
        ),
        maybe("outcome_from", Word, "what became of the fetch, before"),
        maybe("outcome_to", Word, "and now"),
        maybe(
            "text_changed",
            Flag,
            "whether the text did; empty where there are not two, or an image holds no texts",
        ),
        always("gained", Number, "crawlers and usages, of those asked about, that may use more now"),
        always("lost", Number, "those that may use less"),
    ],
};

const ACCESS: Table = Table {
    name: "access",
    about: "a crawler that may use more or less of a site than before, or about which that is known no more",
    columns: &[
        SITE,
        always("crawler", Word, "the crawler"),
        maybe("operator", Word, "who runs it, where it is well known"),
        maybe(
            "purpose",
            Word,
            "`train`, `search`, `assistant`, `seo`, `archive` or `other`, where it is well known",
        ),
        always("usage", Word, "what it would do"),
        always("share_from", Word, "how much it might use, as in `policy`"),
        always("share_to", Word, "how much it may use now"),
        always("explicit_from", Flag, "whether a group named it"),
        always("explicit_to", Flag, "whether a group names it now"),
        maybe("line_from", Number, "the line that decided, as in `policy`"),
        maybe("line_to", Number, "the line that decides now"),
    ],
};
