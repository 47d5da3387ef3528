//! Every limit of the service in one place, with the reason for each.
//!
//! A request over a limit is refused with a status and a sentence; nothing is cut silently.

use std::time::Duration;

/// Connections at a time. Those beyond wait until one ends.
pub const CONNECTIONS: usize = 1024;

/// Bytes of the request line and the headers together: room for a URL, percent-encoded, and what
/// browsers add.
pub const HEAD: usize = 64 << 10;

/// How long the head of a request may take; also how long a connection may be idle between
/// requests.
pub const HEAD_TIME: Duration = Duration::from_secs(30);

/// How long the body of a request may take.
pub const BODY_TIME: Duration = Duration::from_secs(30);

/// How long a client may read nothing of an answer.
pub const WRITE_TIME: Duration = Duration::from_secs(30);

/// Bytes of the body of a batch.
pub const BATCH: usize = 8 << 20;

/// Questions of a batch: some tenths of a second of work.
pub const QUESTIONS: usize = 10_000;

/// Bytes of a URL that is decided. The longest that browsers send is 32 KiB or so.
pub const URL: usize = 32 << 10;

/// Bytes of a URL that is explained, which takes time with the length of the text and of the URL.
pub const EXPLAINED_URL: usize = 2048;

/// Bytes of the body of a test: the text is read as far as the compiler reads one, 500 KiB, and
/// each byte of it may take six in JSON.
pub const TEST: usize = 4 << 20;

/// Groups of a text that is explained or tested. The largest real file known has 2,200.
pub const GROUPS: usize = 5_000;

/// Patterns of a text whose fields are weighed by specificity, to be explained or tested: those
/// that match are compared in pairs. Real files have some dozens.
pub const PATTERNS: usize = 512;

/// URLs that a text is tested for at a time.
pub const TEST_URLS: usize = 500;

/// Sites on a page of the list, where no other number is given, and at most.
pub const SITES: (usize, usize) = (50, 500);

/// Bytes of a text whose remarks are counted in the list of sites: nearly all are shorter, and a
/// whole page takes some tenths of a second.
pub const COUNTED_TEXT: usize = 64 << 10;

/// Bytes of a stored text that is handed out. The compiler reads 500 KiB of one.
pub const TEXT: usize = 4 << 20;

/// Names of one crawler.
pub const AGENTS: usize = 16;

/// Bytes of the name of a crawler, a usage or a purpose.
pub const NAME: usize = 1024;

/// How long requests under way may take when the service ends.
pub const DRAIN: Duration = Duration::from_secs(10);

/// Batches, explanations and tests at a time: as many as there are processors. Others wait.
pub fn heavy() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}
