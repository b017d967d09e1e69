//! Formulas of propositional logic that others have made.

use rustsat::solvers::{LimitConflicts, Solve, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal, Var};
use rustsat_cadical::CaDiCaL;

/// Conflicts between two looks at the clock.
const N_UNWATCHED: u32 = 10_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// By variable; the first stands for nothing.
    Sat(Vec<bool>),
    Unsat,
    /// More conflicts than allowed, or more than the solver can take.
    OutOfBudget,
    Stopped,
}

/// Decides clauses over variables from 1 on; what is negative is negated. `is_stopped` is asked now and then.
pub fn decide(n_variables: i32, clauses: &[Vec<i32>], n_conflicts_max: u32, is_stopped: &dyn Fn() -> bool) -> Decision {
    let mut solver = CaDiCaL::default();
    let literal = |&number: &i32| Lit::new(number.unsigned_abs() - 1, number < 0);
    for clause in clauses {
        if solver.add_clause(clause.iter().map(literal).collect::<Clause>()).is_err() {
            return Decision::OutOfBudget;
        }
    }
    let mut n_left = n_conflicts_max;
    loop {
        if is_stopped() {
            return Decision::Stopped;
        }
        let n_now = n_left.min(N_UNWATCHED);
        solver.limit_conflicts(Some(n_now)).expect("a limit on conflicts");
        match solver.solve() {
            Ok(SolverResult::Sat) => break,
            Ok(SolverResult::Unsat) => return Decision::Unsat,
            Ok(SolverResult::Interrupted) if n_left > n_now => n_left -= n_now,
            Ok(SolverResult::Interrupted) | Err(_) => return Decision::OutOfBudget,
        }
    }
    let value = |variable: i32| {
        let value = solver.var_val(Var::new(variable as u32 - 1));
        value.is_ok_and(|value| value == TernaryVal::True)
    };
    Decision::Sat(std::iter::once(false).chain((1..=n_variables).map(value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions() {
        let never = || false;
        let both = [vec![1, 2], vec![-1, -2], vec![-1]];
        assert_eq!(decide(2, &both, 100, &never), Decision::Sat(vec![false, false, true]));
        assert_eq!(decide(1, &[vec![1], vec![-1]], 100, &never), Decision::Unsat);
        assert_eq!(decide(1, &[vec![]], 100, &never), Decision::Unsat);
        assert_eq!(decide(2, &both, 100, &|| true), Decision::Stopped);
        // Nine pigeons in eight holes take more than a few conflicts.
        let at = |pigeon: i32, hole: i32| pigeon * 8 + hole + 1;
        let mut clauses: Vec<Vec<i32>> = (0..9).map(|pigeon| (0..8).map(|hole| at(pigeon, hole)).collect()).collect();
        for hole in 0..8 {
            for one in 0..9 {
                clauses.extend((0..one).map(|other| vec![-at(one, hole), -at(other, hole)]));
            }
        }
        assert_eq!(decide(72, &clauses, 10, &never), Decision::OutOfBudget);
        assert_eq!(decide(72, &clauses, 1_000_000, &never), Decision::Unsat);
    }
}
