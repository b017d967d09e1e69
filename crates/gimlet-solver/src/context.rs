//! What the layers of a chain share: the path, the limits of a question, and evaluation.
//!
//! A layer asks the path about its conditions and may sweep over bytes; what no other layer needs, it keeps for itself.
//! Evaluation is here because every model goes through it, whichever layer gave it: a model is evaluated on the question
//! and on all conditions that mention a byte that it changes; the others can't have changed. The evaluator shares no code
//! with the layers.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gimlet_expr::{Dag, Evaluator, ExprId};

use crate::config::Config;
use crate::literal::Literal;
use crate::path::{Holdings, Path, PathSlice};
use crate::query::{Answer, Model, UnknownReason};
use crate::question::Question;
use crate::sweep::{Effort, Found, Variable};

/// Bytes of a model that are tried with their old value.
const N_RESTORED_MAX: usize = 256;
/// Conditions that are evaluated for that.
const N_RESTORE_CHECKS_MAX: usize = 20_000;

/// The path that questions are about, and how long one may take.
#[derive(Debug)]
pub struct Context {
    pub config: Config,
    pub path: Path,
    validator: Evaluator,
    /// The time that a question may take, and when that of the present one is over.
    limit: Option<Duration>,
    deadline: Option<Instant>,
}

impl Context {
    pub fn new(config: Config) -> Context {
        Context {
            path: Path::new(&[], Holdings::default()),
            validator: Evaluator::new(&[]),
            limit: config.kill_after,
            deadline: None,
            config,
        }
    }

    /// Begins a path; what was learned about values on earlier ones stays.
    pub fn begin_path(&mut self, hint: &[u8]) {
        self.path = Path::new(hint, self.path.take_holdings());
    }

    pub fn end_path(&mut self) {
        self.begin_path(&[]);
        self.validator = Evaluator::new(&[]);
    }

    /// From now on no question takes longer than this, or than it may by the configuration.
    pub fn kill_after(&mut self, limit: Duration) {
        self.limit = Some(self.config.kill_after.map_or(limit, |longest| longest.min(limit)));
    }

    /// The time of a question begins.
    pub fn start_clock(&mut self) {
        self.deadline = self.limit.and_then(|limit| Instant::now().checked_add(limit));
    }

    /// What is left of the time of this question.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether the question is to be given up.
    pub fn is_late(&self) -> bool {
        let is_stopped = self.config.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        is_stopped || self.time_left().is_some_and(|left| left.is_zero())
    }

    /// The literals that are false with a model in place, and whether that is so whatever memory holds outside tables.
    pub fn violated(&mut self, dag: &Dag, literals: &[Literal], model: &Model) -> (Vec<Literal>, bool) {
        let validator = &mut self.validator;
        validator.set_input(&model.overlay(self.path.hint()));
        let is_false = |literal: &&Literal| !literal.holds_for(validator.eval(dag, literal.expr));
        let violated = literals.iter().filter(is_false).copied().collect();
        (violated, !validator.has_read_outside())
    }

    /// Whether a model makes the conditions true.
    pub fn is_valid(&mut self, dag: &Dag, conditions: &[ExprId], model: &Model) -> bool {
        let validator = &mut self.validator;
        validator.set_input(&model.overlay(self.path.hint()));
        conditions.iter().all(|&condition| validator.holds(dag, condition))
    }

    /// A model that is as near to the hint as evaluation can tell, if it is one.
    pub fn validated(&mut self, dag: &Dag, question: &Question, answer: Answer) -> Answer {
        let Answer::Sat(model) = answer else {
            return answer;
        };
        let model: Model = model.iter().filter(|&(byte, value)| value != self.path.hint_at(byte)).collect();
        let mut conditions = question.conditions.clone();
        conditions.extend(self.path.conditions_about(dag, model.iter().map(|(byte, _)| byte)));
        let model = self.nearer(dag, &conditions, model);
        match self.is_valid(dag, &conditions, &model) {
            true => Answer::Sat(model),
            false => Answer::Unknown(UnknownReason::ModelRejected),
        }
    }

    /// The model with as many bytes as possible back at their value on the hint: whatever the query doesn't know of
    /// (a dependency that was lost, what comes after the flipped branch) then stays as it was.
    fn nearer(&mut self, dag: &Dag, conditions: &[ExprId], model: Model) -> Model {
        if model.len() <= 1 {
            return model;
        }
        let n_tries = N_RESTORED_MAX.min(N_RESTORE_CHECKS_MAX / conditions.len().max(1));
        let mut near = model.clone();
        for (byte, value) in model.iter().take(n_tries) {
            near.remove(byte);
            if !self.is_valid(dag, conditions, &near) {
                near.set(byte, value);
            }
        }
        near
    }

    /// Looks through the values of the slice's bytes; `None` if that takes too much effort.
    pub fn sweep(&mut self, dag: &Dag, question: &Question, slice: &PathSlice, effort: Effort) -> Option<Answer> {
        let path = &mut self.path;
        let variable = |&byte: &u32| Variable { byte, hint: path.hint_at(byte), domain: question.domain(path, byte) };
        let variables: Vec<Variable> = slice.bytes.iter().map(variable).collect();
        let of_path: Vec<Literal> = slice.literals.iter().map(|&index| path.literal(index).literal).collect();
        let found = match question.open[..] {
            [wanted] if wanted.is_equal => path.sweep_for(dag, &variables, wanted, &of_path, effort),
            _ => {
                let literals: Vec<Literal> = question.open.iter().chain(&of_path).copied().collect();
                path.sweep(dag, &variables, &literals, effort)
            }
        };
        match found {
            Found::Sat(values) => {
                let chosen = slice.bytes.iter().copied().zip(values);
                Some(Answer::Sat(chosen.filter(|&(byte, value)| value != path.hint_at(byte)).collect()))
            }
            Found::Unsat => Some(Answer::Unsat),
            Found::Outside | Found::OutOfBudget => None,
        }
    }

    /// The same over the bytes of the question alone: what the path says about them may be enough to refute it, or for
    /// a model of everything.
    pub fn sweep_near(&mut self, dag: &Dag, question: &Question, budget: u64) -> Option<Answer> {
        let near = self.path.within(dag, &question.slice, |byte| question.domains.contains_key(&byte));
        match self.sweep(dag, question, &near, Effort::within(budget))? {
            Answer::Sat(model) => {
                let path = &self.path;
                let of_slice = question.slice.literals.iter().map(|&index| path.literal(index).literal);
                let literals: Vec<Literal> = of_slice.collect();
                let (violated, is_certain) = self.violated(dag, &literals, &model);
                (violated.is_empty() && is_certain).then_some(Answer::Sat(model))
            }
            answer => Some(answer),
        }
    }
}
