//! Sets of bytes.

use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir};

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    pub fn of(mut has: impl FnMut(u8) -> bool, max: u8) -> ByteSet {
        let mut set = ByteSet::default();
        (0..=max).filter(|&byte| has(byte)).for_each(|byte| set.insert(byte));
        set
    }

    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Its only byte.
    pub fn single(&self) -> Option<u8> {
        let n_bytes: u32 = self.0.iter().map(|word| word.count_ones()).sum();
        (n_bytes == 1).then(|| (0..=u8::MAX).find(|&byte| self.contains(byte))).flatten()
    }

    pub fn union(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub fn hir(&self) -> Hir {
        let bytes = (0..=u8::MAX).filter(|&byte| self.contains(byte));
        Hir::class(Class::Bytes(ClassBytes::new(bytes.map(|byte| ClassBytesRange::new(byte, byte)))))
    }
}
