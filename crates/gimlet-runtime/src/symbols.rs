//! Functions that programs call to make memory symbolic, and those of other tools that mean the same.
//!
//! Programs written for other tools often bring their own `reach_error` or
//! `__VERIFIER_assume`; all names but `gimlet_*` are therefore weak. Programs that
//! have only `LLVMFuzzerTestOneInput` are linked with [`gimlet_fuzz_main`] as `main`.

use core::arch::global_asm;
use core::ffi::{c_char, CStr};

use gimlet_trace::event::{EndKind, EventKind, EventRecord, NO_SITE};
use gimlet_trace::input::NONDET_SOURCE;
use gimlet_trace::node::Op;
use gimlet_trace::shm::stop;
use gimlet_trace::Label;

use crate::implied;
use crate::input::{take_named, take_string};
use crate::lengths;
use crate::log::{self, blank};
use crate::memory::{content, label_of};
use crate::model::Call;
use crate::server;
use crate::state::{self, Guard};
use crate::table::{extract, operation, Operand};
use crate::tls;

global_asm!(
    ".macro gimlet_weak name, target",
    ".weak \\name",
    ".type \\name, @function",
    ".set \\name, \\target",
    ".endm",
    "gimlet_weak klee_make_symbolic, gimlet_symbolic",
    "gimlet_weak klee_assume, gimlet_assume_wide",
    "gimlet_weak __VERIFIER_assume, gimlet_assume",
    "gimlet_weak __VERIFIER_assert, gimlet_assert",
    "gimlet_weak reach_error, gimlet_reach_error",
    "gimlet_weak __VERIFIER_nondet_bool, gimlet_nondet_bool",
    "gimlet_weak __VERIFIER_nondet__Bool, gimlet_nondet_bool",
    "gimlet_weak __VERIFIER_nondet_char, gimlet_nondet_i8",
    "gimlet_weak __VERIFIER_nondet_schar, gimlet_nondet_i8",
    "gimlet_weak __VERIFIER_nondet_uchar, gimlet_nondet_u8",
    "gimlet_weak __VERIFIER_nondet_unsigned_char, gimlet_nondet_u8",
    "gimlet_weak __VERIFIER_nondet_u8, gimlet_nondet_u8",
    "gimlet_weak __VERIFIER_nondet_short, gimlet_nondet_i16",
    "gimlet_weak __VERIFIER_nondet_ushort, gimlet_nondet_u16",
    "gimlet_weak __VERIFIER_nondet_u16, gimlet_nondet_u16",
    "gimlet_weak __VERIFIER_nondet_int, gimlet_nondet_32",
    "gimlet_weak __VERIFIER_nondet_uint, gimlet_nondet_32",
    "gimlet_weak __VERIFIER_nondet_unsigned, gimlet_nondet_32",
    "gimlet_weak __VERIFIER_nondet_unsigned_int, gimlet_nondet_32",
    "gimlet_weak __VERIFIER_nondet_u32, gimlet_nondet_32",
    "gimlet_weak __VERIFIER_nondet_long, gimlet_nondet_64",
    "gimlet_weak __VERIFIER_nondet_ulong, gimlet_nondet_64",
    "gimlet_weak __VERIFIER_nondet_longlong, gimlet_nondet_64",
    "gimlet_weak __VERIFIER_nondet_ulonglong, gimlet_nondet_64",
    "gimlet_weak __VERIFIER_nondet_loff_t, gimlet_nondet_64",
    "gimlet_weak __VERIFIER_nondet_size_t, gimlet_nondet_64",
    "gimlet_weak __VERIFIER_nondet_pointer, gimlet_nondet_64",
    "gimlet_weak __VERIFIER_nondet_float, gimlet_nondet_f32",
    "gimlet_weak __VERIFIER_nondet_double, gimlet_nondet_f64",
    ".weak LLVMFuzzerTestOneInput",
    ".weak LLVMFuzzerInitialize",
);

