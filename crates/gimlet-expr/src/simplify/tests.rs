//! One line a rule: what is built and the text of what comes out.
//!
//! `a`, `b`, `c`, `d` are input bytes 0 to 3. Texts follow the notation of [`crate::display`].

use crate::dag::Dag;
use crate::node::BinOp::*;
use crate::node::{BinOp, ExprId, FunnelOp, UnOp};

/// Shorthand over a DAG.
struct Make(Dag);

impl Make {
    fn byte(&mut self, index: u32) -> ExprId {
        self.0.byte(index)
    }

    fn num(&mut self, width: u32, value: i128) -> ExprId {
        self.0.constant(width, value as u128)
    }

    fn op(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.0.binary(op, lhs, rhs)
    }

    /// `lhs op value`.
    fn opc(&mut self, op: BinOp, lhs: ExprId, value: i128) -> ExprId {
        let rhs = self.num(self.0.width(lhs), value);
        self.0.binary(op, lhs, rhs)
    }

    /// Input byte `index` zero-extended to 32 bits.
    fn word(&mut self, index: u32) -> ExprId {
        let byte = self.byte(index);
        self.0.zext(32, byte)
    }

    /// Bytes 3 to 0 as one 32-bit number with the sign bit free.
    fn int(&mut self) -> ExprId {
        let mut int = self.byte(0);
        for index in 1..4 {
            let byte = self.byte(index);
            int = self.0.concat(byte, int);
        }
        int
    }
}

#[track_caller]
fn check(build: impl FnOnce(&mut Make) -> ExprId, expected: &str) {
    let mut make = Make(Dag::new());
    let id = build(&mut make);
    let name = |index| ["a", "b", "c", "d"][index as usize].to_owned();
    assert_eq!(make.0.display(id, &name).to_string(), expected);
}

/// A binary operator on byte `a` and a constant.
#[track_caller]
fn check_const(op: BinOp, value: i128, expected: &str) {
    check(
        |m| {
            let a = m.byte(0);
            m.opc(op, a, value)
        },
        expected,
    );
}

/// A binary operator on byte `a` and itself.
#[track_caller]
fn check_same(op: BinOp, expected: &str) {
    check(
        |m| {
            let a = m.byte(0);
            m.op(op, a, a)
        },
        expected,
    );
}

#[test]
fn neutral_and_absorbing_constants() {
    for op in [Add, Sub, Or, Xor, Shl, LShr, AShr, URem, SRem] {
        check_const(op, 0, "a");
    }
    for op in [Mul, And] {
        check_const(op, 0, "0");
    }
    for op in [Mul, UDiv, SDiv] {
        check_const(op, 1, "a");
    }
    check_const(And, -1, "a");
    check_const(Or, -1, "0xff");
    check_const(Xor, -1, "~a");
    check_const(Mul, -1, "-a");
    check_const(SDiv, -1, "-a");
    check_const(SRem, -1, "0");
    check_const(UDiv, 0, "0xff");
    check_const(Shl, 8, "0");
    check_const(LShr, 9, "0");
    check_const(AShr, 200, "(a >>s 7)");
}

#[test]
fn equal_operands() {
    for op in [Sub, Xor, URem] {
        check_same(op, "0");
    }
    for op in [And, Or] {
        check_same(op, "a");
    }
    for op in [Eq, Ule, Sle] {
        check_same(op, "true");
    }
    for op in [Ne, Ult, Slt, USubO, SSubO] {
        check_same(op, "false");
    }
}

#[test]
fn constants_collect() {
    let twice = |op, first, second| {
        move |m: &mut Make| {
            let a = m.byte(0);
            let once = m.opc(op, a, first);
            m.opc(op, once, second)
        }
    };
    check(twice(Add, 200, 100), "(a + 0x2c)");
    check(twice(Add, 1, -3), "(a - 2)");
    check(twice(Add, 1, -1), "a");
    check(twice(Mul, 3, 5), "(a * 0xf)");
    check(twice(And, 0x5a, 0x33), "(a & 0x12)");
    check(twice(Or, 0x11, 0x12), "(a | 0x13)");
    check(twice(Xor, 0x11, 0x12), "(a ^ 3)");
    check(twice(Shl, 1, 2), "(a << 3)");
    check(twice(LShr, 1, 2), "(a >>u 3)");
}

