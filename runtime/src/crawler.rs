//! Crawlers and usages: names are resolved once, so that a question compares numbers.

use robomaton_formats::Choice;
use robomaton_formats::detail::{Detail, Group};
use robomaton_formats::notation::first_bytes;
use robomaton_formats::policy::{PolicyView, ScopedView, is_scoped};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::read::View;
use robomaton_formats::usage::needs_permission;
use robomaton_formats::{CrawlerId, SetRef, UsageId};
use std::collections::HashSet;
use std::iter;
use std::sync::Arc;
use wide::u8x16;

/// A crawler, resolved against one image by [`crate::Image::crawler`]. With any other image,
/// answers are wrong.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"User-agent: GPTBot\nDisallow: /private/\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Image, Usage};
///
/// let image = Image::from_bytes(bytes)?;
/// let url = "https://example.com/private/x";
/// let decide = |names: &[&str]| image.decide(&image.crawler(names), Usage::CRAWL, url).is_allowed();
/// assert!(!decide(&["GPTBot/1.2"]));           // versions do not count
/// assert!(!decide(&["my-gptbot", "gptbot"]));  // best name first
/// assert!(decide(&["my-gptbot"]));             // names are compared whole
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Crawler {
    names: Arc<Names>,
    /// True if the image can answer for it. An image compiled for other crawlers cannot.
    held: bool,
    /// The same for documents whose groups are matched by substring.
    held_short: bool,
    /// True if only groups that name the crawler count.
    named_only: bool,
    ids: Ids,
    /// The result of [`Crawler::only`].
    only: Option<u16>,
    /// The same crawler, resolved against the older layers of a stack, newest first.
    older: Vec<Crawler>,
}

/// The names of a crawler, which are the same for all layers of a stack.
#[derive(Debug)]
pub(crate) struct Names {
    /// As the caller gave them, best first.
    given: Vec<String>,
    /// Reduced, best first.
    reduced: Vec<String>,
    /// The names by which groups are looked up: the reduced ones, each as a whole (decision 34) and
    /// with the general names that it begins like (decision 41).
    lookup: Vec<String>,
    /// The names as documents compare them whose groups are matched by substring.
    short: Vec<String>,
}

impl Names {
    pub(crate) fn of<N: AsRef<str>>(given: &[N], rule: AgentRule) -> Names {
        let reduced = |rule: AgentRule| {
            let names = given.iter().flat_map(|name| rule.crawler_names_or_nobody(name.as_ref()));
            names.map(|name| rule.reduce(&name)).collect()
        };
        Names {
            given: given.iter().map(|name| name.as_ref().to_owned()).collect(),
            reduced: reduced(rule),
            lookup: given.iter().flat_map(|name| rule.lookup_names(name.as_ref())).collect(),
            short: reduced(AgentRule::Substring),
        }
    }

    fn memory(&self) -> usize {
        let names = [&self.given, &self.reduced, &self.lookup, &self.short].into_iter().flatten();
        names.map(|name| size_of::<String>() + name.len()).sum()
    }
}

/// The rules of a policy for a crawler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// The set of its own groups, or of the default groups.
    Set(SetRef),
    /// No group applies to it.
    NoGroup,
}

#[derive(Clone, Debug)]
enum Ids {
    /// The ids of the names that the image has, best first.
    Whole(Vec<CrawlerId>),
    /// For each name, the ids of the values that contain it.
    Containing(Vec<IdSet>),
}

/// A set of ids, one bit for each: a policy may have tens of thousands of crawlers, and all of them
/// are compared with it.
#[derive(Clone, Debug, Default)]
struct IdSet(Vec<u64>);

impl IdSet {
    fn contains(&self, id: CrawlerId) -> bool {
        self.0.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }
}

impl FromIterator<CrawlerId> for IdSet {
    fn from_iter<I: IntoIterator<Item = CrawlerId>>(ids: I) -> IdSet {
        let mut words = Vec::new();
        for id in ids {
            let at = id.index() / 64;
            words.resize(words.len().max(at + 1), 0);
            if let Some(word) = words.get_mut(at) {
                *word |= 1 << (id.index() % 64);
            }
        }
        IdSet(words)
    }
}

