//! An open image: the look-up of sites, and questions about URLs.

use crate::answer::{Answer, Basis};
use crate::crawler::{Crawler, Usage};
use crate::memory::Memory;
use crate::site::Site;
use crate::target::{self, Authority};
use crate::terms::Terms;
use crate::verdict::Verdict;
use robomaton_formats::detail::Detail;
use robomaton_formats::layout::{
    MAX_PROBE, Section, fingerprint, home_bucket, host_hash, overflow_bit, shard_of,
};
use robomaton_formats::policy::is_special;
use robomaton_formats::read::{self, Layout, View};
use robomaton_formats::{Decision, DocumentId, ImageError, Profile, Scheme};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An image, from a file or a directory of shards (the default) or over any bytes. Shared by
/// reference among threads. A clone of one from files shares their bytes: it is the same image, to
/// be asked on other terms.
#[derive(Clone, Debug)]
pub struct Image<D = Memory> {
    /// The whole image, or the first shard.
    first: Shard<D>,
    others: Vec<Shard<D>>,
    terms: Terms,
}

/// A file of an image.
#[derive(Clone, Debug)]
pub(crate) struct Shard<D> {
    data: D,
    layout: Layout,
}

impl<D: AsRef<[u8]>> Shard<D> {
    pub(crate) fn new(data: D) -> Result<Shard<D>, ImageError> {
        let layout = Layout::parse(data.as_ref())?;
        Ok(Shard { data, layout })
    }

    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        View::new(self.data.as_ref(), &self.layout)
    }

    /// The hash of a site's name here.
    #[inline]
    pub(crate) fn hash(&self, authority: &Authority<'_>) -> u64 {
        host_hash(&authority.bytes, self.layout.seed)
    }
}

/// A site that is next in its shard. The least comes first.
struct Next<'i, D> {
    key: (Box<str>, Option<Scheme>),
    number: usize,
    shard: &'i Shard<D>,
    site: read::Site<'i>,
}

impl<D> Ord for Next<'_, D> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl<D> PartialOrd for Next<'_, D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<D> PartialEq for Next<'_, D> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<D> Eq for Next<'_, D> {}

/// Why files are not the shards of one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardsError {
    /// There is no file.
    #[error("holds no file *.{SHARD_EXTENSION}")]
    Empty,
    /// Some are missing, or there are others.
    #[error("holds {count} files, which are not the {shards} shards of one image, each once")]
    Count {
        /// How many files there are.
        count: usize,
        /// How many shards one of them says there are.
        shards: usize,
    },
    /// They were not made together.
    #[error("holds shards that were not made together")]
    Unlike,
}

/// The files of this ending in a directory are shards of an image.
pub const SHARD_EXTENSION: &str = "rimg";

/// How documents beside robots.txt are read, whatever the image's profile (K5 to K17).
const DOCUMENTS: Profile = Profile::Koster;

impl<D: AsRef<[u8]>> Image<D> {
    /// Opens an image over bytes in memory, likewise in constant time. Of a shard alone, the sites
    /// of others are unknown.
    ///
    /// # Errors
    /// When the bytes do not begin as an image.
    pub fn from_bytes(data: D) -> Result<Image<D>, ImageError> {
        Ok(Image::of_one(Shard::new(data)?))
    }

    /// The image of one file.
    pub(crate) fn of_one(shard: Shard<D>) -> Image<D> {
        Image { first: shard, others: Vec::new(), terms: Terms::default() }
    }

    /// Joins shards, in whatever order.
    pub(crate) fn of_shards(mut shards: Vec<Shard<D>>) -> Result<Image<D>, ShardsError> {
        let count = shards.len();
        shards.sort_by_key(|shard| shard.layout.shard);
        for (number, shard) in shards.iter().enumerate() {
            let (stated, last) = shard.layout.shard;
            if usize::from(last) + 1 != count || usize::from(stated) != number {
                return Err(ShardsError::Count { count, shards: usize::from(last) + 1 });
            }
            let alike = [Section::Crawlers, Section::CrawlerNames, Section::Usages, Section::Meta];
            let sums = |shard: &Shard<D>| alike.map(|section| shard.layout.checksum(section));
            if shard.layout.profile != shards[0].layout.profile || sums(shard) != sums(&shards[0]) {
                return Err(ShardsError::Unlike);
            }
        }
        let mut shards = shards.into_iter();
        let first = shards.next().ok_or(ShardsError::Empty)?;
        Ok(Image { first, others: shards.collect(), terms: Terms::default() })
    }

