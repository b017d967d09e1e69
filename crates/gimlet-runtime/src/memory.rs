//! Entry points for memory: loads and stores at concrete addresses, copies, fills.
//!
//! Labels of memory are checked against its content whenever they are read: a
//! byte that differs from its label's value was written by code that is not
//! instrumented. Its label is dropped and counted as stale.

use gimlet_trace::event::{LostReason, PinReason, StaleReason, TallyKind};
use gimlet_trace::node::Op;
use gimlet_trace::{Label, ShadowWord};

use crate::checks;
use crate::log;
use crate::lookup;
use crate::shadow;
use crate::state::Guard;
use crate::table::{self, operation, truncate, Operand};
use crate::walks;

/// A stretch of bytes with one origin: a label's bytes `byte ..`, or constants.
#[derive(Clone, Copy)]
struct Piece {
    label: Label,
    byte: u32,
    at: u32,
    len: u32,
}

/// Drops the label of a byte that is not the label's value any more. True if it is labelled after that.
pub fn drop_if_stale(address: u64, content: u8, reason: StaleReason, site: u32) -> bool {
    let word = shadow::get(address);
    if word == ShadowWord::NONE {
        return false;
    }
    let (label, byte) = word.decode();
    let fits = (table::value(label) >> (8 * byte)) as u8 == content;
    if !fits {
        shadow::set(address, ShadowWord::NONE);
        log::tally(TallyKind::Stale, reason as u16, site);
    }
    fits
}

/// The same for `n` bytes.
fn drop_stale(address: u64, n: u32, content: u128, site: u32) -> bool {
    (0..n).fold(false, |labelled, at| {
        let byte = (content >> (8 * at)) as u8;
        drop_if_stale(address + u64::from(at), byte, StaleReason::Loaded, site) || labelled
    })
}

/// The piece that begins at byte `at`, as long as it goes.
fn piece_at(word: impl Fn(u32) -> ShadowWord, at: u32, n: u32) -> Piece {
    let (label, byte) = word(at).decode();
    let mut len = 1;
    while at + len < n {
        let next = word(at + len);
        let follows = match (label.input_index(), label.is_symbolic()) {
            (Some(index), _) => next == ShadowWord(Label::input(index + len).0),
            (None, true) => next == ShadowWord::new(label, byte + len) && byte + len < 16,
            (None, false) => next == ShadowWord::NONE,
        };
        if !follows {
            break;
        }
        len += 1;
    }
    Piece { label, byte, at, len }
}

fn piece_operand(piece: Piece, content: u128) -> Operand {
    let bits = 8 * piece.len;
    let value = truncate(content >> (8 * piece.at), bits);
    let label = match piece.label.input_index() {
        Some(first) => table::input_bytes(first, piece.len),
        None => table::extract(piece.label, 8 * piece.byte, bits),
    };
    Operand { label, value }
}

/// The label of `n` bytes at `address` that hold `content`.
pub fn label_of(address: u64, n: u32, content: u128, site: u32) -> Label {
    if !drop_stale(address, n, content, site) {
        return Label::NONE;
    }
    assemble(n, content, |at| shadow::get(address + u64::from(at)))
}

/// The label of `n` bytes that hold `content` and have these shadow words.
pub fn assemble(n: u32, content: u128, word: impl Fn(u32) -> ShadowWord) -> Label {
    let mut low = Operand::constant(0);
    let mut low_bits = 0;
    while low_bits < 8 * n {
        let piece = piece_at(&word, low_bits / 8, n);
        let high = piece_operand(piece, content);
        let bits = low_bits + 8 * piece.len;
        let value = truncate(content, bits);
        let label = if low_bits == 0 {
            high.label
        } else if high.is_symbolic() || low.is_symbolic() {
            operation(Op::Concat, bits, [8 * piece.len, low_bits, 0], &[high, low], value)
        } else {
            Label::NONE
        };
        low = Operand { label, value };
        low_bits = bits;
    }
    low.label
}

