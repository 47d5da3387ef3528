//! Verification: every checksum and every validity rule of SPEC.md section 9, V1 to V17.
//!
//! [`crate::read::Layout::parse`] has checked V1 to V5 in constant time; this walks the rest. An image that passes never
//! answers `damaged`; that its programs say what its texts say, only compiling again can prove.
//! It repeats no rule of `Layout::parse` and judges nothing about robots.txt.

use crate::error::ImageError;
use crate::layout::*;
use crate::policy::{NO_PURPOSE, PolicyView, SET_LIST, ScopedView, USAGES, is_scoped, read_list};
use crate::program::{self, Head, Weighing};
use crate::read::{Layout, View};
use crate::site::{Outcome, Scheme};
use std::collections::HashSet;
use std::io::Read;

/// Checks the whole image.
///
/// # Errors
/// The first broken rule, with the offset of the byte that breaks it.
pub fn verify(bytes: &[u8]) -> Result<Layout, ImageError> {
    let layout = Layout::parse(bytes)?;
    let check = Check { view: View::new(bytes, &layout), layout: &layout };
    check.padding(bytes)?;
    check.checksums()?;
    check.names()?;
    let policies = check.sites()?;
    check.hosts()?;
    let programs = check.policies(policies)?;
    check.programs(programs)?;
    check.cold()?;
    Ok(layout)
}

struct Check<'i> {
    view: View<'i>,
    layout: &'i Layout,
}

