//! Error codes and messages. A message is written into a struct of the caller, so there is nothing
//! to free and no state between calls.
//!
//! It does not know pointers: `boundary` copies a [`Failure`] to the caller.

use robomaton_formats::vocabulary::UnknownUsage;
use robomaton_formats::{ImageError, NoCrawler};
use robomaton_runtime::{MODIFIED, OpenError};
use std::borrow::Cow;
use std::ffi::c_char;

/// The bytes of a message, with the zero byte at its end.
pub(crate) const MESSAGE: usize = 1008;

/// The result of a function.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobomatonCode {
    /// It has done what it is for.
    Ok = 0,
    /// A pointer is null that must not be. A handle that was closed is null, too.
    Null = 1,
    /// A pointer is not a handle of the kind that is expected, as far as that can be told.
    BadHandle = 2,
    /// A crawler or a usage was resolved for another image.
    Foreign = 3,
    /// A size or length cannot be right.
    WrongSize = 4,
    /// A string is not UTF-8. In a URL, percent-encode such bytes, which gives the same URL.
    InvalidUtf8 = 5,
    /// An argument has a value that it may not have.
    InvalidArgument = 6,
    /// A name names no crawler.
    NoCrawler = 7,
    /// The image does not have the site.
    NoSite = 8,
    /// There is nothing with this index.
    OutOfRange = 9,
    /// A file cannot be read.
    Io = 10,
    /// The file is no image, an image of another version, or damaged.
    BadImage = 11,
    /// Somebody wrote to the files of the image. Open it again; replace images by rename.
    Modified = 12,
    /// A bug of this library.
    Internal = 13,
    /// The name of a usage may be misspelt: neither a vocabulary nor the image has it.
    UnknownUsage = 14,
}

/// The reason why a function failed. Callers make one, on their stack for example, and pass its
/// address; functions write to it only when they fail.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RobomatonError {
    /// The code that the function returned.
    pub code: RobomatonCode,
    /// Of a damaged image, the number of the broken rule in SPEC.md; else 0.
    pub rule: u32,
    /// Of a batch, the index of the URL in question; else 0.
    pub index: usize,
    /// The message, in UTF-8, ended by a zero byte. A message that does not fit is cut off.
    pub message: [c_char; 1008],
}

/// Why a function failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: RobomatonCode,
    pub(crate) message: Cow<'static, str>,
    pub(crate) rule: u32,
    pub(crate) index: usize,
}

impl Failure {
    #[cold]
    pub(crate) fn new(code: RobomatonCode, message: impl Into<Cow<'static, str>>) -> Failure {
        Failure { code, message: message.into(), rule: 0, index: 0 }
    }

    /// The message and its end, as much as fits, without zero bytes inside.
    pub(crate) fn written(&self) -> Vec<u8> {
        let mut end = self.message.len().min(MESSAGE - 1);
        while !self.message.is_char_boundary(end) {
            end -= 1;
        }
        let shown = self.message.as_bytes()[..end].iter().map(|&byte| if byte == 0 { b'?' } else { byte });
        shown.chain([0]).collect()
    }
}

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Failure {
        let rule = error.rule().unwrap_or_default().into();
        Failure { rule, ..Failure::new(RobomatonCode::BadImage, error.to_string()) }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        let code = match &error {
            OpenError::Io { .. } => RobomatonCode::Io,
            OpenError::Modified { .. } => RobomatonCode::Modified,
            _ => RobomatonCode::BadImage,
        };
        let rule = match &error {
            OpenError::Image { error, .. } => error.rule().unwrap_or_default().into(),
            _ => 0,
        };
        Failure { rule, ..Failure::new(code, error.to_string()) }
    }
}

impl From<UnknownUsage> for Failure {
    fn from(error: UnknownUsage) -> Failure {
        Failure::new(RobomatonCode::UnknownUsage, error.to_string())
    }
}

impl From<NoCrawler> for Failure {
    fn from(error: NoCrawler) -> Failure {
        Failure::new(RobomatonCode::NoCrawler, error.to_string())
    }
}

/// The files of a mapped image were modified.
#[cold]
pub(crate) fn modified() -> Failure {
    Failure::new(RobomatonCode::Modified, format!("the image {MODIFIED}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn messages_are_cut_between_characters() {
        let failure = Failure::new(RobomatonCode::Io, "\u{e9}".repeat(MESSAGE));
        assert_eq!(failure.written().len(), MESSAGE - 1);
        let failure = Failure::new(RobomatonCode::Io, "a\0b");
        assert_eq!(failure.written(), b"a?b\0");
    }

    #[test]
    fn the_struct_has_a_round_size() {
        assert_eq!(MESSAGE, size_of::<RobomatonError>() - offset_of!(RobomatonError, message));
        #[cfg(target_pointer_width = "64")]
        assert_eq!(size_of::<RobomatonError>(), 1024);
    }
}
