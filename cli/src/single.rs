//! One text as an image of one site: what `check`, `explain` and `dump` ask.
//!
//! The text goes the whole way, compiler, writer and runtime, so that a question about a file and one about an image
//! are answered by the same code. It does not know who asks.

use crate::failure::Failure;
use robomaton_compiler::{Document, Entry, Options, compile, emit};
use robomaton_formats::SiteKey;
use robomaton_runtime::{Image, Profile, Site};

/// Stands in where only a path is known.
const NO_HOST: &str = "localhost";

/// A text, compiled for one site.
pub(crate) struct Single {
    pub(crate) document: Document,
    image: Image<Vec<u8>>,
}

/// The site that a URL, or a path alone, is asked of.
pub(crate) struct Origin {
    key: SiteKey,
    /// Whether the host is known, so that absolute URLs in rules can be compared with it (R14).
    known: bool,
}

impl Origin {
    /// The site of a URL; a stand-in for a path, and under the profile `google`, which knows no hosts, for whatever
    /// is no URL.
    pub(crate) fn of(url: &str, profile: Profile) -> Result<Origin, Failure> {
        match SiteKey::from_url(url) {
            Ok(key) => Ok(Origin { key, known: true }),
            Err(_) if profile == Profile::Google || url.is_empty() || url.starts_with(['/', '?', '#']) => {
                Origin::unknown()
            }
            Err(error) => {
                Err(Failure::Said(format!("{url:?} is neither a path nor a URL of a site: {error}")))
            }
        }
    }

    pub(crate) fn unknown() -> Result<Origin, Failure> {
        let key = SiteKey::from_host(NO_HOST).map_err(Failure::from_error)?;
        Ok(Origin { key, known: false })
    }

    pub(crate) fn authority(&self) -> Option<&str> {
        self.known.then(|| self.key.authority())
    }
}

impl Single {
    pub(crate) fn compile(text: &[u8], origin: &Origin, options: &Options) -> Result<Single, Failure> {
        let document = compile(text, origin.authority(), options);
        let image = emit(vec![Entry::fetched(origin.key.clone(), &document)], 1, options)
            .and_then(Image::from_bytes)
            .map_err(Failure::from_error)?;
        Ok(Single { document, image })
    }

    pub(crate) fn image(&self) -> &Image<Vec<u8>> {
        &self.image
    }

    /// The one site.
    pub(crate) fn site(&self) -> Result<Site<'_>, Failure> {
        self.image
            .sites()
            .next()
            .ok_or_else(|| Failure::Said("internal error: the image holds no site".to_owned()))
    }
}
