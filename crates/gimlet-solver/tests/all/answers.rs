//! Small queries with known answers, for Z3 through its interface and through SMT-LIB text.

use std::time::Duration;

use gimlet_expr::{BinOp, Dag, Evaluator, ExprId, FunnelOp, UnOp};
use gimlet_solver::{to_smtlib, Answer, Options, Query, Solver, UnknownReason, Z3Solver};

fn solve(dag: &Dag, constraints: Vec<ExprId>, hint: &[u8]) -> Answer {
    let query = Query::new(constraints);
    let answer = Z3Solver::default().solve(dag, &query, hint);
    match &answer {
        Answer::Sat(_) => assert_eq!(check_text(dag, &query), z3::SatResult::Sat),
        Answer::Unsat => assert_eq!(check_text(dag, &query), z3::SatResult::Unsat),
        Answer::Unknown(_) => {}
    }
    answer
}

fn check_text(dag: &Dag, query: &Query) -> z3::SatResult {
    let context = z3::Context::new(&z3::Config::new());
    let solver = z3::Solver::new(&context);
    solver.from_string(to_smtlib(dag, query));
    solver.check()
}

/// The input that the answer gives; it must be `Sat`.
#[track_caller]
fn input_of(answer: Answer, hint: &[u8]) -> Vec<u8> {
    match answer {
        Answer::Sat(model) => model.overlay(hint),
        other => panic!("{other:?}"),
    }
}

/// Input bytes `first ..` as one little-endian number.
fn number(dag: &mut Dag, first: u32, n_bytes: u32) -> ExprId {
    let mut word = dag.byte(first);
    for index in first + 1..first + n_bytes {
        let byte = dag.byte(index);
        word = dag.concat(byte, word);
    }
    word
}

fn with_const(dag: &mut Dag, op: BinOp, lhs: ExprId, value: u128) -> ExprId {
    let rhs = dag.constant(dag.width(lhs), value);
    dag.binary(op, lhs, rhs)
}

#[test]
fn a_product() {
    let mut dag = Dag::new();
    let word = number(&mut dag, 1, 2);
    let product = with_const(&mut dag, BinOp::Mul, word, 3);
    let equal = with_const(&mut dag, BinOp::Eq, product, 0x1234);
    let hint = [0xAA, 0, 0, 0xBB];
    let input = input_of(solve(&dag, vec![equal], &hint), &hint);
    assert_eq!((input[0], input[3], input.len()), (0xAA, 0xBB, 4));
    assert_eq!(u16::from_le_bytes([input[1], input[2]]).wrapping_mul(3), 0x1234);
}

#[test]
fn a_contradiction() {
    let mut dag = Dag::new();
    let (a, b) = (dag.byte(0), dag.byte(1));
    let less = dag.binary(BinOp::Ult, a, b);
    let greater = dag.binary(BinOp::Ult, b, a);
    assert_eq!(solve(&dag, vec![less, greater], &[0, 1]), Answer::Unsat);
    let never = dag.boolean(false);
    assert_eq!(solve(&dag, vec![less, never], &[0, 1]), Answer::Unsat);
    assert_eq!(solve(&dag, vec![never, less], &[0, 1]), Answer::Unsat);
}

#[test]
fn only_the_slice_is_in_the_model() {
    let mut dag = Dag::new();
    let (a, b) = (dag.byte(0), dag.byte(1));
    let a_is_seven = with_const(&mut dag, BinOp::Eq, a, 7);
    let b_is_nine = with_const(&mut dag, BinOp::Eq, b, 9);
    let Answer::Sat(model) = solve(&dag, vec![a_is_seven, b_is_nine], &[7, 0]) else {
        panic!("satisfiable");
    };
    assert_eq!(model.iter().collect::<Vec<_>>(), [(1, 9)]);
    let Answer::Sat(model) = solve(&dag, vec![a_is_seven, b_is_nine], &[0, 0]) else {
        panic!("satisfiable");
    };
    assert_eq!(model.iter().collect::<Vec<_>>(), [(0, 7), (1, 9)]);
    assert_eq!(solve(&dag, vec![], &[1]), Answer::Sat(gimlet_solver::Model::default()));
}

