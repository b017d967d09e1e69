//! Exact search over the bytes of a small slice.
//!
//! Backtracking with forward checking: a literal with one byte left to choose is evaluated on all
//! candidates of that byte at once (see [`crate::lanes`]), and the candidates that fail are crossed
//! out. The byte with the fewest candidates is next; its value on the hint is tried first.
//!
//! Candidates are *classes*: values of a byte that no literal of the slice can tell apart, because
//! every subexpression over that byte alone has the same value for them, are represented by one.
//! The character classes of a lexer, 20 instead of 256, come out of its tables that way, and k bytes
//! take 20^k steps. What is not decided within a budget of evaluated instructions is left to others.

use std::rc::Rc;

use gimlet_expr::Dag;
use rustc_hash::FxHashMap;

use crate::byte_set::{rank, ByteSet};
use crate::lanes::{LaneBits, Lanes};
use crate::literal::Literal;
use crate::path::Compiled;

/// A byte to choose.
#[derive(Clone, Debug)]
pub struct Variable {
    pub byte: u32,
    pub hint: u8,
    pub domain: ByteSet,
}

/// A literal with its tape.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub literal: Literal,
    pub compiled: Rc<Compiled>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// A value for each variable.
    Sat(Vec<u8>),
    Unsat,
    /// Only values for which a lookup leaves its table may do.
    Outside,
    OutOfBudget,
}

/// A constraint and where its bytes come from.
struct Bound {
    constraint: Constraint,
    /// For each position of the tape the variable; `None` if the byte keeps the hint's value.
    variables: Vec<Option<usize>>,
}

pub struct Search<'a> {
    dag: &'a Dag,
    lanes: &'a mut Lanes,
    variables: Vec<Variable>,
    assigned: Vec<Option<u8>>,
    constraints: Vec<Bound>,
    /// The constraints that mention a variable.
    users: Vec<Vec<usize>>,
    /// Instructions that may still be evaluated.
    budget: u64,
    /// Whether some value was kept that is outside a table.
    is_outside_seen: bool,
}

