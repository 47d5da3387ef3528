//! Programs whose fields are weighed by specificity: finds the live level and combines its fields.
//!
//! `access` calls this when a crawler's set is a scoped list. The walks collect the keys of all
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
//! Invariants: nothing is allocated; work is bounded by the programs that are run and the keys that
//! match; any damage is `None`. It does not know patterns, nor where a field comes from.

use crate::crawler::{Crawler, Usage};
use crate::program;
use crate::target::{SHORT_SPACE, SPACE, Space, Spellings};
use crate::walk::Register;
use robomaton_formats::policy::{Holder, Level, ScopedView};
use robomaton_formats::program::Priority;
use robomaton_formats::read::View;
use robomaton_formats::scope::{PERMITS, PERMITS_IF, PROHIBITS, ScopeView, read_priority};
use robomaton_formats::{Decision, ProgramAt, PurposeAt, UsageId, purpose};

/// The holders of page fields that address crawlers, narrowest first.
const PAGES: [Holder; 3] = [Holder::PageForPurpose, Holder::Page, Holder::PageConventional];
/// The holders of fields in the text.
const RECORDS: [Holder; 2] = [Holder::SubRecord, Holder::Record];

/// A question to a scoped list.
#[derive(Clone, Copy)]
pub(crate) struct ScopedQuestion<'a> {
    pub(crate) view: View<'a>,
    /// The list of the crawler's set.
    pub(crate) list: ScopedView<'a>,
    pub(crate) crawler: &'a Crawler,
    /// The policy that contains the list.
    pub(crate) policy: &'a [u8],
    pub(crate) usage: Usage<'a>,
    /// The target as written in the URL.
    pub(crate) target: &'a [u8],
    /// True if the caller works on elements of pages.
    pub(crate) elements: bool,
    /// True if robots.txt may exist but could not be read: it might name the crawler.
    pub(crate) unheard: bool,
}

/// The combined answer of the fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopedAnswer {
    /// None if no field and no rule matches.
    pub(crate) decision: Option<Decision>,
    pub(crate) incomplete: bool,
    /// True if a page that names the crawler decides: no robots.txt overrides it.
    pub(crate) named_by_page: bool,
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

/// Answers a question. `None` if the image is damaged.
pub(crate) fn answer(
    question: &ScopedQuestion<'_>,
    account: Option<&mut ScopedAccount>,
) -> Option<ScopedAnswer> {
    if 3 * question.target.len() <= SHORT_SPACE {
        answer_in::<SHORT_SPACE>(question, account)
    } else {
        answer_in::<SPACE>(question, account)
    }
}

/// The same, with space for the target in each notation. It is rewritten once for a question, not
/// for each of up to thousands of programs.
#[inline(never)]
fn answer_in<const SPACE: usize>(
    question: &ScopedQuestion<'_>,
    account: Option<&mut ScopedAccount>,
) -> Option<ScopedAnswer> {
    let scope = question.view.scope(question.list.scope)?;
    let spaces = &mut [Space::<SPACE>::new(), Space::new()];
    let asking = Asking { question: *question, target: &Spellings::new(question.target, spaces) };
    // Fields of pages have the pattern number after the last one.
    match (2 * scope.patterns() + 2).max(scope.conventional()).div_ceil(64) {
        0..=4 => weigh::<4>(&asking, &scope, account),
        5..=64 => weigh::<64>(&asking, &scope, account),
        _ => weigh::<1025>(&asking, &scope, account),
    }
}

/// A question with its target in the notations of fields, and of conventional rules and pages.
struct Asking<'a> {
    question: ScopedQuestion<'a>,
    target: &'a Spellings<'a>,
}

