//! The bit-vector operators of SMT-LIB as circuits.

use std::rc::Rc;

use gimlet_expr::semantics::bit_length;

use super::circuit::{Bit, Bits, Circuit};
use crate::terms::{TermOp, Terms, Variable};

impl Terms for Circuit<'_> {
    type Term = Bits;

    fn constant(&mut self, width: u32, value: u128) -> Bits {
        (0..width).map(|i| Bit::constant(value.checked_shr(i).unwrap_or(0) & 1 == 1)).collect()
    }

    fn variable(&mut self, width: u32, variable: Variable) -> Bits {
        let value = match variable {
            Variable::Byte(index) => self.hint.get(index as usize).copied().unwrap_or(0),
            Variable::Outside(_) => 0,
        };
        let bit = |i: u32| value.checked_shr(i).unwrap_or(0) & 1 == 1;
        let bits: Bits = match variable {
            Variable::Byte(index) if self.fixed.contains(&index) => (0..width).map(|i| Bit::constant(bit(i))).collect(),
            _ => (0..width).map(|i| self.fresh(bit(i))).collect(),
        };
        if let Variable::Byte(index) = variable {
            self.bytes.insert(index, Rc::clone(&bits));
        }
        bits
    }

    fn apply(&mut self, op: TermOp, args: &[&Bits]) -> Bits {
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        match op {
            TermOp::Not => a.iter().map(|&bit| !bit).collect(),
            TermOp::Neg => self.negate(a),
            TermOp::Add => self.add(a, b, Bit::FALSE).0,
            TermOp::Sub => self.subtract(a, b),
            TermOp::Mul => self.multiply(a, b),
            TermOp::UDiv => self.divide(a, b).0,
            TermOp::URem => self.divide(a, b).1,
            TermOp::SDiv => self.divide_signed(a, b).0,
            TermOp::SRem => self.divide_signed(a, b).1,
            TermOp::Shl => self.shift(a, b, Direction::Left, Bit::FALSE),
            TermOp::LShr => self.shift(a, b, Direction::Right, Bit::FALSE),
            TermOp::AShr => self.shift(a, b, Direction::Right, a[a.len() - 1]),
            TermOp::And => a.iter().zip(b.iter()).map(|(&a, &b)| self.and(a, b)).collect(),
            TermOp::Or => a.iter().zip(b.iter()).map(|(&a, &b)| self.or(a, b)).collect(),
            TermOp::Xor => a.iter().zip(b.iter()).map(|(&a, &b)| self.xor(a, b)).collect(),
            TermOp::Eq => [self.equal(a, b)].into(),
            TermOp::Ult => [self.less(a, b)].into(),
            TermOp::Ule => [!self.less(b, a)].into(),
            TermOp::Slt => [self.less(&flip_sign(a), &flip_sign(b))].into(),
            TermOp::Sle => [!self.less(&flip_sign(b), &flip_sign(a))].into(),
            TermOp::Concat => b.iter().chain(a.iter()).copied().collect(),
            TermOp::Extract { hi, lo } => a[lo as usize..=hi as usize].into(),
            TermOp::ZeroExtend(n_more) => extend(a, n_more, Bit::FALSE),
            TermOp::SignExtend(n_more) => extend(a, n_more, a[a.len() - 1]),
            TermOp::Ite => b.iter().zip(args[2].iter()).map(|(&then, &other)| self.mux(a[0], then, other)).collect(),
        }
    }

    fn is_full(&self) -> bool {
        self.n_variables() > self.n_variables_max || self.is_late()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Left,
    Right,
}

fn extend(a: &Bits, n_more: u32, top: Bit) -> Bits {
    a.iter().copied().chain((0..n_more).map(|_| top)).collect()
}

/// With the sign bit flipped, signed order is unsigned order.
fn flip_sign(a: &Bits) -> Bits {
    let mut bits = a.to_vec();
    if let Some(sign) = bits.last_mut() {
        *sign = !*sign;
    }
    bits.into()
}

fn zeros(width: usize) -> Bits {
    vec![Bit::FALSE; width].into()
}

/// The value if all bits are constants; of vectors of at most 128 bits.
fn as_constant(bits: &[Bit]) -> Option<u128> {
    if bits.len() > 128 {
        return None;
    }
    bits.iter().rev().try_fold(0, |value, bit| Some(value << 1 | u128::from(bit.as_constant()?)))
}

/// Number of bits up to the highest that is not constantly zero.
fn significant(bits: &[Bit]) -> usize {
    bits.iter().rposition(|&bit| bit != Bit::FALSE).map_or(0, |highest| highest + 1)
}

