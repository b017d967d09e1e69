//! Evaluation of a tape on many values of one byte at once.
//!
//! The other bytes have one value each. Slots that don't depend on the varying byte are scalars; the
//! others are arrays with a lane for each value, computed by loops that the compiler vectorises.
//! Words are 64 bits wide if all slots fit, else 128. Beside each slot, a bit for each lane says
//! whether the value there is *outside* (see [`crate::tape`]); an `Ite` takes only the arm that
//! counts into account.

use gimlet_expr::{semantics, BinOp, Dag, UnOp};

use crate::tape::{Instruction, Op, Scalar, Slot, Tape};

/// A bit for each lane.
pub type LaneBits = [u64; 4];

/// Reusable memory for runs, and the results of the latest.
#[derive(Debug, Default)]
pub struct Lanes {
    narrow: Words<u64>,
    wide: Words<u128>,
    is_wide: bool,
}

/// The values of the latest run in words of one size.
#[derive(Debug, Default)]
struct Words<W> {
    n_lanes: usize,
    /// Where the lanes of a slot begin; `None` for scalars.
    starts: Vec<Option<u32>>,
    scalars: Vec<W>,
    outside: Vec<LaneBits>,
    lanes: Vec<W>,
}

/// One operand of a loop over lanes.
#[derive(Clone, Copy)]
enum Operand<'a, W> {
    Scalar(W),
    Lanes(&'a [W]),
}

/// Machine words that lanes are made of.
trait Word: Copy + Default + PartialEq {
    fn from_wide(value: u128) -> Self;
    fn to_wide(self) -> u128;
    /// `width` is that of the operands.
    fn binary(op: BinOp, width: u32, out: &mut [Self], a: Operand<Self>, b: Operand<Self>);
}

impl Lanes {
    /// Runs the tape with byte `position` on each of `values`, at most 256, and the scalars given for
    /// slots that don't depend on it. `given` are the lanes of the slots [`Op::Given`].
    pub fn run(
        &mut self,
        dag: &Dag,
        tape: &Tape,
        position: usize,
        values: &[u8],
        scalars: &[Scalar],
        given: &[Vec<u128>],
    ) {
        self.is_wide = tape.width_max > 64;
        if self.is_wide {
            self.wide.run(dag, tape, position, values, scalars, given);
        } else {
            self.narrow.run(dag, tape, position, values, scalars, given);
        }
    }

    /// The value of a slot in a lane.
    pub fn value(&self, slot: usize, lane: usize) -> u128 {
        if self.is_wide {
            self.wide.value(slot, lane).to_wide()
        } else {
            u128::from(self.narrow.value(slot, lane))
        }
    }

    /// The lanes in which a slot depends on memory outside a table.
    pub fn outside(&self, slot: usize) -> LaneBits {
        if self.is_wide {
            self.wide.outside[slot]
        } else {
            self.narrow.outside[slot]
        }
    }

    /// The lanes in which a slot certainly is (or is not) `value`, and those in which it may be,
    /// depending on memory outside a table.
    pub fn compare(&self, slot: usize, value: u128, is_equal: bool) -> (LaneBits, LaneBits) {
        if self.is_wide {
            self.wide.compare(slot, value, is_equal)
        } else {
            self.narrow.compare(slot, value, is_equal)
        }
    }
}

impl<W: Word> Words<W> {
    fn run(&mut self, dag: &Dag, tape: &Tape, position: usize, values: &[u8], scalars: &[Scalar], given: &[Vec<u128>]) {
        self.n_lanes = values.len();
        self.starts.clear();
        self.scalars.clear();
        self.outside.clear();
        self.lanes.clear();
        let varying = 1u64 << position;
        for (slot, instruction) in tape.instructions.iter().enumerate() {
            if instruction.mask & varying == 0 {
                let scalar = scalars[slot];
                self.starts.push(None);
                self.scalars.push(W::from_wide(scalar.value));
                self.outside.push([if scalar.is_outside { u64::MAX } else { 0 }; 4]);
                continue;
            }
            let start = self.lanes.len();
            self.lanes.resize(start + self.n_lanes, W::default());
            let (known, out) = self.lanes.split_at_mut(start);
            let view = View {
                n_lanes: self.n_lanes,
                starts: &self.starts,
                scalars: &self.scalars,
                outside: &self.outside,
                lanes: known,
            };
            let outside = match instruction.op {
                Op::Byte(_) => fill(out, values.iter().map(|&value| u128::from(value))),
                Op::Given(number) => fill(out, given[number as usize].iter().copied()),
                _ => view.compute(dag, tape, instruction, out),
            };
            self.starts.push(Some(start as u32));
            self.scalars.push(W::default());
            self.outside.push(outside);
        }
    }

