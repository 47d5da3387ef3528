//! Verification: every checksum and every validity rule of SPEC.md section 9, I1 to I18.
//!
//! [`crate::read::Layout::parse`] checks I1 to I5 in constant time; this module checks the rest. An
//! image that passes never answers `damaged`. Only recompiling can prove that its programs agree
//! with its texts. This module repeats no rule of `Layout::parse` and does not judge robots.txt.

mod cold;
mod marks;
mod rules;
mod sites;

use crate::error::ImageError;
use crate::layout::*;
use crate::policy::USAGES;
use crate::read::{Layout, View};
use marks::Marks;
use std::collections::HashSet;
use std::thread;

/// Checks everything that verdicts and explanations depend on, except the contents of texts, on two
/// threads if the system has them.
///
/// # Errors
/// The first broken rule, with the offset of the offending byte.
pub fn verify(bytes: &[u8]) -> Result<Layout, ImageError> {
    let layout = Layout::parse(bytes)?;
    let check = Check { view: View::new(bytes, &layout), layout: &layout };
    let ((padding, sums), (cold_sums, order, cold), hot) = thread::scope(|scope| {
        let cold = || (check.checksums(|section| !section.is_hot()), check.order(), check.cold());
        let second = thread::Builder::new().spawn_scoped(scope, cold);
        let front = (check.padding(bytes), check.checksums(Section::is_hot));
        let hot = check.hot();
        let cold = match second {
            // A panic in the thread is a bug; it continues here.
            Ok(second) => second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system starts no more threads.
            Err(_) => cold(),
        };
        (front, cold, hot)
    });
    // Of several broken rules, report the first.
    padding.and(sums).and(cold_sums).and(hot).and(order).and(cold)?;
    Ok(layout)
}

/// Like [`verify`], and decompresses all texts (I18).
///
/// # Errors
/// The first broken rule, with the offset of the offending byte.
pub fn verify_with_texts(bytes: &[u8]) -> Result<Layout, ImageError> {
    let layout = verify(bytes)?;
    Check { view: View::new(bytes, &layout), layout: &layout }.texts()?;
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

    /// I6: the bytes between sections are zero, so equal contents give equal bytes.
    fn padding(&self, bytes: &[u8]) -> Result<(), ImageError> {
        let mut end = HEAD;
        for range in Section::ALL.into_iter().map(|section| self.layout.range(section)) {
            let between = bytes.get(end..range.start).unwrap_or_default();
            if let Some(at) = between.iter().position(|&byte| byte != 0) {
                return Err(ImageError::damaged(end + at, 6, "padding between sections is not zero"));
            }
            end = range.end;
        }
        if end != bytes.len() {
            return Err(ImageError::damaged(end, 6, "bytes after the last section"));
        }
        Ok(())
    }

    /// I8 to I15 except the order of the sites, and I17.
    fn hot(&self) -> Result<(), ImageError> {
        self.names()?;
        let entries = self.sites()?;
        let programs = self.policies(&entries)?;
        self.programs(&programs)?;
        self.fetches(&entries)
    }

    /// I7: the checksums of the selected sections.
    fn checksums(&self, which: impl Fn(Section) -> bool) -> Result<(), ImageError> {
        for section in Section::ALL.into_iter().filter(|&section| which(section)) {
            let sum = xxhash_rust::xxh3::xxh3_64(self.view.section(section));
            if sum != self.layout.checksum(section) {
                let what = format!("the checksum of section {} does not hold", section.name());
                return Err(self.error(section, 0, 7, what));
            }
        }
        Ok(())
    }

    /// I8: names of crawlers lie end to end, fill their section, and ascend; I9: usages are UTF-8,
    /// begin with the standard ones, and are distinct.
    fn names(&self) -> Result<(), ImageError> {
        let mut last: Option<&[u8]> = None;
        let mut end = 0;
        for (id, record) in self.view.crawler_ids().zip(self.view.records::<NameRecord>(Section::Crawlers)) {
            let at = id.index() * size_of::<NameRecord>();
            if record.at.get() != end {
                return Err(self.error(Section::Crawlers, at, 8, "a crawler's name is not behind the last"));
            }
            end = end.saturating_add(record.length.get());
            let name = self.view.crawler(id).filter(|&name| last.is_none_or(|last| last < name));
            last =
                Some(name.ok_or_else(|| {
                    self.error(Section::Crawlers, at, 8, "a crawler's name is out of order")
                })?);
        }
        if end as usize != self.view.section(Section::CrawlerNames).len() {
            return Err(self.error(Section::CrawlerNames, 0, 8, "bytes behind the last crawler's name"));
        }
        let usages = std::str::from_utf8(self.view.section(Section::Usages)).unwrap_or_default();
        if !usages.split('\n').take(USAGES.len()).eq(USAGES) || !usages.ends_with('\n') {
            return Err(self.error(Section::Usages, 0, 9, "usages do not begin with the standard ones"));
        }
        let mut known = HashSet::new();
        if !usages.lines().all(|usage| known.insert(usage.to_ascii_lowercase())) {
            return Err(self.error(Section::Usages, 0, 9, "two usages have one name"));
        }
        Ok(())
    }
}
