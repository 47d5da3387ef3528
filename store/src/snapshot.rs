//! The state of a store at one moment, and the questions to it.
//!
//! A capture in memory is newer than any of its site in a layer, since `put` takes no other. So the
//! table answers first, then the frozen one, then the layers. It knows neither log nor files.

use crate::table::{Single, SingleImage, Table};
use crate::visit::{Visit, Visits, hash};
use arc_swap::{ArcSwap, Guard};
use robomaton_formats::site::split_plain;
use robomaton_formats::{Decision, Outcome, Scheme, SiteKey};
use robomaton_runtime::{Crawler, Image, Site, Terms, Usage, Verdict};
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
    pub(crate) layers: Image,
    /// The layers at the time of the last question that had one. Most questions of a second follow
    /// another one, and a clone of many layers is not free.
    timed: ArcSwap<Image>,
    /// The names of their files, oldest first.
    pub(crate) names: Vec<String>,
    /// Their visits.
    pub(crate) visits: Vec<Option<Visits>>,
}

impl Stack {
    pub(crate) fn new(number: u64, layers: Image, names: Vec<String>, visits: Vec<Option<Visits>>) -> Stack {
        let timed = ArcSwap::from_pointee(layers.clone());
        Stack { number, layers, timed, names, visits }
    }

    /// The terms of all questions at a time.
    pub(crate) fn terms_at(&self, now: u64) -> Terms {
        Terms { now: Some(now), ..self.layers.terms().clone() }
    }

    /// The layers at a time.
    fn at(&self, now: u64) -> Guard<Arc<Image>> {
        let timed = self.timed.load();
        if timed.terms().now == Some(now) {
            return timed;
        }
        let timed = Arc::new(self.layers.clone().with_terms(self.terms_at(now)));
        self.timed.store(Arc::clone(&timed));
        Guard::from_inner(timed)
    }
}

/// A crawler and a usage, resolved against a store. Threads share it by reference.
pub struct Query {
    names: Vec<String>,
    usage: String,
    purpose: Option<String>,
    named_only: bool,
    resolved: ArcSwap<Resolved>,
}

/// A query, resolved against the layers of one stack.
#[derive(Clone)]
struct Resolved {
    stack: u64,
    crawler: Crawler,
    usage: Usage<'static>,
}

impl Query {
    pub(crate) fn new<N: Into<String>>(
        names: impl IntoIterator<Item = N>,
        usage: &str,
        stack: &Stack,
    ) -> Query {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let resolved = ArcSwap::from_pointee(Resolved {
            stack: stack.number,
            crawler: stack.layers.crawler(&names),
            usage: stack.layers.usage(usage),
        });
        Query { names, usage: usage.to_owned(), purpose: None, named_only: false, resolved }
    }

    /// Bytes of memory that it takes, about.
    pub fn memory(&self) -> usize {
        let words = self.usage.len() + self.purpose.as_ref().map_or(0, String::len);
        words + self.resolved.load().crawler.memory()
    }

    /// The same query for a purpose (P17).
    #[must_use]
    pub fn for_purpose(self, purpose: impl Into<String>) -> Query {
        Query { purpose: Some(purpose.into()), ..self }
    }

    /// Restricts the crawler as [`Crawler::named_only`] does.
    #[must_use]
    pub fn named_only(self, named_only: bool) -> Query {
        let Resolved { stack, crawler, usage } = Resolved::clone(&self.resolved.load());
        let crawler = crawler.named_only(named_only);
        Query { named_only, resolved: ArcSwap::from_pointee(Resolved { stack, crawler, usage }), ..self }
    }

    /// The query, resolved against the layers of this stack.
    fn resolved(&self, stack: &Stack) -> Guard<Arc<Resolved>> {
        let resolved = self.resolved.load();
        if resolved.stack == stack.number {
            return resolved;
        }
        let crawler = stack.layers.crawler(&self.names).named_only(self.named_only);
        let usage = stack.layers.usage(&self.usage);
        let resolved = Arc::new(Resolved { stack: stack.number, crawler, usage });
        self.resolved.store(Arc::clone(&resolved));
        Guard::from_inner(resolved)
    }

    /// A usage, for the purpose of the query.
    fn for_its_purpose<'q>(&'q self, usage: Usage<'static>) -> Usage<'q> {
        self.purpose.as_deref().map_or(usage, |purpose| usage.for_purpose(purpose))
    }

