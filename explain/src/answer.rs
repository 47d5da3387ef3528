//! Questions and answers in JSON, as `query` and the service read and print them.
//!
//! The keys are those that scripts rely on. It weighs nothing.

use crate::time::rfc3339;
use crate::told::Told;
use robomaton_runtime::{Crawler, Image, Verdict};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// Crawlers of JSON lines that are kept resolved.
const KEPT: usize = 1 << 16;

/// Crawlers of JSON lines, resolved once: those that any group may answer for, and those of [`Asked::named_only`].
#[derive(Default)]
pub struct Known([Resolved; 2]);

#[derive(Default)]
struct Resolved {
    names: HashMap<String, Crawler>,
    lists: HashMap<Vec<String>, Crawler>,
}

impl Known {
    /// The crawler of these names, of this image and no other.
    pub fn crawler(&mut self, image: &Image, names: &Names<'_>, named_only: bool) -> &Crawler {
        let Resolved { names: of_one, lists } = &mut self.0[usize::from(named_only)];
        // Whoever makes names up shall not fill the memory.
        if of_one.len() + lists.len() >= KEPT {
            of_one.clear();
            lists.clear();
        }
        let meant = |crawler: Crawler| crawler.named_only(named_only);
        match names {
            Names::One(name) => {
                if !of_one.contains_key(name.as_ref()) {
                    of_one.insert(name.to_string(), meant(image.crawler([name])));
                }
                &of_one[name.as_ref()]
            }
            Names::Several(names) => {
                if !lists.contains_key(names) {
                    lists.insert(names.clone(), meant(image.crawler(names)));
                }
                &lists[names]
            }
        }
    }
}

/// A question in JSON. A key that nobody knows is an error: `agnet` would be asked for everybody.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked<'a> {
    /// What is asked about.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    /// Who asks.
    #[serde(borrow)]
    pub agent: Option<Names<'a>>,
    /// What the crawler wants to do.
    pub usage: Option<String>,
    /// What it wants that for.
    pub purpose: Option<String>,
    /// Whether only groups that name the crawler count.
    #[serde(default)]
    pub named_only: bool,
}

/// A crawler's name, or several, best first.
#[derive(Deserialize)]
#[serde(untagged, expecting = "`agent` is a name, or a list of names")]
pub enum Names<'a> {
    /// One.
    #[serde(borrow)]
    One(Cow<'a, str>),
    /// Several.
    Several(Vec<String>),
}

impl Names<'_> {
    /// The names as they are printed.
    pub fn joined(&self) -> Cow<'_, str> {
        match self {
            Names::One(name) => Cow::Borrowed(name),
            Names::Several(names) => names.join(",").into(),
        }
    }
}

/// A question as it is printed with its answer.
#[derive(Clone, Copy, Serialize)]
pub struct Question<'a> {
    /// The URL as it was given.
    pub url: &'a str,
    /// The crawler as it was given; several names are separated by commas.
    pub agent: &'a str,
    /// What the crawler wants to do.
    pub usage: &'a str,
    /// What it wants that for.
    pub purpose: Option<&'a str>,
}

/// An answer in JSON.
#[derive(Serialize)]
pub struct Answer<'a> {
    #[serde(flatten)]
    asked: Question<'a>,
    #[serde(flatten)]
    told: Told,
    outcome: Option<&'static str>,
    basis: &'static str,
    stale: Option<bool>,
    status: Option<u16>,
    fetched_at: Option<String>,
}

impl<'a> Answer<'a> {
    /// The answer to a question.
    pub fn new(asked: Question<'a>, verdict: &Verdict<'_>) -> Answer<'a> {
        let site = verdict.site();
        Answer {
            asked,
            told: Told::new(verdict),
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            basis: verdict.basis().name(),
            stale: site.and_then(|site| site.is_stale()),
            status: site.map(|site| site.status()).filter(|&status| status != 0),
            fetched_at: site.and_then(|site| site.fetched_at()).and_then(rfc3339),
        }
    }
}
