//! Questions whether what a run did can go wrong.
//!
//! Accesses at symbolic addresses are steps of a path condition that say so
//! themselves ([`gimlet_path::StepKind::Access`]); what library functions are given is checked by
//! the runtime, which knows the objects. What is left is arithmetic: the size of an allocation is
//! pinned, and the run goes on with what came of it, also where the computation wrapped around.
//! Before such a pin a step is inserted, as if the program had asserted that it did not. What was
//! computed is read off the records of the run: a simplified expression has forgotten it.

use gimlet_expr::{BinOp, Dag, Evaluator, ExprId, Node};
use gimlet_path::translate::Translation;
use gimlet_path::{PathCondition, Step, StepKind};
use gimlet_trace::event::PinReason;
use gimlet_trace::{Label, Trace};

/// Library functions that are given a size, and give memory.
const ALLOCATORS: [&str; 8] =
    ["malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "posix_memalign", "valloc"];

/// These multiply by themselves, and notice.
const CAREFUL: [&str; 2] = ["calloc", "reallocarray"];

/// Nodes of a size that are looked at.
const N_NODES: usize = 256;

/// Inserts a step before each size of an allocation that is symbolic: that its computation does not wrap around. Gives the
/// numbers of those for which it did in this run.
pub fn add_sizes(path: &mut PathCondition, trace: &Trace) -> Vec<usize> {
    let mut wrapped = Vec::new();
    let mut known: Option<(Translation, Evaluator)> = None;
    let mut at = 0;
    while at < path.steps.len() {
        let step = &path.steps[at];
        let (event, site) = (step.event, step.site);
        at += 1;
        let is_size = matches!(step.kind, StepKind::Pin { reason: Some(PinReason::Size), .. });
        if !is_size || !is_allocation(trace, site) {
            continue;
        }
        if known.is_none() {
            let translation = Translation::on_demand(trace, Dag::unsimplified());
            known = Some((translation, Evaluator::new(&trace.flatten(&trace.input))));
        }
        let Some((translation, evaluator)) = &mut known else { break };
        let size = translation.expr(Label(trace.events[event].a));
        let Some(wraps) = wraps(&mut translation.dag, size) else { continue };
        let wraps = path.dag.graft(&translation.dag.cut(wraps));
        if path.dag.as_const(wraps) == Some(0) {
            continue;
        }
        let held = !evaluator.holds(&path.dag, wraps);
        let test = path.dag.not(wraps);
        let condition = if held { test } else { wraps };
        path.steps
            .insert(at - 1, Step { event, site, kind: StepKind::Assert { test, held }, condition, is_loose: false });
        if !held {
            wrapped.push(at - 1);
        }
        at += 1;
    }
    wrapped
}

fn is_allocation(trace: &Trace, site: u32) -> bool {
    let callee = trace.site(site).and_then(|site| site.callee.as_deref());
    callee.is_some_and(|callee| ALLOCATORS.contains(&callee) && !CAREFUL.contains(&callee))
}

/// The condition under which the computation of a size wraps around, or gives a negative number; none if it cannot.
pub fn wraps(dag: &mut Dag, size: ExprId) -> Option<ExprId> {
    let mut any = dag.boolean(false);
    let mut work = vec![size];
    let mut n_nodes = 0;
    while let Some(expr) = work.pop() {
        n_nodes += 1;
        if n_nodes > N_NODES {
            break;
        }
        if let Some(condition) = wraps_here(dag, expr) {
            any = dag.binary(BinOp::Or, any, condition);
        }
        match dag.node(expr) {
            Node::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or, lhs, rhs } => {
                work.extend([lhs, rhs]);
            }
            Node::Binary { op: BinOp::Shl | BinOp::UDiv | BinOp::LShr, lhs, .. } => work.push(lhs),
            Node::ZExt { arg, .. } | Node::SExt { arg, .. } | Node::Extract { lo: 0, arg, .. } => work.push(arg),
            Node::Ite { then, other, .. } => work.extend([then, other]),
            _ => {}
        }
    }
    // A negative number of 64 bits is more than there is.
    if dag.width(size) == 64 {
        let zero = dag.constant(64, 0);
        let negative = dag.binary(BinOp::Slt, size, zero);
        any = dag.binary(BinOp::Or, any, negative);
    }
    (dag.as_const(any) != Some(0)).then_some(any)
}

/// Whether a number may be negative for all that its shape says.
fn is_signed(dag: &Dag, expr: ExprId) -> bool {
    matches!(dag.node(expr), Node::SExt { .. })
}

