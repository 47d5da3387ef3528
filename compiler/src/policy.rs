//! The compiler's intermediate form: groups, rules and records with no spelling left.
//!
//! `lower` makes it from a tree; `precedence`, `automaton` and `trace` read it. From a tree one can
//! print the file back, from a policy one cannot: if a fact stands in the wrong one of the two,
//! that sentence tells. It borrows patterns from the text where they were canonical already.

use robomaton_formats::condition::Condition;
use robomaton_formats::policy::{self, Role, USAGES};
use robomaton_formats::program::Silence;
use robomaton_formats::schedule::Schedule;
use robomaton_formats::{Notation, Pattern, Profile};
use std::borrow::Cow;
use std::ops::Range;

/// What one text says, with what it refers to and the pages it was read together with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy<'s> {
    /// The dialect it was read in.
    pub profile: Profile,
    /// The groups: conventional ones, then sub-records of ACAP, then fields of pages; each kind in
    /// file order.
    pub groups: Vec<Group<'s>>,
    /// The rules of all groups, in their order.
    pub rules: Vec<Rule<'s>>,
    /// Records that speak for the whole file, or stand in no group.
    pub extensions: Vec<Extension<'s>>,
    /// Names of usages that have no number of their own, lower case: they are numbered on from
    /// [`USAGES`].
    pub usages: Vec<String>,
    /// Sets of conditions; a rule names its set by its place here, plus one.
    pub conditions: Vec<Vec<Condition>>,
    /// The files that are referred to, in file order; a group names its file by its place here,
    /// plus one.
    pub files: Vec<String>,
    /// Paths of those of the same site.
    pub references: Vec<String>,
    /// Whether the text holds ACAP records: then silence is permission for every usage (P49).
    pub is_acap: bool,
    /// Whether the meaning depends on the site that the text was fetched from (absolute URLs as
    /// patterns, R14).
    pub depends_on_origin: bool,
    /// Whether the text holds any record that this profile knows.
    pub has_records: bool,
    /// Of a text that states versions of the language, its rule sets before crawlers were taken out
    /// of them (N2 to N5): one for each conventional group. Nothing is decided by it.
    pub rule_sets: Vec<RuleSet<'s>>,
}

impl<'s> Policy<'s> {
    /// Whether fields are weighed by narrowness: the policy holds more than conventional groups.
    pub fn is_scoped(&self) -> bool {
        self.is_acap || self.groups.iter().any(|group| !group.role.is_ranked())
    }

    /// The name of a usage.
    pub fn usage_name(&self, usage: u16) -> &str {
        let usage = usize::from(usage);
        USAGES.get(usage).copied().unwrap_or_else(|| &self.usages[usage - USAGES.len()])
    }

    /// The number of a usage by its name, if this policy has one for it.
    pub fn usage(&self, name: &str) -> Option<u16> {
        let mut names = USAGES.iter().copied().chain(self.usages.iter().map(String::as_str));
        names.position(|usage| usage.eq_ignore_ascii_case(name)).map(|number| number as u16)
    }

    /// The record on a line of a group of ranked rules, where it is kept as it stands in the text
    /// (R18).
    pub fn record<'p>(&'p self, group: &'p Group<'s>, line: u32) -> Option<&'p Extension<'s>> {
        let mut records = group.extensions.iter().chain(&self.extensions);
        records.find(|record| record.line == line && group.role.is_ranked())
    }

    /// The conditions of a rule.
    pub fn conditions(&self, rule: &Rule<'_>) -> &[Condition] {
        (rule.conditions as usize).checked_sub(1).map_or(&[], |set| &self.conditions[set])
    }
}

/// Rules for some crawlers, and perhaps some purposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'s> {
    /// What kind of rules it holds.
    pub role: Role,
    /// Whom the group addresses, in file order.
    pub agents: Vec<Agent<'s>>,
    /// The purposes that it is for; none for any (P17).
    pub purposes: Vec<Cow<'s, [u8]>>,
    /// Whether a file that it refers to is missing (decision 23).
    pub incomplete: bool,
    /// The file it comes from: 0 for the text itself, else a place in [`Policy::files`], plus one.
    pub file: u16,
    /// Its rules, as indexes into [`Policy::rules`].
    pub rules: Range<usize>,
    /// Records that speak for these crawlers.
    pub extensions: Vec<Extension<'s>>,
    /// When and how often they may come.
    pub schedule: Option<Box<Schedule>>,
    /// The line of its first user-agent, from 1.
    pub line: u32,
}