    fn value(&self, slot: usize, lane: usize) -> W {
        match self.starts[slot] {
            None => self.scalars[slot],
            Some(start) => self.lanes[start as usize + lane],
        }
    }

    fn compare(&self, slot: usize, value: u128, is_equal: bool) -> (LaneBits, LaneBits) {
        let value = W::from_wide(value);
        let outside = self.outside[slot];
        let mut holds = [0; 4];
        for lane in 0..self.n_lanes {
            let is_held = (self.value(slot, lane) == value) == is_equal;
            holds[lane / 64] |= u64::from(is_held) << (lane % 64);
        }
        let all = lane_bits(self.n_lanes);
        (
            std::array::from_fn(|word| holds[word] & !outside[word]),
            std::array::from_fn(|word| outside[word] & all[word]),
        )
    }
}

/// The bits of the first lanes.
pub fn lane_bits(n_lanes: usize) -> LaneBits {
    std::array::from_fn(|word| match n_lanes.saturating_sub(64 * word) {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    })
}

/// What is known while a slot is computed.
struct View<'a, W> {
    n_lanes: usize,
    starts: &'a [Option<u32>],
    scalars: &'a [W],
    outside: &'a [LaneBits],
    lanes: &'a [W],
}

impl<W: Word> View<'_, W> {
    fn operand(&self, slot: Slot) -> Operand<'_, W> {
        match self.starts[slot as usize] {
            None => Operand::Scalar(self.scalars[slot as usize]),
            Some(start) => Operand::Lanes(&self.lanes[start as usize..start as usize + self.n_lanes]),
        }
    }

    fn at(&self, slot: Slot, lane: usize) -> u128 {
        match self.starts[slot as usize] {
            None => self.scalars[slot as usize].to_wide(),
            Some(start) => self.lanes[start as usize + lane].to_wide(),
        }
    }

    fn either(&self, a: Slot, b: Slot) -> LaneBits {
        let (a, b) = (self.outside[a as usize], self.outside[b as usize]);
        std::array::from_fn(|word| a[word] | b[word])
    }

    /// Fills `out`; returns the lanes that are outside.
    fn compute(&self, dag: &Dag, tape: &Tape, instruction: &Instruction, out: &mut [W]) -> LaneBits {
        let width = instruction.width;
        match instruction.op {
            Op::Const(_) | Op::Byte(_) | Op::Given(_) => unreachable!("not computed from other slots"),
            Op::Unary(op, a) => {
                self.unary(op, width, a, out);
                self.outside[a as usize]
            }
            Op::Binary(op, a, b) => {
                W::binary(op, tape.width(a), out, self.operand(a), self.operand(b));
                self.either(a, b)
            }
            Op::ZExt(a) => {
                self.map(a, out, |value| value);
                self.outside[a as usize]
            }
            Op::SExt(a) => {
                let from = tape.width(a);
                self.map(a, out, |value| W::from_wide(semantics::sext(from, width, value.to_wide())));
                self.outside[a as usize]
            }
            Op::Extract(lo, a) => {
                self.map(a, out, |value| W::from_wide(semantics::extract(lo, width, value.to_wide())));
                self.outside[a as usize]
            }
            Op::Concat(hi, lo) => {
                let lo_width = tape.width(lo);
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = W::from_wide(semantics::concat(lo_width, self.at(hi, lane), self.at(lo, lane)));
                }
                self.either(hi, lo)
            }
            Op::Ite(cond, then, other) => self.choose(cond, then, other, out),
            Op::Funnel(op, hi, lo, n) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    let value = semantics::funnel(op, width, self.at(hi, lane), self.at(lo, lane), self.at(n, lane));
                    *out = W::from_wide(value);
                }
                let either = self.either(hi, lo);
                std::array::from_fn(|word| either[word] | self.outside[n as usize][word])
            }
            Op::Lookup(table, addr, cells) => {
                let mut outside = self.outside[addr as usize];
                for (lane, out) in out.iter_mut().enumerate() {
                    let loaded = tape.load(dag, (table, cells), self.at(addr, lane) as u64, width / 8, |cell| Scalar {
                        value: self.at(cell, lane),
                        is_outside: self.outside[cell as usize][lane / 64] >> (lane % 64) & 1 == 1,
                    });
                    *out = W::from_wide(loaded.value);
                    outside[lane / 64] |= u64::from(loaded.is_outside) << (lane % 64);
                }
                outside
            }
        }
    }

    fn map(&self, a: Slot, out: &mut [W], f: impl Fn(W) -> W) {
        zip(out, self.operand(a), Operand::Scalar(W::default()), |value, _| f(value));
    }

    fn unary(&self, op: UnOp, width: u32, a: Slot, out: &mut [W]) {
        match op {
            UnOp::Not => W::binary(
                BinOp::Xor,
                width,
                out,
                self.operand(a),
                Operand::Scalar(W::from_wide(semantics::mask(width))),
            ),
            _ => self.map(a, out, |value| W::from_wide(semantics::unary(op, width, value.to_wide()))),
        }
    }

    fn choose(&self, cond: Slot, then: Slot, other: Slot, out: &mut [W]) -> LaneBits {
        let mut chosen: LaneBits = [0; 4];
        for (lane, out) in out.iter_mut().enumerate() {
            let is_then = self.at(cond, lane) == 1;
            chosen[lane / 64] |= u64::from(is_then) << (lane % 64);
            *out = W::from_wide(self.at(if is_then { then } else { other }, lane));
        }
        let (cond, then, other) = (cond as usize, then as usize, other as usize);
        std::array::from_fn(|word| {
            self.outside[cond][word]
                | chosen[word] & self.outside[then][word]
                | !chosen[word] & self.outside[other][word]
        })
    }
}

