//! Why a record has no capture.
//!
//! Readers of single formats say it, and reports count and quote it. It does not know what reads on
//! after it.

use robomaton_formats::site::SiteError;

/// A record without a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file, or `-`.
    pub source: String,
    /// The place in the file: the byte offset after decompression, or for byte ranges the offset in
    /// the file; or the number (from 1) of a line in JSONL, of a row in CSV (after the header) and
    /// Parquet, of an entry in tar and zip.
    pub at: u64,
    /// The reason.
    pub reason: SkipReason,
}

/// The reason why a record has no capture. `Display` describes one case; [`SkipReason::name`] is
/// its kind, for counting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// A file whose name, without `.txt`, is not a host name.
    #[error("the file name {0:?} names no host: expected HOST or HOST.txt, as in example.com.txt")]
    FileName(String),
    /// A file whose name could be a host, but whose name and content look like something else.
    /// [`ReadLimits::any_name`](crate::ReadLimits::any_name) reads it anyway.
    #[error("looks like {0}, not like a robots.txt")]
    NoRobots(String),
    /// An image among the captures.
    #[error("is an image, not captures; `robomaton merge` joins images")]
    Image,
    /// A file that cannot be read to its end.
    #[error("cannot be read: {0}")]
    Io(String),
    /// Truncated or damaged compressed data; what came before it was kept.
    #[error("damaged gzip data: {0}")]
    Gzip(&'static str),
    /// The same for zstd.
    #[error("damaged zstd data: {0}")]
    Zstd(&'static str),
    /// An archive or an entry of it that cannot be read to its end.
    #[error("{0}")]
    Archive(String),
    /// An archive entry that is not a file: a link, a device.
    #[error("the entry {0:?} is no regular file")]
    NotRegular(String),
    /// A format that is read from its end, in a stream. Decompress it first, and name the file.
    #[error("{0} is read from files only, not from standard input, nor packed, nor inside an archive")]
    NeedsFile(&'static str),
    /// A format that is not part of this build.
    #[error("this robomaton was built without `{0}`")]
    LeftOut(&'static str),
    /// A file that does not begin like the format of its extension.
    #[error("it is named as {0}, but does not begin as such a file")]
    Misnamed(&'static str),
    /// An archive inside an archive.
    #[error("a {0} archive inside an archive is not read")]
    Nested(&'static str),
    /// A table without a column for a site or for byte ranges.
    #[error("no column url or host, nor filename, offset and length; the columns are: {0}")]
    Columns(String),
    /// A table row whose fields are no capture.
    #[error("bad row: {0}")]
    Row(String),
    /// A table that cannot be read further.
    #[error("damaged table, of which the rest is not read: {0}")]
    Table(String),
    /// A byte range without a WARC record.
    #[error("bad byte range: {0}")]
    Range(String),
    /// A WARC `revisit` record whose capture is missing, or not known. Of each URL, only the newest
    /// capture with content is kept.
    #[error(
        "a revisit record has no content, and does not refer to the newest older capture of its URL that \
         is kept"
    )]
    Revisit,
    /// A WARC `revisit` record, or a 304 response, of a page or another URL whose header speaks of
    /// uses.
    #[error(
        "the header of a revisit record or 304 response speaks of uses; it is not read, and the record \
         does not count"
    )]
    RevisitHeader,
    /// Bytes where a WARC record should begin; skipped up to the next compressed member.
    #[error("no WARC record here; skipped {0} bytes up to the next compressed member")]
    Garbage(u64),
    /// The rest of a WARC file in which the beginning of the next record is not known: records that
    /// seem to begin in it may be a part of what a stranger's site answered.
    #[error("where the next record begins is not known, so the rest of the file is not read")]
    Unread,
    /// A WARC header that cannot be read.
    #[error("bad WARC header: {0}")]
    WarcHeader(&'static str),
    /// The record is not as long as its Content-Length says.
    #[error("the record does not end where its Content-Length says ({0} bytes)")]
    RecordLength(u64),
    /// The record exceeds [`ReadLimits::max_record`](crate::ReadLimits::max_record).
    #[error("the record has {0} bytes, more than the limit max_record")]
    RecordTooLong(u64),
    /// The file ends inside the record, or is damaged there.
    #[error("the file ends, or is damaged, inside this record")]
    RecordCut,
    /// A WARC record that holds a later segment of an answer.
    #[error("a later segment of a record that was split")]
    Segment,
    /// A WARC `resource` record, which has the body of an answer over HTTP alone.
    #[error("a resource record: nothing tells the status of the answer")]
    NoHead,
    /// A robots.txt that was cut inside its first line.
    #[error("the body is cut inside its first line")]
    NoLine,
    /// A URL that does not name a site.
    #[error("{url:?}: {error}")]
    Url {
        /// The URL as captured.
        url: String,
        /// The reason.
        #[source]
        error: SiteError,
    },
    /// A `/data.txt` of a host whose name is too long for an image to have both.
    #[error("{0:?}: the host is too long for an entry of its data.txt")]
    LongName(String),
    /// An HTTP response that cannot be read.
    #[error("bad HTTP response: {0}")]
    Http(&'static str),
    /// A content encoding that is unknown, damaged at the beginning, or one of too many, of a body
    /// that is not plain text.
    #[error("the content encoding {0:?} is unknown or has more than four steps, or the body is none")]
    Encoding(String),
    /// 304 Not Modified refers to an older capture, which is missing.
    #[error("304 Not Modified holds no content, and no older capture of its URL with content is kept")]
    NotModified,
    /// A JSONL line that exceeds [`ReadLimits::max_line`](crate::ReadLimits::max_line).
    #[error("the line is longer than the limit max_line")]
    LineTooLong,
    /// A JSONL line that is not an object of the expected fields.
    #[error("bad JSON line: {0}")]
    Json(String),
}

impl SkipReason {
    /// True for a revisit or 304 response that was read, and refers to content that is not kept;
    /// false for what cannot be read or used.
    pub const fn is_of_revisit(&self) -> bool {
        matches!(self, SkipReason::Revisit | SkipReason::RevisitHeader | SkipReason::NotModified)
    }

    /// The kind of the reason, a constant for counting.
    pub const fn name(&self) -> &'static str {
        match self {
            SkipReason::FileName(_) => "file-name",
            SkipReason::NoRobots(_) => "no-robots",
            SkipReason::Image => "image",
            SkipReason::Io(_) => "io",
            SkipReason::Gzip(_) => "gzip",
            SkipReason::Zstd(_) => "zstd",
            SkipReason::Archive(_) => "archive",
            SkipReason::NotRegular(_) => "not-regular",
            SkipReason::NeedsFile(_) => "needs-file",
            SkipReason::LeftOut(_) => "left-out",
            SkipReason::Misnamed(_) => "misnamed",
            SkipReason::Nested(_) => "nested",
            SkipReason::Columns(_) => "columns",
            SkipReason::Row(_) => "row",
            SkipReason::Table(_) => "table",
            SkipReason::Range(_) => "range",
            SkipReason::Revisit => "revisit",
            SkipReason::RevisitHeader => "revisit-header",
            SkipReason::Garbage(_) => "garbage",
            SkipReason::Unread => "unread",
            SkipReason::WarcHeader(_) => "warc-header",
            SkipReason::RecordLength(_) => "record-length",
            SkipReason::RecordTooLong(_) => "record-too-long",
            SkipReason::RecordCut => "record-cut",
            SkipReason::Url { .. } => "url",
            SkipReason::LongName(_) => "long-name",
            SkipReason::Http(_) => "http",
            SkipReason::Encoding(_) => "encoding",
            SkipReason::Segment => "segment",
            SkipReason::NoHead => "no-head",
            SkipReason::NoLine => "no-line",
            SkipReason::NotModified => "not-modified",
            SkipReason::LineTooLong => "line-too-long",
            SkipReason::Json(_) => "json",
        }
    }
}
