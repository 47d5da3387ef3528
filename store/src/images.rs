//! Images of a moment, for who reads more of a site than verdicts: explanations, texts, lists.
//!
//! ```text
//!   captures in memory of these sites ──▶ layer ┐
//!   layers of the store ────────────────────────┴▶ image
//! ```
//!
//! Invariant: for the sites in question, the image answers as the snapshot does. Of others, it may
//! lack what is in memory. It knows no question.

use crate::StoreError;
use crate::flush::merged;
use crate::snapshot::Snapshot;
use crate::table::Single;
use robomaton_formats::{Scheme, SiteKey};
use robomaton_runtime::{Image, LayersError, Terms};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

impl Snapshot {
    /// Passes an image to `read` that has all that is held of the site of a URL, or of a host under
    /// any scheme. About the URL it answers as [`Snapshot::ask_at`] does at this time, in Unix
    /// seconds, and it says what is stale. Compiles nothing, but opens the layers once more, so ask
    /// it several questions.
    ///
    /// # Errors
    /// Only if a layer is damaged.
    pub fn with_site<R>(
        &self,
        url: &str,
        now: u64,
        read: impl FnOnce(&Image<&[u8]>) -> R,
    ) -> Result<R, StoreError> {
        // A host with a default port has another name under the other scheme.
        let under =
            |scheme: &str| SiteKey::parse(url).or_else(|_| SiteKey::parse(&format!("{scheme}://{url}")));
        let in_memory = |(scheme, prefix)| self.in_memory(under(prefix).ok()?.name().as_bytes(), scheme);
        let terms = self.own_terms_at(url, now).unwrap_or_else(|| self.stack.terms_at(now));
        let captures = [(Scheme::Http, "http"), (Scheme::Https, "https")].into_iter().filter_map(in_memory);
        self.with_captures(captures, terms, read)
    }

    /// Passes an image to `read` whose list of sites, from the first one whose authority is not
    /// less than this one, has at least `count` sites as they are held at this time, in Unix
    /// seconds. It reads all captures in memory.
    ///
    /// # Errors
    /// As of [`Snapshot::with_site`].
    pub fn with_sites_from<R>(
        &self,
        authority: &str,
        count: usize,
        now: u64,
        read: impl FnOnce(&Image<&[u8]>) -> R,
    ) -> Result<R, StoreError> {
        let mut first = BTreeMap::new();
        // The newer table counts.
        for single in self.frozen.captures().chain(self.table.captures()) {
            let Some(site) = single.image.first_site() else { continue };
            let name = site.authority();
            if name.as_str() >= authority {
                first.insert((name, site.scheme()), single);
            }
        }
        self.with_captures(first.into_values().take(count), self.stack.terms_at(now), read)
    }

    fn with_captures<'s, R>(
        &'s self,
        captures: impl Iterator<Item = &'s Arc<Single>>,
        terms: Terms,
        read: impl FnOnce(&Image<&[u8]>) -> R,
    ) -> Result<R, StoreError> {
        let captures: Vec<&Arc<Single>> = captures.collect();
        let newest = if captures.is_empty() { Vec::new() } else { merged(captures)? };
        let mut layers: Vec<Image<&[u8]>> = self.stack.layers.layers().collect();
        if !newest.is_empty() {
            layers.push(Image::from_bytes(newest.as_slice())?);
        }
        let unlike = |error: LayersError| StoreError::Unlike { path: PathBuf::from("the layers"), error };
        let image = Image::of_layers(layers).map_err(unlike)?;
        Ok(read(&image.with_terms(terms)))
    }
}
