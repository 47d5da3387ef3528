//! Finds the site of a URL in the host table (SPEC.md section 4, "Look-up").
//!
//! Stored names are canonical, so a host that equals one byte by byte is canonical, too: it is
//! looked up as it is written, and nothing is checked. Only a host that is not found this way is
//! read as the URL standard says (`target::split`), and looked up once more if that gives another
//! name. Invariant: both ways find the same site, which a test holds. It does not know what answers
//! for a site.

use crate::image::{Image, Shard};
use crate::target::{self, Authority, Target, Written};
use robomaton_formats::Scheme;
use robomaton_formats::layout::{fingerprint, host_hash, overflow_bit, probes};
use robomaton_formats::read;
use std::borrow::Cow;

/// A site and the shard that holds it.
pub(crate) type Found<'i, D> = (&'i Shard<D>, read::Site<'i>);

/// The result of looking for the site of a URL.
pub(crate) enum Search<'i, 'u, D> {
    /// The site, and the URL's target.
    Found(Found<'i, D>, Target<'u>),
    /// The image does not contain the site.
    NoSite,
    /// The text is not a URL of a site.
    NoUrl,
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Finds the site of a URL.
    #[inline(always)]
    pub(crate) fn search<'i, 'u>(&'i self, url: &'u str) -> Search<'i, 'u, D> {
        let written = Written::of(url.as_bytes());
        if let Some(written) = &written {
            let shard = self.shard(written.host());
            let hash = shard.hash(written.host());
            if let Some(site) = shard.find(written.text, written.length, written.scheme, hash) {
                return Search::Found((shard, site), written.target(self.profile(), url));
            }
        }
        self.search_parsed(written.as_ref(), url)
    }

    /// Finds the site of a URL that was not found as it is `written`.
    #[inline(never)]
    pub(crate) fn search_parsed<'i, 'u>(
        &'i self,
        written: Option<&Written<'u>>,
        url: &'u str,
    ) -> Search<'i, 'u, D> {
        let Ok((authority, target)) = target::split(self.profile(), url) else { return Search::NoUrl };
        // A host that was canonical as it is written was not found.
        let is_same = matches!(authority.bytes, Cow::Borrowed(_))
            && written.is_some_and(|written| written.length == authority.bytes.len());
        let found = if is_same { None } else { self.find(&authority) };
        found.map_or(Search::NoSite, |found| Search::Found(found, target))
    }

    /// Finds a site by its canonical name.
    pub(crate) fn find<'i>(&'i self, authority: &Authority<'_>) -> Option<Found<'i, D>> {
        let name = &authority.bytes;
        let shard = self.shard(name);
        Some((shard, shard.find(name, name.len(), authority.scheme, shard.hash(name))?))
    }
}

impl<D: AsRef<[u8]>> Shard<D> {
    /// The hash of a site's name in this shard.
    #[inline(always)]
    pub(crate) fn hash(&self, name: &[u8]) -> u64 {
        host_hash(name, self.seed())
    }

    /// Finds the site whose name is the first `length` bytes of `text`, by the hash of its name:
    /// first with the exact scheme, then one captured without a scheme.
    #[inline(always)]
    pub(crate) fn find(
        &self,
        text: &[u8],
        length: usize,
        scheme: Scheme,
        hash: u64,
    ) -> Option<read::Site<'_>> {
        let view = self.view();
        let buckets = view.buckets();
        let mut any = None;
        for at in probes(hash, buckets.len()) {
            let bucket = buckets.get(at)?;
            for place in bucket.places(fingerprint(hash)) {
                let site = view.site(bucket, place)?;
                let name = site.name()?;
                if name.is(text, length) {
                    match name.scheme()? {
                        of_name if of_name == scheme => return Some(site),
                        Scheme::Any => any = Some(site),
                        _ => {}
                    }
                }
            }
            if bucket.overflow & overflow_bit(hash) == 0 {
                break;
            }
        }
        any
    }
}
