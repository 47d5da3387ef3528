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
use robomaton_formats::usage::USAGES;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
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

/// True if the statements of a source exceed a limit of programs, so that
/// [`ProgramSets::add_preferences`] makes them unread.
pub(crate) fn is_over_limit(policy: &Policy<'_>, source: &Source<'_>, options: &Options) -> bool {
    let (mut sets, mut cache) = (ProgramSets::default(), ProgramCache::default());
    sets.build_preferences(policy, std::slice::from_ref(source), options, &mut cache).is_err()
}

/// The indexes of a policy's rules, grouped by ascending usage; rules of one usage keep their
/// order.
fn by_usage<'r>(policy: &'r Policy<'_>, rules: &'r mut [usize]) -> impl Iterator<Item = (u16, &'r [usize])> {
    let usage = |rule: usize| policy.rules[rule].usage;
    rules.sort_by_key(|&rule| usage(rule));
    rules.chunk_by(move |&one, &other| usage(one) == usage(other)).map(move |rules| (usage(rules[0]), rules))
}

impl ProgramSets {
    /// Numbers the usages without a standard number anew, without those that no program is about,
    /// and returns their names. So an image names those alone that a merge of it names.
    pub(crate) fn used(&mut self, names: &[String]) -> Vec<String> {
        // Nearly all texts.
        if names.is_empty() {
            return Vec::new();
        }
        let own = |usage: u16| usize::from(usage).checked_sub(USAGES.len());
        let usages = |set: &Set| match set {
            Set::Ranked(programs) => programs.iter().map(|(usage, _)| *usage).collect::<Vec<_>>(),
            Set::Scoped(set) => set.entries.iter().map(|entry| entry.usage).collect(),
        };
        let used: BTreeSet<usize> = self.sets.iter().flat_map(usages).filter_map(own).collect();
        let numbers: HashMap<usize, u16> = used.iter().copied().zip(USAGES.len() as u16..).collect();
        let anew = |usage: &mut u16| {
            *usage = own(*usage).and_then(|own| numbers.get(&own)).copied().unwrap_or(*usage);
        };
        for set in &mut self.sets {
            match set {
                Set::Ranked(programs) => programs.iter_mut().for_each(|(usage, _)| anew(usage)),
                Set::Scoped(set) => set.entries.iter_mut().for_each(|entry| anew(&mut entry.usage)),
            }
        }
        used.into_iter().map(|own| names[own].clone()).collect()
    }

    /// Adds the policies of a policy's preferences. If one exceeds a limit, what it may speak of is
    /// unread, and the sources that say so are returned; other rules are not touched.
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
            self.build_preferences(policy, sources, options, cache)
        };
        let (sets, sources) = match add(sources) {
            Ok(sets) => (sets, Cow::Borrowed(sources)),
            Err(_) => {
                // One after the other: what the others refuse still counts.
                let mut read: Vec<Source<'s>> = Vec::with_capacity(sources.len());
                for source in sources {
                    read.push(source.clone());
                    if add(&read).is_err() {
                        read.pop();
                        read.push(preferences::unread(std::slice::from_ref(source)));
                    }
                }
                match add(&read) {
                    Ok(sets) => (sets, Cow::Owned(read)),
                    Err(_) => {
                        let unread = vec![preferences::unread(sources)];
                        (add(&unread)?, Cow::Owned(unread))
                    }
                }
            }
        };
        self.preferences = sets;
        Ok(sources)
    }

    /// Adds the programs of the policies of these sources, and returns the policies.
    fn build_preferences(
        &mut self,
        policy: &Policy<'_>,
        sources: &[Source<'_>],
        options: &Options,
        cache: &mut ProgramCache,
    ) -> Result<Vec<PreferenceSets>, OverLimit> {
        let (code, programs) = (&mut self.code, &mut self.programs);
        let mut table =
            cache::ProgramTable::new(code, programs, cache, Notation::Rep, options.plain_programs);
        preferences::preferences(policy, sources, &mut table, &options.limits)
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
