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
//! u8 u8       numbers of constants of 4 and of 8 bytes, then these
//! steps       each a byte that says which, and what it needs
//! END         u8: number of results that are given back, then these operands
//! ```
//!
//! An operand is a byte, the number of a slot: the inputs are in the first ones, constants behind them, and then what each
//! step gave, in order. So an operand takes one load, whatever it is. What an entry point calls `site` is another matter: it
//! is [`SITE`] and the site's index in the module, four bytes, or a slot as everywhere.
//!
//! | step | needs |
//! |---|---|
//! | [`OPERATION`] | u8: code of a [`crate::node::Op`], u8: width of its operands, two operands |
//! | [`SELECT`] | condition, two operands |
//! | [`TRUNCATE`] | u8: width, operand; values in slots have zeros above them |
//! | [`SIGN_EXTEND`] | u8: width before, u8: width behind, operand |
//! | [`THREAD_WORD`] | u16: offset in the thread-local block, u8: width |
//! | [`SITE_NUMBER`] | u32: index of a site of the module |
//! | [`BINARY`] | u8: code of an `Op`, u8: width, labels of two operands, the operands: gives the label of the result, then the result |
//! | [`CALL`] and more | operands of the entry point with the number of what is more |
//!
//! `x + 1` with 32 bits, where `x` comes in beside its label, widened to 64 bits (entry point 5 is `gimlet_rt_unary`):
//!
//! ```text
//! 02 20 20              inputs: slot 0 is the label, slot 1 the value
//! 04 00                 four constants:
//! 00000000 01000000     slot 2 is 0, slot 3 is 1,
//! 03400000 20000000     slot 4 is the shape of a widening to 64 bits, slot 5 is 32
//! 07 10 20 00 02 01 03  slot 6 = label of x + 1, slot 7 = x + 1
//! 45 04 05 06 07 02     slot 8 = gimlet_rt_unary(shape, 32, slot 6, slot 7, 0)
//! 00 01 08              gives back slot 8
//! ```

use alloc::vec::Vec;

use crate::abi::EntryPoint;
use crate::node::Op;

/// ELF section of the programs.
pub const PROGRAMS_SECTION: &str = "gimlet_programs";

/// Slots of a program, its inputs and constants among them.
pub const SLOTS_MAX: usize = 192;

pub const END: u8 = 0;
pub const SELECT: u8 = 1;
pub const TRUNCATE: u8 = 2;
pub const SIGN_EXTEND: u8 = 3;
pub const THREAD_WORD: u8 = 4;
pub const OPERATION: u8 = 5;
pub const SITE_NUMBER: u8 = 6;
pub const BINARY: u8 = 7;
pub const CALL: u8 = 64;

/// In place of a slot where an entry point wants a site: an index follows.
pub const SITE: u8 = 255;

/// What entry points call a site.
pub const SITE_PARAM: &str = "site";

/// What a step works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Input(u8),
    /// What a step gave.
    Result(u8),
    Constant(u64),
    /// A site of the module, by its index.
    Site(u32),
}

/// A part of a step that is not yet bytes: slots are known when all constants are.
#[derive(Clone, Copy, Debug)]
enum Item {
    Byte(u8),
    Operand(Operand),
}

/// Writes one program.
#[derive(Debug, Default)]
pub struct Writer {
    widths: Vec<u8>,
    constants: Vec<u64>,
    items: Vec<Item>,
    n_results: u8,
}

impl Writer {
    /// Another input, of this width.
    pub fn input(&mut self, width: u8) -> Operand {
        self.widths.push(width);
        Operand::Input(self.widths.len() as u8 - 1)
    }

