//! Well-known crawlers with operator and purpose (`data/crawlers.tsv`, which names its sources).
//!
//! The table is compiled into the program and parsed once. Invariant: the tokens are product tokens
//! (R5), unique, and sorted without regard to case. This file does not know any site's rules.

use std::sync::LazyLock;

/// One well-known crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WellKnownCrawler {
    /// The product token, in its operator's spelling.
    pub token: &'static str,
    /// The operator, if known.
    pub operator: Option<&'static str>,
    /// The purpose of its fetches.
    pub purpose: Purpose,
}

/// The purpose for which a crawler fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Its content may train models.
    Train,
    /// It builds a search index.
    Search,
    /// It fetches on behalf of one user.
    Assistant,
    /// It builds an index of links, or audits sites, for search engine optimisation.
    Seo,
    /// It archives content for later readers.
    Archive,
    /// Data for sale, previews, tools, and undocumented purposes.
    Other,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: [Purpose; 6] =
        [Purpose::Train, Purpose::Search, Purpose::Assistant, Purpose::Seo, Purpose::Archive, Purpose::Other];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Purpose::Train => "train",
            Purpose::Search => "search",
            Purpose::Assistant => "assistant",
            Purpose::Seo => "seo",
            Purpose::Archive => "archive",
            Purpose::Other => "other",
        }
    }
}

/// All well-known crawlers, sorted by token.
pub fn known() -> &'static [WellKnownCrawler] {
    static KNOWN: LazyLock<Vec<WellKnownCrawler>> =
        LazyLock::new(|| include_str!("../data/crawlers.tsv").lines().filter_map(row).collect());
    &KNOWN
}

/// The well-known crawler with this product token, ignoring case.
pub fn find(token: &str) -> Option<&'static WellKnownCrawler> {
    known().iter().find(|known| known.token.eq_ignore_ascii_case(token))
}

/// Parses a line of the table; `None` for comments. A test checks that every other line is a row.
fn row(line: &'static str) -> Option<WellKnownCrawler> {
    let mut fields = line.split('\t');
    let token = fields.next().filter(|token| !token.starts_with('#'))?;
    let operator = fields.next().filter(|&operator| operator != "-");
    let purpose = fields.next()?;
    let purpose = Purpose::ALL.into_iter().find(|known| known.name() == purpose)?;
    Some(WellKnownCrawler { token, operator, purpose })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::AgentRule;

    #[test]
    fn every_line_is_a_row() {
        let lines = include_str!("../data/crawlers.tsv").lines();
        assert_eq!(lines.filter(|line| !line.starts_with('#')).count(), known().len());
        assert!(known().len() >= 40);
    }

    #[test]
    fn tokens_are_product_tokens_in_order() {
        for pair in known().windows(2) {
            assert!(pair[0].token.to_ascii_lowercase() < pair[1].token.to_ascii_lowercase(), "{pair:?}");
        }
        for known in known() {
            assert_eq!(AgentRule::Token.reduce(known.token), known.token.to_ascii_lowercase());
            assert_eq!(find(&known.token.to_ascii_uppercase()), Some(known));
        }
        assert_eq!(find("nobody"), None);
    }
}