/// Reads up to 16 bytes of the program's memory.
///
/// # Safety
/// The bytes must be readable.
pub unsafe fn content(address: u64, n: u32) -> u128 {
    let mut bytes = [0u8; 16];
    // SAFETY: the caller vouches for the bytes; at most 16 are taken.
    unsafe { core::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), n.min(16) as usize) };
    u128::from_le_bytes(bytes)
}

pub extern "C" fn gimlet_rt_load(
    address: *mut u8,
    n: u32,
    laddr: u32,
    site: u32,
    value_lo: u64,
    value_hi: u64,
    object: *mut u8,
    size: u64,
) -> u32 {
    let Some(_guard) = Guard::enter() else { return 0 };
    let content = Operand::new(0, value_lo, value_hi).value;
    let address = address as u64;
    if laddr != 0 {
        let known = (size != 0).then_some((object as u64, size));
        return lookup::load(Label(laddr), address, n, content, known, site).0;
    }
    walks::look(address, n, site);
    label_of(address, n, content, site).0
}

pub extern "C" fn gimlet_rt_store(
    address: *mut u8,
    n: u32,
    laddr: u32,
    site: u32,
    lvalue: u32,
    value_lo: u64,
    value_hi: u64,
    object: *mut u8,
    size: u64,
) {
    let Some(_guard) = Guard::enter() else { return };
    let address = address as u64;
    if laddr != 0 {
        let known = (size != 0).then_some((object as u64, size));
        let value = Operand::new(lvalue, value_lo, value_hi);
        return lookup::store(Label(laddr), address, n, value, known, site);
    }
    shadow::set_label(address, n.into(), Label(lvalue));
}

pub extern "C" fn gimlet_rt_lose_memory(address: *mut u8, n: u64, site: u32, reason: u32) {
    let Some(_guard) = Guard::enter() else { return };
    let labelled = (0..n).any(|at| shadow::get(address as u64 + at) != ShadowWord::NONE);
    if labelled {
        log::lost(site, LostReason::from_code(reason as u16).unwrap_or(LostReason::Intrinsic));
    }
}

/// A copy of memory: labels go along. Symbolic ends and sizes are pinned.
pub fn copied(to: Operand, from: Operand, n: Operand, site: u32) {
    checks::range(to, n, site);
    checks::range(from, n, site);
    log::pin(n.label.0, n.value, site, PinReason::Size);
    log::pin(to.label.0, to.value, site, PinReason::StoreAddress);
    log::pin(from.label.0, from.value, site, PinReason::Address);
    shadow::copy(to.value as u64, from.value as u64, n.value as u64);
}

pub extern "C" fn gimlet_rt_copy(to: *mut u8, from: *mut u8, n: u64, ln: u32, lto: u32, lfrom: u32, site: u32) {
    let Some(_guard) = Guard::enter() else { return };
    copied(Operand::new(lto, to as u64, 0), Operand::new(lfrom, from as u64, 0), Operand::new(ln, n, 0), site);
}

/// `n` bytes now all hold the same unit of so many bytes, the low ones of `value`.
pub fn filled(to: Operand, (value, unit): (Operand, u64), n: Operand, site: u32) {
    checks::range(to, n, site);
    log::pin(n.label.0, n.value, site, PinReason::Size);
    log::pin(to.label.0, to.value, site, PinReason::StoreAddress);
    let (to, n) = (to.value as u64, n.value as u64);
    let label = table::extract(value.label, 0, 8 * unit as u32);
    if !label.is_symbolic() {
        return shadow::clear(to, n);
    }
    for at in (0..n).step_by(unit as usize) {
        shadow::set_label(to + at, unit, label);
    }
}

pub extern "C" fn gimlet_rt_fill(to: *mut u8, n: u64, lbyte: u32, byte: u32, ln: u32, lto: u32, site: u32) {
    let Some(_guard) = Guard::enter() else { return };
    let byte = Operand::new(lbyte, byte.into(), 0);
    filled(Operand::new(lto, to as u64, 0), (byte, 1), Operand::new(ln, n, 0), site);
}

pub extern "C" fn gimlet_rt_clear(address: *mut u8, n: u64) {
    let Some(_guard) = Guard::enter() else { return };
    shadow::clear(address as u64, n);
}
