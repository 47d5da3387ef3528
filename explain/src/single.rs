//! One text as an image of one site, for `check`, `explain`, `page`, `dump` and the tester.
//!
//! The text passes through compiler, writer and runtime, with the files that it refers to and pages
//! of its site, so the same code answers for a file and for an image. It does not know the crawler.

use crate::error::Error;
use crate::words::count;
use robomaton_compiler::{
    CompileContext, Document, Entry, Options, OverLimit, Policy, compile_fetched, emit, referred,
};
use robomaton_formats::SiteKey;
use robomaton_formats::site::absolute_url;
use robomaton_runtime::{Image, Outcome, Profile, Site, Terms};
use std::borrow::Cow;

/// The host of a site if only a path is known.
const NO_HOST: &str = "localhost";

/// A text, compiled for one site.
pub struct SingleSite {
    /// The compiled text.
    pub document: Document,
    image: Image<Vec<u8>>,
}

/// The site of a URL or of a path alone.
pub struct Origin {
    key: SiteKey,
    /// True if the host is known, so that absolute URLs in rules can be compared with it (R14).
    known: bool,
}

impl Origin {
    /// The site of a URL. A placeholder stands for the site of a path, and under the profile
    /// `google`, which knows no hosts, of anything that is not a URL.
    ///
    /// # Errors
    /// If it is neither.
    pub fn of(url: &str, profile: Profile) -> Result<Origin, Error> {
        match SiteKey::from_url(url) {
            Ok(key) => Ok(Origin { key, known: true }),
            Err(_) if profile == Profile::Google || is_path(url) => Origin::unknown(),
            Err(_) => Err(Error::NoUrl(url.to_owned())),
        }
    }

    /// A placeholder for an unknown site.
    ///
    /// # Errors
    /// None that can occur.
    pub fn unknown() -> Result<Origin, Error> {
        let key = SiteKey::from_host(NO_HOST).map_err(|_| Error::NoSite)?;
        Ok(Origin { key, known: false })
    }

    /// The host and port, if they are known.
    pub fn authority(&self) -> Option<&str> {
        self.known.then(|| self.key.authority())
    }

    /// The context of a text of the site, with the files of [`SpelledFiles::slices`].
    pub fn context<'a, 's>(&'a self, files: &'a [(&'a str, &'s [u8])]) -> CompileContext<'a, 's> {
        CompileContext { origin: self.authority(), files, ..CompileContext::default() }
    }

    /// The files that a text refers to, but that are missing.
    pub fn missing(&self, policy: &Policy<'_>, files: &SpelledFiles<'_>) -> Vec<String> {
        let is_here = |locator: &String| {
            let key = referred(locator, self.authority());
            key.is_some_and(|key| files.0.iter().any(|(known, _)| *known == key))
        };
        policy.files.iter().filter(|locator| !is_here(locator)).cloned().collect()
    }
}

/// True if this is a path, a query or a fragment. Two slashes begin a host.
fn is_path(url: &str) -> bool {
    url.is_empty() || url.starts_with(['/', '?', '#']) && !url.starts_with("//")
}

/// A remark that the end of a text was not read, for use after its name (R4).
pub fn unread(bytes: usize, options: &Options) -> Option<String> {
    let limit = options.limits.bytes(options.profile);
    let were = if bytes == 1 { "was" } else { "were" };
    (bytes > 0).then(|| format!("is over {limit} bytes; its last {} {were} not read", count(bytes, "byte")))
}

/// The remark that a text was captured in part, for use after its name.
pub(crate) const PARTIAL: &str = "was not captured to its end";

/// The reason why a text that exceeds a limit has no rules.
pub fn too_much(over: OverLimit) -> String {
    let OverLimit { limit, allowed, line } = over;
    format!("line {line} goes over the limit of {allowed} {}, so everything is disallowed", limit.unit())
}

/// Other files that a robots.txt may refer to, each by its path on the site or its URL
/// (`absolute_url`).
#[derive(Clone, Debug, Default)]
pub struct SiteFiles(pub Vec<(String, Vec<u8>)>);

