//! Trie → bytes, in the format of `formats::program`.
//!
//! Sizes are computed from the last node to the first (children come after their parents). The
//! nodes are then written in one run, in preorder, so every offset is known when it is needed, and
//! nothing recurses.

use super::trie::{Node, Trie};
use robomaton_formats::program::*;

/// Appends the root node of the trie and everything below it. The entries of a `backward` trie are
/// texts read from the end; their labels are written in text order.
pub(super) fn trie(trie: &Trie<'_>, extras: &[u8], backward: bool, out: &mut Vec<u8>) {
    let encoder = Encoder { trie, extras, backward };
    let count = trie.nodes.len();
    // The size of each node with its subtree, including the labels of the children.
    let mut sizes = vec![0u32; count];
    // The size of all children of a node, and of the last child: the difference is the largest
    // offset.
    let mut below = vec![(0u32, 0u32); count];
    for number in (0..count).rev() {
        let node = &trie.nodes[number];
        let (total, last) = below[number];
        sizes[number] = encoder.own_size(node) + table_size(node.children, total - last) + total;
        if number != 0 {
            let with_label = encoder.label_size(node) + sizes[number];
            let (total, last) = &mut below[node.parent as usize];
            *total += with_label;
            // The loop runs backwards, so the first child it meets is the last.
            if *last == 0 {
                *last = with_label;
            }
        }
    }
    out.reserve(sizes[0] as usize);
    // Positions in `out` of each node's next offset, and of the start of its children.
    let mut tables: Vec<Table> = vec![Table::default(); count];
    for (number, node) in trie.nodes.iter().enumerate() {
        if number != 0 {
            tables[node.parent as usize].enter(encoder.first(node), out);
            encoder.label(node, out);
        }
        encoder.own(node, below[number], out);
        let form = form(node.children, below[number].0 - below[number].1);
        tables[number] = Table::reserve(node.children, form, out);
    }
}

/// The form of the children's table, chosen by their number and the largest offset.
fn form(children: u32, greatest: u32) -> u8 {
    match (children, greatest) {
        (0, _) => CHILDREN_NONE,
        (1, _) => CHILDREN_ONE,
        (_, 0..=0xFF) => CHILDREN_1,
        (_, 0x100..=0xFFFF) => CHILDREN_2,
        _ => CHILDREN_4,
    }
}

fn width(form: u8) -> u32 {
    1 << form.saturating_sub(CHILDREN_1)
}

fn table_size(children: u32, greatest: u32) -> u32 {
    match form(children, greatest) {
        CHILDREN_NONE => 0,
        CHILDREN_ONE => 1,
        form => 1 + children + children * width(form),
    }
}

/// A table of children reserved in the output and filled as the children are written.
#[derive(Clone, Copy, Default)]
struct Table {
    bytes: usize,
    offsets: usize,
    base: usize,
    entered: usize,
    width: usize,
}

impl Table {
    fn reserve(children: u32, form: u8, out: &mut Vec<u8>) -> Table {
        let count = children as usize;
        if count > 1 {
            out.push((count - 1) as u8);
        }
        let bytes = out.len();
        let width = if count > 1 { width(form) as usize } else { 0 };
        out.resize(bytes + count + count * width, 0);
        Table { bytes, offsets: bytes + count, base: out.len(), entered: 0, width }
    }

    /// Records that the next child, whose label begins with `byte`, starts at the end of the
    /// output.
    fn enter(&mut self, byte: u8, out: &mut [u8]) {
        let offset = (out.len() - self.base) as u32;
        out[self.bytes + self.entered] = byte;
        let at = self.offsets + self.entered * self.width;
        out[at..at + self.width].copy_from_slice(&offset.to_le_bytes()[..self.width]);
        self.entered += 1;
    }
}

struct Encoder<'e, 'r> {
    trie: &'e Trie<'r>,
    extras: &'e [u8],
    backward: bool,
}

impl Encoder<'_, '_> {
    fn bytes(&self, node: &Node) -> &[u8] {
        &self.trie.entries[node.entry as usize].bytes[node.start as usize..node.end as usize]
    }

    fn first(&self, node: &Node) -> u8 {
        self.bytes(node)[0]
    }

    fn label_size(&self, node: &Node) -> u32 {
        let rest = node.end - node.start - 1;
        varint_len(rest) as u32 + rest
    }

    fn label(&self, node: &Node, out: &mut Vec<u8>) {
        let rest = &self.bytes(node)[1..];
        push_varint(out, rest.len() as u32);
        if self.backward {
            out.extend(rest.iter().rev());
        } else {
            out.extend_from_slice(rest);
        }
    }

    /// Both priorities and the extra bytes of a node, with the flags that describe them.
    fn payload(&self, node: &Node) -> ([Priority; 2], &[u8], u8) {
        if !node.accepts {
            return ([0; 2], &[], 0);
        }
        let entry = &self.trie.entries[node.entry as usize];
        let extra = &self.extras[entry.extra.clone()];
        let flags = if extra.is_empty() { 0 } else { NODE_EXTRA } | if entry.queued { NODE_QUEUE } else { 0 };
        ([entry.open, entry.anchored], extra, flags)
    }

    fn own_size(&self, node: &Node) -> u32 {
        let (priorities, extra, _) = self.payload(node);
        let forms = priority_forms(priorities, node.end);
        let explicit = priorities.into_iter().zip(forms).filter(|&(_, form)| form == PRIORITY_EXPLICIT);
        1 + explicit.map(|(priority, _)| varint_len(priority) as u32).sum::<u32>() + extra.len() as u32
    }

    fn own(&self, node: &Node, (total, last): (u32, u32), out: &mut Vec<u8>) {
        let (priorities, extra, flags) = self.payload(node);
        let forms = priority_forms(priorities, node.end);
        out.push(forms[0] | forms[1] << 2 | flags | form(node.children, total - last) << 5);
        for (priority, form) in priorities.into_iter().zip(forms) {
            if form == PRIORITY_EXPLICIT {
                push_varint(out, priority);
            }
        }
        out.extend_from_slice(extra);
    }
}

/// The forms of a node's open and anchored priorities. A priority whose rank is the length of the
/// pattern that ends here (the depth, plus one for the anchor) takes no bytes.
fn priority_forms([open, anchored]: [Priority; 2], depth: u32) -> [u8; 2] {
    let form = |priority: Priority, rank: u32| match priority {
        0 => PRIORITY_NONE,
        _ if priority / 2 != rank => PRIORITY_EXPLICIT,
        _ if permits(priority) => PRIORITY_PERMIT,
        _ => PRIORITY_PROHIBIT,
    };
    [form(open, depth), form(anchored, depth + 1)]
}
