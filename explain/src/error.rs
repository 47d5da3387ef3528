//! Why an answer cannot be explained.

use crate::url::url_mistake;
use crate::usages::UnknownUsage;
use robomaton_compiler::OverLimit;
use robomaton_formats::ImageError;

/// Why an answer cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL is no place of a site.
    #[error("{}; a path begins with /", url_mistake(.0).unwrap_or_default())]
    NoUrl(String),
    /// The usage is unknown.
    #[error(transparent)]
    Usage(#[from] UnknownUsage),
    /// The text is over a limit.
    #[error("{0}")]
    OverLimit(OverLimit),
    /// No image can be made of the text.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The stand-in for an unknown host is no host, or an image of one site holds none.
    #[error("internal error: the image holds no site")]
    NoSite,
    /// The image keeps no texts. Compile it without `--no-sources`; the deciding line is known
    /// anyway.
    #[error(
        "holds no texts (was it compiled with --no-sources?): compile it again without, or ask `robomaton query --json` \
         for the line that decides"
    )]
    NoTexts,
    /// Image and trace differ: one of them is wrong, and neither is to be trusted. Please report
    /// it.
    #[error("internal error: the image answers {image}, the trace {trace}; please report this")]
    Disagreement {
        /// What the image says.
        image: String,
        /// What the trace says.
        trace: String,
    },
}

impl From<OverLimit> for Error {
    fn from(over: OverLimit) -> Error {
        Error::OverLimit(over)
    }
}
