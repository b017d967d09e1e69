//! Symbolic tokens: what the function that divides the input into tokens returns is a variable of its own.
//!
//! The driver names the function ([`Header::token_function`]); the pass has put a test into every function for whether it
//! is the one. While it runs, what it decides makes no events: which characters make a token is the business of the
//! token's language. Labels stay, so that texts and values of tokens are still known by their bytes. What it returns gets
//! a label of new input bytes, in the source [`TOKEN_SOURCE`], whose content is what was returned.
//!
//! [`Header::token_function`]: gimlet_trace::shm::Header::token_function

use gimlet_trace::event::{EventKind, EventRecord, LostReason};
use gimlet_trace::input::TOKEN_SOURCE;
use gimlet_trace::node::{imm, Op};
use gimlet_trace::Label;

use crate::implied::operand;
use crate::input;
use crate::log::{self, blank, stack_pointer};
use crate::objects;
use crate::shadow;
use crate::state::{header, Guard};
use crate::table::{self, operation, Operand};
use crate::tls;

/// Where the outermost call of the function that is under way keeps its return address, and in which thread. Zero if there
/// is none.
static mut FRAME: u64 = 0;
static mut THREAD: u32 = 0;
/// The function has looked at the input. What it returns before it ever did is of another text, such as a program's own
/// library.
static mut HAS_LOOKED: bool = false;
/// Bytes of input that the driver gave: those behind them came into being while the program ran.
static mut N_GIVEN: u32 = 0;

/// Operands of operands that are looked at for a token.
const DEPTH: u32 = 12;

/// A run begins.
pub fn begin() {
    // SAFETY: there is one thread.
    unsafe { N_GIVEN = header().input_len };
}

/// Whether what is decided now, by something that depends on the input, makes no events.
pub fn hides_decision() -> bool {
    let is_quiet = is_quiet();
    if is_quiet {
        // SAFETY: callers are inside a `Guard`.
        unsafe { HAS_LOOKED = true };
    }
    is_quiet
}

/// Whether the function that returns tokens is under way.
pub fn is_quiet() -> bool {
    // SAFETY: callers are inside a `Guard`.
    unsafe {
        if FRAME == 0 || THREAD != tls::thread() {
            return false;
        }
        if stack_pointer() > FRAME {
            // It was left by longjmp.
            FRAME = 0;
        }
        FRAME != 0
    }
}

/// Control came back to the function with this frame: if the function that returns tokens was below it, it was left.
pub fn unwound(frame: u64) {
    // SAFETY: callers are inside a `Guard`.
    unsafe {
        if THREAD == tls::thread() && FRAME < frame {
            FRAME = 0;
        }
    }
}

/// Whether a value depends on a token: on input that came into being while the program ran.
pub fn is_of_token(label: Label) -> bool {
    header().token_function != 0 && depends(label, DEPTH)
}

/// Whether a table is looked up by what another one says, in the function that returns tokens: a state of the scanner. What
/// tokens there are is the language's business, and texts and values of tokens do not depend on it.
pub fn is_state(address: Label) -> bool {
    header().token_function != 0 && is_quiet() && has_lookup(address, DEPTH)
}

fn has_lookup(label: Label, depth: u32) -> bool {
    let Some(node) = label.node_index() else { return false };
    let record = table::record(node);
    record.op == Op::Lookup as u8
        || depth > 0 && [imm::A, imm::B].iter().any(|&bit| has_lookup(operand(record, bit), depth - 1))
}

fn depends(label: Label, depth: u32) -> bool {
    // SAFETY: callers are inside a `Guard`.
    let first = unsafe { N_GIVEN };
    if let Some(byte) = label.input_index() {
        return byte >= first;
    }
    let Some(node) = label.node_index() else { return false };
    let record = table::record(node);
    if record.op == Op::Read as u8 {
        return record.a >= first;
    }
    depth > 0 && [imm::A, imm::B, imm::C].iter().any(|&bit| depends(operand(record, bit), depth - 1))
}

