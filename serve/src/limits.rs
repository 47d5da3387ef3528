//! All limits of the service, with the reason for each.
//!
//! A request over a limit is refused with a status and a message; nothing is truncated silently.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Simultaneous connections. More wait until one ends. There are fewer where the process may not
/// open as many files, and [`FILES`].
pub const CONNECTIONS: usize = 1024;

/// Files that are open beside connections: images, layers and logs, which a crowd of clients must
/// not shut out.
pub const FILES: u64 = 256;

/// Bytes of the request line and the headers together: room for a percent-encoded URL and the
/// headers of browsers.
pub const HEAD: usize = 64 << 10;

/// Time for the head of a request; also the time that a connection may be idle between requests.
pub const HEAD_TIME: Duration = Duration::from_secs(30);

/// If less than one connection in so many is free, new ones have less time for their heads, so that
/// idle clients cannot shut out the others for long.
pub const CROWDED: usize = 4;

/// The time that they have.
pub const CROWDED_TIME: Duration = Duration::from_secs(3);

/// Time for the body of a request.
pub const BODY_TIME: Duration = Duration::from_secs(30);

/// Time that a client may read nothing of an answer.
pub const WRITE_TIME: Duration = Duration::from_secs(30);

/// Bytes of the body of a batch, of questions or of captures.
pub const BATCH: usize = 8 << 20;

/// Bytes of a WARC body when it is decompressed, and of all captures in it: eight times as many as
/// are sent, since texts of robots.txt files compress four- to eightfold.
pub const WARC: usize = 64 << 20;

/// Bytes of the reason why a capture is refused: ten thousand fit into an answer, and a URL of
/// hundreds of kilobytes need not be sent back.
pub const REASON: usize = 512;

/// Fetches that are due in one answer: the default, and the maximum.
pub const DUE: (usize, usize) = (100, 10_000);

/// Bytes of a token: too many to be guessed, and room for keys in hexadecimal digits.
pub const TOKEN: RangeInclusive<usize> = 16..=1024;

/// Bytes of a body that do not count as waiting: what all connections hold together is then bounded
/// by their number.
pub const SMALL_BODY: usize = 64 << 10;

/// Bytes of all larger bodies that arrive or wait for their turn: 16 of the longest batches. While
/// they are used up, others are refused.
pub const BODIES: usize = 128 << 20;

/// Questions in a batch: some tenths of a second of work, or two seconds where each decodes
/// the records of a long text. Also captures in a body.
pub const QUESTIONS: usize = 10_000;

/// Time for the work of a batch, or of a page of the list of sites, which takes longer only about
/// texts that were made for that.
pub const WORK_TIME: Duration = Duration::from_secs(20);

/// Bytes of all answers of a batch. Those of 10,000 questions about real sites take about 10 MB.
pub const ANSWERS: usize = 64 << 20;

/// Bytes of an answer that does not count as waiting: what all connections hold together is then
/// bounded by their number.
pub const SMALL_ANSWER: usize = 256 << 10;

/// Bytes of all larger answers that wait for their readers. While they are used up, others are
/// refused.
pub const WAITING: usize = 256 << 20;

/// Bytes of a URL in a question. The longest that browsers send is about 32 KiB.
pub const URL: usize = 32 << 10;

/// Bytes of a URL to explain, which takes time with the length of the text and of the URL.
pub const EXPLAINED_URL: usize = 2048;

/// Bytes of the body of a test: the compiler reads 500 KiB of a text, and each byte of it may take
/// six in JSON.
pub const TEST: usize = 4 << 20;

/// Groups of a text to explain or test. The largest real file known has 2,200.
pub const GROUPS: usize = 5_000;

/// Fields weighed by specificity of a text to explain or test: different ones that match are
/// compared in pairs. Real files have some dozens.
pub const FIELDS: usize = 512;

/// URLs in one test of a text.
pub const TEST_URLS: usize = 500;

/// Sites on a page of the list: the default, and the maximum.
pub const SITES: (usize, usize) = (50, 500);

/// Bytes of a text whose findings are counted in the list of sites: nearly all are shorter, and a
/// whole page takes some tenths of a second.
pub const COUNTED_TEXT: usize = 64 << 10;

/// Bytes of a stored text in an answer. The compiler reads 500 KiB of one.
pub const TEXT: usize = 4 << 20;

/// Bytes of the rules and records of a site up to which a question about them is answered on the
/// thread of its connection, within some milliseconds.
pub const DETAILS: u32 = 64 << 10;

/// Names of one crawler, some of which may be whole `User-Agent` headers.
pub const AGENTS: usize = 16;

/// Bytes of the name of a crawler, a usage or a purpose.
pub const NAME: usize = 1024;

/// Crawlers that are cached for one image, in each of four caches, or for a store.
pub const CACHED: usize = 1 << 12;

/// Bytes of memory that a cached crawler takes. One that takes more is resolved for each question.
pub const CACHED_CRAWLER: usize = 1 << 20;

/// Bytes of memory that all crawlers of a cache take.
pub const CACHED_IN_ALL: usize = 16 << 20;

/// Time for requests in progress when the service ends.
pub const DRAIN: Duration = Duration::from_secs(10);

/// Simultaneous bodies of captures. The store takes one after the other.
pub const PUTS: usize = 2;

/// Simultaneous batches, explanations and tests: the number of processors. Others wait.
pub fn heavy() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}
