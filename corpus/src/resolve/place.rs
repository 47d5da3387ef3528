//! The places that captures are of, and redirects lead to.
//!
//! `resolve` keeps the captures of each. Invariant: spellings of a URL that rules do not tell apart
//! are one place, and nobody can find two URLs of one hash. It does not know what a place answers.

use crate::Capture;
use crate::capture::{ROBOTS_TXT, canonical, is_root_file};
use robomaton_formats::site::SiteKey;
use sha2::{Digest as _, Sha256};
use url::{Position, Url};

/// The subject of a capture, or the target of a redirect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// The `/robots.txt` of a site, or another document with a key.
    Site(SiteKey),
    /// Any other URL, by the hash of the form in which rules are compared with it.
    Other(u128),
}

impl Place {
    /// The place of a capture.
    pub(crate) fn of(capture: &Capture) -> Place {
        if capture.is_robots() { Place::Site(capture.site.clone()) } else { Place::Other(hash_of(capture)) }
    }

    /// The place of the target of a robots.txt; `None` if its path is `/robots.txt` and it names no
    /// site.
    pub(crate) fn of_target(url: &Url) -> Option<Place> {
        match is_root_file(url, ROBOTS_TXT) {
            true => SiteKey::from_url(url.as_str()).ok().map(Place::Site),
            false => Some(Place::Other(normal_hash(url))),
        }
    }
}

/// The hash of the URL of a capture, as it was written: rules, and pages, tell URLs apart that the
/// URL standard reads as one, such as `/x/../p` and `/p`.
pub(super) fn hash_of(capture: &Capture) -> u128 {
    place_hash(&capture.site, &capture.target())
}

/// The hash of a URL as clients ask for it.
pub(super) fn normal_hash(url: &Url) -> u128 {
    let target = &url[Position::BeforePath..Position::AfterQuery];
    SiteKey::from_url(url.as_str()).map_or_else(|_| hash(url.as_str()), |site| place_hash(&site, target))
}

/// The hash of a site and a path and query, as rules are compared with it.
pub(super) fn place_hash(site: &SiteKey, target: &str) -> u128 {
    hash(&format!("{site}{}", canonical(target)))
}

/// A hash that stands for a URL, and is the same in every run, so nobody may be able to find two
/// URLs of one hash.
fn hash(url: &str) -> u128 {
    Sha256::digest(url).first_chunk().map_or(0, |&bytes| u128::from_le_bytes(bytes))
}
