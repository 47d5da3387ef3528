//! The compiler's intermediate form: groups, rules and records, independent of spelling.
//!
//! `lower` makes it from a tree; `precedence`, `automaton` and `trace` read it. A tree can be
//! printed back as the file; a policy cannot. This decides which of the two holds a fact. The
//! policy borrows patterns from the text if they were already canonical.

use robomaton_formats::condition::Condition;
use robomaton_formats::policy::{self, Role, USAGES};
use robomaton_formats::preference::{Effect, Source};
use robomaton_formats::program::Silence;
use robomaton_formats::schedule::Schedule;
use robomaton_formats::vocabulary::usage_of_label;
use robomaton_formats::{Notation, Pattern, Profile};
use std::borrow::Cow;
use std::ops::Range;

/// The meaning of one text, with the files that it refers to and the pages of its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy<'s> {
    /// The dialect of the text.
    pub profile: Profile,
    /// The groups: conventional ones, then sub-records of ACAP, then fields of pages. Each kind is
    /// in file order.
    pub groups: Vec<Group<'s>>,
    /// The rules of all groups, in group order.
    pub rules: Vec<Rule<'s>>,
    /// Records for the whole file, or outside all groups.
    pub extensions: Vec<Extension<'s>>,
    /// Lower-case names of usages without a standard number. Their numbers continue after
    /// [`USAGES`].
    pub usages: Vec<String>,
    /// Sets of conditions. A rule refers to its set by index plus one.
    pub conditions: Vec<Vec<Condition>>,
    /// The referenced files in file order. A group refers to its file by index plus one.
    pub files: Vec<String>,
    /// The time from which each of these files is out of date (`Detail::ends`).
    pub ends: Vec<u64>,
    /// Paths of the referenced files on the same site, and URLs of RSL documents.
    pub references: Vec<String>,
    /// The text has ACAP records. Silence then permits every usage (P49).
    pub is_acap: bool,
    /// The meaning depends on the site from which the text was fetched (absolute URLs as patterns,
    /// R14).
    pub depends_on_origin: bool,
    /// The text has a record that this profile knows.
    pub has_records: bool,
    /// For a text that states versions of the language, its rule sets before crawlers were removed
    /// from them (N2 to N5): one for each conventional group. They decide nothing.
    pub rule_sets: Vec<RuleSet<'s>>,
    /// Statements in the modern languages, in the order in which their sources are asked.
    pub preferences: Vec<Source<'s>>,
}

impl<'s> Policy<'s> {
    /// The ranked groups of the text itself, without those of files that it refers to.
    pub(crate) fn ranked_groups(&self) -> impl Iterator<Item = &Group<'s>> {
        self.groups.iter().filter(|group| group.role.is_ranked() && group.file == 0)
    }

    /// True if fields are weighed by specificity: the policy holds more than conventional groups.
    pub fn is_scoped(&self) -> bool {
        self.is_acap || self.groups.iter().any(|group| !group.role.is_ranked())
    }

    /// The name of a usage.
    pub fn usage_name(&self, usage: u16) -> &str {
        let usage = usize::from(usage);
        USAGES.get(usage).copied().unwrap_or_else(|| &self.usages[usage - USAGES.len()])
    }

    /// The number of a usage, given its name or a label of it, if this policy has one.
    pub fn usage(&self, name: &str) -> Option<u16> {
        self.usage_named(usage_of_label(name).unwrap_or(name))
    }

    /// The number of a usage, given its own name.
    pub fn usage_named(&self, name: &str) -> Option<u16> {
        let mut names = USAGES.iter().copied().chain(self.usages.iter().map(String::as_str));
        names.position(|usage| usage.eq_ignore_ascii_case(name)).map(|number| number as u16)
    }

    /// The record on a line of a group of ranked rules, if it is kept as written (R18).
    pub fn record<'p>(&'p self, group: &'p Group<'s>, line: u32) -> Option<&'p Extension<'s>> {
        let mut records = group.extensions.iter().chain(&self.extensions);
        records.find(|record| record.line == line && group.role.is_ranked())
    }

    /// The conditions of a rule.
    pub fn conditions(&self, rule: &Rule<'_>) -> &[Condition] {
        self.set_of_conditions(rule.conditions)
    }

    /// The conditions with this number, an index plus one; none for 0.
    pub(crate) fn set_of_conditions(&self, number: u32) -> &[Condition] {
        (number as usize).checked_sub(1).map_or(&[], |set| &self.conditions[set])
    }
}

/// Rules for some crawlers, and possibly only for some purposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'s> {
    /// The kind of its rules.
    pub role: Role,
    /// The crawlers that the group addresses, in file order.
    pub agents: Vec<Agent<'s>>,
    /// The purposes that the group is for; empty for any (P17).
    pub purposes: Vec<Cow<'s, [u8]>>,
    /// A file that the group refers to is missing (decision 23).
    pub incomplete: bool,
    /// The source file: 0 for the text itself, else an index into [`Policy::files`] plus one.
    pub file: u16,
    /// Its rules, as indexes into [`Policy::rules`].
    pub rules: Range<usize>,
    /// Records for these crawlers.
    pub extensions: Vec<Extension<'s>>,
    /// The times and rates at which they may visit.
    pub schedule: Option<Box<Schedule>>,
    /// The line of its first user-agent, from 1.
    pub line: u32,
}

