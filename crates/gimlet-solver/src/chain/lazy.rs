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

use super::Chain;
use crate::byte_set::ByteSet;
use crate::cache::{Core, Shape};
use crate::literal::Literal;
use crate::lower::Lookups;
use crate::path::PathSlice;
use crate::query::{Answer, Model, UnknownReason};
use crate::question::Question;
use crate::sat::{Session, Task, Verdict};
use crate::sweep::Effort;

/// Literals of the path that are added at a time, at least.
const N_ADDED_MIN: usize = 4;
/// Literals of the path that are asked about from the start.
const N_NEAR_MAX: usize = 64;

/// Inputs that are tried one by one where the solver gets stuck, and the instructions that may take.
const N_COMBINATIONS_MAX: u64 = 200_000;
const EXHAUSTIVE_BUDGET: u64 = 20_000_000;

/// The literals that contradict each other, and the numbers of the domains that it takes.
type Contradiction = (Vec<Literal>, Vec<usize>);

impl Chain {
    pub(super) fn ask_sat(
        &mut self,
        dag: &Dag,
        question: &Question,
        slice: &PathSlice,
        shape: Option<&Shape>,
    ) -> Option<Answer> {
        let path = &mut self.path;
        let of_path = slice.literals.iter().map(|&index| path.literal(index).literal);
        let literals: Vec<Literal> = question.open.iter().copied().chain(of_path).collect();
        let domains: Vec<(u32, ByteSet)> =
            slice.bytes.iter().map(|&byte| (byte, question.domain(path, byte))).collect();
        if let Some(core) = self.refute_opaque(dag, question, &literals, &domains) {
            return Some(self.unsat(dag, core, &literals, &domains, shape));
        }
        let n_combinations = domains.iter().fold(1, |n: u64, (_, domain)| n.saturating_mul(domain.len() as u64));
        let mut can_exhaust = n_combinations <= N_COMBINATIONS_MAX;
        let mut asked: Vec<Literal> = question.open.clone();
        asked.extend(self.near_literals(dag, question, &literals[question.open.len()..]));
        loop {
            let is_whole = asked.len() == literals.len();
            let n_limits = match (can_exhaust, is_whole) {
                (true, _) => 1,
                (_, true) => self.config.conflict_limits.len(),
                // Where it gets hard, more literals may make it easier.
                _ => self.config.conflict_limits.len().saturating_sub(1).max(1),
            };
            match self.ask_session(dag, &asked, &domains, Lookups::Encoded, n_limits) {
                Verdict::Outside(_) if is_whole => return Some(Answer::Unknown(UnknownReason::OutsideTable)),
                Verdict::Sat(mut model) | Verdict::Outside(mut model) => {
                    // Bytes that only have a domain are not in the circuit.
                    for &(byte, domain) in &domains {
                        if model.get(byte).is_none() {
                            model.set(byte, domain.prefer(self.path.hint_at(byte))?);
                        }
                    }
                    let (mut violated, is_certain) = self.violated(dag, &literals, &model);
                    if is_whole || violated.is_empty() && is_certain {
                        return Some(Answer::Sat(model));
                    }
                    violated.retain(|literal| !asked.contains(literal));
                    if violated.is_empty() {
                        asked.clone_from(&literals);
                    }
                    let n_more = N_ADDED_MIN.max(asked.len());
                    asked.extend(violated.into_iter().take(n_more));
                }
                Verdict::Unsat { literals: used, domains: used_domains } => {
                    let core = (used.iter().map(|&index| asked[index]).collect(), used_domains);
                    return Some(self.unsat(dag, core, &literals, &domains, shape));
                }
                // Products of a few digits: there are fewer inputs than conflicts.
                Verdict::OutOfBudget if can_exhaust => {
                    can_exhaust = false;
                    let answer = self.sweep(dag, question, slice, Effort::exhaustive(EXHAUSTIVE_BUDGET));
                    if answer.is_some() {
                        return answer;
                    }
                }
                Verdict::OutOfBudget if !is_whole => asked.clone_from(&literals),
                Verdict::OutOfBudget => return Some(Answer::Unknown(UnknownReason::ResourceLimit)),
                Verdict::Killed => return Some(Answer::Unknown(UnknownReason::Timeout)),
            }
        }
    }

