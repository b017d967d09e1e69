//! Runs the programs that the pass has made of unlikely blocks ([`gimlet_trace::program`]).
//!
//! A program calls entry points by number, as the block would have done. Code that is all symbolic is 5 to 14 % slower for it
//! (`cargo xtask bench trace`); code that is concrete does not come here.

use core::mem::MaybeUninit;

use gimlet_trace::node::Op;
use gimlet_trace::program::{
    BINARY, CALL, END, OPERATION, SELECT, SIGN_EXTEND, SITE, SITE_NUMBER, SITE_PARAM, SLOTS_MAX, THREAD_WORD, TRUNCATE,
};

use crate::atomics::*;
use crate::calls::*;
use crate::memory::*;
use crate::ops::*;
use crate::server::{gimlet_rt_register, Module};
use crate::tls;
use crate::tokens::*;
use crate::walks::*;

/// `inputs` and `results` are the same eight bytes each; the first result is returned, too.
pub extern "C" fn gimlet_rt_region(module: *mut u8, program: u32, values: *mut u8) -> u32 {
    let (module, values) = (module.cast::<Module>(), values.cast::<u64>());
    // SAFETY: the pass's descriptor and one of its programs; `values` has room for its inputs and results.
    unsafe {
        let at = (*module).programs.add(program as usize);
        let site_base = (*module).site_base;
        Machine { at, site_base, n_slots: 0, slots: [const { MaybeUninit::uninit() }; SLOTS_MAX] }.run(values)
    }
}

struct Machine {
    at: *const u8,
    site_base: u32,
    n_slots: usize,
    slots: [MaybeUninit<u64>; SLOTS_MAX],
}

