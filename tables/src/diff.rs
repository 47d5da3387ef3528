//! The differences between two images: added and removed sites, and crawlers with more or less
//! access to the others.
//!
//! Both images store their sites in the order of their names, so they are read in parallel, and
//! only the coverages and differences of some texts are in memory. A site in both images has one
//! kind of change, the first that applies: the outcome of its fetch, permissions (rules, crawlers,
//! usages, regardless of their order and lines), what the modern languages state about usages,
//! other records, or only the text. Coverages are compared for the first three kinds, and answers
//! about usages wherever anything differs. It does not know the output format.

use crate::coverage::{AnswersKey, Coverage, answers_key};
use crate::meaning::{Said, is_same_to_all};
use crate::rows::{Subject, Subjects};
use crate::schema::Cell;
use crate::usages::ASKED;
use crate::use_changes::{UseChange, UseChanges, UsesAsked};
use crate::write::Writer;
use robomaton_formats::condition::Condition;
use robomaton_formats::detail::{Detail, Extension, Group};
use robomaton_formats::policy::Role;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::usage::{CRAWL, USAGES};
use robomaton_runtime::{Image, Outcome, Site};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;

/// The maximum size of a text in bytes. No robots.txt is longer, but a text of a damaged image may
/// be.
const LONGEST_TEXT: usize = 64 << 20;

/// The kind of change of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Only the new image has the site.
    Added,
    /// Only the old image has the site.
    Gone,
    /// The fetch had another outcome.
    Outcome,
    /// Some crawler has other permissions.
    Rules,
    /// All rules are the same; what the modern languages state about usages changed.
    Uses,
    /// All permissions are the same; other records changed.
    Records,
    /// Only spelling, order or comments changed, which matters to no crawler.
    Text,
}

impl Change {
    /// Every change.
    pub const ALL: [Change; 7] = [
        Change::Added,
        Change::Gone,
        Change::Outcome,
        Change::Rules,
        Change::Uses,
        Change::Records,
        Change::Text,
    ];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Change::Added => "added",
            Change::Gone => "gone",
            Change::Outcome => "outcome",
            Change::Rules => "rules",
            Change::Uses => "uses",
            Change::Records => "records",
            Change::Text => "text",
        }
    }
}

/// A site that differs between the images.
#[derive(Debug)]
pub struct Changed<'a> {
    /// The site, as in the tables.
    pub site: String,
    /// The kind of change.
    pub change: Change,
    /// The outcomes of its fetches, before and now.
    pub outcome: [Option<Outcome>; 2],
    /// True if the text changed; `None` unless both images have a text.
    pub text_changed: Option<bool>,
    /// The crawlers with more or less access to it, or whose access was or is unknown.
    pub access: Vec<Access<'a>>,
    /// The other answers about usages of the modern languages. Empty for added and removed sites.
    pub uses: Rc<[UseChange]>,
}

/// A crawler with more or less access to a site.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The crawler, and its usage.
    pub who: Subject<'a>,
    /// The coverage before.
    pub from: Coverage,
    /// The coverage now.
    pub to: Coverage,
}

impl Access<'_> {
    /// More or less; `None` if one of the two is unknown.
    pub fn direction(&self) -> Option<Ordering> {
        let known = |coverage: &Coverage| coverage.share != crate::coverage::Share::Unknown;
        (known(&self.from) && known(&self.to)).then(|| self.to.share.cmp(&self.from.share))
    }
}

impl Changed<'_> {
    /// The number of crawlers that may use more, or less.
    pub fn count(&self, direction: Ordering) -> usize {
        self.access.iter().filter(|access| access.direction() == Some(direction)).count()
    }

    /// Writes its row in `changes`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, changes: &mut Writer<'_>) -> io::Result<()> {
        let [from, to] = self.outcome.map(|outcome| outcome.map(Outcome::name).into());
        changes.row(&[
            Cell::from(&self.site),
            self.change.name().into(),
            from,
            to,
            self.text_changed.into(),
            self.count(Ordering::Greater).into(),
            self.count(Ordering::Less).into(),
        ])
    }

    /// Writes its rows in `uses`.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_uses(&self, uses: &mut Writer<'_>) -> io::Result<()> {
        self.uses.iter().try_for_each(|change| change.write(&self.site, uses))
    }

    /// Writes its rows in `access`.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_access(&self, access: &mut Writer<'_>) -> io::Result<()> {
        self.access.iter().try_for_each(|Access { who, from, to }| {
            access.row(&[
                Cell::from(&self.site),
                who.crawler.into(),
                who.operator(),
                who.purpose(),
                who.usage.into(),
                from.share.name().into(),
                to.share.name().into(),
                from.is_explicit().into(),
                to.is_explicit().into(),
                from.line.into(),
                to.line.into(),
            ])
        })
    }
}