    /// The literals and domains of a contradiction that stands whatever lookups give: bounds of a pointer that was
    /// loaded follow from earlier bounds of the same pointer, wherever it was loaded from.
    fn refute_opaque(
        &mut self,
        dag: &Dag,
        question: &Question,
        literals: &[Literal],
        domains: &[(u32, ByteSet)],
    ) -> Option<Contradiction> {
        let mut lookups: FxHashSet<ExprId> = FxHashSet::default();
        for literal in &question.open {
            lookups.extend(self.path.uppermost_lookups(dag, literal.expr).iter());
        }
        if lookups.is_empty() {
            return None;
        }
        let of_path = &literals[question.open.len()..];
        let path = &mut self.path;
        let is_about = |literal: &&Literal| {
            path.uppermost_lookups(dag, literal.expr).iter().any(|lookup| lookups.contains(lookup))
        };
        let related = of_path.iter().rev().filter(is_about).take(N_NEAR_MAX).copied();
        let asked: Vec<Literal> = question.open.iter().copied().chain(related).collect();
        match self.ask_session(dag, &asked, domains, Lookups::Opaque, 1) {
            Verdict::Unsat { literals: used, domains: used_domains } => {
                Some((used.iter().map(|&index| asked[index]).collect(), used_domains))
            }
            _ => None,
        }
    }

    /// Literals about what is looked up for the question anyway: they add little to the circuit.
    fn near_literals(&mut self, dag: &Dag, question: &Question, of_path: &[Literal]) -> Vec<Literal> {
        let roots: Vec<ExprId> = question.open.iter().map(|literal| literal.expr).collect();
        let below = self.path.reachable(dag, &roots);
        let path = &mut self.path;
        let is_near = |literal: &&Literal| {
            let lookups = path.uppermost_lookups(dag, literal.expr);
            !lookups.is_empty() && lookups.iter().all(|lookup| below.contains(lookup))
        };
        of_path.iter().rev().filter(is_near).take(N_NEAR_MAX).copied().collect()
    }

    /// Remembers why.
    fn unsat(
        &mut self,
        dag: &Dag,
        (used, used_domains): Contradiction,
        literals: &[Literal],
        domains: &[(u32, ByteSet)],
        shape: Option<&Shape>,
    ) -> Answer {
        if shape.is_some() && used.len() < literals.len() {
            let path = &mut self.path;
            let fixed = path.fixed_bytes(dag, &used);
            let of_fixed = path.fixed_domains(&fixed);
            let core = Core {
                domains: of_fixed.chain(used_domains.iter().map(|&index| domains[index])).collect(),
                literals: used.iter().map(|literal| path.fingerprint(dag, literal)).collect(),
            };
            self.cache.insert_core(core, self.config.n_remembered_max);
        }
        Answer::Unsat
    }

    fn ask_session(
        &mut self,
        dag: &Dag,
        literals: &[Literal],
        domains: &[(u32, ByteSet)],
        lookups: Lookups,
        n_limits: usize,
    ) -> Verdict {
        let path = &mut self.path;
        let fixed = path.fixed_bytes(dag, literals);
        // Something is left for Z3.
        let now = Instant::now();
        let deadline = self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) * 3 / 4);
        let task = Task { literals, domains, fixed: &fixed, n_limits, deadline };
        let slot = match lookups {
            Lookups::Encoded => &mut self.session,
            Lookups::Opaque => &mut self.opaque_session,
        };
        let (config, is_first) = (&self.config, slot.is_none());
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

    /// The literals that are false with a model in place, and whether that is so whatever memory holds outside tables.
    pub(super) fn violated(&mut self, dag: &Dag, literals: &[Literal], model: &Model) -> (Vec<Literal>, bool) {
        self.validator.set_input(&model.overlay(self.path.hint()));
        let validator = &mut self.validator;
        let is_false = |literal: &&Literal| !literal.holds_for(validator.eval(dag, literal.expr));
        let violated = literals.iter().filter(is_false).copied().collect();
        (violated, !self.validator.has_read_outside())
    }
}