/// What the program calls a part of its memory.
///
/// # Safety
/// It must be null or a string.
unsafe fn name_of<'a>(name: *const c_char) -> &'a [u8] {
    // SAFETY: the caller vouches for it.
    let given = if name.is_null() { b"" as &[u8] } else { unsafe { CStr::from_ptr(name) }.to_bytes() };
    if given.is_empty() {
        b"unnamed"
    } else {
        given
    }
}

/// Makes `n` bytes symbolic: the next `n` bytes of the input's source `name`.
///
/// # Safety
/// As for any C function that takes a buffer and a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gimlet_symbolic(p: *mut u8, n: usize, name: *const c_char) {
    let call = Call::take(gimlet_symbolic as *const u8);
    let Some(_guard) = Guard::enter() else { return };
    // SAFETY: the caller vouches for both.
    unsafe {
        let name = name_of(name);
        call.pin_size(1, n as u64);
        take_named(name, p, n as u64, call.site);
    }
}

/// Makes a string of up to `max` bytes, its terminator included: `prefix` characters symbolic, and the length.
///
/// # Safety
/// As for any C function that takes a buffer and a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gimlet_symbolic_string(p: *mut u8, prefix: usize, max: usize, name: *const c_char) {
    let call = Call::take(gimlet_symbolic_string as *const u8);
    let Some(_guard) = Guard::enter() else { return };
    // SAFETY: the caller vouches for both.
    unsafe {
        let name = name_of(name);
        call.pin_size(1, prefix as u64);
        call.pin_size(2, max as u64);
        take_string(name, p, prefix as u64, max as u64, call.site);
    }
}

/// The condition that `value` is not zero, as an event; true if it holds.
fn condition(kind: EventKind, label: u32, value: u64, width: u32, site: u32) -> bool {
    let holds = value != 0;
    if let Some(_guard) = Guard::enter() {
        let cond = if label == 0 {
            Label::NONE
        } else {
            let operands = [Operand::new(label, value, 0), Operand::constant(0)];
            operation(Op::Ne, 1, [width, width, 0], &operands, holds.into())
        };
        if cond.is_symbolic() || !holds {
            log::event(EventRecord { a: cond.0, flags: holds.into(), ..blank(kind, site) });
            implied::fix(cond);
        }
    }
    holds
}

