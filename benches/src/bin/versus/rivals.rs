//! The rivals, each prepared as its documentation advises: what can be done once per file and agent is done before.
//!
//! Invariant: nothing here helps or hinders a rival; what panics is counted as no answer. No other crate of the
//! workspace names any of them.

use robomaton_benches::Field;
use robomaton_benches::queries::{Queries, Seat};
use robomaton_compiler::lower;
use robomaton_compiler::trace::{Asked, trace};
use robomaton_formats::Profile;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A matcher, prepared for every file and agent.
pub(crate) trait Rival {
    /// The name in tables.
    fn name(&self) -> &'static str;
    /// What a call does, beside matching.
    fn note(&self) -> &'static str;
    /// Whether it can answer for this file and agent.
    fn has(&self, seat: usize) -> bool;
    /// The profile of ours that answers most alike.
    fn nearest(&self) -> Profile;
    /// The answer; `None` when it panicked.
    fn allows(&self, seat: usize, path: &str) -> Option<bool>;
}

/// Something made once per file and agent; `None` where making it failed.
pub(crate) struct Prepared<T> {
    name: &'static str,
    note: &'static str,
    nearest: Profile,
    seats: Vec<Option<T>>,
    allows: fn(&T, &str) -> Option<bool>,
}

impl<T> Prepared<T> {
    fn new(
        name: &'static str,
        note: &'static str,
        field: &Field<'_>,
        queries: &Queries,
        make: impl Fn(&Seat, &[u8]) -> Option<T>,
        allows: fn(&T, &str) -> Option<bool>,
    ) -> Prepared<T> {
        let prepare = |seat: &Seat| {
            let text = field.files[seat.file].text;
            catch_unwind(AssertUnwindSafe(|| make(seat, text))).ok().flatten()
        };
        let seats = queries.seats.iter().map(prepare).collect();
        Prepared { name, note, nearest: Profile::Rfc9309, seats, allows }
    }
}

impl<T> Rival for Prepared<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn note(&self) -> &'static str {
        self.note
    }

    fn nearest(&self) -> Profile {
        self.nearest
    }

    fn has(&self, seat: usize) -> bool {
        self.seats[seat].is_some()
    }

    #[inline]
    fn allows(&self, seat: usize, path: &str) -> Option<bool> {
        (self.allows)(self.seats[seat].as_ref()?, path)
    }
}

/// robotxt 0.7: parsed once per file and agent.
pub(crate) fn robotxt(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let parse = |seat: &Seat, text: &[u8]| Some(robotxt::Robots::parse(text, seat.agent.as_str()));
    Prepared::new("robotxt", "parsed before", field, queries, parse, |robots, path| {
        Some(robots.is_allowed(path))
    })
}

/// texting_robots: parsed once per file and agent.
pub(crate) fn texting_robots(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let parse = |seat: &Seat, text: &[u8]| texting_robots::Robot::new(&seat.agent, text).ok();
    Prepared::new("texting_robots", "parsed before", field, queries, parse, |robot, path| {
        Some(robot.allowed(path))
    })
}

/// cylon: compiled to an NFA once per file and agent.
pub(crate) fn cylon(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let compile = |seat: &Seat, text: &[u8]| block_on(cylon::Compiler::new(&seat.agent).compile(text)).ok();
    Prepared::new("cylon", "compiled before", field, queries, compile, |nfa, path| Some(nfa.allow(path)))
}

/// robotstxt, Google's parser in Rust: it has no parsed form, so each answer reads the text.
pub(crate) fn robotstxt(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let hold =
        |seat: &Seat, text: &[u8]| Some((String::from_utf8_lossy(text).into_owned(), seat.agent.clone()));
    let ask = |(text, agent): &(String, String), path: &str| {
        let ask = || robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(text, agent, path);
        // It panics on long lines that it cuts inside a character.
        catch_unwind(AssertUnwindSafe(ask)).ok()
    };
    let prepared = Prepared::new("robotstxt", "parses every time", field, queries, hold, ask);
    Prepared { nearest: Profile::Google, ..prepared }
}

/// A rule for the naive scan.
pub(crate) struct Plain {
    head: Box<[u8]>,
    segments: Vec<Box<[u8]>>,
    anchored: bool,
    tag: u32,
}

impl Plain {
    fn matches(&self, path: &[u8]) -> bool {
        let Some(mut rest) = path.strip_prefix(&*self.head) else { return false };
        let Some((last, inner)) = self.segments.split_last() else {
            return !self.anchored || rest.is_empty();
        };
        for segment in inner {
            match rest.windows(segment.len()).position(|window| window == &**segment) {
                Some(at) => rest = &rest[at + segment.len()..],
                None => return false,
            }
        }
        if self.anchored {
            rest.ends_with(last)
        } else {
            rest.windows(last.len()).any(|window| window == &**last)
        }
    }
}

