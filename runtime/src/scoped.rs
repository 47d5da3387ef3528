//! Programs whose fields are weighed by specificity: finds the live level and combines its fields.
//!
//! `rules` calls this when a crawler's set is a scoped list. The walks collect the keys of all
//! matching fields in a set; the scope of the document says which keys are narrower than which. The
//! rules:
//! ```text
//!   element of page, page, sub-record, record; by name before any; then the same for `other`    the first level
//!                                                                    │                          that matches is live
//!   conventional rules ──▶ not contradicted on the same pattern ──▶ the best one joins
//!                                                                    │
//!   every prohibition is beaten by a narrower permission ──▶ permitted, if need be under conditions
//! ```
//!
//! One question of a user may ask about several usages: the usage and its parts, and whether the
//! crawler may fetch the target. So everything that does not depend on the usage is in [`Fields`],
//! made once, with a set of the usages that have programs at all. Invariants: nothing is allocated;
//! work is bounded by the programs that are run and the keys that match; any damage is `None`. It
//! does not know patterns, nor where a field comes from.

mod keys;
mod places;

use crate::crawler::{Crawler, Usage};
use crate::program;
use crate::target::{SHORT_SPACE, SPACE, Space, Spellings};
use crate::walk::Register;
use keys::Matched;
use places::{Levels, Origin, Places, Spoken};
use robomaton_formats::policy::{Holder, Level, ScopedView};
use robomaton_formats::read::View;
use robomaton_formats::scope::{PERMITS, PERMITS_IF, PROHIBITS, ScopeView};
use robomaton_formats::{Decision, ProgramAt, PurposeAt, UsageId, purpose};

/// A scoped list, and who asks it about which target.
#[derive(Clone, Copy)]
pub(crate) struct ScopedQuestion<'a> {
    pub(crate) view: View<'a>,
    /// The list of the crawler's set.
    pub(crate) list: ScopedView<'a>,
    pub(crate) crawler: &'a Crawler,
    /// The policy that contains the list.
    pub(crate) policy: &'a [u8],
    /// The target as written in the URL, possibly followed by a fragment.
    pub(crate) target: &'a [u8],
    /// True if the caller works on elements of pages.
    pub(crate) elements: bool,
    /// True if a robots.txt that was not read, or that counts as refusing everything, may refuse
    /// what a page permits.
    pub(crate) robots_may_refuse: bool,
}

/// The combined answer of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopedAnswer {
    /// None if no field and no rule matches.
    pub(crate) decision: Option<Decision>,
    pub(crate) incomplete: bool,
}

/// The deciding fields and rules, for explanations.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopedAccount {
    /// The live level, if there is one.
    pub(crate) level: Option<Level>,
    /// The keys of the deciding fields of that level.
    pub(crate) fields: Vec<usize>,
    /// The number of the conventional rule that takes part; true if it decides.
    pub(crate) conventional: Option<(usize, bool)>,
    /// The decision of the fields alone, and of the conventional rules alone.
    pub(crate) sides: [Option<Decision>; 2],
}

/// The fields of a document for one crawler and one target, about any number of usages.
pub(crate) struct Fields<'a> {
    question: ScopedQuestion<'a>,
    scope: ScopeView<'a>,
    /// The list of the fields for any crawler.
    rest: Option<ScopedView<'a>>,
    /// True if a file is missing that may have more of the fields.
    is_cut: bool,
    /// The target in the notations of fields, and of conventional rules and pages.
    target: &'a Spellings<'a>,
    spoken: Spoken,
}

/// Passes the fields to `ask`. `None` if that returns it, or if the image is damaged.
pub(crate) fn with_fields<'q, T>(
    question: &ScopedQuestion<'q>,
    ask: impl FnOnce(&Fields<'_>) -> Option<T>,
) -> Option<T> {
    if 3 * question.target.len() <= SHORT_SPACE {
        in_space::<SHORT_SPACE, T>(question, ask)
    } else {
        in_space::<SPACE, T>(question, ask)
    }
}