    /// The same image, asked on other terms.
    #[must_use]
    pub fn with_terms(self, terms: Terms) -> Image<D> {
        Image { terms, ..self }
    }

    /// Checks the image against the format's rules, in time linear in it, on two threads: all that
    /// verdicts and their reasons rest on. Of the texts, it sees that they are whole, not what is
    /// in them.
    ///
    /// # Errors
    /// The first broken rule and where.
    pub fn verify(&self) -> Result<(), ImageError> {
        self.shards().try_for_each(|shard| robomaton_formats::verify::verify(shard.first.data).map(|_| ()))
    }

    /// The same, and decompresses every text, in time linear in those.
    ///
    /// # Errors
    /// The first broken rule and where.
    pub fn verify_with_texts(&self) -> Result<(), ImageError> {
        let verify = |bytes| robomaton_formats::verify::verify_with_texts(bytes).map(|_| ());
        self.shards().try_for_each(|shard| verify(shard.first.data))
    }

    /// The files that it consists of, each as an image, for tools that look deeper than verdicts.
    pub fn shards(&self) -> impl Iterator<Item = Image<&[u8]>> {
        self.all().map(|Shard { data, layout }| Image {
            first: Shard { data: data.as_ref(), layout: layout.clone() },
            others: Vec::new(),
            terms: self.terms.clone(),
        })
    }

    fn all(&self) -> impl Iterator<Item = &Shard<D>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The shard that a site lies in, by its authority.
    #[inline]
    pub(crate) fn shard(&self, authority: &[u8]) -> &Shard<D> {
        if self.others.is_empty() { &self.first } else { self.shard_of(authority) }
    }

    #[inline(never)]
    fn shard_of(&self, authority: &[u8]) -> &Shard<D> {
        let authority = authority.split(|&byte| byte == b'/').next().unwrap_or_default();
        let number = usize::from(shard_of(authority, self.others.len() as u8));
        number.checked_sub(1).and_then(|other| self.others.get(other)).unwrap_or(&self.first)
    }

