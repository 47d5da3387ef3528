//! Compiling captures and merging images, from files to files.
//!
//! ```text
//!   inputs ──▶ corpus::prepare ──▶ Destination ──▶ image in its place ──▶ Summary
//!   images ──▶ compiler::Merge ──▶ Destination ──▶ image in its place ──▶ Merged
//! ```
//!
//! What the command and the wheel do alike when they are told to make an image. Invariant: a file
//! is written whole or not at all, and who has the old one open keeps it. It prints nothing, and
//! its summaries speak as the command does.

mod compile;
mod counts;
mod destination;
mod error;
mod merge;
mod open;
mod summary;
mod target;

pub use compile::{Compile, Compiled};
pub use counts::Counts;
pub use destination::Destination;
pub use error::Error;
pub use merge::{Merged, merge, merge_on};
pub use summary::Summary;
pub use target::Target;