/// The condition under which one operation wraps around.
fn wraps_here(dag: &mut Dag, expr: ExprId) -> Option<ExprId> {
    let width = dag.width(expr);
    match dag.node(expr) {
        Node::Binary { op: BinOp::Add, lhs, rhs } => {
            let (value, constant) = match (dag.as_const(lhs), dag.as_const(rhs)) {
                (None, Some(constant)) => (lhs, Some(constant)),
                (Some(constant), None) => (rhs, Some(constant)),
                _ => (lhs, None),
            };
            match constant {
                // A subtraction in other words.
                Some(constant) if constant >> (width - 1) & 1 == 1 => {
                    let less = (1u128 << (width - 1)).wrapping_mul(2).wrapping_sub(constant);
                    let less = dag.constant(width, less & mask(width));
                    Some(dag.binary(BinOp::USubO, value, less))
                }
                _ if is_signed(dag, lhs) || is_signed(dag, rhs) => None,
                _ => Some(dag.binary(BinOp::UAddO, lhs, rhs)),
            }
        }
        Node::Binary { op: BinOp::Mul, lhs, rhs } if !is_signed(dag, lhs) && !is_signed(dag, rhs) => {
            Some(dag.binary(BinOp::UMulO, lhs, rhs))
        }
        Node::Binary { op: BinOp::Sub, lhs, rhs } if !is_signed(dag, lhs) && !is_signed(dag, rhs) => {
            Some(dag.binary(BinOp::USubO, lhs, rhs))
        }
        Node::Binary { op: BinOp::Shl, lhs, rhs } if !is_signed(dag, lhs) => {
            let back = dag.binary(BinOp::LShr, expr, rhs);
            Some(dag.binary(BinOp::Ne, back, lhs))
        }
        // A sum or a product that is put into less than it was computed in.
        Node::Extract { lo: 0, arg, .. } if is_computed(dag, arg) => {
            let whole = dag.zext(dag.width(arg), expr);
            Some(dag.binary(BinOp::Ne, whole, arg))
        }
        _ => None,
    }
}

fn is_computed(dag: &Dag, expr: ExprId) -> bool {
    let Node::Binary { op: BinOp::Add | BinOp::Mul | BinOp::Shl, lhs, rhs } = dag.node(expr) else { return false };
    !is_signed(dag, lhs) && !is_signed(dag, rhs)
}

fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of 32 bits from the input.
    fn number(dag: &mut Dag, first: u32) -> ExprId {
        let bytes: Vec<ExprId> = (first..first + 4).map(|byte| dag.byte(byte)).collect();
        bytes.into_iter().reduce(|low, high| dag.concat(high, low)).unwrap()
    }

    /// Whether the size wraps on each of these inputs.
    fn check(dag: &mut Dag, size: ExprId, cases: &[(u32, bool)]) {
        let wraps = wraps(dag, size).unwrap();
        for &(input, expected) in cases {
            let mut evaluator = Evaluator::new(&input.to_le_bytes());
            assert_eq!(evaluator.holds(dag, wraps), expected, "{input:#x}");
        }
    }

    #[test]
    fn products_and_sums_wrap() {
        let mut dag = Dag::unsimplified();
        let count = number(&mut dag, 0);
        let (twelve, eight) = (dag.constant(32, 12), dag.constant(32, 8));
        let product = dag.binary(BinOp::Mul, count, twelve);
        let sum = dag.binary(BinOp::Add, product, eight);
        let size = dag.zext(64, sum);
        check(&mut dag, size, &[(1, false), (0x1555_5554, false), (0x1555_5556, true), (0x1555_5555, true)]);
    }

    #[test]
    fn differences_wrap_below_zero_only() {
        let mut dag = Dag::unsimplified();
        let count = number(&mut dag, 0);
        let minus_four = dag.constant(32, u128::from(4u32.wrapping_neg()));
        let difference = dag.binary(BinOp::Add, count, minus_four);
        let size = dag.zext(64, difference);
        check(&mut dag, size, &[(4, false), (100, false), (3, true), (0xffff_ffff, false)]);
    }

    #[test]
    fn what_does_not_fit_is_lost() {
        let mut dag = Dag::unsimplified();
        let count = number(&mut dag, 0);
        let one = dag.constant(32, 1);
        let sum = dag.binary(BinOp::Add, count, one);
        let short = dag.extract(0, 16, sum);
        let size = dag.zext(64, short);
        check(&mut dag, size, &[(7, false), (0xfffe, false), (0xffff, true)]);
    }

    #[test]
    fn what_cannot_wrap_is_no_question() {
        let mut dag = Dag::new();
        let byte = dag.byte(0);
        let wide = dag.zext(64, byte);
        let size = dag.constant(64, 16);
        let product = dag.binary(BinOp::Mul, wide, size);
        let wrapping = wraps(&mut dag, product);
        // The simplifier may not see it, but no input does it.
        if let Some(wrapping) = wrapping {
            assert!((0..=255).all(|byte| !Evaluator::new(&[byte]).holds(&dag, wrapping)));
        }
    }
}
