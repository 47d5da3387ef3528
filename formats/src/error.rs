//! Errors in the bytes of an image, each with the offset and the broken rule of SPEC.md.

/// The reason why an image cannot be opened or verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The first eight bytes are not the magic number (I1). `robomaton compile` makes images.
    #[error("not a robomaton image, which `robomaton compile` makes")]
    Magic,
    /// Another format version (I2). Either recompile the captures with this robomaton, or use the
    /// robomaton that wrote the image.
    #[error("image format version {found}, this robomaton reads {expected} (I2): recompile the captures")]
    Version {
        /// The version in the header.
        found: u32,
        /// The version that this crate reads.
        expected: u32,
    },
    /// The file is shorter or longer than its header says (I3).
    #[error(
        "image is {actual} bytes long, its header says {stated} (I3): was it cut off while being copied?"
    )]
    Length {
        /// The length in the header.
        stated: u64,
        /// The actual length.
        actual: u64,
    },
    /// Any other broken rule.
    #[error("image damaged at byte {at:#x}: {what} (I{rule})")]
    Damaged {
        /// The absolute offset of the offending byte.
        at: u64,
        /// The value found, and the value expected.
        what: String,
        /// The number of the broken rule in SPEC.md.
        rule: u8,
    },
    /// The contents exceed the format's limits (more than 2³¹ bytes of programs, for example).
    #[error("too large for one image: {0}")]
    TooLarge(&'static str),
    /// A layer of a stack breaks a rule.
    #[error("layer {name}: {error}")]
    Layer {
        /// The name of the layer in the manifest.
        name: String,
        /// The rule.
        #[source]
        error: Box<ImageError>,
    },
}

impl ImageError {
    /// The number of the broken rule in SPEC.md.
    pub fn rule(&self) -> Option<u8> {
        match self {
            ImageError::Magic => Some(1),
            ImageError::Version { .. } => Some(2),
            ImageError::Length { .. } => Some(3),
            ImageError::Damaged { rule, .. } => Some(*rule),
            ImageError::TooLarge(_) => None,
            ImageError::Layer { error, .. } => error.rule(),
        }
    }

    pub(crate) fn damaged(at: usize, rule: u8, what: impl Into<String>) -> ImageError {
        ImageError::Damaged { at: at as u64, what: what.into(), rule }
    }
}

/// The reason why an image cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The contents exceed the format's limits.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Reading or writing a file failed: is the disk full?
    #[error("cannot write: {0}")]
    Io(#[from] std::io::Error),
}

impl WriteError {
    /// The error of a writer in memory, where only the format's limits can fail.
    pub fn in_memory(self) -> ImageError {
        match self {
            WriteError::Image(error) => error,
            WriteError::Io(_) => ImageError::TooLarge("more than memory holds"),
        }
    }
}
