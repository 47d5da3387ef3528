//! Preferences under construction: languages state them, in the open group of robots.txt, before
//! all groups, or for everyone.
//!
//! Invariants: a text without a statement has no source; within a source, groups are in file order;
//! beyond [`crate::Limits::statements`], a language's usages are unread, and crawl rules stay as
//! they are. This file does not know the meaning of a statement.

use super::Lowering;
use crate::context::{CompileContext, License};
use crate::licenses::Weighed;
use crate::limits::REFERENCE;
use crate::policy::Policy;
use robomaton_formats::Notation;
use robomaton_formats::detail::Bytes;
use robomaton_formats::policy::Role;
use robomaton_formats::preference::{Carrier, Effect, Group, Language, Record, Source, Statement};
use robomaton_formats::site::absolute_url;
use robomaton_formats::usage::with_parts;
use robomaton_grammar::modern::rsl::rsl;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The statements collected so far.
#[derive(Default)]
pub(super) struct Preferences<'s> {
    /// Statements of the open group.
    open: Group<'s>,
    /// Statements of closed groups.
    groups: HashMap<GroupPlace, Group<'s>>,
    /// Statements before all groups.
    fallback: Group<'s>,
    /// Statements that do not depend on the groups of robots.txt.
    everyone: Vec<Group<'s>>,
    /// The indexes of these groups, by their crawlers.
    everyone_of: HashMap<Vec<String>, usize>,
    /// The numbers of the policy's files.
    files: HashMap<String, u16>,
    /// The comparisons of pages with patterns.
    comparisons: usize,
    /// Sources with groups of their own.
    others: Vec<Source<'s>>,
    /// The number of records.
    count: usize,
    /// The groups in which a language has records beyond the limit.
    unread: HashSet<(Place, Language, u16)>,
    /// The next number for a set of its own.
    sets: u16,
}

/// The RSL documents that a text or its pages may name; `None` for one that is not conformant.
#[derive(Default)]
pub(crate) struct Documents(HashMap<String, Option<Weighed>>);

const DAY: u64 = 86_400;

impl Documents {
    /// The document at a URL, if it is at hand and conformant.
    pub(crate) fn get(&self, url: &str) -> Option<&Weighed> {
        self.0.get(&absolute_url(url)?)?.as_ref()
    }
}

/// Parses the documents of a context: those with a time, and other files with a URL.
pub(crate) fn documents(context: &CompileContext<'_, '_>) -> Documents {
    let others = context.files.iter().filter(|(url, _)| !url.starts_with('/'));
    let others = others.map(|&(url, xml)| License { url, xml, fetched_at: 0 });
    let parsed = |license: &License<'_>| {
        let document = rsl(license.xml).ok()?;
        let life = u64::from(document.max_age_days).saturating_mul(DAY);
        let end = if license.fetched_at == 0 { 0 } else { license.fetched_at.saturating_add(life) };
        Some(Weighed::new(document, end))
    };
    let all = others.chain(context.licenses.iter().copied());
    Documents(all.filter_map(|license| Some((absolute_url(license.url)?, parsed(&license)))).collect())
}

/// The place where a statement is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The open group of robots.txt, or its start if no group is open.
    Groups,
    /// The group with this number that [`Lowering::everyone`] returned.
    Everyone(usize),
}

/// Where a group of a text begins: the number of its file, and its line. Groups are moved and
/// dropped while a text is lowered, and keep this.
pub(crate) type GroupPlace = (u16, u32);

/// The group of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// Before all groups.
    Fallback,
    Group(GroupPlace),
    Everyone(usize),
}

/// What a record says about a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// The usage.
    pub(crate) usage: u16,
    /// The effect.
    pub(crate) effect: Effect,
    /// The rank in its set.
    pub(crate) rank: u32,
    /// The conditions: an index into [`Policy::conditions`] plus one; 0 for none.
    pub(crate) conditions: u32,
}

