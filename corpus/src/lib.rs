//! Reads captures: WARC files, tables, JSON lines, directories, archives and standard input become
//! one stream of [`Item`]s.
//!
//! This is the first step. [`read()`] streams records of every input to a callback, in the order of
//! the inputs and with bounded memory; [`resolve`] chooses the newest capture of each site, in
//! whatever order they are read, and follows redirects. [`build()`] compiles everything to an
//! image: each robots.txt with the files that it refers to and the pages of its site, and data.txt
//! as a document of its own.
//!
//! Invariants: no bytes make a reader fail or panic: a record that cannot be used is an
//! [`Item::Skipped`] with its place and reason, counted by kind, and reading continues after it.
//! Only an input that cannot be opened is an error.
//!
//! The readers do not know the syntax of robots.txt. Only `doubt` searches for its records, in
//! files whose names are ambiguous.
//!
//! Features, all on by default: `parquet` and `zip` read those formats, `pages` reads HTML. Without
//! one, an input of that kind is skipped with [`SkipReason::LeftOut`], and a request for pages is
//! [`BuildError::LeftOut`].

mod ahead;
mod archive;
mod batch;
mod capture;
mod check;
mod csv;
mod damage;
mod dates;
mod doubt;
mod encoding;
mod fetched;
mod gzip;
mod host;
mod html;
mod http;
mod input;
mod jsonl;
mod kind;
mod list;
#[cfg(feature = "parquet")]
mod parquet;
mod ranges;
mod record;
pub mod resolve;
mod row;
mod single;
mod skip;
mod source;
mod status;
mod tar;
mod validators;
mod walk;
mod warc;
mod window;
#[cfg(feature = "zip")]
mod zip;
mod zstd;

pub use batch::{
    BatchOptions, BuildError, Built, Prepared, Progress, Report, ShardWriter, build, prepare, scratch,
};
pub use capture::{Capture, Item, NOT_MODIFIED, ReadLimits, Revisit, known_lines};
pub use dates::http as http_date;
pub use fetched::{Fetched, FetchedRecords, FetchedTooMuch, begins_as_warc, fetched_in_warc};
#[cfg(feature = "pages")]
pub use html::read_page;
pub use html::{Element, MetaTag, Page};
pub use input::{Input, ReadError, read, read_below, read_from, total_bytes};
pub use kind::is_captures;
pub use resolve::{Chosen, Facts, Resolved};
pub use robomaton_compiler::{Looks, sniff};
pub use single::compile_alone;
pub use skip::{SkipReason, Skipped};
pub use status::{is_redirection, is_success};
pub use validators::Validators;
pub use walk::UNFINISHED;
