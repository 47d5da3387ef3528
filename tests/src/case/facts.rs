//! The expectations of a case other than verdicts: findings about the file, visit times, kept
//! records, requests to crawlers, freshness, canonical URLs.
//!
//! [`super`] reads them as parts of a case. Invariant: a moment or a code that cannot be one is an
//! error. This file does not know how the facts are looked up.

use super::{Canonical, is_kebab};
use serde::Deserialize;

/// The expectations of a case other than verdicts. An empty field expects nothing.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Codes that must be among the findings about the file.
    pub lints: Vec<String>,
    /// Visit times.
    pub schedule: Vec<Visit>,
    /// Extension records that are kept.
    pub extensions: Vec<Extension>,
    /// All actions requested from crawlers, in file order.
    pub requests: Vec<Request>,
    /// Comments for the authors of crawlers.
    pub comments: Vec<Comment>,
    /// The locations of a site's file.
    pub locations: Vec<Location>,
    /// The freshness of the file.
    pub freshness: Vec<Freshness>,
    /// URLs without the parameters that `Clean-param` names.
    pub canonical: Vec<Canonical>,
    /// The limits that the text exceeds if they are set so low.
    pub over: Vec<Over>,
}

/// A limit of the compiler and the line at which the text exceeds it. A limit that is greater by
/// one suffices.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// The limit's name in reports.
    pub limit: String,
    /// Its value.
    pub value: u64,
    /// The line, from 1.
    pub line: u32,
}

/// A crawler's options at a moment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visit {
    /// The crawler's token.
    pub agent: String,
    /// The moment, `1996-10-17T05:00:00Z`.
    pub at: String,
    /// The crawler may visit at that moment.
    pub may: bool,
    /// The seconds until it may visit; 0 if it may at once.
    pub wait: u32,
    /// The interval between two requests at that moment in seconds, if the case states it.
    pub pause: Option<u32>,
    /// The seconds that the last retrieval took; 0 if unknown.
    #[serde(default)]
    pub took: u32,
}

/// An extension record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    /// The agent whose group contains it; `None` for the file.
    pub agent: Option<String>,
    /// The key, in lower case.
    pub key: String,
    /// The value as written.
    pub value: String,
}

/// A requested action.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The crawler that the request addresses; `*` for any.
    pub agent: String,
    /// `take-down` or `re-crawl`.
    pub action: String,
    /// The resource.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

/// Comments for the author of a crawler.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// The crawler's token.
    pub agent: String,
    /// All comments, in file order.
    pub texts: Vec<String>,
}

/// The location of a site's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// A URL of the site.
    pub site: String,
    /// The URL of the file that the case defines.
    pub file: String,
}

/// The freshness of a file at a moment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Freshness {
    /// The time of the fetch, `1996-10-17T05:00:00Z`.
    pub fetched: String,
    /// The value of the header `Cache-Control`, if there was one.
    pub cache_control: Option<String>,
    /// The moment of the header `Expires`, if there was one.
    pub expires: Option<String>,
    /// The moment in question.
    pub at: String,
    /// The file is fresh at that moment.
    pub fresh: bool,
}

impl Facts {
    /// True if there are no expectations.
    pub fn is_empty(&self) -> bool {
        let Facts { lints, schedule, extensions, requests, comments, locations, freshness, canonical, over } =
            self;
        lints.is_empty()
            && schedule.is_empty()
            && extensions.is_empty()
            && requests.is_empty()
            && comments.is_empty()
            && locations.is_empty()
            && freshness.is_empty()
            && over.is_empty()
            && canonical.is_empty()
    }

    /// Checks codes, moments and actions.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(code) = self.lints.iter().find(|code| !is_kebab(code)) {
            return Err(format!("the code {code:?} is not kebab-case"));
        }
        let of_visits = self.schedule.iter().map(|visit| &visit.at);
        let of_copies = self.freshness.iter().flat_map(|copy| [&copy.fetched, &copy.at]);
        let expiries = self.freshness.iter().filter_map(|copy| copy.expires.as_ref());
        if let Some(text) = of_visits.chain(of_copies).chain(expiries).find(|text| !is_moment(text)) {
            return Err(format!("{text:?} is no moment like 1996-10-17T05:00:00Z"));
        }
        if self.schedule.iter().any(|visit| visit.may != (visit.wait == 0)) {
            return Err("a crawler waits exactly when it may not come".to_owned());
        }
        let known = |action: &str| ["take-down", "re-crawl"].contains(&action);
        match self.requests.iter().find(|request| !known(&request.action)) {
            Some(request) => Err(format!("no action {:?}", request.action)),
            None => Ok(()),
        }
    }
}

/// True for a moment such as `1996-10-17T05:00:00Z`.
fn is_moment(text: &str) -> bool {
    let shape = "0000-00-00T00:00:00Z";
    let fits = |(c, s): (char, char)| if s == '0' { c.is_ascii_digit() } else { c == s };
    text.len() == shape.len() && text.chars().zip(shape.chars()).all(fits)
}
