//! Exact search over the bytes of a slice, one byte after the other.
//!
//! The literals of a slice become one program, cut into levels: level `d` is what depends on byte `d`
//! and on bytes before it. Whatever the bytes before were, all that later levels see of them are
//! the values of a few *live* slots: the state of a lexer, a sum so far. So the sweep keeps, after
//! each byte, the set of states that the bytes so far can lead to, and goes from set to set, all
//! values of the next byte at once (see [`crate::lanes`]). States that violate a literal are dropped;
//! an empty set means that the slice is unsatisfiable. The rival, backtracking, meets the same
//! state again and again: a keyword in a lexer with 40 character classes takes 40^k steps instead
//! of states times classes times k.
//!
//! Each state remembers the cheapest way to it, in bytes that differ from the hint: a model changes
//! as few bytes as possible. What has too many states (products of numbers with many digits) is
//! given up within a budget of evaluated instructions.

use gimlet_expr::{Dag, ExprId, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::byte_set::{rank, ByteSet};
use crate::lanes::{lane_bits, LaneBits, Lanes};
use crate::literal::Literal;
use crate::support::Supports;
use crate::tape::{self, Instruction, Op, Slot, Tape};

/// A byte to choose. Others keep the hint's value.
#[derive(Clone, Debug)]
pub struct Variable {
    pub byte: u32,
    pub hint: u8,
    pub domain: ByteSet,
}

/// What is to hold, and what can be chosen for that, in this order.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    pub variables: &'a [Variable],
    pub literals: &'a [Literal],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// A value for each variable; as few as possible differ from the hint.
    Sat(Vec<u8>),
    Unsat,
    /// Only values for which a lookup leaves its table may do.
    Outside,
    OutOfBudget,
}

/// Nodes beyond which there is no sweep.
const N_NODES_MAX: usize = 20_000;
/// With a small budget there are fewer: making the program takes time, too.
const BUDGET_PER_NODE: u64 = 25;
/// States after one byte. A scanner has hundreds; a checksum has all that there are after a few bytes, and no more is
/// to be gained by going on.
const N_STATES_MAX: usize = 4096;

/// What a sweep may take.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Evaluated instructions.
    pub budget: u64,
    n_states_max: usize,
}

impl Effort {
    pub fn within(budget: u64) -> Effort {
        Effort { budget, n_states_max: N_STATES_MAX }
    }

    fn n_nodes_max(self) -> usize {
        N_NODES_MAX.min((self.budget / BUDGET_PER_NODE) as usize)
    }

    /// For few combinations of values: all of them may be states.
    pub fn exhaustive(budget: u64) -> Effort {
        Effort { budget, n_states_max: usize::MAX }
    }
}

/// What depends on one byte and earlier ones.
struct Level {
    /// What depends on this byte alone. It is run once, and values of the byte that it doesn't tell
    /// apart are one *class*, of which one value is enough: the character classes of a lexer come out
    /// of its tables that way.
    alone: Tape,
    alone_checks: Vec<Check>,
    /// The slots of `alone` that others see.
    frontier: Vec<Slot>,
    /// The rest. Live slots of the level before come first, as constants to be given; the frontier
    /// comes as given lanes.
    joint: Tape,
    joint_checks: Vec<Check>,
    /// Slots of those constants, each with its position in the state.
    inputs: Vec<(usize, usize)>,
    /// Where the next state comes from.
    outputs: Vec<Output>,
}

/// A slot that is compared, the value, and whether it is wanted.
type Check = (Slot, u128, bool);

#[derive(Clone, Copy)]
enum Output {
    /// A position in the state before.
    Kept(usize),
    /// A number in the frontier.
    Alone(usize),
    /// A slot of the joint tape.
    Joint(Slot),
}

/// The states after a level, side by side.
#[derive(Default)]
struct States {
    /// Live values of one state after the other.
    values: Vec<u128>,
    /// Bytes changed on the cheapest way.
    costs: Vec<u32>,
    /// State before, and value of the byte, on that way.
    origins: Vec<(u32, u8)>,
}