/// Sets of keys are cleared for every question, so scopes with few patterns get small ones. Out of
/// line, since otherwise every question would pay for the stack of the largest.
#[inline(never)]
fn weigh<const N: usize>(
    asking: &Asking<'_>,
    scope: &ScopeView<'_>,
    account: Option<&mut ScopedAccount>,
) -> Option<ScopedAnswer> {
    let ScopedQuestion { view, list, crawler, usage, .. } = &asking.question;
    // Fields for any crawler.
    let rest = match list.rest {
        Some(at) if !crawler.is_named_only() => Some(ScopedView::read(view.list(at)?)?),
        _ => None,
    };
    let mut fields = Matched::<N>::new(scope);
    let mut level = asking.live(rest.as_ref(), false, true, &mut fields)?.level();

    let mut rules = Matched::<N>::new(scope);
    let of_usage = |asked| asked == usage.id;
    let counts = list.own || !crawler.is_named_only();
    for entry in list.entries_of(of_usage).filter(|entry| counts && entry.role.is_ranked()) {
        asking.ask(entry.program, &mut rules)?;
    }
    let in_page = level.filter(|level| level.holder < Holder::SubRecord);
    let joins = match in_page {
        // A group that names the crawler overrides what a page says to all crawlers; the page is
        // then ignored.
        Some(page) if page.any && list.own && !rules.is_empty() => {
            fields = Matched::new(scope);
            level = asking.live(rest.as_ref(), false, false, &mut fields)?.level();
            true
        }
        Some(_) => false,
        None => true,
    };
    let winner = if joins { rules.winner(&fields) } else { None };
    if level.is_none() && winner.is_none() {
        level = asking.live(rest.as_ref(), true, true, &mut fields)?.level();
    }
    let alone = fields.decide();
    let mut decision = alone;
    if let Some((rule, permits)) = winner {
        let key = scope.pattern_of(rule)?.checked_mul(2)?;
        if permits {
            fields.permits.insert(key)
        } else {
            fields.prohibits.insert(key)
        }
        decision = fields.decide();
    }
    if let Some(account) = account {
        let own = winner.map(|(_, permits)| Decision::from(permits));
        account.level = level;
        account.sides = [alone, own];
        let of = |decision| {
            if decision == Decision::Disallowed { [PROHIBITS; 1].as_slice() } else { &[PERMITS, PERMITS_IF] }
        };
        for &says in decision.map(of).unwrap_or_default() {
            account.fields.extend(fields.set(says).iter().filter(|&key| !fields.is_beaten(key)));
        }
        account.conventional = winner.and_then(|(rule, permits)| {
            let decides = decision.is_some_and(|decision| (decision != Decision::Disallowed) == permits)
                && !fields.is_beaten(scope.pattern_of(rule)?.checked_mul(2)?);
            Some((rule, decides))
        });
    }
    let page = level.filter(|level| level.holder < Holder::SubRecord);
    let incomplete = list.incomplete
        || rest.is_some_and(|rest| rest.incomplete)
        || asking.question.unheard && page.is_some_and(|page| page.any);
    Some(ScopedAnswer { decision, incomplete, named_by_page: page.is_some_and(|page| !page.any) })
}

/// The result of the search for the live level.
enum Live {
    /// The first level on which a field matches.
    Level(Level),
    /// No field matches on any level.
    Nothing,
}

impl Live {
    #[inline]
    fn level(self) -> Option<Level> {
        match self {
            Live::Level(level) => Some(level),
            Live::Nothing => None,
        }
    }
}

