//! Z3: the last layer of the chain, and a solver of its own.
//!
//! Each query gets a context of its own: what Z3 answers then depends on the query alone, not on
//! those before it, and the limit on resources, which counts Z3's steps instead of time, makes runs
//! repeatable. The wall clock ends only what that count misses, from another thread.

use std::time::Duration;

use gimlet_expr::{Dag, Evaluator, ExprId};
use z3::ast::{Bool, BV};
use z3::{Config, Context, Params, SatResult};

use crate::kill::{with_limit, Stop};
use crate::literal::Literal;
use crate::lower::{Lowering, Window};
use crate::query::{Answer, Model, Query, Solver, UnknownReason};
use crate::slice::{Slice, Slicer};
use crate::terms::Variable;
use crate::z3_terms::Z3Terms;

/// Limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// Z3's `rlimit`; deterministic. A million is in the order of a second or less.
    pub rlimit: Option<u32>,
    /// Wall-clock time for one check; not deterministic.
    pub timeout: Option<Duration>,
    /// The check is given up when this is set.
    pub stop: Stop,
    /// Terms beyond which nothing more is encoded; some hundred bytes each.
    pub n_terms_max: usize,
    /// The greatest number of addresses for which a lookup is encoded.
    pub n_lookup_positions_max: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rlimit: Some(20_000_000),
            timeout: Some(Duration::from_secs(20)),
            stop: None,
            n_terms_max: 1_000_000,
            n_lookup_positions_max: 4096,
        }
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
enum Verdict {
    Sat(z3::Model),
    Unsat,
    Unknown(UnknownReason),
}

/// Asks Z3 for values of `bytes` that make all literals true. The value of an address on the hint
/// tells which part of a large table is encoded; the model is not validated.
pub(crate) fn solve_literals(
    dag: &Dag,
    options: &Options,
    literals: &[Literal],
    bytes: &[u32],
    address_on_hint: impl FnMut(ExprId) -> u64,
) -> Answer {
    let context = Context::new(&Config::new());
    let window = Window { n_positions_max: options.n_lookup_positions_max, address_on_hint: Box::new(address_on_hint) };
    let mut lowering = Lowering::new(dag, Z3Terms::new(&context, options.n_terms_max), Some(window));
    let Some(constraints) = lowering.lower_literals(literals) else {
        return Answer::Unknown(UnknownReason::TooLarge);
    };
    let Lowering { terms, bounds, .. } = lowering;
    let constraints: Vec<Bool> = constraints.iter().map(|term| terms.is_true(term)).collect();
    let bounds: Vec<Bool> = bounds.iter().map(|(_, term)| terms.is_true(term)).collect();
    let verdict = check(&context, options, constraints.iter().chain(&bounds));
    match verdict {
        Verdict::Sat(model) => {
            let values = bytes.iter().filter_map(|&index| {
                let variable = BV::new_const(&context, Variable::Byte(index).to_string(), 8);
                byte_in_model(&model, &variable).map(|value| (index, value))
            });
            Answer::Sat(values.collect())
        }
        Verdict::Unsat if bounds.is_empty() => Answer::Unsat,
        Verdict::Unsat => {
            let without_bounds = check(&context, options, constraints.iter());
            match without_bounds {
                Verdict::Unsat => Answer::Unsat,
                _ => Answer::Unknown(UnknownReason::OutsideTable),
            }
        }
        Verdict::Unknown(reason) => Answer::Unknown(reason),
    }
}

impl Z3Solver {
    pub fn new(options: Options) -> Z3Solver {
        Z3Solver { options, ..Z3Solver::default() }
    }

    fn solve_slice(&mut self, dag: &Dag, slice: &Slice) -> Answer {
        let literals: Vec<Literal> = slice.constraints.iter().map(|&id| Literal::truth(id, true)).collect();
        let slicer = &mut self.slicer;
        let address_on_hint = |addr| slicer.value_on_hint(dag, addr) as u64;
        solve_literals(dag, &self.options, &literals, &slice.support, address_on_hint)
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
        let mut model = match self.solve_slice(dag, &slice) {
            Answer::Sat(model) => model,
            answer => return answer,
        };
        for &index in &slice.support {
            if model.get(index).is_none() {
                model.set(index, hint.get(index as usize).copied().unwrap_or(0));
            }
        }
        let model = self.nearer(dag, &slice, model, hint);
        if self.is_valid(dag, &query.constraints, &model, hint) {
            Answer::Sat(model)
        } else {
            Answer::Unknown(UnknownReason::ModelRejected)
        }
    }
}

fn check<'a>(context: &Context, options: &Options, propositions: impl Iterator<Item = &'a Bool>) -> Verdict {
    let solver = z3::Solver::new_for_logic(context, "QF_BV").unwrap_or_else(|| z3::Solver::new(context));
    let mut params = Params::new(context);
    // Whoever interrupts the search talks to Gimlet, and Z3 would keep it to itself.
    params.set_bool("ctrl_c", false);
    if let Some(rlimit) = options.rlimit {
        params.set_u32("rlimit", rlimit);
    }
    solver.set_params(&params);
    propositions.for_each(|proposition| solver.assert(proposition));
    let handle = context.handle();
    let (result, is_killed) = with_limit(options.timeout, options.stop, || handle.interrupt(), || solver.check());
    match result {
        SatResult::Unsat => Verdict::Unsat,
        SatResult::Sat => match solver.get_model() {
            Some(model) => Verdict::Sat(model),
            None => Verdict::Unknown(UnknownReason::Other("no model".to_owned())),
        },
        SatResult::Unknown if is_killed => Verdict::Unknown(UnknownReason::Timeout),
        SatResult::Unknown => Verdict::Unknown(unknown_reason(solver.get_reason_unknown())),
    }
}

fn unknown_reason(reason: Option<String>) -> UnknownReason {
    match reason {
        Some(reason) if reason.contains("resource") => UnknownReason::ResourceLimit,
        Some(reason) => UnknownReason::Other(reason),
        None => UnknownReason::Other("no reason given".to_owned()),
    }
}

/// The value of a variable; `None` if any will do.
fn byte_in_model(model: &z3::Model, variable: &BV) -> Option<u8> {
    let value = model.get_const_interp(variable)?.as_u64()?;
    u8::try_from(value).ok()
}
