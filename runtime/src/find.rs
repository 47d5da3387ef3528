//! Finds the site of a URL in the host table (SPEC.md section 4, "Look-up").
//!
//! Stored names are canonical, so a host that equals one byte by byte is canonical, too: it is
//! looked up as it is written, and nothing is checked. Only a host that is not found this way is
//! read as the URL standard says (`target::split`), and looked up once more if that gives another
//! name. Invariant: both ways find the same site, which a test holds. It does not know what answers
//! for a site.

use crate::image::Image;
use crate::stack::Shard;
use crate::target::{self, Authority, Target, Written};
use robomaton_formats::Scheme;
use robomaton_formats::layout::{Bucket, Section, fingerprint, home_bucket, host_hash, overflow_bit, probes};
use robomaton_formats::name::Name;
use robomaton_formats::read::{Slot, View};
use std::borrow::Cow;

/// A site and the shard that holds it.
pub(crate) type Found<'i, D> = (&'i Shard<D>, Slot<'i>);

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
    pub(crate) fn search<'i, 'u>(&'i self, url: &'u str) -> Search<'i, 'u, D> {
        let written = Written::of(url.as_bytes());
        if let Some(written) = &written
            && let Some(found) = self.find_written(written)
        {
            return Search::Found(found, written.target(self.profile(), url));
        }
        self.search_parsed(written.as_ref(), url)
    }

    /// Finds a site whose name is the host as it is written, in the newest layer that holds it.
    #[inline(always)]
    pub(crate) fn find_written<'i>(&'i self, written: &Written<'_>) -> Option<Found<'i, D>> {
        match &self.rest {
            None => Some((&self.first, self.first.find_name(written)?)),
            Some(rest) => self.find_in(rest, written),
        }
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
        let Authority { scheme, bytes } = authority;
        self.find_written(&Written { scheme: *scheme, text: bytes, length: bytes.len() })
    }
}

impl<D: AsRef<[u8]>> Shard<D> {
    /// The hash of a name in this shard.
    #[inline(always)]
    pub(crate) fn hash(&self, name: &Written<'_>) -> u64 {
        host_hash(name.host(), self.seed())
    }

    /// Finds the site with this name.
    #[inline(always)]
    pub(crate) fn find_name(&self, name: &Written<'_>) -> Option<Slot<'_>> {
        self.find(name, self.hash(name))
    }

    /// Finds the site with this name, which has this hash: first with the exact scheme, then one
    /// captured without a scheme. Out of line, since it needs all registers.
    #[inline(never)]
    pub(crate) fn find(&self, wanted: &Written<'_>, hash: u64) -> Option<Slot<'_>> {
        let view = self.view();
        let bucket = view.bucket(home_bucket(hash, view.bucket_count()))?;
        // Nearly every site is the first one in its home bucket with its fingerprint. To look there
        // alone needs no memory for anything else.
        if let Some(place) = bucket.place(fingerprint(hash)) {
            let slot = Slot::read(bucket, place)?;
            let name = slot.name()?;
            let is_it = !name.is_elsewhere() && name.is(wanted.text, wanted.length);
            if is_it && name.scheme() == Some(wanted.scheme) {
                return Some(slot);
            }
            return self.find_from(wanted, hash, 0);
        }
        if bucket.overflow & overflow_bit(hash) == 0 { None } else { self.find_from(wanted, hash, 1) }
    }

    /// Looks through the buckets in which the site may be, from its home bucket (0) or a later one
    /// on.
    #[inline(never)]
    fn find_from<'i>(&'i self, wanted: &Written<'_>, hash: u64, first: usize) -> Option<Slot<'i>> {
        let view = self.view();
        let mut any = None;
        for number in probes(hash, view.bucket_count()).skip(first) {
            let bucket = view.bucket(number)?;
            if let Some(slot) = in_bucket(view, bucket, wanted, hash, &mut any) {
                return Some(slot);
            }
            if bucket.overflow & overflow_bit(hash) == 0 {
                break;
            }
        }
        any
    }
}

/// Finds the site in a bucket. If it has only a site of the name without a scheme, that goes into
/// `any`.
#[inline(always)]
fn in_bucket<'i>(
    view: View<'i>,
    bucket: &'i Bucket,
    wanted: &Written<'_>,
    hash: u64,
    any: &mut Option<Slot<'i>>,
) -> Option<Slot<'i>> {
    let &Written { scheme: wanted_scheme, text, length } = wanted;
    for place in bucket.places(fingerprint(hash)) {
        let slot = Slot::read(bucket, place)?;
        let name = slot.name()?;
        let is_it =
            if name.is_elsewhere() { is_long(view, name, text, length) } else { name.is(text, length) };
        if !is_it {
            continue;
        }
        match name.scheme()? {
            scheme if scheme == wanted_scheme => return Some(slot),
            Scheme::Any => *any = Some(slot),
            _ => {}
        }
    }
    None
}

/// The comparison with a name in the section of long names.
#[cold]
fn is_long(view: View<'_>, name: Name<'_>, text: &[u8], length: usize) -> bool {
    name.whole(view.section(Section::Names)).is_some_and(|name| name.is(text, length))
}