/// A crawler, or all crawlers, addressed by a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agent<'s> {
    /// `*`: every crawler that no group names.
    Any,
    /// A crawler, with its name reduced by the profile's rule; compared ignoring ASCII case.
    Named(Cow<'s, str>),
}

/// Bytes of a name that count as one more name where it is copied into many groups.
const BYTES_OF_NAME: usize = 32;

/// The number of names that this one counts as where it is copied into many groups.
pub(crate) fn counts_as(name: &str) -> usize {
    1 + name.len() / BYTES_OF_NAME
}

impl Group<'_> {
    /// True if it is a group or record of the text, whose names count as known to the text (R5).
    /// Fields in a page cover only that page.
    pub fn names_crawlers(&self) -> bool {
        self.role.names_crawlers()
    }

    /// True if the group applies (also) to crawlers that no group names.
    pub fn is_default(&self) -> bool {
        self.agents.contains(&Agent::Any)
    }

    /// The names in the group.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().filter_map(|agent| match agent {
            Agent::Named(name) => Some(name.as_ref()),
            Agent::Any => None,
        })
    }
}

/// A conventional group as a rule set of a version (N2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet<'s> {
    /// The line of its group.
    pub line: u32,
    /// The version without its revision; 1.0 if none is stated.
    pub version: (u32, u32),
    /// The version is stated.
    pub is_stated: bool,
    /// A robot that knows 2.0.0 reads the rule set (N3, N4).
    pub is_acceptable: bool,
    /// The crawlers that it addresses. [`Group::agents`] keeps only those to which it applies.
    pub agents: Vec<Agent<'s>>,
}

/// The sense of a rule: permission or prohibition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// `Allow`.
    Permit,
    /// `Disallow`, and `Noindex` for the usage index.
    Prohibit,
}

impl Sense {
    /// The key of a conventional rule.
    pub const fn key(self) -> &'static str {
        match self {
            Sense::Permit => "Allow",
            Sense::Prohibit => "Disallow",
        }
    }

    /// The effect of a statement that says the same.
    pub(crate) const fn effect(self) -> Effect {
        match self {
            Sense::Permit => Effect::Permitted,
            Sense::Prohibit => Effect::Refused,
        }
    }
}

/// How rules that match the same path are weighed against each other; [`crate::precedence`]
/// implements it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combiner {
    /// The longest pattern decides; among equals, a permission (R12).
    LongestMatch,
    /// The first in file order decides (K11).
    FirstMatch,
    /// The form of the pattern decides (N9).
    FormOfMatch(Form),
    /// Any prohibition decides.
    MostRestrictive,
    /// The narrower field decides, by level and pattern (P15, V49 to V52).
    Specificity,
}

/// The forms of rules in a rule set of Robot-version 2.0.0, weakest first (N9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The prohibition of everything that the rule set does not list.
    Implied = 1,
    /// A permission with a star.
    StarredAllow = 2,
    /// A prohibition.
    Disallow = 3,
    /// A permission for one path.
    ExplicitAllow = 4,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'s> {
    /// The usage: an index into [`USAGES`], continued by [`Policy::usages`].
    pub usage: u16,
    /// The sense.
    pub sense: Sense,
    /// The canonical pattern.
    pub pattern: Cow<'s, [u8]>,
    /// The notation of the pattern.
    pub notation: Notation,
    /// How the rule is weighed against others.
    pub combiner: Combiner,
    /// The meaning for its usage if no rule matches.
    pub silence: Silence,
    /// The conditions of a permission: an index into [`Policy::conditions`] plus one; 0 for none.
    pub conditions: u32,
    /// The line number, from 1.
    pub line: u32,
}

impl Rule<'_> {
    /// The pattern, ready for matching.
    pub fn pattern(&self) -> Pattern<'_> {
        Pattern { text: &self.pattern, notation: self.notation }
    }

    /// True if the rule stands for everything that a rule set of Robot-version 2.0.0 does not list
    /// (N10, N12), so no record spells it out.
    pub fn is_implied(&self) -> bool {
        self.combiner == Combiner::FormOfMatch(Form::Implied)
    }

    /// True if the form of its pattern decides, not the length (N9).
    pub fn is_weighed_by_form(&self) -> bool {
        matches!(self.combiner, Combiner::FormOfMatch(_))
    }

    /// True if the rule is for crawling.
    pub fn is_crawl(&self) -> bool {
        self.usage == policy::CRAWL
    }
}

/// A record that neither permits nor prohibits anything by itself (R18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension<'s> {
    /// The canonical key, lower case.
    pub key: Cow<'s, str>,
    /// The value as text.
    pub value: Cow<'s, str>,
    /// The line number, from 1.
    pub line: u32,
}