impl SiteFiles {
    /// The files that none of these references of a text names, by their keys.
    pub fn unused<'a>(
        &'a self,
        references: &'a [String],
        origin: &'a Origin,
    ) -> impl Iterator<Item = &'a str> {
        let is_used = |key: &String| {
            spellings(key, origin).any(|key| {
                references.iter().any(|url| *url == key || absolute_url(url).as_deref() == Some(&*key))
            })
        };
        self.0.iter().map(|(key, _)| key).filter(move |key| !is_used(key)).map(String::as_str)
    }

    /// Every file under each of its keys, path and URL: ACAP refers to a file of its own site by
    /// path, RSL by URL.
    pub fn spelled(&self, origin: &Origin) -> SpelledFiles<'_> {
        let files = self.0.iter().flat_map(|(key, text)| {
            spellings(key, origin).map(|key| (key.into_owned(), text.as_slice())).collect::<Vec<_>>()
        });
        SpelledFiles(files.collect())
    }
}

/// The key of a file, and the other one that it has on this site.
fn spellings<'k>(key: &'k str, origin: &Origin) -> impl Iterator<Item = Cow<'k, str>> {
    let other = match origin.authority() {
        Some(_) if key.starts_with('/') => absolute_url(&format!("{}{key}", origin.key)),
        authority => referred(key, authority).filter(|path| path != key),
    };
    [Some(Cow::Borrowed(key)), other.map(Cow::Owned)].into_iter().flatten()
}

/// [`SiteFiles`] by all their keys on a site.
pub struct SpelledFiles<'a>(Vec<(String, &'a [u8])>);

impl SpelledFiles<'_> {
    /// The files in the form that the compiler takes.
    pub fn slices(&self) -> Vec<(&str, &[u8])> {
        self.0.iter().map(|(key, text)| (key.as_str(), *text)).collect()
    }
}

/// The fetch of a text.
#[derive(Clone, Copy)]
pub struct Fetch {
    /// The outcome.
    pub outcome: Outcome,
    /// The HTTP status, 0 if there was none.
    pub status: u16,
    /// Seconds since 1970, 0 if unknown.
    pub fetched_at: u64,
    /// Seconds for which the text is fresh.
    pub fresh_for: Option<u32>,
}

impl SingleSite {
    /// Compiles a text that was fetched successfully.
    ///
    /// # Errors
    /// If it does not fit an image.
    pub fn compile(
        text: &[u8],
        origin: &Origin,
        files: &SiteFiles,
        options: &Options,
    ) -> Result<SingleSite, Error> {
        let files = files.spelled(origin);
        let files = files.slices();
        let document = compile_fetched(text, &origin.context(&files), options);
        SingleSite::of(document, origin, None, options)
    }

    /// The site of a compiled document. `fetch` is `None` if the fetch succeeded.
    ///
    /// # Errors
    /// If it does not fit an image.
    pub fn of(
        document: Document,
        origin: &Origin,
        fetch: Option<Fetch>,
        options: &Options,
    ) -> Result<SingleSite, Error> {
        let mut entry = Entry::fetched(origin.key.clone(), &document);
        if let Some(Fetch { outcome, status, fetched_at, fresh_for }) = fetch {
            entry = Entry { status, fetched_at, fresh_for, ..entry };
            // A text over a limit has that outcome, whatever the fetch.
            if entry.outcome != Outcome::OverLimit {
                entry.outcome = outcome;
            }
        }
        let image = emit(vec![entry], options).and_then(Image::from_bytes)?;
        Ok(SingleSite { document, image })
    }

    /// The same site under other terms.
    #[must_use]
    pub fn with_terms(self, terms: Terms) -> SingleSite {
        SingleSite { image: self.image.with_terms(terms), ..self }
    }

    /// The reason why there are no rules, if there are none.
    pub fn reason(&self) -> Option<String> {
        let Document { outcome, over_limit, .. } = &self.document;
        match (outcome, over_limit) {
            (_, Some(over)) => Some(too_much(*over)),
            (Outcome::NotRobots, _) => Some(
                "there are no rules: this is a page or a binary file (outcome not-robots), so crawling is allowed"
                    .to_owned(),
            ),
            (Outcome::Empty, _) => Some("there are no rules, so crawling is allowed".to_owned()),
            _ => None,
        }
    }

    /// The image of the site.
    pub fn image(&self) -> &Image<Vec<u8>> {
        &self.image
    }

    /// The site.
    ///
    /// # Errors
    /// If there is none.
    pub fn site(&self) -> Result<Site<'_>, Error> {
        self.image.first_site().ok_or(Error::NoSite)
    }
}
