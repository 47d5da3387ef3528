//! How one text is parsed: its site, its dialect, the files beside it.
//!
//! `robots` parses with these. It does not know what they mean.

use crate::{Limits, Profile};
use robomaton_compiler::Options;

/// How [`Robots`](crate::Robots) is parsed, where [`Robots::parse`](crate::Robots::parse) is not
/// enough.
///
/// ```
/// use robomaton::{ParseOptions, Profile};
///
/// let text = "User-agent: *\nDisallow: https://example.com/private/\n";
/// let robots = ParseOptions::new().site("https://example.com/robots.txt").profile(Profile::Full).parse(text)?;
/// assert!(!robots.allowed("anybot", "https://example.com/private/x"));
/// # Ok::<(), robomaton::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    pub(crate) site: Option<String>,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) options: Options,
}

impl ParseOptions {
    /// The options of [`Robots::parse`](crate::Robots::parse): every dialect, the default limits,
    /// no site.
    pub fn new() -> ParseOptions {
        ParseOptions::default()
    }

    /// A URL of the site that the text is from. It matters to rules that are absolute URLs.
    #[must_use]
    pub fn site(mut self, url: impl Into<String>) -> ParseOptions {
        self.site = Some(url.into());
        self
    }

    /// The dialect to read.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> ParseOptions {
        self.options.profile = profile;
        self
    }

    /// What is too much. A text over a limit is disallowed ([`crate::Outcome::OverLimit`]).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> ParseOptions {
        self.options.limits = limits;
        self
    }

    /// A file of the same site that the text may refer to (ACAP), by its path.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, text: impl Into<Vec<u8>>) -> ParseOptions {
        self.files.push((path.into(), text.into()));
        self
    }
}
