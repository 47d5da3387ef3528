//! The rivals, each prepared as its documentation advises: work that can be done once per file and
//! agent is done in advance.
//!
//! Other libraries for robots.txt are in this file; `plain` has rule sets as chosen by our policy,
//! for a naive scan and, in `automata`, for the forms of regex-automata. Invariant: nothing here
//! helps or hinders a rival; a panic counts as no answer. No other crate of the workspace names any
//! of them.

mod automata;
mod plain;

pub use automata::{Form, Sizes, automata};
pub use plain::scan;

use crate::Field;
use crate::queries::{Queries, Seat};
use robomaton_formats::Profile;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A matcher, prepared for every file and agent.
pub trait Rival {
    /// The name in tables.
    fn name(&self) -> &'static str;
    /// What a call does besides matching.
    fn note(&self) -> &'static str;
    /// True if it can answer for this file and agent.
    fn has(&self, seat: usize) -> bool;
    /// Our profile with the most similar answers.
    fn nearest(&self) -> Profile;
    /// The answer; `None` if it panicked.
    fn allows(&self, seat: usize, path: &str) -> Option<bool>;
}

/// A value prepared once per file and agent; `None` if preparation failed.
struct Prepared<T> {
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
pub fn robotxt(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let parse = |seat: &Seat, text: &[u8]| Some(robotxt::Robots::parse(text, seat.agent.as_str()));
    Prepared::new("robotxt", "parsed before", field, queries, parse, |robots, path| {
        Some(robots.is_allowed(path))
    })
}

/// texting_robots: parsed once per file and agent.
pub fn texting_robots(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let parse = |seat: &Seat, text: &[u8]| texting_robots::Robot::new(&seat.agent, text).ok();
    Prepared::new("texting_robots", "parsed before", field, queries, parse, |robot, path| {
        Some(robot.allowed(path))
    })
}

/// cylon: compiled to an NFA once per file and agent.
pub fn cylon(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let compile = |seat: &Seat, text: &[u8]| block_on(cylon::Compiler::new(&seat.agent).compile(text)).ok();
    Prepared::new("cylon", "compiled before", field, queries, compile, |nfa, path| Some(nfa.allow(path)))
}

/// robotstxt, Google's parser in Rust: it has no parsed form, so each answer parses the text.
pub fn robotstxt(field: &Field<'_>, queries: &Queries) -> impl Rival + use<> {
    let hold =
        |seat: &Seat, text: &[u8]| Some((String::from_utf8_lossy(text).into_owned(), seat.agent.clone()));
    let ask = |(text, agent): &(String, String), path: &str| {
        let ask = || robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(text, agent, path);
        // It panics on long lines that it truncates inside a character.
        catch_unwind(AssertUnwindSafe(ask)).ok()
    };
    let prepared = Prepared::new("robotstxt", "parses every time", field, queries, hold, ask);
    Prepared { nearest: Profile::Google, ..prepared }
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
