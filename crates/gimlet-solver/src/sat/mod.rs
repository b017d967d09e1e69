//! Bit-blasting into an incremental CaDiCaL, one for each path.
//!
//! Expressions become circuits once (`vectors`, over the gates of `circuit`). What the path says
//! about the slice, the domains of its bytes and the literals of the question are assumptions, so
//! that an unsatisfiable query tells which of them it takes: the core. A byte that is fixed when it
//! is first met is a constant. Phases are the hint's values; they override what the solver learns
//! about good values, so a query that reaches its first limit on conflicts goes on without them.

mod circuit;
mod vectors;

use std::fmt;
use std::rc::Rc;
use std::time::Instant;

use gimlet_expr::{Dag, ExprId, Node};
use rustc_hash::FxHashMap;
use rustsat::solvers::{Interrupt, InterruptSolver, LimitConflicts, Solve, SolveIncremental, SolverResult};
use rustsat::types::{Lit, TernaryVal};
use rustsat_cadical::CaDiCaL;

use crate::byte_set::ByteSet;
use crate::config::Config;
use crate::kill::with_limit;
use crate::literal::Literal;
use crate::lower::{Kept, Lookups, Lowering, Window};
use crate::query::Model;
use circuit::{Bit, Circuit};

/// Circuits that are solved within the first limit long before the clock matters.
const N_UNWATCHED_VARIABLES_MAX: usize = 50_000;

/// What is to be solved: all of it is assumed.
pub struct Task<'a> {
    pub literals: &'a [Literal],
    /// Domains of bytes that are not fixed; these bytes are in the model.
    pub domains: &'a [(u32, ByteSet)],
    /// Bytes that have the hint's value.
    pub fixed: &'a [u32],
    /// How many of the limits on conflicts are tried.
    pub n_limits: usize,
    /// The solver is interrupted then.
    pub deadline: Option<Instant>,
}

pub enum Verdict {
    Sat(Model),
    /// The literals and domains that it takes, by index; fixed bytes belong to it as well.
    Unsat {
        literals: Vec<usize>,
        domains: Vec<usize>,
    },
    /// Only with values of lookups from outside their tables, as in this model.
    Outside(Model),
    OutOfBudget,
    Killed,
}

/// The solver of one path.
pub struct Session {
    /// `None` while a query is under way, and after one that was killed or too large.
    kept: Option<Kept<Circuit<'static>>>,
    has_phases: bool,
    bounds: FxHashMap<ExprId, Rc<[Bit]>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// An assumption and what it stands for.
#[derive(Clone, Copy)]
enum Reason {
    Literal(usize),
    Domain(usize),
    Fixed,
    Bound,
}

/// What CaDiCaL does between conflicts and is not worth it here.
const INPROCESSING: [&str; 8] =
    ["congruence", "elim", "fastelim", "preprocesslight", "probe", "sweep", "lucky", "walk"];

impl Session {
    pub fn new(hint: &[u8], config: &Config, lookups: Lookups) -> Session {
        let mut solver = CaDiCaL::default();
        solver.set_option("seed", config.seed as i32).expect("an option of CaDiCaL");
        // Circuits come without common gates, and most questions take a few conflicts: looking for more to simplify
        // takes a hundred times as long as the answer.
        for option in INPROCESSING {
            solver.set_option(option, 0).expect("an option of CaDiCaL");
        }
        let kept = Kept::new(Circuit::new(solver, hint, config.n_variables_max), lookups);
        Session { kept: Some(kept), has_phases: true, bounds: FxHashMap::default() }
    }

    /// Whether it can take no more queries.
    pub fn is_over(&self) -> bool {
        self.kept.is_none()
    }

    pub fn solve(
        &mut self,
        dag: &Dag,
        config: &Config,
        task: &Task,
        address_on_hint: impl FnMut(ExprId) -> u64,
    ) -> Verdict {
        let Some(mut kept) = self.kept.take() else {
            return Verdict::OutOfBudget;
        };
        kept.terms.fix(task.fixed);
        kept.terms.deadline = task.deadline;
        let window =
            Window { n_positions_max: config.n_lookup_positions_max, address_on_hint: Box::new(address_on_hint) };
        let mut lowering = Lowering::resume(dag, kept, Some(window));
        let lowered = lowering.lower_literals(task.literals);
        let mut kept = lowering.keep();
        let Some(terms) = lowered else {
            return if kept.terms.is_late() { Verdict::Killed } else { Verdict::OutOfBudget };
        };
        let mut assumptions: Vec<(Bit, Reason)> = Vec::new();
        assumptions.extend(terms.iter().enumerate().map(|(index, term)| (term[0], Reason::Literal(index))));
        let domains = task.domains.iter().enumerate().map(|(index, domain)| (*domain, Reason::Domain(index)));
        let hint = Rc::clone(&kept.terms.hint);
        let hint_at = |byte: u32| hint.get(byte as usize).copied().unwrap_or(0);
        let fixed = task.fixed.iter().map(|&byte| ((byte, [hint_at(byte)].into_iter().collect()), Reason::Fixed));
        for ((byte, domain), reason) in domains.chain(fixed) {
            if let Some(bits) = kept.terms.bytes.get(&byte).cloned() {
                assumptions.push((kept.terms.member(&bits, &domain), reason));
            }
        }
        let bounds = self.bounds_below(dag, &kept, task.literals);
        assumptions.extend(bounds.iter().map(|&bound| (bound, Reason::Bound)));
        let verdict = self.check(config, &mut kept.terms, task, &assumptions);
        if !matches!(verdict, Verdict::Killed) {
            self.kept = Some(kept);
        }
        verdict
    }

