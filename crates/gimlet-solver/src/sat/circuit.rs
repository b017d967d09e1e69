//! Gates over CaDiCaL's variables.
//!
//! Gates with constant or equal inputs fold, and equal gates are the same variable. Each variable
//! carries its value on the hint: the concrete run satisfies the whole prefix of a path, so the
//! solver that starts from those values has only the flipped condition to repair.

use std::rc::Rc;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use rustsat::solvers::{PhaseLit, Solve};
use rustsat::types::{Cl, Lit, Var};
use rustsat_cadical::CaDiCaL;

/// A variable or its negation, or a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bit(u32);

impl Bit {
    pub const FALSE: Bit = Bit(0);
    pub const TRUE: Bit = Bit(1);

    pub fn constant(value: bool) -> Bit {
        Bit(u32::from(value))
    }

    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == Bit::TRUE)
    }

    fn variable(self) -> u32 {
        self.0 >> 1
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal of a bit that is no constant.
    pub fn lit(self) -> Lit {
        debug_assert!(self.as_constant().is_none());
        Lit::new(self.variable() - 1, self.is_negated())
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// A bit-vector, the lowest bit first.
pub type Bits = Rc<[Bit]>;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Box<[Bit]>),
    Xor(Bit, Bit),
    /// The first selects the second, else the third.
    Mux(Bit, Bit, Bit),
    Majority(Bit, Bit, Bit),
}

pub struct Circuit<'a> {
    pub solver: CaDiCaL<'a, 'a>,
    /// Value on the hint of each variable; the first is the constant.
    values: Vec<bool>,
    gates: FxHashMap<Gate, Bit>,
    /// Quotients and remainders.
    pub(super) divisions: FxHashMap<(Bits, Bits), (Bits, Bits)>,
    pub(super) bytes: FxHashMap<u32, Bits>,
    pub(super) hint: Rc<[u8]>,
    /// Bytes that are constants if they were not met before.
    pub(super) fixed: FxHashSet<u32>,
    /// Beyond these, no more is encoded.
    pub(super) n_variables_max: usize,
    /// Nor after this.
    pub(super) deadline: Option<Instant>,
}

