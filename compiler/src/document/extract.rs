//! Extracts documents from an image, as they were before `emit`.
//!
//! The inverse of `emit`, for everything that `emit` reads from a document: names, sets, programs,
//! scope, details and text. Data that only earlier steps need (references, limits) is lost. This
//! file decodes no program and no detail.

use super::Document;
use crate::programs::{PreferenceEntry, PreferenceSets, ScopedEntry, ScopedSet, Set};
use foldhash::{HashMap, HashMapExt};
use robomaton_formats::layout::Section;
use robomaton_formats::policy::{self, CRAWL, NO_TAG, PolicyView, ScopedView, USAGES, is_scoped, read_list};
use robomaton_formats::program::PADDING;
use robomaton_formats::reach::Reach;
use robomaton_formats::read::View;
use robomaton_formats::{DocumentId, NoRules, Profile, ProgramAt, ScopeAt, SetRef, SiteEntry, UsageId};

/// An image from which documents are extracted.
#[derive(Debug)]
pub(crate) struct Extractor<'i> {
    view: View<'i>,
    profile: Profile,
    usages: Vec<String>,
    reach: Reach,
}

impl<'i> Extractor<'i> {
    /// Finds the offsets of all parts, in time linear in the image.
    pub(crate) fn new(view: View<'i>) -> Extractor<'i> {
        Extractor {
            view,
            profile: view.layout().profile,
            usages: view.usages().collect(),
            reach: Reach::of(view),
        }
    }

    /// The image.
    pub(crate) fn view(&self) -> View<'i> {
        self.view
    }

    /// The outcome of the fetch, if the site entry states one.
    pub(crate) fn no_rules(&self, entry: SiteEntry) -> Option<NoRules> {
        match entry {
            SiteEntry::Program(_) => None,
            SiteEntry::NoRules(no_rules) => Some(no_rules),
            SiteEntry::Policy(at) => PolicyView::read(self.view.policy(at)?)?.no_rules(),
        }
    }

    /// The document of a site, by its entry and id. `None` if the image is damaged here.
    pub(crate) fn document(&self, entry: SiteEntry, id: DocumentId) -> Option<Document> {
        let mut extraction =
            Extraction { of: self, document: self.names(entry)?, scope: None, programs: HashMap::new() };
        match entry {
            SiteEntry::NoRules(_) => {}
            SiteEntry::Program(at) => {
                let program = extraction.program(at)?;
                extraction.document.sets.push(Set::Ranked(vec![(CRAWL, program)]));
            }
            SiteEntry::Policy(at) => {
                let policy = PolicyView::read(self.view.policy(at)?)?;
                let sets: Vec<SetRef> = policy.sets().collect();
                for &set in &sets {
                    let set = extraction.set(set, &sets)?;
                    extraction.document.sets.push(set);
                }
                for (number, at) in policy.preferences().enumerate() {
                    let sets = PolicyView::read(self.view.policy(at)?)?.sets();
                    let sets = sets.map(|set| extraction.preferences(set)).collect::<Option<_>>()?;
                    extraction.document.preferences.get_mut(number)?.sets = sets;
                }
            }
        }
        Some(Document {
            detail: self.view.detail_bytes(id)?.to_vec(),
            source: self.view.frame(id)?.to_vec(),
            ..extraction.document
        })
    }

    /// A document with names only, which `emit` needs in advance.
    pub(crate) fn names(&self, entry: SiteEntry) -> Option<Document> {
        let mut document = Document { profile: self.profile, ..Document::default() };
        match entry {
            SiteEntry::NoRules(_) => {}
            SiteEntry::Program(_) => document.default = Some(0),
            SiteEntry::Policy(at) => {
                let policy = PolicyView::read(self.view.policy(at)?)?;
                if policy.is_by_substring() {
                    document.profile = Profile::Koster;
                }
                (document.crawlers, document.default) = self.crawlers(&policy)?;
                for at in policy.preferences() {
                    let policy = PolicyView::read(self.view.policy(at)?)?;
                    let (crawlers, default) = self.crawlers(&policy)?;
                    let additive = policy.is_additive();
                    let sets = Vec::new();
                    document.preferences.push(PreferenceSets { additive, crawlers, default, sets });
                }
                let mut own: Vec<UsageId> = Vec::new();
                for list in policy.sets().filter_map(SetRef::list) {
                    let list = self.view.list(list)?;
                    let usages: Vec<UsageId> = if is_scoped(list) {
                        ScopedView::read(list)?.entries().map(|entry| entry.usage).collect()
                    } else {
                        read_list(list)?.map(|entry| entry.usage).collect()
                    };
                    own.extend(usages.into_iter().filter(|usage| usage.index() >= USAGES.len()));
                }
                own.sort_unstable();
                own.dedup();
                for usage in own {
                    document.usages.push(self.usages.get(usage.index())?.clone());
                }
            }
        }
        Some(document)
    }

