//! From the text of one robots.txt to rules, programs and, together with others, an image.
//!
//! ```text
//!   text ──▶ grammar::scan ──▶ lower ──▶ precedence ──▶ programs ──▶ details ──▶ Document ──▶ emit ──▶ image
//!                              │ Policy     │ priorities      │ automaton
//!                              └────────────┴──▶ trace: the meaning, read naively
//! ```
//!
//! [`compile()`] makes a [`Document`] from one text with these passes; [`emit()`] makes an image
//! from the documents of many sites. `language` has a file for each language to which `lower`
//! passes the text. Invariants: every pass is a pure function (no clock, no hash order, no thread
//! order); no text causes an error: a text that exceeds a [`Limits`] has a named outcome.
//! Precedence is decided only in [`precedence`].
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
mod licenses;
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
pub use context::{CompileContext, Element, Header, License, MetaTag, Page, PageLicense};
pub use document::Document;
pub use dump::{dump_automaton, dump_policy};
pub use emit::{Emitter, Entry, Names, Provenance, emit};
pub use language::acap::referred;
pub use language::cut::is_cut;
pub use limits::{LimitName, Limits, MAX_GROUPS, OverLimit};
pub use lower::{lower, lower_with};
pub use merge::{Merge, MergeError, is_better};
pub use policy::{Agent, Combiner, Extension, Form, Group, Policy, Rule, RuleSet, Sense};
pub use programs::{PreferenceEntry, PreferenceSets, ProgramCache, ScopedEntry, ScopedSet, Set};
pub use sniff::{Looks, sniff};

use robomaton_formats::Profile;
use robomaton_formats::vocabulary::{ControlToken, control_token};

/// The options for compiling texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The dialect.
    pub profile: Profile,
    /// The limits for each text.
    pub limits: Limits,
    /// Keep only the groups of these crawlers and the default groups; empty keeps all.
    pub crawlers: Vec<String>,
    /// Omit the texts from the image. It still answers and names the deciding line, but cannot
    /// explain.
    pub no_sources: bool,
    /// Names of optional tables of the vocabulary that count
    /// ([`robomaton_formats::vocabulary::optional_tables`]).
    pub tables: Vec<String>,
    /// Control tokens beside those of the vocabulary.
    pub tokens: Vec<ControlToken>,
    /// Make plain programs for comparison in tests: tries for every set, with all its rules.
    pub plain_programs: bool,
}

impl Options {
    /// The optional tables and control tokens, as images state them.
    pub fn vocabulary(&self) -> Vec<String> {
        let mut all: Vec<String> = self.tables.clone();
        all.extend(self.tokens.iter().map(ControlToken::to_string));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// These options with the tables and control tokens that an image states.
    #[must_use]
    pub fn with_vocabulary(self, vocabulary: &[String]) -> Options {
        let (tokens, tables): (Vec<&String>, Vec<&String>) =
            vocabulary.iter().partition(|entry| entry.contains('\t'));
        let tokens = tokens.into_iter().filter_map(|row| control_token(row)).collect();
        Options { tokens, tables: tables.into_iter().cloned().collect(), ..self }
    }
}
