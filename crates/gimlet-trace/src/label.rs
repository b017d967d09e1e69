//! Labels: the names of symbolic values, and the shadow words that spread them over memory.
//!
//! A label is a u32 that travels beside each value of the program. Zero means
//! concrete. Input bytes have labels of their own without any record, so that
//! reading 64 KiB of input writes shadow words and nothing else.
//!
//! A shadow word is the u32 beside each byte of memory. It names a label and a
//! byte of it, so that a store creates no record: four bytes that hold node 5
//! have the shadow words `5:0 5:1 5:2 5:3`, and a load of the same four bytes
//! finds node 5 again.

/// Names an expression: nothing, an input byte, or a record of the node table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[repr(transparent)]
pub struct Label(pub u32);

const INPUT_BIT: u32 = 1 << 31;

/// Number of records that a node table can hold: a shadow word has 27 bits for a node.
pub const NODES_MAX: u32 = 1 << 27;
/// Number of input bytes that can be labelled.
pub const INPUT_MAX: u32 = 1 << 31;

impl Label {
    /// The label of concrete values.
    pub const NONE: Label = Label(0);

    /// The label of input byte `index`.
    #[inline(always)]
    pub const fn input(index: u32) -> Label {
        Label(INPUT_BIT | index)
    }

    /// True for anything but [`Label::NONE`].
    #[inline(always)]
    pub const fn is_symbolic(self) -> bool {
        self.0 != 0
    }

    /// The input byte that this label names, if it names one.
    #[inline(always)]
    pub const fn input_index(self) -> Option<u32> {
        if self.0 & INPUT_BIT != 0 {
            Some(self.0 & !INPUT_BIT)
        } else {
            None
        }
    }

    /// The record that this label names, if it names one.
    #[inline(always)]
    pub const fn node_index(self) -> Option<u32> {
        if self.0 != 0 && self.0 & INPUT_BIT == 0 {
            Some(self.0)
        } else {
            None
        }
    }
}

/// The shadow of one byte of memory: byte `byte` of `label`, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ShadowWord(pub u32);

impl ShadowWord {
    /// The shadow of a concrete byte.
    pub const NONE: ShadowWord = ShadowWord(0);

    /// The shadow of byte `byte` (0 is the least significant) of `label`.
    #[inline(always)]
    pub const fn new(label: Label, byte: u32) -> ShadowWord {
        if label.0 == 0 || label.0 & INPUT_BIT != 0 {
            ShadowWord(label.0)
        } else {
            ShadowWord(label.0 << 4 | byte)
        }
    }

    /// The label and the byte of it that this word names.
    #[inline(always)]
    pub const fn decode(self) -> (Label, u32) {
        if self.0 & INPUT_BIT != 0 {
            (Label(self.0), 0)
        } else {
            (Label(self.0 >> 4), self.0 & 15)
        }
    }
}
