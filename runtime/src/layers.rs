//! A stack of images that answers as one: of the layers that hold a site, the newest answers.
//!
//! It stands on `image`, `find` and `ask`, and adds only the choice of the layer; `open` reads the
//! layers of a directory. Images number crawlers and usages by tables of their own, so both are
//! resolved once for each layer. Invariant: if no layer holds a capture of a site that is older
//! than one below it, the answers are those of the merged image, which a test holds. Who adds a
//! layer guarantees that; this file knows nothing about the time of captures.

use crate::access;
use crate::answer::{Answer, NO_SITE, NO_URL};
use crate::crawler::{Crawler, Usage};
use crate::find::Found;
use crate::image::Image;
use crate::memory::Memory;
use crate::site::Site;
use crate::target::{self, Written};
use crate::terms::Terms;
use crate::verdict::Verdict;
use robomaton_formats::{Profile, Scheme, SiteKey};

/// Images that answer as one, of which newer ones stand before older ones.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let image = |text: &[u8]| {
/// #     let document = compile(text, None, &Options::default());
/// #     let site = robomaton_formats::SiteKey::from_url("https://example.com/").expect("a URL");
/// #     emit(vec![Entry::fetched(site, &document)], &Options::default()).expect("an image")
/// # };
/// # let (base, layer) = (image(b"User-agent: *\nDisallow: /old\n"), image(b"User-agent: *\nDisallow: /new\n"));
/// use robomaton_runtime::{Image, Layers};
///
/// let images = vec![Image::from_bytes(base)?, Image::from_bytes(layer)?]; // oldest first
/// let layers = Layers::new(images)?; // or Layers::read("crawl.layers")?
/// let (crawler, usage) = (layers.crawler(["mybot"]), layers.usage("crawl"));
/// let is_allowed = |url| layers.decide(&crawler, &usage, url).is_allowed();
/// assert!(is_allowed("https://example.com/old"));
/// assert!(!is_allowed("https://example.com/new"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Layers<D = Memory> {
    /// Newest first, and never empty.
    images: Vec<Image<D>>,
}

/// A crawler, resolved against the layers of one stack by [`Layers::crawler`].
#[derive(Clone, Debug)]
pub struct LayersCrawler(Vec<Crawler>);

/// A usage, resolved against the layers of one stack by [`Layers::usage`].
#[derive(Clone, Debug)]
pub struct LayersUsage<'a>(Vec<Usage<'a>>);

impl LayersCrawler {
    /// Restricts the crawler as [`Crawler::named_only`] does.
    #[must_use]
    pub fn named_only(self, named_only: bool) -> LayersCrawler {
        LayersCrawler(self.0.into_iter().map(|crawler| crawler.named_only(named_only)).collect())
    }
}

impl LayersUsage<'_> {
    /// The same usage for a purpose (P17).
    #[must_use]
    pub fn for_purpose<'p>(&self, purpose: &'p str) -> LayersUsage<'p> {
        LayersUsage(self.0.iter().map(|usage| usage.for_purpose(purpose)).collect())
    }
}

/// A site, and the layer that holds it.
#[derive(Clone, Copy, Debug)]
pub struct LayerSite<'i> {
    number: usize,
    /// The site. It answers for crawlers and usages of its layer: [`LayerSite::crawler`].
    pub site: Site<'i>,
}

impl LayerSite<'_> {
    /// The crawler as the layer of this site knows it.
    pub fn crawler<'c>(&self, crawler: &'c LayersCrawler) -> &'c Crawler {
        of_layer(&crawler.0, self.number)
    }

    /// The usage as the layer of this site knows it.
    pub fn usage<'p>(&self, usage: &LayersUsage<'p>) -> Usage<'p> {
        *of_layer(&usage.0, self.number)
    }
}

