//! Answers and their reasons: verdicts, explanations and sites as JSON and as text.
//!
//! ```text
//!   image, or text ──▶ verdict ──▶ AnswerJson        printed by `query` and the service
//!                         │
//!   text ──▶ policy ──▶ trace ──▶ Evidence ──▶ Explanation, Lines, PageExplanation
//!                                              printed by `explain`, the tester and `page`
//! ```
//!
//! It stands between `runtime` and the user-facing crates `cli`, `serve` and `python`, so that all
//! of them give the same answer to the same question. Invariants: it decides nothing, the image
//! does; the trace is compared with the image, and a difference is an error
//! ([`Error::Disagreement`]). It opens no file, prints nothing, and knows no command line, no HTTP
//! and no HTML.

mod agreement;
mod answer;
mod canonical;
mod error;
mod evidence;
mod explanation;
mod image;
mod lines;
pub mod lint;
pub mod page;
mod query;
mod reason;
mod room;
mod rule;
mod sets;
mod single;
mod site;
mod statements;
mod stored;
mod text;
mod texts;
pub mod time;
mod url;
mod usages;
mod uses;
mod verdict;
mod words;

pub use answer::{AnswerJson, CrawlerCache, InputQuestion, Names, QuestionJson};
pub use canonical::canonical_url;
pub use error::Error;
pub use explanation::Explanation;
pub use image::{explain, options_of};
pub use lines::{LINES, Line, Lines, Remark};
pub use query::{
    MOST_NAMES, Query, check_names, crawler_names, decide, for_purpose, name_remark, names, url_text,
};
pub use robomaton_formats::agent::name_text;
pub use robomaton_grammar::without_mark;
pub use room::ROOM;
pub use single::{Fetch, Origin, SingleSite, SiteFiles, SpelledFiles, too_much, unread};
pub use site::{ALL_RULES, SHOWN, SiteInfo, find_document};
pub use statements::StatementJson;
pub use text::TextQuery;
pub use url::{similar_site, url_mistake};
pub use usages::{UnknownUsage, check_usage};
pub use uses::Use;
pub use verdict::{RuleLine, VerdictJson, condition_text};
pub use words::{count, quoted, shown};
