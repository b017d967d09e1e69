//! Questions along a path.
use gimlet_expr::{Dag, ExprId};
use gimlet_solver::{Answer, Query, Solver, Z3Solver};

/// Asks what else could happen after the conditions of a path.
#[derive(Default)]
pub struct Asker {
    solver: Z3Solver,
    prefix: Vec<ExprId>,
    hint: Vec<u8>,
    pub n_sat: u64,
    pub n_unsat: u64,
    pub n_unknown: u64,
}

impl Asker {
    pub fn begin(&mut self, _dag: &Dag, hint: &[u8]) {
        self.prefix.clear();
        self.hint = hint.to_vec();
    }

    pub fn push(&mut self, dag: &Dag, condition: ExprId) {
        if dag.as_const(condition) != Some(1) {
            self.prefix.push(condition);
        }
    }

    pub fn ask(&mut self, dag: &Dag, alternative: ExprId) -> Answer {
        let mut constraints = self.prefix.clone();
        constraints.push(alternative);
        let answer = self.solver.solve(dag, &Query::new(constraints), &self.hint);
        match answer {
            Answer::Sat(_) => self.n_sat += 1,
            Answer::Unsat => self.n_unsat += 1,
            Answer::Unknown(_) => self.n_unknown += 1,
        }
        answer
    }
}