/// Calls `each` for each site that differs between two images, ordered by name. Returns the number
/// of sites in both. `subjects` has the same crawlers and usages for both images; `uses` are the
/// answers about usages of the modern languages to compare.
///
/// # Errors
/// Errors of `each`.
pub fn diff<'a, D: AsRef<[u8]>, E>(
    [old, new]: [&Image<D>; 2],
    subjects: [&'a Subjects<'a>; 2],
    uses: UsesAsked<'_>,
    mut each: impl FnMut(Changed<'a>) -> Result<(), E>,
) -> Result<u64, E> {
    let mut coverages = subjects.map(Subjects::coverages);
    let narrowed = |image: &Image<D>| image.view().meta().unwrap_or_default().crawlers;
    let mut differences = Differences {
        same_dialect: old.profile() == new.profile() && narrowed(old) == narrowed(new),
        uses: UseChanges::new([old, new], uses),
        known: HashMap::new(),
        count: 0,
    };
    let mut both = 0;
    let (mut before, mut now) = (old.sites().peekable(), new.sites().peekable());
    loop {
        let order = match (before.peek(), now.peek()) {
            (None, None) => return Ok(both),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(before), Some(now)) => key(before).cmp(&key(now)),
        };
        let from = before.next_if(|_| order != Ordering::Greater);
        let to = now.next_if(|_| order != Ordering::Less);
        let outcome = [&from, &to].map(|site| site.as_ref().and_then(Site::outcome));
        let (Difference { change, text_changed, uses }, site) = match (&from, &to) {
            (Some(from), Some(to)) => {
                both += 1;
                (differences.of([from, to]), to)
            }
            (Some(from), None) => (Difference::only(Change::Gone), from),
            (None, Some(to)) => (Difference::only(Change::Added), to),
            (None, None) => continue,
        };
        let Some(change) = change else { continue };
        let mut access = Vec::new();
        let may_differ = |who: &Subject<'_>| match change {
            Change::Outcome | Change::Rules => true,
            Change::Uses => !has_uses(who.usage),
            Change::Added | Change::Gone | Change::Records | Change::Text => false,
        };
        if let (true, Some(from), Some(to)) = (subjects[0].each().any(|who| may_differ(&who)), &from, &to) {
            let [before, now] = &mut coverages;
            let pairs = before.of(from).iter().zip(now.of(to));
            let all = subjects[0].each().zip(pairs).map(|(who, (&from, &to))| Access { who, from, to });
            let is_other = |access: &Access<'_>| access.from.share != access.to.share;
            access.extend(all.filter(|access| may_differ(&access.who) && is_other(access)));
        }
        each(Changed { site: site.address(), change, outcome, text_changed, access, uses })?;
    }
}

/// True for a usage that statements do not change, and for those that `uses` has rows for.
fn has_uses(usage: &str) -> bool {
    std::iter::once(CRAWL).chain(ASKED).any(|number| USAGES[usize::from(number)] == usage)
}

/// The order of sites in an image.
fn key(site: &Site<'_>) -> (String, u8) {
    (site.authority(), site.scheme() as u8)
}

/// The difference of a site: its change, if any, as in [`Changed`].
#[derive(Clone)]
struct Difference {
    change: Option<Change>,
    text_changed: Option<bool>,
    uses: Rc<[UseChange]>,
}

impl Difference {
    /// That of a site in one image only.
    fn only(change: Change) -> Difference {
        Difference { change: Some(change), text_changed: None, uses: Rc::from([]) }
    }
}

/// The differences of the sites in both images. Sites that had equal answers before and have equal
/// ones now are compared once: many sites may share one long document.
struct Differences<'i, D> {
    same_dialect: bool,
    uses: UseChanges<'i, D>,
    /// By the answers before and now, and whether both fetches had the same outcome and status.
    known: HashMap<([AnswersKey; 2], bool), Difference>,
    /// The number of pairs in `known`, and of their changes of uses.
    count: usize,
}

/// The number of cached pairs and changes at which the cache is emptied.
const CACHED: usize = 1 << 18;

