//! Which bytes of a path are connected by its literals, kept up to date while the path grows.
//!
//! Every question asks for the part of the path that is connected with some bytes. A walk from byte to literal to byte takes
//! as long as that part is large, and where a program adds up its input, that is most of a path of many thousands of
//! conditions. Here each part has its lists. A new literal joins parts, the smaller to the larger one. A byte that is fixed
//! may leave its part in pieces: the next question about it takes it apart, and as a byte is fixed once, that happens no more
//! often than there are bytes.

/// In `part_of`.
const NOWHERE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub struct Components {
    /// By byte.
    part_of: Vec<u32>,
    /// Those that were joined to others stay, empty.
    parts: Vec<Part>,
}

/// What of a path is connected.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    pub bytes: Vec<u32>,
    /// By index.
    pub literals: Vec<u32>,
    is_sorted: bool,
    /// One of the bytes has been fixed.
    is_stale: bool,
}

impl Components {
    /// Adds a literal about these bytes; they are not fixed, and there is at least one.
    pub fn add(&mut self, literal: u32, bytes: impl Iterator<Item = u32>) {
        let mut joined = None;
        for byte in bytes {
            let at = self.part_with(byte);
            joined = Some(joined.map_or(at, |one| self.join(one, at)));
        }
        let Some(at) = joined else { return };
        let part = &mut self.parts[at];
        part.is_sorted &= part.literals.last().is_none_or(|&last| last < literal);
        part.literals.push(literal);
    }

    /// Notes that a byte has been fixed.
    pub fn fix(&mut self, byte: u32) {
        match self.part_of.get(byte as usize) {
            None | Some(&NOWHERE) => {}
            Some(&at) => self.parts[at as usize].is_stale = true,
        }
    }

    /// What is connected with any of these bytes, in order. A literal still says which bytes it is about and not fixed, none if
    /// it does not count any more.
    pub fn connected(&mut self, roots: &[u32], bytes_of: &mut dyn FnMut(u32) -> Vec<u32>) -> (Vec<u32>, Vec<u32>) {
        let mut found: Vec<usize> = roots.iter().map(|&byte| self.fresh_part_with(byte, bytes_of)).collect();
        found.sort_unstable();
        found.dedup();
        let (mut bytes, mut literals) = (Vec::new(), Vec::new());
        for &at in &found {
            let part = &mut self.parts[at];
            if !std::mem::replace(&mut part.is_sorted, true) {
                part.bytes.sort_unstable();
                part.literals.sort_unstable();
            }
            bytes.extend_from_slice(&part.bytes);
            literals.extend_from_slice(&part.literals);
        }
        if found.len() > 1 {
            bytes.sort_unstable();
            literals.sort_unstable();
        }
        (bytes, literals)
    }

    fn part_with(&mut self, byte: u32) -> usize {
        let index = byte as usize;
        if self.part_of.len() <= index {
            self.part_of.resize(index + 1, NOWHERE);
        }
        if self.part_of[index] == NOWHERE {
            self.part_of[index] = self.parts.len() as u32;
            self.parts.push(Part { bytes: vec![byte], is_sorted: true, ..Part::default() });
        }
        self.part_of[index] as usize
    }

    fn fresh_part_with(&mut self, byte: u32, bytes_of: &mut dyn FnMut(u32) -> Vec<u32>) -> usize {
        let at = self.part_with(byte);
        if !self.parts[at].is_stale {
            return at;
        }
        let part = std::mem::take(&mut self.parts[at]);
        for byte in &part.bytes {
            self.part_of[*byte as usize] = NOWHERE;
        }
        for literal in part.literals {
            self.add(literal, bytes_of(literal).into_iter());
        }
        self.part_with(byte)
    }

    /// Joins two parts; where the larger one is, there are both.
    fn join(&mut self, one: usize, other: usize) -> usize {
        if one == other {
            return one;
        }
        let size = |at: usize| self.parts[at].bytes.len() + self.parts[at].literals.len();
        let (to, from) = if size(one) < size(other) { (other, one) } else { (one, other) };
        let from = std::mem::take(&mut self.parts[from]);
        for &byte in &from.bytes {
            self.part_of[byte as usize] = to as u32;
        }
        let part = &mut self.parts[to];
        part.bytes.extend(from.bytes);
        part.literals.extend(from.literals);
        part.is_sorted = false;
        part.is_stale |= from.is_stale;
        to
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustc_hash::FxHashSet;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Add(Vec<u32>),
        Fix(u32),
        Ask(Vec<u32>),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let bytes = |n: usize| prop::collection::vec(0u32..24, 1..n);
        let step = prop_oneof![4 => bytes(4).prop_map(Step::Add), 1 => (0u32..24).prop_map(Step::Fix), 3 => bytes(3).prop_map(Step::Ask)];
        prop::collection::vec(step, 1..80)
    }

    /// A walk from byte to literal to byte.
    fn walk(literals: &[Vec<u32>], fixed: &FxHashSet<u32>, roots: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let (mut bytes, mut met) = (FxHashSet::default(), FxHashSet::default());
        let mut pending = roots.to_vec();
        while let Some(byte) = pending.pop() {
            if fixed.contains(&byte) || !bytes.insert(byte) {
                continue;
            }
            for (index, literal) in literals.iter().enumerate().filter(|(_, literal)| literal.contains(&byte)) {
                if met.insert(index as u32) {
                    pending.extend(literal);
                }
            }
        }
        let sorted = |set: FxHashSet<u32>| {
            let mut all: Vec<u32> = set.into_iter().collect();
            all.sort_unstable();
            all
        };
        (sorted(bytes), sorted(met))
    }

    proptest! {
        #[test]
        fn parts_are_what_a_walk_finds(steps in steps()) {
            let (mut components, mut literals, mut fixed) = (Components::default(), Vec::new(), FxHashSet::default());
            let is_free = |fixed: &FxHashSet<u32>, byte: &u32| !fixed.contains(byte);
            for step in steps {
                match step {
                    Step::Add(bytes) => {
                        let free = bytes.iter().copied().filter(|byte| is_free(&fixed, byte));
                        components.add(literals.len() as u32, free.collect::<Vec<u32>>().into_iter());
                        literals.push(bytes);
                    }
                    Step::Fix(byte) => {
                        fixed.insert(byte);
                        components.fix(byte);
                    }
                    Step::Ask(mut roots) => {
                        roots.retain(|byte| is_free(&fixed, byte));
                        let mut bytes_of = |index: u32| -> Vec<u32> {
                            literals[index as usize].iter().copied().filter(|byte| is_free(&fixed, byte)).collect()
                        };
                        let found = components.connected(&roots, &mut bytes_of);
                        prop_assert_eq!(found, walk(&literals, &fixed, &roots));
                    }
                }
            }
        }
    }
}
