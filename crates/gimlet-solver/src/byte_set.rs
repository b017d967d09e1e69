//! Sets of values of one input byte.

use std::fmt;
use std::ops::BitAnd;

/// A set of byte values, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteSet {
    words: [u64; 4],
}

impl ByteSet {
    pub const ALL: ByteSet = ByteSet { words: [u64::MAX; 4] };
    pub const EMPTY: ByteSet = ByteSet { words: [0; 4] };

    pub fn contains(&self, value: u8) -> bool {
        self.words[usize::from(value / 64)] >> (value % 64) & 1 == 1
    }

    pub fn insert(&mut self, value: u8) {
        self.words[usize::from(value / 64)] |= 1 << (value % 64);
    }

    pub fn remove(&mut self, value: u8) {
        self.words[usize::from(value / 64)] &= !(1 << (value % 64));
    }

    pub fn is_empty(&self) -> bool {
        self.words == [0; 4]
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_subset(&self, other: &ByteSet) -> bool {
        self.words.iter().zip(other.words).all(|(mine, others)| mine & !others == 0)
    }

    /// The values, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..4u8).flat_map(move |word_idx| {
            let mut word = self.words[usize::from(word_idx)];
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u8)?;
                word &= word - 1;
                Some(64 * word_idx + bit)
            })
        })
    }

    pub(crate) fn words(&self) -> [u64; 4] {
        self.words
    }

    /// The member to change a byte to: the hint's value, else the first letter, digit, printable
    /// character or value, in this order, so that inputs stay legible and runs repeat.
    pub fn prefer(&self, hint: u8) -> Option<u8> {
        if self.contains(hint) {
            return Some(hint);
        }
        self.iter().min_by_key(|&value| (rank(value), value))
    }
}

/// How readily a value is taken; the least first.
pub(crate) fn rank(value: u8) -> u8 {
    match value {
        b'a'..=b'z' => 0,
        b'0'..=b'9' | b'A'..=b'Z' => 1,
        b' '..=b'~' => 2,
        b'\n' | b'\t' => 3,
        _ => 4,
    }
}

impl BitAnd for ByteSet {
    type Output = ByteSet;

    fn bitand(self, other: ByteSet) -> ByteSet {
        let mut words = self.words;
        words.iter_mut().zip(other.words).for_each(|(mine, others)| *mine &= others);
        ByteSet { words }
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(values: I) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        values.into_iter().for_each(|value| set.insert(value));
        set
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members() {
        let mut set: ByteSet = [0, 63, 64, 200, 255].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<u8>>(), [0, 63, 64, 200, 255]);
        set.remove(64);
        assert_eq!((set.len(), set.contains(64), set.contains(200)), (4, false, true));
        assert!((set & ByteSet::from_iter([1, 64])).is_empty());
        assert!(set.is_subset(&ByteSet::ALL) && !ByteSet::ALL.is_subset(&set));
    }

    #[test]
    fn preferences() {
        let set: ByteSet = [0, b'!', b'7', b'q', b'z'].into_iter().collect();
        assert_eq!(set.prefer(0), Some(0));
        assert_eq!(set.prefer(1), Some(b'q'));
        assert_eq!(ByteSet::from_iter([200, b'!']).prefer(1), Some(b'!'));
        assert_eq!(ByteSet::EMPTY.prefer(1), None);
    }
}
