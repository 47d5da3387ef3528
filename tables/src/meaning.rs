//! Whether two documents say the same to each name, regardless of lines, order and duplicates.
//!
//! `diff` and `use_changes` give the groups of both documents, each with the names that it
//! addresses and what it says. A name hears the groups that address it together. Invariant: the
//! cost is that of the groups, and of [`MOST_COMPARED`] contents, however many names share however
//! long groups; beyond that, the documents count as different. It does not know what contents mean.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

/// A group: the names that it addresses, and what it says to each.
pub(crate) type Said<N, C> = (Vec<N>, Vec<C>);

/// The contents that are compared at most for all names.
const MOST_COMPARED: usize = 1 << 24;

/// The groups of a document.
struct Document<N> {
    /// The numbers of the contents of each group, sorted.
    contents: Vec<Vec<u32>>,
    /// The groups that address each name.
    groups: BTreeMap<N, Vec<usize>>,
}

impl<N: Ord> Document<N> {
    fn of<C: Hash + Eq>(said: Vec<Said<N, C>>, numbers: &mut HashMap<C, u32>) -> Document<N> {
        let mut document = Document { contents: Vec::new(), groups: BTreeMap::new() };
        for (names, contents) in said {
            for name in names {
                document.groups.entry(name).or_default().push(document.contents.len());
            }
            let mut number = |content| {
                let next = numbers.len() as u32;
                *numbers.entry(content).or_insert(next)
            };
            document.contents.push(distinct(contents.into_iter().map(&mut number).collect()));
        }
        document
    }

    /// The number of contents of some groups, counted in each.
    fn length(&self, groups: &[usize]) -> usize {
        groups.iter().map(|&group| self.contents[group].len()).sum()
    }

    /// The contents of some groups.
    fn union(&self, groups: &[usize]) -> Vec<u32> {
        distinct(groups.iter().flat_map(|&group| &self.contents[group]).copied().collect())
    }
}

fn distinct(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// True if two documents address the same names, and say the same to each.
pub(crate) fn is_same_to_all<N: Ord, C: Hash + Eq>(documents: [Vec<Said<N, C>>; 2]) -> bool {
    let mut numbers = HashMap::new();
    let [before, now] = documents.map(|said| Document::of(said, &mut numbers));
    // Most names are addressed by the same groups as others.
    let mut compared = HashSet::new();
    let mut left = MOST_COMPARED;
    before.groups.len() == now.groups.len()
        && before.groups.iter().zip(&now.groups).all(|((name, from), (other, to))| {
            if name != other || !compared.insert((from, to)) {
                return name == other;
            }
            let rest = left.checked_sub(before.length(from) + now.length(to));
            left = rest.unwrap_or(0);
            rest.is_some() && before.union(from) == now.union(to)
        })
}

#[cfg(test)]
mod tests {
    use super::{MOST_COMPARED, Said, is_same_to_all};

    type Group = Said<&'static str, u32>;

    fn group(names: &[&'static str], contents: &[u32]) -> Group {
        (names.to_vec(), contents.to_vec())
    }

    #[test]
    fn order_and_groups_do_not_matter() {
        let before = vec![group(&["a", "b"], &[1, 2, 2]), group(&["b"], &[3])];
        let now = vec![group(&["b"], &[3, 2]), group(&["b", "a"], &[1]), group(&["a"], &[2])];
        assert!(is_same_to_all([before.clone(), now]));
        for other in [group(&["a", "b"], &[1, 2]), group(&["b"], &[]), group(&["c"], &[])] {
            assert!(!is_same_to_all([before.clone(), vec![other]]));
        }
        let more = [before.clone(), vec![group(&["c"], &[])]].concat();
        assert!(!is_same_to_all([before.clone(), more.clone()]) && is_same_to_all([more.clone(), more]));
    }

    #[test]
    fn what_is_too_long_to_compare_is_different() {
        // Each name is in the long group, and in one that no other is in.
        let contents: Vec<u32> = (0..1 << 13).collect();
        let all: Vec<u32> = (0..(MOST_COMPARED >> 13) as u32).collect();
        let own = all.iter().map(|&name| (vec![name], vec![name]));
        let said: Vec<Said<u32, u32>> = own.chain([(all.clone(), contents.clone())]).collect();
        assert!(!is_same_to_all([said.clone(), said.clone()]));
        // Names in the same groups are compared once.
        let said = vec![(all, contents)];
        assert!(is_same_to_all([said.clone(), said]));
    }
}