    /// Passes the verdict of the image of a single capture.
    fn ask_single<R>(&self, image: &SingleImage, url: &str, answer: impl FnOnce(&Verdict<'_>) -> R) -> R {
        let crawler = self.crawler_of(image);
        let usage = self.for_its_purpose(image.usage(&self.usage));
        answer(&image.decide(&crawler, usage, url))
    }

    /// Passes the verdict of the layers of a stack, whatever their terms.
    fn ask_layers<R>(
        &self,
        stack: &Stack,
        layers: &Image,
        url: &str,
        answer: impl FnOnce(&Verdict<'_>) -> R,
    ) -> R {
        let resolved = self.resolved(stack);
        let usage = self.for_its_purpose(resolved.usage);
        answer(&layers.decide(&resolved.crawler, usage, url))
    }

    /// The crawler as the image of a single capture knows it: its names are few, so they are looked
    /// up each time.
    pub(crate) fn crawler_of(&self, image: &SingleImage) -> Crawler {
        image.crawler(&self.names).named_only(self.named_only)
    }
}

impl Snapshot {
    /// Decides whether the crawler of the query may use the URL, at the time of the store's terms.
    /// Without one, no permission has ended: [`Snapshot::decide_at`] takes the clock's. A site that
    /// was never put is unknown.
    pub fn decide(&self, query: &Query, url: &str) -> Decision {
        self.ask(query, url, |verdict| verdict.decision())
    }

    /// Passes the verdict on a URL to `answer`, as
    /// [`Image::decide`](robomaton_runtime::Image::decide) gives it under the terms of the store.
    pub fn ask<R>(&self, query: &Query, url: &str, answer: impl FnOnce(&Verdict<'_>) -> R) -> R {
        match self.single(url) {
            Some(single) => query.ask_single(&single.image, url, answer),
            None => query.ask_layers(&self.stack, &self.stack.layers, url, answer),
        }
    }

    /// Decides as [`Snapshot::decide`] does, at a time in Unix seconds, as [`Snapshot::ask_at`]
    /// says.
    pub fn decide_at(&self, query: &Query, url: &str, now: u64) -> Decision {
        self.ask_at(query, url, now, |verdict| verdict.decision())
    }

    /// Passes the verdict at a time, in Unix seconds: what has ended by then permits nothing. A
    /// site that is unreachable for more than 30 days, from the first of its failures in a row, is
    /// answered as [`Terms::on_long_unreachable`] says; without a time, all are disallowed.
    pub fn ask_at<R>(&self, query: &Query, url: &str, now: u64, answer: impl FnOnce(&Verdict<'_>) -> R) -> R {
        let own = self.own_terms_at(url, now);
        match (self.single(url), own) {
            (Some(single), own) => {
                let terms = own.unwrap_or_else(|| self.stack.terms_at(now));
                query.ask_single(&single.image.clone().with_terms(terms), url, answer)
            }
            (None, Some(own)) => {
                query.ask_layers(&self.stack, &self.stack.layers.clone().with_terms(own), url, answer)
            }
            (None, None) => query.ask_layers(&self.stack, &self.stack.at(now), url, answer),
        }
    }

    /// The terms at a time for the site of a URL, if it is unreachable and a visit says since when.
    pub(crate) fn own_terms_at(&self, url: &str, now: u64) -> Option<Terms> {
        // Nearly all callers leave the choice as it is, so nothing is looked up for them.
        if self.stack.layers.terms().on_long_unreachable == Decision::Disallowed {
            return None;
        }
        let site = self.site(url).filter(|site| site.outcome() == Some(Outcome::Unreachable))?;
        let key = SiteKey::stored(site.stored().decoded_name()?.as_str(), site.scheme());
        let unreachable_since = Some(self.visit(&key, &site)?.unreachable_since()?);
        Some(Terms { unreachable_since, ..self.stack.terms_at(now) })
    }

    /// Passes the verdict by another document of the site at a time, in Unix seconds, as
    /// [`Image::decide_document`](robomaton_runtime::Image::decide_document) gives it. Captures
    /// that are put are those of robots.txt files, so such a document is in layers only.
    pub fn ask_document<R>(
        &self,
        query: &Query,
        name: &str,
        url: &str,
        now: u64,
        answer: impl FnOnce(&Verdict<'_>) -> R,
    ) -> R {
        let resolved = query.resolved(&self.stack);
        let usage = query.for_its_purpose(resolved.usage);
        let layers = self.stack.at(now);
        answer(&layers.decide_document(name, &resolved.crawler, usage, url))
    }

    /// True if a text that is held speaks of this usage. Asks every image.
    pub fn has_usage(&self, usage: &str) -> bool {
        let tables = [&self.table, &self.frozen];
        let mut in_memory = tables.iter().flat_map(|table| table.captures());
        self.stack.layers.find_usage(usage).is_some()
            || in_memory.any(|single| single.image.find_usage(usage).is_some())
    }

    /// The site of a URL, if a capture of it was put.
    pub fn site(&self, url: &str) -> Option<Site<'_>> {
        match self.single(url) {
            Some(single) => single.image.first_site(),
            None => self.stack.layers.site(url),
        }
    }

    /// The site of a URL, and the crawler of a query as its image knows it.
    pub(crate) fn site_and_crawler(&self, query: &Query, url: &str) -> Option<(Site<'_>, Crawler)> {
        if let Some(single) = self.single(url) {
            return Some((single.image.first_site()?, query.crawler_of(&single.image)));
        }
        let found = self.stack.layers.site(url)?;
        let crawler = query.resolved(&self.stack).crawler.clone();
        Some((found, crawler))
    }

    /// The capture of exactly this site.
    pub(crate) fn stored(&self, key: &SiteKey) -> Option<Site<'_>> {
        match self.in_memory(key.name().as_bytes(), key.scheme()) {
            Some(single) => single.image.first_site(),
            None => self.stack.layers.stored(key),
        }
    }

    /// The visit of the capture that is held of a site; `None` if its time is not known.
    pub(crate) fn visit(&self, key: &SiteKey, held: &Site<'_>) -> Option<Visit> {
        if let Some(single) = self.in_memory(key.name().as_bytes(), key.scheme()) {
            return Some(single.visit.clone());
        }
        let (hash, fetched_at) = (hash(key), held.fetched_at()?);
        let mut newest_first = self.stack.visits.iter().rev().flatten();
        newest_first.find_map(|visits| visits.find(hash, fetched_at)).or_else(|| Visit::of_image(held))
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

    pub(crate) fn in_memory(&self, name: &[u8], scheme: Scheme) -> Option<&Arc<Single>> {
        self.table.get(name, scheme).or_else(|| self.frozen.get(name, scheme))
    }
}