impl Asking<'_> {
    /// Finds the live level and puts its fields into `fields`. `None` if the image is damaged.
    fn live<const N: usize>(
        &self,
        rest: Option<&ScopedView<'_>>,
        other: bool,
        pages: bool,
        fields: &mut Matched<'_, N>,
    ) -> Option<Live> {
        let ScopedQuestion { view, list, crawler, policy, elements, .. } = &self.question;
        let found = |any, holder| Some(Live::Level(Level { other, any, holder }));
        // One pass in place of one for each holder: few texts have fields of pages.
        let has_pages = |list: &ScopedView<'_>| pages && list.entries().any(|entry| entry.role.is_of_page());
        let of_pages = rest.filter(|rest| has_pages(rest));
        if let Some(rest) = of_pages.filter(|_| !elements) {
            self.collect(rest, other, Holder::Element, fields)?;
            if !fields.is_empty() {
                return found(false, Holder::Element);
            }
        }
        for any in [false, true] {
            // A page addresses all names of a crawler, and names that only pages have are no names
            // of the text.
            let own = || crawler.lists(*view, policy);
            let asks_pages = if any { of_pages.is_some() } else { own().any(|own| has_pages(&own)) };
            for holder in PAGES.into_iter().filter(|_| asks_pages) {
                if any {
                    of_pages.map_or(Some(()), |rest| self.collect(rest, other, holder, fields))?;
                } else {
                    own().try_for_each(|own| self.collect(&own, other, holder, fields))?;
                }
                if !fields.is_empty() {
                    return found(any, holder);
                }
            }
            let Some(list) = (if any { rest } else { Some(list) }) else { continue };
            for holder in RECORDS {
                self.collect(list, other, holder, fields)?;
                if !fields.is_empty() {
                    return found(any, holder);
                }
            }
        }
        Some(Live::Nothing)
    }

    /// Runs the programs of one level.
    fn collect<const N: usize>(
        &self,
        list: &ScopedView<'_>,
        other: bool,
        holder: Holder,
        fields: &mut Matched<'_, N>,
    ) -> Option<()> {
        let asked = self.question.usage;
        let is_wanted = |usage| match other {
            true => usage == UsageId::OTHER,
            false => usage == asked.id || asked.special && usage == UsageId::PRESENT,
        };
        for entry in list.entries_of(is_wanted) {
            if holder.holds(entry.role, entry.purpose.is_some()) && self.is_for(entry.purpose)? {
                self.ask(entry.program, fields)?;
            }
        }
        Some(())
    }

    /// True if an entry with this purpose is for the purpose in question.
    #[inline]
    fn is_for(&self, purpose: Option<PurposeAt>) -> Option<bool> {
        match purpose {
            None => Some(true),
            Some(at) => Some(purpose::matches(self.question.view.purpose(at)?, self.question.usage.purpose)),
        }
    }

    fn ask<R: Register>(&self, program: ProgramAt, register: &mut R) -> Option<()> {
        program::collect(self.question.view.program(program)?, self.target, register)
    }
}

/// A set of keys.
#[derive(Clone, Copy)]
struct Keys<const N: usize>([u64; N]);

impl<const N: usize> Keys<N> {
    fn insert(&mut self, key: usize) {
        // A key that no scope has is damage and is ignored.
        if let Some(word) = self.0.get_mut(key / 64) {
            *word |= 1 << (key % 64);
        }
    }

    fn contains(&self, key: usize) -> bool {
        self.0.get(key / 64).is_some_and(|word| word >> (key % 64) & 1 == 1)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// True if the set contains a key in `from..to`.
    fn any_in(&self, from: usize, to: usize) -> bool {
        let words = self.0.iter().enumerate().take(to.div_ceil(64)).skip(from / 64);
        words.into_iter().any(|(at, &word)| {
            let low = word >> from.saturating_sub(at * 64).min(63) << from.saturating_sub(at * 64).min(63);
            let end = to - at * 64;
            let kept = if end >= 64 { low } else { low & ((1 << end) - 1) };
            kept != 0
        })
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        let keys = |(at, &word): (usize, &u64)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit)
            })
        };
        self.0.iter().enumerate().flat_map(keys)
    }

    /// The keys of both sets, the highest first.
    fn highest_of(&self, other: &Keys<N>) -> impl Iterator<Item = usize> {
        let keys = |(at, (one, other)): (usize, (&u64, &u64))| {
            let mut left = one | other;
            std::iter::from_fn(move || {
                let bit = left.checked_ilog2()? as usize;
                left ^= 1 << bit;
                Some(at * 64 + bit)
            })
        };
        self.0.iter().zip(&other.0).enumerate().rev().flat_map(keys)
    }
}

/// The keys of matching fields, by sense.
struct Matched<'s, const N: usize> {
    scope: &'s ScopeView<'s>,
    permits: Keys<N>,
    permits_if: Keys<N>,
    prohibits: Keys<N>,
    /// The previous priority: the same long priority set may be found at every byte of the target.
    last: Priority,
}

