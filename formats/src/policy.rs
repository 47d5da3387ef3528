//! Policies: the programs that apply to each crawler (SPEC.md section 5).
//!
//! A policy maps crawler numbers to *sets*; a set holds the programs of each usage and purpose.
//! Most sets hold a single program, for crawling, and are stored as its offset. The compiler
//! encodes policies with [`Policy::encode`]; the runtime finds sets with [`PolicyView`].
//!
//! ```text
//! policy := u8 flags (bit 0 crawler numbers of 4 bytes, else 2; bit 1 set numbers of 2, else 1; bit 2 has default;
//!           bit 3 crawlers in file order, found by substring; bit 4 no rules; bit 5 has preferences; bit 6 additive),
//!           [u8 outcome, u16 status], [u8 preferences, u32 policy × preferences], varint crawlers, varint sets, number × crawlers, set number × crawlers, [set number], u32 × sets
//! set    := offset of a program in `programs`; or, with bit 31 set, offset of a list in `lists`
//! list   := u16 count, (u16 usage, u16 tag, u32 program) × count
//!         | u16 count with bit 15 set, u8 flags (bit 0 incomplete, bit 1 own groups, bit 2 silence permits, bit 3 pages alone), u8 zero, u32 scope, u32 rest,
//!           (u32 usage, u32 purpose, u32 program, u32 role) × count
//! ```
//! The second form is a *scoped* list: its fields are weighed by specificity (`scope`). `rest` is
//! the list of the fields addressed to any crawler, or `NONE`.
//!
//! A policy with *preferences* refers to further policies, one for each source of statements in the
//! modern languages ([`crate::preference`]). The tags of their lists say what a program's answer
//! means; in all other lists the tag is 0. In an *additive* policy, the default set and the sets of
//! each of the crawler's names count together.

mod scoped;

pub use scoped::{Holder, Level, ScopedEntry, ScopedList, ScopedView, is_scoped};

use crate::int::{byte, short, small};
pub use crate::language::Role;
use crate::program::{push_varint, varint};
pub use crate::reference::{CrawlerId, SetRef};
use crate::reference::{PolicyAt, ProgramAt, UsageId};
use crate::site_entry::{NoRules, SiteEntry};
pub use crate::usage::{CRAWL, INDEX, OTHER, PRESENT, USAGES, is_special};
use wide::u16x8;

/// The tag of programs of conventional rules.
pub const NO_TAG: u16 = 0;

/// The maximum number of sets in a policy.
pub const MAX_SETS: usize = 1 << 16;
/// The maximum number of policies of preferences that a policy refers to.
pub const MAX_PREFERENCES: usize = 3;
/// The maximum number of entries in a list.
pub const MAX_ENTRIES: usize = (1 << 15) - 1;

const WIDE_IDS: u8 = 1;
const WIDE_SETS: u8 = 2;
const HAS_DEFAULT: u8 = 4;
const BY_SUBSTRING: u8 = 8;
const NO_RULES: u8 = 16;
const PREFERENCES: u8 = 32;
const ADDITIVE: u8 = 64;
pub(crate) const ENTRY: usize = 8;

/// A policy, before encoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The outcome of fetching robots.txt, if only pages have rules.
    pub no_rules: Option<NoRules>,
    /// Crawlers that groups name, each with an index into `sets`. Ascending by number, or in file
    /// order if they are found by substring.
    pub crawlers: Vec<(CrawlerId, usize)>,
    /// The first crawler whose value contains the requested name matches (K9).
    pub by_substring: bool,
    /// The set for all other crawlers, if the file has a default group.
    pub default: Option<usize>,
    /// The sets.
    pub sets: Vec<SetRef>,
    /// The policies of the site's preferences, in the order in which they are asked.
    pub preferences: Vec<PolicyAt>,
    /// In a policy of preferences: the default set and the sets of all names count together.
    pub additive: bool,
}

impl Policy {
    /// The program, if the policy consists of a single one for crawling by all crawlers. Such a
    /// policy is not stored: the site entries refer to the program directly.
    pub fn as_program(&self) -> Option<SiteEntry> {
        let bare = self.no_rules.is_none()
            && self.preferences.is_empty()
            && self.crawlers.is_empty()
            && self.default == Some(0);
        match self.sets[..] {
            [SetRef::Program(at)] if bare => Some(SiteEntry::Program(at)),
            _ => None,
        }
    }

