//! The chain, and each layer alone, against all inputs and against Z3 alone.

use std::time::Duration;

use gimlet_expr::recipe::{build, Limits};
use gimlet_expr::{BinOp, Dag, Evaluator, ExprId, Node};
use gimlet_solver::{Answer, Chain, Config, Layer, Options, Query, Solver, UnknownReason, Z3Solver};
use proptest::prelude::*;

/// A path: conditions that hold on `hint`, and for each an alternative that doesn't.
struct Path {
    dag: Dag,
    hint: Vec<u8>,
    conditions: Vec<ExprId>,
    alternatives: Vec<ExprId>,
}

/// Conditions on expressions of a recipe: that they have their value on the hint, or not the value
/// next to it, or are less than the value next to it.
fn path(is_simplifying: bool, limits: Limits, recipe: &[u8], picks: &[(usize, u8)], hint: &[u8]) -> Path {
    let mut dag = if is_simplifying { Dag::new() } else { Dag::unsimplified() };
    let exprs = build(&mut dag, limits, recipe);
    let (mut conditions, mut alternatives) = (Vec::new(), Vec::new());
    for &(pick, kind) in picks {
        let expr = exprs[exprs.len() - 1 - pick % exprs.len()];
        let value = Evaluator::new(hint).eval(&dag, expr);
        let width = dag.width(expr);
        let (same, next) = (dag.constant(width, value), dag.constant(width, value.wrapping_add(1)));
        let (holds, alternative) = match kind % 4 {
            0 => (dag.binary(BinOp::Eq, expr, same), dag.binary(BinOp::Eq, expr, next)),
            1 => (dag.binary(BinOp::Ne, expr, next), dag.binary(BinOp::Eq, expr, next)),
            2 => (dag.binary(BinOp::Ule, expr, same), dag.binary(BinOp::Ult, same, expr)),
            _ => (dag.binary(BinOp::Sle, same, expr), dag.binary(BinOp::Slt, expr, same)),
        };
        conditions.push(holds);
        alternatives.push(alternative);
    }
    Path { dag, hint: hint.to_vec(), conditions, alternatives }
}

impl Path {
    fn query(&self, step: usize) -> Query {
        let mut constraints = self.conditions[..step].to_vec();
        constraints.push(self.alternatives[step]);
        Query::new(constraints)
    }

    /// The answers of a chain to the alternative of each step.
    fn answers(&self, chain: &mut Chain) -> Vec<Answer> {
        chain.begin_path(&self.dag, &self.hint);
        let steps = self.conditions.iter().zip(&self.alternatives);
        steps
            .map(|(&condition, &alternative)| {
                let answer = chain.ask(&self.dag, alternative);
                chain.push(&self.dag, condition);
                answer
            })
            .collect()
    }

    /// Inputs of two bytes that satisfy the query without and with reading outside a table.
    fn all_models(&self, query: &Query) -> (Vec<[u8; 2]>, bool) {
        let mut inside = Vec::new();
        let mut is_outside = false;
        let mut evaluator = Evaluator::new(&self.hint);
        for number in 0..=u16::MAX {
            evaluator.set_input(&number.to_le_bytes());
            let leaves = leaves_a_table(&self.dag, query, &mut evaluator);
            is_outside |= leaves;
            if !leaves && query.constraints.iter().all(|&id| evaluator.holds(&self.dag, id)) {
                inside.push(number.to_le_bytes());
            }
        }
        (inside, is_outside)
    }
}

/// Whether a lookup below the query reads outside its table on the input.
fn leaves_a_table(dag: &Dag, query: &Query, evaluator: &mut Evaluator) -> bool {
    dag.reachable(&query.constraints).into_iter().any(|id| match dag.node(id) {
        Node::Lookup { table, addr, width } => {
            let addr = evaluator.eval(dag, addr) as u64;
            (0..u64::from(width / 8)).any(|i| dag.table(table).cell_at(addr.wrapping_add(i)).is_none())
        }
        _ => false,
    })
}

fn config(layers: &[Layer]) -> Config {
    let mut config = if layers.is_empty() { Config::default() } else { Config::only(layers) };
    config.kill_after = Some(Duration::from_secs(5));
    config.rlimits = vec![3_000_000];
    config
}

/// The layers alone, with slices and without, and the whole chain.
const COMBINATIONS: [&[Layer]; 8] = [
    &[],
    &[Layer::Simplify, Layer::Domains],
    &[Layer::Domains],
    &[Layer::Slice, Layer::Search],
    &[Layer::Slice, Layer::Z3],
    &[Layer::Sat],
    &[Layer::Simplify, Layer::Slice, Layer::Sat],
    &[Layer::Simplify, Layer::Slice, Layer::Domains, Layer::Search],
];