/// The same, with space for the target in each notation. It is rewritten once for all usages and
/// all of up to thousands of programs.
#[inline(never)]
fn in_space<const SPACE: usize, T>(
    question: &ScopedQuestion<'_>,
    ask: impl FnOnce(&Fields<'_>) -> Option<T>,
) -> Option<T> {
    let ScopedQuestion { view, list, crawler, policy, target, .. } = question;
    let of_any = match list.rest {
        Some(at) => Some(ScopedView::read(view.list(at)?)?),
        None => None,
    };
    // A missing file that a record for any crawler refers to may name the crawler.
    let is_cut = list.incomplete || of_any.is_some_and(|of_any| of_any.incomplete);
    let rest = of_any.filter(|_| !crawler.is_named_only());
    let mut spoken = Spoken::default();
    spoken.add(list);
    rest.iter().for_each(|rest| spoken.add(rest));
    if crawler.has_ids() {
        crawler.lists(*view, policy).for_each(|own| spoken.add_pages(&own));
    }
    let spaces = &mut [Space::<SPACE>::new(), Space::new()];
    ask(&Fields {
        question: *question,
        scope: view.scope(list.scope)?,
        rest,
        is_cut,
        target: &Spellings::new(target, spaces),
        spoken,
    })
}

impl Fields<'_> {
    /// Answers for a usage. `None` if the image is damaged.
    pub(crate) fn answer(
        &self,
        usage: Usage<'_>,
        account: Option<&mut ScopedAccount>,
    ) -> Option<ScopedAnswer> {
        if !self.spoken.has_own(usage) && !self.spoken.has(UsageId::OTHER) {
            return Some(ScopedAnswer { decision: None, incomplete: self.is_incomplete(None) });
        }
        let places = self.places(usage);
        // Fields of pages have the pattern number after the last one.
        let keys = (2 * self.scope.patterns() + 2).max(self.scope.conventional());
        match keys.max(self.scope.priority_sets()).div_ceil(64) {
            0..=4 => self.weigh::<4>(usage, places, account),
            5..=64 => self.weigh::<64>(usage, places, account),
            _ => self.weigh::<1025>(usage, places, account),
        }
    }

    /// The same answer, for tests: no usage and no level is passed over.
    #[cfg(test)]
    pub(crate) fn answer_from_all_levels(&self, usage: Usage<'_>) -> Option<ScopedAnswer> {
        self.weigh::<1025>(usage, Places::all(self.question.elements), None)
    }

    /// True if only fields for `other` can answer for a usage. The answer for a purpose is then the
    /// same for all such usages.
    pub(crate) fn answers_as_other(&self, usage: Usage<'_>) -> bool {
        !self.spoken.has_own(usage)
    }

    /// True if something is missing that might change an answer of this level.
    fn is_incomplete(&self, level: Option<Level>) -> bool {
        self.is_cut || self.question.robots_may_refuse && level.is_some_and(|level| level.is_of_page())
    }

    /// Sets of keys are cleared for every usage, so scopes with few patterns get small ones. Out of
    /// line, since otherwise every question would pay for the stack of the largest.
    #[inline(never)]
    fn weigh<const N: usize>(
        &self,
        usage: Usage<'_>,
        places: Places,
        account: Option<&mut ScopedAccount>,
    ) -> Option<ScopedAnswer> {
        let ScopedQuestion { list, crawler, .. } = &self.question;
        let mut fields = Matched::<N>::new(&self.scope);
        let mut level = self.live(places.of_usage(), usage, false, &mut fields)?;

        let mut rules = Matched::<N>::new(&self.scope);
        if places.has_ranked() && (list.own || !crawler.is_named_only()) {
            for entry in list.entries_of(|asked| asked == usage.id).filter(|entry| entry.role.is_ranked()) {
                self.ask(entry.program, &mut rules)?;
            }
        }
        let joins = match level.filter(Level::is_of_page) {
            // A group that names the crawler overrides what a page says to all crawlers; the page
            // is then ignored.
            Some(page) if page.any && list.own && !rules.is_empty() => {
                fields = Matched::new(&self.scope);
                level = self.live(places.of_usage().without_pages(), usage, false, &mut fields)?;
                true
            }
            Some(_) => false,
            None => true,
        };
        let winner = if joins && places.has_ranked() { rules.winner(&fields) } else { None };
        if level.is_none() && winner.is_none() {
            level = self.live(places.of_other(), usage, true, &mut fields)?;
        }
        let alone = if level.is_some() { fields.decide() } else { None };
        let mut decision = alone;
        if let Some((rule, permits)) = winner {
            fields.join(self.scope.pattern_of(rule)?.checked_mul(2)?, permits);
            decision = fields.decide();
        }
        if let Some(account) = account {
            account.level = level;
            account.sides = [alone, winner.map(|(_, permits)| Decision::from(permits))];
            let of = |decision| {
                if decision == Decision::Disallowed {
                    [PROHIBITS; 1].as_slice()
                } else {
                    &[PERMITS, PERMITS_IF]
                }
            };
            for &says in decision.map(of).unwrap_or_default() {
                account.fields.extend(fields.set(says).iter().filter(|&key| !fields.is_beaten(key)));
            }
            account.conventional = winner.and_then(|(rule, permits)| {
                let decides = decision.is_some_and(|decision| (decision != Decision::Disallowed) == permits)
                    && !fields.is_beaten(self.scope.pattern_of(rule)?.checked_mul(2)?);
                Some((rule, decides))
            });
        }
        Some(ScopedAnswer { decision, incomplete: self.is_incomplete(level) })
    }

    /// The levels that have programs about a usage.
    fn places(&self, usage: Usage<'_>) -> Places {
        let mut places = Places::new(self.question.elements);
        places.add(Origin::List, &self.question.list, usage);
        if let Some(rest) = &self.rest {
            places.add(Origin::Rest, rest, usage);
        }
        if self.spoken.own_pages {
            self.own_lists().for_each(|own| places.add(Origin::OwnPages, &own, usage));
        }
        places
    }

    /// The lists of all names of the crawler. A page addresses all of them, and names that only
    /// pages have are no names of the text.
    fn own_lists(&self) -> impl Iterator<Item = ScopedView<'_>> {
        self.question.crawler.lists(self.question.view, self.question.policy)
    }

    /// Finds the live level, the first of these on which a field matches, and puts its fields into
    /// `fields`. `None` if the image is damaged.
    fn live<const N: usize>(
        &self,
        levels: Levels,
        usage: Usage<'_>,
        other: bool,
        fields: &mut Matched<'_, N>,
    ) -> Option<Option<Level>> {
        for (origin, holder) in levels {
            let mut collect = |list: &ScopedView<'_>| self.collect(list, usage, other, holder, fields);
            match (origin, &self.rest) {
                (Origin::List, _) => collect(&self.question.list)?,
                (Origin::OwnPages, _) => self.own_lists().try_for_each(|own| collect(&own))?,
                (Origin::Rest, Some(rest)) => collect(rest)?,
                (Origin::Rest, None) => {}
            }
            if !fields.is_empty() {
                let any = origin == Origin::Rest && holder != Holder::Element;
                return Some(Some(Level { other, any, holder }));
            }
        }
        Some(None)
    }

    /// Runs the programs of one level in a list.
    fn collect<const N: usize>(
        &self,
        list: &ScopedView<'_>,
        usage: Usage<'_>,
        other: bool,
        holder: Holder,
        fields: &mut Matched<'_, N>,
    ) -> Option<()> {
        let is_wanted = |asked| if other { asked == UsageId::OTHER } else { is_about(asked, usage) };
        for entry in list.entries_of(is_wanted) {
            if entry.holder() == Some(holder) && self.is_for(entry.purpose, usage)? {
                self.ask(entry.program, fields)?;
            }
        }
        Some(())
    }

    /// True if an entry with this purpose is for the purpose in question.
    #[inline]
    fn is_for(&self, purpose: Option<PurposeAt>, usage: Usage<'_>) -> Option<bool> {
        match purpose {
            None => Some(true),
            Some(at) => Some(purpose::matches(self.question.view.purpose(at)?, usage.purpose)),
        }
    }

    fn ask<R: Register>(&self, program: ProgramAt, register: &mut R) -> Option<()> {
        program::collect(self.question.view.program(program)?, self.target, register)
    }
}

/// True if fields for this usage speak of the usage in question.
#[inline]
fn is_about(asked: UsageId, usage: Usage<'_>) -> bool {
    asked == usage.id || usage.special && asked == UsageId::PRESENT
}
