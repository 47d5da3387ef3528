//! Where readers deliver to: every record becomes one item, or a byte range that is read later.
//!
//! Stands between the readers of single formats and the callback of [`read()`](crate::read()). It knows the file that is
//! read by its name alone.

use crate::ranges::Ranges;
use crate::row::Said;
use crate::{Capture, Item, ReadLimits, Revisit, SkipReason, Skipped};
use robomaton_formats::site::DATA_TXT;
use std::ops::{ControlFlow, RangeInclusive};

/// Where items go, and what a reader must know of its file.
pub(crate) struct Sink<'a> {
    /// The file, as items name it.
    pub(crate) source: &'a str,
    pub(crate) limits: &'a ReadLimits,
    pub(crate) each: &'a mut dyn FnMut(Item) -> ControlFlow<()>,
    pub(crate) ranges: &'a mut Ranges,
}

impl Sink<'_> {
    /// Delivers what became of a record: a capture, nothing of interest, or a reason.
    pub(crate) fn made(&mut self, at: u64, made: Result<Option<Capture>, SkipReason>) -> ControlFlow<()> {
        match made {
            // Which capture holds the content it does not say, but that it is an older one.
            Ok(Some(capture)) if capture.status == 304 => {
                let of = i64::MIN..=capture.fetched_at;
                self.revisit(at, &capture, of, SkipReason::NotModified)
            }
            Ok(Some(capture)) if capture.is_robots() => (self.each)(Item::Capture(capture)),
            Ok(Some(capture)) if capture.is_data_txt() && capture.site.with_document(DATA_TXT).is_none() => {
                self.skip(at, SkipReason::LongName(capture.url))
            }
            Ok(Some(capture)) => (self.each)(Item::Target(capture)),
            Ok(None) => (self.each)(Item::Ignored),
            Err(reason) => self.skip(at, reason),
        }
    }

    /// Delivers a fetch that found what a capture of that time holds; `otherwise` says why it gave nothing if there is no
    /// such capture. Of URLs that are no documents only the content is of use, so that it gives nothing anyway.
    pub(crate) fn revisit(
        &mut self,
        at: u64,
        found: &Capture,
        of: RangeInclusive<i64>,
        otherwise: SkipReason,
    ) -> ControlFlow<()> {
        let Some(key) = found.key() else { return self.skip(at, otherwise) };
        let Capture { fetched_at, fresh_for, .. } = *found;
        let otherwise = Skipped { source: self.source.to_owned(), at, reason: otherwise };
        (self.each)(Item::Revisit(Revisit { key, fetched_at, fresh_for, of, otherwise }))
    }

    /// Delivers what a row says.
    pub(crate) fn said(&mut self, at: u64, said: Result<Said, SkipReason>) -> ControlFlow<()> {
        match said {
            Ok(Said::Capture(capture)) => self.made(at, Ok(Some(capture))),
            Ok(Said::Range(range)) => self.ranges.add(range, self.limits, self.each),
            Err(reason) => self.skip(at, reason),
        }
    }

    /// Delivers a reason alone.
    pub(crate) fn skip(&mut self, at: u64, reason: SkipReason) -> ControlFlow<()> {
        (self.each)(Item::Skipped(Skipped { source: self.source.to_owned(), at, reason }))
    }
}
