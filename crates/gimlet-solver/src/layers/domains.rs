//! Byte domains: exact for up to three bytes, and what follows from them for numbers (`strides`).
//!
//! Most questions of scanners and parsers end here. The first part narrows the domains of the question's bytes and needs
//! no slice; the second looks through the values of a slice that is small.

use gimlet_expr::Dag;

use super::Procedure;
use crate::byte_set::ByteSet;
use crate::context::Context;
use crate::query::Answer;
use crate::question::Question;
use crate::sweep::Effort;

/// Slices of so many bytes are for the domains.
pub const N_DOMAIN_BYTES_MAX: usize = 3;

/// What single literals say about single bytes.
#[derive(Debug)]
pub struct Narrow;

impl Procedure for Narrow {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        let is_empty = question.narrow(dag, &mut context.path) || question.is_ruled_out(dag, &context.path);
        is_empty.then_some(Answer::Unsat)
    }
}

/// Bytes that no literal connects, and exact search over few.
#[derive(Debug)]
pub struct Domains;

impl Procedure for Domains {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        if question.open.is_empty() && question.slice.literals.is_empty() {
            let choice = |(&byte, domain): (&u32, &ByteSet)| {
                let hint = context.path.hint_at(byte);
                domain.prefer(hint).filter(|&value| value != hint).map(|value| (byte, value))
            };
            return Some(Answer::Sat(question.domains.iter().filter_map(choice).collect()));
        }
        let budget = context.config.domain_budget;
        let (n_bytes, n_slice_bytes) = (question.domains.len(), question.slice.bytes.len());
        if n_bytes <= N_DOMAIN_BYTES_MAX && n_bytes < n_slice_bytes {
            let answer = context.sweep_near(dag, question, budget / 8);
            if answer.is_some() {
                return answer;
            }
        }
        if n_slice_bytes <= N_DOMAIN_BYTES_MAX {
            return context.sweep(dag, question, &question.slice, Effort::within(budget));
        }
        None
    }
}
