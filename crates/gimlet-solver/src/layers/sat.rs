//! CaDiCaL, asked about no more of a path than it takes.
//!
//! A slice has hundreds of literals, and the circuit of one that goes through tables has ten thousands of gates; a
//! contradiction takes two or three of them, and a model that is made near the hint violates few. So the solver is
//! given little, and more only where the answer asks for it:
//!
//! 1. the question and what the path says about the same loaded values, with lookups opaque;
//! 2. the question and what adds little to its circuit;
//! 3. with that, literals that the last model violates, until there is a contradiction or nothing is violated.
//!
//! Each is a relaxation of the next, so a contradiction is one of the whole slice. The rival is everything at once: on
//! queries of interpreters, building the circuit took ten times as long as all of this.

use std::time::Instant;

use gimlet_expr::{Dag, ExprId};
use rustc_hash::FxHashSet;

use super::Procedure;
use crate::byte_set::ByteSet;
use crate::context::Context;
use crate::literal::Literal;
use crate::lower::Lookups;
use crate::path::Path;
use crate::query::{Answer, UnknownReason};
use crate::question::{Question, Refutation};
use crate::sat::{Session, Task, Verdict};
use crate::sweep::Effort;

/// Literals of the path that are added at a time, at least.
const N_ADDED_MIN: usize = 4;
/// Literals of the path that are asked about from the start.
const N_NEAR_MAX: usize = 64;

/// Inputs that are tried one by one where the solver gets stuck, and the instructions that may take.
const N_COMBINATIONS_MAX: u64 = 200_000;
const EXHAUSTIVE_BUDGET: u64 = 20_000_000;

/// CaDiCaL along one path: made when it is first asked.
#[derive(Debug, Default)]
pub struct Sat {
    session: Option<Session>,
    /// The same, with lookups opaque.
    opaque_session: Option<Session>,
}

/// All of a question and its slice.
struct Whole {
    literals: Vec<Literal>,
    domains: Vec<(u32, ByteSet)>,
}

/// The literals that contradict each other, and the numbers of the domains that it takes.
type Contradiction = (Vec<Literal>, Vec<usize>);

impl Procedure for Sat {
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer> {
        let whole = Whole::new(&context.path, question);
        if let Some(core) = self.refute_opaque(dag, context, question, &whole) {
            return Some(unsat(question, &whole, core));
        }
        let n_combinations = whole.domains.iter().fold(1, |n: u64, (_, domain)| n.saturating_mul(domain.len() as u64));
        let mut can_exhaust = n_combinations <= N_COMBINATIONS_MAX;
        let mut asked: Vec<Literal> = question.open.clone();
        asked.extend(near_literals(dag, &mut context.path, question, &whole));
        loop {
            let is_whole = asked.len() == whole.literals.len();
            let n_limits = match (can_exhaust, is_whole) {
                (true, _) => 1,
                (_, true) => context.config.conflict_limits.len(),
                // Where it gets hard, more literals may make it easier.
                _ => context.config.conflict_limits.len().saturating_sub(1).max(1),
            };
            match self.solve(dag, context, &asked, &whole.domains, Lookups::Encoded, n_limits) {
                Verdict::Outside(_) if is_whole => return Some(Answer::Unknown(UnknownReason::OutsideTable)),
                Verdict::Sat(mut model) | Verdict::Outside(mut model) => {
                    // Bytes that only have a domain are not in the circuit.
                    for &(byte, domain) in &whole.domains {
                        if model.get(byte).is_none() {
                            model.set(byte, domain.prefer(context.path.hint_at(byte))?);
                        }
                    }
                    let (mut violated, is_certain) = context.violated(dag, &whole.literals, &model);
                    if is_whole || violated.is_empty() && is_certain {
                        return Some(Answer::Sat(model));
                    }
                    violated.retain(|literal| !asked.contains(literal));
                    if violated.is_empty() {
                        asked.clone_from(&whole.literals);
                    }
                    let n_more = N_ADDED_MIN.max(asked.len());
                    asked.extend(violated.into_iter().take(n_more));
                }
                Verdict::Unsat { literals: used, domains: used_domains } => {
                    let core = (used.iter().map(|&index| asked[index]).collect(), used_domains);
                    return Some(unsat(question, &whole, core));
                }
                // Products of a few digits: there are fewer inputs than conflicts.
                Verdict::OutOfBudget if can_exhaust => {
                    can_exhaust = false;
                    let answer = context.sweep(dag, question, &question.slice, Effort::exhaustive(EXHAUSTIVE_BUDGET));
                    if answer.is_some() {
                        return answer;
                    }
                }
                Verdict::OutOfBudget if !is_whole => asked.clone_from(&whole.literals),
                Verdict::OutOfBudget => return Some(Answer::Unknown(UnknownReason::ResourceLimit)),
                Verdict::Killed => return Some(Answer::Unknown(UnknownReason::Timeout)),
            }
        }
    }

