//! Last pass: the documents of many sites → one image.
//!
//! Equal documents, policies, lists, programs and names are stored once. Numbers and offsets are
//! assigned in site order, so the same captures in any order, compiled by any number of threads,
//! give the same bytes. [`emit`] takes documents in memory. An [`Emitter`] requests each document
//! when it is needed, and keeps only a hash and an offset of the stored data. This file knows
//! neither texts nor precedence; `formats::write` lays out the bytes.

use crate::Options;
use crate::document::{Document, decode_names};
use crate::programs::{PreferenceEntry, PreferenceSets, ScopedSet, Set};
use foldhash::{HashMap, HashMapExt, HashSet};
use robomaton_formats::detail::Meta;
use robomaton_formats::layout::Section;
use robomaton_formats::policy::{self, CRAWL, NO_TAG, USAGES};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::push_varint;
use robomaton_formats::write::{self, Spool, Writer};
use robomaton_formats::{
    CrawlerId, ImageError, ListAt, NoRules, Outcome, PolicyAt, Profile, ProgramAt, PurposeAt, ScopeAt,
    SetRef, SiteEntry, SiteKey, UsageId, WriteError,
};
use std::borrow::Cow;
use std::collections::hash_map::Entry as Slot;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use xxhash_rust::xxh3::Xxh3;

/// A site and its fetch.
#[derive(Clone, Debug)]
pub struct Entry<D> {
    /// Scheme, host and port.
    pub site: SiteKey,
    /// The outcome of the fetch.
    pub outcome: Outcome,
    /// The HTTP status; 0 if there was none.
    pub status: u16,
    /// Unix seconds; 0 if unknown.
    pub fetched_at: u64,
    /// The freshness lifetime in seconds, if the capture states one.
    pub fresh_for: Option<u32>,
    /// The text's document, if there was a text: for [`emit`] the document itself, which entries
    /// with the same text share; for an [`Emitter`] its number.
    pub document: Option<D>,
}

impl<'d> Entry<&'d Document> {
    /// A site whose robots.txt was fetched with status 200 at an unknown time.
    pub fn fetched(site: SiteKey, document: &'d Document) -> Entry<&'d Document> {
        let outcome = document.outcome;
        Entry { site, outcome, status: 200, fetched_at: 0, fresh_for: None, document: Some(document) }
    }
}

/// Makes the image of these sites. If a site has several entries, the last one counts.
///
/// # Errors
/// [`ImageError::TooLarge`] if the contents do not fit the format.
pub fn emit(mut entries: Vec<Entry<&Document>>, options: &Options) -> Result<Vec<u8>, ImageError> {
    entries.sort_by(|a, b| a.site.cmp(&b.site));
    entries.reverse();
    entries.dedup_by(|later, kept| later.site == kept.site);
    entries.reverse();
    let mut numbers: HashMap<*const Document, usize> = HashMap::new();
    let (mut documents, mut names) = (Vec::new(), Names::default());
    for document in entries.iter().filter_map(|entry| entry.document) {
        numbers.entry(document).or_insert_with(|| {
            names.add(document);
            documents.push(document);
            documents.len() - 1
        });
    }
    let whole = || -> Result<Vec<u8>, WriteError> {
        let mut emitter = Emitter::new(names, || Ok(Vec::new()))?;
        for Entry { site, outcome, status, fetched_at, fresh_for, document } in entries {
            let document = document.map(|document| numbers[&std::ptr::from_ref(document)]);
            let entry = Entry { site, outcome, status, fetched_at, fresh_for, document };
            emitter.push(entry, |number| Ok(Cow::Borrowed(documents[number])))?;
        }
        let mut image = Vec::new();
        emitter.finish(Provenance::of(options), &mut image)?;
        Ok(image)
    };
    whole().map_err(WriteError::in_memory)
}

/// The names in all documents of an image. They are numbered before the first document is stored.
#[derive(Clone, Debug, Default)]
pub struct Names {
    crawlers: HashSet<String>,
    usages: HashSet<String>,
}

impl Names {
    /// Adds the names of a document.
    pub fn add(&mut self, document: &Document) {
        let of_preferences = document.preferences.iter().flat_map(|policy| &policy.crawlers);
        let crawlers = document.crawlers.iter().chain(of_preferences).map(|(name, _)| name.as_str());
        self.extend(crawlers, document.usages.iter().map(String::as_str));
    }

    /// Adds the names at the start of an encoded document; `None` if they cannot be decoded.
    pub fn add_encoded(&mut self, bytes: &[u8]) -> Option<()> {
        let (crawlers, usages) = decode_names(bytes)?;
        self.extend(crawlers, usages.into_iter());
        Some(())
    }