/// The function is entered.
pub extern "C" fn gimlet_rt_enter_token(frame: *mut u8) {
    let Some(_guard) = Guard::enter() else { return };
    // SAFETY: inside a guard.
    unsafe {
        let is_inner = is_quiet() && FRAME != frame as u64;
        if !is_inner && (FRAME == 0 || THREAD == tls::thread() || stack_pointer() > FRAME) {
            (FRAME, THREAD) = (frame as u64, tls::thread());
        }
    }
}

/// The function returns; 1 if that was the outermost call, whose result counts.
pub extern "C" fn gimlet_rt_leave_token(frame: *mut u8) -> u32 {
    let Some(_guard) = Guard::enter() else { return 0 };
    // SAFETY: inside a guard.
    unsafe {
        let is_outermost = FRAME == frame as u64 && THREAD == tls::thread();
        if is_outermost {
            FRAME = 0;
        }
        u32::from(is_outermost)
    }
}

fn has_looked() -> bool {
    // SAFETY: callers are inside a `Guard`.
    unsafe { HAS_LOOKED }
}

/// A part of what the function returns, `offset` bytes from the beginning: its label.
pub extern "C" fn gimlet_rt_token(
    is_outermost: u32,
    offset: u32,
    label: u32,
    value: u64,
    width: u32,
    site: u32,
) -> u32 {
    let low = 8 * header().token_offset.wrapping_sub(offset).min(u32::MAX / 8);
    if is_outermost == 0 || low >= width {
        return label;
    }
    let Some(_guard) = Guard::enter() else { return label };
    if !has_looked() {
        return label;
    }
    // Several fields of a struct can share a register. A function that returns a number returns the token.
    let bits = match header().token_size {
        0 => width - low,
        size => (8 * size).min(width - low),
    };
    let value = u128::from(value);
    let token = table::truncate(value >> low, bits) as u64;
    let mut bytes = token.to_le_bytes();
    if bits % 8 != 0 || bits == 0 || bits > 64 {
        log::lost(site, LostReason::Token);
        return label;
    }
    // SAFETY: so many of the bytes.
    let first = unsafe { input::new_bytes(TOKEN_SOURCE.as_bytes(), bytes.as_mut_ptr(), u64::from(bits / 8), site) };
    let Some(first) = first else { return label };
    let of_token = table::input_bytes(first, bits / 8);
    log::event(EventRecord { a: of_token.0, aux: bits as u16, x: token, ..blank(EventKind::Token, site) });
    let part = |low: u32, bits: u32| Operand {
        label: table::extract(Label(label), low, bits),
        value: table::truncate(value >> low, bits),
    };
    let (mut whole, end) = (of_token, low + bits);
    if low > 0 {
        let value = table::truncate(value, end);
        whole = operation(Op::Concat, end, [bits, low, 0], &[Operand::of(whole), part(0, low)], value);
    }
    if end < width {
        let high = part(end, width - end);
        whole = operation(Op::Concat, width, [width - end, end, 0], &[high, Operand::of(whole)], value);
    }
    whole.0
}

/// What the function returns is at an address.
pub extern "C" fn gimlet_rt_token_memory(is_outermost: u32, at: *mut u8, site: u32) {
    let size = u64::from(header().token_size.max(1));
    if is_outermost == 0 || at.is_null() || size > 8 {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    if !has_looked() {
        return;
    }
    let at = (at as u64).wrapping_add(u64::from(header().token_offset)) as *mut u8;
    let is_inside = |object: objects::Object| at as u64 + size <= object.base + object.size;
    if !objects::find(at as u64).is_some_and(is_inside) {
        return log::lost(site, LostReason::Token);
    }
    // SAFETY: the program has just filled it in.
    let Some(first) = (unsafe { input::new_bytes(TOKEN_SOURCE.as_bytes(), at, size, site) }) else { return };
    shadow::set_input(at as u64, size, first);
    let label = table::input_bytes(first, size as u32);
    let value = table::value(label) as u64;
    log::event(EventRecord { a: label.0, aux: 8 * size as u16, x: value, ..blank(EventKind::Token, site) });
}
