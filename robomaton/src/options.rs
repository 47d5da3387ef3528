//! The options for parsing one text: its site, its profile, the files it may refer to.
//!
//! `robots` parses with these. This module does not know what they mean.

use crate::{Limits, Profile};
use robomaton_compiler::Options;

/// Options for parsing [`Robots`](crate::Robots), where [`Robots::parse`](crate::Robots::parse) is
/// not enough.
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
    /// The options of [`Robots::parse`](crate::Robots::parse): every language, the default limits,
    /// no site.
    pub fn new() -> ParseOptions {
        ParseOptions::default()
    }

    /// Sets a URL of the site that the text is from. It matters for rules that are absolute URLs.
    #[must_use]
    pub fn site(mut self, url: impl Into<String>) -> ParseOptions {
        self.site = Some(url.into());
        self
    }

    /// Sets the profile, which is the set of languages to read.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> ParseOptions {
        self.options.profile = profile;
        self
    }

    /// Sets the limits. A text over a limit is disallowed ([`crate::Outcome::OverLimit`]).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> ParseOptions {
        self.options.limits = limits;
        self
    }

    /// Adds a file of the same site that the text may refer to (ACAP), by its path.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, text: impl Into<Vec<u8>>) -> ParseOptions {
        self.files.push((path.into(), text.into()));
        self
    }
}