#[test]
fn sums() {
    check(
        |m| {
            let (a, b) = (m.byte(0), m.byte(1));
            let (x, y) = (m.opc(Add, a, 5), m.opc(Sub, b, 7));
            m.op(Add, x, y)
        },
        "((a + b) - 2)",
    );
    check(
        |m| {
            let (a, b) = (m.byte(0), m.byte(1));
            let difference = m.op(Sub, a, b);
            m.op(Add, b, difference)
        },
        "a",
    );
    check(
        |m| {
            let a = m.byte(0);
            let complement = m.0.not(a);
            m.opc(Add, complement, 1)
        },
        "-a",
    );
}

#[test]
fn negations() {
    let negated = |op| {
        move |m: &mut Make| {
            let (a, b) = (m.byte(0), m.byte(1));
            let comparison = m.op(op, a, b);
            m.0.not(comparison)
        }
    };
    check(negated(Eq), "(a != b)");
    check(negated(Ne), "(a == b)");
    check(negated(Ult), "(b <=u a)");
    check(negated(Sle), "(b <s a)");
    check(
        |m| {
            let a = m.byte(0);
            let once = m.0.not(a);
            m.0.not(once)
        },
        "a",
    );
}

#[test]
fn bytes_put_together_with_shifts_are_a_concatenation() {
    for op in [Or, Add, Xor] {
        check(
            |m| {
                let mut sum = m.word(0);
                for index in 1..4 {
                    let byte = m.word(index);
                    let shifted = m.opc(Shl, byte, 8 * i128::from(index));
                    sum = m.op(op, sum, shifted);
                }
                sum
            },
            "(d ++ c ++ b ++ a)",
        );
        check(
            |m| {
                let mut sum = m.num(32, 0);
                for index in 0..4 {
                    let byte = m.word(index);
                    let shifted = m.opc(Shl, byte, 24 - 8 * i128::from(index));
                    sum = m.op(op, sum, shifted);
                }
                sum
            },
            "(a ++ b ++ c ++ d)",
        );
    }
}

#[test]
fn extraction_and_concatenation() {
    check(
        |m| {
            let x = m.int();
            m.0.extract(8, 8, x)
        },
        "b",
    );
    check(
        |m| {
            let x = m.int();
            m.0.extract(4, 8, x)
        },
        "(b[3:0] ++ a[7:4])",
    );
    check(
        |m| {
            let x = m.word(0);
            m.0.extract(8, 8, x)
        },
        "0",
    );
    check(
        |m| {
            let x = m.word(0);
            m.0.extract(4, 8, x)
        },
        "(a >>u 4)",
    );
    check(
        |m| {
            let x = m.int();
            let (high, low) = (m.0.extract(12, 4, x), m.0.extract(8, 4, x));
            m.0.concat(high, low)
        },
        "b",
    );
    check(
        |m| {
            let x = m.int();
            m.0.unary(UnOp::BSwap, x)
        },
        "(a ++ b ++ c ++ d)",
    );
    check(
        |m| {
            let x = m.int();
            m.opc(And, x, 0xff00)
        },
        "zext32((b ++ 0))",
    );
    check(
        |m| {
            let (a, b) = (m.word(0), m.word(1));
            let sum = m.op(Add, a, b);
            m.0.extract(0, 8, sum)
        },
        "(a + b)",
    );
    check(
        |m| {
            let x = m.int();
            let amount = m.num(32, 40);
            m.0.funnel(FunnelOp::Left, x, x, amount)
        },
        "(c ++ b ++ a ++ d)",
    );
}

#[test]
fn equalities_are_solved() {
    check_const(Eq, 300, "(a == 0x2c)");
    let eq_of = |op, first, second| {
        move |m: &mut Make| {
            let a = m.byte(0);
            let x = m.opc(op, a, first);
            m.opc(Eq, x, second)
        }
    };
    check(eq_of(Add, 5, 3), "(a == 0xfe)");
    check(eq_of(Xor, 5, 3), "(a == 6)");
    check(eq_of(And, 0x5a, 1), "false");
    check(eq_of(Or, 4, 3), "false");
    check(eq_of(Mul, 4, 3), "false");
    check(eq_of(Mul, 4, 8), "(a[5:0] == 2)");
    check(
        |m| {
            let a = m.word(0);
            m.opc(Eq, a, 7)
        },
        "(a == 7)",
    );
    check(
        |m| {
            let a = m.word(0);
            m.opc(Ne, a, 0x107)
        },
        "true",
    );
    check(
        |m| {
            let a = m.byte(0);
            let wide = m.0.sext(32, a);
            m.opc(Eq, wide, -2)
        },
        "(a == 0xfe)",
    );
    check(
        |m| {
            let (a, b) = (m.byte(0), m.byte(1));
            let less = m.op(Ult, a, b);
            let int = m.0.zext(32, less);
            m.opc(Eq, int, 0)
        },
        "(b <=u a)",
    );
    check(
        |m| {
            let (a, b) = (m.word(0), m.word(1));
            let x = m.op(Sub, a, b);
            m.opc(Eq, x, 0)
        },
        "(a == b)",
    );
}