/// Values from outside the tape, none of them unknown.
fn fill<W: Word>(out: &mut [W], values: impl Iterator<Item = u128>) -> LaneBits {
    out.iter_mut().zip(values).for_each(|(out, value)| *out = W::from_wide(value));
    [0; 4]
}

fn zip<W: Copy>(out: &mut [W], a: Operand<W>, b: Operand<W>, f: impl Fn(W, W) -> W) {
    match (a, b) {
        (Operand::Scalar(a), Operand::Scalar(b)) => out.fill(f(a, b)),
        (Operand::Lanes(a), Operand::Scalar(b)) => out.iter_mut().zip(a).for_each(|(out, &a)| *out = f(a, b)),
        (Operand::Scalar(a), Operand::Lanes(b)) => out.iter_mut().zip(b).for_each(|(out, &b)| *out = f(a, b)),
        (Operand::Lanes(a), Operand::Lanes(b)) => {
            out.iter_mut().zip(a).zip(b).for_each(|((out, &a), &b)| *out = f(a, b));
        }
    }
}

impl Word for u128 {
    fn from_wide(value: u128) -> u128 {
        value
    }

    fn to_wide(self) -> u128 {
        self
    }

    fn binary(op: BinOp, width: u32, out: &mut [u128], a: Operand<u128>, b: Operand<u128>) {
        zip(out, a, b, |a, b| semantics::binary(op, width, a, b));
    }
}

impl Word for u64 {
    fn from_wide(value: u128) -> u64 {
        value as u64
    }

    fn to_wide(self) -> u128 {
        u128::from(self)
    }

