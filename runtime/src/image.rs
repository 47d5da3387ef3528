//! An open image: its files, the names of crawlers and usages, and its sites. `find` looks for a
//! site and `ask` answers questions; both build on it.

use crate::crawler::{Crawler, Names, Usage};
use crate::memory::Memory;
use crate::site::{Origin, Site};
use crate::stack::{Rest, Shard, Shared};
use crate::terms::Terms;
use robomaton_formats::detail::Detail;
use robomaton_formats::layout::Section;
use robomaton_formats::policy::is_special;
use robomaton_formats::read::{Slot, View};
use robomaton_formats::{DocumentId, ImageError, Profile, Scheme};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// An image, from a file, a directory of shards or a stack of layers (the default), or over any
/// bytes. Threads share it by reference. A clone of an image opened from files shares their bytes,
/// so one image can be used under different terms.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"User-agent: GPTBot\nDisallow: /private/\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Decision, Image, Usage};
///
/// let image = Image::from_bytes(bytes)?; // or Image::read("crawl.rimg")?
/// let crawler = image.crawler(["GPTBot"]);
/// let verdict = image.decide(&crawler, Usage::CRAWL, "https://example.com/private/x");
/// assert_eq!(verdict.decision(), Decision::Disallowed);
/// let verdict = image.decide(&crawler, Usage::CRAWL, "https://example.org/");
/// assert_eq!(verdict.decision(), Decision::Unknown); // not in the image
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Image<D = Memory> {
    /// The whole image, or the first shard; of a stack, of its newest layer.
    pub(crate) first: Shard<D>,
    /// All other files. Boxed, so that a question about one file finds out with one comparison that
    /// there are none.
    pub(crate) rest: Option<Box<Rest<D>>>,
    pub(crate) shared: Shared,
}

/// The next site of a shard. The smallest name comes first, and of equal ones the newest layer's.
struct Next<'i, D> {
    key: (Box<str>, Option<Scheme>),
    number: usize,
    shard: &'i Shard<D>,
    slot: Slot<'i>,
}

impl<D> Ord for Next<'_, D> {
    fn cmp(&self, other: &Self) -> Ordering {
        (&other.key, other.shard.layer).cmp(&(&self.key, self.shard.layer))
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

/// The reason why files are not the shards of one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardsError {
    /// There is no file.
    #[error("holds no file *.{SHARD_EXTENSION}")]
    Empty,
    /// Shards are missing, or there are too many.
    #[error("holds {count} files, which are not the {shards} shards of one image, each once")]
    Count {
        /// The number of files.
        count: usize,
        /// The number of shards that one of the files states.
        shards: usize,
    },
    /// The shards were not built together.
    #[error("holds shards that were not made together")]
    Unlike,
    /// The directory is a stack of layers in place of a layer.
    #[error("is a stack of layers, and can be no layer of another one")]
    Nested,
}

/// The extension of shard files in a directory.
pub const SHARD_EXTENSION: &str = "rimg";

/// The profile for documents other than robots.txt, whatever the image's profile (K5 to K17).
const DOCUMENTS: Profile = Profile::Koster;

impl<D: AsRef<[u8]>> Image<D> {
    /// Opens an image over bytes in memory, in constant time. In a single shard, the sites of the
    /// other shards are unknown.
    ///
    /// # Errors
    /// If the bytes do not begin as an image.
    pub fn from_bytes(data: D) -> Result<Image<D>, ImageError> {
        Ok(Image::of_one(Shard::new(data)?))
    }

    /// The image of one file.
    pub(crate) fn of_one(shard: Shard<D>) -> Image<D> {
        Image { first: shard, rest: None, shared: Shared::default() }
    }

    /// The image of the shards of the only or newest layer, and of those of the older layers.
    pub(crate) fn of_parts(
        first: Shard<D>,
        others: Vec<Shard<D>>,
        older: Vec<Vec<Shard<D>>>,
        shared: Shared,
    ) -> Image<D> {
        let is_one = others.is_empty() && older.is_empty();
        let rest = (!is_one).then(|| Box::new(Rest::new(others, older)));
        Image { first, rest, shared }
    }

    /// Joins shards, in any order.
    pub(crate) fn of_shards(mut shards: Vec<Shard<D>>) -> Result<Image<D>, ShardsError> {
        let count = shards.len();
        shards.sort_by_key(|shard| shard.layout.shard);
        let first = shards.first().ok_or(ShardsError::Empty)?;
        for (number, shard) in shards.iter().enumerate() {
            let (stated, last) = shard.layout.shard;
            if usize::from(last) + 1 != count || usize::from(stated) != number {
                return Err(ShardsError::Count { count, shards: usize::from(last) + 1 });
            }
            let alike = [Section::Crawlers, Section::CrawlerNames, Section::Usages, Section::Meta];
            let sums = |shard: &Shard<D>| alike.map(|section| shard.layout.checksum(section));
            if shard.layout.profile != first.layout.profile || sums(shard) != sums(first) {
                return Err(ShardsError::Unlike);
            }
        }
        let mut shards = shards.into_iter();
        let first = shards.next().ok_or(ShardsError::Empty)?;
        Ok(Image::of_parts(first, shards.collect(), Vec::new(), Shared::default()))
    }