    /// The records of the image; of several shards, those of the first. Names of crawlers and
    /// usages and the provenance are the same in all.
    #[inline]
    pub fn view(&self) -> View<'_> {
        self.first.view()
    }

    /// The profile it was compiled under.
    pub fn profile(&self) -> Profile {
        self.first.layout.profile
    }

    /// How many sites it holds, and documents beside their robots.txt.
    pub fn len(&self) -> usize {
        self.all().map(|shard| shard.view().fetches().len()).sum()
    }

    /// How many bytes its files take up.
    pub fn bytes(&self) -> usize {
        self.all().map(|shard| shard.data.as_ref().len()).sum()
    }

    /// How many bytes of that a section takes up.
    pub fn section_bytes(&self, section: Section) -> usize {
        self.all().map(|shard| shard.layout.range(section).len()).sum()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Resolves a crawler by its names, best first (R5): the first that a file has a group for
    /// answers. A whole `User-Agent` header stands for the names that the crawler gives itself in
    /// it ([`AgentRule::crawler_names`](robomaton_formats::profile::AgentRule::crawler_names),
    /// which also says when words name nobody: here such ask as any crawler).
    pub fn crawler<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Crawler {
        Crawler::new(self.view(), self.profile().agent_rule(), &names.into_iter().collect::<Vec<_>>())
    }

    /// Resolves a usage by its name. Of one that the image has never heard of, fields about its
    /// general form or about `other` usages may still speak.
    pub fn usage(&self, name: &str) -> Usage<'static> {
        let id = self.view().find_usage(name).unwrap_or(Usage::UNSPOKEN);
        Usage { id, special: is_special(name), purpose: None }
    }

    /// All sites, in the order of their authorities.
    pub fn sites(&self) -> impl Iterator<Item = Site<'_>> {
        self.sites_from("")
    }

    /// The same, from the first on whose authority is not before this one: a page of a long list,
    /// found without reading those before it.
    pub fn sites_from(&self, authority: &str) -> impl Iterator<Item = Site<'_>> + use<'_, D> {
        self.entries_from(authority).filter(|site| !site.is_document)
    }

    /// The first of them, for images of one: found without a search.
    #[inline]
    pub fn first_site(&self) -> Option<Site<'_>> {
        let site = self.view().site_at(self.view().order().first()?.get())?;
        Some(self.site_of(&self.first, site))
    }

    /// All documents beside robots.txt, in the order of their authorities.
    pub fn documents(&self) -> impl Iterator<Item = Site<'_>> {
        self.entries().filter(|site| site.is_document)
    }

    /// Sites and documents together, in the order of their names.
    pub fn entries(&self) -> impl Iterator<Item = Site<'_>> {
        self.entries_from("")
    }

    fn entries_from(&self, name: &str) -> impl Iterator<Item = Site<'_>> + use<'_, D> {
        let mut shards: Vec<_> = self.all().map(|shard| (shard, shard.view().sites_from(name))).collect();
        // The next site of each shard, the least first.
        let mut nexts = BinaryHeap::new();
        let mut advance = move |number: usize, nexts: &mut BinaryHeap<_>| {
            let (shard, sites) = &mut shards[number];
            if let Some(site) = sites.next() {
                let name = site.name.decode().map(|name| Box::from(name.as_str())).unwrap_or_default();
                nexts.push(Next { key: (name, site.name.scheme()), number, shard, site });
            }
        };
        (0..1 + self.others.len()).for_each(|number| advance(number, &mut nexts));
        std::iter::from_fn(move || {
            let Next { key: (name, _), number, shard, site } = nexts.pop()?;
            advance(number, &mut nexts);
            Some(if name.contains('/') { self.document_of(shard, site) } else { self.site_of(shard, site) })
        })
    }

    /// Another document of the site that an absolute URL belongs to, such as `data.txt` (K2), if
    /// the image holds it. Its verdicts are for URLs of that site.
    pub fn document(&self, url: &str, name: &str) -> Option<Site<'_>> {
        let (mut authority, _) = target::split(self.profile(), url).ok()?;
        authority.bytes = Cow::Owned([&authority.bytes, &b"/"[..], name.as_bytes()].concat());
        self.find(&authority).map(|site| Site { profile: DOCUMENTS, is_document: true, ..site })
    }

    #[inline]
    fn site_of<'i>(&'i self, shard: &'i Shard<D>, site: read::Site<'i>) -> Site<'i> {
        let profile = shard.layout.profile;
        Site { view: shard.view(), profile, terms: &self.terms, site, is_document: false }
    }

    fn document_of<'i>(&'i self, shard: &'i Shard<D>, site: read::Site<'i>) -> Site<'i> {
        Site { profile: DOCUMENTS, is_document: true, ..self.site_of(shard, site) }
    }

    /// Rules and records of a document, decoded, by what [`Site::document`] gives.
    pub fn detail(&self, document: DocumentId) -> Option<Detail<'_>> {
        self.all().nth(document.shard().into())?.view().detail(document)
    }

    /// The site that an absolute URL belongs to, if the image holds it.
    pub fn site(&self, url: &str) -> Option<Site<'_>> {
        let (authority, _) = target::split(self.profile(), url).ok()?;
        self.find(&authority)
    }

    /// Finds a site: exact scheme first, else one captured without a scheme.
    #[inline]
    pub(crate) fn find(&self, authority: &Authority<'_>) -> Option<Site<'_>> {
        let shard = self.shard(&authority.bytes);
        self.find_hashed(shard, authority, shard.hash(authority))
    }

    #[inline]
    pub(crate) fn find_hashed<'i>(
        &'i self,
        shard: &'i Shard<D>,
        authority: &Authority<'_>,
        hash: u64,
    ) -> Option<Site<'i>> {
        let view = shard.view();
        let buckets = view.buckets();
        if buckets.is_empty() {
            return None;
        }
        let mut at = home_bucket(hash, buckets.len());
        let mut any = None;
        for _ in 0..MAX_PROBE {
            let bucket = buckets.get(at)?;
            for place in bucket.places(fingerprint(hash)) {
                let site = view.site(bucket, place)?;
                if site.name.is(&authority.bytes) {
                    match site.name.scheme()? {
                        scheme if scheme == authority.scheme => return Some(self.site_of(shard, site)),
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
        any.map(|site| self.site_of(shard, site))
    }

    /// May this crawler use this URL in this way? A site that the image does not hold is `unknown`.
    ///
    /// Allocates nothing, unless the URL's host is not in canonical spelling or has 64 bytes or
    /// more, or its target needs more than a kilobyte of rewriting.
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

    /// The same, out of another document of the site, such as `data.txt` (K2). What robots.txt says
    /// does not answer for a document that the image does not hold.
    pub fn decide_document<'a>(
        &'a self,
        name: &str,
        crawler: &'a Crawler,
        usage: Usage<'a>,
        url: &'a str,
    ) -> Verdict<'a> {
        match self.document(url, name) {
            Some(site) => site.decide(crawler, usage, url),
            None if target::split(self.profile(), url).is_err() => {
                self.unknown(crawler, usage, url, Basis::NoUrl)
            }
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
