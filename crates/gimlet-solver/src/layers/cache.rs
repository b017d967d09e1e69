//! Answers to earlier queries, of this and of other paths; a model counts if it is one of this query too.

use gimlet_expr::Dag;

use super::Procedure;
use crate::cache::{Core, Known, Shape, Tables};
use crate::context::Context;
use crate::literal::Literal;
use crate::path::Path;
use crate::query::{Answer, Model};
use crate::question::{Question, Refutation};

/// Models of earlier queries that are tried on a new one.
const N_MODELS_TRIED_MAX: usize = 8;

#[derive(Debug, Default)]
pub struct Cache {
    tables: Tables,
    /// Of the question under way.
    shape: Option<Shape>,
}

impl Procedure for Cache {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        let shape = self.shape.insert(shape(dag, &mut context.path, question));
        let about: Vec<u32> = question.domains.keys().copied().collect();
        match self.tables.find(shape, &about) {
            Known::Unsat => Some(Answer::Unsat),
            Known::Maybe(models) => {
                let mut models = models.into_iter().take(N_MODELS_TRIED_MAX);
                models.find_map(|model| fitting(dag, context, question, &model)).map(Answer::Sat)
            }
        }
    }

    fn learn(&mut self, dag: &Dag, context: &mut Context, question: &Question, answer: &Answer) {
        let Some(shape) = self.shape.take() else {
            return;
        };
        let n_max = context.config.n_remembered_max;
        match answer {
            Answer::Sat(model) => self.tables.insert(&shape, Some(model), n_max),
            Answer::Unsat => {
                if let Some(refutation) = &question.refutation {
                    self.tables.insert_core(core(dag, &mut context.path, refutation), n_max);
                }
                self.tables.insert(&shape, None, n_max);
            }
            Answer::Unknown(_) => {}
        }
    }
}

/// The part of a model that is about the slice, if it is a model of the question.
fn fitting(dag: &Dag, context: &mut Context, question: &Question, model: &Model) -> Option<Model> {
    let is_ours = |byte: u32| question.slice.bytes.binary_search(&byte).is_ok();
    let ours: Model = model.iter().filter(|&(byte, _)| is_ours(byte)).collect();
    let is_possible = |(byte, value)| question.domain(&context.path, byte).contains(value);
    if !ours.iter().all(is_possible) || !context.is_valid(dag, &question.conditions, &ours) {
        return None;
    }
    let others = context.path.conditions_about(dag, ours.iter().map(|(byte, _)| byte));
    context.is_valid(dag, &others, &ours).then_some(ours)
}

/// The question and its slice as the tables see them.
fn shape(dag: &Dag, path: &mut Path, question: &Question) -> Shape {
    let slice = &question.slice;
    let of_path = slice.literals.iter().map(|&index| path.literal(index).literal);
    let literals: Vec<Literal> = question.open.iter().copied().chain(of_path).collect();
    let fixed = path.fixed_bytes(dag, &literals);
    let free = slice.bytes.iter().map(|&byte| (byte, question.domain(path, byte)));
    let domains = free.chain(path.fixed_domains(&fixed)).collect();
    Shape { literals: literals.iter().map(|literal| path.fingerprint(dag, literal)).collect(), domains }
}

fn core(dag: &Dag, path: &mut Path, refutation: &Refutation) -> Core {
    let fixed = path.fixed_bytes(dag, &refutation.literals);
    let domains = path.fixed_domains(&fixed).chain(refutation.domains.iter().copied()).collect();
    Core { literals: refutation.literals.iter().map(|literal| path.fingerprint(dag, literal)).collect(), domains }
}
