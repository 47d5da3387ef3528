//! The usages and levels that have programs in scoped lists, so that a look-up passes over all
//! others.
//!
//! `scoped` notes the usages once for a question ([`Spoken`]), and for each usage the levels
//! ([`Places`]), which it tries in their order. Invariant: a bit may be set without a program, but
//! no program is without its bit. It does not know what a program says.

use super::is_about;
use crate::crawler::Usage;
use crate::usages::Usages;
use robomaton_formats::UsageId;
use robomaton_formats::policy::{Holder, Role, ScopedView};

/// The usages that have programs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spoken {
    usages: Usages,
    /// True if pages address the crawler by a name.
    pub(super) own_pages: bool,
}

impl Spoken {
    /// Adds the programs of a list.
    #[inline]
    pub(super) fn add(&mut self, list: &ScopedView<'_>) {
        self.usages = self.usages.with(list.usages());
    }

    /// Adds the programs of pages in a list of one of the crawler's names.
    #[inline]
    pub(super) fn add_pages(&mut self, list: &ScopedView<'_>) {
        for entry in list.entries().filter(|entry| entry.role.is_of_page()) {
            self.own_pages = true;
            self.usages = self.usages.with(std::iter::once(entry.usage));
        }
    }

    /// True if there may be programs about a usage.
    #[inline]
    pub(super) fn has(self, usage: UsageId) -> bool {
        self.usages.may_have(usage)
    }

    /// True if there may be programs that speak of a usage and are not for `other`.
    #[inline]
    pub(super) fn has_own(self, usage: Usage<'_>) -> bool {
        self.has(usage.id) || usage.special && self.has(UsageId::PRESENT)
    }
}

/// A list, or several, in which fields stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The list of the crawler's set.
    List,
    /// The list of fields for any crawler.
    Rest,
    /// The lists of all of the crawler's names, of which pages alone count.
    OwnPages,
}

/// The levels of a usage, in the order in which they are asked: fields that name the crawler before
/// fields for any crawler, pages before the text. Elements stand before all others.
const LEVELS: [(Origin, Holder); 9] = [
    (Origin::Rest, Holder::Element),
    (Origin::OwnPages, Holder::PageForPurpose),
    (Origin::OwnPages, Holder::Page),
    (Origin::List, Holder::SubRecord),
    (Origin::List, Holder::Record),
    (Origin::Rest, Holder::PageForPurpose),
    (Origin::Rest, Holder::Page),
    (Origin::Rest, Holder::SubRecord),
    (Origin::Rest, Holder::Record),
];

const ELEMENTS: u16 = 1;
const PAGES: u16 = 0b110_0111;
const RANKED: u16 = 1 << 15;

/// One more than the greatest number of a role.
const ROLES: usize = Role::Preference as usize + 1;

/// The bits of entries, by origin, number of the role, and whether they are for purposes.
static BITS: [[[u16; 2]; ROLES]; 3] = bits();

const fn bits() -> [[[u16; 2]; ROLES]; 3] {
    let mut bits = [[[0; 2]; ROLES]; 3];
    let mut number = 0;
    while number < Role::ALL.len() {
        let role = Role::ALL[number];
        let mut level = 0;
        while level < LEVELS.len() {
            let (origin, holder) = LEVELS[level];
            let mut for_purpose = 0;
            while for_purpose < 2 {
                if let Some(own) = Holder::of(role, for_purpose == 1)
                    && own as u8 == holder as u8
                {
                    bits[origin as usize][role as usize][for_purpose] = 1 << level;
                }
                for_purpose += 1;
            }
            level += 1;
        }
        if role.is_ranked() {
            bits[Origin::List as usize][role as usize] = [RANKED; 2];
        }
        number += 1;
    }
    bits
}

/// The levels that have programs about a usage, and those that have programs about `other`, one bit
/// for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    of_usage: u16,
    of_other: u16,
    /// The levels that count.
    counted: u16,
}

impl Places {
    /// No levels. Prohibitions for elements do not count for a crawler that works on `elements`.
    #[inline]
    pub(super) fn new(elements: bool) -> Places {
        let of_levels = (1 << LEVELS.len()) - 1;
        Places { of_usage: 0, of_other: 0, counted: if elements { of_levels & !ELEMENTS } else { of_levels } }
    }

    /// All levels.
    #[cfg(test)]
    pub(super) fn all(elements: bool) -> Places {
        Places { of_usage: u16::MAX, of_other: u16::MAX, ..Places::new(elements) }
    }

    /// Adds the programs of a list.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "there is a row for each origin and role")]
    pub(super) fn add(&mut self, origin: Origin, list: &ScopedView<'_>, usage: Usage<'_>) {
        let bits = &BITS[origin as usize];
        for entry in list.entries_of(|asked| is_about(asked, usage) || asked == UsageId::OTHER) {
            let bit = bits[entry.role as usize][usize::from(entry.purpose.is_some())];
            self.of_usage |= if is_about(entry.usage, usage) { bit } else { 0 };
            self.of_other |= if entry.usage == UsageId::OTHER { bit } else { 0 };
        }
    }

    /// True if there may be ranked rules about the usage.
    #[inline]
    pub(super) fn has_ranked(&self) -> bool {
        self.of_usage & RANKED != 0
    }

    /// The levels of the usage.
    #[inline]
    pub(super) fn of_usage(&self) -> Levels {
        Levels(self.of_usage & self.counted)
    }

    /// The levels of `other`.
    #[inline]
    pub(super) fn of_other(&self) -> Levels {
        Levels(self.of_other & self.counted)
    }
}

/// Levels that are left to be asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels(u16);

impl Levels {
    /// The levels of the text.
    #[inline]
    pub(super) fn without_pages(self) -> Levels {
        Levels(self.0 & !PAGES)
    }
}

impl Iterator for Levels {
    type Item = (Origin, Holder);

    #[inline]
    fn next(&mut self) -> Option<(Origin, Holder)> {
        let level = LEVELS.get(self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(*level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_one_level() {
        for (level, (origin, holder)) in LEVELS.into_iter().enumerate() {
            let is_page = holder < Holder::SubRecord;
            assert_eq!(PAGES >> level & 1 == 1, is_page, "{origin:?} {holder:?}");
            let of = BITS[origin as usize].as_flattened().iter().filter(|&&bit| bit == 1 << level).count();
            // An element counts with and without a purpose.
            assert_eq!(of, 1 + usize::from(holder == Holder::Element), "{origin:?} {holder:?}");
        }
        assert_eq!(BITS[Origin::Rest as usize][Role::Conventional as usize], [0; 2]);
        assert_eq!(BITS[Origin::List as usize][Role::Preference as usize], [RANKED; 2]);
        assert_eq!(Levels(PAGES).without_pages().count(), 0);
        assert!(Levels(1 << 5 | 1).eq([LEVELS[0], LEVELS[5]]));
    }
}
