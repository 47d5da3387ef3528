//! I16, I18: the sections for explanations.

use super::Check;
use crate::detail::DetailShape;
use crate::error::ImageError;
use crate::int::index;
use crate::layout::{DocumentRecord, MAX_TEXT, Section};
use crate::read::whole;
use crate::reference::DocumentId;
use std::io;
use std::ops::Range;
use zstd::zstd_safe::{DCtx, find_frame_compressed_size, get_frame_content_size};

impl Check<'_> {
    /// I16: details and provenance decode; texts are zstd frames that state a size; neither
    /// overlap.
    pub(super) fn cold(&self) -> Result<(), ImageError> {
        let (mut detail_end, mut text_end) = (0, 0);
        for document in self.view.document_ids() {
            let (detail, text) = self.view.document(document).map_or((0..0, 0..0), places);
            if detail.start < detail_end || !text.is_empty() && text.start < text_end {
                return Err(self.document_error(document, 16, "a document is not behind the one before"));
            }
            (detail_end, text_end) = (detail.end, text_end.max(text.end));
            let detail = self.view.detail_bytes(document).and_then(whole::<DetailShape<'_>>);
            let text =
                self.view.frame(document).is_some_and(|frame| frame.is_empty() || size(frame).is_some());
            if detail.is_none() || !text {
                return Err(self.document_error(
                    document,
                    16,
                    "a document's details do not decode, or its text is no frame",
                ));
            }
        }
        if self.view.meta().is_none() {
            return Err(self.error(Section::Meta, 0, 16, "the provenance does not decode"));
        }
        Ok(())
    }

    /// I18: texts decompress to their stated size. They are streamed, since a frame may claim any
    /// size.
    pub(super) fn texts(&self) -> Result<(), ImageError> {
        let mut context = DCtx::create();
        for document in self.view.document_ids() {
            let Some(frame) = self.view.frame(document).filter(|frame| !frame.is_empty()) else { continue };
            let mut text = zstd::Decoder::with_context(frame, &mut context);
            if io::copy(&mut text, &mut io::sink()).ok() != size(frame) {
                return Err(self.document_error(document, 18, "a document's text does not decompress"));
            }
        }
        Ok(())
    }

    fn document_error(&self, document: DocumentId, rule: u8, what: &str) -> ImageError {
        let at = index(document.number()) * size_of::<DocumentRecord>();
        self.error(Section::Documents, at, rule, what)
    }
}

/// The places of a document's details and text.
fn places(document: &DocumentRecord) -> (Range<u64>, Range<u64>) {
    let place = |at: u64, length: u32| at..at.saturating_add(length.into());
    let &DocumentRecord { detail_at, detail_length, source_at, source_length } = document;
    (place(detail_at.get(), detail_length.get()), place(source_at.get(), source_length.get()))
}

/// The bytes that a Zstandard frame begins with. A skippable frame, which holds no text, begins
/// with others.
const ZSTD: [u8; 4] = 0xFD2F_B528u32.to_le_bytes();

/// The size that a frame states, if it is a single frame and the size does not exceed the limit for
/// texts.
fn size(frame: &[u8]) -> Option<u64> {
    let is_whole = frame.starts_with(&ZSTD) && find_frame_compressed_size(frame).ok() == Some(frame.len());
    let size = get_frame_content_size(frame).ok().flatten();
    size.filter(|&size| is_whole && size <= MAX_TEXT)
}
