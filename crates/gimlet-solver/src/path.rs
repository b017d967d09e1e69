//! The conditions of one path, indexed by input byte.
//!
//! The path holds on its hint. Each condition is taken apart into literals once, when it is pushed:
//!
//! - a literal about one byte narrows that byte's *domain*, exactly; it is never looked at again;
//! - a byte with one value left is *fixed*: other literals treat it as a constant, so they connect
//!   fewer bytes, and may be about one byte now;
//! - the rest are filed under each byte they mention.
//!
//! What is connected with a byte is kept up to date: [`crate::components`].

use std::rc::Rc;

use gimlet_expr::{Dag, Evaluator, ExprId, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::byte_set::ByteSet;
use crate::components::Components;
use crate::fingerprint::{mix, Fingerprint, Fingerprints};
use crate::lanes::{LaneBits, Lanes};
use crate::literal::{conjuncts, Literal};
use crate::question::Question;
use crate::support::{ByteBits, Supports};
use crate::sweep::{sweep, values, Effort, Found, Slice, Values, Variable};
use crate::tape::{Scalar, Tape};

/// Literals about more bytes than this are not filed under each of them but in one list.
const N_FILED_BYTES_MAX: usize = 256;

/// Sweeps for values of one expression that are remembered.
const N_SWEEPINGS_MAX: usize = 16;

/// What a sweep for a value of an expression looks at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Sweeping {
    expr: ExprId,
    domains: Vec<(u32, ByteSet)>,
    literals: Vec<Literal>,
}

/// A tape with its values on the hint.
#[derive(Debug)]
pub struct Compiled {
    pub tape: Tape,
    pub on_hint: Vec<Scalar>,
}

/// A literal that the path implies.
#[derive(Debug)]
pub struct PathLiteral {
    pub literal: Literal,
    /// The bytes that were not fixed when it was pushed; empty for wide literals, whose lists would
    /// take quadratic memory.
    bytes: Rc<[u32]>,
    is_wide: bool,
    /// Whether the domains say it all.
    is_decided: bool,
}

/// What is known of an input byte.
#[derive(Debug)]
pub struct ByteState {
    pub domain: ByteSet,
    /// Literals that the domain implies, by index.
    pub decided: Vec<u32>,
    /// Literals about this byte and others, by index.
    literals: Vec<u32>,
    /// Conditions that mention the byte, by index.
    conditions: Vec<u32>,
}

impl Default for ByteState {
    fn default() -> ByteState {
        ByteState { domain: ByteSet::ALL, decided: Vec::new(), literals: Vec::new(), conditions: Vec::new() }
    }
}

/// The part of the path that matters for some bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathSlice {
    /// Bytes that can change, ascending.
    pub bytes: Vec<u32>,
    /// Literals that connect them, by ascending index.
    pub literals: Vec<u32>,
}

/// The values of one byte for which a literal holds, and for which it may, depending on memory
/// outside a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Holding {
    pub certain: ByteSet,
    pub possible: ByteSet,
}

/// For which values of a byte literals hold, by literal and the values of their other bytes. Paths share most of their
/// conditions, so it outlives them. There are far fewer answers than questions, so they are numbered. If there are too
/// many of either, all are forgotten.
#[derive(Debug, Default)]
pub struct Holdings {
    /// Numbers of answers, by the halves of a fingerprint: as one number it would take more room.
    known: FxHashMap<[u64; 2], u32>,
    answers: Vec<Option<Holding>>,
    numbers: FxHashMap<Option<Holding>, u32>,
}

/// Questions and answers that are kept: as many as fill tables of half a million cells, and an eighth of that.
const N_HOLDINGS_MAX: usize = 450_000;
const N_ANSWERS_MAX: usize = 56_000;

impl Holdings {
    fn get(&self, key: Fingerprint) -> Option<Option<Holding>> {
        self.known.get(&halves(key)).map(|&number| self.answers[number as usize])
    }

    fn insert(&mut self, key: Fingerprint, answer: Option<Holding>) {
        if self.known.len() >= N_HOLDINGS_MAX || self.answers.len() >= N_ANSWERS_MAX {
            self.known.clear();
            self.answers.clear();
            self.numbers.clear();
        }
        let answers = &mut self.answers;
        let number = *self.numbers.entry(answer).or_insert_with(|| {
            answers.push(answer);
            answers.len() as u32 - 1
        });
        self.known.insert(halves(key), number);
    }
}

