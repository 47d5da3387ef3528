//! Trie → bytes, in the format of `formats::program`.
//!
//! The nodes are written from the last to the first, each with its label before it, into a buffer
//! that holds the bytes from the end of the trie to its beginning. Offsets only lead forward, so
//! the place of each child is known when its parent is written, and nothing recurses. Equal
//! children of literals are stored once ([`shared`](super::shared)).

use super::shared::Stored;
use super::trie::Trie;
use robomaton_formats::program::*;

/// Appends the root node of the trie and everything below it. The entries of a `backward` trie are
/// texts read from the end; their labels are written in text order.
pub(super) fn trie(trie: &Trie<'_>, extras: &[u8], backward: bool, out: &mut Vec<u8>) {
    let encoder = Encoder { trie, extras, backward };
    let stored = Stored::of(trie, !backward, |number, out| encoder.own(number, out));
    let mut reversed: Vec<u8> = Vec::new();
    // The distance of each stored child from the end of the trie.
    let mut places = vec![0; trie.nodes.len()];
    let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
    for number in stored.numbers(trie).into_iter().rev() {
        bytes.clear();
        let (own, flags) = stored.own(number);
        bytes.extend_from_slice(own);
        offsets.clear();
        offsets.extend(trie.children(number).map(|child| reversed.len() - places[stored.place(child)]));
        let form = form(&offsets);
        bytes[flags] |= form << 5;
        if form >= CHILDREN_1 {
            bytes.push((offsets.len() - 1) as u8);
        }
        bytes.extend(trie.children(number).map(|child| trie.label(child)[0]));
        for offset in &offsets {
            bytes.extend_from_slice(&offset.to_le_bytes()[..offset_width(form)]);
        }
        reversed.extend(bytes.iter().rev());
        places[number] = reversed.len();
    }
    out.extend(reversed.iter().rev());
}

/// The form of the table of children with these offsets. The only child of a node that stands
/// directly behind it needs no offset.
fn form(offsets: &[usize]) -> u8 {
    match (offsets, offsets.iter().max().copied().unwrap_or(0)) {
        ([], _) => CHILDREN_NONE,
        ([0], _) => CHILDREN_ONE,
        (_, 0..=0xFF) => CHILDREN_1,
        (_, 0x100..=0xFFFF) => CHILDREN_2,
        (_, 0x1_0000..=0xFF_FFFF) => CHILDREN_3,
        _ => CHILDREN_4,
    }
}

struct Encoder<'e, 'r> {
    trie: &'e Trie<'r>,
    extras: &'e [u8],
    backward: bool,
}

impl Encoder<'_, '_> {
    /// Appends the rest of the label that leads to a node (the root has none), and the node up to
    /// its children, whose form is left zero. Returns the place of the flags.
    fn own(&self, number: usize, out: &mut Vec<u8>) -> usize {
        if let [_, rest @ ..] = self.trie.label(number) {
            push_varint(out, rest.len() as u32);
            if self.backward {
                out.extend(rest.iter().rev());
            } else {
                out.extend_from_slice(rest);
            }
        }
        let flags = out.len();
        out.push(0);
        let node = &self.trie.nodes[number];
        if node.accepts {
            let entry = &self.trie.entries[node.entry as usize];
            let priorities = [(entry.open, node.end), (entry.anchored, node.end + 1)];
            for (at, (priority, rank)) in priorities.into_iter().enumerate() {
                let form = priority_form(priority, rank);
                out[flags] |= form << (2 * at);
                if form == PRIORITY_EXPLICIT {
                    push_varint(out, priority);
                }
            }
            let extra = &self.extras[entry.extra.clone()];
            out[flags] |=
                if extra.is_empty() { 0 } else { NODE_EXTRA } | if entry.queued { NODE_QUEUE } else { 0 };
            out.extend_from_slice(extra);
        }
        flags
    }
}

/// The form of a priority. One whose rank is the length of the pattern that ends here (the depth,
/// plus one for the anchor) takes no bytes.
fn priority_form(priority: Priority, rank: u32) -> u8 {
    match priority {
        0 => PRIORITY_NONE,
        _ if priority / 2 != rank => PRIORITY_EXPLICIT,
        _ if permits(priority) => PRIORITY_PERMIT,
        _ => PRIORITY_PROHIBIT,
    }
}
