//! Independent slices: what shares no byte with the question, not even by way of other conditions, keeps the hint's
//! values. Gives no verdict.

use gimlet_expr::Dag;

use super::Procedure;
use crate::context::Context;
use crate::query::Answer;
use crate::question::Question;

#[derive(Debug)]
pub struct Slice {
    /// Otherwise all of the path is in the slice.
    pub is_connected: bool,
}

impl Procedure for Slice {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        let path = &mut context.path;
        question.collect_bytes(dag, path);
        let mut roots: Vec<u32> = question.domains.keys().copied().collect();
        if !self.is_connected {
            roots.extend(path.bytes_met());
        }
        question.slice = path.slice(dag, &roots);
        None
    }
}
