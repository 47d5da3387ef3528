//! Compiling captures and merging images, from files to files.
//!
//! ```text
//!   inputs ──▶ corpus::prepare ──▶ Destination ──▶ image in its place ──▶ Summary
//!   images ──▶ compiler::Merge ──▶ Destination ──▶ image in its place ──▶ Merged
//! ```
//!
//! The part that the command and the wheel share. Invariant: a file is written completely or not at
//! all, and readers that have the old one open keep it. It prints nothing; its summaries use the
//! command's wording.

mod compile;
mod counts;
mod destination;
mod error;
mod exchange;
mod merge;
mod open;
mod replace;
mod summary;
mod target;
mod temporary;
mod whole;

pub use compile::{Compile, Compiled};
pub use counts::Counts;
pub use destination::{Destination, is_shard};
pub use error::Error;
pub use merge::{MergeOptions, Merged, merge, merge_with};
pub use replace::{check_inputs, check_kind};
pub use summary::Summary;
pub use target::Target;
pub use temporary::{Removed, remove_unfinished};
pub use whole::whole;