#[test]
fn comparisons_get_narrow() {
    let with = |op, value| {
        move |m: &mut Make| {
            let a = m.word(0);
            m.opc(op, a, value)
        }
    };
    check(with(Ult, 10), "(a <u 0xa)");
    check(with(Ult, 256), "true");
    check(with(Ule, 255), "true");
    check(with(Slt, 10), "(a <u 0xa)");
    check(with(Slt, -1), "false");
    check(with(Ult, 1), "(a == 0)");
    check(with(Ule, 0), "(a == 0)");
    check(
        |m| {
            let (a, b) = (m.word(0), m.word(1));
            m.op(Sle, a, b)
        },
        "(a <=u b)",
    );
    check(
        |m| {
            let a = m.byte(0);
            let wide = m.0.sext(32, a);
            m.opc(Slt, wide, -3)
        },
        "(a <s 0xfd)",
    );
    check_const(Slt, 0, "(a <s 0)");
    check_const(Slt, -128, "false");
    check_const(Ult, 255, "(a != 0xff)");
}

#[test]
fn overflows() {
    check_const(UAddO, 1, "(a == 0xff)");
    check_const(UAddO, 16, "(0xef <u a)");
    check_const(SAddO, 16, "(0x6f <s a)");
    check_const(SSubO, 16, "(a <s 0x90)");
    check_const(SSubO, -128, "(0xff <s a)");
    check_const(UMulO, 3, "(0x55 <u a)");
    check_const(USubO, 3, "(a <u 3)");
    check(
        |m| {
            let (a, b) = (m.word(0), m.word(1));
            m.op(SMulO, a, b)
        },
        "false",
    );
    check(
        |m| {
            let (a, b) = (m.byte(0), m.byte(1));
            m.op(SMulO, a, b)
        },
        "overflow(a *s b)",
    );
}

#[test]
fn conditionals() {
    let ite = |width, then, other| {
        move |m: &mut Make| {
            let (a, b) = (m.byte(0), m.byte(1));
            let cond = m.op(Ult, a, b);
            let (then, other) = (m.num(width, then), m.num(width, other));
            m.0.ite(cond, then, other)
        }
    };
    check(ite(1, 1, 0), "(a <u b)");
    check(ite(1, 0, 1), "(b <=u a)");
    check(ite(32, 1, 0), "zext32((a <u b))");
    check(ite(32, 0, 1), "zext32((b <=u a))");
    check(ite(32, -1, 0), "sext32((a <u b))");
    check(ite(32, 5, 5), "5");
    check(ite(32, 5, 6), "((a <u b) ? 5 : 6)");
    check(
        |m| {
            let x = ite(32, 5, 6)(m);
            m.opc(Eq, x, 6)
        },
        "(b <=u a)",
    );
    check(
        |m| {
            let x = ite(32, 5, 6)(m);
            m.opc(Eq, x, 7)
        },
        "false",
    );
}

#[test]
fn lookups() {
    let lookup = |at: Option<i128>, width| {
        move |m: &mut Make| {
            let cell = m.byte(1);
            let table = m.0.intern_table_bytes(0x40, vec![1, 2, 3, 4], vec![(2, cell)]);
            let index = m.byte(0);
            let index = m.0.zext(64, index);
            let addr = match at {
                Some(at) => m.num(64, at),
                None => m.opc(Add, index, 0x40),
            };
            m.0.lookup(table, addr, width)
        }
    };
    check(lookup(Some(0x40), 16), "0x201");
    check(lookup(Some(0x41), 24), "(4 ++ b ++ 2)");
    check(lookup(Some(0x42), 24), "zext24((4 ++ b))");
    check(lookup(Some(0x3f), 8), "0");
    check(lookup(None, 16), "load16{0x40+4}[zext64(a)]");
}
