//! The specificity order: which of two patterns is narrower (V51), and the same for all patterns of
//! a document as runs of numbers.
//!
//! This is the second way to weigh rules, besides the ranks of `precedence`. [`compare`] is the
//! definition, read naively, for the trace and `lint`; `Order` gives the same result for every pair
//! of a document in linear size, for the programs. The order is over the symbols of canonical
//! patterns: END < `$` < `*` < literal, decided where two patterns first differ. If they differ at
//! two literals, neither is narrower (decision 1). This file does not know senses, usages or
//! crawlers.

use robomaton_formats::Notation;
use std::cmp::Ordering;

/// A symbol of a pattern; END is the absence of a symbol.
pub type Symbol = u16;
/// The final `$`.
const ANCHOR: Symbol = 0;
/// A star.
const STAR: Symbol = 1;
/// `%2F`, which is not a slash: the last of the literals.
const ENCODED_SLASH: Symbol = 0x200;

/// The symbols of a pattern in the canonical bytes of [`Notation::Acap`].
pub fn symbols(pattern: &[u8]) -> Vec<Symbol> {
    let (body, anchored) = match pattern {
        [body @ .., b'$'] => (body, true),
        body => (body, false),
    };
    let mut out = Vec::with_capacity(pattern.len());
    let mut rest = body;
    while let Some((&first, tail)) = rest.split_first() {
        let (symbol, tail) = match rest {
            [b'%', b'2', b'A', tail @ ..] => (literal(b'*'), tail),
            [b'%', b'2', b'4', tail @ ..] => (literal(b'$'), tail),
            [b'%', b'2', b'5', tail @ ..] => (literal(b'%'), tail),
            [b'%', b'2', b'F', tail @ ..] => (ENCODED_SLASH, tail),
            [b'*', tail @ ..] => (STAR, tail),
            _ => (literal(first), tail),
        };
        out.push(symbol);
        rest = tail;
    }
    out.extend(anchored.then_some(ANCHOR));
    out
}

const fn literal(byte: u8) -> Symbol {
    byte as Symbol + 2
}

fn is_literal(symbol: Option<&Symbol>) -> bool {
    symbol.is_some_and(|&symbol| symbol > STAR)
}

/// A rule's pattern in the bytes of the specificity order, whatever its notation.
pub fn scoped_pattern(pattern: &[u8]) -> Vec<u8> {
    Notation::Acap.pattern(pattern).into_owned()
}

/// Compares the scopes of two patterns: `Greater` if the first is narrower; `None` if they differ
/// at two literals. The second value is the index of the symbol at which they first differ.
pub fn compare(one: &[Symbol], other: &[Symbol]) -> (Option<Ordering>, usize) {
    let at = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (a, b) = (one.get(at), other.get(at));
    let order = if is_literal(a) && is_literal(b) { None } else { Some(a.cmp(&b)) };
    (order, at)
}

/// The distinct patterns of a document in order, and for each the runs of narrower patterns.
pub(crate) struct Order {
    patterns: Vec<Vec<Symbol>>,
    pub(crate) narrower: Vec<Vec<(u32, u32)>>,
}

impl Order {
    /// Orders patterns; duplicates count once.
    pub(crate) fn new(mut patterns: Vec<Vec<Symbol>>) -> Order {
        patterns.sort_unstable();
        patterns.dedup();
        let narrower = runs(&patterns);
        Order { patterns, narrower }
    }

    /// The number of patterns.
    pub(crate) fn len(&self) -> usize {
        self.patterns.len()
    }

    /// The number of a pattern. A pattern outside the order counts as narrower than all: fields of
    /// one resource.
    pub(crate) fn number(&self, pattern: &[Symbol]) -> u32 {
        self.patterns.binary_search_by(|probe| probe.as_slice().cmp(pattern)).unwrap_or(self.len()) as u32
    }
}

/// For each pattern, the runs of later patterns that first differ from it at one of its wildcards
/// or its end.
///
/// Going right from a pattern, the length of the common prefix never grows: it is the minimum over
/// adjacent pairs on the way. So the later patterns form runs with equal common prefixes, and a
/// pattern of *n* symbols has at most *n* + 1 runs.
fn runs(patterns: &[Vec<Symbol>]) -> Vec<Vec<(u32, u32)>> {
    let count = patterns.len();
    // The length of each pattern's common prefix with the previous one.
    let shared: Vec<usize> = (0..count)
        .map(|at| match at {
            0 => 0,
            _ => patterns[at - 1].iter().zip(&patterns[at]).take_while(|(a, b)| a == b).count(),
        })
        .collect();
    // The next pattern with a shorter common prefix.
    let mut less = vec![count; count];
    let mut waiting: Vec<usize> = Vec::new();
    for at in 1..count {
        while let Some(&last) = waiting.last()
            && shared[at] < shared[last]
        {
            less[last] = at;
            waiting.pop();
        }
        waiting.push(at);
    }
    let runs = |(at, pattern): (usize, &Vec<Symbol>)| {
        let mut runs = Vec::new();
        let mut from = at + 1;
        while from < count {
            let to = less[from];
            if !is_literal(pattern.get(shared[from])) {
                runs.push((from as u32, to as u32));
            }
            from = to;
        }
        runs
    };
    patterns.iter().enumerate().map(runs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrower(one: &str, other: &str) -> Option<Ordering> {
        compare(&symbols(one.as_bytes()), &symbols(other.as_bytes())).0
    }

    #[test]
    fn the_letter_of_the_comparison() {
        use Ordering::{Equal, Greater, Less};
        for (one, other, expected) in [
            ("/a", "/a", Some(Equal)),
            ("/ab", "/a", Some(Greater)),
            ("/foo$", "/foo", Some(Greater)),
            ("/foo$", "/foo*", Some(Less)),
            ("/foo*", "/foo", Some(Greater)),
            ("*.pdf", "/", Some(Less)),
            ("/*a", "/*b", None),
            ("/a", "/b", None),
            ("/a%2A", "/a*", Some(Greater)),
            ("/a%24", "/a$", Some(Greater)),
        ] {
            assert_eq!(narrower(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn runs_say_what_comparing_says() {
        let alphabet = ["a", "b", "*", "/"];
        let mut all = Vec::new();
        for number in 0..4usize.pow(4) {
            let text: String = (0..4).map(|digit| alphabet[number / 4usize.pow(digit) % 4]).collect();
            for length in 0..=4 {
                all.push(symbols(&text.as_bytes()[..length]));
                all.push(symbols(format!("{}$", &text[..length]).as_bytes()));
            }
        }
        // Every `step`-th pattern, so that there are gaps.
        for step in [1, 3, 7] {
            let order = Order::new(all.iter().step_by(step).cloned().collect());
            for (number, pattern) in order.patterns.iter().enumerate() {
                assert_eq!(order.number(pattern) as usize, number);
                for (other, longer) in order.patterns.iter().enumerate() {
                    let beats = compare(longer, pattern).0 == Some(Ordering::Greater);
                    let runs = &order.narrower[number];
                    let said = runs.iter().any(|&(from, to)| (from as usize..to as usize).contains(&other));
                    assert_eq!(said, beats, "{pattern:?} {longer:?}");
                }
            }
        }
    }
}
