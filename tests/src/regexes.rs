//! Rules as regular expressions: the answers of a general engine for a set of rules.
//!
//! Each pattern becomes an expression over bytes, and a set becomes their leftmost-first
//! alternation, anchored at the start, with the best-ranked rule first: the matching expression is
//! then the deciding rule. The automaton is the dense one of `regex-automata`, which is exponential
//! on some sets; sets that it cannot build within `LIMIT` get no answer. This engine shares the
//! canonical bytes with the compiler, but none of its automata.

use crate::engines::{Trace, target_of};
use crate::suite::{Answer, Engine, Question, Text};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::{Decision, Notation, policy};
use std::cmp::Reverse;
use std::fmt::Write as _;

/// The maximum size of an automaton in bytes, and the maximum memory for its determinisation.
const LIMIT: usize = 1 << 20;

/// The engine. It answers for files with a single group for all crawlers, the profiles `full` and
/// `rfc9309`, and the usage `crawl`.
#[derive(Debug, Default)]
pub struct Regexes {
    trace: Trace,
    automaton: Option<dense::DFA<Vec<u32>>>,
    /// Sense and line of each expression.
    rules: Vec<(bool, u32)>,
}

impl Regexes {
    /// True if the automaton could be built, so that there is an answer.
    pub fn is_built(&self) -> bool {
        self.automaton.is_some()
    }
}

impl Engine for Regexes {
    fn name(&self) -> &str {
        "regex-automata"
    }

    fn load(&mut self, text: &Text<'_>) {
        self.trace.load(text);
        let mut rules: Vec<(usize, bool, u32, String)> = self.trace.with_policy(|policy| {
            let policy = policy.expect("the file is within the limits");
            let rules = policy.rules.iter().filter(|rule| rule.usage == policy::CRAWL);
            let row = |rule: &robomaton_compiler::Rule<'_>| {
                let allow = rule.sense == robomaton_compiler::Sense::Permit;
                (rule.pattern.len(), allow, rule.line, expression(&rule.pattern))
            };
            rules.map(row).collect()
        });
        // R12: the longest first, among equals the permissions, then the first in the file.
        rules.sort_by_key(|&(length, allow, line, _)| (Reverse(length), Reverse(allow), line));
        let expressions: Vec<&str> = rules.iter().map(|rule| rule.3.as_str()).collect();
        let config = dense::Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(LIMIT))
            .determinize_size_limit(Some(LIMIT));
        self.automaton = dense::Builder::new()
            .configure(config)
            .syntax(syntax::Config::new().unicode(false).utf8(false).dot_matches_new_line(true))
            .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
            .build_many(&expressions)
            .ok();
        self.rules = rules.iter().map(|&(_, allow, line, _)| (allow, line)).collect();
    }

    fn ask(&self, question: &Question<'_>) -> Answer {
        let url = question.url;
        let automaton = self.automaton.as_ref().expect("only those that are built are asked");
        let target = Notation::Rep.target(&target_of(robomaton_formats::Profile::Full, url)).into_owned();
        let input = Input::new(&target).anchored(Anchored::Yes);
        let found = automaton.try_search_fwd(&input).expect("an anchored search without quit bytes");
        let found = found.map(|end| self.rules[end.pattern().as_usize()]).filter(|_| !is_robots_txt(&target));
        let (allowed, line) = found.unwrap_or((true, 0));
        Answer::new(Decision::from(allowed), Some(line))
    }
}

/// A canonical pattern as a regular expression (R10, R11).
fn expression(pattern: &[u8]) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((&byte, tail)) = rest.split_first() {
        let (literal, after) = match rest {
            [b'*', ..] => {
                out.push_str(".*");
                rest = tail;
                continue;
            }
            [b'$'] => {
                out.push_str("\\z");
                break;
            }
            [b'%', b'2', b'A', after @ ..] => (b'*', after),
            [b'%', b'2', b'4', after @ ..] => (b'$', after),
            _ => (byte, tail),
        };
        // Writing to a String cannot fail.
        let _ = write!(out, "\\x{literal:02X}");
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_expressions() {
        assert_eq!(expression(b"/a*$"), r"\x2F\x61.*\z");
        assert_eq!(expression(b"$%2A%2F"), r"\x24\x2A\x25\x32\x46");
    }
}
