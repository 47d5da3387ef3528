//! The compiler's intermediate form: groups, rules and records with no spelling left.
//!
//! `lower` makes it from a tree; `precedence`, `automaton` and `trace` read it. From a tree one can print the file
//! back, from a policy one cannot: if a fact stands in the wrong one of the two, that sentence tells.
//! It borrows patterns from the text where they were canonical already.

use robomaton_formats::{Notation, Pattern, Profile, policy};
use std::borrow::Cow;
use std::ops::Range;

/// The usages that have numbers in every image, in the order of their numbers.
pub const USAGES: [&str; 2] = ["crawl", "index"];

/// The number of a usage, if any rule can speak of it.
pub fn usage_number(name: &str) -> Option<u16> {
    USAGES.iter().position(|usage| usage.eq_ignore_ascii_case(name)).map(|number| number as u16)
}

/// What one text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy<'s> {
    /// The dialect it was read in.
    pub profile: Profile,
    /// The groups in file order.
    pub groups: Vec<Group<'s>>,
    /// The rules of all groups, in file order.
    pub rules: Vec<Rule<'s>>,
    /// Records that speak for the whole file, or stand in no group.
    pub extensions: Vec<Extension>,
    /// Whether the meaning depends on the site that the text was fetched from (absolute URLs as patterns, R14).
    pub depends_on_origin: bool,
    /// Whether the text holds any record that this profile knows.
    pub has_records: bool,
}

/// Rules for some crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'s> {
    /// Whom the group addresses, in file order.
    pub agents: Vec<Agent<'s>>,
    /// Its rules, as indexes into [`Policy::rules`].
    pub rules: Range<usize>,
    /// Records that speak for these crawlers.
    pub extensions: Vec<Extension>,
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

/// Whether a rule grants or refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// `Allow`.
    Permit,
    /// `Disallow`, and `Noindex` for the usage index.
    Prohibit,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'s> {
    /// The usage it speaks of (`formats::policy::CRAWL`, …).
    pub usage: u16,
    /// Whether it grants or refuses.
    pub sense: Sense,
    /// The canonical pattern.
    pub pattern: Cow<'s, [u8]>,
    /// How the pattern is written.
    pub notation: Notation,
    /// The line, from 1.
    pub line: u32,
}

impl Rule<'_> {
    /// The pattern, for matching.
    pub fn pattern(&self) -> Pattern<'_> {
        Pattern { text: &self.pattern, notation: self.notation }
    }

    /// Whether the rule speaks of crawling.
    pub fn is_crawl(&self) -> bool {
        self.usage == policy::CRAWL
    }
}

/// A record that grants and forbids nothing by itself (R18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The key's canonical name, lower case.
    pub key: String,
    /// The value as text.
    pub value: String,
    /// The line, from 1.
    pub line: u32,
}
