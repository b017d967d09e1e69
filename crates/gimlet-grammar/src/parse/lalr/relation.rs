//! Sets that grow along a relation.

use super::rows::Rows;

/// Which members each member is related to.
pub struct Relation {
    /// Where the partners of each member begin.
    starts: Vec<u32>,
    partners: Vec<u32>,
}

impl Relation {
    pub fn new(n_members: usize, pairs: &[(u32, u32)]) -> Relation {
        let mut starts = vec![0u32; n_members + 1];
        pairs.iter().for_each(|&(one, _)| starts[one as usize + 1] += 1);
        for member in 0..n_members {
            starts[member + 1] += starts[member];
        }
        let mut next = starts.clone();
        let mut partners = vec![0; pairs.len()];
        for &(one, other) in pairs {
            let place = &mut next[one as usize];
            partners[*place as usize] = other;
            *place += 1;
        }
        Relation { starts, partners }
    }

    pub fn of(&self, member: u32) -> &[u32] {
        &self.partners[self.starts[member as usize] as usize..self.starts[member as usize + 1] as usize]
    }

    /// Gives every member the sets of all that it leads to.
    ///
    /// Members that lead to each other have the same set in the end: they are found as strongly connected components
    /// (Tarjan), with a stack of its own, as grammars can be long.
    pub fn spread(&self, sets: &mut Rows) {
        let n_members = self.starts.len() - 1;
        let mut walk = Walk { depths: vec![0; n_members], open: Vec::new(), path: Vec::new() };
        for member in 0..n_members as u32 {
            if walk.depths[member as usize] == 0 {
                walk.enter(member);
                self.finish(&mut walk, sets);
            }
        }
    }

    fn finish(&self, walk: &mut Walk, sets: &mut Rows) {
        while let Some((member, next, entered)) = walk.path.last_mut() {
            let (member, entered) = (*member, *entered);
            if let Some(&partner) = self.of(member).get(*next) {
                *next += 1;
                if walk.depths[partner as usize] == 0 {
                    walk.enter(partner);
                } else {
                    walk.take(member, partner, sets);
                }
                continue;
            }
            walk.path.pop();
            if walk.depths[member as usize] == entered {
                walk.close(member, sets);
            }
            if let Some(&(parent, ..)) = walk.path.last() {
                walk.take(parent, member, sets);
            }
        }
    }
}

/// A walk through a relation, depth first.
struct Walk {
    /// The least depth that a member leads back to; 0 before it is entered, the maximum when it is done.
    depths: Vec<u32>,
    /// Members whose component is not complete.
    open: Vec<u32>,
    /// Members with the number of their next partner and the depth at which they were entered.
    path: Vec<(u32, usize, u32)>,
}

const DONE: u32 = u32::MAX;

impl Walk {
    fn enter(&mut self, member: u32) {
        self.open.push(member);
        let depth = self.open.len() as u32;
        self.depths[member as usize] = depth;
        self.path.push((member, 0, depth));
    }

    fn take(&mut self, member: u32, partner: u32, sets: &mut Rows) {
        let depth = self.depths[partner as usize];
        self.depths[member as usize] = self.depths[member as usize].min(depth);
        sets.add(member as usize, partner as usize);
    }

    /// Gives a whole component the set of the member that it was entered by.
    fn close(&mut self, root: u32, sets: &mut Rows) {
        while let Some(member) = self.open.pop() {
            self.depths[member as usize] = DONE;
            if member == root {
                return;
            }
            sets.clear(member as usize);
            sets.add(member as usize, root as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(u32, u32)], expected: &[&[u32]]) {
        let mut sets = Rows::new(expected.len(), expected.len());
        (0..expected.len()).for_each(|member| sets.insert(member, member as u32));
        Relation::new(expected.len(), pairs).spread(&mut sets);
        for (member, expected) in expected.iter().enumerate() {
            assert_eq!(sets.iter(member).collect::<Vec<_>>(), *expected, "{member}");
        }
    }

    #[test]
    fn sets_grow_along_chains_and_cycles() {
        check(&[(0, 1), (1, 2)], &[&[0, 1, 2], &[1, 2], &[2]]);
        check(&[(0, 1), (1, 0), (1, 2)], &[&[0, 1, 2], &[0, 1, 2], &[2]]);
        check(&[(0, 0), (2, 0), (2, 1), (1, 2)], &[&[0], &[0, 1, 2], &[0, 1, 2]]);
        check(&[(0, 1), (1, 2), (2, 3), (3, 1), (2, 0)], &[&[0, 1, 2, 3][..]; 4]);
    }
}