impl Check<'_> {
    fn error(&self, section: Section, at: usize, rule: u8, what: impl Into<String>) -> ImageError {
        ImageError::damaged(self.layout.range(section).start + at, rule, what)
    }

    /// V6: what lies between sections is zero, so equal contents are equal bytes.
    fn padding(&self, bytes: &[u8]) -> Result<(), ImageError> {
        let mut end = HEAD;
        for range in Section::ALL.into_iter().map(|section| self.layout.range(section)) {
            if let Some(at) = bytes[end..range.start].iter().position(|&octet| octet != 0) {
                return Err(ImageError::damaged(end + at, 6, "padding between sections is not zero"));
            }
            end = range.end;
        }
        if end != bytes.len() {
            return Err(ImageError::damaged(end, 6, "bytes after the last section"));
        }
        Ok(())
    }

    /// V7: checksums.
    fn checksums(&self) -> Result<(), ImageError> {
        for section in Section::ALL {
            let sum = xxhash_rust::xxh3::xxh3_64(self.view.section(section));
            if sum != self.layout.checksum(section) {
                let what = format!("the checksum of section {} does not hold", section.name());
                return Err(self.error(section, 0, 7, what));
            }
        }
        Ok(())
    }

    /// V8: names of crawlers ascend and lie in their section; V9: usages are UTF-8 and begin with the standard ones.
    fn names(&self) -> Result<(), ImageError> {
        let mut last: Option<&[u8]> = None;
        for id in 0..self.view.crawlers() as u32 {
            let at = id as usize * size_of::<NameRecord>();
            let name = self.view.crawler(id).filter(|&name| last.is_none_or(|last| last < name));
            last =
                Some(name.ok_or_else(|| {
                    self.error(Section::Crawlers, at, 8, "a crawler's name is out of order")
                })?);
        }
        let usages = std::str::from_utf8(self.view.section(Section::Usages)).unwrap_or_default();
        if !usages.lines().take(USAGES.len()).eq(USAGES) || !usages.ends_with('\n') {
            return Err(self.error(Section::Usages, 0, 9, "usages do not begin with the standard ones"));
        }
        Ok(())
    }

    /// V10: sites ascend by authority, then scheme; their names lie end to end; scheme and outcome are known.
    /// Gives the offsets of policies.
    fn sites(&self) -> Result<Vec<u32>, ImageError> {
        let mut policies = Vec::new();
        let (mut last, mut end) = (None, 0);
        for (number, site) in self.view.sites().iter().enumerate() {
            let error = |what: &str| self.error(Section::Sites, number * size_of::<SiteRecord>(), 10, what);
            let scheme = Scheme::from_u8(site.state & 3).ok_or_else(|| error("the scheme is unknown"))?;
            let outcome = Outcome::from_u8(site.state >> 2).ok_or_else(|| error("the outcome is unknown"))?;
            if outcome == Outcome::Rules && site.policy == NONE {
                return Err(error("rules without a policy"));
            }
            let name = self.view.authority(site).ok_or_else(|| error("the name lies outside its section"))?;
            if site.name_at.get() as usize != end || name.is_empty() {
                return Err(error("names do not lie end to end"));
            }
            end += name.len();
            if last.is_some_and(|last| last >= (name, scheme)) {
                return Err(error("sites are out of order"));
            }
            last = Some((name, scheme));
            if site.policy != NONE {
                policies.push(site.policy.get());
            }
        }
        if end != self.view.section(Section::Names).len() {
            return Err(self.error(Section::Names, end, 10, "octets that belong to no site"));
        }
        policies.sort_unstable();
        policies.dedup();
        Ok(policies)
    }

    /// V11: each site stands where a look-up finds it, the buckets that it was displaced from are marked, no others
    /// are, and buckets hold nothing else.
    fn hosts(&self) -> Result<(), ImageError> {
        let (buckets, sites) = (self.view.buckets(), self.view.sites());
        let mut placed = vec![false; sites.len()];
        let mut passed = vec![false; buckets.len()];
        for (at, bucket) in buckets.iter().enumerate() {
            let error = |what: &str| self.error(Section::Hosts, at * size_of::<Bucket>(), 11, what);
            if bucket.reserved != [0; 3] || bucket.overflow > 1 {
                return Err(error("reserved bytes of a bucket are not zero"));
            }
            for (&tag, number) in bucket.tags.iter().zip(bucket.sites) {
                let number = number.get() as usize;
                if tag == 0 {
                    if number != 0 {
                        return Err(error("a free place holds a site"));
                    }
                    continue;
                }
                let name = sites.get(number).and_then(|site| self.view.authority(site));
                let name = name.ok_or_else(|| error("a place names a site that does not exist"))?;
                let hash = host_hash(name, self.layout.seed);
                let home = home_bucket(hash, buckets.len());
                let distance = (at + buckets.len() - home) % buckets.len();
                if tag != bucket_tag(hash) || distance >= MAX_PROBE {
                    return Err(error("a site stands where no look-up finds it"));
                }
                (0..distance).for_each(|step| passed[(home + step) % buckets.len()] = true);
                if std::mem::replace(&mut placed[number], true) {
                    return Err(error("a site stands in two places"));
                }
            }
        }
        if let Some(at) = (0..buckets.len()).find(|&at| (buckets[at].overflow == 1) != passed[at]) {
            let what = "the overflow mark of a bucket is wrong";
            return Err(self.error(Section::Hosts, at * size_of::<Bucket>(), 11, what));
        }
        match placed.iter().position(|&placed| !placed) {
            Some(number) => {
                let at = number * size_of::<SiteRecord>();
                Err(self.error(Section::Sites, at, 11, "a site stands in no bucket"))
            }
            None => Ok(()),
        }
    }

    /// V12: policies are whole, their crawlers exist (and ascend, where they are looked up by number);
    /// V13: lists are whole and their usages exist. Gives the offsets of programs, and whether they are weighed by narrowness.
    fn policies(&self, offsets: Vec<u32>) -> Result<HashSet<(u32, bool)>, ImageError> {
        let usages = self.view.usages().count();
        let all_by_substring = self.layout.profile.agent_rule() == crate::profile::AgentRule::Substring;
        let (mut programs, mut lists) = (HashSet::new(), HashSet::new());
        for at in offsets {
            let error = |rule, what: &str| self.error(Section::Policies, at as usize, rule, what);
            let policy: PolicyView<'_> = self
                .view
                .policy(at)
                .and_then(PolicyView::read)
                .ok_or_else(|| error(12, "a policy is cut off"))?;
            if !policy.is_canonical() {
                return Err(error(12, "reserved flags of a policy"));
            }
            if all_by_substring && !policy.is_by_substring() && !policy.is_empty() {
                return Err(error(12, "a policy that is not looked up as its image's profile says"));
            }
            let mut last = None;
            for index in 0..policy.len() {
                let id = policy.crawler(index).filter(|&id| (id as usize) < self.view.crawlers());
                let id = id.ok_or_else(|| error(12, "a policy names a crawler that does not exist"))?;
                if !policy.is_by_substring() && last.is_some_and(|last| last >= id) {
                    return Err(error(12, "the crawlers of a policy are out of order"));
                }
                last = Some(id);
            }
            for index in 0..policy.len() + usize::from(policy.has_default()) {
                let word = policy.set(index).ok_or_else(|| error(12, "a crawler's set does not exist"))?;
                if word & SET_LIST == 0 {
                    programs.insert((word, false));
                    continue;
                }
                let list = self.view.list(word & !SET_LIST);
                if list.is_some_and(is_scoped) {
                    lists.insert(word & !SET_LIST);
                    continue;
                }
                let list = list.and_then(read_list);
                for entry in list.ok_or_else(|| error(13, "a list is cut off"))? {
                    if usize::from(entry.usage) >= usages {
                        return Err(error(13, "a list names a usage that does not exist"));
                    }
                    if entry.purpose != NO_PURPOSE {
                        return Err(error(13, "a ranked list names a purpose"));
                    }
                    programs.insert((entry.program, false));
                }
            }
        }
        self.scoped_lists(lists, &mut programs)?;
        Ok(programs)
    }

    /// V13: scoped lists are whole, lead to no further list than one, and their usages and purposes exist; V17: their
    /// scopes are whole.
    fn scoped_lists(
        &self,
        offsets: HashSet<u32>,
        programs: &mut HashSet<(u32, bool)>,
    ) -> Result<(), ImageError> {
        let usages = self.view.usages().count();
        let mut waiting: Vec<(u32, bool)> = offsets.into_iter().map(|at| (at, false)).collect();
        waiting.sort_unstable();
        let mut rests = HashSet::new();
        let mut scopes = HashSet::new();
        while let Some((at, is_rest)) = waiting.pop() {
            let error = |what: &str| self.error(Section::Lists, at as usize, 13, what);
            let list = self.view.list(at).and_then(ScopedView::read);
            let list = list.ok_or_else(|| error("a scoped list is cut off"))?;
            scopes.insert(list.scope);
            match list.rest {
                Some(_) if is_rest => return Err(error("a list of all crawlers leads to another")),
                Some(rest) if rests.insert(rest) => waiting.push((rest, true)),
                _ => {}
            }
            if list.entries().count() != list.len() {
                return Err(error("a list holds an unknown role"));
            }
            for entry in list.entries() {
                if entry.usage as usize >= usages {
                    return Err(error("a list names a usage that does not exist"));
                }
                if entry.purpose != 0 && self.view.purpose(entry.purpose).is_none() {
                    return Err(error("a list names a purpose that does not exist"));
                }
                programs.insert((entry.program, true));
            }
        }
        let mut scopes: Vec<u32> = scopes.into_iter().collect();
        scopes.sort_unstable();
        for at in scopes {
            if !self.view.scope(at).is_some_and(|scope| scope.is_whole()) {
                return Err(self.error(
                    Section::Scopes,
                    at as usize,
                    17,
                    "a scope is cut off or out of order",
                ));
            }
        }
        Ok(())
    }

    /// V14: every program is a pair of trees inside its section, which ends with padding.
    fn programs(&self, offsets: HashSet<(u32, bool)>) -> Result<(), ImageError> {
        let section = self.view.section(Section::Programs);
        if !section.ends_with(&[0; program::PADDING]) {
            return Err(self.error(Section::Programs, section.len(), 14, "programs do not end with padding"));
        }
        let mut offsets: Vec<(u32, bool)> = offsets.into_iter().collect();
        offsets.sort_unstable();
        for (at, scoped) in offsets {
            let program = self.view.program(at).unwrap_or_default();
            if Head::read(program).is_some_and(|head| (head.weighing == Weighing::Scoped) != scoped) {
                let what = "a program is weighed in another way than its set is";
                return Err(self.error(Section::Programs, at as usize, 14, what));
            }
            program::check(program)
                .map_err(|(offset, what)| self.error(Section::Programs, at as usize + offset, 14, what))?;
        }
        Ok(())
    }

    /// V15: one fetch record per site, naming a document that exists; V16: details, texts and provenance decode.
    fn cold(&self) -> Result<(), ImageError> {
        let documents = self.view.documents().len() as u32;
        if self.view.fetches().len() != self.view.sites().len() {
            return Err(self.error(Section::Fetches, 0, 15, "not one fetch record per site"));
        }
        for (number, fetch) in self.view.fetches().iter().enumerate() {
            if fetch.document != NONE && fetch.document.get() >= documents {
                let at = number * size_of::<FetchRecord>();
                return Err(self.error(
                    Section::Fetches,
                    at,
                    15,
                    "a site names a document that does not exist",
                ));
            }
        }
        for number in 0..documents {
            let at = number as usize * size_of::<DocumentRecord>();
            // A frame may claim any size: it is read as a stream, and no text is larger than the limit.
            let whole = self.view.documents()[number as usize].source_length == 0
                || self.view.source_reader(number).is_some_and(|text| {
                    let length = std::io::copy(&mut text.take(MAX_TEXT + 1), &mut std::io::sink());
                    length.is_ok_and(|length| length <= MAX_TEXT)
                });
            if self.view.detail(number).is_none() || !whole {
                return Err(self.error(
                    Section::Documents,
                    at,
                    16,
                    "a document's details or text do not decode",
                ));
            }
        }
        if self.view.meta().is_none() {
            return Err(self.error(Section::Meta, 0, 16, "the provenance does not decode"));
        }
        Ok(())
    }
}
