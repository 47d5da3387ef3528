//! The robomaton image: one file that holds the compiled rules of many sites.
//!
//! This crate owns every byte of it. `SPEC.md` in this crate is the normative text; [`layout`] is
//! the same text as types, [`program`] the encoding of automata, [`read`] the checked view,
//! [`mod@write`] the canonical writer, [`verify`] the rules `I1…`, and [`detail`] the cold records.
//! The crate also owns everything on which writer and reader must agree to the bit: the canonical
//! bytes of patterns and targets ([`notation`], [`pattern`]), site keys ([`site`]), the code of
//! site names ([`name`]), site entries ([`site_entry`]), product tokens ([`agent`]) and their place
//! in `User-Agent` headers ([`user_agent`]), and the host hash ([`layout::host_hash`]). The list of
//! well-known crawlers ([`crawlers`]) is here because compiler, tables and report all read it.
//!
//! The crate does not know the syntax of robots.txt, precedence, or how programs are built and
//! executed.

#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss
    )
)]

pub mod agent;
mod bytes;
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
mod plain;
pub mod policy;
pub mod preference;
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
pub mod url;
pub mod usage;
pub mod user_agent;
pub mod verify;
pub mod vocabulary;
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
