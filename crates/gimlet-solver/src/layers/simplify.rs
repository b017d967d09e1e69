//! Constants, and what the path states or denies in so many words.

use gimlet_expr::Dag;

use super::Procedure;
use crate::context::Context;
use crate::query::{Answer, Model};
use crate::question::Question;

#[derive(Debug)]
pub struct Simplify;

impl Procedure for Simplify {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        let path = &mut context.path;
        if question.conditions.iter().all(|&condition| path.holds_on_hint(dag, condition)) {
            return Some(Answer::Sat(Model::default()));
        }
        let is_refuted = !question.take_apart(dag) || question.is_contradicted(dag, path);
        is_refuted.then_some(Answer::Unsat)
    }
}