    /// Appends the policy's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let wide_ids = self.crawlers.iter().any(|&(id, _)| id.get() > u32::from(u16::MAX));
        let wide_sets = self.sets.len() > usize::from(u8::MAX) + 1;
        let flag = |on, bit| if on { bit } else { 0 };
        out.push(
            flag(wide_ids, WIDE_IDS)
                | flag(wide_sets, WIDE_SETS)
                | flag(self.default.is_some(), HAS_DEFAULT)
                // Without crawlers to find, policies are the same under all profiles.
                | flag(self.by_substring && !self.crawlers.is_empty(), BY_SUBSTRING)
                | flag(self.no_rules.is_some(), NO_RULES)
                | flag(!self.preferences.is_empty(), PREFERENCES)
                | flag(self.additive, ADDITIVE),
        );
        if let Some(NoRules { outcome, status }) = self.no_rules {
            out.push(outcome as u8);
            out.extend_from_slice(&status.to_le_bytes());
        }
        if !self.preferences.is_empty() {
            out.push(byte(self.preferences.len()));
            self.preferences.iter().for_each(|at| out.extend_from_slice(&at.get().to_le_bytes()));
        }
        push_varint(out, small(self.crawlers.len()));
        push_varint(out, small(self.sets.len()));
        for &(id, _) in &self.crawlers {
            out.extend(id.get().to_le_bytes().into_iter().take(if wide_ids { 4 } else { 2 }));
        }
        for set in self.crawlers.iter().map(|&(_, set)| set).chain(self.default) {
            out.extend(small(set).to_le_bytes().into_iter().take(if wide_sets { 2 } else { 1 }));
        }
        self.sets.iter().for_each(|set| out.extend_from_slice(&set.to_raw().to_le_bytes()));
    }
}

/// One program of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The usage that it applies to; an id below 2¹⁶.
    pub usage: UsageId,
    /// The meaning of its answer in a policy of preferences ([`crate::preference::Tag`]), else
    /// [`NO_TAG`].
    pub tag: u16,
    /// The program.
    pub program: ProgramAt,
}

/// Appends a list of entries.
pub fn encode_list(out: &mut Vec<u8>, entries: &[Entry]) {
    out.extend_from_slice(&short(entries.len()).to_le_bytes());
    for entry in entries {
        let usage = u16::try_from(entry.usage.get()).expect("the usages of ranked lists have ids of 16 bits");
        out.extend_from_slice(&usage.to_le_bytes());
        out.extend_from_slice(&entry.tag.to_le_bytes());
        out.extend_from_slice(&entry.program.get().to_le_bytes());
    }
}

/// The entries of the list at the start of `bytes`; `None` if it is damaged.
#[inline]
pub fn read_list(bytes: &[u8]) -> Option<impl ExactSizeIterator<Item = Entry> + '_> {
    let count = usize::from(u16::from_le_bytes(*bytes.first_chunk()?));
    if count > MAX_ENTRIES {
        return None;
    }
    let entries = bytes.get(2..2 + count * ENTRY)?;
    Some(entries.as_chunks::<ENTRY>().0.iter().map(|&[a, b, c, d, e, f, g, h]| Entry {
        usage: u16::from_le_bytes([a, b]).into(),
        tag: u16::from_le_bytes([c, d]),
        program: ProgramAt::new(u32::from_le_bytes([e, f, g, h])),
    }))
}

/// The set of a crawler, as [`quick_set`] finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickSet {
    /// The crawler has this set.
    Set(SetRef),
    /// No set is the crawler's.
    NoSet,
    /// The policy does not have the common form, or is damaged.
    OtherForm,
}

/// The set of a crawler in the policy at the start of `bytes`, if the policy has the common form:
/// no outcome, crawlers found by numbers of two bytes, few sets. `bytes` must go on beyond the
/// policy.
#[inline(always)]
pub fn quick_set(bytes: &[u8], id: u16) -> QuickSet {
    find_quick_set(bytes, id).unwrap_or(QuickSet::OtherForm)
}

#[inline(always)]
fn find_quick_set(bytes: &[u8], id: u16) -> Option<QuickSet> {
    const BLOCK: usize = 8;
    let flags = *bytes.first()?;
    if flags & !(HAS_DEFAULT | PREFERENCES) != 0 {
        return None;
    }
    let mut at = 1;
    if flags & PREFERENCES != 0 {
        at += 1 + 4 * usize::from(*bytes.get(1)?);
    }
    let &[count @ 0..0x80, sets @ 0..0x80] = bytes.get(at..)?.first_chunk()? else { return None };
    let (count, sets) = (usize::from(count), usize::from(sets));
    let ids = bytes.get(at + 2..)?;
    let wanted = u16x8::splat(wide::bytemuck::cast(id.to_le_bytes()));
    // Where the default's index is, if the crawler is not found.
    let mut place = count;
    for (number, ids) in ids.get(..(2 * count).next_multiple_of(16))?.as_chunks::<16>().0.iter().enumerate() {
        let ids: u16x8 = wide::bytemuck::cast(*ids);
        let found = ids.simd_eq(wanted).to_bitmask();
        if found != 0 {
            place = count.min(BLOCK * number + found.trailing_zeros() as usize);
            break;
        }
    }
    if place == count && flags & HAS_DEFAULT == 0 {
        return Some(QuickSet::NoSet);
    }
    let index = usize::from(*ids.get(2 * count + place)?);
    let words = 3 * count + usize::from(flags & HAS_DEFAULT != 0);
    let word = ids.get(words + 4 * index..)?.first_chunk()?;
    (index < sets).then(|| QuickSet::Set(SetRef::from_raw(u32::from_le_bytes(*word))))
}

