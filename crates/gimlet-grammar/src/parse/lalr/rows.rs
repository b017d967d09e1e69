//! Rows of bits, all of the same length.

/// A set of numbers for each row.
#[derive(Clone, Debug)]
pub struct Rows {
    n_words: usize,
    words: Vec<u64>,
}

impl Rows {
    pub fn new(n_rows: usize, n_bits: usize) -> Rows {
        let n_words = n_bits.div_ceil(64);
        Rows { n_words, words: vec![0; n_rows * n_words] }
    }

    fn place(&self, row: usize, bit: u32) -> (usize, u64) {
        (row * self.n_words + bit as usize / 64, 1 << (bit % 64))
    }

    pub fn insert(&mut self, row: usize, bit: u32) {
        let (word, mask) = self.place(row, bit);
        self.words[word] |= mask;
    }

    pub fn remove(&mut self, row: usize, bit: u32) {
        let (word, mask) = self.place(row, bit);
        self.words[word] &= !mask;
    }

    pub fn contains(&self, row: usize, bit: u32) -> bool {
        let (word, mask) = self.place(row, bit);
        self.words[word] & mask != 0
    }

    /// Adds one row to another of the same rows.
    pub fn add(&mut self, to: usize, from: usize) {
        if to == from {
            return;
        }
        for word in 0..self.n_words {
            self.words[to * self.n_words + word] |= self.words[from * self.n_words + word];
        }
    }

    /// Adds a row of others.
    pub fn add_from(&mut self, to: usize, others: &Rows, from: usize) {
        let row = &mut self.words[to * self.n_words..][..self.n_words];
        row.iter_mut().zip(&others.words[from * self.n_words..]).for_each(|(word, other)| *word |= other);
    }

    pub fn clear(&mut self, row: usize) {
        self.words[row * self.n_words..][..self.n_words].fill(0);
    }

    /// The numbers of a row, in their order.
    pub fn iter(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        let words = &self.words[row * self.n_words..][..self.n_words];
        words.iter().enumerate().flat_map(|(at, &word)| {
            let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            rest.take_while(|&word| word != 0).map(move |word| at as u32 * 64 + word.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sets() {
        let mut rows = Rows::new(2, 130);
        [0, 63, 64, 129].into_iter().for_each(|bit| rows.insert(1, bit));
        rows.remove(1, 63);
        rows.add(0, 1);
        rows.clear(1);
        assert_eq!(rows.iter(0).collect::<Vec<_>>(), [0, 64, 129]);
        assert_eq!(rows.iter(1).count(), 0);
        assert!(rows.contains(0, 129) && !rows.contains(0, 63));
    }
}
