//! The code that the benches share: corpora, real and generated, questions derived from their
//! rules, rivals, and a clock.
//!
//! ```text
//!   captures ──▶ corpus ──▶ field (documents, one image) ──▶ queries, asker ──▶ clock: rounds, medians
//! ```
//!
//! `benches/{compile,load,lookup,scale}` measure parts of robomaton with criterion, `figures`
//! prints the sizes and speeds that the project promises, `versus` races other libraries and
//! `sizes` compares their memory, `instructions` counts those of our answers, `scale` shows growth
//! over corpora from [`generate`]; all of them fill [`results`], from which the report is written.
//! Invariants: everything except what `scale` maps is in memory before a clock starts, the same
//! corpus gives the same questions, and answers are asserted before they are timed. Other libraries
//! are named only in [`rivals`].

pub mod asker;
pub mod clock;
pub mod corpus;
pub mod field;
pub mod generate;
pub mod memory;
pub mod queries;
pub mod results;
pub mod rivals;

pub use asker::{Asked, Asker};
pub use corpus::Corpus;
pub use field::{Class, Field};
pub use queries::{Queries, Query};
