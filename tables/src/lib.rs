//! Tables out of an image: what its sites say, for those who count.
//!
//! ```text
//!   image ──▶ coverage ──▶ rows, diff ──▶ write (Parquet, CSV, JSON lines)
//! ```
//!
//! Invariant: equal images give equal octets; no clock is asked. This crate reads no robots.txt and
//! weighs no rules: every answer is that of `runtime`. It opens no file: it is handed images and
//! something to write to.

pub mod coverage;
pub mod diff;
pub mod domain;
pub mod rows;
pub mod schema;
pub mod write;