/// The set of statements of a language in a carrier, all of which compete.
pub(crate) const fn set_of(language: Language, carrier: Carrier) -> u16 {
    assert!((carrier as u16) < UNREAD, "its statements would compete with what could not be read");
    language as u16 * 8 + carrier as u16
}

/// A number beyond those of all carriers.
const UNREAD: u16 = 7;

/// The set of what could not be read of a language. Nothing competes with it.
pub(crate) const fn unread_of(language: Language) -> u16 {
    language as u16 * 8 + UNREAD
}

/// The numbers of the sets for the documents that one page names; further ones share the last.
pub(crate) const PAGE_SETS: u16 = Language::ALL.len() as u16 * 8;
pub(crate) const PAGE_DOCUMENTS: u16 = 64;

/// The maximum number of comparisons of pages with the patterns of documents about them.
const COMPARISONS: usize = 1 << 20;

/// A record counts once more for each whole block of so many bytes of its pattern and its text.
const BYTES_OF_RECORD: usize = 1024;

/// A file that a statement is of counts as one more for each whole block of so many bytes of its
/// name.
const BYTES_OF_FILE: usize = 256;

/// A suspended refusal is copied for the crawlers of its group if they are at most this many;
/// otherwise it is for all. Copies of a group that grows with each line would take quadratic time.
const FEW_NAMES: usize = 16;

/// The first number for sets of their own.
const OWN_SETS: u16 = PAGE_SETS + PAGE_DOCUMENTS;

