//! The parser that pest derives from `acap.pest` and `meta.pest`.
//!
//! Both share one parser, since the second builds on the rules of the first. Invariant: rules that
//! the grammars call total accept every text, so [`total`] cannot fail. This file gives no rule a
//! meaning.

use pest::Parser;
use pest::iterators::Pair;

pub(crate) use grammar::Rule;

/// Keeps the derived items, which are public and undocumented, away from the lints.
#[allow(missing_docs, unreachable_pub)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "acap.pest"]
    #[grammar = "meta.pest"]
    pub(super) struct AcapParser;
}

/// Parses a text by a rule that may reject it.
pub(crate) fn partial(rule: Rule, text: &str) -> Option<Pair<'_, Rule>> {
    grammar::AcapParser::parse(rule, text).ok()?.next()
}

/// Parses a text by a rule that accepts every text.
///
/// # Panics
/// If pest gives up, as it does with less than 64 KiB of stack left. No input causes this.
pub(crate) fn total(rule: Rule, text: &str) -> Pair<'_, Rule> {
    partial(rule, text).expect("the last alternative of the rule takes every text")
}
