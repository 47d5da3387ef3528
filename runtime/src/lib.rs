//! Opens a robomaton image and answers: may this crawler use this URL in this way?
//!
//! ```text
//!   URL ──▶ target (authority, path and query) ──▶ site ──▶ policy ──▶ programs ──▶ walk ──▶ Verdict
//! ```
//!
//! An [`Image`] is mapped or held in memory and shared by any number of threads (`&self`, `Send`,
//! `Sync`). A question reads the image in place and allocates nothing, unless a statement about a
//! use depends on the time; the deciding rule is found only on demand ([`Verdict::rule`]). Image
//! bytes are untrusted: every access is checked, every walk is bounded, and a damaged image gives
//! an error or [`Basis::Damaged`], never a panic.
//!
//! This crate does not read robots.txt and knows nothing about precedence: it knows sites,
//! crawlers, usages, programs and priorities.
//!
//! ```no_run
//! use robomaton_runtime::{Image, Usage};
//!
//! let image = Image::read("crawl.rimg")?;
//! let crawler = image.crawler(["GPTBot"]);
//! let verdict = image.decide(&crawler, Usage::CRAWL, "https://example.com/private/x");
//! println!("{} {:?}", verdict.decision(), verdict.rule());
//! # Ok::<(), robomaton_runtime::OpenError>(())
//! ```

#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss
    )
)]

mod access;
mod account;
mod answer;
mod ask;
mod batch;
mod crawler;
mod find;
mod image;
mod layers;
mod manifest;
mod memory;
mod open;
mod packed;
mod preference;
mod program;
mod reasons;
mod request;
mod rules;
mod scoped;
mod short;
mod site;
mod stack;
mod statements;
mod target;
mod terms;
mod usages;
mod verdict;
mod walk;
mod watch;
mod window;

pub use access::Access;
pub use account::{Account, DecidingRule, StatementAccount};
pub use answer::Basis;
pub use batch::Question;
pub use crawler::{Crawler, Usage};
pub use image::{Image, SHARD_EXTENSION, ShardsError};
pub use layers::LayersError;
pub use manifest::{MOST_LAYERS, Manifest};
pub use memory::Memory;
pub use open::{MODIFIED, OpenError, OpenOptions, files};
pub use reasons::{DetailCache, MOST_STATEMENTS, Reasons};
pub use request::Request;
pub use robomaton_formats::policy::Role;
pub use robomaton_formats::preference::{Carrier, Effect, Language, Loss};
pub use robomaton_formats::schedule::{Interval, Rate, Schedule, Window};
pub use robomaton_formats::{
    Choice, Condition, Context, Decision, Holds, ImageError, NoCrawler, Outcome, Profile, Scheme,
};
pub use site::Site;
pub use stack::LeftOut;
pub use target::target_of;
pub use terms::Terms;
pub use verdict::{Conditional, Verdict};
pub use watch::Watch;
