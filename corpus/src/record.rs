//! Records: the output of a format's reader, and the item that each becomes.
//!
//! They stand between the readers of single formats (`warc`, `jsonl`, `csv`, `parquet`) and
//! `input`, whose one loop passes items on. Invariant: every record becomes exactly one item; a
//! byte range is no record, and becomes at least one when it is read. A record knows its place, not
//! its file.

use crate::{Capture, Item, NOT_MODIFIED, Revisit, SkipReason, Skipped};
use robomaton_formats::site::{DATA_TXT, SiteKey};
use std::ops::RangeInclusive;

/// No time: of a fetch whose content is not known.
pub(crate) const NEVER: RangeInclusive<i64> = RangeInclusive::new(1, 0);

/// The time of a fetch whose time cannot be read: no other capture is known to be newer.
pub(crate) const NEWEST: i64 = i64::MAX;

/// One step of a reader.
pub(crate) enum Event {
    Record(Record),
    /// A row that names a part of a WARC file, which is read later.
    Range(Range),
}

/// A record of a file.
pub(crate) struct Record {
    /// Its place, as in [`Skipped::at`].
    pub(crate) at: u64,
    pub(crate) content: Result<Content, SkipReason>,
}

/// The content of a valid record.
pub(crate) enum Content {
    Capture(Capture),
    /// A fetch with the same content as a capture of that time.
    Revisit(Capture, RangeInclusive<i64>),
    /// A fetch whose content cannot be read: its URL, its time, and its header if there is one.
    Unread(Capture, SkipReason),
    /// Nothing: records of this kind never contain a capture.
    Ignored,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    /// The file, by its path below the root.
    pub(crate) filename: Box<str>,
    /// The byte offset in the file.
    pub(crate) offset: u64,
    /// The length in bytes.
    pub(crate) length: u64,
    /// The fetch that the row names, which counts as one that cannot be read if the range cannot
    /// be.
    pub(crate) fetch: Option<Fetch>,
}

/// A fetch of which nothing else is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fetch {
    pub(crate) fetched_at: i64,
    /// Its URL, or a bare host.
    pub(crate) url: Box<str>,
}

impl Fetch {
    /// The content of a record that should have the answer, and cannot be read.
    ///
    /// # Errors
    /// That reason, if the URL names no site.
    pub(crate) fn unread(self, reason: SkipReason) -> Result<Content, SkipReason> {
        match self.capture() {
            Some(fetch) => Ok(Content::Unread(fetch, reason)),
            None => Err(reason),
        }
    }

    /// The fetch without its answer; `None` if the URL names no site.
    pub(crate) fn capture(&self) -> Option<Capture> {
        let site = SiteKey::from_host(&self.url).ok()?;
        Some(Capture::without_answer(self.url.clone().into(), site, self.fetched_at))
    }
}

impl Event {
    /// A record that cannot be used.
    pub(crate) fn skipped(at: u64, reason: SkipReason) -> Event {
        Event::Record(Record { at, content: Err(reason) })
    }

    /// A record that cannot be read, and the fetch that it names.
    pub(crate) fn unread(at: u64, fetch: Option<Fetch>, reason: SkipReason) -> Event {
        let content = fetch.map_or_else(|| Err(reason.clone()), |fetch| fetch.unread(reason.clone()));
        Event::Record(Record { at, content })
    }
}

impl Record {
    /// The item for a record of this file.
    pub(crate) fn item(self, source: &str) -> Item {
        let Record { at, content } = self;
        let skipped = |reason| Skipped { source: source.to_owned(), at, reason };
        match content {
            // Its header speaks for this fetch, but only that of the capture with the content is
            // read.
            Ok(Content::Revisit(found, _)) if speaks_for_itself(&found) => {
                revisit(found, NEVER, skipped(SkipReason::RevisitHeader))
            }
            Ok(Content::Capture(found)) if found.status == NOT_MODIFIED && speaks_for_itself(&found) => {
                revisit(found, NEVER, skipped(SkipReason::RevisitHeader))
            }
            // A 304 does not say which capture has the content, only that it is an older one.
            Ok(Content::Capture(found)) if found.status == NOT_MODIFIED => {
                let of = i64::MIN..=found.fetched_at;
                revisit(found, of, skipped(SkipReason::NotModified))
            }
            Ok(Content::Capture(found)) if found.key().is_some() && found.known_lines().is_err() => {
                revisit(found, NEVER, skipped(SkipReason::NoLine))
            }
            Ok(Content::Capture(capture)) if capture.is_robots() => Item::Capture(capture),
            Ok(Content::Capture(capture))
                if capture.is_data_txt() && capture.site.with_document(DATA_TXT).is_none() =>
            {
                Item::Skipped(skipped(SkipReason::LongName(capture.url)))
            }
            Ok(Content::Capture(capture)) => Item::Target(capture),
            Ok(Content::Revisit(found, of)) => revisit(found, of, skipped(SkipReason::Revisit)),
            Ok(Content::Unread(found, reason)) => revisit(found, NEVER, skipped(reason)),
            Ok(Content::Ignored) => Item::Ignored,
            Err(reason) => Item::Skipped(skipped(reason)),
        }
    }
}

/// A fetch whose content nobody knows. One that was read and has no time is older than all; of this
/// one, nobody knows.
pub(crate) fn unknown(answer: Capture) -> Capture {
    let fetched_at = if answer.fetched_at == 0 { NEWEST } else { answer.fetched_at };
    Capture { fetched_at, ..answer }
}

/// True for a fetch without content, of a page or another URL, whose header speaks of uses.
fn speaks_for_itself(found: &Capture) -> bool {
    found.key().is_none() && found.speaks_of_uses()
}

/// A fetch with the same content as a capture of that time; `otherwise` is the item if there is no
/// such capture.
fn revisit(answer: Capture, of: RangeInclusive<i64>, otherwise: Skipped) -> Item {
    let Some(url) = answer.parsed_url() else { return Item::Skipped(otherwise) };
    let answer = if of.is_empty() { unknown(answer) } else { answer };
    let answer = Capture { body: Vec::new(), ..answer };
    Item::Revisit(Box::new(Revisit { key: answer.key(), answer, url, of, otherwise }))
}
