//! Tables out of an image: what its sites say, for those who count.
//!
//! ```text
//!   image ──▶ extent (how much of a site may a crawler use?) ──▶ tables
//! ```
//!
//! Invariant: equal images give equal results; no clock is asked. This crate reads no robots.txt and weighs no rules:
//! every answer is that of `runtime`.

pub mod crawlers;
pub mod extent;
