//! Equal children of a trie, which are stored once.
//!
//! A set of rules often repeats a list of paths behind several prefixes, such as one for each
//! language. Two children are equal if the rests of their labels, their nodes and all that is below
//! them are: the bytes of both would be the same, except for offsets. Depths need not be equal, as
//! the priorities that a trie stores in bits count from the root. The last of equal children is
//! stored, so that offsets lead forward.
//!
//! Linear in the bytes of the trie, no recursion. This file does not know how nodes are written.

use super::trie::Trie;
use foldhash::{HashMap, HashMapExt};
use std::collections::hash_map::Entry;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Children of fewer bytes are repeated, since a child that stands elsewhere may make the offsets
/// of its parent's table longer.
const LEAST: usize = 4;

/// For each node, the number of the node that is stored in its place: the last one that is equal.
/// `own` appends the bytes of a node without its children, beginning with the label.
pub(super) fn find(trie: &Trie<'_>, own: impl Fn(usize, &mut Vec<u8>)) -> Vec<u32> {
    let mut stored = none(trie);
    // The last equal node of each node, however small it is.
    let mut same = stored.clone();
    let mut sizes = vec![0; trie.nodes.len()];
    // The bytes of different nodes, followed by the bytes and numbers of their children; nodes by
    // the hashes of these.
    let mut keys: Vec<u8> = Vec::new();
    let mut known: HashMap<u64, (u32, Range<usize>)> = HashMap::new();
    for number in (1..trie.nodes.len()).rev() {
        let start = keys.len();
        own(number, &mut keys);
        let mut size = keys.len() - start;
        for child in trie.children(number) {
            size += 2 + sizes[child];
            keys.push(trie.label(child)[0]);
            keys.extend_from_slice(&same[child].to_le_bytes());
        }
        sizes[number] = size;
        match known.entry(xxh3_64(&keys[start..])) {
            Entry::Vacant(place) => _ = place.insert((number as u32, start..keys.len())),
            Entry::Occupied(place) => {
                let (other, key) = place.get();
                // Nodes that differ may have equal hashes.
                if keys[key.clone()] == keys[start..] {
                    same[number] = *other;
                    if size >= LEAST {
                        stored[number] = *other;
                    }
                }
                keys.truncate(start);
            }
        }
    }
    stored
}

/// The same if no two children are stored as one.
pub(super) fn none(trie: &Trie<'_>) -> Vec<u32> {
    (0..trie.nodes.len() as u32).collect()
}

/// The numbers of the nodes that are stored, in preorder.
pub(super) fn numbers(trie: &Trie<'_>, stored: &[u32]) -> Vec<usize> {
    let mut numbers = Vec::with_capacity(stored.len());
    let mut number = 0;
    while number < stored.len() {
        number = if stored[number] as usize == number {
            numbers.push(number);
            number + 1
        } else {
            trie.nodes[number].after as usize
        };
    }
    numbers
}

#[cfg(test)]
mod tests {
    use crate::automaton::{Prioritized, build_tries, normalise};
    use crate::dump_automaton;
    use robomaton_formats::program::{PADDING, Silence, Weighing, check};
    use robomaton_formats::{Notation, Pattern};

    /// The program of rules behind each of some prefixes; those that begin with `+` are
    /// permissions.
    fn program(prefixes: &[&str], rules: &[&str]) -> Vec<u8> {
        let mut texts = Vec::new();
        for prefix in prefixes {
            texts.extend(rules.iter().map(|rule| format!("{prefix}{}", rule.trim_start_matches('+'))));
        }
        let rule = |(text, rule): (&'static str, &&str)| {
            let pattern = Pattern { text: text.as_bytes(), notation: Notation::Rep };
            Prioritized { pattern, priority: 2 * text.len() as u32 + u32::from(rule.starts_with('+')) }
        };
        let texts = texts.into_iter().map(|text| &*text.leak());
        let mut rules: Vec<_> = texts.zip(rules.iter().cycle()).map(rule).collect();
        normalise(&mut rules);
        let mut out = Vec::new();
        build_tries(&rules, Notation::Rep, Weighing::Ranked(Silence::Allowed), &mut out);
        let padded = [&out[..], &[0; PADDING]].concat();
        assert_eq!(check(&padded), Ok(out.len()));
        out
    }

    #[test]
    fn equal_parts_are_stored_once() {
        let rules = ["cart", "checkout/", "+checkout/help", "login$", "search?q="];
        let alone = program(&["/de/"], &rules).len();
        // Depths differ, too.
        let several = program(&["/de/", "/fr/", "/it/", "/de-ch/", "/x/"], &rules);
        assert!(several.len() < alone + 65, "{} {alone}", several.len());
        assert_eq!(dump_automaton(&several).matches("heckout/").count(), 1);
        // A prefix has a state of its own, so nothing above it is shared.
        let stars = program(&["/de/", "/fr/"], &["cart/a*d", "cart/b*c"]);
        assert_eq!(dump_automaton(&stars).matches("\"b\"").count(), 2);
    }
}
