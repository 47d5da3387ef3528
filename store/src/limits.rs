//! The limits of a store, each with its reason.

use robomaton_runtime::MOST_LAYERS;
use std::time::Duration;

/// Captures in memory before they become a layer: some megabytes, and replayed in a moment at open.
/// Twice as many if another layer is being written, and as many again in that layer.
pub const MEMORY_CAPTURES: usize = 4096;

/// Bytes of compiled captures in memory before they become a layer, and of the log that is read at
/// open, apart from one record.
pub const MEMORY_BYTES: usize = 32 << 20;

/// The time that a put waits for a layer that another thread writes, once its own table is full: as
/// short as a sleep can be, so that the wait for one layer is spread over thousands of puts.
pub const BACK_PRESSURE: Duration = Duration::from_micros(50);

/// Bytes of a body; the rest is dropped and the capture is marked as truncated, as in the batch
/// reader.
pub const BODY_BYTES: usize = 8 << 20;

/// Bytes of a capture's URL and header fields together, with two for each field: what a log has of
/// them at least. No server sends more in good faith.
pub const HEADER_BYTES: usize = 256 << 10;

/// Bytes of the captures that a reader handed over and the writer did not take yet. The writer
/// takes them about once a second. If more are waiting, no writer is running.
pub const HANDED_BYTES: usize = 32 << 20;

/// The minimum number of bytes that a handed-over capture counts, for its image and path.
pub const HANDED_LEAST: usize = 1 << 10;

/// Layers before a put compacts first, unless another thread does: a question that no layer answers
/// has asked each of them.
pub const LAYERS_BEFORE_COMPACTION: usize = MOST_LAYERS / 2;

/// Layers before a put waits for the compaction of another thread, which merges new layers while it
/// merges old ones, so that there are hardly ever so many.
pub const LAYERS_BEFORE_WAIT: usize = MOST_LAYERS - 8;

/// Layers of one size class before they are merged. Classes differ by this factor, so a capture is
/// rewritten once for each class up to the size of the store.
pub const CLASS_LAYERS: usize = 8;

/// Bytes of an ETag or Last-Modified that is kept; a longer one costs an unconditional request.
pub const VALIDATOR_BYTES: usize = 1024;

/// Seconds after which a fetch in flight counts as lost: longer than any crawler waits.
pub const IN_FLIGHT_SECONDS: u64 = 600;

/// Fetches in flight before those that are lost are removed; twice as many as are left from then
/// on.
pub const IN_FLIGHT: usize = 1024;

/// The number of sites remembered whose last 304 was refused. The next fetch of any other site is
/// conditional.
pub const REFUSED: usize = 1 << 16;

/// Seconds between two fetches of a site at least, whatever its headers say.
pub const LEAST_SECONDS: u64 = 600;

/// The longest wait after the first failure, in seconds. Each further wait is twice as long.
pub const RETRY_SECONDS: u64 = 60;

/// Seconds that a site may ask to wait with Retry-After: a longer time is a mistake, and would keep
/// its rules unknown.
pub const RETRY_AFTER_SECONDS: u64 = 7 * 86_400;

/// Seconds by which the clock of a fetcher may be ahead of that of the store. A capture from a
/// later time would hide all others of its site until then.
pub const AHEAD_SECONDS: u64 = 86_400;

/// Captures of a file that are looked up at once for fetches that are due, at least.
pub const DUE_AT_ONCE: usize = 1024;

/// Clean-param records of a site that are told.
pub const CLEAN_PARAMS: usize = 1024;

/// Seconds between two attempts at most.
pub const LONGEST_RETRY_SECONDS: u64 = 86_400;
