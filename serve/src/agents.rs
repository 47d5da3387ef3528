//! The crawlers that questions name, checked and resolved once for each image.
//!
//! A crawler asks many questions, and its name takes longer to resolve than a question to answer.
//! Invariant: a cached agent passed every check that its names can fail.

use crate::cache::Cache;
use crate::error::Refusal;
use crate::parameters::check_query;
use robomaton_explain::names;
use robomaton_runtime::{Crawler, Image};
use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;

/// A crawler with its names as answers show them.
pub(crate) struct Agent {
    pub(crate) names: String,
    pub(crate) crawler: Crawler,
}

/// The part of a question that decides, together with names, whether they are accepted.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) usage: &'a str,
    pub(crate) purpose: Option<&'a str>,
    pub(crate) named_only: bool,
}

impl Words<'_> {
    /// Refuses words that are too long.
    pub(crate) fn check(self, image: &Image) -> Result<(), Refusal> {
        check_query(std::iter::empty(), self.usage, self.purpose, image.profile())
    }
}

/// The agents of one image. Agents for which only groups that name them count are kept apart from
/// the others.
#[derive(Default)]
pub(crate) struct Agents {
    strings: [Cache<String, Agent>; 2],
    lists: [Cache<Vec<String>, Agent>; 2],
}

impl Agents {
    /// The agent of a string: a name, names separated by commas, or a `User-Agent` header.
    ///
    /// # Errors
    /// If it names no crawler or too many, or a word is too long.
    pub(crate) fn of_string(
        &self,
        image: &Image,
        given: &str,
        words: Words<'_>,
    ) -> Result<Arc<Agent>, Refusal> {
        let cache = &self.strings[usize::from(words.named_only)];
        cached(cache, image, given, words, || names(given))
    }

    /// The agent of a list of names, best first.
    ///
    /// # Errors
    /// If one of them names no crawler, there are too many, or a word is too long.
    pub(crate) fn of_list(
        &self,
        image: &Image,
        given: &[String],
        words: Words<'_>,
    ) -> Result<Arc<Agent>, Refusal> {
        let cache = &self.lists[usize::from(words.named_only)];
        cached(cache, image, given, words, || given.iter().map(String::as_str).collect())
    }
}

/// The agent that is cached by a key, or the one of these names.
fn cached<'n, Q: Eq + Hash + ToOwned + ?Sized>(
    cache: &Cache<Q::Owned, Agent>,
    image: &Image,
    key: &Q,
    words: Words<'_>,
    names: impl FnOnce() -> Vec<&'n str>,
) -> Result<Arc<Agent>, Refusal>
where
    Q::Owned: Borrow<Q> + Eq + Hash,
{
    let Words { usage, purpose, named_only } = words;
    if let Some(agent) = cache.get(key) {
        words.check(image)?;
        return Ok(agent);
    }
    let names = names();
    check_query(names.iter().copied(), usage, purpose, image.profile())?;
    let crawler = image.crawler(&names).named_only(named_only);
    let bytes = crawler.memory();
    let agent = Arc::new(Agent { names: names.join(","), crawler });
    cache.keep(key.to_owned(), bytes, &agent);
    Ok(agent)
}