impl Crawler {
    pub(crate) fn new(view: View<'_>, rule: AgentRule, names: Arc<Names>) -> Crawler {
        let Names { reduced, lookup, short, .. } = &*names;
        let ids = match rule {
            AgentRule::Substring => {
                let contains = |name: &String| {
                    let holds = |id: &CrawlerId| {
                        let value = view.crawler(*id).unwrap_or_default();
                        !name.is_empty() && memchr::memmem::find(value, name.as_bytes()).is_some()
                    };
                    view.crawler_ids().filter(holds).collect()
                };
                Ids::Containing(reduced.iter().map(contains).collect())
            }
            _ => Ids::Whole(lookup.iter().filter_map(|name| view.find_crawler(name.as_bytes())).collect()),
        };
        // The empty name and `*` mean the default groups, which are always present.
        let narrowed = view.meta().map(|meta| meta.crawlers).unwrap_or_default();
        let held = |rule: AgentRule, names: &[String]| {
            let kept: HashSet<String> = narrowed.iter().map(|kept| rule.reduce(kept)).collect();
            let is_kept = |name: &String| matches!(name.as_str(), "" | "*") || kept.contains(name);
            narrowed.is_empty() || names.iter().all(is_kept)
        };
        let (held, held_short) = (held(rule, reduced), held(AgentRule::Substring, short));
        let only = match &ids {
            Ids::Whole(ids) if held && ids.len() < 2 && view.crawlers() < usize::from(u16::MAX) => {
                ids.first().map_or(Some(u16::MAX), |id| id.get().try_into().ok())
            }
            _ => None,
        };
        let older = Vec::new();
        Crawler { names, held, held_short, named_only: false, ids, only, older }
    }

    /// The crawler of a stack: this one, resolved against its newest layer, and the same for every
    /// older one.
    pub(crate) fn above(self, older: Vec<Crawler>) -> Crawler {
        Crawler { older, ..self }
    }

    /// The crawler as resolved against a layer of its stack; 0 is the newest.
    #[inline(never)]
    pub(crate) fn of_layer(&self, layer: u8) -> &Crawler {
        let older = usize::from(layer).checked_sub(1);
        older.map_or(self, |older| self.older.get(older).unwrap_or(self))
    }

    /// The id of the only name of this crawler that the image has, or the largest number if it has
    /// none. `None` if no such number says which groups apply: there are several names, default
    /// groups do not count, or the image does not answer for the crawler.
    #[inline(always)]
    pub(crate) fn only(&self) -> Option<u16> {
        self.only
    }

    /// Restricts the crawler to groups that name it, if `named_only`. Default groups (`*`) of
    /// robots.txt and ai.txt are then ignored, and so is what ACAP in pages says to all crawlers.
    /// Headers, other META tags and tdmrep.json speak to everyone. Some crawlers of Google are of
    /// this kind (`AdsBot-Google`).
    #[must_use]
    pub fn named_only(self, named_only: bool) -> Crawler {
        let older = self.older.into_iter().map(|crawler| crawler.named_only(named_only)).collect();
        Crawler { named_only, only: self.only.filter(|_| !named_only), older, ..self }
    }

    /// True if only groups that name the crawler count.
    #[inline]
    pub fn is_named_only(&self) -> bool {
        self.named_only
    }

    /// Bytes of memory that it takes, about. In profile `koster`, they grow with the names of the
    /// image.
    pub fn memory(&self) -> usize {
        self.names.memory() + iter::once(self).chain(&self.older).map(Crawler::memory_of_layer).sum::<usize>()
    }

    fn memory_of_layer(&self) -> usize {
        size_of::<Crawler>()
            + match &self.ids {
                Ids::Whole(ids) => size_of_val(&ids[..]),
                Ids::Containing(sets) => sets.iter().map(|set| size_of_val(&set.0[..])).sum(),
            }
    }

    /// Its names as the caller gave them, best first.
    pub fn given(&self) -> &[String] {
        &self.names.given
    }

    /// Its names as they are compared, best first. From a whole `User-Agent` header, these are the
    /// names that the crawler gives itself.
    pub fn names(&self) -> &[String] {
        &self.names.reduced
    }

    /// The names under which groups are looked for, best first: its names, each as a whole (in
    /// quotation marks, for ACAP; decision 34), and with the general names that it begins like
    /// (`alfred*` for a rule set of Robot-version 2.0.0; decision 41).
    pub fn lookup_names(&self) -> &[String] {
        &self.names.lookup
    }

    /// The names under which groups of documents under an agent rule are looked for.
    pub(crate) fn lookup_for(&self, rule: AgentRule) -> &[String] {
        if rule == AgentRule::Substring { &self.names.short } else { &self.names.lookup }
    }