impl<'a> Search<'a> {
    pub fn new(
        dag: &'a Dag,
        lanes: &'a mut Lanes,
        variables: Vec<Variable>,
        constraints: Vec<Constraint>,
        budget: u64,
    ) -> Search<'a> {
        let index: FxHashMap<u32, usize> = variables.iter().map(|variable| variable.byte).zip(0..).collect();
        let mut users = vec![Vec::new(); variables.len()];
        let mut bound = Vec::with_capacity(constraints.len());
        for constraint in constraints {
            let bytes = &constraint.compiled.tape.bytes;
            let of_position: Vec<Option<usize>> = bytes.iter().map(|byte| index.get(byte).copied()).collect();
            of_position.iter().flatten().for_each(|&variable| users[variable].push(bound.len()));
            bound.push(Bound { constraint, variables: of_position });
        }
        let assigned = vec![None; variables.len()];
        Search { dag, lanes, variables, assigned, constraints: bound, users, budget, is_outside_seen: false }
    }

    pub fn run(mut self) -> Found {
        if self.constraints.iter().any(|bound| bound.variables.iter().all(Option::is_none)) {
            // Literals that no variable can change were to be decided before.
            return Found::OutOfBudget;
        }
        for variable in 0..self.variables.len() {
            self.merge_classes(variable);
        }
        for constraint in 0..self.constraints.len() {
            if !self.check(constraint) {
                return self.conclude(false);
            }
        }
        let is_found = self.descend();
        self.conclude(is_found)
    }

    /// The budget that is left is only known to the search itself, so it concludes.
    fn conclude(&self, is_found: bool) -> Found {
        if is_found {
            let values = self.variables.iter().zip(&self.assigned);
            return Found::Sat(values.map(|(variable, assigned)| assigned.unwrap_or(variable.hint)).collect());
        }
        match (self.budget, self.is_outside_seen) {
            (0, _) => Found::OutOfBudget,
            (_, true) => Found::Outside,
            (_, false) => Found::Unsat,
        }
    }

    /// Leaves one value of each class in the variable's domain.
    fn merge_classes(&mut self, variable: usize) {
        let values: Vec<u8> = self.candidates(variable);
        if values.len() <= 1 {
            return;
        }
        let mut classes: Vec<u32> = vec![0; values.len()];
        let mut n_classes = 1;
        for user in 0..self.users[variable].len() {
            let bound = &self.constraints[self.users[variable][user]];
            let compiled = Rc::clone(&bound.constraint.compiled);
            let position = bound.variables.iter().position(|&found| found == Some(variable));
            let position = position.expect("a user mentions the variable");
            let frontier = compiled.tape.frontier(position);
            self.pay(compiled.tape.len() * values.len() / 8);
            self.lanes.run(self.dag, &compiled.tape, position, &values, &compiled.on_hint, true);
            for slot in frontier {
                let mut refined: FxHashMap<(u32, u128, bool), u32> = FxHashMap::default();
                for (lane, class) in classes.iter_mut().enumerate() {
                    let key = (*class, self.lanes.value(slot, lane), self.lanes.is_outside(slot, lane));
                    let n_known = refined.len() as u32;
                    *class = *refined.entry(key).or_insert(n_known);
                }
                n_classes = refined.len();
                if n_classes == values.len() {
                    return;
                }
            }
        }
        let mut is_taken = vec![false; n_classes];
        let representatives = values.iter().zip(&classes);
        let chosen = representatives.filter(|(_, &class)| !std::mem::replace(&mut is_taken[class as usize], true));
        self.variables[variable].domain = chosen.map(|(&value, _)| value).collect();
    }

    /// The values of a variable in the order in which they are tried.
    fn candidates(&self, variable: usize) -> Vec<u8> {
        let Variable { hint, domain, .. } = self.variables[variable];
        let mut values: Vec<u8> = domain.iter().collect();
        values.sort_by_key(|&value| (value != hint, rank(value), value));
        values
    }

    fn pay(&mut self, n_instructions: usize) {
        self.budget = self.budget.saturating_sub(n_instructions as u64);
    }

    /// Chooses values for the variables that are left.
    fn descend(&mut self) -> bool {
        let unassigned = (0..self.variables.len()).filter(|&variable| self.assigned[variable].is_none());
        let Some(variable) = unassigned.min_by_key(|&variable| self.variables[variable].domain.len()) else {
            return self.is_certain();
        };
        for value in self.candidates(variable) {
            if self.budget == 0 {
                return false;
            }
            let domains: Vec<ByteSet> = self.variables.iter().map(|variable| variable.domain).collect();
            self.assigned[variable] = Some(value);
            let is_possible = self.users[variable].clone().into_iter().all(|user| self.check(user));
            if is_possible && self.descend() {
                return true;
            }
            self.assigned[variable] = None;
            self.variables.iter_mut().zip(domains).for_each(|(variable, domain)| variable.domain = domain);
        }
        false
    }

    /// Crosses out what a constraint forbids, if at most one of its variables is open; whether
    /// anything is left.
    fn check(&mut self, constraint: usize) -> bool {
        let bound = &self.constraints[constraint];
        let open = |variable: &usize| self.assigned[*variable].is_none();
        let mut open_positions =
            (0..bound.variables.len()).filter(|&position| bound.variables[position].as_ref().is_some_and(open));
        match (open_positions.next(), open_positions.next()) {
            (None, _) => self.evaluate(constraint),
            (Some(position), None) => self.filter(constraint, position),
            _ => true,
        }
    }

    /// Whether a constraint without open variables may hold.
    fn evaluate(&mut self, constraint: usize) -> bool {
        let compiled = Rc::clone(&self.constraints[constraint].constraint.compiled);
        self.pay(compiled.tape.len());
        let bound = &self.constraints[constraint];
        let scalars = compiled.tape.scalars(self.dag, |position| self.byte_at(bound, position));
        let last = scalars[scalars.len() - 1];
        self.is_outside_seen |= last.is_outside;
        last.is_outside || bound.constraint.literal.holds_for(last.value)
    }

    fn byte_at(&self, bound: &Bound, position: usize) -> u8 {
        match bound.variables[position] {
            Some(variable) => self.assigned[variable].unwrap_or(0),
            None => bound.constraint.compiled.hint_at(position),
        }
    }

    fn is_on_hint(&self, bound: &Bound) -> bool {
        let mut variables = bound.variables.iter().flatten();
        variables.all(|&variable| self.assigned[variable].is_none_or(|value| value == self.variables[variable].hint))
    }

    fn filter(&mut self, constraint: usize, position: usize) -> bool {
        let bound = &self.constraints[constraint];
        let compiled = Rc::clone(&bound.constraint.compiled);
        let literal = bound.constraint.literal;
        let variable = bound.variables[position].expect("an open position has a variable");
        let values: Vec<u8> = self.variables[variable].domain.iter().collect();
        let on_others;
        let scalars = if self.is_on_hint(bound) {
            &compiled.on_hint
        } else {
            on_others = compiled.tape.scalars(self.dag, |position| self.byte_at(bound, position));
            &on_others
        };
        self.lanes.run(self.dag, &compiled.tape, position, &values, scalars, false);
        let (certain, maybe) = self.lanes.compare(literal.value, literal.is_equal);
        self.is_outside_seen |= maybe != [0; 4];
        let either: LaneBits = std::array::from_fn(|word| certain[word] | maybe[word]);
        let kept = values.iter().enumerate().filter(|&(lane, _)| either[lane / 64] >> (lane % 64) & 1 == 1);
        self.variables[variable].domain = kept.map(|(_, &value)| value).collect();
        self.pay(compiled.tape.len() * (8 + values.len()) / 8);
        !self.variables[variable].domain.is_empty()
    }

    /// Whether the complete assignment does without values from outside a table.
    fn is_certain(&mut self) -> bool {
        if !self.is_outside_seen {
            return true;
        }
        (0..self.constraints.len()).all(|constraint| {
            let bound = &self.constraints[constraint];
            let tape = &bound.constraint.compiled.tape;
            let scalars = tape.scalars(self.dag, |position| self.byte_at(bound, position));
            let last = scalars[scalars.len() - 1];
            !last.is_outside && bound.constraint.literal.holds_for(last.value)
        })
    }
}
