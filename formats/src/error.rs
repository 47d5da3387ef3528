//! What can be wrong with the bytes of an image, said with the place and the rule of SPEC.md that
//! is broken.

/// An image cannot be opened, or does not verify.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The first eight bytes are not those of an image (I1). `robomaton compile` makes images.
    #[error("not a robomaton image, which `robomaton compile` makes")]
    Magic,
    /// Another format version (I2). Two cures: recompile the captures with this robomaton, or ask
    /// with the robomaton that wrote the image.
    #[error("image format version {found}, this robomaton reads {expected} (I2): recompile the captures")]
    Version {
        /// What the header says.
        found: u32,
        /// What this crate reads.
        expected: u32,
    },
    /// The file is shorter or longer than its header says (I3).
    #[error(
        "image is {actual} bytes long, its header says {stated} (I3): was it cut off while being copied?"
    )]
    Length {
        /// The header's length.
        stated: u64,
        /// The bytes at hand.
        actual: u64,
    },
    /// Any other broken rule.
    #[error("image damaged at byte {at:#x}: {what} (I{rule})")]
    Damaged {
        /// The absolute offset of the offending byte.
        at: u64,
        /// What was found, and what was expected.
        what: String,
        /// The number of the rule in SPEC.md.
        rule: u8,
    },
    /// The contents do not fit the format (more than 2³¹ bytes of programs, for one).
    #[error("too large for one image: {0}")]
    TooLarge(&'static str),
}

impl ImageError {
    /// The number of the rule in SPEC.md that is broken.
    pub fn rule(&self) -> Option<u8> {
        match self {
            ImageError::Magic => Some(1),
            ImageError::Version { .. } => Some(2),
            ImageError::Length { .. } => Some(3),
            ImageError::Damaged { rule, .. } => Some(*rule),
            ImageError::TooLarge(_) => None,
        }
    }

    pub(crate) fn damaged(at: usize, rule: u8, what: impl Into<String>) -> ImageError {
        ImageError::Damaged { at: at as u64, what: what.into(), rule }
    }
}

/// An image cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The contents do not fit the format.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The system refuses to keep or to give bytes: is the disk full?
    #[error("cannot write: {0}")]
    Io(#[from] std::io::Error),
}

impl WriteError {
    /// The error of who writes into memory, where nothing fails but the format.
    pub fn in_memory(self) -> ImageError {
        match self {
            WriteError::Image(error) => error,
            WriteError::Io(_) => ImageError::TooLarge("more than memory holds"),
        }
    }
}
