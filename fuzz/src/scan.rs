//! A text through the scanner and its definition.

use robomaton_grammar::{DEFAULT_LIMIT, define, diagnose, dump};

/// The pest definition takes a second for more.
const LONGEST: usize = 1 << 14;

/// Scans a text.
///
/// # Panics
/// If the tree differs from that of the definition, or does not print its source.
pub fn scan(data: &[u8]) {
    if data.len() > LONGEST {
        return;
    }
    for limit in [DEFAULT_LIMIT, data.len() / 2] {
        let tree = robomaton_grammar::scan(data, limit);
        assert_eq!(tree, define(data, limit), "the scanner differs from its definition");
        assert_eq!(tree.print(), tree.source, "the tree does not print its source");
        let _ = (diagnose(&tree), dump(&tree));
    }
}