/// A table of squares, four bytes apart, the last entry an input byte.
fn squares(dag: &mut Dag, n_entries: u32) -> ExprId {
    let bytes: Vec<u8> = (0..n_entries).flat_map(|i| (i * i).to_le_bytes()).collect();
    let last = dag.byte(1);
    let table = dag.intern_table_bytes(0x4010, bytes, vec![(4 * (n_entries - 1), last)]);
    let index = dag.byte(0);
    let index = dag.zext(64, index);
    let scaled = with_const(dag, BinOp::Mul, index, 4);
    let addr = with_const(dag, BinOp::Add, scaled, 0x4010);
    dag.lookup(table, addr, 32)
}

#[test]
fn a_lookup() {
    let mut dag = Dag::new();
    let square = squares(&mut dag, 256);
    let is_square_of_33 = with_const(&mut dag, BinOp::Eq, square, 33 * 33);
    assert_eq!(input_of(solve(&dag, vec![is_square_of_33], &[0, 0]), &[0, 0])[0], 33);
    let is_no_square = with_const(&mut dag, BinOp::Eq, square, 1000);
    assert_eq!(solve(&dag, vec![is_no_square], &[0, 0]), Answer::Unsat);
    let is_last = with_const(&mut dag, BinOp::Eq, square, 0xfe77);
    assert_eq!(input_of(solve(&dag, vec![is_last], &[0, 0]), &[0, 0]), [255, 0x77]);
}

#[test]
fn lookups_stay_inside_their_table() {
    let mut dag = Dag::new();
    let square = squares(&mut dag, 16);
    let is_zero = with_const(&mut dag, BinOp::Eq, square, 0);
    let index = dag.byte(0);
    let is_not_first = with_const(&mut dag, BinOp::Ult, index, 9);
    let is_not_first = dag.not(is_not_first);
    let answer = solve(&dag, vec![is_not_first, is_zero], &[10, 1]);
    assert_eq!(input_of(answer, &[10, 1]), [15, 0]);
    let is_1000 = with_const(&mut dag, BinOp::Eq, square, 1000);
    let answer = solve(&dag, vec![is_1000], &[0, 0]);
    assert_eq!(answer, Answer::Unknown(UnknownReason::OutsideTable));
}

#[test]
fn large_tables_are_encoded_around_the_hint() {
    let mut dag = Dag::new();
    let bytes: Vec<u8> = (0..1u32 << 16).map(|i| (i >> 8) as u8).collect();
    let table = dag.intern_table_bytes(0x10000, bytes, vec![]);
    let index = number(&mut dag, 0, 2);
    let index = dag.zext(64, index);
    let addr = with_const(&mut dag, BinOp::Add, index, 0x10000);
    let cell = dag.lookup(table, addr, 8);
    let near = with_const(&mut dag, BinOp::Eq, cell, 0x43);
    let far = with_const(&mut dag, BinOp::Eq, cell, 0xF0);
    let query = |constraint| Query::new(vec![constraint]);
    let mut solver = Z3Solver::new(Options { n_lookup_positions_max: 1024, ..Options::default() });
    let hint = [0, 0x42];
    assert_eq!(input_of(solver.solve(&dag, &query(near), &hint), &hint)[1], 0x43);
    let answer = solver.solve(&dag, &query(far), &hint);
    assert_eq!(answer, Answer::Unknown(UnknownReason::OutsideTable));
}

#[test]
fn wide_numbers() {
    let mut dag = Dag::new();
    let word = number(&mut dag, 0, 16);
    let value = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128;
    let product = with_const(&mut dag, BinOp::Mul, word, 0x1_0000_0000_0000_0001);
    let equal = with_const(&mut dag, BinOp::Eq, product, value);
    let input = input_of(solve(&dag, vec![equal], &[0; 16]), &[0; 16]);
    let found = u128::from_le_bytes(input.try_into().expect("16 bytes"));
    assert_eq!(found.wrapping_mul(0x1_0000_0000_0000_0001), value);
}

#[test]
fn overflow_predicates() {
    for op in [BinOp::UAddO, BinOp::SAddO, BinOp::USubO, BinOp::SSubO, BinOp::UMulO, BinOp::SMulO] {
        for n_bytes in [1, 4] {
            let mut dag = Dag::new();
            let (a, b) = (number(&mut dag, 0, n_bytes), number(&mut dag, 4, n_bytes));
            let overflow = dag.binary(op, a, b);
            let small_a = with_const(&mut dag, BinOp::Ult, a, 9);
            let small_b = with_const(&mut dag, BinOp::Ult, b, 9);
            let ordered = dag.binary(BinOp::Ule, b, a);
            let input = input_of(solve(&dag, vec![overflow], &[1; 8]), &[1; 8]);
            assert!(Evaluator::new(&input).holds(&dag, overflow));
            let answer = solve(&dag, vec![small_a, small_b, ordered, overflow], &[1; 8]);
            assert_eq!(answer, Answer::Unsat, "{op:?}");
        }
    }
}

