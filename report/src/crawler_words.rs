//! What charts of crawlers have in common: the words of a crawler, the headings of purposes, and
//! how many bars are drawn.
//!
//! It does not know figures.

use crate::chart::Kind;
use robomaton_formats::crawlers::{Purpose, WellKnownCrawler};

/// Bars of one purpose.
pub(crate) const DRAWN_OF_PURPOSE: usize = 8;

/// The only kind of bars that are sites.
pub(crate) const SITES: &[Kind] = &[Kind { name: "sites", class: "plain" }];

/// The crawler, its operator and its purpose.
pub(crate) fn words(known: &WellKnownCrawler) -> Vec<String> {
    vec![
        known.token.to_owned(),
        known.operator.unwrap_or("not known").to_owned(),
        heading(known.purpose).to_owned(),
    ]
}

/// The heading for the crawlers of a purpose.
pub(crate) fn heading(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Train => "AI training",
        Purpose::Search => "Search",
        Purpose::Assistant => "AI assistants",
        Purpose::Seo => "SEO tools",
        Purpose::Archive => "Archives",
        Purpose::Other => "Others",
    }
}