    fn extend<'n>(&mut self, crawlers: impl Iterator<Item = &'n str>, usages: impl Iterator<Item = &'n str>) {
        crawlers.for_each(|name| insert(&mut self.crawlers, name));
        usages.for_each(|name| insert(&mut self.usages, name));
    }
}

/// Most names are already in the set.
fn insert(names: &mut HashSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
    }
}

fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort_unstable();
    names
}

/// A growing image, site by site.
pub struct Emitter<S> {
    writer: Writer<S>,
    /// The ids of crawler names, which ascend with the names.
    crawlers: HashMap<String, CrawlerId>,
    /// Names of usages without a standard number, ascending. Their numbers continue after
    /// [`USAGES`].
    usages: Vec<String>,
    /// Site entries, by document number and outcome of the fetch.
    entries: HashMap<(usize, Option<NoRules>), SiteEntry>,
    /// The number in the image of each stored document.
    numbers: HashMap<usize, u32>,
    seen: Seen,
}

/// The data of an image about itself.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The profile.
    pub profile: Profile,
    /// The crawlers to which the image is restricted; empty if it holds all.
    pub crawlers: Vec<String>,
    /// The limits in force, by name.
    pub limits: Vec<(String, u64)>,
    /// The optional tables and control tokens that counted ([`Options::vocabulary`]).
    pub vocabulary: Vec<String>,
    /// The number of this shard and of the last one.
    pub shard: (u8, u8),
}

impl Provenance {
    /// The provenance of a whole image compiled with these options.
    pub fn of(options: &Options) -> Provenance {
        Provenance {
            profile: options.profile,
            crawlers: options.crawlers.clone(),
            limits: options.limits.named(options.profile),
            vocabulary: options.vocabulary(),
            shard: (0, 0),
        }
    }
}

impl<S: Spool> Emitter<S> {
    /// Starts an image with the names of all documents; `spool` creates the store for each section.
    ///
    /// # Errors
    /// If `spool` fails.
    pub fn new(names: Names, spool: impl FnMut() -> io::Result<S>) -> io::Result<Emitter<S>> {
        Ok(Emitter {
            writer: Writer::new(spool)?,
            crawlers: sorted(names.crawlers).into_iter().zip((0..).map(CrawlerId::new)).collect(),
            usages: sorted(names.usages),
            entries: HashMap::new(),
            numbers: HashMap::new(),
            seen: Seen::default(),
        })
    }

