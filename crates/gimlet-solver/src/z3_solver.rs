//! Z3, with slicing before and validation after.
//!
//! Each query gets a context of its own: what Z3 answers then depends on the query alone, not on
//! those before it, and the limit on resources, which counts Z3's steps instead of time, makes runs
//! repeatable. The timeout is only there for steps that the count misses.

use gimlet_expr::{Dag, Evaluator, ExprId};
use z3::ast::{Bool, BV};
use z3::{Config, Context, Params, SatResult};

use crate::lower::{Lowering, Window};
use crate::query::{Answer, Model, Query, Solver, UnknownReason};
use crate::slice::{Slice, Slicer};
use crate::terms::byte_name;
use crate::z3_terms::Z3Terms;

/// Limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// Z3's `rlimit`; deterministic. A million is in the order of a second or less.
    pub rlimit: Option<u32>,
    /// Wall-clock time for one check; not deterministic.
    pub timeout_ms: Option<u32>,
    /// The greatest number of addresses for which a lookup is encoded.
    pub n_lookup_positions_max: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { rlimit: Some(20_000_000), timeout_ms: Some(20_000), n_lookup_positions_max: 4096 }
    }
}

/// Bytes of a model that are tried with their old value: each costs an evaluation.
const N_RESTORED_MAX: usize = 256;

/// Answers queries with Z3.
#[derive(Debug, Default)]
pub struct Z3Solver {
    options: Options,
    slicer: Slicer,
    validator: Option<Evaluator>,
}

/// What Z3 makes of a set of propositions.
enum Verdict<'ctx> {
    Sat(z3::Model<'ctx>),
    Unsat,
    Unknown(UnknownReason),
}

impl Z3Solver {
    pub fn new(options: Options) -> Z3Solver {
        Z3Solver { options, ..Z3Solver::default() }
    }

    fn solve_slice(&mut self, dag: &Dag, slice: &Slice, hint: &[u8]) -> Answer {
        let context = Context::new(&Config::new());
        let terms = Z3Terms::new(&context);
        let slicer = &mut self.slicer;
        let window = Window {
            n_positions_max: self.options.n_lookup_positions_max,
            address_on_hint: Box::new(|addr| slicer.value_on_hint(dag, addr) as u64),
        };
        let mut lowering = Lowering::new(dag, terms, Some(window));
        let constraints = lowering.lower(&slice.constraints);
        let Lowering { terms, bounds, .. } = lowering;
        let constraints: Vec<Bool> = constraints.iter().map(|term| terms.is_true(term)).collect();
        let bounds: Vec<Bool> = bounds.iter().map(|term| terms.is_true(term)).collect();
        let verdict = check(&context, &self.options, constraints.iter().chain(&bounds));
        match verdict {
            Verdict::Sat(model) => {
                let values = slice.support.iter().map(|&index| {
                    let variable = BV::new_const(&context, byte_name(index), 8);
                    let value = byte_in_model(&model, &variable);
                    (index, value.unwrap_or(hint.get(index as usize).copied().unwrap_or(0)))
                });
                Answer::Sat(values.collect())
            }
            Verdict::Unsat if bounds.is_empty() => Answer::Unsat,
            Verdict::Unsat => {
                let without_bounds = check(&context, &self.options, constraints.iter());
                match without_bounds {
                    Verdict::Unsat => Answer::Unsat,
                    _ => Answer::Unknown(UnknownReason::OutsideTable),
                }
            }
            Verdict::Unknown(reason) => Answer::Unknown(reason),
        }
    }

    /// Whether all constraints are true on the hint with the model in place.
    fn is_valid(&mut self, dag: &Dag, constraints: &[ExprId], model: &Model, hint: &[u8]) -> bool {
        let input = model.overlay(hint);
        let validator = self.validator.get_or_insert_with(|| Evaluator::new(&input));
        validator.set_input(&input);
        constraints.iter().all(|&id| validator.holds(dag, id))
    }

    /// The model with as many bytes as possible back at their value on the hint: whatever the query doesn't know of
    /// (a dependency that was lost, what comes after the flipped branch) then stays as it was.
    fn nearer(&mut self, dag: &Dag, slice: &Slice, model: Model, hint: &[u8]) -> Model {
        let mut near = model.clone();
        let changed = model.iter().filter(|&(index, value)| hint.get(index as usize).is_some_and(|&old| old != value));
        for (index, value) in changed.take(N_RESTORED_MAX) {
            near.set(index, hint[index as usize]);
            if !self.is_valid(dag, &slice.constraints, &near, hint) {
                near.set(index, value);
            }
        }
        near
    }
}

impl Solver for Z3Solver {
    fn solve(&mut self, dag: &Dag, query: &Query, hint: &[u8]) -> Answer {
        let slice = self.slicer.slice(dag, query, hint);
        let model = match self.solve_slice(dag, &slice, hint) {
            Answer::Sat(model) => self.nearer(dag, &slice, model, hint),
            answer => return answer,
        };
        if self.is_valid(dag, &query.constraints, &model, hint) {
            Answer::Sat(model)
        } else {
            Answer::Unknown(UnknownReason::ModelRejected)
        }
    }
}

fn check<'ctx, 'a>(
    context: &'ctx Context,
    options: &Options,
    propositions: impl Iterator<Item = &'a Bool<'ctx>>,
) -> Verdict<'ctx>
where
    'ctx: 'a,
{
    let solver = z3::Solver::new_for_logic(context, "QF_BV").unwrap_or_else(|| z3::Solver::new(context));
    let mut params = Params::new(context);
    if let Some(rlimit) = options.rlimit {
        params.set_u32("rlimit", rlimit);
    }
    if let Some(timeout_ms) = options.timeout_ms {
        params.set_u32("timeout", timeout_ms);
    }
    solver.set_params(&params);
    propositions.for_each(|proposition| solver.assert(proposition));
    match solver.check() {
        SatResult::Unsat => Verdict::Unsat,
        SatResult::Sat => match solver.get_model() {
            Some(model) => Verdict::Sat(model),
            None => Verdict::Unknown(UnknownReason::Other("no model".to_owned())),
        },
        SatResult::Unknown => Verdict::Unknown(unknown_reason(solver.get_reason_unknown())),
    }
}

fn unknown_reason(reason: Option<String>) -> UnknownReason {
    match reason.as_deref() {
        Some("timeout" | "canceled") => UnknownReason::Timeout,
        Some(reason) if reason.contains("resource") => UnknownReason::ResourceLimit,
        Some(reason) => UnknownReason::Other(reason.to_owned()),
        None => UnknownReason::Other("no reason given".to_owned()),
    }
}

/// The value of a variable; `None` if any will do.
fn byte_in_model<'ctx>(model: &z3::Model<'ctx>, variable: &BV<'ctx>) -> Option<u8> {
    let value = model.get_const_interp(variable)?.as_u64()?;
    u8::try_from(value).ok()
}
