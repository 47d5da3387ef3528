//! How one text is parsed: its site, its dialect, the files beside it.
//!
//! From a text to an image of one site: the compiler, the writer and the runtime, as for many. It does not know who asks.

use crate::{Error, Limits, Profile, Robots};
use robomaton_compiler::{Entry, Options, Surroundings, compile_fetched, emit};
use robomaton_formats::SiteKey;
use robomaton_runtime::Image;

/// Stands in where the site is not known.
const NO_HOST: &str = "localhost";

/// How [`Robots`] is parsed, where [`Robots::parse`] is not enough.
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
    site: Option<String>,
    files: Vec<(String, Vec<u8>)>,
    options: Options,
}

impl ParseOptions {
    /// The options of [`Robots::parse`]: every dialect, the default limits, no site.
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

    /// Parses a text.
    ///
    /// # Errors
    /// When the site is none, or limits were raised so far that the text does not fit an image.
    pub fn parse(&self, text: impl AsRef<[u8]>) -> Result<Robots, Error> {
        let error = |error| Error::Site { url: self.site.clone().unwrap_or_default(), error };
        let site = match &self.site {
            Some(url) => SiteKey::from_url(url),
            None => SiteKey::from_host(NO_HOST),
        };
        let site = site.map_err(error)?;
        let files: Vec<(&str, &[u8])> =
            self.files.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect();
        let origin = self.site.is_some().then(|| site.authority());
        let around = Surroundings { origin, files: &files, pages: &[] };
        let document = compile_fetched(text.as_ref(), &around, &self.options);
        let entry = Entry::fetched(site.clone(), &document);
        Ok(Robots::new(emit(vec![entry], &self.options).and_then(Image::from_bytes)?))
    }
}