/// Whom a group addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agent<'s> {
    /// `*`: every crawler without a group of its own.
    Any,
    /// A crawler, as the profile reduces its name; compared without regard to ASCII case.
    Named(Cow<'s, str>),
}

impl Group<'_> {
    /// Whether it is a group or record of the text: its names are those that a crawler is known by
    /// (R5). What stands in a page speaks of that page alone.
    pub fn names_crawlers(&self) -> bool {
        self.role.names_crawlers()
    }

    /// Whether this is (also) the group of crawlers without one of their own.
    pub fn is_default(&self) -> bool {
        self.agents.contains(&Agent::Any)
    }

    /// The names that the group addresses.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().filter_map(|agent| match agent {
            Agent::Named(name) => Some(name.as_ref()),
            Agent::Any => None,
        })
    }
}

/// A conventional group as a rule set of some version (N2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet<'s> {
    /// The version without its revision; 1.0 where none is stated.
    pub version: (u32, u32),
    /// Whether it is stated.
    pub is_stated: bool,
    /// Whether a robot that knows 2.0.0 reads it (N3, N4).
    pub is_acceptable: bool,
    /// Whom it addresses; of these, [`Group::agents`] keeps those that it answers for.
    pub agents: Vec<Agent<'s>>,
}

/// Whether a rule grants or refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// `Allow`.
    Permit,
    /// `Disallow`, and `Noindex` for the usage index.
    Prohibit,
}

/// How rules that match the same path are weighed against each other; [`crate::precedence`] carries
/// it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combiner {
    /// The longest pattern decides, and of equal ones a permission (R12).
    LongestMatch,
    /// The first in file order decides (K11).
    FirstMatch,
    /// The form of the pattern decides (N9).
    FormOfMatch(Form),
    /// Any prohibition decides.
    MostRestrictive,
    /// Fields of narrower scope decide, by level and pattern (P15, V49 to V52).
    Specificity,
}

/// The forms of rules in a rule set of Robot-version 2.0.0, the weakest first (N9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The prohibition of everything that the rule set does not list.
    Implied = 1,
    /// A permission with a star.
    StarredAllow = 2,
    /// A prohibition.
    Disallow = 3,
    /// A permission of one path.
    ExplicitAllow = 4,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'s> {
    /// The usage it speaks of: a place in [`USAGES`], or beyond it one in [`Policy::usages`].
    pub usage: u16,
    /// Whether it grants or refuses.
    pub sense: Sense,
    /// The canonical pattern.
    pub pattern: Cow<'s, [u8]>,
    /// How the pattern is written.
    pub notation: Notation,
    /// How it is weighed against others.
    pub combiner: Combiner,
    /// What it means for its usage that no rule matches.
    pub silence: Silence,
    /// The conditions of a permission: a place in [`Policy::conditions`], plus one; 0 for none.
    pub conditions: u32,
    /// The line, from 1.
    pub line: u32,
}

impl Rule<'_> {
    /// The pattern, for matching.
    pub fn pattern(&self) -> Pattern<'_> {
        Pattern { text: &self.pattern, notation: self.notation }
    }

    /// Whether it stands for what a rule set of Robot-version 2.0.0 does not list (N10, N12): no
    /// record says it.
    pub fn is_implied(&self) -> bool {
        self.combiner == Combiner::FormOfMatch(Form::Implied)
    }

    /// Whether the form of its pattern decides, and not the length (N9).
    pub fn is_weighed_by_form(&self) -> bool {
        matches!(self.combiner, Combiner::FormOfMatch(_))
    }

    /// Whether the rule speaks of crawling.
    pub fn is_crawl(&self) -> bool {
        self.usage == policy::CRAWL
    }
}

/// A record that grants and forbids nothing by itself (R18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension<'s> {
    /// The key's canonical name, lower case.
    pub key: Cow<'s, str>,
    /// The value as text.
    pub value: Cow<'s, str>,
    /// The line, from 1.
    pub line: u32,
}