/// Solves a slice; `hint_at` gives the value of other bytes.
pub fn sweep(
    dag: &Dag,
    supports: &mut Supports,
    lanes: &mut Lanes,
    Slice { variables, literals }: Slice,
    hint_at: impl Fn(u32) -> u8,
    effort: Effort,
) -> Found {
    literals.iter().for_each(|literal| {
        supports.of(dag, literal.expr);
    });
    let Some(plan) = Plan::new(dag, supports, variables, literals, None, hint_at, effort.n_nodes_max()) else {
        return Found::OutOfBudget;
    };
    if plan.is_refuted {
        return Found::Unsat;
    }
    let mut sweep = Sweep::new(dag, lanes, variables, effort);
    match sweep.run(&plan.levels) {
        None => Found::OutOfBudget,
        Some(history) => match history.last() {
            Some(last) if !last.costs.is_empty() => Found::Sat(way_to(&history, 0)),
            _ if sweep.is_outside_seen => Found::Outside,
            _ => Found::Unsat,
        },
    }
}

/// The values that an expression can have.
#[derive(Debug)]
pub struct Values {
    /// Values of the variables for each; as few as possible differ from the hint.
    possible: FxHashMap<u128, Vec<u8>>,
    /// Whether there may be others, for which a lookup leaves its table.
    is_outside_seen: bool,
}

impl Values {
    /// What a sweep for one of them would have found.
    pub fn find(&self, value: u128) -> Found {
        match self.possible.get(&value) {
            Some(values) => Found::Sat(values.clone()),
            None if self.is_outside_seen => Found::Outside,
            None => Found::Unsat,
        }
    }
}

/// All values of an expression, which depends on a variable, while the literals hold; `None` if that takes too much.
pub fn values(
    dag: &Dag,
    supports: &mut Supports,
    lanes: &mut Lanes,
    Slice { variables, literals }: Slice,
    expr: ExprId,
    hint_at: impl Fn(u32) -> u8,
    effort: Effort,
) -> Option<Values> {
    literals.iter().map(|literal| literal.expr).chain([expr]).for_each(|expr| {
        supports.of(dag, expr);
    });
    let plan = Plan::new(dag, supports, variables, literals, Some(expr), hint_at, effort.n_nodes_max())?;
    let mut sweep = Sweep::new(dag, lanes, variables, effort);
    let history = sweep.run(&plan.levels)?;
    let last = history.last().filter(|last| last.values.len() == last.costs.len())?;
    let values = last.values.iter().copied().enumerate();
    let possible = match plan.is_refuted {
        true => FxHashMap::default(),
        false => values.map(|(state, value)| (value, way_to(&history, state))).collect(),
    };
    Some(Values { possible, is_outside_seen: sweep.is_outside_seen })
}

/// The values of the variables on the cheapest way to a last state.
fn way_to(history: &[States], mut state: usize) -> Vec<u8> {
    let mut values = vec![0; history.len() - 1];
    for depth in (0..values.len()).rev() {
        let (origin, value) = history[depth + 1].origins[state];
        values[depth] = value;
        state = origin as usize;
    }
    values
}

/// The program of a slice in levels.
struct Plan {
    levels: Vec<Level>,
    /// Whether a literal is false that depends on no variable.
    is_refuted: bool,
}

impl Plan {
    /// What is `wanted` is the last state. `None` if it would be too large, or if a lookup that depends on no variable is
    /// outside.
    fn new(
        dag: &Dag,
        supports: &Supports,
        variables: &[Variable],
        literals: &[Literal],
        wanted: Option<ExprId>,
        hint_at: impl Fn(u32) -> u8,
        n_nodes_max: usize,
    ) -> Option<Plan> {
        let roots: Vec<ExprId> = literals.iter().map(|literal| literal.expr).chain(wanted).collect();
        let order = tape::reachable(dag, supports, &roots, n_nodes_max)?;
        let whole = Whole::new(dag, supports, variables, &order, hint_at)?;
        let constant = |literal: &Literal| whole.constants[whole.slots[&literal.expr] as usize];
        let is_refuted =
            literals.iter().any(|literal| constant(literal).is_some_and(|value| !literal.holds_for(value)));
        let mut last_uses = whole.last_uses();
        if let Some(wanted) = wanted {
            last_uses[whole.slots[&wanted] as usize] = Some(usize::MAX);
        }
        let mut levels: Vec<Level> = Vec::with_capacity(variables.len());
        let mut live: Vec<Slot> = Vec::new();
        for (depth, variable) in variables.iter().enumerate() {
            let (level, next_live) = whole.level(depth, variable.byte, &live, &last_uses, literals);
            levels.push(level);
            live = next_live;
        }
        Some(Plan { levels, is_refuted })
    }
}

