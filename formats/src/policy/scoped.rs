//! Scoped lists: the programs of a set whose fields are weighed by specificity ([`crate::scope`];
//! SPEC.md section 5).
//!
//! The byte format is in the head of [`crate::policy`], next to that of ranked lists. The levels of
//! fields are defined here because compiler and runtime both weigh by them. This file does not know
//! the contents of a field.

use crate::int::short;
use crate::language::Role;
use crate::layout::NONE;
use crate::reference::{ListAt, ProgramAt, PurposeAt, ScopeAt, UsageId};

/// How closely a field addresses the crawler and the resource. Among the levels with matching
/// fields, only the first counts (P15, decisions 10 to 12 and 28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level {
    /// Fields for the usage `other` count only if no others match.
    pub other: bool,
    /// Fields for any crawler come after fields that name the crawler.
    pub any: bool,
    /// The place of the field: a page comes before robots.txt.
    pub holder: Holder,
}

impl Level {
    /// True for fields in pages.
    pub fn is_of_page(&self) -> bool {
        self.holder < Holder::SubRecord
    }
}

/// The place of a field, closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// An element of a page.
    Element,
    /// A META tag for the requested purpose.
    PageForPurpose,
    /// A META tag.
    Page,
    /// A sub-record for the requested purpose.
    SubRecord,
    /// The general part of a record.
    Record,
}

impl Holder {
    /// The place of groups of this role, with or without purposes. Ranked rules have none.
    #[inline]
    pub const fn of(role: Role, for_purpose: bool) -> Option<Holder> {
        match (role, for_purpose) {
            (Role::Element, _) => Some(Holder::Element),
            (Role::Page, true) => Some(Holder::PageForPurpose),
            (Role::Page, false) => Some(Holder::Page),
            (Role::Field, true) => Some(Holder::SubRecord),
            (Role::Field, false) => Some(Holder::Record),
            (Role::Conventional | Role::Preference, _) => None,
        }
    }
}

/// One program of a scoped list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopedEntry {
    /// The origin of the program's rules.
    pub role: Role,
    /// The usage that it applies to.
    pub usage: UsageId,
    /// The purpose that it applies to; `None` for any.
    pub purpose: Option<PurposeAt>,
    /// The program.
    pub program: ProgramAt,
}

impl ScopedEntry {
    /// The place of its fields. Ranked rules have none.
    #[inline]
    pub fn holder(&self) -> Option<Holder> {
        Holder::of(self.role, self.purpose.is_some())
    }
}

/// A scoped list, before encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedList {
    /// A file that these fields refer to is missing (decision 23).
    pub incomplete: bool,
    /// The conventional rules are from groups that name the crawler.
    pub own: bool,
    /// Silence permits every usage, not only crawling (P49).
    pub permits: bool,
    /// Only pages name the crawler. The name then does not count as known to the text (R5), and the
    /// list holds only the fields that pages address to it.
    pub pages: bool,
    /// The scope of the document.
    pub scope: ScopeAt,
    /// The list of the fields addressed to any crawler.
    pub rest: Option<ListAt>,
    /// The programs.
    pub entries: Vec<ScopedEntry>,
}

const SCOPED: u16 = 1 << 15;
const SCOPED_HEAD: usize = 12;
const SCOPED_ENTRY: usize = 16;

impl ScopedList {
    /// Appends the list's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(short(self.entries.len()) | SCOPED).to_le_bytes());
        let flags = [self.incomplete, self.own, self.permits, self.pages];
        let flags = (0..).zip(flags).fold(0, |bits, (bit, flag)| bits | u8::from(flag) << bit);
        out.extend_from_slice(&[flags, 0]);
        out.extend_from_slice(&self.scope.get().to_le_bytes());
        out.extend_from_slice(&self.rest.map_or(NONE, ListAt::get).to_le_bytes());
        for entry in &self.entries {
            let purpose = PurposeAt::to_raw(entry.purpose);
            let numbers = [entry.usage.get(), purpose, entry.program.get(), entry.role as u32];
            numbers.into_iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
    }
}

/// A scoped list, read in place.
#[derive(Clone, Copy, Debug)]
pub struct ScopedView<'i> {
    /// A file that these fields refer to is missing.
    pub incomplete: bool,
    /// The conventional rules are from groups that name the crawler.
    pub own: bool,
    /// Silence permits every usage, not only crawling (P49).
    pub permits: bool,
    /// Only pages name the crawler. The name then does not count as known to the text (R5), and the
    /// list holds only the fields that pages address to it.
    pub pages: bool,
    /// The scope of the document.
    pub scope: ScopeAt,
    /// The list of the fields addressed to any crawler.
    pub rest: Option<ListAt>,
    entries: &'i [[u8; SCOPED_ENTRY]],
}