#[test]
fn funnel_shifts_and_counts() {
    let mut dag = Dag::new();
    let word = number(&mut dag, 0, 3);
    let amount = dag.byte(3);
    let amount = dag.zext(24, amount);
    for op in [FunnelOp::Left, FunnelOp::Right] {
        let rotated = dag.funnel(op, word, word, amount);
        let equal = with_const(&mut dag, BinOp::Eq, rotated, 0x00_12_34);
        let word_is = with_const(&mut dag, BinOp::Eq, word, 0x12_34_00);
        let large = with_const(&mut dag, BinOp::Ult, amount, 100);
        let large = dag.not(large);
        let hint = [0x00, 0x34, 0x12, 100];
        let input = input_of(solve(&dag, vec![word_is, large, equal], &hint), &hint);
        let expected = if op == FunnelOp::Left { 16 } else { 8 };
        assert_eq!(input[3] % 24, expected);
    }
    for op in [UnOp::CtPop, UnOp::Ctlz, UnOp::Cttz] {
        let count = dag.unary(op, word);
        let is_17 = with_const(&mut dag, BinOp::Eq, count, 17);
        let input = input_of(solve(&dag, vec![is_17], &[0; 4]), &[0; 4]);
        assert_eq!(Evaluator::new(&input).eval(&dag, count), 17);
        let is_25 = with_const(&mut dag, BinOp::Eq, count, 25);
        assert_eq!(solve(&dag, vec![is_25], &[0; 4]), Answer::Unsat);
    }
}

/// Factoring a product of two primes within a handful of steps.
#[test]
fn limits_are_reported() {
    let mut dag = Dag::new();
    let (a, b) = (number(&mut dag, 0, 4), number(&mut dag, 4, 4));
    let (a, b) = (dag.zext(64, a), dag.zext(64, b));
    let product = dag.binary(BinOp::Mul, a, b);
    let equal = with_const(&mut dag, BinOp::Eq, product, 4_294_967_291 * 4_294_967_279);
    let query = Query::new(vec![equal]);
    let options = Options { rlimit: Some(100_000), timeout: None, ..Options::default() };
    let answer = Z3Solver::new(options).solve(&dag, &query, &[1; 8]);
    assert_eq!(answer, Answer::Unknown(UnknownReason::ResourceLimit));
    let options = Options { rlimit: None, timeout: Some(Duration::from_millis(50)), ..Options::default() };
    let answer = Z3Solver::new(options).solve(&dag, &query, &[1; 8]);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Timeout));
    let sum = (0..100).fold(a, |sum, _| {
        let sum = dag.binary(BinOp::Mul, sum, a);
        dag.binary(BinOp::Xor, sum, b)
    });
    let query = Query::new(vec![with_const(&mut dag, BinOp::Eq, sum, 7)]);
    let options = Options { n_terms_max: 100, ..Options::default() };
    let answer = Z3Solver::new(options).solve(&dag, &query, &[1; 8]);
    assert_eq!(answer, Answer::Unknown(UnknownReason::TooLarge));
}

/// A chain as deep as a long loop makes it, on an ordinary stack.
#[test]
fn deep_expressions() {
    let mut dag = Dag::new();
    let byte = dag.byte(0);
    let mut word = dag.zext(32, byte);
    for i in 0..20_000u32 {
        let constant = dag.constant(32, u128::from(i) | 1);
        let op = if i % 2 == 0 { BinOp::Add } else { BinOp::Xor };
        word = dag.binary(op, word, constant);
    }
    let low = with_const(&mut dag, BinOp::URem, word, 7);
    let answer = Evaluator::new(&[77]).eval(&dag, low);
    let equal = with_const(&mut dag, BinOp::Eq, low, answer);
    let text = to_smtlib(&dag, &Query::new(vec![equal]));
    assert!(text.lines().count() > 20_000);
    let options = Options { rlimit: Some(300_000), ..Options::default() };
    let answer = Z3Solver::new(options).solve(&dag, &Query::new(vec![equal]), &[0]);
    assert_ne!(answer, Answer::Unsat);
}