impl<D: AsRef<[u8]>> Differences<'_, D> {
    fn of(&mut self, sites: [&Site<'_>; 2]) -> Difference {
        let [before, now] = sites.map(|site| (site.outcome(), site.status()));
        let key = (sites.map(answers_key), before == now);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let difference = self.compare(sites, before == now);
        if self.count > CACHED {
            self.known.clear();
            self.count = 0;
        }
        self.count += 1 + difference.uses.len();
        self.known.insert(key, difference.clone());
        difference
    }

    fn compare(&self, sites: [&Site<'_>; 2], same_outcome: bool) -> Difference {
        let details = sites.map(Site::detail);
        let details = details.each_ref().map(Option::as_ref);
        let is_same = self.same_dialect && details[0] == details[1];
        let (mut change, text_changed) = self.change(sites, details, same_outcome, is_same);
        // Equal records, fetched with equal outcomes, give equal answers.
        let uses = match matches!(change, Some(Change::Outcome)) || !is_same {
            true => self.uses.of(sites, details),
            false => Rc::from([]),
        };
        if matches!(change, None | Some(Change::Records | Change::Text))
            && (!uses.is_empty() || !is_same && self.uses.states_otherwise(details))
        {
            change = Some(Change::Uses);
        }
        Difference { change, text_changed, uses }
    }

    /// The change, if any; true if the text changed. `is_same` if the records are the same, and
    /// read alike.
    fn change(
        &self,
        [from, to]: [&Site<'_>; 2],
        details: [Option<&Detail<'_>>; 2],
        same_outcome: bool,
        is_same: bool,
    ) -> (Option<Change>, Option<bool>) {
        let texts = from.source(LONGEST_TEXT).zip(to.source(LONGEST_TEXT));
        let text_changed = texts.map(|(from, to)| from != to);
        let change = if !same_outcome {
            Some(Change::Outcome)
        } else if !self.same_dialect {
            Some(Change::Rules)
        } else if is_same {
            // Equal records may still come from different texts.
            text_changed.filter(|&changed| changed).map(|_| Change::Text)
        } else {
            let none = Detail::default();
            let [before, now] = details.map(|detail| detail.unwrap_or(&none));
            let is_first = from.profile().agent_rule() == AgentRule::Substring;
            if !is_same_to_all([before, now].map(|detail| rules(detail, is_first))) {
                Some(Change::Rules)
            } else if !is_same_to_all([before, now].map(records)) {
                Some(Change::Records)
            } else {
                Some(Change::Text)
            }
        };
        (change, text_changed)
    }
}

/// The role of a group, the name that it addresses, and its purposes.
type Addressee<'d> = (Role, &'d str, Rc<[&'d [u8]]>);
/// Usage, sense, pattern, conditions, and the rank where it does not follow from the rest; or a
/// missing file; or the place of the group.
type RuleContent<'d> = (&'d str, bool, &'d [u8], &'d [Condition], u32);
/// Key and value of another record.
type RecordContent<'d> = (&'d str, Cow<'d, str>);

/// The names that a group addresses; `*` is the name of the default groups.
fn names<'d>(group: &'d Group<'_>) -> impl Iterator<Item = &'d str> {
    group.crawlers.iter().map(String::as_str).chain(group.default.then_some("*"))
}

/// The permissions of a text. With `is_first`, only the first group that names a crawler applies to
/// it (K9), so the order of groups is a part of what they say.
fn rules<'d>(detail: &'d Detail<'d>, is_first: bool) -> Vec<Said<Addressee<'d>, RuleContent<'d>>> {
    // Priorities of conventional rules follow from pattern and form (RFC 9309, Robot-version 2.0.0)
    // or are positions in the file (1996 draft); together with ACAP they are numbers of patterns
    // and have no meaning.
    let ranked = detail.groups.iter().all(|group| group.role.is_ranked());
    let said = detail.groups.iter().enumerate().map(|(number, group)| {
        let purposes: Rc<[&[u8]]> = group.purposes.iter().map(|purpose| purpose.0.as_ref()).collect();
        let addressees = names(group).map(|name| (group.role, name, Rc::clone(&purposes)));
        let missing = group.incomplete.then_some(("(missing file)", false, &b""[..], &[][..], 0));
        let place = is_first.then_some(("(group)", false, &b""[..], &[][..], number as u32));
        let rules = group.rules.iter().map(|rule| {
            let rank = if ranked { rule.priority } else { 0 };
            (detail.usage(rule.usage), rule.permits, rule.pattern.0.as_ref(), detail.conditions(rule), rank)
        });
        (addressees.collect(), missing.into_iter().chain(place).chain(rules).collect())
    });
    said.collect()
}

/// The other records of a text; those before all groups address nobody.
fn records<'d>(detail: &'d Detail<'d>) -> Vec<Said<&'d str, RecordContent<'d>>> {
    let content = |record: &'d Extension<'d>| (record.key.as_ref(), Cow::Borrowed(record.value.as_ref()));
    let of_groups = detail.groups.iter().map(|group| {
        let schedule = group.schedule.iter().map(|schedule| ("", Cow::Owned(format!("{schedule:?}"))));
        (names(group).collect(), group.extensions.iter().map(content).chain(schedule).collect())
    });
    let of_text = (vec![""], detail.extensions.iter().map(content).collect());
    let said = of_groups.chain([of_text]);
    said.filter(|(_, contents): &(_, Vec<_>)| !contents.is_empty()).collect()
}
