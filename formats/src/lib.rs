//! The robomaton image: one file that holds the compiled rules of many sites.
//!
//! This crate owns every byte of it. `SPEC.md` beside this crate is the normative text; [`layout`]
//! is the same text as types, [`program`] the encoding of automata, [`read`] the checked view,
//! [`mod@write`] the canonical writer, [`verify`] the rules `I1…`, [`detail`] the cold records. It
//! also owns what writer and reader must agree on to the bit: the canonical bytes of a pattern and
//! of a target ([`bytes`], [`pattern`]), the key of a site ([`site`]), the code of its name
//! ([`name`]) and what answers for it ([`site_entry`]), the product token ([`agent`]), the header
//! it stands in ([`user_agent`]) and the hash of a host ([`layout::host_hash`]). The list of
//! well-known crawlers ([`crawlers`]) is here because compiler, tables and report all read it.
//!
//! What it does not know: the syntax of robots.txt, precedence, how a program is built or walked.

pub mod agent;
pub mod condition;
pub mod crawlers;
pub mod decision;
pub mod detail;
pub mod error;
mod hosts;
pub mod int;
pub mod language;
pub mod layout;
pub mod name;
pub mod notation;
pub mod pattern;
pub mod policy;
pub mod profile;
pub mod program;
pub mod purpose;
pub mod reach;
pub mod read;
pub mod reference;
pub mod schedule;
pub mod scope;
pub mod site;
pub mod site_entry;
mod text;
mod token;
pub mod usage;
pub mod user_agent;
pub mod verify;
pub mod write;

pub use agent::NoCrawler;
pub use condition::{Condition, Context, Holds};
pub use decision::{Choice, Decision};
pub use error::{ImageError, WriteError};
pub use notation::Notation;
pub use pattern::Pattern;
pub use profile::Profile;
pub use reference::{
    CrawlerId, DocumentId, ListAt, PolicyAt, ProgramAt, PurposeAt, ScopeAt, SetRef, UsageId,
};
pub use site::{Outcome, Scheme, SiteKey};
pub use site_entry::{NoRules, SiteEntry};
