//! V16: the sections that only explain.

use super::Check;
use crate::error::ImageError;
use crate::layout::{DocumentRecord, MAX_TEXT, Section};
use std::io::Read;

impl Check<'_> {
    /// V16: details, texts and provenance decode.
    pub(super) fn cold(&self) -> Result<(), ImageError> {
        let documents = self.view.documents().len() as u32;
        for number in 0..documents {
            let at = number as usize * size_of::<DocumentRecord>();
            // A frame may claim any size: it is read as a stream, and no text is larger than the limit.
            let whole = self.view.documents()[number as usize].source_length == 0
                || self.view.source_reader(number).is_some_and(|text| {
                    let length = std::io::copy(&mut text.take(MAX_TEXT + 1), &mut std::io::sink());
                    length.is_ok_and(|length| length <= MAX_TEXT)
                });
            if self.view.detail(number).is_none() || !whole {
                return Err(self.error(
                    Section::Documents,
                    at,
                    16,
                    "a document's details or text do not decode",
                ));
            }
        }
        if self.view.meta().is_none() {
            return Err(self.error(Section::Meta, 0, 16, "the provenance does not decode"));
        }
        Ok(())
    }
}
