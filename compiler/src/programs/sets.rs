//! Sets of programs for crawlers, as a document holds them.
//!
//! `ranked` and `scoped` make them, `emit` numbers them, `document::extract` recovers them from
//! images. They hold indexes into the document, and do not know the contents of a program.

use robomaton_formats::policy::Role;
use serde::{Deserialize, Serialize};

/// The programs that apply to some crawlers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Set {
    /// Conventional programs: (usage, index into
    /// [`Document::programs`](crate::Document::programs)), sorted.
    Ranked(Vec<(u16, usize)>),
    /// Programs weighed by specificity.
    Scoped(ScopedSet),
}

/// A set whose fields are weighed by specificity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScopedSet {
    /// A file that these fields refer to is missing.
    pub incomplete: bool,
    /// The conventional rules are from groups that name the crawler.
    pub own: bool,
    /// Silence permits every usage (P49).
    pub permits: bool,
    /// Only pages name the crawler.
    pub pages: bool,
    /// The programs, sorted.
    pub entries: Vec<ScopedEntry>,
    /// The set of the fields for any crawler, as an index into
    /// [`Document::sets`](crate::Document::sets).
    pub rest: Option<usize>,
}

/// One program of a scoped set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScopedEntry {
    /// The origin of its rules.
    pub role: Role,
    /// The usage, as numbered by the policy.
    pub usage: u16,
    /// An index into [`Document::purposes`](crate::Document::purposes) plus one; 0 for any purpose.
    pub purpose: u16,
    /// Index into [`Document::programs`](crate::Document::programs).
    pub program: usize,
}
