//! An open image: the door, and the look-up of sites.

use crate::crawler::{Crawler, Usage};
use crate::map::Mapped;
use crate::site::Site;
use crate::target::{self, Authority};
use crate::terms::Terms;
use crate::verdict::{Answer, Basis, Verdict};
use robomaton_formats::layout::{MAX_PROBE, bucket_tag, home_bucket, host_hash, overflow_bit};
use robomaton_formats::policy::is_special;
use robomaton_formats::read::{self, Layout, View};
use robomaton_formats::{Decision, ImageError, Profile, Scheme};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// An image, mapped from a file (the default) or over any bytes. Shared by reference among threads. A clone of a mapped
/// one shares the map: it is the same image, to be asked on other terms.
#[derive(Clone, Debug)]
pub struct Image<D = Mapped> {
    data: D,
    layout: Layout,
    terms: Terms,
}

/// An image file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot open {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
    /// The file is no image that this version reads.
    #[error("{path}: {error}")]
    Image {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: ImageError,
    },
}

/// How documents beside robots.txt are read, whatever the image's profile (K5 to K17).
const DOCUMENTS: Profile = Profile::Koster;

impl Image {
    /// Maps an image file. Takes constant time: header and section table are checked, contents only by
    /// [`Image::verify`].
    ///
    /// # Errors
    /// When the file cannot be read or does not begin as an image.
    pub fn open(path: impl AsRef<Path>) -> Result<Image, OpenError> {
        let path = path.as_ref();
        let data = Mapped::open(path).map_err(|error| OpenError::Io { path: path.to_owned(), error })?;
        Image::from_bytes(data).map_err(|error| OpenError::Image { path: path.to_owned(), error })
    }
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Opens an image over bytes in memory, likewise in constant time.
    ///
    /// # Errors
    /// When the bytes do not begin as an image.
    pub fn from_bytes(data: D) -> Result<Image<D>, ImageError> {
        let layout = Layout::parse(data.as_ref())?;
        Ok(Image { data, layout, terms: Terms::default() })
    }

    /// The same image, asked on other terms.
    #[must_use]
    pub fn with_terms(self, terms: Terms) -> Image<D> {
        Image { terms, ..self }
    }

    /// Checks the image against the format's rules, in time linear in it, on two threads: all that verdicts and their
    /// reasons rest on. Of the texts, it sees that they are whole, not what is in them.
    ///
    /// # Errors
    /// The first broken rule and where.
    pub fn verify(&self) -> Result<(), ImageError> {
        robomaton_formats::verify::verify(self.data.as_ref()).map(|_| ())
    }

    /// The same, and decompresses every text, in time linear in those.
    ///
    /// # Errors
    /// The first broken rule and where.
    pub fn verify_with_texts(&self) -> Result<(), ImageError> {
        robomaton_formats::verify::verify_with_texts(self.data.as_ref()).map(|_| ())
    }