    /// The common operators on words of their own; the others as wide ones. `tests` compare all.
    fn binary(op: BinOp, width: u32, out: &mut [u64], a: Operand<u64>, b: Operand<u64>) {
        let mask = semantics::mask(width) as u64;
        let n_spare = 64 - width;
        let signed = move |value: u64| ((value << n_spare) as i64) >> n_spare;
        let limit = u64::from(width);
        match op {
            BinOp::Add => zip(out, a, b, |a, b| a.wrapping_add(b) & mask),
            BinOp::Sub => zip(out, a, b, |a, b| a.wrapping_sub(b) & mask),
            BinOp::Mul => zip(out, a, b, |a, b| a.wrapping_mul(b) & mask),
            BinOp::UDiv => zip(out, a, b, |a, b| a.checked_div(b).unwrap_or(mask)),
            BinOp::URem => zip(out, a, b, |a, b| a.checked_rem(b).unwrap_or(a)),
            BinOp::And => zip(out, a, b, |a, b| a & b),
            BinOp::Or => zip(out, a, b, |a, b| a | b),
            BinOp::Xor => zip(out, a, b, |a, b| a ^ b),
            BinOp::Shl => zip(out, a, b, |a, b| if b < limit { a << b & mask } else { 0 }),
            BinOp::LShr => zip(out, a, b, |a, b| if b < limit { a >> b } else { 0 }),
            BinOp::AShr => zip(out, a, b, |a, b| (signed(a) >> b.min(limit - 1)) as u64 & mask),
            BinOp::Eq => zip(out, a, b, |a, b| u64::from(a == b)),
            BinOp::Ne => zip(out, a, b, |a, b| u64::from(a != b)),
            BinOp::Ult | BinOp::USubO => zip(out, a, b, |a, b| u64::from(a < b)),
            BinOp::Ule => zip(out, a, b, |a, b| u64::from(a <= b)),
            BinOp::Slt => zip(out, a, b, |a, b| u64::from(signed(a) < signed(b))),
            BinOp::Sle => zip(out, a, b, |a, b| u64::from(signed(a) <= signed(b))),
            BinOp::SDiv | BinOp::SRem | BinOp::UAddO | BinOp::SAddO | BinOp::SSubO | BinOp::UMulO | BinOp::SMulO => {
                zip(out, a, b, |a, b| semantics::binary(op, width, u128::from(a), u128::from(b)) as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::Supports;
    use gimlet_expr::recipe::{build, Limits};
    use gimlet_expr::Evaluator;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Lanes and scalars agree with the evaluator on every value of each byte.
        #[test]
        fn agree_with_the_evaluator(
            recipe in prop::collection::vec(any::<u8>(), 4..120),
            width_max in prop::sample::select(vec![40u32, 64, 128]),
            is_simplifying in any::<bool>(),
            input in prop::collection::vec(any::<u8>(), 3),
        ) {
            let mut dag = if is_simplifying { Dag::new() } else { Dag::unsimplified() };
            let limits = Limits { n_inputs: 3, width_max, product_width_max: width_max };
            let exprs = build(&mut dag, limits, &recipe);
            let mut supports = Supports::default();
            let mut lanes = Lanes::default();
            let values: Vec<u8> = (0..=255).collect();
            for &expr in exprs.iter().rev().take(4) {
                let tape = Tape::compile(&dag, &mut supports, expr).expect("small");
                let scalars = tape.scalars(&dag, |position| input[tape.bytes[position] as usize]);
                let mut evaluator = Evaluator::new(&input);
                let expected = evaluator.eval(&dag, expr);
                prop_assert_eq!(scalars[tape.len() - 1].value, expected);
                for position in 0..tape.bytes.len() {
                    lanes.run(&dag, &tape, position, &values, &scalars, &[]);
                    let (holds, maybe) = lanes.compare(tape.len() - 1, expected, true);
                    for value in 0..=255u8 {
                        let mut changed = input.clone();
                        changed[tape.bytes[position] as usize] = value;
                        evaluator.set_input(&changed);
                        let actual = evaluator.eval(&dag, expr);
                        let lane = usize::from(value);
                        prop_assert_eq!(lanes.value(tape.len() - 1, lane), actual);
                        let is_outside = maybe[lane / 64] >> (lane % 64) & 1 == 1;
                        let is_held = holds[lane / 64] >> (lane % 64) & 1 == 1;
                        prop_assert_eq!(is_held, actual == expected && !is_outside);
                    }
                }
            }
        }
    }
}