impl Circuit<'_> {
    pub fn new(solver: CaDiCaL<'static, 'static>, hint: &[u8], n_variables_max: usize) -> Circuit<'static> {
        Circuit {
            solver,
            values: vec![false],
            gates: FxHashMap::default(),
            divisions: FxHashMap::default(),
            bytes: FxHashMap::default(),
            hint: hint.into(),
            fixed: FxHashSet::default(),
            n_variables_max,
            deadline: None,
        }
    }

    /// Bytes that have the hint's value from now on.
    pub fn fix(&mut self, bytes: &[u32]) {
        self.fixed.extend(bytes);
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub fn n_variables(&self) -> usize {
        self.values.len()
    }

    pub fn value(&self, bit: Bit) -> bool {
        self.values[bit.variable() as usize] != bit.is_negated()
    }

    /// The value on the hint of a vector of at most 128 bits.
    pub fn value_of(&self, bits: &[Bit]) -> u128 {
        bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(self.value(bit)))
    }

    /// Makes the hint's values the first that the solver tries, or leaves that to the solver.
    pub fn set_phases(&mut self, is_on: bool) {
        for index in 1..self.values.len() {
            let var = Var::new(index as u32 - 1);
            let outcome = match is_on {
                true => self.solver.phase_lit(var.lit(!self.values[index])),
                false => self.solver.unphase_var(var),
            };
            outcome.expect("phases of variables that exist");
        }
    }

    /// A new variable with its value on the hint.
    pub fn fresh(&mut self, value: bool) -> Bit {
        let index = self.values.len() as u32;
        self.values.push(value);
        let bit = Bit(index << 1);
        let preferred = if value { bit } else { !bit };
        self.solver.phase_lit(preferred.lit()).expect("a phase for a new variable");
        bit
    }

    /// Adds a clause; constants fold.
    pub fn clause(&mut self, bits: &[Bit]) {
        if bits.contains(&Bit::TRUE) {
            return;
        }
        let lits: Vec<Lit> = bits.iter().filter(|&&bit| bit != Bit::FALSE).map(|bit| bit.lit()).collect();
        self.solver.add_clause_ref(Cl::new(&lits)).expect("memory for a clause");
    }

    fn gate(&mut self, gate: Gate, value: bool, clauses: impl FnOnce(&mut Self, Bit)) -> Bit {
        if let Some(&known) = self.gates.get(&gate) {
            return known;
        }
        let output = self.fresh(value);
        clauses(self, output);
        self.gates.insert(gate, output);
        output
    }

    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        self.and_all(&[a, b])
    }

    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub fn or_all(&mut self, bits: &[Bit]) -> Bit {
        let negated: Vec<Bit> = bits.iter().map(|&bit| !bit).collect();
        !self.and_all(&negated)
    }

    pub fn and_all(&mut self, bits: &[Bit]) -> Bit {
        let mut inputs: Vec<Bit> = bits.iter().copied().filter(|&bit| bit != Bit::TRUE).collect();
        inputs.sort_unstable();
        inputs.dedup();
        // A bit and its negation are neighbours.
        if inputs.first() == Some(&Bit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Bit::FALSE;
        }
        match *inputs {
            [] => return Bit::TRUE,
            [single] => return single,
            _ => {}
        }
        let value = inputs.iter().all(|&bit| self.value(bit));
        self.gate(Gate::And(inputs.clone().into()), value, |circuit, output| {
            let mut all: Vec<Bit> = inputs.iter().map(|&input| !input).collect();
            inputs.iter().for_each(|&input| circuit.clause(&[!output, input]));
            all.push(output);
            circuit.clause(&all);
        })
    }

    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        match (a.as_constant(), b.as_constant()) {
            (Some(value), _) => return if value { !b } else { b },
            (_, Some(value)) => return if value { !a } else { a },
            _ => {}
        }
        if a.variable() == b.variable() {
            return Bit::constant(a != b);
        }
        let is_negated = a.is_negated() != b.is_negated();
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let value = self.value(a) != self.value(b);
        let output = self.gate(Gate::Xor(a, b), value, |circuit, output| {
            circuit.clause(&[!output, a, b]);
            circuit.clause(&[!output, !a, !b]);
            circuit.clause(&[output, !a, b]);
            circuit.clause(&[output, a, !b]);
        });
        if is_negated {
            !output
        } else {
            output
        }
    }

    pub fn mux(&mut self, select: Bit, then: Bit, other: Bit) -> Bit {
        if let Some(value) = select.as_constant() {
            return if value { then } else { other };
        }
        if then == other {
            return then;
        }
        match (then.as_constant(), other.as_constant()) {
            (Some(true), _) => return self.or(select, other),
            (Some(false), _) => return self.and(!select, other),
            (_, Some(true)) => return self.or(!select, then),
            (_, Some(false)) => return self.and(select, then),
            _ => {}
        }
        if then == !other {
            return self.xor(select, other);
        }
        if select.is_negated() {
            return self.mux(!select, other, then);
        }
        let value = if self.value(select) { self.value(then) } else { self.value(other) };
        self.gate(Gate::Mux(select, then, other), value, |circuit, output| {
            circuit.clause(&[!select, !then, output]);
            circuit.clause(&[!select, then, !output]);
            circuit.clause(&[select, !other, output]);
            circuit.clause(&[select, other, !output]);
            // Implied, but only these propagate while the selector is open.
            circuit.clause(&[!then, !other, output]);
            circuit.clause(&[then, other, !output]);
        })
    }

    pub fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        match a.as_constant() {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        if a == b || a == !b {
            return if a == b { a } else { c };
        }
        if b == c || b == !c {
            return if b == c { b } else { a };
        }
        let n_true = [a, b, c].into_iter().filter(|&bit| self.value(bit)).count();
        self.gate(Gate::Majority(a, b, c), n_true >= 2, |circuit, output| {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                circuit.clause(&[!x, !y, output]);
                circuit.clause(&[x, y, !output]);
            }
        })
    }

    /// Sum and carry of three bits.
    pub fn full_adder(&mut self, a: Bit, b: Bit, c: Bit) -> (Bit, Bit) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.majority(a, b, c))
    }
}