/// The reason why images are not the layers of one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayersError {
    /// There is no image.
    #[error("a stack without a layer")]
    Empty,
    /// An image was compiled with other options, so the same texts may have another meaning.
    #[error("layer {layer} was compiled with another {what} than the first")]
    Unlike {
        /// The layer, from 0, oldest first.
        layer: usize,
        /// The property that differs.
        what: &'static str,
    },
    /// The provenance of an image cannot be read.
    #[error("layer {layer} is damaged")]
    Damaged {
        /// The layer, from 0, oldest first.
        layer: usize,
    },
}

impl LayersError {
    /// The layer that does not fit, from 0, oldest first.
    pub fn layer(self) -> Option<usize> {
        match self {
            LayersError::Empty => None,
            LayersError::Unlike { layer, .. } | LayersError::Damaged { layer } => Some(layer),
        }
    }
}

impl<D: AsRef<[u8]>> Layers<D> {
    /// Joins images, oldest first.
    ///
    /// # Errors
    /// If there is none, or they were not compiled alike.
    pub fn new(mut images: Vec<Image<D>>) -> Result<Layers<D>, LayersError> {
        let mut first = None;
        for (layer, image) in images.iter().enumerate() {
            let meta = image.view().meta().ok_or(LayersError::Damaged { layer })?;
            let (profile, first) = first.get_or_insert_with(|| (image.profile(), meta.clone()));
            let alike = [
                (*profile == image.profile(), "profile"),
                (first.crawlers == meta.crawlers, "choice of crawlers"),
                (first.limits == meta.limits, "set of limits"),
                (first.vocabulary == meta.vocabulary, "vocabulary"),
            ];
            if let Some((_, what)) = alike.into_iter().find(|(is_alike, _)| !is_alike) {
                return Err(LayersError::Unlike { layer, what });
            }
        }
        images.reverse();
        if images.is_empty() { Err(LayersError::Empty) } else { Ok(Layers { images }) }
    }

    /// The profile of all layers.
    fn profile(&self) -> Profile {
        of_layer(&self.images, 0).profile()
    }

    /// The same layers under other terms.
    #[must_use]
    pub fn with_terms(self, terms: &Terms) -> Layers<D> {
        Layers { images: self.images.into_iter().map(|image| image.with_terms(terms.clone())).collect() }
    }

    /// The layers, oldest first.
    pub fn images(&self) -> impl ExactSizeIterator<Item = &Image<D>> {
        self.images.iter().rev()
    }

    /// Resolves a crawler, as [`Image::crawler`] does, against every layer.
    pub fn crawler<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> LayersCrawler {
        let names: Vec<N> = names.into_iter().collect();
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        LayersCrawler(self.images.iter().map(|image| image.crawler(&names)).collect())
    }

