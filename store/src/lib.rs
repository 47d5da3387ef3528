//! A store of robots.txt captures that answers while captures go in.
//!
//! ```text
//!   put ──▶ log ──▶ table in memory ──▶ layer ──▶ larger layer      decide ──▶ table, then layers
//! ```
//!
//! A store is a directory: a stack of layers, which any process reads as
//! [`Image`](robomaton_runtime::Image); a log of the captures that are in no layer yet; and a
//! lock file, since there is one writer. Beside it, any number of processes read layers and log
//! with a [`Reader`]. Invariants: questions wait for nothing, neither puts nor compaction; the
//! answers are those of the merged image of all captures; after a kill at any moment, all captures
//! that were acknowledged as durable are there. It has no clock: times are arguments, and a capture
//! that is older than the one of its site changes nothing. Other processes must not change the
//! files of a store.
//!
//! [`Store::state`] says whether a site's rules are fresh, and [`Store::due`] which to fetch next.

mod capture;
mod choice;
mod compact;
mod due;
mod error;
mod fetches;
mod files;
mod flush;
mod generations;
mod handed;
mod images;
mod json;
pub mod limits;
mod log;
mod open;
mod reader;
mod renewal;
mod seed;
mod snapshot;
mod state;
mod store;
mod table;
mod visit;
mod warc;

pub use capture::Capture;
pub use due::Due;
pub use error::StoreError;
pub use files::has_logged;
pub use json::SiteStateJson;
pub use reader::{Reader, ReaderOptions};
pub use snapshot::{Query, Snapshot};
pub use state::{Knowledge, Manners, SiteState};
pub use store::{Durability, Stats, Store, StoreOptions, check_options};
pub use warc::{WarcCaptures, WarcTooMuch};
