//! The parts of a case that only the modern usage languages need.
//!
//! These languages speak in more places than robots.txt: response headers, tdmrep.json, ai.txt and
//! license documents. [`super`] reads the keys and has them checked here; a case without them has
//! an empty [`Modern`]. Invariant: a misspelt word, moment or header is an error.
//!
//! This file does not know what any of the languages mean.

use super::Page;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The carriers of statements, as a query names them.
const CARRIERS: [&str; 6] = ["robots", "header", "page", "tdmrep", "rsl", "ai-txt"];

/// The names of the languages. `rep` is RFC 9309, which decides queries about crawling.
const LANGUAGES: [&str; 10] = [
    "rep",
    "aipref",
    "content-signals",
    "ai-training",
    "noindex",
    "control-token",
    "rsl",
    "tdmrep",
    "ai-txt",
    "robots-meta",
];

/// The data tables that a case may load beside the default ones.
const TABLES: [&str; 2] = ["cloudflare-2026-07", "bing-2023"];

/// The sources of a site beside robots.txt and pages, and the tables for reading them.
#[derive(Clone, Debug, Default)]
pub struct Modern {
    /// The text of `/.well-known/tdmrep.json`, if there is one.
    pub tdmrep: Option<String>,
    /// The text of `/ai.txt`, if there is one.
    pub ai_txt: Option<String>,
    /// License documents.
    pub documents: Vec<Document>,
    /// Policy tokens that bind all crawlers, with the usages for which they stand.
    pub tokens: BTreeMap<String, Vec<String>>,
    /// Data tables beside the default ones: `cloudflare-2026-07`, `bing-2023`.
    pub tables: Vec<String>,
    /// The time at which everything was fetched, in Unix seconds, if it matters.
    pub fetched: Option<i64>,
}

/// A license document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its absolute URL.
    pub url: String,
    /// Its text.
    pub text: String,
}

/// A URL without the parameters that only name duplicates.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canonical {
    /// A path with a query.
    pub url: String,
    /// The same without those parameters.
    pub result: String,
}

/// What a query states and expects beside a verdict and its conditions. `None` leaves it open.
#[derive(Clone, Debug, Default)]
pub struct ModernAsk {
    /// The moment of the query in Unix seconds.
    pub now: Option<i64>,
    /// The class of the user: `commercial`, `education`.
    pub user: Option<String>,
    /// The place of the use: `US`, `EU`.
    pub geo: Option<String>,
    /// The verdict for crawling the same URL.
    pub crawl: Option<String>,
    /// The language of the deciding statement: `aipref`, `content-signals`, `rsl`...
    pub language: Option<String>,
    /// The carrier of the deciding statement: `robots`, `header`, `page`, `tdmrep`, `rsl`,
    /// `ai-txt`.
    pub carrier: Option<String>,
    /// The number of the deciding rule of tdmrep.json, or of the deciding `content` of a license
    /// document, from 1.
    pub rule: Option<u32>,
    /// Why a license document refuses: `prohibits` or `closure`.
    pub reason: Option<String>,
}

impl Modern {
    /// Checks the parts that are not free text.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(name) = self.tables.iter().find(|name| !TABLES.contains(&name.as_str())) {
            return Err(format!("no table {name:?}"));
        }
        match self.documents.iter().find(|document| !document.url.contains("://")) {
            Some(document) => Err(format!("the document {:?} has no absolute URL", document.url)),
            None => Ok(()),
        }
    }
}

impl ModernAsk {
    /// Checks the words that are not free text.
    pub(super) fn check(&self) -> Result<(), String> {
        let one_of = |word: &Option<String>, words: &[&str]| match word {
            Some(word) if !words.contains(&word.as_str()) => Err(format!("{word:?} is none of {words:?}")),
            _ => Ok(()),
        };
        one_of(&self.carrier, &CARRIERS)?;
        one_of(&self.language, &LANGUAGES)?;
        one_of(&self.reason, &["prohibits", "closure"])?;
        one_of(&self.crawl, &["allowed", "disallowed"])
    }
}

/// Splits `Name: value` into a header's name and value.
pub(super) fn header(line: &str) -> Result<(String, String), String> {
    let (name, value) = line.split_once(':').ok_or_else(|| format!("the header {line:?} has no colon"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// The Unix seconds of `2026-11-22` (its first second, UTC) or of `2026-11-22T12:00:00Z`.
pub(super) fn moment(text: &str) -> Result<i64, String> {
    let full = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    let time: jiff::Timestamp = full.parse().map_err(|_| format!("{text:?} is no moment"))?;
    Ok(time.as_second())
}

/// Gives the headers to a page at each queried URL that has no page of its own.
pub(super) fn add_pages(pages: &mut Vec<Page>, headers: Vec<(String, String)>, urls: &[&str]) {
    if headers.is_empty() {
        return;
    }
    for url in urls {
        if !pages.iter().any(|page| page.url == *url) {
            pages.push(Page { url: (*url).to_owned(), headers: headers.clone(), html: String::new() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        assert_eq!(moment("1970-01-02"), Ok(86_400));
        assert_eq!(moment("1970-01-01T00:01:00Z"), Ok(60));
        assert!(moment("2026-13-01").is_err() && moment("today").is_err());
    }

    #[test]
    fn words_are_checked() {
        let ask = |carrier: &str| ModernAsk { carrier: Some(carrier.to_owned()), ..ModernAsk::default() };
        assert!(ask("rsl").check().is_ok() && ask("robot").check().is_err());
        let modern = |table: &str| Modern { tables: vec![table.to_owned()], ..Modern::default() };
        assert!(modern("bing-2023").check().is_ok() && modern("bing-2024").check().is_err());
        assert!(header("Link").is_err());
        assert_eq!(header("A:  b: c"), Ok(("A".to_owned(), "b: c".to_owned())));
    }

    #[test]
    fn headers_make_pages_where_there_are_none() {
        let own = Page { url: "u".to_owned(), ..Page::default() };
        let mut pages = vec![own];
        add_pages(&mut pages, vec![("A".to_owned(), "b".to_owned())], &["u", "v", "v"]);
        assert_eq!(pages.len(), 2);
        assert!(pages[0].headers.is_empty() && pages[1].url == "v");
    }
}