    /// Resolves a usage, as [`Image::usage`] does, against every layer.
    pub fn usage(&self, name: &str) -> LayersUsage<'static> {
        LayersUsage(self.images.iter().map(|image| image.usage(name)).collect())
    }

    /// Decides as [`Image::decide`] does.
    ///
    /// # Panics
    /// If the crawler or the usage belongs to a stack of fewer layers.
    pub fn decide<'a>(
        &'a self,
        crawler: &'a LayersCrawler,
        usage: &LayersUsage<'a>,
        url: &'a str,
    ) -> Verdict<'a> {
        let Some(written) = Written::of(url.as_bytes()) else { return self.of_parsed(crawler, usage, url) };
        match self.newest(|image| image.find_written(&written), of_slot) {
            Some((number, found)) => {
                let (crawler, usage) = (of_layer(&crawler.0, number), *of_layer(&usage.0, number));
                let image = of_layer(&self.images, number);
                image.verdict(image.of_written(found, &written, crawler, usage, url), crawler, usage, url)
            }
            None => self.of_parsed(crawler, usage, url),
        }
    }

    /// The verdict on a URL whose host no layer holds as it is written.
    #[inline(never)]
    fn of_parsed<'a>(
        &'a self,
        crawler: &'a LayersCrawler,
        usage: &LayersUsage<'a>,
        url: &'a str,
    ) -> Verdict<'a> {
        let Ok((authority, target)) = target::split(self.profile(), url) else {
            return nothing(NO_URL, crawler, usage, url);
        };
        match self.newest(|image| image.find(&authority), of_slot) {
            Some((number, (shard, slot))) => {
                let (crawler, usage) = (of_layer(&crawler.0, number), *of_layer(&usage.0, number));
                let image = of_layer(&self.images, number);
                let answer = access::once(&image.site_of(shard, slot), crawler, usage, &target);
                image.verdict((answer, Some((shard, slot))), crawler, usage, url)
            }
            None => nothing(NO_SITE, crawler, usage, url),
        }
    }

    /// Decides by another document of the site, as [`Image::decide_document`] does.
    ///
    /// # Panics
    /// If the crawler or the usage belongs to a stack of fewer layers.
    pub fn decide_document<'a>(
        &'a self,
        name: &str,
        crawler: &'a LayersCrawler,
        usage: &LayersUsage<'a>,
        url: &'a str,
    ) -> Verdict<'a> {
        match self.document(url, name) {
            Some(found) => found.site.decide(found.crawler(crawler), found.usage(usage), url),
            None => {
                let is_url = target::split(self.profile(), url).is_ok();
                nothing(if is_url { NO_SITE } else { NO_URL }, crawler, usage, url)
            }
        }
    }

    /// The site that an absolute URL belongs to, if a layer contains it.
    pub fn site(&self, url: &str) -> Option<LayerSite<'_>> {
        let (number, site) = match Written::of(url.as_bytes()) {
            Some(written) => self.newest(|image| image.find_written(&written), of_slot),
            None => None,
        }
        .map(|(number, (shard, slot))| (number, of_layer(&self.images, number).site_of(shard, slot)))
        .or_else(|| self.newest(|image| image.site(url), Site::scheme))?;
        Some(LayerSite { number, site })
    }

    /// The newest capture of exactly this site: with its scheme, not of the host in general.
    pub fn stored(&self, key: &SiteKey) -> Option<Site<'_>> {
        let name = key.name().as_bytes();
        let written = Written { scheme: key.scheme(), text: name, length: name.len() };
        self.images.iter().find_map(|image| {
            let (shard, slot) = image.find_written(&written)?;
            (slot.name()?.scheme()? == key.scheme()).then(|| image.site_of(shard, slot))
        })
    }

    /// Another document of the site that an absolute URL belongs to, if a layer contains it.
    pub fn document(&self, url: &str, name: &str) -> Option<LayerSite<'_>> {
        let (number, site) = self.newest(|image| image.document(url, name), Site::scheme)?;
        Some(LayerSite { number, site })
    }

    /// What is found in the newest layer, and the number of that layer. What was captured with the
    /// URL's own scheme counts before what was captured without a scheme, as in a single image.
    #[inline(always)]
    fn newest<'i, F: Copy>(
        &'i self,
        find: impl Fn(&'i Image<D>) -> Option<F>,
        scheme: impl Fn(&F) -> Scheme,
    ) -> Option<(usize, F)> {
        let mut any = None;
        for (number, image) in self.images.iter().enumerate() {
            let Some(found) = find(image) else { continue };
            if scheme(&found) != Scheme::Any {
                return Some((number, found));
            }
            any = any.or(Some((number, found)));
        }
        any
    }
}

/// The element for a layer.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the documented panic: what belongs to a smaller stack")]
fn of_layer<T>(all: &[T], number: usize) -> &T {
    &all[number]
}

/// The scheme of a site that was found.
#[inline(always)]
fn of_slot<D>((_, slot): &Found<'_, D>) -> Scheme {
    slot.name().and_then(|name| name.scheme()).unwrap_or(Scheme::Any)
}

/// The verdict where no layer answers.
fn nothing<'a>(
    answer: Answer,
    crawler: &'a LayersCrawler,
    usage: &LayersUsage<'a>,
    url: &'a str,
) -> Verdict<'a> {
    let (crawler, usage) = (of_layer(&crawler.0, 0), *of_layer(&usage.0, 0));
    Verdict { answer, site: None, crawler, usage, url }
}