/// The answer is true: a model satisfies the query, and `Unsat` has no model.
fn check_answer(path: &Path, step: usize, answer: &Answer, truth: &(Vec<[u8; 2]>, bool)) -> Result<(), TestCaseError> {
    let query = path.query(step);
    match answer {
        Answer::Sat(model) => {
            let mut evaluator = Evaluator::new(&model.overlay(&path.hint));
            prop_assert!(query.constraints.iter().all(|&id| evaluator.holds(&path.dag, id)));
        }
        Answer::Unsat => prop_assert_eq!(&truth.0, &Vec::<[u8; 2]>::new()),
        Answer::Unknown(UnknownReason::ModelRejected) => prop_assert!(false, "rejected"),
        Answer::Unknown(_) => {}
    }
    Ok(())
}

const LIMITS: Limits = Limits { n_inputs: 2, width_max: 40, product_width_max: 8 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn agrees_with_all_inputs(
        is_simplifying in any::<bool>(),
        recipe in prop::collection::vec(any::<u8>(), 8..70),
        picks in prop::collection::vec((0..8usize, any::<u8>()), 1..5),
        hint in prop::collection::vec(any::<u8>(), 2),
    ) {
        let path = path(is_simplifying, LIMITS, &recipe, &picks, &hint);
        let truths: Vec<_> = (0..picks.len()).map(|step| path.all_models(&path.query(step))).collect();
        for layers in COMBINATIONS {
            let mut chain = Chain::new(config(layers));
            let answers = path.answers(&mut chain);
            for (step, (answer, truth)) in answers.iter().zip(&truths).enumerate() {
                check_answer(&path, step, answer, truth)?;
                let is_whole = layers.is_empty() && !truth.1;
                prop_assert!(!is_whole || !matches!(answer, Answer::Unknown(_)), "{:?}", answer);
            }
            prop_assert_eq!(chain.stats().n_rejected, 0);
            prop_assert_eq!(chain.stats().n_total as usize, picks.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// More bytes and wider numbers than can be enumerated.
    #[test]
    fn agrees_with_z3(
        is_simplifying in any::<bool>(),
        recipe in prop::collection::vec(any::<u8>(), 8..120),
        picks in prop::collection::vec((0..10usize, any::<u8>()), 1..5),
        hint in prop::collection::vec(any::<u8>(), 6),
    ) {
        let limits = Limits { n_inputs: 6, width_max: 64, product_width_max: 8 };
        let path = path(is_simplifying, limits, &recipe, &picks, &hint);
        let options = Options { rlimit: Some(2_000_000), ..Options::default() };
        let expected: Vec<Answer> = (0..picks.len())
            .map(|step| Z3Solver::new(options.clone()).solve(&path.dag, &path.query(step), &path.hint))
            .collect();
        for layers in COMBINATIONS {
            let answers = path.answers(&mut Chain::new(config(layers)));
            for (step, (answer, expected)) in answers.iter().zip(&expected).enumerate() {
                match (answer, expected) {
                    (Answer::Sat(_), Answer::Unsat) | (Answer::Unsat, Answer::Sat(_)) => {
                        prop_assert!(false, "{:?}: {:?} but Z3 says {:?}\n{}", layers, answer, expected, gimlet_solver::to_smtlib(&path.dag, &path.query(step)));
                    }
                    (Answer::Sat(model), _) => {
                        let mut evaluator = Evaluator::new(&model.overlay(&path.hint));
                        let mut constraints = path.query(step).constraints.into_iter();
                        prop_assert!(constraints.all(|id| evaluator.holds(&path.dag, id)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// The same questions get the same answers, one by one through `solve` as well; and no byte of a
    /// model can go back to the hint.
    #[test]
    fn repeats_and_stays_near(
        recipe in prop::collection::vec(any::<u8>(), 8..120),
        picks in prop::collection::vec((0..10usize, any::<u8>()), 1..6),
        hint in prop::collection::vec(any::<u8>(), 4),
    ) {
        let limits = Limits { n_inputs: 4, width_max: 64, product_width_max: 8 };
        let path = path(true, limits, &recipe, &picks, &hint);
        let (mut first, mut second, mut third) = (Chain::default(), Chain::default(), Chain::default());
        let answers = path.answers(&mut first);
        prop_assert_eq!(&path.answers(&mut second), &answers);
        for (step, answer) in answers.iter().enumerate() {
            prop_assert_eq!(&third.solve(&path.dag, &path.query(step), &path.hint), answer);
            let Answer::Sat(model) = answer else { continue };
            for (byte, value) in model.iter() {
                prop_assert_ne!(value, path.hint[byte as usize]);
                let mut nearer = model.clone();
                nearer.remove(byte);
                let mut evaluator = Evaluator::new(&nearer.overlay(&path.hint));
                let is_model = path.query(step).constraints.iter().all(|&id| evaluator.holds(&path.dag, id));
                prop_assert!(!is_model, "byte {} need not change", byte);
            }
        }
    }
}
