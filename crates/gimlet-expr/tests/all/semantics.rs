//! `semantics` against formulations that share nothing with it: vectors of bits, school arithmetic.

use gimlet_expr::semantics;
use gimlet_expr::{BinOp, FunnelOp, UnOp};
use proptest::prelude::*;

/// A number as bits, least significant first.
type Bits = Vec<bool>;

fn bits(width: u32, value: u128) -> Bits {
    (0..width).map(|i| value >> i & 1 == 1).collect()
}

fn value(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |value, &bit| value * 2 + u128::from(bit))
}

fn zeros(width: usize) -> Bits {
    vec![false; width]
}

fn not(a: &[bool]) -> Bits {
    a.iter().map(|&bit| !bit).collect()
}

/// Sum modulo the width, with carry in.
fn add(a: &[bool], b: &[bool], mut carry: bool) -> Bits {
    let mut sum = Vec::new();
    for (&x, &y) in a.iter().zip(b) {
        sum.push(x ^ y ^ carry);
        carry = [x, y, carry].iter().filter(|&&bit| bit).count() >= 2;
    }
    sum
}

fn sub(a: &[bool], b: &[bool]) -> Bits {
    add(a, &not(b), true)
}

fn neg(a: &[bool]) -> Bits {
    sub(&zeros(a.len()), a)
}

fn extend(a: &[bool], width: usize, fill: bool) -> Bits {
    let mut extended = a.to_vec();
    extended.resize(width, fill);
    extended
}

fn sign(a: &[bool]) -> bool {
    a[a.len() - 1]
}

fn shl(a: &[bool], n: usize) -> Bits {
    (0..a.len()).map(|i| i >= n && a[i - n]).collect()
}

fn shr(a: &[bool], n: usize, fill: bool) -> Bits {
    (0..a.len()).map(|i| a.get(i + n).copied().unwrap_or(fill)).collect()
}

fn mul(a: &[bool], b: &[bool]) -> Bits {
    let mut product = zeros(a.len());
    for (i, &bit) in b.iter().enumerate() {
        if bit {
            product = add(&product, &shl(a, i), false);
        }
    }
    product
}