    /// The image's records, for tools that look deeper than verdicts.
    #[inline]
    pub fn view(&self) -> View<'_> {
        View::new(self.data.as_ref(), &self.layout)
    }

    /// Header and section bounds.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The profile it was compiled under.
    pub fn profile(&self) -> Profile {
        self.layout.profile
    }

    /// How many sites it holds, and documents beside their robots.txt.
    pub fn len(&self) -> usize {
        self.view().fetches().len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Resolves a crawler by its names, best first (R5): the first that a file has a group for answers.
    pub fn crawler<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Crawler {
        Crawler::new(self.view(), self.profile().agent_rule(), &names.into_iter().collect::<Vec<_>>())
    }

    /// Resolves a usage by its name. Of one that the image has never heard of, fields about its general form or about
    /// `other` usages may still speak.
    pub fn usage(&self, name: &str) -> Usage<'static> {
        let number = self.view().usages().position(|usage| usage.eq_ignore_ascii_case(name));
        let number = number.map_or(Usage::UNSPOKEN, |number| number as u32);
        Usage { number, special: is_special(name), purpose: None }
    }

    /// All sites, in the order of their authorities.
    pub fn sites(&self) -> impl Iterator<Item = Site<'_>> {
        self.entries().filter(|site| !site.is_document)
    }

    /// All documents beside robots.txt, in the order of their authorities.
    pub fn documents(&self) -> impl Iterator<Item = Site<'_>> {
        self.entries().filter(|site| site.is_document)
    }

    /// Sites and documents together, in the order of their names.
    pub fn entries(&self) -> impl Iterator<Item = Site<'_>> {
        self.view().sites().map(|site| {
            let is_document = site.name.decode().is_some_and(|name| name.as_bytes().contains(&b'/'));
            if is_document { self.document_of(site) } else { self.site_of(site) }
        })
    }

    /// Another document of the site that an absolute URL belongs to, such as `data.txt` (K2), if the image holds it. Its
    /// verdicts are for URLs of that site.
    pub fn document(&self, url: &str, name: &str) -> Option<Site<'_>> {
        let (mut authority, _) = target::split(self.profile(), url).ok()?;
        authority.octets = Cow::Owned([&authority.octets, &b"/"[..], name.as_bytes()].concat());
        self.find(&authority).map(|site| self.document_of(site.site))
    }

    #[inline]
    fn site_of<'i>(&'i self, site: read::Site<'i>) -> Site<'i> {
        let profile = self.layout.profile;
        Site { view: self.view(), profile, terms: &self.terms, site, is_document: false }
    }

    fn document_of<'i>(&'i self, site: read::Site<'i>) -> Site<'i> {
        Site { profile: DOCUMENTS, is_document: true, ..self.site_of(site) }
    }

    /// The site that an absolute URL belongs to, if the image holds it.
    pub fn site(&self, url: &str) -> Option<Site<'_>> {
        let (authority, _) = target::split(self.profile(), url).ok()?;
        self.find(&authority)
    }

    /// Finds a site: exact scheme first, else one captured without a scheme.
    #[inline]
    pub(crate) fn find(&self, authority: &Authority<'_>) -> Option<Site<'_>> {
        self.find_hashed(authority, host_hash(&authority.octets, self.layout.seed))
    }

    #[inline]
    pub(crate) fn find_hashed(&self, authority: &Authority<'_>, hash: u64) -> Option<Site<'_>> {
        let view = self.view();
        let buckets = view.buckets();
        if buckets.is_empty() {
            return None;
        }
        let mut at = home_bucket(hash, buckets.len());
        let mut any = None;
        for _ in 0..MAX_PROBE {
            let bucket = buckets.get(at)?;
            for place in bucket.places(bucket_tag(hash)) {
                let site = view.site(bucket, place)?;
                if site.name.is(&authority.octets) {
                    match site.name.scheme()? {
                        scheme if scheme == authority.scheme => return Some(self.site_of(site)),
                        Scheme::Any => any = Some(site),
                        _ => {}
                    }
                }
            }
            if bucket.overflow & overflow_bit(hash) == 0 {
                break;
            }
            at = if at + 1 == buckets.len() { 0 } else { at + 1 };
        }
        any.map(|site| self.site_of(site))
    }

    /// May this crawler use this URL in this way? A site that the image does not hold is `unknown`.
    ///
    /// Allocates nothing, unless the URL's host is not in canonical spelling or has 64 octets or more, or its target needs
    /// more than a kilobyte of rewriting.
    #[inline]
    pub fn decide<'a>(&'a self, crawler: &'a Crawler, usage: Usage<'a>, url: &'a str) -> Verdict<'a> {
        let Ok((authority, target)) = target::split(self.profile(), url) else {
            return self.unknown(crawler, usage, url, Basis::NoUrl);
        };
        match self.find(&authority) {
            Some(site) => site.decide_target(crawler, usage, url, &target),
            None => self.unknown(crawler, usage, url, Basis::NoSite),
        }
    }

    #[inline]
    pub(crate) fn unknown<'a>(
        &'a self,
        crawler: &'a Crawler,
        usage: Usage<'a>,
        url: &'a str,
        basis: Basis,
    ) -> Verdict<'a> {
        Verdict { answer: Answer::plain(Decision::Unknown, basis), site: None, crawler, usage, url }
    }
}