    /// The names as documents under an agent rule compare them.
    pub(crate) fn names_for(&self, rule: AgentRule) -> &[String] {
        if rule == AgentRule::Substring { &self.names.short } else { &self.names.reduced }
    }

    /// True if documents under this agent rule can answer for it.
    #[inline]
    pub(crate) fn is_held(&self, rule: AgentRule) -> bool {
        if rule == AgentRule::Substring { self.held_short } else { self.held }
    }

    /// The set of this crawler in a policy (R5, R7; K9). `None` if the policy is damaged.
    #[inline]
    pub(crate) fn set(&self, view: View<'_>, policy: &PolicyView<'_>) -> Option<Lookup> {
        let own = match &self.ids {
            Ids::Whole(_) if policy.is_empty() => None,
            Ids::Whole(_) if policy.is_by_substring() => self.containing(view, policy),
            Ids::Whole(ids) => {
                ids.iter().filter_map(|&id| policy.find(id)).find(|&index| !in_pages(view, policy, index))
            }
            Ids::Containing(names) => names.iter().find_map(|ids| {
                (0..policy.len()).find(|&index| policy.crawler(index).is_some_and(|id| ids.contains(id)))
            }),
        };
        match own {
            Some(index) => policy.set(index).map(Lookup::Set),
            None if self.named_only => self.without_name(view, policy),
            None if policy.has_default() => policy.default_set().map(Lookup::Set),
            None => Some(Lookup::NoGroup),
        }
    }

    /// The sets of all names of this crawler in a policy whose sets count together.
    pub(crate) fn own_sets(&self, policy: &PolicyView<'_>) -> impl Iterator<Item = SetRef> {
        let ids: &[CrawlerId] = if let Ids::Whole(ids) = &self.ids { ids } else { &[] };
        ids.iter().filter_map(|&id| policy.set(policy.find(id)?))
    }

    /// The set if no group names the crawler and default groups do not count. A list that is
    /// weighed by specificity says what silence means, and pages may name the crawler.
    #[inline(never)]
    fn without_name(&self, view: View<'_>, policy: &PolicyView<'_>) -> Option<Lookup> {
        if !policy.has_default() {
            return Some(Lookup::NoGroup);
        }
        let set = policy.default_set()?;
        let list = set.list().and_then(|at| view.list(at));
        Some(if list.is_some_and(is_scoped) { Lookup::Set(set) } else { Lookup::NoGroup })
    }

    /// The conventional groups of a document that apply to this crawler, with their numbers.
    pub(crate) fn groups<'r, 'd>(
        &self,
        detail: &'r Detail<'d>,
        rule: AgentRule,
    ) -> Vec<(usize, &'r Group<'d>)> {
        let names = self.lookup_for(rule);
        let groups = detail.groups_of(rule, names);
        if !self.named_only {
            return groups;
        }
        let is_named = |(_, group): &(usize, &Group<'_>)| rule.first_named(group.crawlers(), names).is_some();
        groups.into_iter().filter(is_named).collect()
    }

    /// How the groups that apply to this crawler were chosen.
    pub(crate) fn choice(&self, detail: &Detail<'_>, rule: AgentRule) -> Choice {
        let of_text = |group: &&Group<'_>| group.role.names_crawlers();
        match detail.name_of(rule, self.lookup_for(rule)) {
            Some(name) => Choice::Named(name.clone()),
            None if !self.named_only && detail.groups.iter().filter(of_text).any(|group| group.default) => {
                Choice::Default
            }
            None => Choice::Nobody,
        }
    }

    /// True if the image has one of its names, so that policies may refer to it.
    #[inline]
    pub(crate) fn has_ids(&self) -> bool {
        !matches!(&self.ids, Ids::Whole(ids) if ids.is_empty())
    }

    /// The lists of all names of this crawler in a policy, including names that only pages have.
    pub(crate) fn lists<'i>(
        &self,
        view: View<'i>,
        policy: &'i [u8],
    ) -> impl Iterator<Item = ScopedView<'i>> + use<'i, '_> {
        let ids: &[CrawlerId] = if let Ids::Whole(ids) = &self.ids { ids } else { &[] };
        let policy = ids.first().and_then(|_| PolicyView::read(policy));
        ids.iter().filter_map(move |&id| {
            let policy = policy.as_ref()?;
            let at = policy.set(policy.find(id)?)?.list()?;
            ScopedView::read(view.list(at)?)
        })
    }

    /// The index in a policy of the first crawler whose value contains one of the names, best name
    /// first (K9). For images in which other policies are searched by number. It reads the names:
    /// such policies are few and short.
    #[inline(never)]
    fn containing(&self, view: View<'_>, policy: &PolicyView<'_>) -> Option<usize> {
        let value = |index| policy.crawler(index).and_then(|id| view.crawler(id)).unwrap_or_default();
        self.names.short.iter().filter(|name| !name.is_empty()).find_map(|name| {
            let finder = memchr::memmem::Finder::new(name);
            let contains = |value: &[u8]| may_contain(value, name.as_bytes()) && finder.find(value).is_some();
            (0..policy.len()).find(|&index| contains(value(index)))
        })
    }
}