/// All slots of a slice, before they are cut into levels.
struct Whole<'a> {
    dag: &'a Dag,
    supports: &'a Supports,
    order: &'a [ExprId],
    slots: FxHashMap<ExprId, Slot>,
    /// The number of the last variable below a slot; `None` if there is none.
    levels: Vec<Option<usize>>,
    /// Values of slots without variables.
    constants: Vec<Option<u128>>,
    /// The slots of each level.
    by_level: Vec<Vec<Slot>>,
}

impl<'a> Whole<'a> {
    fn new(
        dag: &'a Dag,
        supports: &'a Supports,
        variables: &[Variable],
        order: &'a [ExprId],
        hint_at: impl Fn(u32) -> u8,
    ) -> Option<Whole<'a>> {
        let slots: FxHashMap<ExprId, Slot> = order.iter().copied().zip(0..).collect();
        let depths: FxHashMap<u32, usize> = variables.iter().map(|variable| variable.byte).zip(0..).collect();
        let mut levels: Vec<Option<usize>> = Vec::with_capacity(order.len());
        let mut by_level = vec![Vec::new(); variables.len()];
        for (slot, &id) in order.iter().enumerate() {
            let level = match dag.node(id) {
                Node::Byte(index) => depths.get(&index).copied(),
                _ => supports.operands(dag, id).filter_map(|operand| levels[slots[&operand] as usize]).max(),
            };
            levels.push(level);
            if let Some(level) = level {
                by_level[level].push(slot as Slot);
            }
        }
        let mut whole = Whole { dag, supports, order, slots, levels, constants: Vec::new(), by_level };
        whole.constants = whole.evaluate_constants(hint_at)?;
        Some(whole)
    }

    /// The values of slots without variables; `None` if one is outside.
    fn evaluate_constants(&self, hint_at: impl Fn(u32) -> u8) -> Option<Vec<Option<u128>>> {
        let mut tape = Tape::empty(0);
        tape.bytes.clear();
        let mut local: FxHashMap<Slot, Slot> = FxHashMap::default();
        for slot in (0..self.order.len()).filter(|&slot| self.levels[slot].is_none()) {
            let mut instruction = self.instruction(&mut tape, slot as Slot, &local);
            if let Node::Byte(index) = self.dag.node(self.order[slot]) {
                instruction.op = Op::Byte(tape.bytes.len() as u32);
                tape.bytes.push(index);
            }
            local.insert(slot as Slot, tape.push(instruction));
        }
        let scalars = tape.scalars(self.dag, |position| hint_at(tape.bytes[position]));
        if scalars.iter().any(|scalar| scalar.is_outside) {
            return None;
        }
        let value = |slot: Slot| local.get(&slot).map(|&local| scalars[local as usize].value);
        Some((0..self.order.len() as Slot).map(value).collect())
    }

    /// The last level that reads a slot.
    fn last_uses(&self) -> Vec<Option<usize>> {
        let mut last = vec![None; self.order.len()];
        for (slot, &id) in self.order.iter().enumerate() {
            for operand in self.supports.operands(self.dag, id) {
                let used = &mut last[self.slots[&operand] as usize];
                *used = (*used).max(self.levels[slot]);
            }
        }
        last
    }

    fn level(
        &self,
        depth: usize,
        byte: u32,
        live: &[Slot],
        last_uses: &[Option<usize>],
        literals: &[Literal],
    ) -> (Level, Vec<Slot>) {
        let is_live = |slot: &Slot| last_uses[*slot as usize] > Some(depth);
        let positions: FxHashMap<Slot, usize> = live.iter().copied().zip(0..).collect();
        let (alone_slots, joint_slots) = self.divide(depth);
        let mut alone = Tape::empty(byte);
        let mut in_alone: FxHashMap<Slot, Slot> = FxHashMap::default();
        for &slot in &alone_slots {
            self.append(&mut alone, slot, &mut in_alone, |_, _| {});
        }
        let mut frontier: Vec<Slot> = joint_slots.iter().flat_map(|&slot| self.operand_slots(slot)).collect();
        frontier.extend(alone_slots.iter().copied().filter(is_live));
        frontier.retain(|slot| in_alone.contains_key(slot) && self.levels[*slot as usize] == Some(depth));
        frontier.sort_unstable();
        frontier.dedup();
        let mut joint = Tape::empty(byte);
        let mut in_joint: FxHashMap<Slot, Slot> = FxHashMap::default();
        for (number, &slot) in frontier.iter().enumerate() {
            let given = Instruction { op: Op::Given(number as u32), width: self.width(slot), mask: 1 };
            in_joint.insert(slot, joint.push(given));
        }
        let mut inputs = Vec::new();
        for &slot in &joint_slots {
            self.append(&mut joint, slot, &mut in_joint, |at, operand| {
                inputs.extend(positions.get(&operand).map(|&position| (at as usize, position)));
            });
        }
        let checks = |local: &FxHashMap<Slot, Slot>, among: &[Slot]| {
            let of_level = literals.iter().filter_map(|literal| {
                let slot = self.slots[&literal.expr];
                among.binary_search(&slot).is_ok().then(|| (local[&slot], literal.value, literal.is_equal))
            });
            of_level.collect::<Vec<Check>>()
        };
        let next_live: Vec<Slot> = live.iter().chain(&self.by_level[depth]).copied().filter(is_live).collect();
        let outputs = next_live.iter().map(|slot| {
            let kept = positions.get(slot).copied().map(Output::Kept);
            let alone = frontier.binary_search(slot).ok().map(Output::Alone);
            kept.or(alone).unwrap_or_else(|| Output::Joint(in_joint[slot]))
        });
        let level = Level {
            alone_checks: checks(&in_alone, &alone_slots),
            joint_checks: checks(&in_joint, &joint_slots),
            outputs: outputs.collect(),
            frontier: frontier.iter().map(|slot| in_alone[slot]).collect(),
            alone,
            joint,
            inputs,
        };
        (level, next_live)
    }

    /// The slots of a level that depend on its byte alone, and the others.
    fn divide(&self, depth: usize) -> (Vec<Slot>, Vec<Slot>) {
        let mut is_joint: FxHashMap<Slot, bool> = FxHashMap::default();
        for &slot in &self.by_level[depth] {
            let joins = self.operand_slots(slot).any(|operand| match self.levels[operand as usize] {
                Some(level) if level == depth => is_joint[&operand],
                level => level.is_some(),
            });
            is_joint.insert(slot, joins);
        }
        self.by_level[depth].iter().partition(|slot| !is_joint[slot])
    }

    fn operand_slots(&self, slot: Slot) -> impl Iterator<Item = Slot> + '_ {
        self.supports.operands(self.dag, self.order[slot as usize]).map(|operand| self.slots[&operand])
    }

    fn width(&self, slot: Slot) -> u32 {
        self.dag.width(self.order[slot as usize])
    }

    /// Appends a slot to a tape, after operands that are not there yet: constants and, told to
    /// `is_input` with their place, live slots.
    fn append(
        &self,
        tape: &mut Tape,
        slot: Slot,
        local: &mut FxHashMap<Slot, Slot>,
        mut is_input: impl FnMut(Slot, Slot),
    ) {
        for operand in self.operand_slots(slot) {
            if local.contains_key(&operand) {
                continue;
            }
            let constant = self.constants[operand as usize];
            let at = tape.push_input(self.width(operand), constant.unwrap_or(0));
            if constant.is_none() {
                is_input(at, operand);
            }
            local.insert(operand, at);
        }
        let instruction = self.instruction(tape, slot, local);
        local.insert(slot, tape.push(instruction));
    }

    fn instruction(&self, tape: &mut Tape, slot: Slot, local: &FxHashMap<Slot, Slot>) -> Instruction {
        let id = self.order[slot as usize];
        let at = |id: ExprId| local[&self.slots[&id]];
        let op = match self.dag.node(id) {
            Node::Byte(_) => Op::Byte(0),
            Node::Lookup { table, addr, .. } => {
                let cells = tape.add_cells(self.supports.cells(self.dag, id), at);
                Op::Lookup(table, at(addr), cells)
            }
            node => Op::of(&node, at),
        };
        Instruction { op, width: self.dag.width(id), mask: 1 }
    }
}

