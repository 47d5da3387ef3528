//! The layers of a stack: of those that hold a site, the newest answers.
//!
//! It stands beside `image`, which holds the layers, and `find`, which looks for a site in them.
//! Images number crawlers by tables of their own, so a crawler is resolved once for each layer;
//! `stack` translates usages. Invariant: if no layer holds a capture of a site that is older than
//! one below it, the answers are those of the merged image, which a test holds. Who adds a layer
//! guarantees that; this file knows nothing about the time of captures.

use crate::find::Found;
use crate::image::Image;
use crate::manifest::MOST_LAYERS;
use crate::site::Site;
use crate::stack::{LeftOut, Rest, Shard, Shared, Usages, of_host};
use crate::target::Written;
use robomaton_formats::policy::USAGES;
use robomaton_formats::read::{Slot, View};
use robomaton_formats::vocabulary::usage_of_label;
use robomaton_formats::{ImageError, Profile, Scheme, SiteKey, UsageId};

/// The reason why images are not the layers of one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayersError {
    /// There is no image.
    #[error("a stack without a layer")]
    Empty,
    /// There are more than [`MOST_LAYERS`].
    #[error("{0} layers, and a stack has at most {MOST_LAYERS}")]
    TooMany(usize),
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
    /// An image is a stack itself.
    #[error("layer {layer} is a stack of layers itself")]
    Nested {
        /// The layer, from 0, oldest first.
        layer: usize,
    },
}

impl LayersError {
    /// The layer that does not fit, from 0, oldest first.
    pub fn layer(self) -> Option<usize> {
        use LayersError::{Damaged, Empty, Nested, TooMany, Unlike};
        match self {
            Empty | TooMany(_) => None,
            Unlike { layer, .. } | Damaged { layer } | Nested { layer } => Some(layer),
        }
    }
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Joins images that answer as one, oldest first: of those that hold a site, the newest
    /// answers. A layer on top of others must hold no capture that is older than one below;
    /// `Merge::above` of the compiler makes one. The terms are the default ones.
    ///
    /// ```
    /// # use robomaton_compiler::{Entry, Options, compile, emit};
    /// # let image = |text: &[u8]| {
    /// #     let document = compile(text, None, &Options::default());
    /// #     let site = robomaton_formats::SiteKey::from_url("https://example.com/").expect("a URL");
    /// #     emit(vec![Entry::fetched(site, &document)], &Options::default()).expect("an image")
    /// # };
    /// # let (base, layer) = (image(b"User-agent: *\nDisallow: /old\n"), image(b"User-agent: *\nDisallow: /new\n"));
    /// use robomaton_runtime::{Image, Usage};
    ///
    /// let layers = vec![Image::from_bytes(base)?, Image::from_bytes(layer)?]; // oldest first
    /// let image = Image::of_layers(layers)?; // or Image::read("crawl.layers")?
    /// let crawler = image.crawler(["mybot"]);
    /// let is_allowed = |url| image.decide(&crawler, Usage::CRAWL, url).is_allowed();
    /// assert!(is_allowed("https://example.com/old"));
    /// assert!(!is_allowed("https://example.com/new"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is none, or they were not compiled alike.
    pub fn of_layers(images: Vec<Image<D>>) -> Result<Image<D>, LayersError> {
        check_alike(&images)?;
        let mut older: Vec<Vec<Shard<D>>> = images.into_iter().rev().map(Image::into_shards).collect();
        for (layer, shards) in (0..).zip(&mut older) {
            shards.iter_mut().for_each(|shard| shard.layer = layer);
        }
        let mut newest = older.remove(0).into_iter();
        let first = newest.next().ok_or(LayersError::Empty)?;
        Ok(Image::of_parts(first, newest.collect(), older, Shared::default()))
    }