impl Circuit<'_> {
    /// A literal that says whether a vector of eight bits has a value from a set.
    pub fn member(&mut self, bits: &Bits, set: &crate::byte_set::ByteSet) -> Bit {
        let mut level: Vec<Bit> = (0..=255).map(|value| Bit::constant(set.contains(value))).collect();
        for &bit in bits.iter() {
            level = level.chunks(2).map(|pair| self.mux(bit, pair[1], pair[0])).collect();
        }
        level[0]
    }

    fn add(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> (Bits, Bit) {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let (bit, next) = self.full_adder(a, b, carry);
            sum.push(bit);
            carry = next;
        }
        (sum.into(), carry)
    }

    fn subtract(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        let inverted: Vec<Bit> = b.iter().map(|&bit| !bit).collect();
        self.add(a, &inverted, Bit::TRUE).0
    }

    fn negate(&mut self, a: &[Bit]) -> Bits {
        let zero = zeros(a.len());
        self.subtract(&zero, a)
    }

    pub fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let same: Vec<Bit> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.and_all(&same)
    }

    /// Unsigned.
    fn less(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let mut is_less = Bit::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            // Different bits decide; the lower ones do if these are equal.
            is_less = self.majority(!a, b, is_less);
        }
        is_less
    }

    fn multiply(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        match (as_constant(a), as_constant(b)) {
            (_, Some(constant)) => self.multiply_constant(a, constant),
            (Some(constant), _) => self.multiply_constant(b, constant),
            _ if significant(a) < significant(b) => self.multiply_rows(b, a),
            _ => self.multiply_rows(a, b),
        }
    }

    /// One row of the product for each bit of `b`.
    fn multiply_rows(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        let width = a.len();
        let mut product = zeros(width);
        for (shift, &bit) in b.iter().enumerate().take(significant(b)) {
            let row: Vec<Bit> = a[..width - shift].iter().map(|&a| self.and(a, bit)).collect();
            product = self.add_at(&product, &row, shift);
        }
        product
    }

    /// `a` plus `b` shifted left.
    fn add_at(&mut self, a: &[Bit], b: &[Bit], shift: usize) -> Bits {
        let (low, high) = a.split_at(shift);
        let sum = self.add(high, b, Bit::FALSE).0;
        low.iter().chain(sum.iter()).copied().collect()
    }

    /// Sums and differences of shifts: a run of ones in the constant takes two of them.
    fn multiply_constant(&mut self, a: &[Bit], constant: u128) -> Bits {
        let width = a.len();
        let mut product = zeros(width);
        let mut rest = constant;
        let mut shift = 0;
        while rest != 0 && shift < width {
            let n_zeros = rest.trailing_zeros();
            rest >>= n_zeros;
            shift += n_zeros as usize;
            if shift >= width {
                break;
            }
            let row = &a[..width - shift];
            if rest & 7 == 7 {
                let (low, high) = product.split_at(shift);
                let difference = self.subtract(high, row);
                product = low.iter().chain(difference.iter()).copied().collect();
                // Zero if all 128 bits were ones; the next one would be beyond any width.
                rest = rest.wrapping_add(1);
            } else {
                product = self.add_at(&product, row, shift);
                rest &= !1;
            }
        }
        product
    }

    /// Quotient and remainder, unsigned; by zero, all ones and the dividend.
    fn divide(&mut self, a: &Bits, b: &Bits) -> (Bits, Bits) {
        let key = (Rc::clone(a), Rc::clone(b));
        if let Some(known) = self.divisions.get(&key) {
            return known.clone();
        }
        let result = match as_constant(b) {
            Some(0) => (vec![Bit::TRUE; a.len()].into(), Rc::clone(a)),
            Some(divisor) if divisor.is_power_of_two() => split(a, divisor.trailing_zeros() as usize),
            Some(divisor) => self.divide_constant(a, b, divisor),
            None => self.divide_steps(a, b),
        };
        self.divisions.insert(key, result.clone());
        result
    }

    /// New variables for quotient and remainder, which `a = q * b + r` and `r < b` determine: a
    /// product with a constant is a much smaller circuit than a division.
    fn divide_constant(&mut self, a: &Bits, b: &Bits, divisor: u128) -> (Bits, Bits) {
        let width = a.len();
        let n_significant = significant(a);
        let divisor_bits = bit_length(divisor) as usize;
        if divisor_bits > n_significant {
            return (zeros(width), Rc::clone(a));
        }
        let dividend = self.value_of(a);
        let n_quotient = n_significant - divisor_bits + 1;
        let quotient = self.fresh_number(dividend / divisor, n_quotient, width);
        let remainder = self.fresh_number(dividend % divisor, divisor_bits, width);
        // One bit more than the quotient times the divisor can need, so that nothing wraps.
        let product_width = (n_significant + 2).max(width);
        let long_quotient = extend(&quotient, (product_width - width) as u32, Bit::FALSE);
        let product = match product_width <= 128 {
            true => self.multiply_constant(&long_quotient, divisor),
            false => {
                let long_divisor = extend(b, (product_width - width) as u32, Bit::FALSE);
                self.multiply_rows(&long_quotient, &long_divisor)
            }
        };
        let long_remainder = extend(&remainder, (product_width - width) as u32, Bit::FALSE);
        let sum = self.add(&product, &long_remainder, Bit::FALSE).0;
        let long_dividend = extend(a, (product_width - width) as u32, Bit::FALSE);
        let is_sum = self.equal(&sum, &long_dividend);
        let is_less = self.less(&remainder, b);
        self.clause(&[is_sum]);
        self.clause(&[is_less]);
        (quotient, remainder)
    }

    /// A number of `n_bits` new variables, zero above.
    fn fresh_number(&mut self, value: u128, n_bits: usize, width: usize) -> Bits {
        let bit = |i: usize| value >> i & 1 == 1;
        (0..width).map(|i| if i < n_bits { self.fresh(bit(i)) } else { Bit::FALSE }).collect()
    }

    /// Long division: one comparison and subtraction for each bit of the quotient.
    fn divide_steps(&mut self, a: &Bits, b: &Bits) -> (Bits, Bits) {
        let width = a.len();
        let divisor = extend(b, 1, Bit::FALSE);
        let mut remainder = zeros(width + 1);
        let mut quotient = vec![Bit::FALSE; width];
        // With a divisor of zero every step takes the bit, so the quotient is all ones.
        for i in (0..width).rev() {
            remainder = std::iter::once(a[i]).chain(remainder[..width].iter().copied()).collect();
            let takes = !self.less(&remainder, &divisor);
            let difference = self.subtract(&remainder, &divisor);
            remainder = difference.iter().zip(remainder.iter()).map(|(&d, &r)| self.mux(takes, d, r)).collect();
            quotient[i] = takes;
        }
        (quotient.into(), remainder[..width].into())
    }

    /// Division of the magnitudes; the quotient's sign is the product of the signs, the remainder's
    /// that of the dividend.
    fn divide_signed(&mut self, a: &Bits, b: &Bits) -> (Bits, Bits) {
        let (a_sign, b_sign) = (a[a.len() - 1], b[b.len() - 1]);
        let (a, b) = (self.negate_if(a_sign, a), self.negate_if(b_sign, b));
        let (quotient, remainder) = self.divide(&a, &b);
        let differ = self.xor(a_sign, b_sign);
        (self.negate_if(differ, &quotient), self.negate_if(a_sign, &remainder))
    }

    fn negate_if(&mut self, condition: Bit, a: &Bits) -> Bits {
        let flipped: Vec<Bit> = a.iter().map(|&bit| self.xor(bit, condition)).collect();
        let zero = zeros(a.len());
        self.add(&flipped, &zero, condition).0
    }

    /// By each bit of the amount in turn; by the width or more, all bits are `fill`.
    fn shift(&mut self, a: &Bits, amount: &Bits, direction: Direction, fill: Bit) -> Bits {
        let width = a.len();
        let mut shifted = Rc::clone(a);
        let mut too_far = Vec::new();
        for (i, &bit) in amount.iter().enumerate() {
            let n = 1usize.checked_shl(i as u32).filter(|&n| n < width);
            let Some(n) = n else {
                too_far.push(bit);
                continue;
            };
            let source = |i: usize| match direction {
                Direction::Left => i.checked_sub(n).map_or(fill, |from| shifted[from]),
                Direction::Right => shifted.get(i + n).copied().unwrap_or(fill),
            };
            shifted = (0..width).map(|i| self.mux(bit, source(i), shifted[i])).collect();
        }
        let is_too_far = self.or_all(&too_far);
        shifted.iter().map(|&bit| self.mux(is_too_far, fill, bit)).collect()
    }
}