    /// The shards of an image that is no stack.
    pub(crate) fn into_shards(self) -> Vec<Shard<D>> {
        std::iter::once(self.first).chain(self.rest.into_iter().flat_map(|rest| rest.others)).collect()
    }

    /// The same image under other terms.
    #[must_use]
    pub fn with_terms(self, terms: Terms) -> Image<D> {
        Image { shared: self.shared.with_terms(terms), ..self }
    }

    /// The terms of its answers.
    pub fn terms(&self) -> &Terms {
        &self.shared.terms
    }

    /// Checks the image against the format's rules, in time linear in its size, on two threads.
    /// This covers everything that verdicts and explanations depend on; texts are checked for
    /// completeness, not decompressed.
    ///
    /// # Errors
    /// The first violated rule, and where.
    pub fn verify(&self) -> Result<(), ImageError> {
        self.verify_by(|bytes| robomaton_formats::verify::verify(bytes).map(|_| ()))
    }

    /// Like [`Image::verify`], and decompresses every text, in time linear in their size.
    ///
    /// # Errors
    /// The first violated rule, and where.
    pub fn verify_with_texts(&self) -> Result<(), ImageError> {
        self.verify_by(|bytes| robomaton_formats::verify::verify_with_texts(bytes).map(|_| ()))
    }

    /// Like [`Image::verify`], but passes over the layers of whose names in the manifest the
    /// function says that their files were verified before. Of other images, it has no name to ask
    /// about.
    ///
    /// # Errors
    /// The first violated rule, and where.
    pub fn verify_unless(&self, is_verified: impl Fn(&str) -> bool) -> Result<(), ImageError> {
        let names = self.layer_names();
        let passed: Vec<bool> = names.iter().map(|name| is_verified(name)).collect();
        let is_passed = |shard: &Shard<D>| passed.get(usize::from(shard.layer)) == Some(&true);
        let shards = self.all().filter(|shard| !is_passed(shard));
        self.verify_all(shards, |bytes| robomaton_formats::verify::verify(bytes).map(|_| ()))
    }

    fn verify_by(&self, verify: impl Fn(&[u8]) -> Result<(), ImageError>) -> Result<(), ImageError> {
        self.verify_all(self.all(), verify)
    }