    fn end_path(&mut self) {
        *self = Sat::default();
    }
}

impl Whole {
    fn new(path: &Path, question: &Question) -> Whole {
        let of_path = question.slice.literals.iter().map(|&index| path.literal(index).literal);
        Whole {
            literals: question.open.iter().copied().chain(of_path).collect(),
            domains: question.slice.bytes.iter().map(|&byte| (byte, question.domain(path, byte))).collect(),
        }
    }

    /// The literals of the path.
    fn of_path(&self, question: &Question) -> &[Literal] {
        &self.literals[question.open.len()..]
    }
}

impl Sat {
    /// The literals and domains of a contradiction that stands whatever lookups give: bounds of a pointer that was
    /// loaded follow from earlier bounds of the same pointer, wherever it was loaded from.
    fn refute_opaque(
        &mut self,
        dag: &Dag,
        context: &mut Context,
        question: &Question,
        whole: &Whole,
    ) -> Option<Contradiction> {
        let path = &mut context.path;
        let mut lookups: FxHashSet<ExprId> = FxHashSet::default();
        for literal in &question.open {
            lookups.extend(path.uppermost_lookups(dag, literal.expr).iter());
        }
        if lookups.is_empty() {
            return None;
        }
        let is_about = |literal: &&Literal| {
            path.uppermost_lookups(dag, literal.expr).iter().any(|lookup| lookups.contains(lookup))
        };
        let related = whole.of_path(question).iter().rev().filter(is_about).take(N_NEAR_MAX).copied();
        let asked: Vec<Literal> = question.open.iter().copied().chain(related).collect();
        match self.solve(dag, context, &asked, &whole.domains, Lookups::Opaque, 1) {
            Verdict::Unsat { literals: used, domains: used_domains } => {
                Some((used.iter().map(|&index| asked[index]).collect(), used_domains))
            }
            _ => None,
        }
    }

    fn solve(
        &mut self,
        dag: &Dag,
        context: &mut Context,
        literals: &[Literal],
        domains: &[(u32, ByteSet)],
        lookups: Lookups,
        n_limits: usize,
    ) -> Verdict {
        // Something is left for Z3.
        let deadline = context.time_left().map(|left| Instant::now() + left * 3 / 4);
        let Context { config, path, .. } = context;
        let fixed = path.fixed_bytes(dag, literals);
        let task = Task { literals, domains, fixed: &fixed, n_limits, deadline };
        let slot = match lookups {
            Lookups::Encoded => &mut self.session,
            Lookups::Opaque => &mut self.opaque_session,
        };
        let is_first = slot.is_none();
        let mut session = slot.take().unwrap_or_else(|| Session::new(path.hint(), config, lookups));
        let mut verdict = session.solve(dag, config, &task, |addr| path.value_on_hint(dag, addr) as u64);
        if matches!(verdict, Verdict::OutOfBudget) && session.is_over() && !is_first {
            // It was full of earlier questions.
            session = Session::new(path.hint(), config, lookups);
            verdict = session.solve(dag, config, &task, |addr| path.value_on_hint(dag, addr) as u64);
        }
        if !session.is_over() {
            *slot = Some(session);
        }
        verdict
    }
}

/// Literals about what is looked up for the question anyway: they add little to the circuit.
fn near_literals(dag: &Dag, path: &mut Path, question: &Question, whole: &Whole) -> Vec<Literal> {
    let roots: Vec<ExprId> = question.open.iter().map(|literal| literal.expr).collect();
    let below = path.reachable(dag, &roots);
    let is_near = |literal: &&Literal| {
        let lookups = path.uppermost_lookups(dag, literal.expr);
        !lookups.is_empty() && lookups.iter().all(|lookup| below.contains(lookup))
    };
    whole.of_path(question).iter().rev().filter(is_near).take(N_NEAR_MAX).copied().collect()
}

/// Leaves word of why, if that is less than everything.
fn unsat(question: &mut Question, whole: &Whole, (literals, used_domains): Contradiction) -> Answer {
    if literals.len() < whole.literals.len() {
        let domains = used_domains.into_iter().map(|index| whole.domains[index]).collect();
        question.refutation = Some(Refutation { literals, domains });
    }
    Answer::Unsat
}
