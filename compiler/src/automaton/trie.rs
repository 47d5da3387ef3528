//! A radix trie over sorted byte strings, as an arena in preorder.
//!
//! It is built left to right along the rightmost path: each string shares a prefix with the
//! previous one and branches off where they differ. Linear in the bytes, no recursion. This file
//! knows neither priorities nor the program format.

use super::Entry;

/// A node: the point `end` bytes into the string of `entry`.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The start of the label from the parent, in bytes from the root.
    pub(super) start: u32,
    /// The end of the label.
    pub(super) end: u32,
    /// An entry whose path passes this node or ends here.
    pub(super) entry: u32,
    /// The entry ends here.
    pub(super) accepts: bool,
    /// Index of the node after the last one below this node.
    pub(super) after: u32,
    /// Index of the parent; the root's is its own.
    pub(super) parent: u32,
}

/// The trie of some entries.
pub(super) struct Trie<'r> {
    pub(super) entries: Vec<Entry<'r>>,
    /// In preorder, the root first.
    pub(super) nodes: Vec<Node>,
}

impl<'r> Trie<'r> {
    /// Builds the trie of entries whose bytes ascend, without duplicates.
    pub(super) fn new(entries: Vec<Entry<'r>>) -> Trie<'r> {
        let nodes = preorder(&build(&entries));
        Trie { entries, nodes }
    }

    /// The bytes between a node's parent and the node.
    pub(super) fn label(&self, number: usize) -> &[u8] {
        let node = &self.nodes[number];
        &self.entries.get(node.entry as usize).map_or(&[][..], |entry| &entry.bytes)
            [node.start as usize..node.end as usize]
    }

    /// The children of a node, in the order of their labels.
    pub(super) fn children(&self, number: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[number].after as usize;
        let next = move |&child: &usize| Some(self.nodes.get(child)?.after as usize);
        std::iter::successors(Some(number + 1), next).take_while(move |&child| child < end)
    }

    /// The maximum number of nodes on a path from the root, excluding the root.
    pub(super) fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        // A parent comes before its children.
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            depths[number] = depths[node.parent as usize] + 1;
        }
        depths.into_iter().max().unwrap_or(0)
    }
}

const ROOT: u32 = 0;
const END: u32 = u32::MAX;

/// A node while the trie grows. Children form a list, last first, because a split replaces the last
/// one.
struct Growing {
    end: u32,
    entry: u32,
    accepts: bool,
    last_child: u32,
    previous: u32,
}

fn build(entries: &[Entry<'_>]) -> Vec<Growing> {
    let node = |end, entry, accepts| Growing { end, entry, accepts, last_child: END, previous: END };
    let mut nodes = Vec::with_capacity(entries.len() + entries.len() / 2 + 1);
    nodes.push(node(0, 0, false));
    // The path from the root to the previous entry.
    let mut path = vec![ROOT];
    let mut last: &[u8] = &[];
    for (number, entry) in entries.iter().enumerate() {
        let (number, bytes) = (number as u32, entry.bytes.as_ref());
        let shared = shared(last, bytes) as u32;
        let mut below = None;
        while let Some(&top) = path.last()
            && nodes[top as usize].end > shared
        {
            below = path.pop();
        }
        // The root ends at 0, so it is never popped.
        let mut top = path.last().copied().unwrap_or(ROOT);
        if let Some(below) = below
            && nodes[top as usize].end < shared
        {
            // The previous entry passes the branching point inside a label: split the label there.
            let middle = nodes.len() as u32;
            let previous = std::mem::replace(&mut nodes[below as usize].previous, END);
            nodes.push(Growing { last_child: below, previous, ..node(shared, number, false) });
            nodes[top as usize].last_child = middle;
            path.push(middle);
            top = middle;
        }
        if nodes[top as usize].end as usize == bytes.len() {
            nodes[top as usize].accepts = true;
            nodes[top as usize].entry = number;
        } else {
            let leaf = nodes.len() as u32;
            let previous = std::mem::replace(&mut nodes[top as usize].last_child, leaf);
            nodes.push(Growing { previous, ..node(bytes.len() as u32, number, true) });
            path.push(leaf);
        }
        last = bytes;
    }
    nodes
}

/// The number of bytes at the start of both strings that are equal.
fn shared(one: &[u8], other: &[u8]) -> usize {
    let (words, others) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    let mut equal = 0;
    for (word, other) in words.iter().zip(others) {
        let differing = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*other);
        if differing != 0 {
            return equal + differing.trailing_zeros() as usize / 8;
        }
        equal += 8;
    }
    equal + one[equal..].iter().zip(&other[equal..]).take_while(|(a, b)| a == b).count()
}

fn preorder(growing: &[Growing]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(growing.len());
    let mut stack = vec![(ROOT, ROOT)];
    while let Some((at, parent)) = stack.pop() {
        let Growing { end, entry, accepts, last_child, .. } = growing[at as usize];
        let number = nodes.len() as u32;
        let start = nodes.get(parent as usize).map_or(0, |parent| parent.end);
        // The last child is pushed first, so the first is popped first.
        let mut child = last_child;
        while child != END {
            stack.push((child, number));
            child = growing[child as usize].previous;
        }
        nodes.push(Node { start, end, entry, accepts, after: number + 1, parent });
    }
    for number in (1..nodes.len()).rev() {
        let Node { after, parent, .. } = nodes[number];
        let of_parent = &mut nodes[parent as usize].after;
        *of_parent = after.max(*of_parent);
    }
    nodes
}
