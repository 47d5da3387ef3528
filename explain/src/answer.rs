//! Questions and answers in JSON, as read and printed by `query` and the service.
//!
//! The keys are those that scripts rely on. Nothing is weighed here.

use crate::query::MOST_NAMES;
use crate::time::rfc3339;
use crate::verdict::VerdictJson;
use robomaton_runtime::{Crawler, DetailCache, Image, Verdict};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// Bytes of memory that cached crawlers take.
const CACHED: usize = 16 << 20;

/// The crawlers of JSON lines, resolved once for one image. Crawlers of
/// [`InputQuestion::named_only`] are kept apart from the others.
#[derive(Default)]
pub struct CrawlerCache([Resolved; 2]);

#[derive(Default)]
struct Resolved {
    names: HashMap<String, Crawler>,
    lists: HashMap<Vec<String>, Crawler>,
    /// Bytes of all these crawlers.
    bytes: usize,
}

impl Resolved {
    /// Makes room for a crawler: invented ones must not fill the memory.
    fn make_room(&mut self, crawler: &Crawler) {
        let bytes = crawler.memory();
        if self.bytes > 0 && self.bytes + bytes > CACHED {
            *self = Resolved::default();
        }
        self.bytes += bytes;
    }
}

impl CrawlerCache {
    /// The crawler with these names. The image must be the same in each call.
    pub fn crawler(&mut self, image: &Image, names: &Names<'_>, named_only: bool) -> &Crawler {
        let resolved = &mut self.0[usize::from(named_only)];
        let restricted = |crawler: Crawler| crawler.named_only(named_only);
        match names {
            Names::One(name) => {
                if !resolved.names.contains_key(name.as_ref()) {
                    let crawler = restricted(image.crawler([name]));
                    resolved.make_room(&crawler);
                    resolved.names.insert(name.to_string(), crawler);
                }
                &resolved.names[name.as_ref()]
            }
            Names::Several(names) => {
                if !resolved.lists.contains_key(names) {
                    let crawler = restricted(image.crawler(names));
                    resolved.make_room(&crawler);
                    resolved.lists.insert(names.clone(), crawler);
                }
                &resolved.lists[names]
            }
        }
    }
}

/// A question of a caller, in JSON. An unknown key is an error: with `agnet`, the question would be
/// about any crawler.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputQuestion<'a> {
    /// The URL.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    /// The crawler. A list of names has one at least.
    #[serde(borrow, default, deserialize_with = "some_names")]
    pub agent: Option<Names<'a>>,
    /// The usage.
    pub usage: Option<String>,
    /// The purpose of the usage.
    pub purpose: Option<String>,
    /// True if only groups that name the crawler count.
    #[serde(default)]
    pub named_only: bool,
}

/// Refuses an empty list: the question would be about any crawler.
fn some_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Names<'de>>, D::Error> {
    let names: Option<Names<'de>> = Deserialize::deserialize(deserializer)?;
    match names {
        Some(Names::Several(names)) if names.is_empty() => Err(D::Error::custom("`agent` is an empty list")),
        names => Ok(names),
    }
}

/// A crawler's name, or several, best first: at most [`MOST_NAMES`].
#[derive(PartialEq, Eq)]
pub enum Names<'a> {
    /// One name.
    One(Cow<'a, str>),
    /// Several names.
    Several(Vec<String>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Names<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Names<'a>, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

/// Reads names one by one: a list may have millions.
struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name in `agent`, or a list of names")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, name: &'de str) -> Result<Names<'de>, E> {
        Ok(Names::One(Cow::Borrowed(name)))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Names<'de>, E> {
        Ok(Names::One(Cow::Owned(name.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names<'de>, A::Error> {
        let mut names: Vec<String> = Vec::new();
        while let Some(name) = list.next_element()? {
            if names.len() == MOST_NAMES {
                return Err(A::Error::custom(format!("more than {MOST_NAMES} names of one crawler")));
            }
            names.push(name);
        }
        Ok(Names::Several(names))
    }
}

impl Names<'_> {
    /// The names as printed.
    pub fn joined(&self) -> Cow<'_, str> {
        match self {
            Names::One(name) => Cow::Borrowed(name),
            Names::Several(names) => names.join(",").into(),
        }
    }
}

/// A question as printed with its answer.
#[derive(Clone, Copy, Serialize)]
pub struct QuestionJson<'a> {
    /// The URL as given.
    pub url: &'a str,
    /// The crawler as given; several names are separated by commas.
    pub agent: &'a str,
    /// The usage.
    pub usage: &'a str,
    /// The purpose of the usage.
    pub purpose: Option<&'a str>,
}

/// An answer in JSON.
#[derive(Serialize)]
pub struct AnswerJson<'a> {
    #[serde(flatten)]
    question: QuestionJson<'a>,
    #[serde(flatten)]
    verdict: VerdictJson,
    outcome: Option<&'static str>,
    basis: &'static str,
    stale: Option<bool>,
    status: Option<u16>,
    fetched_at: Option<String>,
}

impl<'a> AnswerJson<'a> {
    /// The answer to a question.
    pub fn new(question: QuestionJson<'a>, verdict: &Verdict<'_>) -> AnswerJson<'a> {
        AnswerJson::cached(question, verdict, &mut DetailCache::default())
    }

    /// The same, for one of several answers of an image.
    pub fn cached<'i>(
        question: QuestionJson<'a>,
        verdict: &Verdict<'i>,
        cache: &mut DetailCache<'i>,
    ) -> AnswerJson<'a> {
        let site = verdict.site();
        AnswerJson {
            question,
            verdict: VerdictJson::cached(verdict, cache).limited(),
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            basis: verdict.basis().name(),
            stale: site.and_then(|site| site.is_stale()),
            status: site.map(|site| site.status()).filter(|&status| status != 0),
            fetched_at: site.and_then(|site| site.fetched_at()).and_then(rfc3339),
        }
    }

    /// The same answer for a caller whose terms have no time: it is stale if it was not fresh at
    /// this time, in Unix seconds.
    #[must_use]
    pub fn at(self, verdict: &Verdict<'_>, now: u64) -> AnswerJson<'a> {
        let stale = verdict.site().and_then(|site| {
            let fetched_at = site.fetched_at()?;
            Some(now > fetched_at.saturating_add(site.fresh_for().into()))
        });
        AnswerJson { stale, ..self }
    }

    /// Appends the answer as JSON, for those who write many. Not generic, so that it is compiled
    /// here, where it is optimised for speed, and once.
    pub fn append_to(&self, json: &mut Vec<u8>) {
        let written = serde_json::to_writer(json, self);
        written.expect("a vector grows, and the keys are strings");
    }
}
