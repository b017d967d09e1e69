//! Random queries over few input bytes against all inputs.

use std::time::Duration;

use gimlet_expr::recipe::{build, Limits};
use gimlet_expr::{BinOp, Dag, Evaluator, ExprId, Node};
use gimlet_solver::{to_smtlib, Answer, Options, Query, Solver, UnknownReason, Z3Solver};
use proptest::prelude::*;

/// Conditions that some of the recipe's expressions have a given value. With `is_offset`, the last
/// one has a value next to that on `target`, so that often no input satisfies it.
fn query(dag: &mut Dag, exprs: &[ExprId], picks: &[usize], target: &[u8], is_offset: bool) -> Query {
    let mut constraints = Vec::new();
    for (idx, pick) in picks.iter().enumerate() {
        let expr = exprs[exprs.len() - 1 - pick % exprs.len()];
        let value = Evaluator::new(target).eval(dag, expr);
        let is_last = idx + 1 == picks.len();
        let wanted = dag.constant(dag.width(expr), value.wrapping_add(u128::from(is_offset && is_last)));
        constraints.push(dag.binary(BinOp::Eq, expr, wanted));
    }
    Query::new(constraints)
}

/// Whether a lookup below the query reads outside its table on the input. Recipes make tables that
/// wrap around the end of memory; beyond it counts as outside.
fn leaves_a_table(dag: &Dag, query: &Query, evaluator: &mut Evaluator) -> bool {
    dag.reachable(&query.constraints).into_iter().any(|id| match dag.node(id) {
        Node::Lookup { table, addr, width } => {
            let addr = evaluator.eval(dag, addr) as u64;
            let n_bytes = u64::from(width / 8);
            let last = addr.wrapping_add(n_bytes - 1);
            last < dag.table(table).base()
                || (0..n_bytes).any(|i| dag.table(table).cell_at(addr.wrapping_add(i)).is_none())
        }
        _ => false,
    })
}

/// Compares with all inputs of `n_inputs` bytes.
fn check(dag: &Dag, query: &Query, hint: &[u8], n_inputs: u32) -> Result<(), TestCaseError> {
    let options = Options { rlimit: Some(5_000_000), timeout: Some(Duration::from_secs(2)), ..Options::default() };
    let answer = Z3Solver::new(options).solve(dag, query, hint);
    let is_outside = match &answer {
        Answer::Sat(model) => {
            let mut evaluator = Evaluator::new(&model.overlay(hint));
            prop_assert!(query.constraints.iter().all(|&id| evaluator.holds(dag, id)));
            return Ok(());
        }
        Answer::Unsat => false,
        Answer::Unknown(UnknownReason::OutsideTable) => true,
        Answer::Unknown(UnknownReason::ResourceLimit | UnknownReason::Timeout) => return Ok(()),
        Answer::Unknown(reason) => return Err(TestCaseError::fail(reason.to_string())),
    };
    let mut evaluator = Evaluator::new(hint);
    for number in 0..1u32 << (8 * n_inputs) {
        let input = &number.to_le_bytes()[..n_inputs as usize];
        evaluator.set_input(input);
        if query.constraints.iter().all(|&id| evaluator.holds(dag, id)) {
            let is_excused = is_outside && leaves_a_table(dag, query, &mut evaluator);
            prop_assert!(is_excused, "{answer:?} but {input:?} satisfies\n{}", to_smtlib(dag, query));
        }
    }
    Ok(())
}

fn run(
    is_simplifying: bool,
    n_inputs: u32,
    recipe: &[u8],
    picks: &[usize],
    target: &[u8],
    is_offset: bool,
) -> Result<(), TestCaseError> {
    let mut dag = if is_simplifying { Dag::new() } else { Dag::unsimplified() };
    let limits = Limits { n_inputs, width_max: 40, product_width_max: 8 };
    let exprs = build(&mut dag, limits, recipe);
    let query = query(&mut dag, &exprs, picks, target, is_offset);
    check(&dag, &query, &[0x5a, 0xc3], n_inputs)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_byte(
        is_simplifying in any::<bool>(),
        recipe in prop::collection::vec(any::<u8>(), 4..80),
        picks in prop::collection::vec(0..4usize, 1..3),
        target in prop::collection::vec(any::<u8>(), 1),
        is_offset in any::<bool>(),
    ) {
        run(is_simplifying, 1, &recipe, &picks, &target, is_offset)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn two_bytes(
        is_simplifying in any::<bool>(),
        recipe in prop::collection::vec(any::<u8>(), 8..60),
        picks in prop::collection::vec(0..6usize, 1..4),
        target in prop::collection::vec(any::<u8>(), 2),
        is_offset in any::<bool>(),
    ) {
        run(is_simplifying, 2, &recipe, &picks, &target, is_offset)?;
    }
}
