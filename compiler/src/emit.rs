//! Last pass: the documents of many sites → one image.
//!
//! Everything that is equal is stored once: documents, policies, lists, programs, names. Numbers and offsets are
//! given in the order of the sites, so the same captures in any order, compiled by any number of threads, give the
//! same bytes. It knows no text and no precedence; the bytes themselves are laid out by `formats::write`.

use crate::Options;
use crate::document::{Document, ScopedSet, Set};
use robomaton_formats::detail::Meta;
use robomaton_formats::policy::{self, CRAWL, NO_PURPOSE, SET_LIST, USAGES};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::push_varint;
use robomaton_formats::write::{self, Contents, Site};
use robomaton_formats::{ImageError, NoRules, Outcome, Ruling, SiteKey};
use std::collections::HashMap;

/// A site and what was fetched for it.
#[derive(Clone, Debug)]
pub struct Entry<'d> {
    /// Scheme, host and port.
    pub site: SiteKey,
    /// What became of the fetch.
    pub outcome: Outcome,
    /// The HTTP status, 0 when there was none.
    pub status: u16,
    /// Seconds since 1970, 0 when unknown.
    pub fetched_at: u64,
    /// Seconds for which the capture said it is fresh.
    pub fresh_for: Option<u32>,
    /// The text's document, if there was a text. Entries of one text share it.
    pub document: Option<&'d Document>,
}

impl<'d> Entry<'d> {
    /// A site whose robots.txt was fetched with status 200 at an unknown time.
    pub fn fetched(site: SiteKey, document: &'d Document) -> Entry<'d> {
        let outcome = document.outcome;
        Entry { site, outcome, status: 200, fetched_at: 0, fresh_for: None, document: Some(document) }
    }
}

/// Makes the image of these sites; of several entries for one site, the last counts. `captures` goes into the
/// provenance.
///
/// # Errors
/// [`ImageError::TooLarge`] when the contents do not fit the format.
pub fn emit(mut entries: Vec<Entry<'_>>, captures: u64, options: &Options) -> Result<Vec<u8>, ImageError> {
    entries.sort_by(|a, b| a.site.cmp(&b.site));
    entries.reverse();
    entries.dedup_by(|later, kept| later.site == kept.site);
    entries.reverse();

    let mut emitter = Emitter::new(&entries);
    let mut contents = Contents {
        profile: options.profile,
        crawlers: emitter.names.clone(),
        usages: USAGES.map(str::to_owned).into_iter().chain(emitter.usages.iter().cloned()).collect(),
        meta: Meta {
            generator: concat!("robomaton ", env!("CARGO_PKG_VERSION")).to_owned(),
            captures,
            text_bytes: 0,
            crawlers: options.crawlers.clone(),
            limits: options.limits.named(options.profile),
        },
        ..Contents::default()
    };
    for entry in entries {
        let no_rules = NoRules { outcome: entry.outcome, status: entry.status };
        let no_rules = (entry.outcome != Outcome::Rules).then_some(no_rules);
        let site = Site {
            ruling: emitter.ruling(entry.document, no_rules, &mut contents),
            document: entry.document.map(|document| emitter.number(document, &mut contents)),
            key: entry.site,
            status: entry.status,
            fetched_at: entry.fetched_at,
            fresh_for: entry.fresh_for,
        };
        contents.sites.push(site);
    }
    write::write(&contents)
}

/// What has been stored already, and where.
struct Emitter {
    /// Crawler names, ascending: the position is the number.
    names: Vec<String>,
    /// Names of usages that have no number of their own, ascending: they are numbered on from [`USAGES`].
    usages: Vec<String>,
    /// Rulings by the document's address, as one address is one text, and what became of the fetch.
    rulings: HashMap<(*const Document, Option<NoRules>), Ruling>,
    /// Numbers of documents by their address.
    numbers: HashMap<*const Document, u32>,
    /// The number of a stored detail with its text.
    details: HashMap<u128, u32>,
    programs: HashMap<Vec<u8>, u32>,
    lists: HashMap<Vec<u8>, u32>,
    policies: HashMap<Vec<u8>, u32>,
    scopes: HashMap<Vec<u8>, u32>,
    purposes: HashMap<Vec<u8>, u32>,
}

impl Emitter {
    fn new(entries: &[Entry<'_>]) -> Emitter {
        let documents = || entries.iter().filter_map(|entry| entry.document);
        let distinct = |mut names: Vec<String>| {
            names.sort_unstable();
            names.dedup();
            names
        };
        let names = documents().flat_map(|d| d.crawlers.iter().map(|(name, _)| name.clone()));
        let usages = documents().flat_map(|d| d.usages.iter().cloned());
        Emitter {
            names: distinct(names.collect()),
            usages: distinct(usages.collect()),
            rulings: HashMap::new(),
            numbers: HashMap::new(),
            details: HashMap::new(),
            programs: HashMap::new(),
            lists: HashMap::new(),
            policies: HashMap::new(),
            scopes: HashMap::new(),
            purposes: HashMap::new(),
        }
    }

    /// What answers for a site: its document, if that speaks to any crawler, as pages may where there is no robots.txt.
    fn ruling(
        &mut self,
        document: Option<&Document>,
        no_rules: Option<NoRules>,
        contents: &mut Contents,
    ) -> Ruling {
        let speaks = |document: &&Document| !document.crawlers.is_empty() || document.default.is_some();
        let Some(document) = document.filter(speaks) else {
            let no_group = || self.intern(&policy::Policy::default(), contents);
            return no_rules.map_or_else(no_group, Ruling::NoRules);
        };
        let key = (std::ptr::from_ref(document), no_rules);
        if let Some(&known) = self.rulings.get(&key) {
            return known;
        }
        let policy = policy::Policy { no_rules, ..self.policy(document, contents) };
        let ruling = self.intern(&policy, contents);
        self.rulings.insert(key, ruling);
        ruling
    }

    /// The program that is all of a policy, or the policy, stored.
    fn intern(&mut self, policy: &policy::Policy, contents: &mut Contents) -> Ruling {
        policy.as_program().unwrap_or_else(|| {
            let mut bytes = Vec::new();
            policy.encode(&mut bytes);
            Ruling::Policy(store(&bytes, &mut self.policies, &mut contents.policies))
        })
    }

    /// Stores what a document's policy leads to; gives the policy.
    fn policy(&mut self, document: &Document, contents: &mut Contents) -> policy::Policy {
        let programs: Vec<u32> = document
            .programs
            .iter()
            .map(|range| store(&document.code[range.clone()], &mut self.programs, &mut contents.programs))
            .collect();
        let is_scoped = !document.scope.is_empty();
        let scope =
            if is_scoped { store(&document.scope, &mut self.scopes, &mut contents.scopes) } else { 0 };
        // A set stands behind those that it leads to.
        let mut sets = Vec::with_capacity(document.sets.len());
        for set in &document.sets {
            let word = match set {
                Set::Ranked(entries) => self.ranked(entries, &programs, contents),
                Set::Scoped(set) => self.scoped(document, set, scope, &sets, &programs, contents),
            };
            sets.push(word);
        }
        let number = |name: &String| self.names.binary_search(name).unwrap_or_default() as u32;
        let mut crawlers: Vec<_> = document.crawlers.iter().map(|(name, set)| (number(name), *set)).collect();
        let by_substring = document.profile.agent_rule() == AgentRule::Substring;
        if !by_substring {
            crawlers.sort_unstable();
        }
        policy::Policy { no_rules: None, crawlers, default: document.default, sets, by_substring }
    }

    /// Stores a document's details and text; gives its number.
    fn number(&mut self, document: &Document, contents: &mut Contents) -> u32 {
        if let Some(&known) = self.numbers.get(&std::ptr::from_ref(document)) {
            return known;
        }
        let next = contents.documents.len() as u32;
        let hash = xxhash_rust::xxh3::xxh3_128(&[&document.detail[..], &document.source].concat());
        let number = *self.details.entry(hash).or_insert(next);
        if number == next {
            contents.meta.text_bytes += document.text_length as u64;
            contents
                .documents
                .push(write::Document { detail: document.detail.clone(), source: document.source.clone() });
        }
        self.numbers.insert(document, number);
        number
    }
}

impl Emitter {
    /// Stores the list of a ranked set, unless one program is all of it; gives the set's word.
    fn ranked(&mut self, set: &[(u16, usize)], programs: &[u32], contents: &mut Contents) -> u32 {
        if let [(CRAWL, program)] = *set {
            return programs[program];
        }
        let entry = |&(usage, program): &(u16, usize)| policy::Entry {
            usage,
            purpose: NO_PURPOSE,
            program: programs[program],
        };
        let mut list = Vec::new();
        policy::encode_list(&mut list, &set.iter().map(entry).collect::<Vec<_>>());
        SET_LIST | store(&list, &mut self.lists, &mut contents.lists)
    }