fn ult(a: &[bool], b: &[bool]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

fn slt(a: &[bool], b: &[bool]) -> bool {
    if sign(a) == sign(b) {
        ult(a, b)
    } else {
        sign(a)
    }
}

/// Long division; the divisor is not zero.
fn divide(a: &[bool], b: &[bool]) -> (Bits, Bits) {
    let (wide_b, mut rest) = (extend(b, b.len() + 1, false), zeros(b.len() + 1));
    let mut quotient = zeros(a.len());
    for i in (0..a.len()).rev() {
        rest = shl(&rest, 1);
        rest[0] = a[i];
        if !ult(&rest, &wide_b) {
            rest = sub(&rest, &wide_b);
            quotient[i] = true;
        }
    }
    rest.truncate(a.len());
    (quotient, rest)
}

fn magnitude(a: &[bool]) -> Bits {
    if sign(a) {
        neg(a)
    } else {
        a.to_vec()
    }
}

fn negate_if(condition: bool, a: Bits) -> Bits {
    if condition {
        neg(&a)
    } else {
        a
    }
}

/// SMT-LIB's definitions of the four divisions.
fn division(op: BinOp, a: &[bool], b: &[bool]) -> Bits {
    let udivrem = |a: &[bool], b: &[bool]| {
        if b.contains(&true) {
            divide(a, b)
        } else {
            (vec![true; a.len()], a.to_vec())
        }
    };
    match op {
        BinOp::UDiv => udivrem(a, b).0,
        BinOp::URem => udivrem(a, b).1,
        BinOp::SDiv => negate_if(sign(a) != sign(b), udivrem(&magnitude(a), &magnitude(b)).0),
        BinOp::SRem => negate_if(sign(a), udivrem(&magnitude(a), &magnitude(b)).1),
        _ => unreachable!("{op:?} is not a division"),
    }
}

/// Whether the operation in twice the width differs from the extended result in the width.
fn overflows(a: &[bool], b: &[bool], is_signed: bool, f: fn(&[bool], &[bool]) -> Bits) -> bool {
    let double = 2 * a.len();
    let widen = |x: &[bool]| extend(x, double, is_signed && sign(x));
    let exact = f(&widen(a), &widen(b));
    widen(&f(a, b)) != exact
}

fn reference_binary(op: BinOp, width: u32, lhs: u128, rhs: u128) -> u128 {
    let (a, b) = (bits(width, lhs), bits(width, rhs));
    let amount = usize::try_from(rhs).unwrap_or(usize::MAX).min(128);
    let plus = |a: &[bool], b: &[bool]| add(a, b, false);
    let truth = |condition: bool| vec![condition];
    let zip = |f: fn(bool, bool) -> bool| a.iter().zip(&b).map(|(&x, &y)| f(x, y)).collect();
    let result: Bits = match op {
        BinOp::Add => plus(&a, &b),
        BinOp::Sub => sub(&a, &b),
        BinOp::Mul => mul(&a, &b),
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => division(op, &a, &b),
        BinOp::Shl => shl(&a, amount),
        BinOp::LShr => shr(&a, amount, false),
        BinOp::AShr => shr(&a, amount, sign(&a)),
        BinOp::And => zip(|x, y| x && y),
        BinOp::Or => zip(|x, y| x || y),
        BinOp::Xor => zip(|x, y| x != y),
        BinOp::Eq => truth(a == b),
        BinOp::Ne => truth(a != b),
        BinOp::Ult => truth(ult(&a, &b)),
        BinOp::Ule => truth(!ult(&b, &a)),
        BinOp::Slt => truth(slt(&a, &b)),
        BinOp::Sle => truth(!slt(&b, &a)),
        BinOp::UAddO => truth(overflows(&a, &b, false, plus)),
        BinOp::SAddO => truth(overflows(&a, &b, true, plus)),
        BinOp::USubO => truth(overflows(&a, &b, false, sub)),
        BinOp::SSubO => truth(overflows(&a, &b, true, sub)),
        BinOp::UMulO => truth(overflows(&a, &b, false, mul)),
        BinOp::SMulO => truth(overflows(&a, &b, true, mul)),
    };
    value(&result)
}

fn reference_unary(op: UnOp, width: u32, arg: u128) -> u128 {
    let a = bits(width, arg);
    let count = |n: usize| n as u128;
    match op {
        UnOp::Not => value(&not(&a)),
        UnOp::Neg => value(&neg(&a)),
        UnOp::BSwap => value(&a.rchunks(8).flatten().copied().collect::<Bits>()),
        UnOp::CtPop => count(a.iter().filter(|&&bit| bit).count()),
        UnOp::Ctlz => count(a.iter().rev().take_while(|&&bit| !bit).count()),
        UnOp::Cttz => count(a.iter().take_while(|&&bit| !bit).count()),
    }
}

fn reference_funnel(op: FunnelOp, width: u32, hi: u128, lo: u128, amount: u128) -> u128 {
    let mut both = bits(width, lo);
    both.extend(bits(width, hi));
    let n = (amount % u128::from(width)) as usize;
    let width = width as usize;
    match op {
        FunnelOp::Left => value(&shl(&both, n)[width..]),
        FunnelOp::Right => value(&shr(&both, n, false)[..width]),
    }
}

/// A width and three values of it, biased to the ends of the range.
fn operands() -> impl Strategy<Value = (u32, [u128; 3])> {
    let width = prop_oneof![prop::sample::select(vec![1, 2, 7, 8, 16, 24, 32, 33, 48, 64, 65, 127, 128]), 1..=128u32];
    width.prop_flat_map(|width| {
        let mask = u128::MAX >> (128 - width);
        let value = prop_oneof![
            prop::sample::select(vec![0, 1, 2, mask, mask - 1, mask / 2, mask / 2 + 1]),
            0..300u128,
            any::<u128>(),
            (any::<u128>(), 0..128u32).prop_map(|(value, shift)| value >> shift),
        ];
        let value = value.prop_map(move |value| value & mask);
        (Just(width), [value.clone(), value.clone(), value])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn operators_agree_with_bits((width, [a, b, c]) in operands()) {
        for op in BinOp::ALL {
            let expected = reference_binary(op, width, a, b);
            prop_assert_eq!(semantics::binary(op, width, a, b), expected, "{:?}", op);
        }
        for op in UnOp::ALL {
            if op != UnOp::BSwap || width % 8 == 0 {
                let expected = reference_unary(op, width, a);
                prop_assert_eq!(semantics::unary(op, width, a), expected, "{:?}", op);
            }
        }
        for op in [FunnelOp::Left, FunnelOp::Right] {
            let expected = reference_funnel(op, width, a, b, c);
            prop_assert_eq!(semantics::funnel(op, width, a, b, c), expected, "{:?}", op);
        }
    }

    #[test]
    fn structure_agrees_with_bits((width, [a, b, _]) in operands(), lo in 0..128u32, n in 1..=128u32) {
        let (lo, n) = (lo % width, n.min(width - lo % width));
        let a_bits = bits(width, a);
        prop_assert_eq!(semantics::extract(lo, n, a), value(&a_bits[lo as usize..(lo + n) as usize]));
        let extended = extend(&a_bits, 128, sign(&a_bits));
        prop_assert_eq!(semantics::sext(width, 128, a), value(&extended));
        let mut both = bits(n, b & (u128::MAX >> (128 - n)));
        both.extend(&a_bits[..(128 - n).min(width) as usize]);
        let low = value(&both[..n as usize]);
        let high = value(&both[n as usize..]);
        if n < 128 {
            prop_assert_eq!(semantics::concat(n, high, low), value(&both));
        }
    }
}
