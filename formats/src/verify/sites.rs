//! I10, I11, I15: the host table, its sites, and their fetch records.
//!
//! One pass over the buckets decodes each name once; another pass follows the order of the sites.

use super::Check;
use crate::error::ImageError;
use crate::layout::*;
use crate::name::Decoded;
use crate::policy::PolicyView;
use crate::site::{Scheme, split_name};
use crate::site_entry::SiteEntry;
use std::hint::black_box;

/// The number of places of the order whose memory is fetched together.
const BLOCK: usize = 64;

impl Check<'_> {
    /// I10: sites are numbered, and their names stored, in the order of places, and each site entry
    /// is known. I11: each site is where the look-up finds it; the buckets that it was displaced
    /// from are marked, and no others are. Returns the entries by site number.
    pub(super) fn sites(&self) -> Result<Vec<SiteEntry>, ImageError> {
        let buckets = self.view.buckets();
        let mut entries = Vec::new();
        let mut passed = vec![0; buckets.len()];
        let section = self.view.section(Section::Names);
        let mut names_end = 0;
        for (at, bucket) in buckets.iter().enumerate() {
            let error = |rule, what: &str| self.error(Section::Hosts, at * size_of::<Bucket>(), rule, what);
            let sites = bucket.sites();
            if bucket.fingerprints.iter().take(sites).any(|&fingerprint| fingerprint == 0) {
                return Err(error(10, "a free place before a taken one"));
            }
            if bucket.first.get() as usize != entries.len() {
                return Err(error(10, "the sites of a bucket do not follow those before"));
            }
            let names = bucket.names();
            let length = names.length().ok_or_else(|| error(10, "the names of a bucket are cut off"))?;
            if bucket.body.iter().skip(4 * sites + length).any(|&byte| byte != 0) {
                return Err(error(10, "bytes behind the names of a bucket"));
            }
            for place in 0..sites {
                entries.push(bucket.entry(place).ok_or_else(|| error(10, "a site entry of no kind"))?);
                let stored = names.get(place).filter(|name| name.scheme().is_some());
                let name = stored.and_then(|name| name.whole(section));
                let (stored, name) =
                    stored.zip(name).ok_or_else(|| error(10, "a name without scheme, or cut off"))?;
                if let Some(offset) = stored.elsewhere() {
                    if offset as usize != names_end {
                        return Err(error(10, "long names are not end to end"));
                    }
                    names_end += 1 + name.code_length();
                }
                if name.is_long() != stored.elsewhere().is_some() {
                    return Err(error(10, "a long name in a bucket, or a short one elsewhere"));
                }
                let name = name.decode().filter(|name| !name.as_bytes().is_empty());
                let name = name.ok_or_else(|| error(10, "a name that is empty or too long"))?;
                let (shard, last) = self.layout.shard;
                if shard_of(split_name(name.as_str()).0.as_bytes(), last) != shard {
                    return Err(error(11, "a site of another shard"));
                }
                let hash = host_hash(name.as_bytes(), self.layout.seed);
                let mut tried = probes(hash, buckets.len());
                let is_marked = bucket.fingerprints.get(place) == Some(&fingerprint(hash));
                if !is_marked || !tried.clone().any(|tried| tried == at) {
                    return Err(error(11, "a site stands where no look-up finds it"));
                }
                for before in tried.by_ref().take_while(|&before| before != at) {
                    passed.get_mut(before).into_iter().for_each(|passed| *passed |= overflow_bit(hash));
                }
            }
        }
        if names_end != self.view.section(Section::Names).len() {
            return Err(self.error(Section::Names, names_end, 10, "long names of no bucket"));
        }
        if let Some(at) = buckets.iter().zip(&passed).position(|(bucket, passed)| bucket.overflow != *passed)
        {
            let what = "the overflow marks of a bucket are wrong";
            return Err(self.error(Section::Hosts, at * size_of::<Bucket>(), 11, what));
        }
        Ok(entries)
    }

    /// I11: the order has one occupied place per site, and keys ascend, so no site is missing. The
    /// order jumps all over the table, so the memory of a block of places is fetched together.
    pub(super) fn order(&self) -> Result<(), ImageError> {
        let order = self.view.order();
        if order.len() != self.view.fetches().len() {
            return Err(self.error(Section::Order, 0, 11, "not one place in the order per site"));
        }
        let mut last: Option<(Decoded, Scheme)> = None;
        for (block, places) in order.chunks(BLOCK).enumerate() {
            let buckets = || places.iter().map(|place| self.view.bucket_of(place.get()));
            let touch = |bucket: &Bucket| bucket.body.last().map(|last| bucket.overflow ^ last);
            buckets().for_each(|found| _ = black_box(found.map(|(bucket, _)| touch(bucket))));
            for (number, found) in buckets().enumerate() {
                let site = found.and_then(|(bucket, place)| self.view.site(bucket, place));
                let key = site.and_then(|site| site.decoded_name().zip(site.scheme()));
                let ascends = key.as_ref().is_some_and(|(name, scheme)| {
                    last.as_ref()
                        .is_none_or(|(last, of_last)| (last.as_bytes(), of_last) < (name.as_bytes(), scheme))
                });
                if !ascends {
                    let at = (block * BLOCK + number) * size_of::<u32>();
                    return Err(self.error(
                        Section::Order,
                        at,
                        11,
                        "a place without a site, or out of order",
                    ));
                }
                last = key;
            }
        }
        Ok(())
    }

    /// I15: one fetch record per site, with the status of its entry and a document that exists.
    pub(super) fn fetches(&self, entries: &[SiteEntry]) -> Result<(), ImageError> {
        let fetches = self.view.fetches();
        if fetches.len() != entries.len() {
            return Err(self.error(Section::Fetches, 0, 15, "not one fetch record per site"));
        }
        for (number, (fetch, entry)) in fetches.iter().zip(entries).enumerate() {
            let error =
                |what: &str| self.error(Section::Fetches, number * size_of::<FetchRecord>(), 15, what);
            if self.view.document_of(fetch).is_some_and(|document| self.view.document(document).is_none()) {
                return Err(error("a site names a document that does not exist"));
            }
            if !matches!(entry, SiteEntry::NoRules(_)) && self.view.document_of(fetch).is_none() {
                return Err(error("a site with rules names no document"));
            }
            let no_rules = match *entry {
                SiteEntry::Program(_) => None,
                SiteEntry::Policy(at) => {
                    self.view.policy(at).and_then(PolicyView::read).and_then(|p| p.no_rules())
                }
                SiteEntry::NoRules(no_rules) => Some(no_rules),
            };
            if no_rules.is_some_and(|no_rules| no_rules.status != fetch.status.get()) {
                return Err(error("a status that is not that of the entry"));
            }
        }
        Ok(())
    }
}