/// The low bits of a value.
fn low(value: u64, width: u8) -> u64 {
    if width >= 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// A value of `width` bits as a signed number.
fn signed(value: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    (value << shift) as i64 >> shift
}

/// What an operator gives; those that the pass copies into blocks only.
#[inline(always)]
fn compute(op: u8, width: u8, a: u64, b: u64) -> u64 {
    macro_rules! by_code {
        ($($op:ident => $result:expr),* $(,)?) => {{
            match op {
                $(code if code == Op::$op as u8 => $result,)*
                // The pass writes no others.
                _ => {
                    debug_assert!(false, "an operator that is not computed");
                    0
                }
            }
        }};
    }
    let is_shift = b < u64::from(width);
    let result = by_code! {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => if is_shift { a << b } else { 0 },
        LShr => if is_shift { a >> b } else { 0 },
        AShr => (signed(a, width) >> b.min(63)) as u64,
        Eq => (a == b).into(),
        Ne => (a != b).into(),
        Ult => (a < b).into(),
        Ule => (a <= b).into(),
        Slt => (signed(a, width) < signed(b, width)).into(),
        Sle => (signed(a, width) <= signed(b, width)).into(),
    };
    low(result, width)
}

impl Machine {
    /// # Safety
    /// `at` is a program, and `values` has room for its inputs and results.
    unsafe fn run(mut self, values: *mut u64) -> u32 {
        // SAFETY: steps are read one by one up to the program's end.
        unsafe {
            for input in 0..self.byte().into() {
                let width = self.byte();
                self.push(low(values.add(input).read_unaligned(), width));
            }
            let (n_short, n_long) = (self.byte(), self.byte());
            for _ in 0..n_short {
                let constant = self.number::<4>();
                self.push(constant);
            }
            for _ in 0..n_long {
                let constant = self.number::<8>();
                self.push(constant);
            }
            loop {
                let step = self.byte();
                if step >= CALL {
                    self.call(step - CALL);
                } else if step == BINARY {
                    self.binary();
                } else if step == END {
                    return self.end(values);
                } else {
                    self.compute(step);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn binary(&mut self) {
        // SAFETY: as in `run`.
        unsafe {
            let (op, width) = (self.byte(), self.byte());
            let (la, lb) = (self.operand() as u32, self.operand() as u32);
            let (a, b) = (self.operand(), self.operand());
            let value = compute(op, width, a, b);
            let label = match la | lb {
                0 => 0,
                _ => gimlet_rt_binary(u32::from(op) | u32::from(width) << 8, la, lb, a, b, value),
            };
            self.push(label.into());
            self.push(value);
        }
    }

    /// A step that calls nothing.
    unsafe fn compute(&mut self, step: u8) {
        // SAFETY: as in `run`.
        let result = unsafe {
            match step {
                OPERATION => {
                    let (op, width) = (self.byte(), self.byte());
                    let (a, b) = (self.operand(), self.operand());
                    compute(op, width, a, b)
                }
                SELECT => {
                    let (condition, a, b) = (self.operand(), self.operand(), self.operand());
                    if condition != 0 {
                        a
                    } else {
                        b
                    }
                }
                TRUNCATE => {
                    let width = self.byte();
                    low(self.operand(), width)
                }
                SIGN_EXTEND => {
                    let (from, to) = (self.byte(), self.byte());
                    low(signed(self.operand(), from) as u64, to)
                }
                THREAD_WORD => {
                    let offset = self.number::<2>();
                    match self.byte() {
                        64 => tls::slot::<u64>(offset).read(),
                        _ => tls::slot::<u32>(offset).read().into(),
                    }
                }
                SITE_NUMBER => self.site_number(),
                _ => 0,
            }
        };
        self.push(result);
    }

    unsafe fn end(&mut self, values: *mut u64) -> u32 {
        // SAFETY: as in `run`.
        unsafe {
            let n_results = self.byte();
            let mut first = 0;
            for result in 0..n_results.into() {
                let value = self.operand();
                values.add(result).write_unaligned(value);
                if result == 0 {
                    first = value as u32;
                }
            }
            first
        }
    }

    #[inline(always)]
    unsafe fn byte(&mut self) -> u8 {
        // SAFETY: as in `run`.
        unsafe {
            let byte = self.at.read();
            self.at = self.at.add(1);
            byte
        }
    }

    #[inline(always)]
    unsafe fn number<const N: usize>(&mut self) -> u64 {
        let mut bytes = [0; 8];
        // SAFETY: as in `run`.
        unsafe {
            bytes[..N].copy_from_slice(&self.at.cast::<[u8; N]>().read());
            self.at = self.at.add(N);
        }
        u64::from_le_bytes(bytes)
    }

    #[inline(always)]
    unsafe fn operand(&mut self) -> u64 {
        // SAFETY: as in `run`; a slot is written before it is read.
        unsafe {
            let slot = usize::from(self.byte());
            self.slots.get_unchecked(slot).assume_init()
        }
    }

    unsafe fn site_number(&mut self) -> u64 {
        // SAFETY: as in `run`.
        unsafe { self.site_base.wrapping_add(self.number::<4>() as u32).into() }
    }

    /// An operand of an entry point.
    #[inline(always)]
    unsafe fn argument<const IS_SITE: bool>(&mut self) -> u64 {
        // SAFETY: as in `run`.
        unsafe {
            if IS_SITE && self.at.read() == SITE {
                self.at = self.at.add(1);
                return self.site_number();
            }
            self.operand()
        }
    }

    #[inline(always)]
    fn push(&mut self, value: u64) {
        debug_assert!(self.n_slots < SLOTS_MAX);
        // SAFETY: no program has more slots: whoever writes it counts them.
        unsafe { self.slots.get_unchecked_mut(self.n_slots).write(value) };
        self.n_slots += 1;
    }
}

/// Whether a parameter is called a site.
const fn is_site(name: &str) -> bool {
    let (name, site) = (name.as_bytes(), SITE_PARAM.as_bytes());
    name.len() == site.len() && name[0] == site[0] && name[1] == site[1] && name[2] == site[2]
}

macro_rules! call_by_number {
    ($(fn $name:ident($($param:ident: $ty:ident),* $(,)?) $(-> $ret:ident)?;)*) => {
        /// The entry points in the order of their numbers.
        #[allow(non_camel_case_types)]
        enum Entry { $($name),* }

        impl Machine {
            #[inline(always)]
            #[allow(clippy::let_unit_value)]
            unsafe fn call(&mut self, entry: u8) {
                // SAFETY: as in `run`.
                unsafe {
                    match entry {
                        $(number if number == Entry::$name as u8 => {
                            let result = $name(
                                $(self.argument::<{ is_site(stringify!($param)) }>() as gimlet_trace::abi_rust_ty!($ty)),*
                            );
                            $(self.push(u64::from(result as gimlet_trace::abi_rust_ty!($ret)));)?
                            let _ = result;
                        })*
                        _ => {}
                    }
                }
            }
        }
    };
}
gimlet_trace::entry_points!(call_by_number);

#[cfg(test)]
mod tests {
    use gimlet_trace::abi::ENTRY_POINTS;
    use gimlet_trace::program::{Operand, Writer};

    use super::*;
    use crate::testing;

    /// Runs a program by itself.
    fn run(writer: Writer, inputs: &[u64], results: &[Operand]) -> Vec<u64> {
        let program = writer.finish(results);
        let mut values = inputs.to_vec();
        values.resize(inputs.len().max(results.len()).max(1), 0);
        let slots = [const { MaybeUninit::uninit() }; SLOTS_MAX];
        let machine = Machine { at: program.as_ptr(), site_base: 100, n_slots: 0, slots };
        // SAFETY: a whole program, and room for what it takes and gives.
        unsafe { machine.run(values.as_mut_ptr()) };
        values.truncate(results.len());
        values
    }

    /// Values at the edges of a width, as a C compiler's operators treat them.
    #[test]
    fn operators_compute_what_the_program_computed() {
        let values = [0u64, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 63, u64::MAX];
        for (a, b) in values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))) {
            let (a32, b32) = (a as u32, b as u32);
            let (a8, b8) = (a as i8, b as i8);
            let cases = [
                (Op::Add, 32, a32.wrapping_add(b32).into()),
                (Op::Sub, 64, a.wrapping_sub(b)),
                (Op::Mul, 32, a32.wrapping_mul(b32).into()),
                (Op::And, 32, (a32 & b32).into()),
                (Op::Or, 64, a | b),
                (Op::Xor, 8, (a8 ^ b8) as u8 as u64),
                (Op::Shl, 32, if b32 < 32 { (a32 << b32).into() } else { 0 }),
                (Op::LShr, 64, if b < 64 { a >> b } else { 0 }),
                (Op::AShr, 8, if (0..8).contains(&b8) { (a8 >> b8) as u8 as u64 } else { u64::MAX }),
                (Op::Eq, 32, (a32 == b32).into()),
                (Op::Ne, 8, (a8 != b8).into()),
                (Op::Ult, 64, (a < b).into()),
                (Op::Ule, 32, (a32 <= b32).into()),
                (Op::Slt, 8, (a8 < b8).into()),
                (Op::Sle, 32, (a32 as i32 <= b32 as i32).into()),
            ];
            for (op, width, expected) in cases.into_iter().filter(|case| case.0 != Op::AShr || case.2 != u64::MAX) {
                let mut writer = Writer::default();
                let [left, right] = [writer.input(width), writer.input(width)];
                let result = writer.operation(op, width, left, right);
                assert_eq!(run(writer, &[a, b], &[result]), [expected], "{op:?} of {width} bits: {a:#x}, {b:#x}");
            }
        }
    }

    #[test]
    fn widths_and_choices() {
        let mut writer = Writer::default();
        let [bit, byte, word] = [1, 8, 64].map(|width| writer.input(width));
        let wide = writer.sign_extend(8, 32, byte);
        let narrow = writer.truncate(16, word);
        let chosen = writer.select(bit, wide, narrow);
        let results = [wide, narrow, chosen, Operand::Site(7), Operand::Constant(1 << 40)];
        // What is above an input's width is not part of it.
        let expected = [0xffff_ff80, 0x7788, 0x7788, 107, 1 << 40];
        assert_eq!(run(writer, &[0xfe, 0x1180, 0x1122_3344_5566_7788], &results), expected);
    }

    #[test]
    fn entry_points_are_called_as_the_block_would_have() {
        let _run = testing::begin();
        let label = testing::input(3).0;
        let shape = |op: Op, width: u32| u64::from(op as u32 | width << 8);
        let entry = |name: &str| {
            let number = ENTRY_POINTS.iter().position(|entry| entry.name == name).unwrap();
            (number as u8, &ENTRY_POINTS[number])
        };
        let [binary, branch] = ["gimlet_rt_binary", "gimlet_rt_branch"].map(entry);

        // Before: the branch makes the sum a constant.
        let by_hand = gimlet_rt_binary(shape(Op::Add, 8) as u32, label, 0, 4, 1, 5);
        let compared_by_hand = gimlet_rt_binary(shape(Op::Eq, 8) as u32, by_hand, 0, 5, 5, 1);

        let mut writer = Writer::default();
        let [input, value] = [writer.input(32), writer.input(8)];
        let [zero, one] = [0, 1].map(Operand::Constant);
        let [added, sum] = writer.binary(Op::Add, 8, [input, zero], [value, one]);
        let arguments = [Operand::Constant(shape(Op::Eq, 8)), added, zero, sum, Operand::Constant(5), one];
        let compared = writer.call(binary.0, binary.1, &arguments).unwrap();
        assert_eq!(writer.call(branch.0, branch.1, &[compared, one, Operand::Site(2)]), None);
        let results = run(writer, &[label.into(), 4], &[added, compared]);

        assert_eq!(results, [by_hand.into(), compared_by_hand.into()]);
        let [branch] = testing::events()[..] else { panic!("one branch") };
        assert_eq!((branch.site, branch.a), (102, compared_by_hand));
    }
}
