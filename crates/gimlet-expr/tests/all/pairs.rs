//! Every operator on top of every operator, at a width where all inputs can be tried.
//!
//! Rewrite rules look at two levels with constants between; random recipes meet some of those
//! combinations too rarely.

use gimlet_expr::{BinOp, Dag, Evaluator, ExprId, FunnelOp, UnOp};

const CONSTANTS: [u128; 7] = [0, 1, 2, 5, 7, 8, 15];

/// The same expression with and without rewriting.
type Both = [ExprId; 2];

struct Pair {
    dags: [Dag; 2],
}

impl Pair {
    fn make(&mut self, build: impl Fn(&mut Dag, usize) -> ExprId) -> Both {
        let [simple, raw] = &mut self.dags;
        [build(simple, 0), build(raw, 1)]
    }

    fn constant(&mut self, like: Both, value: u128) -> Both {
        let width = self.dags[0].width(like[0]);
        self.make(|dag, _| dag.constant(width, value))
    }

    fn binary(&mut self, op: BinOp, lhs: Both, rhs: Both) -> Both {
        self.make(|dag, i| dag.binary(op, lhs[i], rhs[i]))
    }

    /// `id` with a constant on either side of each operator, and with `other` on the right.
    fn on_top(&mut self, id: Both, other: Both, constants: &[u128]) -> Vec<Both> {
        let mut made = Vec::new();
        for op in BinOp::ALL {
            for &value in constants {
                let constant = self.constant(id, value);
                made.push(self.binary(op, id, constant));
                made.push(self.binary(op, constant, id));
            }
            if self.dags[0].width(id[0]) == self.dags[0].width(other[0]) {
                made.push(self.binary(op, id, other));
                made.push(self.binary(op, other, id));
            }
        }
        for op in UnOp::ALL {
            if op != UnOp::BSwap {
                made.push(self.make(|dag, i| dag.unary(op, id[i])));
            }
        }
        made.extend(self.reshaped(id));
        made
    }

    /// `id` extended, cut and joined with constants.
    fn reshaped(&mut self, id: Both) -> Vec<Both> {
        let width = self.dags[0].width(id[0]);
        let mut made = vec![
            self.make(|dag, i| dag.zext(width + 3, id[i])),
            self.make(|dag, i| dag.sext(width + 3, id[i])),
            self.make(|dag, i| dag.extract(0, 1, id[i])),
            self.make(|dag, i| dag.extract(width - 1, 1, id[i])),
        ];
        for value in [0, 1, 5] {
            let constant = self.make(|dag, _| dag.constant(3, value));
            made.push(self.make(|dag, i| dag.concat(id[i], constant[i])));
            made.push(self.make(|dag, i| dag.concat(constant[i], id[i])));
        }
        for (then, other) in [(0, 1), (1, 0), (15, 0), (5, 2)] {
            let (then, other) = (self.constant(id, then), self.constant(id, other));
            made.push(self.make(|dag, i| {
                let cond = dag.extract(0, 1, id[i]);
                dag.ite(cond, then[i], other[i])
            }));
        }
        made
    }
}

#[test]
fn every_operator_on_every_operator() {
    let mut pair = Pair { dags: [Dag::new(), Dag::unsimplified()] };
    let byte = pair.make(|dag, _| dag.byte(0));
    let x = pair.make(|dag, i| dag.extract(0, 4, byte[i]));
    let y = pair.make(|dag, i| dag.extract(4, 4, byte[i]));
    let mut exprs = pair.on_top(x, y, &CONSTANTS);
    // Operands come in the order of their ids: `y` is older than every `inner`, `late` younger.
    let late = pair.make(|dag, i| dag.funnel(FunnelOp::Left, x[i], y[i], x[i]));
    for inner in exprs.clone() {
        exprs.extend(pair.on_top(inner, y, &CONSTANTS));
        exprs.extend(pair.on_top(inner, late, &[]));
    }
    let [simple, raw] = &pair.dags;
    let name = |_| "in".to_owned();
    for x in 0..16 {
        let input = [x | (x * 7 + 3) << 4];
        let (mut simple_eval, mut raw_eval) = (Evaluator::new(&input), Evaluator::new(&input));
        for &[a, b] in &exprs {
            assert_eq!(
                simple_eval.eval(simple, a),
                raw_eval.eval(raw, b),
                "on {input:?}: {} from {}",
                simple.display(a, &name),
                raw.display(b, &name)
            );
        }
    }
}
