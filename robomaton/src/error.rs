//! Why a text cannot be parsed: options that contradict themselves, never the text itself.

use robomaton_formats::ImageError;
use robomaton_formats::site::SiteError;

/// Why [`crate::ParseOptions::parse`] gives no [`crate::Robots`].
///
/// ```
/// use robomaton::{Error, ParseOptions};
///
/// let error = ParseOptions::new().site("example.com/robots.txt").parse("").unwrap_err();
/// assert!(matches!(error, Error::Site { .. }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What was given as the site of the text is no URL of one.
    #[error("{url:?} is no URL of a site: {error}")]
    Site {
        /// What was given.
        url: String,
        /// What is wrong with it.
        error: SiteError,
    },
    /// Limits were raised so far that the text no longer fits the image format.
    #[error(transparent)]
    Image(#[from] ImageError),
}
