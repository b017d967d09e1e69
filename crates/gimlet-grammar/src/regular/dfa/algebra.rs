//! Languages made of others, and expressions for them.

use std::collections::BTreeMap;

use regex_automata::MatchKind;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, Repetition};
use rustc_hash::FxHashMap;

use super::{Dfa, DfaError};

/// Parts of an expression, of which there can be many more than states.
const N_PARTS_MAX: usize = 20_000;

impl Dfa {
    /// The texts that a search finds which prefers what comes first and ends repetitions early if it may.
    ///
    /// Lazy repetitions count: `a.*?b` has `ab` and `acb`, but not `abb`.
    pub fn preferred(pattern: &Hir, size_max: usize) -> Result<Dfa, DfaError> {
        Dfa::determinized(pattern, MatchKind::LeftmostFirst, size_max)
    }

    /// The texts of this language that another does not have. `None` if that takes more states than allowed.
    pub fn difference(&self, other: &Dfa, n_states_max: usize) -> Option<Dfa> {
        // `None` is a state of the other that leads nowhere.
        type Pair = (u32, Option<u32>);
        let step = |&(one, another): &Pair, byte: u8| {
            Some((self.step(one, byte)?, another.and_then(|another| other.step(another, byte))))
        };
        let accepts = |&(one, another): &Pair| {
            self.is_accepting(one) && !another.is_some_and(|another| other.is_accepting(another))
        };
        let bytes: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        let start = (Dfa::START, Some(Dfa::START));
        Dfa::explored(start, &bytes, step, accepts, n_states_max).map(|(dfa, _)| dfa.minimized())
    }

    /// Joins states from which the same texts lead to an end.
    pub fn minimized(&self) -> Dfa {
        let mut groups: Vec<u32> = self.accepting.iter().map(|&is| u32::from(is)).collect();
        let mut n_groups = 0;
        loop {
            let mut numbers: FxHashMap<(u32, Vec<Option<u32>>), u32> = FxHashMap::default();
            let mut refined = Vec::with_capacity(groups.len());
            for (state, next) in self.next.iter().enumerate() {
                let leads = next.iter().map(|next| next.map(|next| groups[next as usize])).collect();
                let number = numbers.len() as u32;
                refined.push(*numbers.entry((groups[state], leads)).or_insert(number));
            }
            groups = refined;
            if numbers.len() == n_groups {
                break;
            }
            n_groups = numbers.len();
        }
        let mut next: Vec<Vec<Option<u32>>> = vec![Vec::new(); n_groups];
        let mut accepting = vec![false; n_groups];
        for (state, &group) in groups.iter().enumerate() {
            next[group as usize] = self.next[state].iter().map(|next| next.map(|next| groups[next as usize])).collect();
            accepting[group as usize] = self.accepting[state];
        }
        Dfa { class_of: self.class_of, classes: self.classes.clone(), next, accepting }
    }

    /// Where a state leads, with the bytes that lead there.
    pub fn edges(&self, state: u32) -> BTreeMap<u32, Vec<u8>> {
        let mut edges: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for (bytes, next) in self.classes.iter().zip(&self.next[state as usize]) {
            next.iter().for_each(|&next| edges.entry(next).or_default().extend(bytes));
        }
        edges
    }

    /// An expression for the language. `None` if it becomes too large.
    ///
    /// States are eliminated one by one, first those through which few ways lead.
    pub fn expression(&self) -> Option<Hir> {
        if self.is_empty() {
            return Some(Hir::fail());
        }
        let mut ways = Ways::new(self);
        let mut left: Vec<u32> = (0..self.n_states() as u32).collect();
        while !left.is_empty() {
            let (place, _) = left.iter().enumerate().min_by_key(|&(_, &state)| ways.cost(state))?;
            ways.eliminate(left.swap_remove(place));
            if ways.n_parts() > N_PARTS_MAX {
                return None;
            }
        }
        Some(ways.out.remove(&ways.begin)?.remove(&ways.end)?.hir)
    }
}

/// An expression with its number of parts.
#[derive(Clone)]
struct Way {
    hir: Hir,
    n_parts: usize,
}

/// Expressions that lead from state to state, with a new first and a new last one.
struct Ways {
    begin: u32,
    end: u32,
    out: BTreeMap<u32, BTreeMap<u32, Way>>,
}

