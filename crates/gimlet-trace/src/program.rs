//! Programs: what an unlikely block does, as data.
//!
//! Nearly all of an instrumented program's code is in blocks that run only where something is symbolic: they call an entry
//! point of the runtime for each operation that the block before them did. As machine code these blocks take most of the
//! time to compile and most of the room. So the pass writes them down as programs, and each block becomes one call of
//! `gimlet_rt_region` with the values that come in from outside.
//!
//! # Format
//!
//! All programs of a module stand one behind another; a block names its own by its offset.
//!
//! ```text
//! u8          number of inputs, then of each a byte: its width in bits, 1 to 64
//! steps       each a byte that says which, and what it needs; a result goes to the next slot, behind the inputs
//! END         u8: number of results that are given back, then these operands
//! ```
//!
//! | step | needs |
//! |---|---|
//! | [`OPERATION`] | u8: code of a [`crate::node::Op`], u8: width of its operands, two operands |
//! | [`SELECT`] | condition, two operands |
//! | [`TRUNCATE`] | u8: width, operand; zero-extended it is, as all values in slots are |
//! | [`SIGN_EXTEND`] | u8: width before, u8: width behind, operand |
//! | [`THREAD_WORD`] | u16: offset in the thread-local block, u8: width |
//! | [`CALL`] and more | operands of the entry point with the number of what is more |
//!
//! An operand is a byte, or a byte and a number: a slot, a small constant, or with [`SITE`] a site of the module, with
//! [`CONSTANT`] and the three behind it a constant of 1, 2, 4 or 8 bytes.
//!
//! `x + 1` with 32 bits, where `x` comes in beside its label (entry point 0 is `gimlet_rt_binary`):
//!
//! ```text
//! 02 20 20        inputs: a label, and the value
//! 05 10 20 01 c1  slot 2 = slot 1 + 1
//! 40 fd10 20 00 c0 01 c1 02    slot 3 = gimlet_rt_binary(0x2010, slot 0, 0, slot 1, 1, slot 2)
//! 00 01 03        gives back slot 3
//! ```

use alloc::vec::Vec;

use crate::node::Op;

/// Slots of a program, its inputs among them.
pub const SLOTS_MAX: usize = 192;

pub const END: u8 = 0;
pub const SELECT: u8 = 1;
pub const TRUNCATE: u8 = 2;
pub const SIGN_EXTEND: u8 = 3;
pub const THREAD_WORD: u8 = 4;
pub const OPERATION: u8 = 5;
pub const CALL: u8 = 64;

/// Operands below this are slots; from here on they are constants, 0 and up.
pub const SMALL: u8 = SLOTS_MAX as u8;
pub const SITE: u8 = 251;
pub const CONSTANT: u8 = 252;

/// What a step works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Slot(u8),
    Constant(u64),
    /// A site of the module, by its index.
    Site(u32),
}

/// Writes one program.
#[derive(Debug, Default)]
pub struct Writer {
    steps: Vec<u8>,
    widths: Vec<u8>,
    n_slots: usize,
}

impl Writer {
    /// A program with inputs of these widths, which are in its first slots.
    pub fn new(widths: &[u8]) -> Writer {
        assert!(widths.len() <= SLOTS_MAX, "too many inputs");
        Writer { steps: Vec::new(), widths: widths.to_vec(), n_slots: widths.len() }
    }

    pub fn operation(&mut self, op: Op, width: u8, a: Operand, b: Operand) -> Operand {
        self.step(OPERATION, &[op as u8, width], &[a, b]);
        self.result()
    }

    pub fn select(&mut self, condition: Operand, a: Operand, b: Operand) -> Operand {
        self.step(SELECT, &[], &[condition, a, b]);
        self.result()
    }

    pub fn truncate(&mut self, width: u8, value: Operand) -> Operand {
        self.step(TRUNCATE, &[width], &[value]);
        self.result()
    }

    pub fn sign_extend(&mut self, from: u8, to: u8, value: Operand) -> Operand {
        self.step(SIGN_EXTEND, &[from, to], &[value]);
        self.result()
    }

    /// A word of the thread-local block.
    pub fn thread_word(&mut self, offset: u16, width: u8) -> Operand {
        let [low, high] = offset.to_le_bytes();
        self.step(THREAD_WORD, &[low, high, width], &[]);
        self.result()
    }

    /// Calls the entry point with this number.
    pub fn call(&mut self, entry: u8, operands: &[Operand], has_result: bool) -> Option<Operand> {
        self.step(CALL + entry, &[], operands);
        has_result.then(|| self.result())
    }

    /// The program, which gives these back.
    pub fn finish(mut self, results: &[Operand]) -> Vec<u8> {
        self.step(END, &[results.len() as u8], results);
        let mut program = Vec::with_capacity(1 + self.widths.len() + self.steps.len());
        program.push(self.widths.len() as u8);
        program.extend(self.widths);
        program.extend(self.steps);
        program
    }

    fn step(&mut self, step: u8, bytes: &[u8], operands: &[Operand]) {
        self.steps.push(step);
        self.steps.extend(bytes);
        operands.iter().for_each(|&operand| self.operand(operand));
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Slot(slot) => self.steps.push(slot),
            Operand::Site(index) => {
                self.steps.push(SITE);
                self.steps.extend(index.to_le_bytes());
            }
            Operand::Constant(value) if value < u64::from(SITE - SMALL) => self.steps.push(SMALL + value as u8),
            Operand::Constant(value) => {
                let log = (0..3).find(|log| value >> (8 << log) == 0).unwrap_or(3);
                self.steps.push(CONSTANT + log);
                self.steps.extend(&value.to_le_bytes()[..1 << log]);
            }
        }
    }

    fn result(&mut self) -> Operand {
        assert!(self.n_slots < SLOTS_MAX, "a program has too many slots");
        self.n_slots += 1;
        Operand::Slot(self.n_slots as u8 - 1)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn worked_example() {
        let mut writer = Writer::new(&[32, 32]);
        let [label, x] = [Operand::Slot(0), Operand::Slot(1)];
        let one = Operand::Constant(1);
        let sum = writer.operation(Op::Add, 32, x, one);
        let shape = Operand::Constant(0x2010);
        let made = writer.call(0, &[shape, label, Operand::Constant(0), x, one, sum], true).unwrap();
        let expected = vec![2, 32, 32, 5, 0x10, 32, 1, 0xc1, 0x40, 0xfd, 0x10, 0x20, 0, 0xc0, 1, 0xc1, 2, 0, 1, 3];
        assert_eq!(writer.finish(&[made]), expected);
    }

    #[test]
    fn constants_take_as_little_as_they_can() {
        let long = |value| Writer::new(&[]).finish(&[Operand::Constant(value)]).len() - 3;
        let cases =
            [(0, 1), (58, 1), (59, 2), (255, 2), (256, 3), (0xffff, 3), (1 << 16, 5), (1 << 32, 9), (u64::MAX, 9)];
        for (value, expected) in cases {
            assert_eq!(long(value), expected, "{value}");
        }
        assert_eq!(Writer::new(&[]).finish(&[Operand::Site(3)]), [0, 0, 1, 251, 3, 0, 0, 0]);
    }
}
