//! Tables of an image: its sites, texts, rules and policies as rows.
//!
//! ```text
//!   image ──▶ coverage, usages ──▶ rows, diff ──▶ write (Parquet, CSV, JSON lines)
//!                        └──▶ stances, use_changes
//! ```
//!
//! Invariant: equal images give equal bytes; no clock is read. This crate reads no robots.txt and
//! weighs no rules: `runtime` gives every answer. It opens no files: the caller provides images and
//! writers.

pub mod coverage;
pub mod diff;
pub mod domain;
mod meaning;
pub mod rows;
pub mod schema;
pub mod stances;
pub mod usages;
pub mod use_changes;
pub mod write;
