//! Tells answers, and why they are what they are: verdicts, stories and sites as JSON and as text.
//!
//! ```text
//!   image, or text ──▶ verdict ──▶ Answer            what `query` and the service say
//!                         │
//!   text ──▶ policy ──▶ trace ──▶ Story, Line        what `explain` and the tester say
//! ```
//!
//! Stands between `runtime` and whoever talks to people, `cli` and `serve`, so that both say the same of the same
//! question. Invariants: it decides nothing, the image does; what the naive evaluator tells is held against the image,
//! and a difference is an error ([`Error::Disagreement`]). It opens no file, prints nothing, and knows no command line
//! and no HTTP.

mod agree;
mod answer;
mod asker;
mod error;
mod explain;
mod lines;
pub mod lint;
mod place;
mod sets;
mod single;
mod site;
mod stored;
mod story;
pub mod time;
mod told;
mod usages;
mod why;
mod words;

pub use agree::agree;
pub use answer::{Answer, Asked, Known, Names, Question};
pub use asker::{
    Asker, asked_as, asks, crawler_names, decide, for_purpose, names, options_of, spelled, unheard,
};
pub use error::Error;
pub use explain::{Lowered, OfText, explain, text_of};
pub use lines::{Issues, LINES, Line, Lines, Remark};
pub use place::{held_otherwise, url_mistake};
pub use single::{Beside, Fetch, Origin, Single, too_much, unread};
pub use site::{ALL_RULES, OneSite, SHOWN};
pub use stored::{Kept, join};
pub use story::{Story, fate_of, reason, shut};
pub use told::{RuleLine, Told};
pub use usages::{UnknownUsage, check_usage};
pub use why::why;
pub use words::{count, quoted, shown};
