//! The uses of one URL at a glance: a verdict for each of the usages that people ask about.
//!
//! The tester shows them beside the answer to the question. Nothing is weighed here.

use crate::error::Error;
use crate::query::Query;
use crate::single::SingleSite;
use crate::verdict::VerdictJson;
use serde::Serialize;

/// The usages, in the order in which they are shown.
const USES: [&str; 9] =
    ["crawl", "index", "search", "ai-train", "ai-input", "ai-index", "tdm", "preserve", "present-snippet"];

/// The verdict about one use.
#[derive(Serialize)]
pub struct Use {
    usage: &'static str,
    verdict: &'static str,
    incomplete: bool,
    conditions: Vec<String>,
    language: Option<&'static str>,
    carrier: Option<&'static str>,
    line: Option<u32>,
    /// The rule or statement on that line.
    text: Option<String>,
}

/// The uses of a URL for the crawler of a query; none if the site makes no statement in a modern
/// language.
///
/// # Errors
/// If the image has no site.
pub(crate) fn uses(single: &SingleSite, query: &Query, url: &str) -> Result<Vec<Use>, Error> {
    let site = single.site()?;
    if site.detail().is_none_or(|detail| detail.preferences.is_empty()) {
        return Ok(Vec::new());
    }
    let of_usage = |usage: &'static str| {
        let query = Query { usage: usage.to_owned(), ..query.clone() };
        let (crawler, resolved) = query.resolve(single.image());
        let verdict = VerdictJson::new(&site.decide(&crawler, resolved, url)).limited();
        let text = verdict.decider_text();
        let VerdictJson { verdict, incomplete, conditions, language, carrier, line, .. } = verdict;
        Use { usage, verdict, incomplete, conditions, language, carrier, line, text }
    };
    Ok(USES.map(of_usage).into())
}
