//! Why nothing can be told.

use crate::place::url_mistake;
use crate::usages::UnknownUsage;
use robomaton_compiler::OverLimit;
use robomaton_formats::ImageError;

/// Why nothing can be told.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is asked about is no place of a site.
    #[error("{}; a path begins with /", url_mistake(.0).unwrap_or_default())]
    NoUrl(String),
    /// The usage is none that anybody knows.
    #[error(transparent)]
    Usage(#[from] UnknownUsage),
    /// The text is over a limit.
    #[error("{0}")]
    OverLimit(OverLimit),
    /// The text cannot be made an image of.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The stand-in for an unknown host is no host, or an image of one site holds none.
    #[error("internal error: the image holds no site")]
    NoSite,
    /// The image keeps no texts. Compile it without `--no-sources`, or be content with the line that decides.
    #[error(
        "holds no texts (was it compiled with --no-sources?): compile it again without, or ask `robomaton query --json` \
         for the line that decides"
    )]
    NoTexts,
    /// The image and the naive evaluator differ: one of them is wrong, and neither is to be trusted. Please report it.
    #[error("internal error: the image answers {image}, the trace {trace}; please report this")]
    Disagreement {
        /// What the image says.
        image: String,
        /// What the naive evaluator says.
        trace: String,
    },
}

impl From<OverLimit> for Error {
    fn from(over: OverLimit) -> Error {
        Error::OverLimit(over)
    }
}