    fn verify_all<'i>(
        &'i self,
        mut shards: impl Iterator<Item = &'i Shard<D>>,
        verify: impl Fn(&[u8]) -> Result<(), ImageError>,
    ) -> Result<(), ImageError>
    where
        D: 'i,
    {
        shards.try_for_each(|shard| {
            verify(shard.data.as_ref()).map_err(|error| self.in_layer(shard.layer, error))
        })
    }

    /// The files of the image, each as an image of its own, for tools that inspect more than
    /// verdicts. Those of a stack begin with the oldest layer.
    pub fn shards(&self) -> impl Iterator<Item = Image<&[u8]>> {
        let older = self.older().iter().rev().flatten();
        let shards = older.chain(std::iter::once(&self.first)).chain(self.others());
        shards.map(|shard| Image::of_one(shard.borrowed()).with_terms(self.shared.terms.clone()))
    }

    /// All files, the newest layer first.
    fn all(&self) -> impl Iterator<Item = &Shard<D>> {
        std::iter::once(&self.first).chain(self.others()).chain(self.older().iter().flatten())
    }

    /// The shards of the only or newest layer but the first.
    #[inline]
    pub(crate) fn others(&self) -> &[Shard<D>] {
        self.rest.as_ref().map(|rest| &rest.others[..]).unwrap_or_default()
    }

    /// The records of the image; of several shards, those of the first, and of several layers,
    /// those of the newest. The names of crawlers and usages are the same in all shards, and the
    /// provenance also in all layers.
    #[inline]
    pub fn view(&self) -> View<'_> {
        self.first.view()
    }

    /// The profile that the image was compiled under.
    pub fn profile(&self) -> Profile {
        self.first.layout.profile
    }

    /// The number of sites, plus documents other than robots.txt. The first time that a stack is
    /// asked, it looks up every site of its newer layers in the older ones.
    pub fn len(&self) -> usize {
        match &self.rest {
            Some(rest) if !rest.older.is_empty() => *rest.count.get_or_init(|| self.count_stack(rest)),
            _ => self.all().map(|shard| shard.view().fetches().len()).sum(),
        }
    }

    /// The size of its files in bytes.
    pub fn bytes(&self) -> usize {
        self.all().map(|shard| shard.data.as_ref().len()).sum()
    }

    /// The size of a section in bytes, over all files.
    pub fn section_bytes(&self, section: Section) -> usize {
        self.all().map(|shard| shard.layout.range(section).len()).sum()
    }

    /// True if the image contains nothing.
    pub fn is_empty(&self) -> bool {
        self.all().all(|shard| shard.view().fetches().is_empty())
    }

    /// Resolves a crawler by its names, best first (R5): the first name that a file has a group for
    /// decides which group applies. A whole `User-Agent` header stands for the names that the
    /// crawler gives itself
    /// ([`AgentRule::crawler_names`](robomaton_formats::profile::AgentRule::crawler_names), which
    /// also reports a header without a name: here it means any crawler).
    pub fn crawler<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Crawler {
        let (given, rule): (Vec<N>, _) = (names.into_iter().collect(), self.profile().agent_rule());
        let names = Arc::new(Names::of(&given, rule));
        let crawler = |shard: &Shard<D>| Crawler::new(shard.view(), rule, Arc::clone(&names));
        crawler(&self.first).above(self.heads().map(crawler).collect())
    }

    /// Resolves a usage by its name, or by a label of a language (`train-ai`). If the image does
    /// not have the name, fields about its general form or about `other` usages may still apply.
    pub fn usage(&self, name: &str) -> Usage<'static> {
        let id = self.find_usage(name).unwrap_or(Usage::UNSPOKEN);
        Usage { id, special: is_special(name), purpose: None }
    }

    /// All sites, ordered by authority.
    pub fn sites(&self) -> impl Iterator<Item = Site<'_>> {
        self.sites_from("")
    }

    /// The sites from the first one whose authority is not less than this one. Reads a page of a
    /// long list without reading the sites before it.
    pub fn sites_from(&self, authority: &str) -> impl Iterator<Item = Site<'_>> + use<'_, D> {
        self.entries_from(authority).filter(|site| !site.origin.is_document())
    }

    /// The first site of the first file, found without a search; for images of a single site.
    #[inline]
    pub fn first_site(&self) -> Option<Site<'_>> {
        let site = self.view().site_at(self.view().order().first()?.get())?;
        Some(self.site_of(&self.first, site.slot()))
    }

    /// All documents other than robots.txt, ordered by authority.
    pub fn documents(&self) -> impl Iterator<Item = Site<'_>> {
        self.entries().filter(|site| site.origin.is_document())
    }

    /// Sites and documents together, ordered by name.
    pub fn entries(&self) -> impl Iterator<Item = Site<'_>> {
        self.entries_from("")
    }

    fn entries_from(&self, name: &str) -> impl Iterator<Item = Site<'_>> + use<'_, D> {
        let mut shards: Vec<_> = self.all().map(|shard| (shard, shard.view().sites_from(name))).collect();
        let count = shards.len();
        // The next site of each shard, smallest first.
        let mut nexts = BinaryHeap::new();
        let mut advance = move |number: usize, nexts: &mut BinaryHeap<_>| {
            if let Some((shard, sites)) = shards.get_mut(number)
                && let Some(site) = sites.next()
            {
                let name = site.decoded_name().map(|name| Box::from(name.as_str())).unwrap_or_default();
                nexts.push(Next { key: (name, site.scheme()), number, shard, slot: site.slot() });
            }
        };
        (0..count).for_each(|number| advance(number, &mut nexts));
        // The last site and its layer: older layers may hold it, too.
        let mut last = None;
        std::iter::from_fn(move || {
            loop {
                let Next { key, number, shard, slot } = nexts.pop()?;
                advance(number, &mut nexts);
                let is_hidden =
                    last.as_ref().is_some_and(|(newer, layer)| *layer < shard.layer && *newer == key);
                if is_hidden {
                    continue;
                }
                let is_document = key.0.contains('/');
                last = Some((key, shard.layer));
                return Some(if is_document {
                    self.document_of(shard, slot)
                } else {
                    self.site_of(shard, slot)
                });
            }
        })
    }

    #[inline(always)]
    pub(crate) fn site_of<'i>(&'i self, shard: &'i Shard<D>, slot: Slot<'i>) -> Site<'i> {
        Site {
            profile: shard.layout.profile,
            shared: &self.shared,
            site: slot.of(shard.view()),
            origin: Origin::robots(shard.layer),
        }
    }

    pub(crate) fn document_of<'i>(&'i self, shard: &'i Shard<D>, slot: Slot<'i>) -> Site<'i> {
        Site { profile: DOCUMENTS, origin: Origin::document(shard.layer), ..self.site_of(shard, slot) }
    }

    /// The decoded rules and records of a document, by the id from [`Site::document`].
    pub fn detail(&self, document: DocumentId) -> Option<Detail<'_>> {
        let is_of =
            |shard: &&Shard<D>| shard.layer == document.layer() && shard.layout.shard.0 == document.shard();
        self.all().find(is_of)?.view().detail(document)
    }
}
