//! Two patterns that cannot be ordered, and the position at which they differ.
//!
//! The trace counts symbols of the pattern as compared. Here the symbol becomes a column of the
//! pattern as shown.

use crate::words;
use robomaton_compiler::Policy;
use robomaton_compiler::scope::scoped_pattern;
use serde::Serialize;
use std::io::{self, Write};

/// Two rules, neither of which has the narrower pattern.
#[derive(Serialize)]
pub(super) struct Pair {
    rules: [Side; 2],
    /// The character, from 1, at which two literals separate the patterns.
    column: usize,
}

#[derive(Serialize)]
struct Side {
    line: u32,
    /// The pattern as compared.
    pattern: String,
}

impl Pair {
    pub(super) fn new(policy: &Policy<'_>, (one, other, symbol): (usize, usize, usize)) -> Pair {
        let patterns = [one, other].map(|rule| scoped_pattern(&policy.rules[rule].pattern));
        // The patterns are equal up to there.
        let shared = &patterns[0][..symbol_bytes(&patterns[0], symbol)];
        let sides = std::iter::zip([one, other], &patterns);
        let mut sides =
            sides.map(|(rule, pattern)| Side { line: policy.rules[rule].line, pattern: shown(pattern) });
        let side = || Side { line: 0, pattern: String::new() };
        let rules = std::array::from_fn(|_| sides.next().unwrap_or_else(side));
        Pair { rules, column: shown(shared).chars().count() + 1 }
    }

    /// Writes both patterns, with a caret under the position.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for Side { line, pattern } in &self.rules {
            writeln!(out, "           line {line:<5} {pattern}")?;
            writeln!(out, "{:>width$}", '^', width = 22 + self.column)?;
        }
        Ok(())
    }
}

/// The length in bytes of the first symbols of a pattern: an escaped wildcard is one symbol.
fn symbol_bytes(pattern: &[u8], symbols: usize) -> usize {
    let mut at = 0;
    for _ in 0..symbols {
        at += match &pattern[at..] {
            [b'%', b'2', b'A' | b'4' | b'5', ..] => 3,
            rest => rest.len().min(1),
        };
    }
    // Literals may differ inside a character.
    while at > 0 && pattern.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
        at -= 1;
    }
    at
}

/// A pattern with control characters escaped.
fn shown(pattern: &[u8]) -> String {
    words::shown(&String::from_utf8_lossy(pattern)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_one_symbol() {
        assert_eq!(symbol_bytes(b"/a*b", 3), 3);
        assert_eq!(symbol_bytes(b"/%2A*b", 2), 4);
        assert_eq!(symbol_bytes(b"/%2A*b", 9), 6);
        assert_eq!(symbol_bytes("/é".as_bytes(), 2), 1);
        assert_eq!(shown(b"/a\n"), "/a\\n");
    }
}