impl<'s> Lowering<'s, '_> {
    /// Adds a record and what it says. Of a file that robots.txt refers to, what stands before all
    /// groups is ignored (decision 23). While only refusals count, these are added to what the
    /// groups say, for the crawlers of the open group.
    pub(crate) fn state(
        &mut self,
        scope: Scope,
        record: Record<'s>,
        set: u16,
        said: impl IntoIterator<Item = Said>,
    ) {
        if !self.only_refusals {
            return self.add(scope, record, set, said);
        }
        let may_refuse = |said: &Said| !matches!(said.effect, Effect::Permitted | Effect::Unstated);
        let refusals: Vec<Said> = said.into_iter().filter(may_refuse).collect();
        if refusals.is_empty() {
            return;
        }
        // The groups of another file are for the crawlers of a record, which are not known yet.
        let scope = if self.file == 0 { Scope::Everyone(self.everyone(&self.addressed())) } else { scope };
        self.add(scope, record, set, refusals);
    }

    /// The crawlers of the open group, in lower case; none, which is all, if it is for all, names
    /// many, or no group is open.
    fn addressed(&self) -> Vec<String> {
        let open = self.open.as_ref();
        let named = open.filter(|group| !group.is_default() && group.agents.len() <= FEW_NAMES);
        named.into_iter().flat_map(|group| group.names()).map(str::to_ascii_lowercase).collect()
    }

    fn add(&mut self, scope: Scope, mut record: Record<'s>, set: u16, said: impl IntoIterator<Item = Said>) {
        let place = match (scope, &self.open) {
            (Scope::Everyone(group), _) => Place::Everyone(group),
            (Scope::Groups, Some(open)) => Place::Group((open.file, open.line)),
            (Scope::Groups, None) if self.file != 0 => return,
            (Scope::Groups, None) => Place::Fallback,
        };
        if scope == Scope::Groups && record.file == 0 {
            record.file = self.file;
        }
        let is_within =
            self.has_room_for_statements() && record.pattern.0.len() <= self.options.limits.pattern;
        // A document states its patterns and texts once for each group and page that names it.
        let blocks = (record.pattern.0.len() + record.text.len()) / BYTES_OF_RECORD;
        let preferences = &mut self.preferences;
        preferences.count += 1 + blocks;
        let group = match place {
            Place::Fallback => &mut preferences.fallback,
            Place::Group(_) => &mut preferences.open,
            Place::Everyone(group) => &mut preferences.everyone[group],
        };
        let at = group.records.len() as u32;
        if is_within {
            group.records.push(record);
            group.statements.extend(said.into_iter().map(|Said { usage, effect, rank, conditions }| {
                Statement { record: at, usage, set, rank, effect, conditions }
            }));
            return;
        }
        // Beyond the limit, each usage is unread, and said so once.
        let (language, known) = (record.language, group.statements.len());
        let is_new = |said: &Said| preferences.unread.insert((place, language, said.usage));
        let unread_of = |Said { usage, .. }| Statement {
            record: at,
            usage,
            set: unread_of(language),
            rank: 1,
            effect: Effect::Unread,
            conditions: 0,
        };
        group.statements.extend(said.into_iter().filter(is_new).map(unread_of));
        if group.statements.len() > known {
            group.records.push(unread(record));
        }
    }

    /// False if the next record is beyond the limit on statements.
    pub(crate) fn has_room_for_statements(&self) -> bool {
        self.preferences.count < self.options.limits.statements
    }

    /// The statements about these usages in closed groups: the record of each, its set, and what it
    /// says.
    pub(crate) fn stated_in(&self, groups: &[GroupPlace], usages: &[u16]) -> Vec<(Record<'s>, u16, Said)> {
        let closed = groups.iter().filter_map(|place| self.preferences.groups.get(place));
        let stated = closed.flat_map(|group| group.statements.iter().map(move |of| (group, of)));
        let stated = stated.filter(|(_, of)| usages.contains(&of.usage));
        let copy = |(group, of): (&Group<'s>, &Statement)| {
            let &Statement { record, usage, set, rank, effect, conditions } = of;
            let record = group.records.get(record as usize)?.clone();
            Some((record, set, Said { usage, effect, rank, conditions }))
        };
        stated.filter_map(copy).collect()
    }

    /// A group for crawlers (lower case; empty for all) whose statements count beside robots.txt.
    /// Beyond the limit on statements, what is said to some is unread for all: nothing else limits
    /// the names.
    pub(crate) fn everyone(&mut self, crawlers: &[String]) -> usize {
        let crawlers = if self.has_room_for_statements() { crawlers } else { &[] };
        let Preferences { everyone, everyone_of, .. } = &mut self.preferences;
        if let Some(&known) = everyone_of.get(crawlers) {
            return known;
        }
        let default = crawlers.is_empty();
        everyone.push(Group { crawlers: crawlers.to_vec(), default, ..Group::default() });
        everyone_of.insert(crawlers.to_vec(), everyone.len() - 1);
        everyone.len() - 1
    }

    /// The number of a file of the policy, its index plus one; the file is added if need be.
    pub(crate) fn file_number(&mut self, name: &str) -> u16 {
        match self.preferences.files.get(name) {
            Some(&number) => number,
            None => {
                // Each page may name documents of its own.
                self.preferences.count += name.len() / BYTES_OF_FILE;
                self.add_file(name)
            }
        }
    }

    /// Adds a file to the policy, once more if it is there: each reference has its own number.
    pub(crate) fn add_file(&mut self, name: &str) -> u16 {
        let files = &mut self.policy.files;
        files.push(shortened(name, REFERENCE).to_owned());
        // References are limited far below this.
        let number = u16::try_from(files.len()).unwrap_or(u16::MAX);
        self.preferences.files.entry(name.to_owned()).or_insert(number);
        number
    }

    /// True if so many more comparisons with pages may be made ([`crate::limits::comparisons`]).
    /// If they may not, what is said about the page is unread.
    pub(crate) fn may_compare(&mut self, count: usize) -> bool {
        let comparisons = &mut self.preferences.comparisons;
        *comparisons = comparisons.saturating_add(count);
        *comparisons <= COMPARISONS
    }

    /// Adds a source with groups of its own.
    pub(crate) fn source(&mut self, source: Source<'s>) {
        self.preferences.others.push(source);
    }

    /// A number for a set of its own.
    pub(crate) fn own_set(&mut self) -> u16 {
        let sets = &mut self.preferences.sets;
        *sets = sets.saturating_add(1);
        OWN_SETS.saturating_add(*sets - 1)
    }

    /// The open group was closed, or dropped.
    pub(super) fn close_preferences(&mut self, group: Option<GroupPlace>) {
        let open = std::mem::take(&mut self.preferences.open);
        if let Some(group) = group.filter(|_| !open.records.is_empty()) {
            self.preferences.groups.insert(group, open);
        }
    }

    /// Moves everything into the policy.
    pub(super) fn finish_preferences(&mut self) {
        let Preferences { groups, fallback, everyone, others, .. } = std::mem::take(&mut self.preferences);
        let policy = &mut self.policy;
        let everyone: Vec<_> = everyone.into_iter().filter(|group| !group.records.is_empty()).collect();
        if !everyone.is_empty() {
            policy.preferences.push(Source { additive: true, groups: everyone });
        }
        if !groups.is_empty() || !fallback.records.is_empty() {
            let groups = of_groups(policy, groups, fallback);
            policy.preferences.push(Source { additive: false, groups });
        }
        policy.preferences.extend(others);
    }
}

