//! The notation of `gimlet_expr::display`.

use gimlet_expr::{BinOp, Dag, ExprId};

#[track_caller]
fn check(dag: &Dag, id: ExprId, limit: usize, expected: &str) {
    let name = |index| format!("stdin[{index}]");
    assert_eq!(dag.display(id, &name).limit(limit).to_string(), expected);
}

#[test]
fn infix() {
    let mut dag = Dag::new();
    let byte = dag.byte(3);
    let wide = dag.zext(32, byte);
    let three = dag.constant(32, 3);
    let product = dag.binary(BinOp::Mul, wide, three);
    let target = dag.constant(32, 0x1234);
    let equal = dag.binary(BinOp::Eq, product, target);
    check(&dag, equal, 100, "((zext32(stdin[3]) * 3) == 0x1234)");
    check(&dag, equal, 3, "((... * ...) == 0x1234)");
}

#[test]
fn characters() {
    let check = |dag: &Dag, id, expected: &str| {
        let name = |index| format!("stdin[{index}]");
        assert_eq!(dag.display(id, &name).characters().to_string(), expected);
    };
    let mut dag = Dag::unsimplified();
    let byte = dag.byte(0);
    let wide = dag.sext(32, byte);
    for (value, expected) in [
        (0x2f, "(stdin[0] == '/')"),
        (0x27, "(stdin[0] == '\\'')"),
        (0x5c, "(stdin[0] == '\\\\')"),
        (0x0a, "(stdin[0] == '\\n')"),
        (0x00, "(stdin[0] == 0)"),
        (0xd, "(stdin[0] == 0xd)"),
        (0xff, "(stdin[0] == 0xff)"),
    ] {
        let constant = dag.constant(8, value);
        let equal = dag.binary(BinOp::Eq, byte, constant);
        check(&dag, equal, expected);
    }
    let (small, large) = (dag.constant(32, 0x41), dag.constant(32, 0x4142));
    let less = dag.binary(BinOp::Slt, wide, small);
    check(&dag, less, "(sext32(stdin[0]) <s 'A')");
    let less = dag.binary(BinOp::Slt, wide, large);
    check(&dag, less, "(sext32(stdin[0]) <s 0x4142)");
    // A sum is no character, even if it is compared with one's number.
    let sum = dag.binary(BinOp::Add, byte, byte);
    let slash = dag.constant(8, 0x2f);
    let equal = dag.binary(BinOp::Eq, sum, slash);
    check(&dag, equal, "((stdin[0] + stdin[0]) == 0x2f)");
    assert_eq!((dag.comparand(byte, 0x2f), dag.comparand(sum, 0x2f)), ("'/'".to_owned(), "0x2f".to_owned()));
}

/// `x * x`, again and again: 2^40 nodes as a tree.
#[test]
fn sharing_is_named() {
    let mut dag = Dag::new();
    let (a, b) = (dag.byte(0), dag.byte(1));
    let mut x = dag.binary(BinOp::Sub, a, b);
    for _ in 0..3 {
        x = dag.binary(BinOp::Mul, x, x);
    }
    check(&dag, x, 100, "let t1 = ((stdin[0] - stdin[1]) * (stdin[0] - stdin[1])); ((t1 * t1) * (t1 * t1))");
    for _ in 0..40 {
        x = dag.binary(BinOp::Mul, x, x);
    }
    check(&dag, x, 3, "let t1 = ((... * ...) * (... * ...)); (t1 * t1)");
}

#[test]
fn raw_shifts_and_logic() {
    let mut dag = Dag::unsimplified();
    let (a, b) = (dag.byte(0), dag.byte(1));
    let shifted = dag.binary(BinOp::AShr, a, b);
    let divided = dag.binary(BinOp::SDiv, shifted, b);
    let less = dag.binary(BinOp::Slt, divided, a);
    let overflow = dag.binary(BinOp::UMulO, a, b);
    let either = dag.binary(BinOp::Or, less, overflow);
    let neither = dag.not(either);
    check(
        &dag,
        neither,
        100,
        "!((((stdin[0] >>s stdin[1]) /s stdin[1]) <s stdin[0]) || overflow(stdin[0] *u stdin[1]))",
    );
}
