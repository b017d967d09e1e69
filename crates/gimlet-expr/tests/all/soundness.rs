//! Rewriting keeps values: a recipe built with and without it gives the same on every input.

use std::collections::BTreeSet;

use gimlet_expr::recipe::{build, Limits};
use gimlet_expr::{Dag, Evaluator, Node};
use proptest::prelude::*;

/// Values at which rules differ are drawn more often.
fn input_byte() -> impl Strategy<Value = u8> {
    prop_oneof![prop::sample::select(vec![0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff]), any::<u8>()]
}

fn input() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(input_byte(), 4)
}

fn check(recipe: &[u8], inputs: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let (mut simple, mut raw) = (Dag::new(), Dag::unsimplified());
    let simple_exprs = build(&mut simple, Limits::default(), recipe);
    let raw_exprs = build(&mut raw, Limits::default(), recipe);
    let name = |index| format!("b{index}");
    for input in inputs {
        let mut simple_eval = Evaluator::new(input);
        let mut raw_eval = Evaluator::new(input);
        for (&a, &b) in simple_exprs.iter().zip(&raw_exprs) {
            prop_assert_eq!(simple.width(a), raw.width(b));
            let (simple_value, raw_value) = (simple_eval.eval(&simple, a), raw_eval.eval(&raw, b));
            prop_assert!(
                simple_value == raw_value,
                "{simple_value:#x} != {raw_value:#x} on {input:?}\n  simplified: {}\n  raw: {}",
                simple.display(a, &name),
                raw.display(b, &name)
            );
        }
    }
    for (&a, &b) in simple_exprs.iter().zip(&raw_exprs) {
        let raw_support = raw.support(b);
        prop_assert!(simple.support(a).iter().all(|index| raw_support.contains(index)));
        prop_assert_eq!(raw.size(b), raw.reachable(&[b]).len());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn rewriting_keeps_values(
        recipe in prop::collection::vec(any::<u8>(), 0..160),
        inputs in prop::collection::vec(input(), 6),
    ) {
        check(&recipe, &inputs)?;
    }

    /// Short recipes apply few operators to the inputs themselves, where more rules match.
    #[test]
    fn rewriting_keeps_values_of_small_expressions(
        recipe in prop::collection::vec(any::<u8>(), 8..40),
        inputs in prop::collection::vec(input(), 12),
    ) {
        check(&recipe, &inputs)?;
    }
}

/// The recipes reach every kind of node and operator.
#[test]
fn recipes_cover_every_operator() {
    let mut kinds = BTreeSet::new();
    let mut state = 1u64;
    for _ in 0..300 {
        let recipe: Vec<u8> = (0..200)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        let mut dag = Dag::unsimplified();
        let roots = build(&mut dag, Limits::default(), &recipe);
        for id in dag.reachable(&roots) {
            kinds.insert(match dag.node(id) {
                Node::Unary { op, .. } => format!("{op:?}"),
                Node::Binary { op, .. } => format!("{op:?}"),
                Node::Funnel { op, .. } => format!("{op:?}"),
                node => format!("{node:?}").split([' ', '(']).next().unwrap_or("").to_owned(),
            });
        }
    }
    // 6 unary, 25 binary, 2 funnel shifts, 8 other kinds of node.
    assert_eq!(kinds.len(), 6 + 25 + 2 + 8, "{kinds:?}");
}