/// True if the list at the start of `bytes` is a scoped one.
#[inline]
pub fn is_scoped(bytes: &[u8]) -> bool {
    bytes.get(1).is_some_and(|high| high & 0x80 != 0)
}

impl<'i> ScopedView<'i> {
    /// Reads the scoped list at the start of `bytes`; `None` if it is damaged or of the other form.
    #[inline]
    pub fn read(bytes: &'i [u8]) -> Option<ScopedView<'i>> {
        let (head, rest) = bytes.split_first_chunk::<SCOPED_HEAD>()?;
        let &[a, b, flags, reserved, s0, s1, s2, s3, r0, r1, r2, r3] = head;
        let count = u16::from_le_bytes([a, b]);
        if count & SCOPED == 0 || flags > 15 || reserved != 0 {
            return None;
        }
        let entries = rest.get(..usize::from(count & !SCOPED) * SCOPED_ENTRY)?.as_chunks().0;
        let next = u32::from_le_bytes([r0, r1, r2, r3]);
        Some(ScopedView {
            incomplete: flags & 1 != 0,
            own: flags & 2 != 0,
            permits: flags & 4 != 0,
            pages: flags & 8 != 0,
            scope: ScopeAt::new(u32::from_le_bytes([s0, s1, s2, s3])),
            rest: (next != NONE).then_some(ListAt::new(next)),
            entries,
        })
    }

    /// The programs. Entries with an unknown role are skipped; `verify` rejects them.
    #[inline]
    pub fn entries(&self) -> impl Iterator<Item = ScopedEntry> + use<'i> {
        self.entries_of(|_| true)
    }

    /// The programs for certain usages. Others are passed over before they are decoded: a look-up
    /// goes through the list once for each level.
    #[inline]
    pub fn entries_of<F: Fn(UsageId) -> bool>(
        &self,
        is_wanted: F,
    ) -> impl Iterator<Item = ScopedEntry> + use<'i, F> {
        self.entries.iter().filter_map(move |entry| {
            let [usage, purpose, program, role] = *entry.as_chunks::<4>().0 else { return None };
            let [usage, purpose, program, role] = [usage, purpose, program, role].map(u32::from_le_bytes);
            let usage = UsageId::new(usage);
            if !is_wanted(usage) {
                return None;
            }
            Some(ScopedEntry {
                role: Role::from_u32(role)?,
                usage,
                purpose: PurposeAt::from_raw(purpose),
                program: ProgramAt::new(program),
            })
        })
    }

    /// The usages of all entries, including those with an unknown role.
    #[inline]
    pub fn usages(&self) -> impl Iterator<Item = UsageId> + use<'i> {
        self.entries.iter().map(|&[a, b, c, d, ..]| UsageId::new(u32::from_le_bytes([a, b, c, d])))
    }

    /// The number of entries, including those with an unknown role.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The length of the list in bytes.
    pub fn length(&self) -> usize {
        SCOPED_HEAD + self.entries.len() * SCOPED_ENTRY
    }

    /// True if the list has no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::read_list;

    #[test]
    fn scoped_lists_round_trip() {
        let entry = ScopedEntry {
            role: Role::Field,
            usage: UsageId::new(70_000),
            purpose: Some(PurposeAt::new(0)),
            program: ProgramAt::new(99),
        };
        for rest in [None, Some(ListAt::new(12))] {
            let entries = vec![entry, ScopedEntry { role: Role::Page, ..entry }];
            let list = ScopedList {
                incomplete: rest.is_some(),
                own: rest.is_none(),
                permits: true,
                pages: rest.is_some(),
                scope: ScopeAt::new(5),
                rest,
                entries,
            };
            let mut bytes = Vec::new();
            list.encode(&mut bytes);
            assert!(is_scoped(&bytes) && read_list(&bytes).is_none());
            let view = ScopedView::read(&bytes).unwrap();
            assert_eq!((view.incomplete, view.own, view.permits), (list.incomplete, list.own, true));
            assert_eq!((view.scope, view.rest), (list.scope, rest));
            assert_eq!(view.entries().collect::<Vec<_>>(), list.entries);
            assert!(ScopedView::read(&bytes[..bytes.len() - 1]).is_none());
        }
    }
}
