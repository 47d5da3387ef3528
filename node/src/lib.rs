//! The native part of the npm package: images and single texts as JavaScript sees them.
//!
//! ```text
//!   strings, arrays ──▶ arguments ──▶ image, robots ──▶ explain, runtime ──▶ verdicts, JSON, codes
//! ```
//!
//! It stands next to `python` and `cli` and gives the same answers: names, usages and answers go
//! through `explain`. Invariants: any problem with an argument or an image is a JavaScript error
//! with a `code`; nothing of an image outlives `close` but a question in progress. Each worker
//! thread of Node has objects of its own. It decides nothing.

mod arguments;
mod crawler;
mod error;
mod image;
mod robots;

use napi_derive::napi;
pub use robots::robots_parser;

/// The verdicts, in the order of their codes in typed arrays.
const VERDICTS: [&str; 4] = ["allowed", "disallowed", "conditional", "unknown"];

/// The verdicts by their codes: index.cjs exports them as `VERDICTS`.
#[napi]
pub fn verdicts() -> Vec<&'static str> {
    VERDICTS.to_vec()
}

/// The version of the package: index.cjs exports it as `version`.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
