//! A bitset of offsets in a section: one bit for each byte, so that it stays small whatever an
//! image claims.

/// Offsets in a section, iterated in ascending order.
pub(super) struct Marks {
    words: Vec<u64>,
    length: usize,
}

impl Marks {
    /// An empty set for a section of this length.
    pub(super) fn new(length: usize) -> Marks {
        let length = length.min(u32::MAX as usize);
        Marks { words: vec![0; length / 64 + 1], length }
    }

    /// Adds an offset and returns true if it is new. An offset beyond the section is stored as its
    /// end, which is equally invalid.
    pub(super) fn insert(&mut self, offset: u32) -> bool {
        let offset = (offset as usize).min(self.length);
        let Some(word) = self.words.get_mut(offset / 64) else { return false };
        let bit = 1 << (offset % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Adds the offsets of another set for the same section.
    pub(super) fn extend(&mut self, others: &Marks) {
        self.words.iter_mut().zip(&others.words).for_each(|(word, other)| *word |= other);
    }

    /// The offsets, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().zip((0..).step_by(64)).flat_map(|(&word, base): (_, u32)| {
            std::iter::successors((word != 0).then_some(word), |&word| {
                Some(word & (word - 1)).filter(|&w| w != 0)
            })
            .map(move |word| base + word.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_ascend_and_count_once() {
        let mut marks = Marks::new(200);
        let given = [130, 0, 63, 64, 200, 130, u32::MAX, 127];
        assert_eq!(given.map(|at| marks.insert(at)), [true, true, true, true, true, false, false, true]);
        assert!(marks.iter().eq([0, 63, 64, 127, 130, 200]));
        assert_eq!(Marks::new(0).iter().count(), 0);
    }
}