/// The source of the groups of robots.txt and of the files that it refers to: groups without a
/// statement have a place in it, too, since a crawler that one of them names takes nothing from the
/// others. So do the names that only ACAP records have: a crawler of that name has the default
/// groups, and not the groups of its other names.
fn of_groups<'s>(
    policy: &Policy<'s>,
    mut stated: HashMap<GroupPlace, Group<'s>>,
    fallback: Group<'s>,
) -> Vec<Group<'s>> {
    let with_role = |role| policy.groups.iter().filter(move |group| group.role == role);
    let names = |group: &crate::Group<'_>| group.names().map(str::to_ascii_lowercase).collect::<Vec<_>>();
    let of_groups: HashSet<String> = with_role(Role::Conventional).flat_map(names).collect();
    let of_records: BTreeSet<String> = with_role(Role::Field).flat_map(names).collect();
    let crawlers: Vec<String> = of_records.into_iter().filter(|name| !of_groups.contains(name)).collect();
    let mut groups = Vec::new();
    if !fallback.records.is_empty() || !crawlers.is_empty() {
        groups.push(Group { crawlers, fallback: true, ..fallback });
    }
    for group in with_role(Role::Conventional) {
        let own = stated.remove(&(group.file, group.line)).unwrap_or_default();
        groups.push(Group { crawlers: names(group), default: group.is_default(), ..own });
    }
    groups
}

/// The same record for every target, since its own pattern was not read.
fn unread(record: Record<'_>) -> Record<'_> {
    let text = match record.text {
        Cow::Borrowed(text) => Cow::Borrowed(shortened(text, QUOTED)),
        Cow::Owned(text) => Cow::Owned(shortened(&text, QUOTED).to_owned()),
    };
    Record { pattern: Bytes(Cow::Borrowed(b"/")), text, ..record }
}

/// At most this many bytes of a record that was not read are kept for quoting.
const QUOTED: usize = 256;

/// The beginning of a text: at most this many bytes of it.
pub(crate) fn shortened(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// The same effect on a usage and on all its parts.
pub(crate) fn on_parts(usage: u16, effect: Effect, rank: u32, conditions: u32) -> impl Iterator<Item = Said> {
    with_parts(usage).map(move |usage| Said { usage, effect, rank, conditions })
}

/// The canonical pattern of a path in a record, and its rank: its length in bytes. Without a path,
/// a record covers every target, at rank 0.
pub(crate) fn covered(path: Option<&[u8]>) -> (Cow<'_, [u8]>, u32) {
    match path {
        None => (Cow::Borrowed(b"/"), 0),
        Some(path) => {
            let pattern = Notation::Rep.pattern(path);
            let rank = pattern.len() as u32;
            (pattern, rank)
        }
    }
}