fn halves(key: Fingerprint) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

#[derive(Debug)]
pub struct Path {
    hint: Vec<u8>,
    evaluator: Evaluator,
    supports: Supports,
    fingerprints: Fingerprints,
    pub conditions: Vec<ExprId>,
    /// Conditions about many bytes, by index.
    wide_conditions: Vec<u32>,
    /// Conditions that are false on the hint: every question includes them.
    pub violated: Vec<ExprId>,
    literals: Vec<PathLiteral>,
    wide_literals: Vec<u32>,
    bytes: FxHashMap<u32, ByteState>,
    /// Those with one value left.
    fixed: ByteBits,
    compiled: FxHashMap<ExprId, Option<Rc<Compiled>>>,
    uppermost_lookups: FxHashMap<ExprId, Rc<[ExprId]>>,
    truths: Truths,
    lanes: Lanes,
    /// What the lanes hold, if it is an expression over values of one byte: all cases of a switch look at the same one.
    run: Option<(ExprId, u32, ByteSet)>,
    /// Sweeps lately: nothing for one that was made once, or what came of looking for all values.
    sweepings: FxHashMap<Sweeping, Option<Option<Values>>>,
    holdings: Holdings,
    components: Components,
}

impl Path {
    pub fn new(hint: &[u8], holdings: Holdings) -> Path {
        Path {
            hint: hint.to_vec(),
            evaluator: Evaluator::new(hint),
            supports: Supports::default(),
            fingerprints: Fingerprints::default(),
            conditions: Vec::new(),
            wide_conditions: Vec::new(),
            violated: Vec::new(),
            literals: Vec::new(),
            wide_literals: Vec::new(),
            bytes: FxHashMap::default(),
            fixed: ByteBits::default(),
            compiled: FxHashMap::default(),
            uppermost_lookups: FxHashMap::default(),
            truths: Truths::default(),
            lanes: Lanes::default(),
            run: None,
            sweepings: FxHashMap::default(),
            holdings,
            components: Components::default(),
        }
    }

    /// What is worth keeping for other paths.
    pub fn take_holdings(&mut self) -> Holdings {
        std::mem::take(&mut self.holdings)
    }

    pub fn hint(&self) -> &[u8] {
        &self.hint
    }

    /// The hint's value of a byte; zero beyond its end.
    pub fn hint_at(&self, byte: u32) -> u8 {
        self.hint.get(byte as usize).copied().unwrap_or(0)
    }

    pub fn holds_on_hint(&mut self, dag: &Dag, condition: ExprId) -> bool {
        self.evaluator.holds(dag, condition)
    }

    pub fn value_on_hint(&mut self, dag: &Dag, expr: ExprId) -> u128 {
        self.evaluator.eval(dag, expr)
    }

    pub fn literal(&self, index: u32) -> &PathLiteral {
        &self.literals[index as usize]
    }

    pub fn fingerprint(&mut self, dag: &Dag, literal: &Literal) -> Fingerprint {
        literal.fingerprint(self.fingerprints.of(dag, literal.expr))
    }

    pub fn domain(&self, byte: u32) -> ByteSet {
        self.bytes.get(&byte).map_or(ByteSet::ALL, |state| state.domain)
    }

    pub fn decided(&self, byte: u32) -> &[u32] {
        self.bytes.get(&byte).map_or(&[], |state| &state.decided)
    }

    pub fn is_fixed(&self, byte: u32) -> bool {
        self.fixed.contains(byte)
    }

    /// The bytes of an expression that are not fixed, ascending.
    pub fn free_bytes(&mut self, dag: &Dag, expr: ExprId) -> Vec<u32> {
        self.fixed.outside(self.supports.of(dag, expr)).collect()
    }

    /// Whether an expression depends on a byte.
    pub fn mentions(&mut self, dag: &Dag, expr: ExprId, byte: u32) -> bool {
        self.supports.of(dag, expr).contains(byte)
    }

    /// The domains of fixed bytes.
    pub fn fixed_domains<'a>(&'a self, fixed: &'a [u32]) -> impl Iterator<Item = (u32, ByteSet)> + 'a {
        fixed.iter().map(|&byte| (byte, self.domain(byte)))
    }

    /// The fixed bytes that literals mention, ascending.
    pub fn fixed_bytes(&mut self, dag: &Dag, literals: &[Literal]) -> Vec<u32> {
        let mut mentioned = ByteBits::default();
        for literal in literals {
            mentioned.insert_all(self.supports.of(dag, literal.expr));
        }
        mentioned.common(&self.fixed).collect()
    }

