//! The numbers that describe texts, lists of rules, and whole corpora.
//!
//! The other files of the generator use these types: `features` and `learn` fill them from real
//! texts, `text` and `words` generate texts from them. They are only data.

use serde::{Deserialize, Serialize};

/// A list of rules: true for a permission, and the pattern.
pub(super) type List = Vec<(bool, String)>;

/// One measure of a corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The maximum ratio between a generated corpus and this one, in either direction.
    pub tolerance: f64,
}

impl Measure {
    /// True if the value of another corpus is within the tolerance.
    pub fn holds(&self, other: f64) -> bool {
        let ratio = other / self.value;
        (1.0 / self.tolerance..=self.tolerance).contains(&ratio) || self.value == other
    }
}

/// The numbers of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "([u32; 9], Body)", into = "([u32; 9], Body)")]
pub struct Text {
    /// Bytes.
    pub bytes: u32,
    /// Its kind.
    pub kind: u32,
    /// The rules for crawlers without groups of their own: 0 for none, `n + 1` for index `n` of
    /// [`Statistics::bodies`](super::statistics::Statistics::bodies); [`Text::SEVERAL`] or
    /// [`Text::OWN`].
    pub body: u32,
    /// Groups that name crawlers.
    pub groups: u32,
    /// Names in them.
    pub names: u32,
    /// Rules in them.
    pub rules: u32,
    /// Distinct lists of rules in them.
    pub lists: u32,
    /// Sitemap records.
    pub sitemaps: u32,
    /// Crawl-delay records.
    pub delays: u32,
    /// The rules that no other text has.
    pub own: Body,
}

impl Text {
    /// Records.
    pub const RULES: u32 = 0;
    /// Text without records.
    pub const EMPTY: u32 = 1;
    /// HTML without records.
    pub const HTML: u32 = 2;
    /// Bytes that are not text.
    pub const BINARY: u32 = 3;
    /// Rules of [`Statistics::several`](super::statistics::Statistics::several).
    pub const SEVERAL: u32 = u32::MAX - 1;
    /// Rules that no other text has.
    pub const OWN: u32 = u32::MAX;
}

impl From<([u32; 9], Body)> for Text {
    fn from((numbers, own): ([u32; 9], Body)) -> Text {
        let [bytes, kind, body, groups, names, rules, lists, sitemaps, delays] = numbers;
        Text { bytes, kind, body, groups, names, rules, lists, sitemaps, delays, own }
    }
}

impl From<Text> for ([u32; 9], Body) {
    fn from(text: Text) -> ([u32; 9], Body) {
        let Text { bytes, kind, body, groups, names, rules, lists, sitemaps, delays, own } = text;
        ([bytes, kind, body, groups, names, rules, lists, sitemaps, delays], own)
    }
}

/// The numbers of a list of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "[u32; 6]", into = "[u32; 6]")]
pub struct Body {
    /// Bytes of its patterns.
    pub bytes: u32,
    /// Rules.
    pub rules: u32,
    /// Permissions among them.
    pub allows: u32,
    /// Patterns with a star.
    pub starred: u32,
    /// Patterns that end in an anchor.
    pub anchored: u32,
    /// Bytes that patterns share with the previous one in byte order: the saving of a trie.
    pub shared: u32,
}

impl From<[u32; 6]> for Body {
    fn from([bytes, rules, allows, starred, anchored, shared]: [u32; 6]) -> Body {
        Body { bytes, rules, allows, starred, anchored, shared }
    }
}

impl From<Body> for [u32; 6] {
    fn from(body: Body) -> [u32; 6] {
        let Body { bytes, rules, allows, starred, anchored, shared } = body;
        [bytes, rules, allows, starred, anchored, shared]
    }
}