/// A policy, read in place.
#[derive(Clone, Copy, Debug)]
pub struct PolicyView<'i> {
    ids: &'i [u8],
    indexes: &'i [u8],
    sets: &'i [u8],
    flags: u8,
    count: usize,
    no_rules: Option<NoRules>,
    preferences: &'i [u8],
}

impl<'i> PolicyView<'i> {
    /// Reads the policy at the start of `bytes`; `None` if it is damaged.
    #[inline]
    pub fn read(bytes: &'i [u8]) -> Option<PolicyView<'i>> {
        let flags = *bytes.first()?;
        let mut at = 1;
        let mut no_rules = None;
        if flags & NO_RULES != 0 {
            let &[outcome, low, high] = bytes.get(1..)?.first_chunk()?;
            no_rules = Some(NoRules::read(outcome, u16::from_le_bytes([low, high]))?);
            at = 4;
        }
        let mut preferences: &[u8] = &[];
        if flags & PREFERENCES != 0 {
            let count = usize::from(*bytes.get(at)?);
            preferences = bytes.get(at + 1..at + 1 + 4 * count)?;
            at += 1 + 4 * count;
        }
        let count = varint(bytes, &mut at)? as usize;
        let sets = varint(bytes, &mut at)? as usize;
        let (ids, rest) = bytes.get(at..)?.split_at_checked(count.checked_mul(2 << (flags & WIDE_IDS))?)?;
        let indexed = count + usize::from(flags & HAS_DEFAULT != 0);
        let (indexes, rest) = rest.split_at_checked(indexed << (flags >> 1 & 1))?;
        let sets = rest.get(..sets.checked_mul(4)?)?;
        Some(PolicyView { ids, indexes, sets, flags, count, no_rules, preferences })
    }

    /// True if a writer could have set these flags.
    pub fn is_canonical(&self) -> bool {
        let most = if self.has_preferences() { MAX_PREFERENCES } else { 0 };
        let count = self.preferences.len() / 4;
        self.flags & 1 << 7 == 0
            && !(self.is_by_substring() && (self.is_empty() || self.is_additive()))
            && usize::from(self.has_preferences()) <= count
            && count <= most
            && !(self.is_additive() && self.has_preferences())
    }

    /// True if the crawlers are in file order, and the first whose value contains the requested
    /// name matches (K9). Otherwise their numbers ascend, and names are compared whole.
    #[inline]
    pub fn is_by_substring(&self) -> bool {
        self.flags & BY_SUBSTRING != 0
    }

    /// The outcome of fetching robots.txt, if only pages have rules.
    #[inline]
    pub fn no_rules(&self) -> Option<NoRules> {
        self.no_rules
    }

    /// True if the site states preferences.
    #[inline]
    pub fn has_preferences(&self) -> bool {
        self.flags & PREFERENCES != 0
    }

    /// The policies of the site's preferences, in the order in which they are asked.
    #[inline]
    pub fn preferences(&self) -> impl Iterator<Item = PolicyAt> + use<'i> {
        self.preferences.as_chunks().0.iter().map(|&word| PolicyAt::new(u32::from_le_bytes(word)))
    }

    /// True for a policy of preferences in which the default set and the sets of all names count
    /// together.
    #[inline]
    pub fn is_additive(&self) -> bool {
        self.flags & ADDITIVE != 0
    }

    /// The number of crawlers that groups name.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if no group names a crawler.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of crawler `index`.
    #[inline]
    pub fn crawler(&self, index: usize) -> Option<CrawlerId> {
        let id = if self.flags & WIDE_IDS == 0 {
            self.ids.get(index * 2..)?.first_chunk().map(|&id| u32::from(u16::from_le_bytes(id)))
        } else {
            self.ids.get(index * 4..)?.first_chunk().map(|&id| u32::from_le_bytes(id))
        };
        id.map(CrawlerId::new)
    }

