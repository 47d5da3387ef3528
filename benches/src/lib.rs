//! What the benches share: corpora, real and generated, questions derived from their rules, rivals,
//! and a clock.
//!
//! ```text
//!   captures ──▶ corpus ──▶ field (documents, one image) ──▶ queries, asker ──▶ clock: rounds, medians
//! ```
//!
//! `benches/{compile,load,lookup,scale}` measure parts of robomaton with criterion, `figures`
//! prints what the project promises of its sizes and speeds, `versus` races other libraries and
//! `sizes` weighs them, `scale` shows growth over corpora that [`generate`] makes; all of them fill
//! [`results`], from which the report is made. Invariants: everything but what `scale` maps is in
//! memory before a clock starts, the same corpus gives the same questions, and answers are asserted
//! before they are timed. Other libraries are named in [`rivals`] alone.

pub mod asker;
pub mod clock;
pub mod corpus;
pub mod field;
pub mod generate;
pub mod queries;
pub mod results;
pub mod rivals;

pub use asker::Asker;
pub use corpus::Corpus;
pub use field::{Class, Field};
pub use queries::{Queries, Query};
