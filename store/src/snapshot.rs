//! The state of a store at one moment, and the questions to it.
//!
//! A capture in memory is newer than any of its site in a layer, since `put` takes no other. So the
//! table answers first, then the frozen one, then the layers. It knows neither log nor files.

use crate::table::{Single, Table};
use crate::visit::{Visit, Visits, hash};
use arc_swap::ArcSwap;
use robomaton_formats::site::split_plain;
use robomaton_formats::{Decision, Scheme, SiteKey};
use robomaton_runtime::{Layers, LayersCrawler, LayersUsage, Site, Verdict};
use std::sync::Arc;

/// A moment of a store. It stays as it is while captures go in; cheap to clone, and for any thread.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) stack: Arc<Stack>,
    /// A table that was full and becomes a layer.
    pub(crate) frozen: Table,
    /// The table of the newest captures.
    pub(crate) table: Table,
}

/// The layers of one generation.
pub(crate) struct Stack {
    /// Unlike the number of any other stack in this process.
    pub(crate) number: u64,
    pub(crate) layers: Layers,
    /// The names of their files, oldest first.
    pub(crate) names: Vec<String>,
    /// Their visits.
    pub(crate) visits: Vec<Option<Visits>>,
}

/// A crawler and a usage, resolved against a store. Threads share it by reference.
pub struct Query {
    names: Vec<String>,
    usage: String,
    purpose: Option<String>,
    is_named_only: bool,
    resolved: ArcSwap<Resolved>,
}

/// A query, resolved against the layers of one stack.
struct Resolved {
    stack: u64,
    crawler: LayersCrawler,
    usage: LayersUsage<'static>,
}

impl Query {
    pub(crate) fn new(names: Vec<String>, usage: &str, stack: &Stack) -> Query {
        let resolved = ArcSwap::from_pointee(Resolved::new(&names, usage, stack));
        Query { names, usage: usage.to_owned(), purpose: None, is_named_only: false, resolved }
    }

    /// The same query for a purpose (P17).
    #[must_use]
    pub fn for_purpose(self, purpose: impl Into<String>) -> Query {
        Query { purpose: Some(purpose.into()), ..self }
    }

    /// Restricts the crawler as [`Crawler::named_only`](robomaton_runtime::Crawler::named_only)
    /// does.
    #[must_use]
    pub fn named_only(self, named_only: bool) -> Query {
        Query { is_named_only: named_only, ..self }
    }
}

impl Resolved {
    fn new(names: &[String], usage: &str, stack: &Stack) -> Resolved {
        let Stack { number, layers, .. } = stack;
        Resolved { stack: *number, crawler: layers.crawler(names), usage: layers.usage(usage) }
    }
}

impl Snapshot {
    /// Decides whether the crawler of the query may use the URL. A site that was never put is
    /// unknown.
    pub fn decide(&self, query: &Query, url: &str) -> Decision {
        self.ask(query, url, |verdict| verdict.decision())
    }

    /// Passes the verdict on a URL to `answer`, as
    /// [`Image::decide`](robomaton_runtime::Image::decide) gives it.
    pub fn ask<R>(&self, query: &Query, url: &str, answer: impl FnOnce(&Verdict<'_>) -> R) -> R {
        if let Some(single) = self.single(url) {
            // The names of a single capture are few, so they are looked up each time.
            let image = &single.image;
            let crawler = image.crawler(&query.names).named_only(query.is_named_only);
            let usage = image.usage(&query.usage);
            let usage = query.purpose.as_ref().map_or(usage, |purpose| usage.for_purpose(purpose));
            return answer(&image.decide(&crawler, usage, url));
        }
        let held = query.resolved.load();
        let made;
        let resolved = if held.stack == self.stack.number {
            &**held
        } else {
            made = Arc::new(Resolved::new(&query.names, &query.usage, &self.stack));
            query.resolved.store(Arc::clone(&made));
            &*made
        };
        if query.purpose.is_none() && !query.is_named_only {
            return answer(&self.stack.layers.decide(&resolved.crawler, &resolved.usage, url));
        }
        let crawler = resolved.crawler.clone().named_only(query.is_named_only);
        let usage = match &query.purpose {
            Some(purpose) => resolved.usage.for_purpose(purpose),
            None => resolved.usage.clone(),
        };
        answer(&self.stack.layers.decide(&crawler, &usage, url))
    }

    /// The site of a URL, if a capture of it was put.
    pub fn site(&self, url: &str) -> Option<Site<'_>> {
        match self.single(url) {
            Some(single) => single.image.first_site(),
            None => self.stack.layers.site(url).map(|found| found.site),
        }
    }

    /// The capture of exactly this site.
    pub(crate) fn stored(&self, key: &SiteKey) -> Option<Site<'_>> {
        match self.in_memory(key.name().as_bytes(), key.scheme()) {
            Some(single) => single.image.first_site(),
            None => self.stack.layers.stored(key),
        }
    }

    /// The visit of the capture that is held of a site.
    pub(crate) fn visit(&self, key: &SiteKey, held: &Site<'_>) -> Option<Visit> {
        if let Some(single) = self.in_memory(key.name().as_bytes(), key.scheme()) {
            return Some(single.visit.clone());
        }
        let (hash, fetched_at) = (hash(key), held.fetched_at()?);
        self.stack.visits.iter().rev().flatten().find_map(|visits| visits.find(hash, fetched_at))
    }

    /// The capture in memory of the site of a URL.
    fn single(&self, url: &str) -> Option<&Arc<Single>> {
        if self.table.len() + self.frozen.len() == 0 {
            return None;
        }
        match split_plain(url.as_bytes()) {
            Some((scheme, name, _)) => self.in_memory(name, scheme),
            None => {
                let key = SiteKey::parse(url).ok()?;
                self.in_memory(key.name().as_bytes(), key.scheme())
            }
        }
    }

    fn in_memory(&self, name: &[u8], scheme: Scheme) -> Option<&Arc<Single>> {
        self.table.get(name, scheme).or_else(|| self.frozen.get(name, scheme))
    }
}
