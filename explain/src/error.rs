//! The reasons why an answer cannot be explained.

use crate::url::url_mistake;
use crate::usages::UnknownUsage;
use robomaton_compiler::OverLimit;
use robomaton_formats::ImageError;

/// The reason why an answer cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL does not belong to a site.
    #[error("{}; a path begins with /", url_mistake(.0).unwrap_or_default())]
    NoUrl(String),
    /// The usage is unknown.
    #[error(transparent)]
    Usage(#[from] UnknownUsage),
    /// The text is over a limit.
    #[error("{0}")]
    OverLimit(OverLimit),
    /// The text does not fit an image.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The placeholder for an unknown host is invalid, or an image of one site has none: a bug.
    #[error("internal error: the image holds no site")]
    NoSite,
    /// The image has no texts. Compile it without `--no-sources`; the deciding line is known in any
    /// case.
    #[error(
        "holds no texts (was it compiled with --no-sources?): compile it again without, or ask `robomaton query --json` \
         for the line that decides"
    )]
    NoTexts,
    /// Image and trace differ: one of them is wrong, and neither can be trusted. Please report it.
    #[error("internal error: the image answers {image}, the trace {trace}; please report this")]
    Disagreement {
        /// The answer of the image.
        image: String,
        /// The answer of the trace.
        trace: String,
    },
}

impl From<OverLimit> for Error {
    fn from(over: OverLimit) -> Error {
        Error::OverLimit(over)
    }
}