    /// Adds a site. Sites must be pushed in key order, each once. `load` returns a document by its
    /// number and is called when the first site needs it.
    ///
    /// # Errors
    /// [`ImageError::TooLarge`] if a section is full, and errors of `load` and the spools.
    pub fn push<'d>(
        &mut self,
        entry: Entry<usize>,
        load: impl FnOnce(usize) -> io::Result<Cow<'d, Document>>,
    ) -> Result<(), WriteError> {
        let Entry { site: key, outcome, status, fetched_at, fresh_for, document } = entry;
        let no_rules = (outcome != Outcome::Rules).then_some(NoRules { outcome, status });
        let (entry, document) = match document {
            None => (self.entry(None, no_rules)?, None),
            Some(number) => {
                let known = self.entries.get(&(number, no_rules)).zip(self.numbers.get(&number));
                let (entry, stored) = match known {
                    Some((&entry, &stored)) => (entry, stored),
                    None => {
                        let document = load(number)?;
                        let entry = self.entry(Some(&document), no_rules)?;
                        let stored = self.store_document(&document)?;
                        self.entries.insert((number, no_rules), entry);
                        self.numbers.insert(number, stored);
                        (entry, stored)
                    }
                };
                (entry, Some(stored))
            }
        };
        self.writer.push_site(write::Site { key, entry, status, document, fetched_at, fresh_for });
        Ok(())
    }

    /// Writes the image.
    ///
    /// # Errors
    /// [`ImageError::TooLarge`] if a section is full, and errors of the spools and `out`.
    pub fn finish(self, provenance: Provenance, out: &mut dyn io::Write) -> Result<(), WriteError> {
        let Provenance { profile, crawlers, limits, vocabulary, shard } = provenance;
        let frame = write::Frame {
            profile,
            crawlers: sorted(self.crawlers.into_keys()),
            usages: USAGES.map(str::to_owned).into_iter().chain(self.usages).collect(),
            meta: Meta {
                generator: concat!("robomaton ", env!("CARGO_PKG_VERSION")).to_owned(),
                crawlers,
                limits,
                vocabulary,
            },
            shard,
        };
        self.writer.finish(&frame, out)
    }

    /// Stores the policy of a document that has sets, and returns the entry of its site. Without a
    /// robots.txt, a document may still have sets, for pages.
    fn entry(
        &mut self,
        document: Option<&Document>,
        no_rules: Option<NoRules>,
    ) -> Result<SiteEntry, WriteError> {
        let speaks = |document: &&Document| {
            let is_silent = document.crawlers.is_empty() && document.default.is_none();
            !is_silent || !document.preferences.is_empty()
        };
        let policy = match (document.filter(speaks), no_rules) {
            (None, Some(no_rules)) => return Ok(SiteEntry::NoRules(no_rules)),
            (None, None) => policy::Policy::default(),
            (Some(document), no_rules) => policy::Policy { no_rules, ..self.policy(document)? },
        };
        if let Some(program) = policy.as_program() {
            return Ok(program);
        }
        let mut bytes = Vec::new();
        policy.encode(&mut bytes);
        Ok(SiteEntry::Policy(PolicyAt::new(self.store(Section::Policies, &bytes)?)))
    }

    /// Stores everything that a document's policy leads to, in the order in which its sets name it,
    /// so that an image can be taken apart and reassembled. Returns the policy.
    fn policy(&mut self, document: &Document) -> Result<policy::Policy, WriteError> {
        let programs = &mut Programs { document, stored: vec![None; document.programs.len()] };
        let is_scoped = !document.scope.is_empty();
        let scope = if is_scoped { self.store(Section::Scopes, &document.scope)? } else { 0 };
        let scope = ScopeAt::new(scope);
        // A set comes after the sets that it refers to.
        let mut sets = Vec::with_capacity(document.sets.len());
        for set in &document.sets {
            let stored = match set {
                Set::Ranked(entries) => self.ranked(entries, programs)?,
                Set::Scoped(set) => self.scoped(set, scope, &sets, programs)?,
            };
            sets.push(stored);
        }
        let mut preferences = Vec::with_capacity(document.preferences.len());
        for of in &document.preferences {
            preferences.push(self.preferences(of, programs)?);
        }
        let mut crawlers = self.numbers(&document.crawlers);
        let by_substring = document.profile.agent_rule() == AgentRule::Substring;
        if !by_substring {
            crawlers.sort_unstable();
        }
        let default = document.default;
        Ok(policy::Policy { crawlers, default, sets, by_substring, preferences, ..policy::Policy::default() })
    }

    /// The ids of crawlers, with the numbers of their sets.
    fn numbers(&self, crawlers: &[(String, usize)]) -> Vec<(CrawlerId, usize)> {
        let number =
            |name| *self.crawlers.get(name).expect("the names of all documents are given beforehand");
        crawlers.iter().map(|(name, set)| (number(name), *set)).collect()
    }

    /// Stores a policy of preferences.
    fn preferences(
        &mut self,
        of: &PreferenceSets,
        programs: &mut Programs<'_>,
    ) -> Result<PolicyAt, WriteError> {
        let mut sets = Vec::with_capacity(of.sets.len());
        for set in &of.sets {
            let mut entries = Vec::with_capacity(set.len());
            for &PreferenceEntry { usage, tag, program } in set {
                let program = self.program(programs, program)?;
                entries.push(policy::Entry { usage: UsageId::from(usage), tag, program });
            }
            let mut list = Vec::new();
            policy::encode_list(&mut list, &entries);
            sets.push(SetRef::List(ListAt::new(self.store(Section::Lists, &list)?)));
        }
        let crawlers = self.numbers(&of.crawlers);
        let (default, additive) = (of.default, of.additive);
        let policy = policy::Policy { crawlers, default, sets, additive, ..policy::Policy::default() };
        let mut bytes = Vec::new();
        policy.encode(&mut bytes);
        Ok(PolicyAt::new(self.store(Section::Policies, &bytes)?))
    }

    /// Stores a document's details and text and returns its number.
    fn store_document(&mut self, document: &Document) -> Result<u32, WriteError> {
        let (detail, source) = (&document.detail, &document.source);
        // The length separates the two.
        match self.seen.entry(Section::Documents, &[&(detail.len() as u64).to_le_bytes(), detail, source]) {
            Slot::Occupied(known) => Ok(*known.get()),
            Slot::Vacant(slot) => Ok(*slot.insert(self.writer.push_document(detail, source)?)),
        }
    }

    /// Stores the list of a ranked set, unless the set is a single program, and returns the set.
    fn ranked(&mut self, set: &[(u16, usize)], programs: &mut Programs<'_>) -> Result<SetRef, WriteError> {
        if let [(CRAWL, program)] = *set {
            return self.program(programs, program).map(SetRef::Program);
        }
        let mut entries = Vec::with_capacity(set.len());
        for &(usage, program) in set {
            let usage = self.usage(programs.document, usage);
            if usage.get() > u32::from(u16::MAX) {
                return Err(ImageError::TooLarge("names of usages").into());
            }
            let program = self.program(programs, program)?;
            entries.push(policy::Entry { usage, tag: NO_TAG, program });
        }
        // Usages that only this document names have other numbers in the image.
        entries.sort_by_key(|entry| entry.usage);
        let mut list = Vec::new();
        policy::encode_list(&mut list, &entries);
        Ok(SetRef::List(ListAt::new(self.store(Section::Lists, &list)?)))
    }

    /// Stores the list of a scoped set and returns the set. `sets` are the sets before it.
    fn scoped(
        &mut self,
        set: &ScopedSet,
        scope: ScopeAt,
        sets: &[SetRef],
        programs: &mut Programs<'_>,
    ) -> Result<SetRef, WriteError> {
        let document = programs.document;
        let mut entries = Vec::with_capacity(set.entries.len());
        for entry in &set.entries {
            let purpose = match usize::from(entry.purpose).checked_sub(1) {
                None => None,
                Some(at) => {
                    let text = &document.purposes[at];
                    let mut purpose = Vec::with_capacity(text.len() + 2);
                    push_varint(&mut purpose, text.len() as u32);
                    purpose.extend_from_slice(text);
                    Some(PurposeAt::new(self.store(Section::Purposes, &purpose)?))
                }
            };
            let usage = self.usage(document, entry.usage);
            let program = self.program(programs, entry.program)?;
            entries.push(policy::ScopedEntry { role: entry.role, usage, purpose, program });
        }
        let rest = set.rest.map(|rest| sets[rest].list().expect("a scoped set leads to another"));
        let mut list = Vec::new();
        let ScopedSet { incomplete, own, permits, pages, .. } = *set;
        policy::ScopedList { incomplete, own, permits, pages, scope, rest, entries }.encode(&mut list);
        Ok(SetRef::List(ListAt::new(self.store(Section::Lists, &list)?)))
    }

    /// The id in the image of a usage, given its number in the document.
    fn usage(&self, document: &Document, usage: u16) -> UsageId {
        let Some(own) = usize::from(usage).checked_sub(USAGES.len()) else { return UsageId::from(usage) };
        let number = self.usages.binary_search(&document.usages[own]);
        let number = number.expect("the names of all documents are given beforehand");
        UsageId::new((USAGES.len() + number) as u32)
    }

    /// Stores a program and returns its offset.
    fn program(&mut self, programs: &mut Programs<'_>, program: usize) -> Result<ProgramAt, WriteError> {
        let Programs { document, stored } = programs;
        if let Some(at) = stored[program] {
            return Ok(at);
        }
        let code = &document.code[document.programs[program].clone()];
        let at = ProgramAt::new(self.store(Section::Programs, code)?);
        stored[program] = Some(at);
        Ok(at)
    }

    /// Appends bytes to a section once and returns their offset.
    fn store(&mut self, section: Section, bytes: &[u8]) -> Result<u32, WriteError> {
        match self.seen.entry(section, &[bytes]) {
            Slot::Occupied(known) => Ok(*known.get()),
            Slot::Vacant(slot) => Ok(*slot.insert(self.writer.push(section, bytes)?)),
        }
    }
}

/// The programs of a document and their offsets. A large program may be in many sets.
struct Programs<'d> {
    document: &'d Document,
    stored: Vec<Option<ProgramAt>>,
}

/// The offsets of all stored data, by hash. The seed is random in each run, so that no text can be
/// crafted to collide with another; the image does not depend on it.
struct Seen {
    seed: u64,
    known: HashMap<u128, u32>,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { seed: RandomState::new().build_hasher().finish(), known: HashMap::new() }
    }
}

impl Seen {
    fn entry(&mut self, section: Section, parts: &[&[u8]]) -> Slot<'_, u128, u32> {
        let mut hash = Xxh3::with_seed(self.seed.wrapping_add(section as u64));
        parts.iter().for_each(|part| hash.update(part));
        self.known.entry(hash.digest128())
    }
}
