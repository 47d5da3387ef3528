//! What the benches share: a corpus in memory, questions derived from its rules, rivals, and a clock.
//!
//! ```text
//!   captures ──▶ corpus ──▶ field (documents, one image) ──▶ queries, asker ──▶ clock: rounds, medians
//! ```
//!
//! `benches/{compile,load,lookup}` measure parts of robomaton with criterion, `figures` prints what the project
//! promises of its sizes and speeds, `versus` races other libraries and `sizes` weighs them; all of them fill [`results`].
//! Invariants: everything is in memory before a clock starts, the same corpus gives the same questions, and answers are
//! asserted before they are timed. Other libraries are named in [`rivals`] alone.

pub mod asker;
pub mod clock;
pub mod corpus;
pub mod field;
pub mod queries;
pub mod results;
pub mod rivals;

pub use asker::Asker;
pub use corpus::Corpus;
pub use field::{Class, Field};
pub use queries::{Queries, Query};
