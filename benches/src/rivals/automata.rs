//! regex-automata: one automaton for each rule set, best rule first, in three forms.
//!
//! *Dense* and *sparse* DFAs are determinised in advance, within size limits; a *lazy* one
//! determinises during the search and caches its states. Sets that do not build in a form are
//! skipped for it.

use super::plain::{self, Plain};
use super::{Prepared, Rival};
use crate::Field;
use crate::queries::Queries;
use regex_automata::dfa::{Automaton, StartKind, dense, sparse};
use regex_automata::hybrid::dfa as lazy;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use robomaton_formats::Profile;
use std::cell::RefCell;

/// Larger sets are not determinised in advance: it would take minutes.
const MOST_RULES: usize = 100;
/// Bytes of a dense DFA, and of a lazy one's cache.
const LIMIT: usize = 1 << 18;
/// Bytes of memory for determinisation.
const SCRATCH: usize = 1 << 20;

/// A form of automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A table of all states by all byte classes.
    Dense,
    /// The same states, each with its own transitions.
    Sparse,
    /// States computed on demand.
    Lazy,
}

/// The sizes of the automata of one form.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Sets of rules.
    pub sets: usize,
    /// Sets that were built.
    pub built: usize,
    /// Bytes of their automata, before any search.
    pub bytes: usize,
    /// Bytes of their patterns.
    pub patterns: usize,
}

/// One set in one form.
enum Machine {
    Dense(dense::DFA<Vec<u32>>),
    Sparse(sparse::DFA<Vec<u8>>),
    Lazy(Box<(lazy::DFA, RefCell<lazy::Cache>)>),
}

impl Machine {
    fn build(patterns: &[String], form: Form) -> Option<Machine> {
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        if form == Form::Lazy {
            let config = lazy::Config::new()
                .match_kind(MatchKind::LeftmostFirst)
                .cache_capacity(LIMIT)
                .skip_cache_capacity_check(true);
            let dfa = lazy::Builder::new().configure(config).syntax(syntax).build_many(patterns).ok()?;
            let cache = RefCell::new(dfa.create_cache());
            return Some(Machine::Lazy(Box::new((dfa, cache))));
        }
        let config = dense::Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(LIMIT))
            .determinize_size_limit(Some(SCRATCH));
        let dfa = dense::Builder::new().configure(config).syntax(syntax).build_many(patterns).ok()?;
        match form {
            Form::Sparse => Some(Machine::Sparse(dfa.to_sparse().ok()?)),
            _ => Some(Machine::Dense(dfa)),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Machine::Dense(dfa) => dfa.memory_usage(),
            Machine::Sparse(dfa) => dfa.memory_usage(),
            Machine::Lazy(both) => both.0.memory_usage() + both.1.borrow().memory_usage(),
        }
    }

    /// The first of the best matching rules; `None` if the automaton gave up.
    #[inline]
    fn find(&self, path: &str) -> Option<Option<usize>> {
        let input = Input::new(path).anchored(Anchored::Yes);
        let found = match self {
            Machine::Dense(dfa) => dfa.try_search_fwd(&input).ok()?,
            Machine::Sparse(dfa) => dfa.try_search_fwd(&input).ok()?,
            Machine::Lazy(both) => both.0.try_search_fwd(&mut both.1.borrow_mut(), &input).ok()?,
        };
        Some(found.map(|found| found.pattern().as_usize()))
    }
}

/// regex-automata in one form, for sets that build within the limits.
pub fn automata(field: &Field<'_>, queries: &Queries, form: Form) -> (impl Rival + use<>, Sizes) {
    let mut sizes = Sizes::default();
    let mut build = |mut rules: Vec<Plain>| {
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.priority));
        sizes.sets += 1;
        if rules.len() > MOST_RULES && form != Form::Lazy {
            return None;
        }
        let patterns: Vec<String> = rules.iter().map(expression).collect();
        let machine = Machine::build(&patterns, form)?;
        sizes.built += 1;
        sizes.bytes += machine.bytes();
        sizes.patterns +=
            rules.iter().map(|rule| rule.prefix.len() + rule.segments.concat().len()).sum::<usize>();
        Some((machine, rules.iter().map(|rule| rule.priority & 1 == 1).collect::<Vec<bool>>()))
    };
    let seats = plain::rules(field, queries).into_iter().map(&mut build).collect();
    let allows = |(machine, permits): &(Machine, Vec<bool>), path: &str| {
        Some(machine.find(path)?.is_none_or(|rule| permits[rule]))
    };
    let (name, note) = match form {
        Form::Dense => ("regex-automata dense", "DFA built before"),
        Form::Sparse => ("regex-automata sparse", "DFA built before"),
        Form::Lazy => ("regex-automata lazy", "DFA built while asking"),
    };
    (Prepared { name, note, nearest: Profile::Rfc9309, seats, allows }, sizes)
}

/// A rule as a regular expression.
fn expression(rule: &Plain) -> String {
    let literal = |bytes: &[u8]| bytes.iter().map(|byte| format!(r"\x{byte:02X}")).collect::<String>();
    let mut expression = format!("(?s-u){}", literal(&rule.prefix));
    for segment in &rule.segments {
        expression.push_str(".*?");
        expression.push_str(&literal(segment));
    }
    if rule.anchored {
        expression.push_str(r"\z");
    }
    expression
}
