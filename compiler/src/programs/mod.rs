//! Third pass: policy and priorities → programs, and the sets of programs for each crawler.
//!
//! If all rules are ranked, `ranked` joins the groups of each crawler; if fields are weighed by
//! specificity, `scoped` does. `automaton` builds the individual programs. Invariants: equal
//! programs and equal sets are stored once; a policy that does not fit the format exceeds a limit.
//! This module does not know how an image numbers its parts.

mod cache;
mod preferences;
mod ranked;
mod scoped;
mod sets;

pub use cache::ProgramCache;
pub use preferences::{PreferenceEntry, PreferenceSets};
pub(crate) use ranked::ranked;
pub(crate) use scoped::scoped;
pub use sets::{ScopedEntry, ScopedSet, Set};

use crate::Options;
use crate::limits::{LimitName, OverLimit};
use crate::policy::Policy;
use robomaton_formats::Notation;
use robomaton_formats::policy::{MAX_ENTRIES, MAX_SETS};
use robomaton_formats::preference::Source;
use robomaton_formats::program::Priority;
use std::borrow::Cow;
use std::ops::Range;

/// The programs of a policy, and the crawlers to which they apply.
#[derive(Debug, Default)]
pub(crate) struct ProgramSets {
    /// The priority of each rule of the policy in the programs.
    pub(crate) priorities: Vec<Priority>,
    /// The programs, one after the other.
    pub(crate) code: Vec<u8>,
    /// Each distinct program, as a range of `code`.
    pub(crate) programs: Vec<Range<usize>>,
    /// Distinct sets of programs.
    pub(crate) sets: Vec<Set>,
    /// Named crawlers, each with an index into `sets`. Ascending by name, or in file order if the
    /// profile uses the first matching record.
    pub(crate) crawlers: Vec<(String, usize)>,
    /// The set for all other crawlers.
    pub(crate) default: Option<usize>,
    /// The scope of scoped sets, encoded.
    pub(crate) scope: Vec<u8>,
    /// Patterns of purposes.
    pub(crate) purposes: Vec<Vec<u8>>,
    /// The policies of preferences.
    pub(crate) preferences: Vec<PreferenceSets>,
}

/// The indexes of a policy's rules, grouped by ascending usage; rules of one usage keep their
/// order.
fn by_usage<'r>(policy: &'r Policy<'_>, rules: &'r mut [usize]) -> impl Iterator<Item = (u16, &'r [usize])> {
    let usage = |rule: usize| policy.rules[rule].usage;
    rules.sort_by_key(|&rule| usage(rule));
    rules.chunk_by(move |&one, &other| usage(one) == usage(other)).map(move |rules| (usage(rules[0]), rules))
}

impl ProgramSets {
    /// Adds the policies of a policy's preferences. If they exceed a limit, what all of them may
    /// speak of is unread, and the sources that say so are returned; other rules are not touched.
    pub(crate) fn add_preferences<'s>(
        &mut self,
        policy: &'s Policy<'s>,
        options: &Options,
        cache: &mut ProgramCache,
    ) -> Result<Cow<'s, [Source<'s>]>, OverLimit> {
        let sources = &policy.preferences[..];
        if sources.is_empty() {
            return Ok(Cow::Borrowed(sources));
        }
        let built = (self.code.len(), self.programs.len());
        let mut add = |sources: &[Source<'_>]| {
            self.code.truncate(built.0);
            self.programs.truncate(built.1);
            let mut table = cache::ProgramTable::new(
                &mut self.code,
                &mut self.programs,
                &mut *cache,
                Notation::Rep,
                options.plain_programs,
            );
            preferences::preferences(policy, sources, &mut table, &options.limits)
        };
        let (sets, sources) = match add(sources) {
            Ok(sets) => (sets, Cow::Borrowed(sources)),
            Err(_) => {
                let unread = vec![preferences::unread(sources)];
                (add(&unread)?, Cow::Owned(unread))
            }
        };
        self.preferences = sets;
        Ok(sources)
    }

    /// The format numbers sets, and the programs of a set, in two bytes; no honest text comes
    /// close.
    fn check(&self, policy: &Policy<'_>, longest: usize) -> Result<(), OverLimit> {
        let line = policy.groups.last().map_or(1, |group| group.line);
        let over = |limit, allowed| Err(OverLimit { limit, allowed, line });
        match () {
            () if self.sets.len() > MAX_SETS => over(LimitName::Sets, MAX_SETS),
            () if longest > MAX_ENTRIES => over(LimitName::Entries, MAX_ENTRIES),
            () => Ok(()),
        }
    }
}