    /// Stores the list of a scoped set; gives its word. `words` are those of the sets before it.
    fn scoped(
        &mut self,
        document: &Document,
        set: &ScopedSet,
        scope: u32,
        words: &[u32],
        programs: &[u32],
        contents: &mut Contents,
    ) -> u32 {
        let mut entries = Vec::with_capacity(set.entries.len());
        for entry in &set.entries {
            let purpose = match usize::from(entry.purpose).checked_sub(1) {
                None => 0,
                Some(at) => {
                    let text = &document.purposes[at];
                    let mut purpose = Vec::with_capacity(text.len() + 2);
                    push_varint(&mut purpose, text.len() as u32);
                    purpose.extend_from_slice(text);
                    store(&purpose, &mut self.purposes, &mut contents.purposes) + 1
                }
            };
            let usage = match usize::from(entry.usage).checked_sub(USAGES.len()) {
                None => u32::from(entry.usage),
                Some(own) => {
                    let number = self.usages.binary_search(&document.usages[own]).unwrap_or_default();
                    (USAGES.len() + number) as u32
                }
            };
            let program = programs[entry.program];
            entries.push(policy::ScopedEntry { role: entry.role, usage, purpose, program });
        }
        let rest = set.rest.map(|rest| words[rest] & !SET_LIST);
        let mut list = Vec::new();
        let ScopedSet { incomplete, own, permits, pages, .. } = *set;
        policy::ScopedList { incomplete, own, permits, pages, scope, rest, entries }.encode(&mut list);
        SET_LIST | store(&list, &mut self.lists, &mut contents.lists)
    }
}

/// Appends bytes to a section, once; gives their offset.
fn store(bytes: &[u8], known: &mut HashMap<Vec<u8>, u32>, section: &mut Vec<u8>) -> u32 {
    if let Some(&at) = known.get(bytes) {
        return at;
    }
    let at = section.len() as u32;
    section.extend_from_slice(bytes);
    known.insert(bytes.to_vec(), at);
    at
}