    /// An operator on values with these labels, as `gimlet_rt_binary` does it: the label of what it gives, and that.
    pub fn binary(&mut self, op: Op, width: u8, labels: [Operand; 2], values: [Operand; 2]) -> [Operand; 2] {
        self.step(BINARY, &[op as u8, width], &[labels, values].concat());
        [self.result(), self.result()]
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
    pub fn call(&mut self, number: u8, entry: &EntryPoint, operands: &[Operand]) -> Option<Operand> {
        let is_site = |index: usize| entry.names.get(index) == Some(&SITE_PARAM);
        let operands: Vec<Operand> = operands
            .iter()
            .enumerate()
            .map(|(index, &operand)| if is_site(index) { operand } else { self.in_slot(operand) })
            .collect();
        self.items.push(Item::Byte(CALL + number));
        for operand in operands {
            match operand {
                Operand::Site(site) => {
                    self.items.push(Item::Byte(SITE));
                    self.items.extend(site.to_le_bytes().map(Item::Byte));
                }
                _ => self.operand(operand),
            }
        }
        (entry.ret != crate::abi::Ty::Void).then(|| self.result())
    }

    /// The program, which gives these back.
    pub fn finish(mut self, results: &[Operand]) -> Vec<u8> {
        self.step(END, &[results.len() as u8], results);
        self.constants.sort_by_key(|&constant| constant > u32::MAX.into());
        let (n_inputs, n_constants) = (self.widths.len(), self.constants.len());
        let n_short = self.constants.iter().filter(|&&constant| constant <= u32::MAX.into()).count();
        assert!(n_inputs + n_constants + usize::from(self.n_results) <= SLOTS_MAX, "a program has too many slots");
        let mut program = Vec::new();
        program.push(n_inputs as u8);
        program.extend(&self.widths);
        program.extend([n_short as u8, (n_constants - n_short) as u8]);
        for (number, constant) in self.constants.iter().enumerate() {
            program.extend(&constant.to_le_bytes()[..if number < n_short { 4 } else { 8 }]);
        }
        let place =
            |value| self.constants.iter().position(|&constant| constant == value).expect("a constant that is kept");
        program.extend(self.items.iter().map(|&item| match item {
            Item::Byte(byte) => byte,
            Item::Operand(Operand::Input(input)) => input,
            Item::Operand(Operand::Constant(value)) => (n_inputs + place(value)) as u8,
            Item::Operand(Operand::Result(result)) => (n_inputs + n_constants) as u8 + result,
            Item::Operand(Operand::Site(_)) => unreachable!("a site has become a step"),
        }));
        program
    }

    fn step(&mut self, step: u8, bytes: &[u8], operands: &[Operand]) {
        let operands: Vec<Operand> = operands.iter().map(|&operand| self.in_slot(operand)).collect();
        self.items.push(Item::Byte(step));
        self.items.extend(bytes.iter().copied().map(Item::Byte));
        operands.into_iter().for_each(|operand| self.operand(operand));
    }

    fn operand(&mut self, operand: Operand) {
        if let Operand::Constant(value) = operand
            && !self.constants.contains(&value)
        {
            self.constants.push(value);
        }
        self.items.push(Item::Operand(operand));
    }

    /// The same; a site becomes a result.
    fn in_slot(&mut self, operand: Operand) -> Operand {
        let Operand::Site(site) = operand else { return operand };
        self.items.push(Item::Byte(SITE_NUMBER));
        self.items.extend(site.to_le_bytes().map(Item::Byte));
        self.result()
    }

    fn result(&mut self) -> Operand {
        self.n_results += 1;
        Operand::Result(self.n_results - 1)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::abi::ENTRY_POINTS;

    fn entry(name: &str) -> (u8, &'static EntryPoint) {
        let number = ENTRY_POINTS.iter().position(|entry| entry.name == name).unwrap();
        (number as u8, &ENTRY_POINTS[number])
    }

    #[test]
    fn worked_example() {
        let mut writer = Writer::default();
        let [label, x] = [writer.input(32), writer.input(32)];
        let [zero, one] = [0, 1].map(Operand::Constant);
        let [sum_label, sum] = writer.binary(Op::Add, 32, [label, zero], [x, one]);
        let (number, unary) = entry("gimlet_rt_unary");
        assert_eq!(number, 5);
        let shape = Operand::Constant(Op::ZExt as u64 | 64 << 8);
        let wide = writer.call(number, unary, &[shape, Operand::Constant(32), sum_label, sum, zero]).unwrap();
        let constants = vec![0, 0, 0, 0, 1, 0, 0, 0, 3, 0x40, 0, 0, 32, 0, 0, 0];
        let steps = vec![7, 0x10, 32, 0, 2, 1, 3, 0x45, 4, 5, 6, 7, 2, 0, 1, 8];
        assert_eq!(writer.finish(&[wide]), [vec![2, 32, 32, 4, 0], constants, steps].concat());
    }

    #[test]
    fn long_constants_stand_behind_short_ones() {
        let mut writer = Writer::default();
        let chosen = writer.select(Operand::Constant(1 << 40), Operand::Constant(7), Operand::Constant(1 << 40));
        let long = (1u64 << 40).to_le_bytes();
        let expected = [&[0, 1, 1, 7, 0, 0, 0][..], &long, &[1, 1, 0, 1, 0, 1, 2]].concat();
        assert_eq!(writer.finish(&[chosen]), expected);
    }

    #[test]
    fn sites_are_named_where_they_are_wanted() {
        let mut writer = Writer::default();
        let condition = writer.input(32);
        let (number, branch) = entry("gimlet_rt_branch");
        assert_eq!(writer.call(number, branch, &[condition, condition, Operand::Site(3)]), None);
        // Anywhere else a site is a number.
        let narrow = writer.truncate(16, Operand::Site(4));
        let call = [CALL + number, 0, 0, SITE, 3, 0, 0, 0];
        let rest = [SITE_NUMBER, 4, 0, 0, 0, TRUNCATE, 16, 1, END, 1, 2];
        assert_eq!(writer.finish(&[narrow]), [&[1, 32, 0, 0][..], &call, &rest].concat());
    }
}
