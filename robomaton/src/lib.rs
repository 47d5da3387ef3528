//! robots.txt for crawlers: one text, or the rules of many sites in one memory-mapped image.
//!
#![doc = include_str!("../README.md")]
//!
//! # Architecture
//!
//! This crate is the entry point: [`Robots`] is one text, [`Image`] many sites, and both answer
//! with the same [`Verdict`]. The work is done by `robomaton-grammar` (text to tree), `-compiler`
//! (tree to rules and programs), `-formats` (the image) and `-runtime` (the answers); with
//! `compile` also by `-corpus` and `-build`, with `explain` by `-explain`, with `store` by
//! `-store`. Invariants: it decides nothing, and no text, name or URL makes it fail or panic.

#[cfg(feature = "compile")]
pub mod compile;
mod error;
mod options;
mod robots;

pub use error::Error;
pub use options::ParseOptions;
pub use robots::Robots;

pub use robomaton_compiler::Limits;
#[cfg(feature = "explain")]
pub use robomaton_explain as explain;
pub use robomaton_runtime::{
    Access, Basis, Condition, Conditional, Context, Crawler, DecidingRule, Decision, Holds, Image,
    ImageError, Interval, LayersError, LeftOut, Manifest, OpenError, OpenOptions, Outcome, Profile, Question,
    Rate, Schedule, Site, Terms, Usage, Verdict, Watch, Window,
};
#[cfg(feature = "store")]
pub use robomaton_store::{self as store, Store};
