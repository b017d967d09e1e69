//! Hash index over items that live in a vector elsewhere.
//!
//! Open addressing with linear probing over 32-bit slots. A `HashMap<Node, ExprId>` would keep a
//! second copy of every node; this keeps eight to sixteen bytes an item and asks the owner to compare.

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU32;

use rustc_hash::FxBuildHasher;

/// Maps hashes to positions in the owner's vector.
///
/// Invariant: the number of slots is zero or a power of two, and at least half are vacant, so
/// that probing ends.
#[derive(Debug, Default)]
pub(crate) struct HashIndex {
    /// Position plus one.
    slots: Vec<Option<NonZeroU32>>,
    n_entries: usize,
}

/// The hash under which an item is filed. Nodes differ in few bits (ids and constants that count
/// up), which the Fx hash leaves in regular patterns; linear probing needs them scattered.
pub(crate) fn hash_of(item: &impl Hash) -> u64 {
    let hash = FxBuildHasher.hash_one(item);
    let scattered = (hash ^ (hash >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    scattered ^ (scattered >> 32)
}

impl HashIndex {
    /// The position filed under `hash` for which `is_match` holds.
    pub fn find(&self, hash: u64, is_match: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut slot_idx = hash as usize & mask;
        while let Some(entry) = self.slots[slot_idx] {
            let position = entry.get() - 1;
            if is_match(position) {
                return Some(position);
            }
            slot_idx = (slot_idx + 1) & mask;
        }
        None
    }

    /// Files `position`, which must not be there yet. `rehash` gives the hash of an older position.
    pub fn insert(&mut self, hash: u64, position: u32, rehash: impl Fn(u32) -> u64) {
        if (self.n_entries + 1) * 2 > self.slots.len() {
            self.grow(rehash);
        }
        self.place(hash, position);
        self.n_entries += 1;
    }

    fn grow(&mut self, rehash: impl Fn(u32) -> u64) {
        let n_slots = (self.slots.len() * 2).max(64);
        let old_slots = std::mem::replace(&mut self.slots, vec![None; n_slots]);
        for entry in old_slots.into_iter().flatten() {
            let position = entry.get() - 1;
            self.place(rehash(position), position);
        }
    }

    fn place(&mut self, hash: u64, position: u32) {
        let mask = self.slots.len() - 1;
        let mut slot_idx = hash as usize & mask;
        while self.slots[slot_idx].is_some() {
            slot_idx = (slot_idx + 1) & mask;
        }
        self.slots[slot_idx] = NonZeroU32::new(position + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_filed_across_growth() {
        let items: Vec<String> = (0..1000).map(|i| format!("item {i}")).collect();
        let mut index = HashIndex::default();
        for (position, item) in items.iter().enumerate() {
            assert_eq!(index.find(hash_of(item), |p| &items[p as usize] == item), None);
            index.insert(hash_of(item), position as u32, |p| hash_of(&items[p as usize]));
        }
        for (position, item) in items.iter().enumerate() {
            let found = index.find(hash_of(item), |p| &items[p as usize] == item);
            assert_eq!(found, Some(position as u32));
        }
    }
}