    /// The crawlers of a policy with the numbers of their sets, and the number of the default set.
    fn crawlers(&self, policy: &PolicyView<'_>) -> Option<Addressees> {
        let mut crawlers = Vec::with_capacity(policy.len());
        for index in 0..policy.len() {
            let name = std::str::from_utf8(self.view.crawler(policy.crawler(index)?)?).ok()?;
            crawlers.push((name.to_owned(), policy.set_number(index)?));
        }
        let default = if policy.has_default() { Some(policy.set_number(policy.len())?) } else { None };
        Some((crawlers, default))
    }
}

/// Named crawlers with the numbers of their sets, and the number of the default set.
type Addressees = (Vec<(String, usize)>, Option<usize>);

/// A document under construction.
struct Extraction<'r, 'i> {
    of: &'r Extractor<'i>,
    document: Document,
    /// The scope of all its lists.
    scope: Option<ScopeAt>,
    /// The numbers of programs, by offset.
    programs: HashMap<ProgramAt, usize>,
}

impl Extraction<'_, '_> {
    /// The number of the program at this offset. It ends where the next begins.
    fn program(&mut self, at: ProgramAt) -> Option<usize> {
        if let Some(&number) = self.programs.get(&at) {
            return Some(number);
        }
        let section = self.of.view.section(Section::Programs);
        let behind = next(&self.of.reach.programs, at).map(ProgramAt::index);
        let end = behind.unwrap_or(section.len().checked_sub(PADDING)?);
        let start = self.document.code.len();
        self.document.code.extend_from_slice(section.get(at.index()..end)?);
        self.document.programs.push(start..self.document.code.len());
        self.programs.insert(at, self.document.programs.len() - 1);
        Some(self.document.programs.len() - 1)
    }

    /// Extracts a set, one of `sets`.
    fn set(&mut self, set: SetRef, sets: &[SetRef]) -> Option<Set> {
        let at = match set {
            SetRef::Program(at) => return Some(Set::Ranked(vec![(CRAWL, self.program(at)?)])),
            SetRef::List(at) => at,
        };
        let list = self.of.view.list(at)?;
        if is_scoped(list) {
            return Some(Set::Scoped(self.scoped(&ScopedView::read(list)?, sets)?));
        }
        let mut entries = Vec::new();
        for policy::Entry { usage, tag, program } in read_list(list)? {
            if tag != NO_TAG {
                return None;
            }
            entries.push((self.usage(usage)?, self.program(program)?));
        }
        Some(Set::Ranked(entries))
    }

    /// Extracts a set of preferences.
    fn preferences(&mut self, set: SetRef) -> Option<Vec<PreferenceEntry>> {
        let entries = read_list(self.of.view.list(set.list()?)?)?;
        let entry = |policy::Entry { usage, tag, program }: policy::Entry| {
            Some(PreferenceEntry { usage: self.usage(usage)?, tag, program: self.program(program)? })
        };
        entries.map(entry).collect()
    }

    /// The number in the document of a usage, given its number in the image.
    fn usage(&self, usage: UsageId) -> Option<u16> {
        if usage.index() < USAGES.len() {
            return u16::try_from(usage.get()).ok();
        }
        let name = self.of.usages.get(usage.index())?;
        let own = self.document.usages.binary_search_by(|own| own.as_str().cmp(name)).ok()?;
        u16::try_from(USAGES.len() + own).ok()
    }

    fn scoped(&mut self, list: &ScopedView<'_>, sets: &[SetRef]) -> Option<ScopedSet> {
        let view = self.of.view;
        if self.document.scope.is_empty() {
            let section = view.section(Section::Scopes);
            let end = next(&self.of.reach.scopes, list.scope).map_or(section.len(), ScopeAt::index);
            self.document.scope = section.get(list.scope.index()..end)?.to_vec();
            self.scope = Some(list.scope);
        }
        if self.scope != Some(list.scope) {
            return None;
        }
        let mut entries = Vec::with_capacity(list.len());
        for policy::ScopedEntry { role, usage, purpose, program } in list.entries() {
            let usage = self.usage(usage)?;
            let purpose = match purpose {
                None => 0,
                Some(at) => {
                    let text = view.purpose(at)?;
                    let known = self.document.purposes.iter().position(|known| known == text);
                    let number = known.unwrap_or_else(|| {
                        self.document.purposes.push(text.to_vec());
                        self.document.purposes.len() - 1
                    });
                    u16::try_from(number + 1).ok()?
                }
            };
            let program = self.program(program)?;
            entries.push(ScopedEntry { role, usage, purpose, program });
        }
        let rest = match list.rest {
            // A scoped set leads to one of those before it, which are extracted already.
            Some(rest) => {
                let number = sets.iter().position(|&set| set == SetRef::List(rest))?;
                let Set::Scoped(_) = self.document.sets.get(number)? else { return None };
                Some(number)
            }
            None => None,
        };
        let ScopedView { incomplete, own, permits, pages, .. } = *list;
        Some(ScopedSet { incomplete, own, permits, pages, entries, rest })
    }
}

/// The first of these ascending offsets after `at`.
fn next<T: Copy + Ord>(offsets: &[T], at: T) -> Option<T> {
    offsets.get(offsets.partition_point(|&offset| offset <= at)).copied()
}