impl Ways {
    fn new(dfa: &Dfa) -> Ways {
        let begin = dfa.n_states() as u32;
        let mut ways = Ways { begin, end: begin + 1, out: BTreeMap::new() };
        let nothing = || Way { hir: Hir::empty(), n_parts: 1 };
        ways.add(begin, Dfa::START, nothing());
        for state in 0..begin {
            for (next, bytes) in dfa.edges(state) {
                let ranges = bytes.iter().map(|&byte| ClassBytesRange::new(byte, byte));
                let hir = Hir::class(Class::Bytes(ClassBytes::new(ranges)));
                ways.add(state, next, Way { hir, n_parts: 1 });
            }
            if dfa.accepting[state as usize] {
                ways.add(state, begin + 1, nothing());
            }
        }
        ways
    }

    fn add(&mut self, from: u32, to: u32, way: Way) {
        let ways = self.out.entry(from).or_default();
        let joined = match ways.remove(&to) {
            Some(other) => {
                Way { hir: Hir::alternation(vec![other.hir, way.hir]), n_parts: other.n_parts + way.n_parts + 1 }
            }
            None => way,
        };
        ways.insert(to, joined);
    }

    fn n_parts(&self) -> usize {
        self.out.values().flat_map(|ways| ways.values()).map(|way| way.n_parts).sum()
    }

    /// How many ways would lead past a state.
    fn cost(&self, state: u32) -> usize {
        let n_in = self.out.iter().filter(|(from, ways)| **from != state && ways.contains_key(&state)).count();
        let n_out = self.out.get(&state).map_or(0, |ways| ways.keys().filter(|to| **to != state).count());
        n_in * n_out
    }

    fn eliminate(&mut self, state: u32) {
        let Some(mut out) = self.out.remove(&state) else { return };
        let around = out.remove(&state);
        let around = around.map(|way| Way {
            hir: Hir::repetition(Repetition { min: 0, max: None, greedy: true, sub: Box::new(way.hir) }),
            n_parts: way.n_parts + 1,
        });
        let sources: Vec<u32> =
            self.out.iter().filter(|(_, ways)| ways.contains_key(&state)).map(|(from, _)| *from).collect();
        for from in sources {
            let Some(before) = self.out.get_mut(&from).and_then(|ways| ways.remove(&state)) else { continue };
            for (&to, behind) in &out {
                let way = [Some(&before), around.as_ref(), Some(behind)];
                let hir = Hir::concat(way.iter().flatten().map(|way| way.hir.clone()).collect());
                let n_parts = way.iter().flatten().map(|way| way.n_parts).sum::<usize>() + 1;
                self.add(from, to, Way { hir, n_parts });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hir(pattern: &str) -> Hir {
        regex_syntax::ParserBuilder::new().utf8(false).unicode(false).build().parse(pattern).unwrap()
    }

    /// Languages are the same if their smallest automata count the same texts.
    fn check_same(one: &Dfa, other: &Dfa) {
        assert_eq!(one.counts(12), other.counts(12));
        assert!(one.difference(other, 1000).unwrap().is_empty());
        assert!(other.difference(one, 1000).unwrap().is_empty());
    }

    #[test]
    fn differences() {
        let check = |one: &str, other: &str, expected: &str| {
            let [one, other, expected] = [one, other, expected].map(|it| Dfa::new(&hir(it)).unwrap());
            check_same(&one.difference(&other, 1000).unwrap(), &expected);
        };
        check("[a-c]", "b", "[ac]");
        check("[ab]*", "[ab]*b", "([ab]*a)?");
        check("a*", "", "a+");
        check("[ab]*", "[ab]*aab[ab]*", "(b|ab)*a*");
    }

    #[test]
    fn lazy_repetitions_end_early() {
        let check = |pattern: &str, expected: &str| {
            check_same(&Dfa::preferred(&hir(pattern), 1 << 20).unwrap(), &Dfa::new(&hir(expected)).unwrap());
        };
        check(r"a[a-c]*?b", r"a[ac]*b");
        check(r"/\*[ -~]*?\*/", r"/\*([ -)+-~]|\*+[ -)+-.0-~])*\*+/");
        check(r#""(\\"|[ -~])*?""#, r#""([^"\\\x00-\x1f\x7f-\xff]|\\+[^"\\\x00-\x1f\x7f-\xff]|\\+")*\\*""#);
    }

    #[test]
    fn expressions() {
        for pattern in [
            "",
            "abc",
            "[a&&b]",
            "(a|b)*abb",
            "a(b|cd)*e|f",
            r"/\*([^*]|\*+[^*/])*\*+/",
            "(aa|bb|(ab|ba)(aa|bb)*(ab|ba))*",
        ] {
            let dfa = Dfa::new(&hir(pattern)).unwrap();
            check_same(&Dfa::new(&dfa.expression().unwrap()).unwrap(), &dfa);
        }
    }
}
