//! Random expressions from a byte string.
//!
//! A recipe is any byte string; reading it drives the constructors of a [`Dag`]. The same recipe
//! gives the same expressions in a simplifying and in an unsimplified DAG, since every choice
//! depends only on the bytes and on widths. Property tests and fuzzers of this crate and of the
//! solver share it; it covers every operator, odd widths and the constants at which rules differ.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, FunnelOp, UnOp};
use crate::semantics::{mask, signed_max, signed_min};

/// The widths that expressions get, besides those that extraction and concatenation make.
const WIDTHS: [u32; 12] = [1, 8, 32, 64, 16, 7, 24, 33, 48, 127, 128, 2];

/// What a recipe may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Input bytes are numbered below this.
    pub n_inputs: u32,
    pub width_max: u32,
    /// Multiplication and division are wanted only up to this width: solvers are slow beyond.
    pub product_width_max: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { n_inputs: 4, width_max: 128, product_width_max: 128 }
    }
}

/// The expressions of a recipe, in the order of their making; never empty.
pub fn build(dag: &mut Dag, limits: Limits, recipe: &[u8]) -> Vec<ExprId> {
    let first = dag.byte(0);
    let mut cook = Cook { dag, limits, bytes: recipe.iter(), pool: vec![first] };
    while !cook.bytes.as_slice().is_empty() {
        let made = cook.step();
        cook.pool.push(made);
    }
    cook.pool
}

struct Cook<'a> {
    dag: &'a mut Dag,
    limits: Limits,
    bytes: std::slice::Iter<'a, u8>,
    pool: Vec<ExprId>,
}

impl Cook<'_> {
    /// The next byte of the recipe; zero beyond its end.
    fn next(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    /// A number below `n`.
    fn below(&mut self, n: u32) -> u32 {
        u32::from(self.next()) % n
    }

    fn step(&mut self) -> ExprId {
        match self.next() % 16 {
            0 => {
                let index = self.below(self.limits.n_inputs);
                self.dag.byte(index)
            }
            1 => {
                let width = self.pick_width();
                self.constant(width)
            }
            2 | 3 => self.unary(),
            4..=8 => self.binary(),
            9 | 10 => {
                let (arg, width) = (self.pick(), self.pick_width());
                self.fit(arg, width)
            }
            11 => self.extract(),
            12 => self.concat(),
            13 => self.ite(),
            14 => self.funnel(),
            _ => self.lookup(),
        }
    }

    /// An expression made before; a zero byte picks the latest.
    fn pick(&mut self) -> ExprId {
        let n_back = usize::from(self.next()) % self.pool.len();
        self.pool[self.pool.len() - 1 - n_back]
    }

    fn pick_width(&mut self) -> u32 {
        let width = WIDTHS[usize::from(self.next()) % WIDTHS.len()];
        width.min(self.limits.width_max)
    }

    fn constant(&mut self, width: u32) -> ExprId {
        let value = match self.next() % 12 {
            0 => 0,
            1 => 1,
            2 => mask(width),
            3 => signed_min(width) as u128,
            4 => signed_max(width) as u128,
            5 => 1 << self.below(width),
            6 => mask(1 + self.below(width)),
            7 => u128::from(width),
            8 => mask(width) << self.below(width),
            9 => (0..16).fold(0, |value, _| value << 8 | u128::from(self.next())),
            _ => u128::from(self.next()),
        };
        self.dag.constant(width, value)
    }

    /// `id` extended or cut to `width`.
    fn fit(&mut self, id: ExprId, width: u32) -> ExprId {
        let id_width = self.dag.width(id);
        if id_width > width {
            let lo = self.below(id_width - width + 1);
            self.dag.extract(lo, width, id)
        } else if id_width == width {
            id
        } else if self.next().is_multiple_of(3) {
            self.dag.sext(width, id)
        } else {
            self.dag.zext(width, id)
        }
    }

    /// An expression of the given width, often a constant.
    fn operand(&mut self, width: u32) -> ExprId {
        if self.next().is_multiple_of(3) {
            return self.constant(width);
        }
        let id = self.pick();
        self.fit(id, width)
    }

    fn unary(&mut self) -> ExprId {
        let op = UnOp::ALL[usize::from(self.next()) % UnOp::ALL.len()];
        let mut arg = self.pick();
        if op == UnOp::BSwap {
            let width = (self.dag.width(arg) / 8 * 8).max(8);
            arg = self.fit(arg, width);
        }
        self.dag.unary(op, arg)
    }

    fn binary(&mut self) -> ExprId {
        let op = BinOp::ALL[usize::from(self.next()) % BinOp::ALL.len()];
        let mut lhs = self.pick();
        if self.dag.width(lhs) > self.limits.product_width_max && is_product(op) {
            lhs = self.fit(lhs, self.limits.product_width_max);
        }
        let mut rhs = self.operand(self.dag.width(lhs));
        if self.next().is_multiple_of(4) {
            std::mem::swap(&mut lhs, &mut rhs);
        }
        self.dag.binary(op, lhs, rhs)
    }

    fn extract(&mut self) -> ExprId {
        let arg = self.pick();
        let width = 1 + self.below(self.dag.width(arg));
        self.fit(arg, width)
    }

    fn concat(&mut self) -> ExprId {
        let (hi, lo) = (self.pick(), self.pick());
        let room = self.limits.width_max;
        let lo = self.fit(lo, self.dag.width(lo).min(room - 1));
        let room = room - self.dag.width(lo);
        let hi = self.operand(self.dag.width(hi).min(room));
        self.dag.concat(hi, lo)
    }

    fn ite(&mut self) -> ExprId {
        let cond = self.pick();
        let cond = self.fit(cond, 1);
        let then = self.pick();
        let then = if self.next().is_multiple_of(3) { self.constant(self.dag.width(then)) } else { then };
        let other = self.operand(self.dag.width(then));
        self.dag.ite(cond, then, other)
    }

    fn funnel(&mut self) -> ExprId {
        let op = if self.next().is_multiple_of(2) { FunnelOp::Left } else { FunnelOp::Right };
        let hi = self.pick();
        let width = self.dag.width(hi);
        let (lo, amount) = (self.operand(width), self.operand(width));
        self.dag.funnel(op, hi, lo, amount)
    }

    fn lookup(&mut self) -> ExprId {
        let base = [0, 0x1000, u64::MAX - 2][usize::from(self.next()) % 3];
        let n_cells = 1 + self.below(20);
        let mut cells = Vec::new();
        for _ in 0..n_cells {
            let cell = self.operand(8);
            cells.push(cell);
        }
        let table = self.dag.intern_table(base, &cells);
        let offset = match self.next() % 3 {
            0 => self.operand(64),
            1 => self.operand(8),
            _ => self.operand(4),
        };
        let offset = self.dag.zext(64, offset);
        let base = self.dag.constant(64, u128::from(base));
        let addr = self.dag.binary(BinOp::Add, offset, base);
        let n_bytes = 1 + self.below((self.limits.width_max / 8).min(16));
        self.dag.lookup(table, addr, 8 * n_bytes)
    }
}

fn is_product(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, Mul | UDiv | SDiv | URem | SRem | UMulO | SMulO)
}