/// False for nearly all values that do not contain a name: its first two bytes are nowhere in them.
/// A policy may have thousands of values, most of them short.
#[inline]
fn may_contain(value: &[u8], name: &[u8]) -> bool {
    let &[first, second, ..] = name else { return true };
    let has_pair = |block: [u8; 16]| {
        let places = |byte: u8| u8x16::new(block).simd_eq(u8x16::splat(byte)).to_bitmask();
        places(first) & places(second) >> 1 != 0
    };
    match (value.first_chunk(), value.last_chunk()) {
        _ if value.len() < name.len() => false,
        (Some(front), Some(back)) if value.len() < 32 => has_pair(*front) || has_pair(*back),
        (None, _) => has_pair(first_bytes(value)),
        _ => true,
    }
}

/// True if the crawler at this index of a policy is named only in pages, so its name is none of the
/// text's.
#[inline]
fn in_pages(view: View<'_>, policy: &PolicyView<'_>, index: usize) -> bool {
    let list = policy.set(index).and_then(SetRef::list).and_then(|at| view.list(at));
    list.is_some_and(|list| is_scoped(list) && ScopedView::read(list).is_some_and(|list| list.pages))
}

/// A usage of a URL, for a purpose.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"User-agent: *\nNoindex: /drafts/\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Image, Usage};
///
/// let image = Image::from_bytes(bytes)?;
/// let (crawler, url) = (image.crawler(["mybot"]), "https://example.com/drafts/1");
/// assert!(image.decide(&crawler, Usage::CRAWL, url).is_allowed());
/// assert!(!image.decide(&crawler, Usage::INDEX, url).is_allowed());
/// assert_eq!(image.usage("index"), Usage::INDEX); // any usage, by name
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Usage<'a> {
    /// The image's id of the usage; for an unknown usage, an id that no rule has. Of a stack, the
    /// id in its newest layer, or one after those (`layers`).
    pub(crate) id: UsageId,
    /// True if it is a special form of `present`.
    pub(crate) special: bool,
    pub(crate) purpose: Option<&'a str>,
}

impl Usage<'_> {
    /// Fetching.
    pub const CRAWL: Usage<'static> = Usage { id: UsageId::CRAWL, special: false, purpose: None };
    /// Indexing.
    pub const INDEX: Usage<'static> = Usage { id: UsageId::INDEX, special: false, purpose: None };
    /// The id for a usage that no rule of the image is about.
    pub(crate) const UNSPOKEN: UsageId = UsageId::new(u32::MAX);

    /// True if it is fetching.
    #[inline]
    pub fn is_crawl(&self) -> bool {
        self.id == UsageId::CRAWL
    }

    /// True if silence never permits it: it is a use by models or for mining.
    #[inline]
    pub(crate) fn needs_permission(&self) -> bool {
        u16::try_from(self.id.get()).is_ok_and(needs_permission)
    }

    /// The same usage for a purpose (P17).
    #[must_use]
    pub fn for_purpose<'p>(self, purpose: &'p str) -> Usage<'p> {
        Usage { id: self.id, special: self.special, purpose: Some(purpose) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_that_contains_a_name_is_passed_over() {
        let mut passed = 0;
        for length in 0..40 {
            for at in 0..=length {
                for name in [&b"a"[..], b"ab", b"abc", b"a-longer-name-for-bots"] {
                    let mut value = vec![b'x'; length];
                    passed += usize::from(!may_contain(&value, name));
                    let Some(place) = value.get_mut(at..at + name.len()) else { continue };
                    place.copy_from_slice(name);
                    assert!(may_contain(&value, name), "{value:?}");
                }
            }
        }
        assert!(passed > 1_000);
    }
}