struct Sweep<'a> {
    dag: &'a Dag,
    lanes: &'a mut Lanes,
    variables: &'a [Variable],
    budget: u64,
    n_states_max: usize,
    is_outside_seen: bool,
}

impl<'a> Sweep<'a> {
    fn new(dag: &'a Dag, lanes: &'a mut Lanes, variables: &'a [Variable], effort: Effort) -> Sweep<'a> {
        let Effort { budget, n_states_max } = effort;
        Sweep { dag, lanes, variables, budget, n_states_max, is_outside_seen: false }
    }

    /// The states before all levels and after each, until there are none; `None` if the budget is used up.
    fn run(&mut self, levels: &[Level]) -> Option<Vec<States>> {
        let start = States { values: Vec::new(), costs: vec![0], origins: vec![(0, 0)] };
        let mut history = vec![start];
        let mut n_live = 0;
        for (depth, level) in levels.iter().enumerate() {
            let next = self.step(level, depth, &history[depth], n_live)?;
            let is_empty = next.costs.is_empty();
            n_live = level.outputs.len();
            history.push(next);
            if is_empty {
                break;
            }
        }
        Some(history)
    }

    /// The states that the next byte leads to; `None` if the budget is used up.
    fn step(&mut self, level: &Level, depth: usize, before: &States, n_live: usize) -> Option<States> {
        let hint = self.variables[depth].hint;
        let (classes, given) = self.classes(level, depth)?;
        let mut scalars = level.joint.inputs();
        let mut next = States::default();
        let mut index: FxHashMap<Box<[u128]>, u32> = FxHashMap::default();
        let mut key: Vec<u128> = Vec::new();
        let cost = level.joint.len() * (8 + classes.len()) / 8 + (1 + level.outputs.len()) * classes.len();
        for state in 0..before.costs.len() {
            if next.costs.len() > self.n_states_max {
                return None;
            }
            self.budget = self.budget.checked_sub(cost as u64)?;
            let values = &before.values[state * n_live..(state + 1) * n_live];
            for &(slot, position) in &level.inputs {
                scalars[slot].value = values[position];
            }
            self.lanes.run(self.dag, &level.joint, 0, &classes, &scalars, &given);
            let alive = self.alive(level, classes.len());
            for (lane, &value) in
                classes.iter().enumerate().filter(|&(lane, _)| alive[lane / 64] >> (lane % 64) & 1 == 1)
            {
                key.clear();
                key.extend(level.outputs.iter().map(|output| match *output {
                    Output::Kept(position) => values[position],
                    Output::Alone(number) => given[number][lane],
                    Output::Joint(slot) => self.lanes.value(slot as usize, lane),
                }));
                let cost = before.costs[state] + u32::from(value != hint);
                next.reach(&mut index, &key, cost, (state as u32, value));
            }
        }
        Some(next)
    }

    /// A value of each class of a byte, in the order of preference, and the frontier's values for
    /// them; `None` if the budget is used up.
    fn classes(&mut self, level: &Level, depth: usize) -> Option<(Vec<u8>, Vec<Vec<u128>>)> {
        let Variable { hint, domain, .. } = self.variables[depth];
        let mut candidates: Vec<u8> = domain.iter().collect();
        candidates.sort_by_key(|&value| (value != hint, rank(value), value));
        let cost = (level.alone.len() + level.frontier.len()) * candidates.len() / 8;
        self.budget = self.budget.checked_sub(cost as u64)?;
        self.lanes.run(self.dag, &level.alone, 0, &candidates, &level.alone.inputs(), &[]);
        let mut alive = lane_bits(candidates.len());
        self.check(&level.alone_checks, &mut alive);
        for &slot in &level.frontier {
            let outside = self.lanes.outside(slot as usize);
            self.drop_outside(&mut alive, &outside);
        }
        let mut seen: FxHashSet<Box<[u128]>> = FxHashSet::default();
        let mut classes = Vec::new();
        let mut given = vec![Vec::new(); level.frontier.len()];
        for (lane, &value) in
            candidates.iter().enumerate().filter(|&(lane, _)| alive[lane / 64] >> (lane % 64) & 1 == 1)
        {
            let values: Box<[u128]> =
                level.frontier.iter().map(|&slot| self.lanes.value(slot as usize, lane)).collect();
            if seen.contains(&values) {
                continue;
            }
            classes.push(value);
            given.iter_mut().zip(&values).for_each(|(lanes, &value)| lanes.push(value));
            seen.insert(values);
        }
        Some((classes, given))
    }

    /// The lanes in which all checks hold and nothing that counts is outside.
    fn alive(&mut self, level: &Level, n_lanes: usize) -> LaneBits {
        let mut alive = lane_bits(n_lanes);
        self.check(&level.joint_checks, &mut alive);
        for output in &level.outputs {
            if let Output::Joint(slot) = *output {
                let outside = self.lanes.outside(slot as usize);
                self.drop_outside(&mut alive, &outside);
            }
        }
        alive
    }

    fn check(&mut self, checks: &[Check], alive: &mut LaneBits) {
        let mut unknown: LaneBits = [0; 4];
        for &(slot, value, is_equal) in checks {
            let (certain, maybe) = self.lanes.compare(slot as usize, value, is_equal);
            for word in 0..4 {
                alive[word] &= certain[word] | maybe[word];
                unknown[word] |= maybe[word];
            }
        }
        // What another check refutes is no loss.
        self.drop_outside(alive, &unknown);
    }

    fn drop_outside(&mut self, alive: &mut LaneBits, outside: &LaneBits) {
        for (alive, outside) in alive.iter_mut().zip(outside) {
            self.is_outside_seen |= *alive & outside != 0;
            *alive &= !outside;
        }
    }
}

impl States {
    /// A way to a state: new, or cheaper than the known one.
    fn reach(&mut self, index: &mut FxHashMap<Box<[u128]>, u32>, key: &[u128], cost: u32, origin: (u32, u8)) {
        if let Some(&known) = index.get(key) {
            if cost < self.costs[known as usize] {
                self.costs[known as usize] = cost;
                self.origins[known as usize] = origin;
            }
            return;
        }
        index.insert(key.into(), self.costs.len() as u32);
        self.values.extend(key);
        self.costs.push(cost);
        self.origins.push(origin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::BinOp;

    fn solve(dag: &Dag, hint: &[u8], literals: &[Literal], budget: u64) -> Found {
        let variable = |(&hint, byte)| Variable { byte, hint, domain: ByteSet::ALL };
        let variables: Vec<Variable> = hint.iter().zip(0..).map(variable).collect();
        let slice = Slice { variables: &variables, literals };
        sweep(dag, &mut Supports::default(), &mut Lanes::default(), slice, |_| 0, Effort::within(budget))
    }

    /// A lexer with four states over three classes of characters, and its state after each byte.
    fn states(dag: &mut Dag, n_bytes: u32) -> Vec<ExprId> {
        let class = |byte: u8| match byte {
            b'a'..=b'z' => 0,
            b'0'..=b'9' => 1,
            _ => 2,
        };
        let classes = dag.intern_table_bytes(0x100, (0..=255).map(class).collect(), vec![]);
        let next = dag.intern_table_bytes(0x800, vec![1, 3, 3, 1, 2, 3, 3, 2, 3, 3, 3, 3], vec![]);
        let mut state = dag.constant(64, 0);
        let mut found = Vec::new();
        for index in 0..n_bytes {
            let byte = dag.byte(index);
            let wide = dag.zext(64, byte);
            let base = dag.constant(64, 0x100);
            let at = dag.binary(BinOp::Add, base, wide);
            let class = dag.lookup(classes, at, 8);
            let class = dag.zext(64, class);
            let three = dag.constant(64, 3);
            let row = dag.binary(BinOp::Mul, state, three);
            let column = dag.binary(BinOp::Add, row, class);
            let base = dag.constant(64, 0x800);
            let at = dag.binary(BinOp::Add, column, base);
            let cell = dag.lookup(next, at, 8);
            found.push(cell);
            state = dag.zext(64, cell);
        }
        found
    }

    fn is(expr: ExprId, value: u128) -> Literal {
        Literal { expr, value, is_equal: true }
    }

    #[test]
    fn a_lexer_of_many_bytes() {
        let mut dag = Dag::new();
        let states = states(&mut dag, 30);
        let hint = [b'a'; 30];
        let last = states[29];
        let Found::Sat(values) = solve(&dag, &hint, &[is(last, 2)], 1_000_000) else {
            panic!("a letter, then a digit");
        };
        assert_eq!(values.iter().zip(hint).filter(|&(&value, ref hint)| value != *hint).count(), 1);
        assert_eq!(values[29], b'0');
        assert_eq!(solve(&dag, &hint, &[is(states[3], 3), is(last, 1)], 1_000_000), Found::Unsat);
        assert_eq!(solve(&dag, &hint, &[is(last, 2)], 1_000), Found::OutOfBudget);
    }

    #[test]
    fn as_few_changes_as_possible() {
        let mut dag = Dag::new();
        let mut sum = dag.constant(16, 0);
        for index in 0..5 {
            let byte = dag.byte(index);
            let byte = dag.zext(16, byte);
            sum = dag.binary(BinOp::Add, sum, byte);
        }
        let changes = |total: u128| match solve(&dag, &[1; 5], &[is(sum, total)], 10_000_000) {
            Found::Sat(values) => {
                assert_eq!(values.iter().map(|&value| u128::from(value)).sum::<u128>(), total);
                values.iter().filter(|&&value| value != 1).count()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!([5, 6, 259, 260, 514, 1275].map(changes), [0, 1, 1, 2, 3, 5]);
        assert_eq!(solve(&dag, &[1; 5], &[is(sum, 1276)], 10_000_000), Found::Unsat);
    }

    #[test]
    fn all_values_at_once() {
        let mut dag = Dag::new();
        let states = states(&mut dag, 4);
        let variable = |byte| Variable { byte, hint: b'a', domain: ByteSet::ALL };
        let variables: Vec<Variable> = (0..4).map(variable).collect();
        let [path, last] = [is(states[1], 1), is(states[3], 0)];
        let mut lanes = Lanes::default();
        let values = |literals: &[Literal], lanes: &mut Lanes, budget| {
            let supports = &mut Supports::default();
            let slice = Slice { variables: &variables, literals };
            super::values(&dag, supports, lanes, slice, last.expr, |_| 0, Effort::within(budget))
        };
        let found = values(&[path], &mut lanes, 1_000_000).unwrap();
        for value in 0..6 {
            let alone = solve(&dag, &[b'a'; 4], &[path, Literal { value, ..last }], 1_000_000);
            match (found.find(value), alone) {
                (Found::Sat(values), Found::Sat(alone)) => {
                    let n_changed = |values: &[u8]| values.iter().filter(|&&value| value != b'a').count();
                    assert_eq!(n_changed(&values), n_changed(&alone));
                    assert!((1..4).contains(&value));
                }
                (found, alone) => assert_eq!(found, alone),
            }
        }
        let never = Literal { value: 9, ..path };
        assert_eq!(values(&[never], &mut lanes, 1_000_000).unwrap().find(1), Found::Unsat);
        assert!(values(&[path], &mut lanes, 100).is_none());
    }

    #[test]
    fn beyond_a_table_is_unknown() {
        let mut dag = Dag::new();
        let table = dag.intern_table_bytes(0x1000, vec![5; 100], vec![]);
        let (a, b) = (dag.byte(0), dag.byte(1));
        let index = dag.binary(BinOp::Xor, a, b);
        let wide = dag.zext(64, index);
        let base = dag.constant(64, 0x1000);
        let at = dag.binary(BinOp::Add, wide, base);
        let cell = dag.lookup(table, at, 8);
        assert_eq!(solve(&dag, &[0, 0], &[is(cell, 6)], 1_000_000), Found::Outside);
        assert!(matches!(solve(&dag, &[200, 0], &[is(cell, 5)], 1_000_000), Found::Sat(_)));
        assert_eq!(solve(&dag, &[0, 0], &[is(cell, 6), is(index, 7)], 1_000_000), Found::Unsat);
    }
}