/// The rules that answer for each file and agent, with their tags, as the trace evaluator chooses them.
pub(crate) fn plain_rules(field: &Field<'_>, queries: &Queries) -> Vec<Vec<Plain>> {
    let mut rules: Vec<Vec<Plain>> = Vec::with_capacity(queries.seats.len());
    let options = &field.options;
    for seat in &queries.seats {
        let file = &field.files[seat.file];
        let tree = robomaton_grammar::scan(file.text, options.limits.bytes(options.profile));
        let Ok(policy) = lower(&tree, Some(file.site.authority()), options) else {
            rules.push(Vec::new());
            continue;
        };
        let tags = robomaton_compiler::precedence::tags(&policy);
        let groups = trace(&policy, &Asked::crawl(&[&seat.agent], b"/")).groups;
        let chosen = groups.into_iter().flat_map(|group| policy.groups[group].rules.clone());
        let plain = chosen.filter(|&at| policy.rules[at].is_crawl()).map(|at| {
            let parts = policy.rules[at].pattern().parts();
            let segments = parts.segments.iter().map(|segment| segment.to_vec().into()).collect();
            Plain { head: parts.head.to_vec().into(), segments, anchored: parts.anchored, tag: tags[at] }
        });
        rules.push(plain.collect());
    }
    rules
}

/// The naive scan: every rule is tried on every path, the best one kept.
pub(crate) fn scan(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let seats = plain_rules(field, queries).into_iter().map(Some).collect();
    let allows = |rules: &Vec<Plain>, path: &str| {
        let best = rules.iter().filter(|rule| rule.matches(path.as_bytes())).map(|rule| rule.tag).max();
        Some(best.is_none_or(|tag| tag & 1 == 1))
    };
    Prepared { name: "naive scan", note: "rules split before", nearest: Profile::Rfc9309, seats, allows }
}

/// regex-automata: one sparse DFA per rule set, best rule first, where it builds within the limits.
pub(crate) fn automata(field: &Field<'_>, queries: &Queries) -> (impl Rival + use<>, Sizes) {
    use regex_automata::dfa::sparse::DFA;
    use regex_automata::dfa::{Automaton, StartKind, dense};
    use regex_automata::{Anchored, Input, MatchKind};
    let mut sizes = Sizes::default();
    let mut build = |mut rules: Vec<Plain>| {
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.tag));
        sizes.sets += 1;
        if rules.len() > MOST_RULES {
            return None;
        }
        let patterns: Vec<String> = rules.iter().map(expression).collect();
        let config = dense::Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(1 << 18))
            .determinize_size_limit(Some(1 << 20));
        let syntax = regex_automata::util::syntax::Config::new().unicode(false).utf8(false);
        let dfa = dense::Builder::new().configure(config).syntax(syntax).build_many(&patterns).ok()?;
        let dfa = dfa.to_sparse().ok()?;
        sizes.built += 1;
        sizes.octets += dfa.memory_usage();
        sizes.patterns +=
            rules.iter().map(|rule| rule.head.len() + rule.segments.concat().len()).sum::<usize>();
        Some((dfa, rules.iter().map(|rule| rule.tag & 1 == 1).collect::<Vec<bool>>()))
    };
    let seats = plain_rules(field, queries).into_iter().map(&mut build).collect();
    let allows = |(dfa, permits): &(DFA<Vec<u8>>, Vec<bool>), path: &str| {
        let found = dfa.try_search_fwd(&Input::new(path).anchored(Anchored::Yes)).ok().flatten();
        Some(found.is_none_or(|found| permits[found.pattern().as_usize()]))
    };
    let nearest = Profile::Rfc9309;
    (Prepared { name: "regex-automata", note: "sparse DFA built before", nearest, seats, allows }, sizes)
}

/// More rules than this are not even tried: building would take minutes.
const MOST_RULES: usize = 100;

/// What the DFAs of regex-automata come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// Sets of rules.
    pub(crate) sets: usize,
    /// Those that built.
    pub(crate) built: usize,
    /// Octets of their DFAs.
    pub(crate) octets: usize,
    /// Octets of their patterns.
    pub(crate) patterns: usize,
}

/// A rule as a regular expression.
fn expression(rule: &Plain) -> String {
    let literal = |octets: &[u8]| octets.iter().map(|octet| format!(r"\x{octet:02X}")).collect::<String>();
    let mut expression = format!("(?s-u){}", literal(&rule.head));
    for segment in &rule.segments {
        expression.push_str(".*?");
        expression.push_str(&literal(segment));
    }
    if rule.anchored {
        expression.push_str(r"\z");
    }
    expression
}

/// Runs a future that never waits: cylon reads from memory.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}
