//! Errors of parsing: options that are invalid, never the text itself.

use robomaton_formats::ImageError;
use robomaton_formats::site::SiteError;

/// The error of [`crate::ParseOptions::parse`], which then gives no [`crate::Robots`].
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
    /// The given site is not the URL of a site.
    #[error("{url:?} is not the URL of a site: {error}")]
    Site {
        /// The given site.
        url: String,
        /// The reason.
        error: SiteError,
    },
    /// Limits were raised so far that the text no longer fits the image format.
    #[error(transparent)]
    Image(#[from] ImageError),
}