    /// The index of the crawler with this number, in a policy with ascending numbers.
    #[inline]
    pub fn find(&self, id: CrawlerId) -> Option<usize> {
        // Bisects down to a run that is compared as a whole: a few steps, then no branch that is
        // hard to predict.
        const RUN: usize = 16;
        let (mut low, mut high) = (0, self.count);
        while self.flags & WIDE_IDS == 0 && high - low > RUN {
            let middle = low.midpoint(high);
            if self.crawler(middle)? <= id { low = middle } else { high = middle }
        }
        if self.flags & WIDE_IDS == 0 {
            let id = u16::try_from(id.get()).ok()?.to_le_bytes();
            let run = self.ids.get(low * 2..high * 2)?.as_chunks::<2>().0;
            let places = run.iter().zip(0..).filter(|&(&other, _)| other == id);
            return places.map(|(_, place): (_, usize)| low + place).next();
        }
        while low < high {
            let middle = low.midpoint(high);
            match self.crawler(middle)?.cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The set number of crawler `index`. The index after the last crawler gives the default set.
    #[inline]
    pub fn set_number(&self, index: usize) -> Option<usize> {
        Some(if self.flags & WIDE_SETS == 0 {
            usize::from(*self.indexes.get(index)?)
        } else {
            usize::from(u16::from_le_bytes(*self.indexes.get(index * 2..)?.first_chunk()?))
        })
    }

    /// The set of crawler `index`.
    #[inline]
    pub fn set(&self, index: usize) -> Option<SetRef> {
        let set = self.set_number(index)?;
        self.sets.get(set * 4..)?.first_chunk().map(|&word| SetRef::from_raw(u32::from_le_bytes(word)))
    }

    /// All sets in number order.
    pub fn sets(&self) -> impl Iterator<Item = SetRef> + use<'i> {
        self.sets.as_chunks().0.iter().map(|&word| SetRef::from_raw(u32::from_le_bytes(word)))
    }

    /// True if there is a set for crawlers that no group names.
    pub fn has_default(&self) -> bool {
        self.flags & HAS_DEFAULT != 0
    }

    /// The length of the policy at the start of `bytes`; `None` if it is damaged.
    pub fn length(bytes: &[u8]) -> Option<usize> {
        let end = PolicyView::read(bytes)?.sets.as_ptr_range().end;
        end.addr().checked_sub(bytes.as_ptr().addr())
    }

    /// The set for crawlers that no group names.
    #[inline]
    pub fn default_set(&self) -> Option<SetRef> {
        if self.has_default() { self.set(self.count) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;
    use crate::reference::ListAt;

    #[test]
    fn policies_round_trip() {
        for (ids, sets) in [(3u32, 2usize), (300, 300), (70_000, 1)] {
            let crawlers: Vec<_> = (0..ids).map(|id| (CrawlerId::new(id), id as usize % sets)).collect();
            let policy = Policy {
                crawlers,
                default: Some(sets - 1),
                sets: (0..sets as u32).map(|n| SetRef::from_raw(n * 3)).collect(),
                by_substring: sets == 1,
                no_rules: (sets == 2).then_some(NoRules { outcome: Outcome::Unreachable, status: 503 }),
                preferences: if sets == 300 {
                    vec![PolicyAt::new(7), PolicyAt::new(1 << 20)]
                } else {
                    Vec::new()
                },
                additive: sets == 2,
            };
            let mut out = Vec::new();
            policy.encode(&mut out);
            let view = PolicyView::read(&out).unwrap();
            assert_eq!((view.is_by_substring(), view.is_canonical()), (sets == 1, true));
            for &(id, set) in &policy.crawlers {
                let index = view.find(id).unwrap();
                assert_eq!(view.set(index), Some(policy.sets[set]));
            }
            assert_eq!(view.find(CrawlerId::new(ids)), None);
            assert_eq!(view.default_set(), Some(policy.sets[sets - 1]));
            assert_eq!(view.no_rules(), policy.no_rules);
            assert!(view.preferences().eq(policy.preferences.iter().copied()));
            assert_eq!(view.is_additive(), policy.additive);
        }
    }

    #[test]
    fn one_program_for_all_is_no_policy() {
        let program = ProgramAt::new(7);
        let policy = |set| Policy { default: Some(0), sets: vec![set], ..Policy::default() };
        let one = || policy(SetRef::Program(program));
        assert_eq!(one().as_program(), Some(SiteEntry::Program(program)));
        assert_eq!(policy(SetRef::List(ListAt::new(7))).as_program(), None);
        assert_eq!(Policy { crawlers: vec![(CrawlerId::new(0), 0)], ..one() }.as_program(), None);
        assert_eq!(Policy { default: None, ..one() }.as_program(), None);
        let no_rules = Some(NoRules { outcome: Outcome::Unavailable, status: 404 });
        assert_eq!(Policy { no_rules, ..one() }.as_program(), None);
    }
}
