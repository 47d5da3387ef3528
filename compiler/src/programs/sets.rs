//! The sets of programs that answer for crawlers, as a document holds them.
//!
//! Made by `ranked` and `scoped`, numbered by `emit`, taken out of images by `document::extract`.
//! They hold indexes into the document, and do not know what a program says.

use robomaton_formats::policy::Role;
use serde::{Deserialize, Serialize};

/// The programs that answer for some crawlers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Set {
    /// Conventional ones: (usage, index into [`Document::programs`](crate::Document::programs)),
    /// sorted.
    Ranked(Vec<(u16, usize)>),
    /// Ones that are weighed by narrowness.
    Scoped(ScopedSet),
}

/// A set whose fields are weighed by narrowness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScopedSet {
    /// Whether a file that these fields refer to is missing.
    pub incomplete: bool,
    /// Whether the conventional rules are of groups that name the crawler.
    pub own: bool,
    /// Whether silence permits every usage (P49).
    pub permits: bool,
    /// Whether the crawler is named in pages alone.
    pub pages: bool,
    /// The programs, sorted.
    pub entries: Vec<ScopedEntry>,
    /// The set of the fields that are addressed to any crawler, as an index into
    /// [`Document::sets`](crate::Document::sets).
    pub rest: Option<usize>,
}

/// One program of a scoped set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScopedEntry {
    /// What it holds.
    pub role: Role,
    /// The usage, as the policy numbers it.
    pub usage: u16,
    /// A place in [`Document::purposes`](crate::Document::purposes), plus one; 0 for any purpose.
    pub purpose: u16,
    /// Index into [`Document::programs`](crate::Document::programs).
    pub program: usize,
}