    /// The bytes that conditions of the path mention.
    pub fn bytes_met(&self) -> impl Iterator<Item = u32> + '_ {
        self.bytes.keys().copied()
    }

    /// The question with all that the path says about its slice, in literals: the values of fixed
    /// bytes, those that connect bytes, those that made the domains, and last those of the question.
    pub fn sliced_literals(&mut self, dag: &Dag, question: &Question, slice: &PathSlice) -> Vec<Literal> {
        let decided = slice.bytes.iter().flat_map(|&byte| self.decided(byte).iter().copied());
        let mut of_path: Vec<u32> = decided.chain(slice.literals.iter().copied()).collect();
        of_path.sort_unstable();
        let of_path = of_path.into_iter().map(|index| self.literals[index as usize].literal);
        let asked: Vec<Literal> = of_path.chain(question.literals.iter().copied()).collect();
        let fixed = self.fixed_bytes(dag, &asked).into_iter().map(|byte| {
            let expr = self.supports.byte_expr(byte).expect("a byte that is mentioned was met");
            Literal { expr, value: u128::from(self.hint_at(byte)), is_equal: true }
        });
        fixed.collect::<Vec<Literal>>().into_iter().chain(asked).collect()
    }

    /// Leaves a byte no value but the hint's.
    pub fn fix(&mut self, byte: u32) {
        debug_assert!(self.literals.is_empty(), "bytes are fixed before conditions come");
        let value = self.hint_at(byte);
        self.bytes.entry(byte).or_default().domain = [value].into_iter().collect();
        self.fixed.insert(byte);
    }

    /// Adds the next condition.
    pub fn push(&mut self, dag: &Dag, condition: ExprId) {
        if !self.holds_on_hint(dag, condition) {
            self.violated.push(condition);
            return;
        }
        let condition_idx = self.conditions.len() as u32;
        self.conditions.push(condition);
        let support = self.supports.of(dag, condition);
        if support.len() > N_FILED_BYTES_MAX {
            self.wide_conditions.push(condition_idx);
        } else {
            for byte in support.iter() {
                self.bytes.entry(byte).or_default().conditions.push(condition_idx);
            }
        }
        let literals = conjuncts(dag, condition).expect("a condition that holds has a true conjunction");
        for literal in literals {
            self.push_literal(dag, literal);
        }
    }

    fn push_literal(&mut self, dag: &Dag, literal: Literal) {
        if !self.truths.insert(dag, &literal) {
            return;
        }
        let support = self.supports.of(dag, literal.expr);
        let is_wide = self.fixed.n_outside(support) > N_FILED_BYTES_MAX;
        let bytes: Rc<[u32]> = if is_wide { Rc::new([]) } else { self.fixed.outside(support).collect() };
        let index = self.literals.len() as u32;
        let is_decided = bytes.is_empty() && !is_wide;
        self.literals.push(PathLiteral { literal, bytes: Rc::clone(&bytes), is_wide, is_decided });
        match *bytes {
            [] if is_wide => {
                self.wide_literals.push(index);
                self.components.add(index, self.fixed.outside(self.supports.of(dag, literal.expr)));
            }
            [] => {}
            [byte] => self.narrow(dag, index, byte),
            _ => {
                for &byte in bytes.iter() {
                    self.bytes.entry(byte).or_default().literals.push(index);
                }
                self.components.add(index, bytes.iter().copied());
            }
        }
    }

    /// Takes a literal about one free byte into account, and what follows from a byte that is fixed
    /// by it.
    fn narrow(&mut self, dag: &Dag, index: u32, byte: u32) {
        let mut pending = vec![(index, byte)];
        while let Some((index, byte)) = pending.pop() {
            if self.literals[index as usize].is_decided {
                continue;
            }
            let literal = self.literals[index as usize].literal;
            let holding = self.known_holding(dag, &literal, byte, &ByteSet::ALL);
            let state = self.bytes.entry(byte).or_default();
            let was_fixed = state.domain.len() == 1;
            let is_exact = match holding {
                None => false,
                Some(holding) => {
                    state.domain = state.domain & holding.possible;
                    state.domain.is_subset(&holding.certain)
                }
            };
            if is_exact {
                state.decided.push(index);
                self.literals[index as usize].is_decided = true;
            } else if !state.literals.contains(&index) {
                state.literals.push(index);
                self.components.add(index, std::iter::once(byte));
            }
            let state = &self.bytes[&byte];
            if !was_fixed && state.domain.len() == 1 {
                self.fixed.insert(byte);
                self.components.fix(byte);
                let neighbours = state.literals.clone();
                for neighbour in neighbours {
                    if let Some(single) = self.single_free_byte(neighbour) {
                        pending.push((neighbour, single));
                    }
                }
            }
        }
    }

    /// The byte of a literal that is not fixed, if there is just one.
    fn single_free_byte(&mut self, index: u32) -> Option<u32> {
        let bytes = Rc::clone(&self.literals[index as usize].bytes);
        let mut free = bytes.iter().copied().filter(|&byte| !self.is_fixed(byte));
        match (free.next(), free.next()) {
            (None, _) => {
                self.literals[index as usize].is_decided = true;
                None
            }
            (single, None) => single,
            _ => None,
        }
    }

    /// [`Path::holding`], which earlier paths may have asked for.
    pub fn known_holding(&mut self, dag: &Dag, literal: &Literal, byte: u32, among: &ByteSet) -> Option<Holding> {
        let mut key = mix(self.fingerprint(dag, literal), u128::from(byte));
        if *among != ByteSet::ALL {
            let [first, second, third, fourth] = among.words().map(u128::from);
            key = mix(mix(key, first << 64 | second), third << 64 | fourth);
        }
        for run in self.supports.of(dag, literal.expr).runs() {
            // Where the byte itself is, there is a zero.
            let mut others = run.clone().map(|other| match self.hint.get(other as usize) {
                Some(&value) if other != byte => value,
                _ => 0,
            });
            while let Some(first) = others.next() {
                let word: [u8; 16] = std::array::from_fn(|at| if at == 0 { first } else { others.next().unwrap_or(0) });
                key = mix(key, u128::from_le_bytes(word));
            }
        }
        if let Some(known) = self.holdings.get(key) {
            return known;
        }
        let holding = self.holding(dag, literal, byte, among);
        self.holdings.insert(key, holding);
        holding
    }

    /// Those of the given values of `byte` for which the literal holds while the other bytes keep the
    /// hint's. `None` if the literal is too large to say.
    pub fn holding(&mut self, dag: &Dag, literal: &Literal, byte: u32, among: &ByteSet) -> Option<Holding> {
        let values: Vec<u8> = among.iter().collect();
        let compiled = self.compiled(dag, literal.expr)?;
        let position = compiled.tape.position(byte)?;
        let run = Some((literal.expr, byte, *among));
        if self.run != run {
            self.lanes.run(dag, &compiled.tape, position, &values, &compiled.on_hint, &[]);
            self.run = run;
        }
        let (certain, maybe) = self.lanes.compare(compiled.tape.len() - 1, literal.value, literal.is_equal);
        let either: LaneBits = std::array::from_fn(|word| certain[word] | maybe[word]);
        Some(Holding { certain: select(&values, &certain), possible: select(&values, &either) })
    }

    /// The tape of an expression; `None` if it is too large for one.
    pub fn compiled(&mut self, dag: &Dag, expr: ExprId) -> Option<Rc<Compiled>> {
        if let Some(known) = self.compiled.get(&expr) {
            return known.clone();
        }
        let hint = &self.hint;
        let compiled = Tape::compile(dag, &mut self.supports, expr).map(|tape| {
            let byte_at = |position: usize| hint.get(tape.bytes[position] as usize).copied().unwrap_or(0);
            let on_hint = tape.scalars(dag, byte_at);
            Rc::new(Compiled { on_hint, tape })
        });
        self.compiled.insert(expr, compiled.clone());
        compiled
    }

    /// Everything below the roots.
    pub fn reachable(&mut self, dag: &Dag, roots: &[ExprId]) -> FxHashSet<ExprId> {
        let mut met: FxHashSet<ExprId> = FxHashSet::default();
        let mut pending = roots.to_vec();
        while let Some(id) = pending.pop() {
            if met.insert(id) {
                self.supports.of(dag, id);
                pending.extend(self.supports.operands(dag, id));
            }
        }
        met
    }

    /// The lookups below an expression that are not below another.
    pub fn uppermost_lookups(&mut self, dag: &Dag, expr: ExprId) -> Rc<[ExprId]> {
        if let Some(known) = self.uppermost_lookups.get(&expr) {
            return Rc::clone(known);
        }
        let mut met: FxHashSet<ExprId> = FxHashSet::default();
        let mut found = Vec::new();
        let mut pending = vec![expr];
        while let Some(id) = pending.pop() {
            match dag.node(id) {
                _ if !met.insert(id) => {}
                Node::Lookup { .. } => found.push(id),
                node => pending.extend(node.operands()),
            }
        }
        let found: Rc<[ExprId]> = found.into();
        self.uppermost_lookups.insert(expr, Rc::clone(&found));
        found
    }

    /// Literals about a byte and others, by index.
    pub fn adjacent(&mut self, dag: &Dag, byte: u32) -> Vec<u32> {
        let filed = self.bytes.get(&byte).map_or(&[][..], |state| &state.literals);
        let mut found: Vec<u32> = filed.to_vec();
        for &index in &self.wide_literals {
            if self.supports.of(dag, self.literals[index as usize].literal.expr).contains(byte) {
                found.push(index);
            }
        }
        found.retain(|&index| !self.literals[index as usize].is_decided);
        found
    }

    /// The conditions that mention any of the bytes.
    pub fn conditions_about(&mut self, dag: &Dag, bytes: impl Iterator<Item = u32>) -> Vec<ExprId> {
        let mut found: Vec<u32> = Vec::new();
        for byte in bytes {
            if let Some(state) = self.bytes.get(&byte) {
                found.extend(&state.conditions);
            }
            for &index in &self.wide_conditions {
                if self.supports.of(dag, self.conditions[index as usize]).contains(byte) {
                    found.push(index);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|index| self.conditions[index as usize]).collect()
    }

    /// [`sweep()`] with the hint of this path, for one value of an expression after another while all else is the same: the
    /// second time all values are looked for at once.
    pub fn sweep_for(
        &mut self,
        dag: &Dag,
        variables: &[Variable],
        wanted: Literal,
        literals: &[Literal],
        effort: Effort,
    ) -> Found {
        let domains = variables.iter().map(|variable| (variable.byte, variable.domain)).collect();
        let key = Sweeping { expr: wanted.expr, domains, literals: literals.to_vec() };
        match self.sweepings.remove(&key) {
            None => {
                if self.sweepings.len() >= N_SWEEPINGS_MAX {
                    self.sweepings.clear();
                }
                self.sweepings.insert(key, None);
            }
            Some(known) => {
                let values = known.unwrap_or_else(|| {
                    self.run = None;
                    let hint = &self.hint;
                    let hint_at = |byte: u32| hint.get(byte as usize).copied().unwrap_or(0);
                    let slice = Slice { variables, literals };
                    values(dag, &mut self.supports, &mut self.lanes, slice, wanted.expr, hint_at, effort)
                });
                let found = values.as_ref().map(|values| values.find(wanted.value));
                self.sweepings.insert(key, Some(values));
                if let Some(found) = found {
                    return found;
                }
            }
        }
        let literals: Vec<Literal> = [wanted].into_iter().chain(literals.iter().copied()).collect();
        self.sweep(dag, variables, &literals, effort)
    }

    /// [`sweep()`] with the hint of this path.
    pub fn sweep(&mut self, dag: &Dag, variables: &[Variable], literals: &[Literal], effort: Effort) -> Found {
        self.run = None;
        let hint = &self.hint;
        let hint_at = |byte: u32| hint.get(byte as usize).copied().unwrap_or(0);
        sweep(dag, &mut self.supports, &mut self.lanes, Slice { variables, literals }, hint_at, effort)
    }

    /// Everything connected with the given bytes. Those that are fixed are connected with nothing.
    pub fn slice(&mut self, dag: &Dag, roots: &[u32]) -> PathSlice {
        let roots: Vec<u32> = roots.iter().copied().filter(|&byte| !self.is_fixed(byte)).collect();
        let (all, fixed, supports) = (&self.literals, &self.fixed, &mut self.supports);
        let mut free_bytes = |index: u32| -> Vec<u32> {
            let literal = &all[index as usize];
            match literal.is_wide {
                _ if literal.is_decided => Vec::new(),
                true => fixed.outside(supports.of(dag, literal.literal.expr)).collect(),
                false => literal.bytes.iter().copied().filter(|&byte| !fixed.contains(byte)).collect(),
            }
        };
        let (bytes, literals) = self.components.connected(&roots, &mut free_bytes);
        PathSlice { bytes, literals }
    }

    /// The part of a slice about some of its bytes alone.
    pub fn within(&mut self, dag: &Dag, slice: &PathSlice, is_meant: impl Fn(u32) -> bool) -> PathSlice {
        let bytes = slice.bytes.iter().copied().filter(|&byte| is_meant(byte)).collect();
        let mut literals = slice.literals.clone();
        literals.retain(|&index| {
            let literal = &self.literals[index as usize];
            match literal.is_wide {
                true => self.free_bytes(dag, literal.literal.expr).into_iter().all(&is_meant),
                false => literal.bytes.iter().all(|&byte| is_meant(byte) || self.is_fixed(byte)),
            }
        });
        PathSlice { bytes, literals }
    }

    /// Whether the path says the literal's opposite in so many words.
    pub fn contradicts(&self, dag: &Dag, literal: &Literal) -> bool {
        self.truths.contradicts(dag, literal)
    }
}

fn select(values: &[u8], lanes: &LaneBits) -> ByteSet {
    let chosen = values.iter().enumerate().filter(|&(lane, _)| lanes[lane / 64] >> (lane % 64) & 1 == 1);
    chosen.map(|(_, &value)| value).collect()
}

/// Literals that hold, by what they say rather than how.
#[derive(Debug, Default)]
struct Truths {
    /// `true`: equal; `false`: not.
    literals: FxHashMap<Fact, bool>,
    values: FxHashMap<ExprId, u128>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Fact {
    Is(ExprId, u128),
    Less(ExprId, ExprId),
    SignedLess(ExprId, ExprId),
    Same(ExprId, ExprId),
}

impl Fact {
    /// The fact that a literal states, and whether it is so.
    fn of(dag: &Dag, literal: &Literal) -> (Fact, bool) {
        use gimlet_expr::{BinOp, Node};
        let is_true = literal.is_equal;
        match dag.node(literal.expr) {
            Node::Binary { op, lhs, rhs } if literal.value == 1 => match op {
                BinOp::Eq => (Fact::Same(lhs.min(rhs), lhs.max(rhs)), is_true),
                BinOp::Ne => (Fact::Same(lhs.min(rhs), lhs.max(rhs)), !is_true),
                BinOp::Ult => (Fact::Less(lhs, rhs), is_true),
                BinOp::Ule => (Fact::Less(rhs, lhs), !is_true),
                BinOp::Slt => (Fact::SignedLess(lhs, rhs), is_true),
                BinOp::Sle => (Fact::SignedLess(rhs, lhs), !is_true),
                _ => (Fact::Is(literal.expr, literal.value), is_true),
            },
            _ => (Fact::Is(literal.expr, literal.value), is_true),
        }
    }
}

impl Truths {
    /// Whether the literal is new.
    fn insert(&mut self, dag: &Dag, literal: &Literal) -> bool {
        let (fact, is_true) = Fact::of(dag, literal);
        if let (Fact::Is(expr, value), true) = (fact, is_true) {
            self.values.insert(expr, value);
        }
        self.literals.insert(fact, is_true) != Some(is_true)
    }

    fn contradicts(&self, dag: &Dag, literal: &Literal) -> bool {
        let (fact, is_true) = Fact::of(dag, literal);
        if let Some(&known) = self.literals.get(&fact) {
            return known != is_true;
        }
        match fact {
            Fact::Is(expr, value) => is_true && self.values.get(&expr).is_some_and(|&known| known != value),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding(value: u8) -> Option<Holding> {
        let certain: ByteSet = [value].into_iter().collect();
        Some(Holding { certain, possible: ByteSet::ALL })
    }

    #[test]
    fn holdings_share_answers_and_have_a_limit() {
        let mut holdings = Holdings::default();
        let answers = [holding(1), None, holding(2)];
        for key in 0..N_HOLDINGS_MAX as u128 {
            holdings.insert(key << 64 | 5, answers[key as usize % 3]);
        }
        assert_eq!(holdings.answers.len(), 3);
        for key in [0, 1, 2, N_HOLDINGS_MAX as u128 - 1] {
            assert_eq!(holdings.get(key << 64 | 5), Some(answers[key as usize % 3]));
        }
        assert_eq!(holdings.get(5 << 64 | 6), None);
        holdings.insert(7, None);
        assert_eq!((holdings.known.len(), holdings.answers.len()), (1, 1));
        assert_eq!((holdings.get(7), holdings.get(5)), (Some(None), None));
    }
}