    /// The same image with the names of its layers, newest first, and those that were left out.
    pub(crate) fn named(mut self, names: Vec<String>, left_out: Vec<LeftOut>) -> Image<D> {
        let rest = self.rest.get_or_insert_with(|| Box::new(Rest::new(Vec::new(), Vec::new())));
        (rest.names, rest.left_out) = (names, left_out);
        self
    }

    /// The layers that the image was opened without, since they are missing or damaged.
    pub fn left_out(&self) -> &[LeftOut] {
        self.rest.as_ref().map(|rest| &rest.left_out[..]).unwrap_or_default()
    }

    /// The number of layers; 1 for an image that is no stack.
    pub fn layer_count(&self) -> usize {
        1 + self.older().len()
    }

    /// The layers of a stack, oldest first, each as an image of its own; of another image, itself.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = Image<&[u8]>> {
        (0..self.layer_count()).rev().map(|layer| self.layer(layer))
    }

    /// A layer as an image of its own; 0 is the newest.
    fn layer(&self, layer: usize) -> Image<&[u8]> {
        let (first, others) = match layer.checked_sub(1).and_then(|older| self.older().get(older)) {
            Some(shards) => shards.split_first().unwrap_or((&self.first, &[])),
            None => (&self.first, self.others()),
        };
        let others = others.iter().map(Shard::borrowed).collect();
        Image::of_parts(first.borrowed(), others, Vec::new(), Shared::default())
            .with_terms(self.shared.terms.clone())
    }

    /// The names of the layers in the manifest, newest first; empty if there was none.
    pub fn layer_names(&self) -> &[String] {
        self.rest.as_ref().map(|rest| &rest.names[..]).unwrap_or_default()
    }

    /// The error of a layer, with its name.
    pub(crate) fn in_layer(&self, layer: u8, error: ImageError) -> ImageError {
        let names = self.layer_names();
        match names.get(usize::from(layer)) {
            None if self.older().is_empty() => error,
            Some(name) => ImageError::Layer { name: name.clone(), error: Box::new(error) },
            None => {
                let number = self.older().len().saturating_sub(layer.into());
                ImageError::Layer { name: number.to_string(), error: Box::new(error) }
            }
        }
    }

    /// The shards of the older layers, newest first.
    #[inline]
    pub(crate) fn older(&self) -> &[Vec<Shard<D>>] {
        self.rest.as_ref().map(|rest| &rest.older[..]).unwrap_or_default()
    }

    /// The first shard of each older layer, newest first.
    pub(crate) fn heads(&self) -> impl Iterator<Item = &Shard<D>> {
        self.older().iter().flat_map(|shards| shards.first())
    }

    /// The number of a usage, by its name or by a label of a language; `None` if no image has it.
    pub fn find_usage(&self, name: &str) -> Option<UsageId> {
        let name = usage_of_label(name).unwrap_or(name);
        let newest = self.view().find_usage(name);
        if newest.is_some_and(|id| id.index() < USAGES.len()) {
            return newest;
        }
        // Older layers have numbers of their own for the usages of the newest one.
        let of_stack = self.usages_of_stack();
        newest.or_else(|| {
            let Usages { newest, names, .. } = of_stack?;
            let number = names.iter().position(|own| own.eq_ignore_ascii_case(name))?;
            u32::try_from(newest + number).ok().map(UsageId::new)
        })
    }

    /// The names of all usages that records of the image may speak of: the standard ones, and its
    /// own.
    pub fn usages(&self) -> impl Iterator<Item = String> {
        let of_older = self.usages_of_stack().map(|usages| usages.names.as_slice()).unwrap_or_default();
        self.view().usages().chain(of_older.iter().cloned())
    }

    /// The usages of a stack; `None` for another image.
    fn usages_of_stack(&self) -> Option<&Usages> {
        let of_stack = || Usages::of(self.view(), &self.heads().map(Shard::view).collect::<Vec<_>>());
        (!self.older().is_empty()).then(|| self.shared.usages.get_or_init(of_stack))
    }

    /// The newest capture of exactly this site: with its scheme, not of the host in general.
    pub fn stored(&self, key: &SiteKey) -> Option<Site<'_>> {
        let name = key.name().as_bytes();
        let written = Written { scheme: key.scheme(), text: name, length: name.len() };
        let (shard, slot) = match &self.rest {
            None => (&self.first, self.first.find_name(&written)?),
            Some(rest) => self.find_in(rest, &written)?,
        };
        (scheme_of(slot) == key.scheme()).then(|| self.site_of(shard, slot))
    }

    /// Finds a site whose name is the host as it is written: of the layers that have it with the
    /// scheme, the newest one's; else, of those that have it without a scheme.
    #[inline(never)]
    pub(crate) fn find_in<'i>(&'i self, rest: &'i Rest<D>, written: &Written<'_>) -> Option<Found<'i, D>> {
        let host = written.host();
        let newest = of_host(&self.first, &rest.others, host);
        let older = rest.older.iter().filter_map(|shards| {
            let (first, others) = shards.split_first()?;
            Some(of_host(first, others, host))
        });
        let mut any = None;
        for shard in std::iter::once(newest).chain(older) {
            let Some(slot) = shard.find_name(written) else { continue };
            if scheme_of(slot) != Scheme::Any {
                return Some((shard, slot));
            }
            any = any.or(Some((shard, slot)));
        }
        any
    }

    /// The number of sites and documents of a stack: for each that several layers hold, the oldest
    /// one's counts. So the largest layer, which is the oldest, need not be read.
    pub(crate) fn count_stack(&self, rest: &Rest<D>) -> usize {
        let newest: Vec<&Shard<D>> = std::iter::once(&self.first).chain(&rest.others).collect();
        let layers = std::iter::once(newest).chain(rest.older.iter().map(|shards| shards.iter().collect()));
        layers
            .enumerate()
            .map(|(layer, shards)| {
                let below = rest.older.get(layer..).unwrap_or_default();
                let is_below = |slot: &Slot<'_>, view: View<'_>| {
                    let site = slot.of(view);
                    let (Some(name), Some(scheme)) = (site.decoded_name(), site.scheme()) else {
                        return false;
                    };
                    let text = name.as_str().as_bytes();
                    let written = Written { scheme, text, length: text.len() };
                    below.iter().filter_map(|shards| shards.split_first()).any(|(first, others)| {
                        let shard = of_host(first, others, written.host());
                        shard.find_name(&written).is_some_and(|found| scheme_of(found) == scheme)
                    })
                };
                let count = |shard: &&Shard<D>| {
                    let view = shard.view();
                    let all = view.fetches().len();
                    let held = |site: &robomaton_formats::read::Site<'_>| is_below(&site.slot(), view);
                    if below.is_empty() { all } else { all.saturating_sub(view.sites().filter(held).count()) }
                };
                shards.iter().map(count).sum::<usize>()
            })
            .sum()
    }
}

/// The scheme of a site that was found.
fn scheme_of(slot: Slot<'_>) -> Scheme {
    slot.name().and_then(|name| name.scheme()).unwrap_or(Scheme::Any)
}

/// Refuses images that are not the layers of one stack.
fn check_alike<D: AsRef<[u8]>>(images: &[Image<D>]) -> Result<(), LayersError> {
    if images.len() > MOST_LAYERS {
        return Err(LayersError::TooMany(images.len()));
    }
    let mut first = None;
    for (layer, image) in images.iter().enumerate() {
        if !image.older().is_empty() {
            return Err(LayersError::Nested { layer });
        }
        let meta = image.view().meta().ok_or(LayersError::Damaged { layer })?;
        let (profile, first): &mut (Profile, _) =
            first.get_or_insert_with(|| (image.profile(), meta.clone()));
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
    if images.is_empty() { Err(LayersError::Empty) } else { Ok(()) }
}