    /// The conditions under which the lookups below the literals stay inside what is encoded.
    fn bounds_below(&mut self, dag: &Dag, kept: &Kept<Circuit<'static>>, literals: &[Literal]) -> Vec<Bit> {
        if kept.bounds.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for literal in literals {
            let of_literal = self.bounds.entry(literal.expr).or_insert_with(|| {
                let below = dag.reachable(&[literal.expr]);
                let is_below = |id: &ExprId| below.binary_search(id).is_ok();
                let lookups =
                    kept.bounds.iter().filter(|(id, _)| matches!(dag.node(*id), Node::Lookup { .. }) && is_below(id));
                lookups.map(|(_, bound)| bound[0]).collect()
            });
            found.extend(of_literal.iter());
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn check(&mut self, config: &Config, circuit: &mut Circuit, task: &Task, assumptions: &[(Bit, Reason)]) -> Verdict {
        let mut reasons: FxHashMap<Lit, Reason> = FxHashMap::default();
        let mut lits = Vec::with_capacity(assumptions.len());
        for &(bit, reason) in assumptions {
            match (bit.as_constant(), reason) {
                (Some(true), _) => {}
                (Some(false), Reason::Bound) => return self.check_without_bounds(config, circuit, task, assumptions),
                (Some(false), _) => return unsat([reason].into_iter()),
                (None, _) => {
                    // Of two reasons for one assumption, a bound is the weaker one.
                    if !matches!((reason, reasons.get(&bit.lit())), (Reason::Bound, Some(_))) {
                        reasons.insert(bit.lit(), reason);
                    }
                    lits.push(bit.lit());
                }
            }
        }
        match self.search(config, circuit, &lits, task) {
            Err(verdict) => verdict,
            Ok(true) => Verdict::Sat(model(circuit, task)),
            Ok(false) => {
                let core = circuit.solver.core().expect("a core after unsat");
                // The core is a clause: its literals are the negations of assumptions.
                let used: Vec<Reason> = core.iter().filter_map(|&lit| reasons.get(&!lit).copied()).collect();
                if used.iter().any(|reason| matches!(reason, Reason::Bound)) {
                    return self.check_without_bounds(config, circuit, task, assumptions);
                }
                unsat(used.into_iter())
            }
        }
    }

    /// Whether the query is unsatisfiable whatever memory holds outside the tables.
    fn check_without_bounds(
        &mut self,
        config: &Config,
        circuit: &mut Circuit,
        task: &Task,
        assumptions: &[(Bit, Reason)],
    ) -> Verdict {
        let others = assumptions.iter().copied().filter(|(_, reason)| !matches!(reason, Reason::Bound));
        match self.check(config, circuit, task, &others.collect::<Vec<_>>()) {
            Verdict::Sat(model) => Verdict::Outside(model),
            verdict => verdict,
        }
    }

    /// Whether the assumptions can hold together, within the limits.
    fn search(&mut self, config: &Config, circuit: &mut Circuit, lits: &[Lit], task: &Task) -> Result<bool, Verdict> {
        for (attempt, &n_conflicts_max) in config.conflict_limits.iter().take(task.n_limits).enumerate() {
            let has_phases = attempt == 0;
            if self.has_phases != has_phases {
                circuit.set_phases(has_phases);
                self.has_phases = has_phases;
            }
            circuit.solver.limit_conflicts(Some(n_conflicts_max)).expect("a limit on conflicts");
            let is_unwatched = attempt == 0 && circuit.n_variables() <= N_UNWATCHED_VARIABLES_MAX;
            let (limit, stop) = if is_unwatched { (None, None) } else { (task.deadline, config.stop) };
            let limit = limit.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let interrupter = circuit.solver.interrupter();
            let (result, is_killed) =
                with_limit(limit, stop, || interrupter.interrupt(), || circuit.solver.solve_assumps(lits));
            match result.expect("memory to solve") {
                SolverResult::Sat => return Ok(true),
                SolverResult::Unsat => return Ok(false),
                SolverResult::Interrupted if is_killed => return Err(Verdict::Killed),
                SolverResult::Interrupted => {}
            }
        }
        Err(Verdict::OutOfBudget)
    }
}

fn unsat(reasons: impl Iterator<Item = Reason>) -> Verdict {
    let (mut literals, mut domains) = (Vec::new(), Vec::new());
    for reason in reasons {
        match reason {
            Reason::Literal(index) => literals.push(index),
            Reason::Domain(index) => domains.push(index),
            Reason::Fixed | Reason::Bound => {}
        }
    }
    // A core names an assumption as often as it was made.
    for list in [&mut literals, &mut domains] {
        list.sort_unstable();
        list.dedup();
    }
    Verdict::Unsat { literals, domains }
}

fn model(circuit: &Circuit, task: &Task) -> Model {
    let value = |bit: Bit| match bit.as_constant() {
        Some(value) => value,
        None => match circuit.solver.lit_val(bit.lit()).expect("a value after sat") {
            TernaryVal::True => true,
            TernaryVal::False => false,
            TernaryVal::DontCare => circuit.value(bit),
        },
    };
    let bytes = task.domains.iter().filter_map(|&(byte, _)| {
        let bits = circuit.bytes.get(&byte)?;
        Some((byte, bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(value(bit)))))
    });
    bytes.collect()
}