fn assume(label: u32, value: u64, width: u32, site: u32) {
    if !condition(EventKind::Assume, label, value, width, site) {
        server::end(EndKind::AssumeFailed, 0);
        state::stop(stop::ASSUMPTION);
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) };
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_assume(holds: i32) {
    let call = Call::take(gimlet_assume as *const u8);
    assume(call.label(0), u64::from(holds as u32), 32, call.site);
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_assume_wide(holds: u64) {
    let call = Call::take(gimlet_assume_wide as *const u8);
    assume(call.label(0), holds, 64, call.site);
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_assert(holds: i32) {
    let call = Call::take(gimlet_assert as *const u8);
    if !condition(EventKind::Assert, call.label(0), u64::from(holds as u32), 32, call.site) {
        state::say(b"gimlet_assert failed\n");
        server::end(EndKind::Abort, libc::SIGABRT as u64);
        // SAFETY: ends the process.
        unsafe { libc::abort() };
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_reach_error() {
    server::end(EndKind::ReachError, 0);
    state::stop(stop::REACHED_ERROR);
    state::say(b"reach_error was reached\n");
    // SAFETY: ends the process.
    unsafe { libc::abort() };
}

/// The next `n` bytes of the nondeterministic stream, with the label of their low `width` bits.
fn nondet(n: u32, width: u32, callee: *const u8) -> u64 {
    let call = Call::take(callee);
    let Some(_guard) = Guard::enter() else { return 0 };
    let mut bytes = [0u8; 8];
    // SAFETY: the buffer has eight bytes.
    unsafe {
        take_named(NONDET_SOURCE.as_bytes(), bytes.as_mut_ptr(), n.into(), call.site);
        let at = bytes.as_ptr() as u64;
        let label = label_of(at, n, content(at, n), NO_SITE);
        crate::shadow::clear(at, 8);
        call.result(extract(label, 0, width));
    }
    u64::from_le_bytes(bytes)
}

/// A bool is a byte's lowest bit.
#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_bool() -> u8 {
    nondet(1, 1, gimlet_nondet_bool as *const u8) as u8 & 1
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_i8() -> i8 {
    nondet(1, 8, gimlet_nondet_i8 as *const u8) as i8
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_u8() -> u8 {
    nondet(1, 8, gimlet_nondet_u8 as *const u8) as u8
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_i16() -> i16 {
    nondet(2, 16, gimlet_nondet_i16 as *const u8) as i16
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_u16() -> u16 {
    nondet(2, 16, gimlet_nondet_u16 as *const u8) as u16
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_32() -> u32 {
    nondet(4, 32, gimlet_nondet_32 as *const u8) as u32
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_64() -> u64 {
    nondet(8, 64, gimlet_nondet_64 as *const u8)
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_f32() -> f32 {
    f32::from_bits(nondet(4, 32, gimlet_nondet_f32 as *const u8) as u32)
}

#[unsafe(no_mangle)]
pub extern "C" fn gimlet_nondet_f64() -> f64 {
    f64::from_bits(nondet(8, 64, gimlet_nondet_f64 as *const u8))
}

/// `main` of a program that has only a fuzz target: runs it on the file of the first argument, or on standard input.
///
/// # Safety
/// Called by libc as `main`.
#[unsafe(no_mangle)]
unsafe extern "C" fn gimlet_fuzz_main(argc: i32, argv: *mut *mut c_char) -> i32 {
    type Test = unsafe extern "C" fn(*const u8, usize) -> i32;
    type Initialize = unsafe extern "C" fn(*mut i32, *mut *mut *mut c_char) -> i32;
    let (test, initialize): (*const u8, *const u8);
    // SAFETY: weak symbols are null where the program does not define them.
    unsafe {
        core::arch::asm!(
            "mov {0}, qword ptr [rip + LLVMFuzzerTestOneInput@GOTPCREL]",
            "mov {1}, qword ptr [rip + LLVMFuzzerInitialize@GOTPCREL]",
            out(reg) test, out(reg) initialize,
        );
        if test.is_null() {
            state::say(b"gimlet: the program has neither main nor LLVMFuzzerTestOneInput\n");
            return 2;
        }
        if !initialize.is_null() {
            let (mut argc, mut argv) = (argc, argv);
            core::mem::transmute::<*const u8, Initialize>(initialize)(&mut argc, &mut argv);
        }
        let fd = if argc > 1 { libc::open(*argv.add(1), libc::O_RDONLY) } else { 0 };
        if fd < 0 {
            state::say(b"gimlet: cannot open the input file ");
            state::say(core::ffi::CStr::from_ptr(*argv.add(1)).to_bytes());
            state::say(b"\n");
            return 2;
        }
        let mut stat: libc::stat = core::mem::zeroed();
        libc::fstat(fd, &mut stat);
        // A pipe has no size, and what has stretches has no certain one: then 1 MiB, as libFuzzer's own limit.
        let has_size = stat.st_size > 0 && !lengths::are_there();
        let room = if has_size { stat.st_size as usize } else { 1 << 20 };
        let data = libc::malloc(room.max(1)).cast::<u8>();
        let mut len = 0;
        while len < room {
            let got = crate::model::read::read(fd, data.add(len).cast(), room - len);
            len += got.max(0) as usize;
            // With stretches there is room for all of it, and how many reads it takes should not depend on lengths.
            if got <= 0 || lengths::are_there() {
                break;
            }
        }
        if let Some(_guard) = Guard::enter() {
            crate::objects::insert(data as u64, len as u64, false);
            let source = crate::input::of_descriptor(fd).filter(|_| lengths::are_there());
            let label = source.map_or(Label::NONE, |source| lengths::span_of(source, 0, len as u64).label);
            lengths::note_size(data as u64, label);
            if label.is_symbolic() {
                tls::set_token(test as u64);
                tls::set_argument(0, 0);
                tls::set_argument(1, label.0);
            }
        }
        core::mem::transmute::<*const u8, Test>(test)(data, len)
    }
}
