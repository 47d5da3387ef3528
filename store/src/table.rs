//! The captures in memory: an image for each site, by host and scheme.
//!
//! A table is never changed: a put makes the next table, which shares all but one of its parts with
//! the former. So a reader keeps the table that it has. It does not know which capture is better.

use crate::visit::{Visit, hash};
use foldhash::{HashMap, HashMapExt};
use robomaton_formats::{Scheme, SiteKey};
use robomaton_runtime::Image;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Parts of a table: as many as a full part has hosts, so that copying both costs the same.
const PARTS: usize = 64;

/// The image of a capture. Clones share its bytes, so it can be asked under other terms.
pub(crate) type SingleImage = Image<Arc<[u8]>>;

/// A capture: its image, and the visit that made it.
pub(crate) struct Single {
    pub(crate) image: SingleImage,
    pub(crate) visit: Visit,
    /// The number of its site in files of visits.
    pub(crate) hash: u64,
}

type Part = HashMap<Box<[u8]>, Schemes>;

/// The captures of a host: by `http`, by `https`.
type Schemes = [Option<Arc<Single>>; 2];

#[derive(Clone)]
pub(crate) struct Table {
    parts: Vec<Arc<Part>>,
    len: usize,
    bytes: usize,
}

impl Table {
    pub(crate) fn new() -> Table {
        let empty = Arc::new(Part::new());
        Table { parts: vec![empty; PARTS], len: 0, bytes: 0 }
    }

    /// The number of sites.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of their images.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The capture of a site.
    pub(crate) fn get(&self, name: &[u8], scheme: Scheme) -> Option<&Arc<Single>> {
        if self.len == 0 {
            return None;
        }
        self.parts[part(name)].get(name)?.get(place(scheme)?)?.as_ref()
    }

    /// The table with the capture of one more site, in place of an earlier one.
    pub(crate) fn with(&self, key: &SiteKey, image: SingleImage, visit: Visit) -> Table {
        let mut table = self.clone();
        let name = key.name().as_bytes();
        let Some(place) = place(key.scheme()) else { return table };
        table.bytes += image.bytes();
        let schemes = Arc::make_mut(&mut table.parts[part(name)]).entry(name.into()).or_default();
        match schemes[place].replace(Arc::new(Single { image, visit, hash: hash(key) })) {
            Some(old) => table.bytes -= old.image.bytes(),
            None => table.len += 1,
        }
        table
    }

    /// All captures, in any order.
    pub(crate) fn captures(&self) -> impl Iterator<Item = &Arc<Single>> {
        self.parts.iter().flat_map(|part| part.values()).flatten().flatten()
    }
}

fn part(name: &[u8]) -> usize {
    xxh3_64(name) as usize % PARTS
}

/// The place of a scheme. A put has a URL, so its scheme is known.
fn place(scheme: Scheme) -> Option<usize> {
    match scheme {
        Scheme::Any => None,
        Scheme::Http => Some(0),
        Scheme::Https => Some(1),
    }
}
