//! One text as an image of one site: what `check`, `explain`, `page`, `dump` and the tester ask.
//!
//! The text goes the whole way, compiler, writer and runtime, with the files that it refers to and pages of its site, so
//! that a question about a file and one about an image are answered by the same code. It does not know who asks.

use crate::error::Error;
use crate::words::count;
use robomaton_compiler::{
    Document, Entry, Options, OverLimit, Page, Policy, Surroundings, compile_fetched, emit,
};
use robomaton_formats::SiteKey;
use robomaton_runtime::{Image, Outcome, Profile, Site, Terms};

/// Stands in where only a path is known.
const NO_HOST: &str = "localhost";

/// A text, compiled for one site.
pub struct Single {
    /// The text, compiled.
    pub document: Document,
    image: Image<Vec<u8>>,
}

/// The site that a URL, or a path alone, is asked of.
pub struct Origin {
    key: SiteKey,
    /// Whether the host is known, so that absolute URLs in rules can be compared with it (R14).
    known: bool,
}

impl Origin {
    /// The site of a URL; a stand-in for a path, and under the profile `google`, which knows no hosts, for whatever
    /// is no URL.
    ///
    /// # Errors
    /// When it is neither.
    pub fn of(url: &str, profile: Profile) -> Result<Origin, Error> {
        match SiteKey::from_url(url) {
            Ok(key) => Ok(Origin { key, known: true }),
            Err(_) if profile == Profile::Google || is_path(url) => Origin::unknown(),
            Err(_) => Err(Error::NoUrl(url.to_owned())),
        }
    }

    /// A stand-in, where nothing is known.
    ///
    /// # Errors
    /// None that can happen.
    pub fn unknown() -> Result<Origin, Error> {
        let key = SiteKey::from_host(NO_HOST).map_err(|_| Error::NoSite)?;
        Ok(Origin { key, known: false })
    }

    /// The host and port, where they are known.
    pub fn authority(&self) -> Option<&str> {
        self.known.then(|| self.key.authority())
    }

    /// The files that a text refers to and that are not beside it.
    pub fn missing(&self, policy: &Policy<'_>, beside: &Beside) -> Vec<String> {
        let is_here = |locator: &String| {
            let of_site = match SiteKey::from_url(locator) {
                Ok(site) if self.authority() == Some(site.authority()) => {
                    let rest = locator.split_once("://").map_or("", |(_, rest)| rest);
                    rest.find(['/', '?']).map_or("/", |at| &rest[at..])
                }
                _ => locator,
            };
            beside.files.iter().any(|(path, _)| path == of_site)
        };
        policy.files.iter().filter(|locator| !is_here(locator)).cloned().collect()
    }
}

/// Whether this is a path of some site, or what may stand in its place. Two slashes begin a host.
fn is_path(url: &str) -> bool {
    url.is_empty() || url.starts_with(['/', '?', '#']) && !url.starts_with("//")
}

/// That the end of a text was left unread, in words that follow its name (R4).
pub fn unread(octets: usize, options: &Options) -> Option<String> {
    let limit = options.limits.bytes(options.profile);
    let were = if octets == 1 { "was" } else { "were" };
    (octets > 0).then(|| format!("is over {limit} bytes; its last {} {were} not read", count(octets, "byte")))
}

/// Why there are no rules of a text that has too many.
pub fn too_much(over: OverLimit) -> String {
    let OverLimit { limit, allowed, line } = over;
    format!("line {line} goes over the limit of {allowed} {}, so everything is disallowed", limit.unit())
}

/// What a text is read together with.
#[derive(Default)]
pub struct Beside {
    /// Other files of the site, by their paths.
    pub files: Vec<(String, Vec<u8>)>,
    /// Pages of the site.
    pub pages: Vec<Page>,
}

impl Beside {
    /// Files alone.
    pub fn files(files: Vec<(String, Vec<u8>)>) -> Beside {
        Beside { files, pages: Vec::new() }
    }

    /// The files that a document does not refer to, by their paths.
    pub fn unused<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = &'a str> {
        let paths = self.files.iter().map(|(path, _)| path);
        paths.filter(|path| !document.references.contains(path)).map(String::as_str)
    }

    /// The files, as the compiler takes them.
    pub fn slices(&self) -> Vec<(&str, &[u8])> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect()
    }
}

/// What became of fetching a text.
#[derive(Clone, Copy)]
pub struct Fetch {
    /// In a word.
    pub outcome: Outcome,
    /// The HTTP status, 0 when there was none.
    pub status: u16,
    /// Seconds since 1970, 0 when not known.
    pub fetched_at: u64,
    /// Seconds.
    pub fresh_for: Option<u32>,
}

impl Single {
    /// A text that was fetched well.
    ///
    /// # Errors
    /// When no image can be made of it.
    pub fn compile(
        text: &[u8],
        origin: &Origin,
        beside: &Beside,
        options: &Options,
    ) -> Result<Single, Error> {
        Single::fetched(text, origin, beside, None, options)
    }

    /// A text whose fetch went otherwise than well.
    ///
    /// # Errors
    /// When no image can be made of it.
    pub fn fetched(
        text: &[u8],
        origin: &Origin,
        beside: &Beside,
        fetch: Option<Fetch>,
        options: &Options,
    ) -> Result<Single, Error> {
        let files = beside.slices();
        let around = Surroundings { origin: origin.authority(), files: &files, pages: &beside.pages };
        Single::of(compile_fetched(text, &around, options), origin, fetch, options)
    }

    /// A document that is compiled already.
    ///
    /// # Errors
    /// When no image can be made of it.
    pub fn of(
        document: Document,
        origin: &Origin,
        fetch: Option<Fetch>,
        options: &Options,
    ) -> Result<Single, Error> {
        let mut entry = Entry::fetched(origin.key.clone(), &document);
        if let Some(Fetch { outcome, status, fetched_at, fresh_for }) = fetch {
            entry = Entry { status, fetched_at, fresh_for, ..entry };
            // Too much is too much, whatever became of the fetch.
            if entry.outcome != Outcome::OverLimit {
                entry.outcome = outcome;
            }
        }
        let image = emit(vec![entry], options).and_then(Image::from_bytes)?;
        Ok(Single { document, image })
    }

    /// The same, asked on other terms.
    #[must_use]
    pub fn with_terms(self, terms: Terms) -> Single {
        Single { image: self.image.with_terms(terms), ..self }
    }

    /// Why there are no rules, if there are none.
    pub fn reason(&self) -> Option<String> {
        let Document { outcome, over_limit, .. } = &self.document;
        match (outcome, over_limit) {
            (_, Some(over)) => Some(too_much(*over)),
            (Outcome::NotRobots, _) => Some(
                "there are no rules: this is a page or a binary file (outcome not-robots), so everything is allowed"
                    .to_owned(),
            ),
            (Outcome::Empty, _) => Some("there are no rules, so everything is allowed".to_owned()),
            _ => None,
        }
    }

    /// The image of it.
    pub fn image(&self) -> &Image<Vec<u8>> {
        &self.image
    }

    /// The one site.
    ///
    /// # Errors
    /// When there is none.
    pub fn site(&self) -> Result<Site<'_>, Error> {
        self.image.first_site().ok_or(Error::NoSite)
    }
}
