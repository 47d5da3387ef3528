//! The parser that pest derives from `acap.pest` and `meta.pest`.
//!
//! One parser for both, since the second builds on the rules of the first. Invariant: what is
//! called total in the grammars is, so [`total`] has no way to fail. This file gives no rule a
//! meaning.

use pest::Parser;
use pest::iterators::Pair;

pub(crate) use grammar::Rule;

/// Keeps the derived items, which are public without documentation, away from the lints.
#[allow(missing_docs, unreachable_pub)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "acap.pest"]
    #[grammar = "meta.pest"]
    pub(super) struct AcapParser;
}

/// Reads a text by a rule that may not take it.
pub(crate) fn partial(rule: Rule, text: &str) -> Option<Pair<'_, Rule>> {
    grammar::AcapParser::parse(rule, text).ok()?.next()
}

/// Reads a text by a rule that takes every text.
///
/// # Panics
/// If pest gives up, as it does with less than 64 KiB of stack left. No input makes it.
pub(crate) fn total(rule: Rule, text: &str) -> Pair<'_, Rule> {
    partial(rule, text).expect("the last alternative of the rule takes every text")
}
