//! Z3, for what is left: one query with all that the path says about the slice.

use gimlet_expr::Dag;

use super::Procedure;
use crate::context::Context;
use crate::query::{Answer, UnknownReason};
use crate::question::Question;
use crate::z3_solver::{solve_literals, Options};

#[derive(Debug)]
pub struct Z3;

impl Procedure for Z3 {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        let slice = &question.slice;
        let literals = context.path.sliced_literals(dag, question, slice);
        let mut answer = Answer::Unknown(UnknownReason::ResourceLimit);
        for &rlimit in &context.config.rlimits {
            if context.is_late() {
                return Some(Answer::Unknown(UnknownReason::Timeout));
            }
            let config = &context.config;
            let options = Options {
                stop: config.stop,
                rlimit: Some(rlimit),
                timeout: context.time_left(),
                n_terms_max: config.n_terms_max,
                n_lookup_positions_max: config.n_lookup_positions_max,
            };
            let path = &mut context.path;
            let address_on_hint = |addr| path.value_on_hint(dag, addr) as u64;
            answer = solve_literals(dag, &options, &literals, &slice.bytes, address_on_hint);
            if answer != Answer::Unknown(UnknownReason::ResourceLimit) {
                break;
            }
        }
        Some(answer)
    }
}
