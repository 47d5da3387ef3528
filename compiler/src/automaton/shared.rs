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

/// The nodes of a trie that are stored, and their bytes without their children.
pub(super) struct Stored {
    /// For each node, the number of the node that is stored in its place: the last one that is
    /// equal.
    places: Vec<u32>,
    /// The bytes of nodes, beginning with the label; other bytes may be between them.
    bytes: Vec<u8>,
    /// The range of a node's bytes, and the place of its flags behind its start.
    own: Vec<(Range<usize>, usize)>,
}

impl Stored {
    /// Finds equal children, unless all nodes of a trie are to be stored. `own` appends the bytes
    /// of a node without its children, and returns the place of the flags.
    pub(super) fn of(trie: &Trie<'_>, shares: bool, own: impl Fn(usize, &mut Vec<u8>) -> usize) -> Stored {
        let mut stored = Stored {
            places: (0..trie.nodes.len() as u32).collect(),
            bytes: Vec::with_capacity(8 * trie.nodes.len()),
            own: vec![(0..0, 0); trie.nodes.len()],
        };
        if shares {
            stored.share(trie, own);
        } else {
            (0..trie.nodes.len()).for_each(|number| stored.push(number, &own));
        }
        stored
    }

    /// Appends the bytes of a node.
    fn push(&mut self, number: usize, own: impl Fn(usize, &mut Vec<u8>) -> usize) {
        let start = self.bytes.len();
        let flags = own(number, &mut self.bytes);
        self.own[number] = (start..self.bytes.len(), flags - start);
    }

    fn share(&mut self, trie: &Trie<'_>, own: impl Fn(usize, &mut Vec<u8>) -> usize) {
        // The last equal node of each node, however small it is.
        let mut same = self.places.clone();
        let mut sizes = vec![0; trie.nodes.len()];
        // Nodes by the hashes of their keys. A key is the bytes of a node, followed by the bytes
        // and numbers of its children.
        let mut known: HashMap<u64, (u32, Range<usize>)> = HashMap::with_capacity(trie.nodes.len());
        for number in (1..trie.nodes.len()).rev() {
            let start = self.bytes.len();
            self.push(number, &own);
            let mut size = self.bytes.len() - start;
            for child in trie.children(number) {
                size += 2 + sizes[child];
                self.bytes.push(trie.label(child)[0]);
                self.bytes.extend_from_slice(&same[child].to_le_bytes());
            }
            sizes[number] = size;
            match known.entry(xxh3_64(&self.bytes[start..])) {
                Entry::Vacant(place) => _ = place.insert((number as u32, start..self.bytes.len())),
                Entry::Occupied(place) => {
                    let (other, key) = place.get();
                    // Nodes that differ may have equal hashes.
                    if self.bytes[key.clone()] == self.bytes[start..] {
                        same[number] = *other;
                        if size >= LEAST {
                            self.places[number] = *other;
                            self.bytes.truncate(start);
                        }
                    }
                }
            }
        }
        self.push(0, &own);
    }

    /// The node that is stored in place of a node.
    pub(super) fn place(&self, number: usize) -> usize {
        self.places[number] as usize
    }

    /// The bytes of a stored node without its children, and the place of the flags in them.
    pub(super) fn own(&self, number: usize) -> (&[u8], usize) {
        let (range, flags) = &self.own[number];
        (&self.bytes[range.clone()], *flags)
    }

    /// The numbers of the nodes that are stored, in preorder.
    pub(super) fn numbers(&self, trie: &Trie<'_>) -> Vec<usize> {
        let mut numbers = Vec::with_capacity(self.places.len());
        let mut number = 0;
        while number < self.places.len() {
            number = if self.place(number) == number {
                numbers.push(number);
                number + 1
            } else {
                trie.nodes[number].after as usize
            };
        }
        numbers
    }
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