/// Quotient and remainder by a power of two.
fn split(a: &Bits, n: usize) -> (Bits, Bits) {
    let (low, high) = a.split_at(n);
    let pad = |bits: &[Bit]| extend(&bits.into(), (a.len() - bits.len()) as u32, Bit::FALSE);
    (pad(high), pad(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::{semantics, BinOp};
    use proptest::prelude::*;
    use rustsat::solvers::{SolveIncremental, SolverResult};
    use rustsat_cadical::CaDiCaL;

    fn number(circuit: &mut Circuit, first: u32, width: u32) -> Bits {
        let n_bytes = width.div_ceil(8);
        let bits: Vec<Bit> =
            (0..n_bytes).flat_map(|i| circuit.variable(8, Variable::Byte(first + i)).to_vec()).collect();
        bits[..width as usize].into()
    }

    const OPS: [(TermOp, BinOp); 18] = [
        (TermOp::Add, BinOp::Add),
        (TermOp::Sub, BinOp::Sub),
        (TermOp::Mul, BinOp::Mul),
        (TermOp::UDiv, BinOp::UDiv),
        (TermOp::SDiv, BinOp::SDiv),
        (TermOp::URem, BinOp::URem),
        (TermOp::SRem, BinOp::SRem),
        (TermOp::Shl, BinOp::Shl),
        (TermOp::LShr, BinOp::LShr),
        (TermOp::AShr, BinOp::AShr),
        (TermOp::And, BinOp::And),
        (TermOp::Or, BinOp::Or),
        (TermOp::Xor, BinOp::Xor),
        (TermOp::Eq, BinOp::Eq),
        (TermOp::Ult, BinOp::Ult),
        (TermOp::Ule, BinOp::Ule),
        (TermOp::Slt, BinOp::Slt),
        (TermOp::Sle, BinOp::Sle),
    ];

    /// Whether the circuit has just the value that the operator gives, on the hint's inputs and as
    /// its value on the hint.
    fn check(op: TermOp, meaning: BinOp, width: u32, a: u128, b: u128, is_constant: bool) -> Result<(), TestCaseError> {
        let n_bytes = width.div_ceil(8) as usize;
        let hint: Vec<u8> = [&a.to_le_bytes()[..n_bytes], &b.to_le_bytes()[..n_bytes]].concat();
        let mut circuit = Circuit::new(CaDiCaL::default(), &hint, usize::MAX);
        let lhs = number(&mut circuit, 0, width);
        let rhs = if is_constant { circuit.constant(width, b) } else { number(&mut circuit, n_bytes as u32, width) };
        let result = circuit.apply(op, &[&lhs, &rhs]);
        let expected = semantics::binary(meaning, width, a, b);
        prop_assert_eq!(circuit.value_of(&result), expected);
        let expected = circuit.constant(result.len() as u32, expected);
        let is_expected = circuit.equal(&result, &expected);
        let inputs = lhs.iter().chain(rhs.iter()).filter(|bit| bit.as_constant().is_none());
        let mut assumptions: Vec<_> =
            inputs.map(|&bit| if circuit.value(bit) { bit.lit() } else { (!bit).lit() }).collect();
        let wanted = match is_expected.as_constant() {
            Some(value) => {
                prop_assert!(value);
                return Ok(());
            }
            None => is_expected.lit(),
        };
        assumptions.push(wanted);
        prop_assert_eq!(circuit.solver.solve_assumps(&assumptions).expect("a result"), SolverResult::Sat);
        assumptions.pop();
        assumptions.push(!wanted);
        prop_assert_eq!(circuit.solver.solve_assumps(&assumptions).expect("a result"), SolverResult::Unsat);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn operators_mean_what_they_should(
            op in prop::sample::select(OPS.to_vec()),
            width in 1..=40u32,
            a in any::<u128>(),
            b in any::<u128>(),
            n_shift in 0..40u32,
            is_constant in any::<bool>(),
        ) {
            let mask = semantics::mask(width);
            check(op.0, op.1, width, a & mask, (b & mask) >> n_shift.min(width - 1), is_constant)?;
            check(op.0, op.1, width, a & mask, u128::from(n_shift) & mask, is_constant)?;
        }
    }

    #[test]
    fn constants_at_the_edges() {
        for (term, op) in OPS {
            for width in [8, 64, 128] {
                let mask = semantics::mask(width);
                for a in [0, 1, 77, mask, mask >> 1, (mask >> 1) + 1] {
                    for b in [0, 1, 3, 7, 10, 31, 255, mask, mask - 1, mask >> 1, (mask >> 1) + 1] {
                        let is_slow =
                            width == 128 && matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
                        if !is_slow {
                            check(term, op, width, a, b & mask, true).expect("as the semantics say");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn membership() {
        let set: crate::byte_set::ByteSet = (b'0'..=b'9').chain([b'x', 255]).collect();
        for value in 0..=255u8 {
            let mut circuit = Circuit::new(CaDiCaL::default(), &[value], usize::MAX);
            let byte = number(&mut circuit, 0, 8);
            let is_member = circuit.member(&byte, &set);
            assert_eq!(circuit.value(is_member), set.contains(value));
        }
    }
}
