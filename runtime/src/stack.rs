//! The files of an image and what they share: the shards of its layers, and the usages of a stack.
//!
//! `image` holds them, `layers` makes stacks of them, and `find` looks for sites in them. Images
//! number usages by tables of their own: a usage that only some layers have gets a number of the
//! stack, which this module translates for a layer. It does not know sites.

use crate::crawler::Usage;
use crate::terms::Terms;
use robomaton_formats::int::byte;
use robomaton_formats::layout::shard_of;
use robomaton_formats::policy::USAGES;
use robomaton_formats::read::{Layout, View};
use robomaton_formats::{ImageError, UsageId};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// One file of an image.
#[derive(Clone, Debug)]
pub(crate) struct Shard<D> {
    pub(crate) data: D,
    pub(crate) layout: Layout,
    /// Its layer; 0 is the newest.
    pub(crate) layer: u8,
}

impl<D: AsRef<[u8]>> Shard<D> {
    pub(crate) fn new(data: D) -> Result<Shard<D>, ImageError> {
        let layout = Layout::parse(data.as_ref())?;
        Ok(Shard { data, layout, layer: 0 })
    }

    /// The same file as that of an image of its own.
    pub(crate) fn borrowed(&self) -> Shard<&[u8]> {
        Shard { data: self.data.as_ref(), layout: self.layout.clone(), layer: 0 }
    }

    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        View::new(self.data.as_ref(), &self.layout)
    }

    /// The seed of the host hash.
    #[inline(always)]
    pub(crate) fn seed(&self) -> u64 {
        self.layout.seed
    }
}

/// The files of an image after its first.
#[derive(Clone, Debug)]
pub(crate) struct Rest<D> {
    /// The other shards of the only or newest layer.
    pub(crate) others: Vec<Shard<D>>,
    /// The shards of the older layers, newest first. None is empty.
    pub(crate) older: Vec<Vec<Shard<D>>>,
    /// The names of the layers in their manifest, newest first; empty if there was none.
    pub(crate) names: Vec<String>,
    /// The layers of the manifest that were left out since they are damaged.
    pub(crate) left_out: Vec<LeftOut>,
    /// Sites and documents of a stack, once they are counted.
    pub(crate) count: OnceLock<usize>,
}

impl<D> Rest<D> {
    pub(crate) fn new(others: Vec<Shard<D>>, older: Vec<Vec<Shard<D>>>) -> Rest<D> {
        Rest { others, older, names: Vec::new(), left_out: Vec::new(), count: OnceLock::new() }
    }
}

/// A layer that an image was opened without, since it is missing or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The name of the layer in the manifest.
    pub name: String,
    /// The error, which names the file.
    pub error: String,
}

/// The state that all sites of an image share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    pub(crate) terms: Terms,
    /// Those of a stack, once somebody asked for one that is no standard one; copies of the image
    /// share them. Strangers name hundreds of usages in a text.
    pub(crate) usages: Arc<OnceLock<Usages>>,
}

/// The usages of a stack. The standard ones have the same numbers in every image. Others have their
/// number in the newest layer; of those that it does not have, each gets a number after its last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usages {
    /// Usages of the newest layer.
    pub(crate) newest: usize,
    /// The names of the usages that only older layers have.
    pub(crate) names: Vec<String>,
    /// For each older layer, newest first: its numbers of all usages after the standard ones.
    of_older: Vec<Vec<UsageId>>,
}

impl Usages {
    /// The usages of the layers, newest first.
    pub(crate) fn of(newest: View<'_>, older: &[View<'_>]) -> Usages {
        let lower = |name: &String| name.to_ascii_lowercase();
        let mut numbers = HashMap::new();
        let mut all: Vec<String> = newest.usages().collect();
        // The first of equal names counts, as in a single image.
        all.iter().enumerate().for_each(|(number, name)| _ = numbers.entry(lower(name)).or_insert(number));
        let count = all.len();
        for view in older {
            for name in view.usages().skip(USAGES.len()) {
                numbers.entry(lower(&name)).or_insert_with(|| {
                    all.push(name);
                    all.len() - 1
                });
            }
        }
        let of_layer = |view: &View<'_>| {
            let mut own = HashMap::new();
            (0..).zip(view.usages()).for_each(|(number, name)| _ = own.entry(lower(&name)).or_insert(number));
            let id = |name: &String| own.get(&lower(name)).map_or(Usage::UNSPOKEN, |&id| UsageId::new(id));
            all.iter().skip(USAGES.len()).map(id).collect()
        };
        let of_older = older.iter().map(of_layer).collect();
        Usages { newest: count, names: all.split_off(count), of_older }
    }
}

impl Shared {
    pub(crate) fn with_terms(self, terms: Terms) -> Shared {
        Shared { terms, ..self }
    }

    /// The usage as an older layer numbers it.
    #[inline(never)]
    pub(crate) fn usage_of_layer<'p>(&self, usage: Usage<'p>, layer: u8) -> Usage<'p> {
        let Some(own) = usage.id.index().checked_sub(USAGES.len()) else { return usage };
        let of_layer =
            usize::from(layer).checked_sub(1).and_then(|older| self.usages.get()?.of_older.get(older));
        let id = of_layer.and_then(|ids| ids.get(own)).copied().unwrap_or(Usage::UNSPOKEN);
        Usage { id, ..usage }
    }
}

/// The shard of a site, of those of a layer, by its authority.
#[inline(never)]
pub(crate) fn of_host<'i, D>(first: &'i Shard<D>, others: &'i [Shard<D>], host: &[u8]) -> &'i Shard<D> {
    if others.is_empty() {
        return first;
    }
    let authority = host.split(|&byte| byte == b'/').next().unwrap_or_default();
    let number = usize::from(shard_of(authority, byte(others.len())));
    number.checked_sub(1).and_then(|other| others.get(other)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use crate::{Image, Usage};
    use robomaton_compiler::{Entry, Options, compile, emit};
    use robomaton_formats::SiteKey;

    /// A text may name hundreds, and few questions are about them.
    #[test]
    fn usages_of_a_stack_are_numbered_once_they_are_asked_for() {
        let image = |url: &str, usage: &str| {
            let text = format!("ACAP-crawler: *\nACAP-disallow-{usage}: /x\n");
            let document = compile(text.as_bytes(), None, &Options::default());
            let entry = Entry::fetched(SiteKey::from_url(url).expect("a URL"), &document);
            Image::from_bytes(emit(vec![entry], &Options::default()).expect("an image")).expect("an image")
        };
        let (old, new) = ("https://old.example/x", "https://new.example/x");
        let stack = Image::of_layers(vec![image(old, "foo"), image(new, "bar")]).expect("a stack");
        let crawler = stack.crawler(["bot"]);
        assert!(stack.decide(&crawler, Usage::CRAWL, old).is_allowed());
        assert!(stack.shared.usages.get().is_none());
        let copy = stack.clone();
        for (name, refused, other) in [("foo", old, new), ("bar", new, old)] {
            let usage = copy.usage(name);
            assert!(!stack.decide(&crawler, usage, refused).is_allowed(), "{name}");
            assert!(stack.decide(&crawler, usage, other).is_allowed(), "{name}");
        }
        assert!(stack.shared.usages.get().is_some());
    }
}
