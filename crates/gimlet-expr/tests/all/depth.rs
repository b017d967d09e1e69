//! Expressions as deep as long loops make them, on a stack that recursion would overflow.

use gimlet_expr::{BinOp, Dag, Evaluator, ExprId, UnOp};

const DEPTH: u32 = 500_000;

/// Runs with 128 KiB of stack.
fn on_small_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(test);
    thread.expect("a thread").join().expect("no panic");
}

/// `step` applied `DEPTH` times to a multiple of an input byte.
fn chain(dag: &mut Dag, step: fn(&mut Dag, ExprId, u32) -> ExprId) -> ExprId {
    let byte = dag.byte(0);
    let factor = dag.constant(32, 0x1010_1011);
    let wide = dag.zext(32, byte);
    let mut id = dag.binary(BinOp::Mul, wide, factor);
    for i in 0..DEPTH {
        id = step(dag, id, i);
    }
    id
}

fn use_everything(dag: &mut Dag, id: ExprId) {
    let value = Evaluator::new(&[7]).eval(dag, id);
    let target = dag.constant(32, value);
    let equal = dag.binary(BinOp::Eq, id, target);
    let different = dag.binary(BinOp::Ne, id, target);
    let low = dag.extract(0, 4, id);
    let high = dag.extract(28, 4, id);
    let mut evaluator = Evaluator::new(&[7]);
    assert!(evaluator.holds(dag, equal));
    assert!(!evaluator.holds(dag, different));
    assert_eq!(evaluator.eval(dag, low), value & 15);
    assert_eq!(evaluator.eval(dag, high), value >> 28);
    assert_eq!(dag.support(id), [0]);
    assert!(dag.size(id) > 100_000);
    let text = dag.display(id, &|index| format!("b{index}")).to_string();
    assert!(text.len() < 20_000);
}

#[test]
fn undoable_layers() {
    on_small_stack(|| {
        let mut dag = Dag::new();
        let id = chain(&mut dag, |dag, id, i| {
            let constant = dag.constant(32, u128::from(i) * 7919 + 1);
            let op = if i % 2 == 0 { BinOp::Add } else { BinOp::Xor };
            dag.binary(op, id, constant)
        });
        use_everything(&mut dag, id);
    });
}

#[test]
fn masks() {
    on_small_stack(|| {
        let mut dag = Dag::new();
        let id = chain(&mut dag, |dag, id, i| {
            let (op, bits) = match i % 2 {
                0 => (BinOp::And, !(0x100 << (i % 16))),
                _ => (BinOp::Or, 0x100 << (i % 16)),
            };
            let constant = dag.constant(32, bits);
            dag.binary(op, id, constant)
        });
        use_everything(&mut dag, id);
    });
}

#[test]
fn a_hash_loop() {
    on_small_stack(|| {
        for mut dag in [Dag::new(), Dag::unsimplified()] {
            let id = chain(&mut dag, |dag, id, i| match i % 4 {
                0 => dag.unary(UnOp::Not, id),
                1 => {
                    let constant = dag.constant(32, 16777619);
                    dag.binary(BinOp::Mul, id, constant)
                }
                2 => {
                    let constant = dag.constant(32, 5);
                    let shifted = dag.binary(BinOp::LShr, id, constant);
                    dag.binary(BinOp::Xor, id, shifted)
                }
                _ => dag.unary(UnOp::Neg, id),
            });
            use_everything(&mut dag, id);
        }
    });
}