impl<const N: usize> Register for Matched<'_, N> {
    fn take(&mut self, priority: Priority) {
        if std::mem::replace(&mut self.last, priority) == priority {
            return;
        }
        match read_priority(priority) {
            // A priority without a rank is damage and is ignored.
            (usize::MAX, _) => {}
            (priority_set, 0) => self
                .scope
                .priority_set(priority_set)
                .for_each(|priority| self.insert(read_priority(priority))),
            key => self.insert(key),
        }
    }

    fn is_settled(&self, _: Priority) -> bool {
        false
    }
}

impl<'s, const N: usize> Matched<'s, N> {
    fn new(scope: &'s ScopeView<'s>) -> Matched<'s, N> {
        let none = Keys([0; N]);
        Matched { scope, permits: none, permits_if: none, prohibits: none, last: 0 }
    }

    fn insert(&mut self, (key, says): (usize, Priority)) {
        let Matched { permits, permits_if, prohibits, .. } = self;
        for (bit, set) in [(PERMITS, permits), (PERMITS_IF, permits_if), (PROHIBITS, prohibits)] {
            if says & bit != 0 {
                set.insert(key);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.permits.is_empty() && self.permits_if.is_empty() && self.prohibits.is_empty()
    }

    fn set(&self, says: Priority) -> &Keys<N> {
        match says {
            PERMITS => &self.permits,
            PERMITS_IF => &self.permits_if,
            _ => &self.prohibits,
        }
    }

    fn permits(&self, key: usize) -> bool {
        self.permits.contains(key) || self.permits_if.contains(key)
    }

    fn permits_in(&self, from: usize, to: usize) -> bool {
        self.permits.any_in(from, to) || self.permits_if.any_in(from, to)
    }

    /// True if a permission overrides the fields of this key: one with a narrower pattern, or one
    /// of a special usage on the same pattern.
    fn is_beaten(&self, key: usize) -> bool {
        let mut narrower = self.scope.narrower(key / 2);
        let is_general = key & 1 == 0;
        is_general && self.permits(key + 1)
            || narrower.any(|(from, to)| self.permits_in(from.saturating_mul(2), to.saturating_mul(2)))
    }

    /// The combined decision of these fields; none if there are none.
    fn decide(&self) -> Option<Decision> {
        if self.prohibits.iter().any(|key| !self.is_beaten(key)) {
            return Some(Decision::Disallowed);
        }
        if self.permits_if.iter().any(|key| !self.is_beaten(key)) {
            return Some(Decision::Conditional);
        }
        (!self.permits.is_empty()).then_some(Decision::Allowed)
    }

    /// Among conventional rules, whose keys are their numbers: the best one that no field
    /// contradicts on exactly the same pattern; true if it permits.
    fn winner(&self, fields: &Matched<'_, N>) -> Option<(usize, bool)> {
        self.permits.highest_of(&self.prohibits).find_map(|rule| {
            let permits = self.permits.contains(rule);
            let key = self.scope.pattern_of(rule)?.checked_mul(2)?;
            let contradicted = if permits { fields.prohibits.contains(key) } else { fields.permits(key) };
            (!contradicted).then_some((rule, permits))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_tags_are_ignored() {
        let scope = [0; 20];
        let scope = ScopeView::read(&scope).unwrap();
        let mut matched = Matched::<4>::new(&scope);
        for priority in [0, 1, 7, 8, Priority::MAX, Priority::MAX - 7] {
            matched.take(priority);
        }
        assert!(matched.is_empty());
        matched.take(9);
        assert!(matched.permits(0));
    }

    #[test]
    fn ranges_of_keys() {
        let mut keys = Keys([0u64; 4]);
        for key in [0, 63, 64, 130, 255] {
            keys.insert(key);
        }
        keys.insert(256);
        for from in 0..256 {
            for to in from..=256 {
                let expected = (from..to).any(|key| [0, 63, 64, 130, 255].contains(&key));
                assert_eq!(keys.any_in(from, to), expected, "{from}..{to}");
            }
        }
        assert_eq!(keys.iter().collect::<Vec<_>>(), [0, 63, 64, 130, 255]);
        let other = Keys([1, 2, 0, 0]);
        assert_eq!(keys.highest_of(&other).collect::<Vec<_>>(), [255, 130, 65, 64, 63, 0]);
        assert!(keys.contains(130) && !keys.contains(131) && !keys.contains(1000));
    }
}
