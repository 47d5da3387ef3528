//! From the text of one robots.txt to rules, programs and, with many others, an image.
//!
//! ```text
//!   text ──▶ grammar::scan ──▶ lower ──▶ precedence ──▶ programs ──▶ details ──▶ Document ──▶ emit ──▶ image
//!                              │ Policy     │ priorities      │ automaton
//!                              └────────────┴──▶ trace: the meaning, read naively
//! ```
//!
//! [`compile()`] makes a [`Document`] of one text, by the passes above; [`emit()`] makes an image
//! of the documents of many sites. `language` has a file for each language that `lower` gives the
//! text to. Invariants: every pass is a pure function (no clock, no hash order, no thread order);
//! nothing fails on what a text says: what exceeds a [`Limits`] is an outcome with a name.
//! Precedence is decided in [`precedence`] alone.
//!
//! ```
//! use robomaton_compiler::{Options, compile, emit, Entry};
//! use robomaton_formats::{SiteKey, Outcome};
//!
//! let options = Options::default();
//! let document = compile(b"User-agent: *\nDisallow: /private\n", None, &options);
//! let site = SiteKey::from_url("https://example.com/robots.txt")?;
//! let image = emit(vec![Entry::fetched(site, &document)], &options)?;
//! assert_eq!(document.outcome, Outcome::Rules);
//! assert_eq!(&image[..7], b"ROBOMAT");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod automaton;
mod compile;
mod context;
mod details;
mod document;
mod dump;
mod emit;
mod language;
mod limits;
pub mod lint;
mod lower;
mod lowering;
mod merge;
mod policy;
pub mod precedence;
mod programs;
pub mod scope;
mod sniff;
pub mod trace;

pub use compile::{compile, compile_cached, compile_fetched, compile_lowered, compile_policy, compile_with};
pub use context::{CompileContext, Element, MetaTag, Page};
pub use document::Document;
pub use dump::{dump_automaton, dump_policy};
pub use emit::{Emitter, Entry, Names, Provenance, emit};
pub use limits::{LimitName, Limits, OverLimit};
pub use lower::{lower, lower_with};
pub use merge::{Merge, MergeError};
pub use policy::{Agent, Combiner, Extension, Form, Group, Policy, Rule, RuleSet, Sense};
pub use programs::{ProgramCache, ScopedEntry, ScopedSet, Set};
pub use sniff::{Looks, sniff};

use robomaton_formats::Profile;

/// How texts are compiled.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The dialect.
    pub profile: Profile,
    /// What is too much.
    pub limits: Limits,
    /// Keep the groups of these crawlers and the default groups only; empty keeps all.
    pub crawlers: Vec<String>,
    /// Leave the texts out of the image: it still answers and names the deciding line, but cannot
    /// explain.
    pub no_sources: bool,
    /// Make programs the plain way, which the other is held against: tries for every set, and of
    /// all its rules.
    pub plain_programs: bool,
}
