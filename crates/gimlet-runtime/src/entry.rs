//! The symbols that instrumented code calls: one small thunk for each entry point.
//!
//! They keep all registers but the result's and r11 (LLVM's `preserve_most`
//! calling convention), so that a call in an unlikely block costs the likely
//! path around it no register. The table of the format crate generates them, and
//! checks the type of each function behind them.

use core::arch::global_asm;

use crate::atomics::*;
use crate::calls::*;
use crate::memory::*;
use crate::ops::*;
use crate::server::gimlet_rt_register;
use crate::tokens::*;

macro_rules! one {
    ($param:ident) => {
        ()
    };
}

macro_rules! thunks {
    ($(fn $name:ident($($param:ident: $ty:ident),* $(,)?) $(-> $ret:ident)?;)*) => {$(
        const _: extern "C" fn($(gimlet_trace::abi_rust_ty!($ty)),*) $(-> gimlet_trace::abi_rust_ty!($ret))? = $name;

        global_asm!(
            ".text",
            concat!(".globl ", stringify!($name)),
            concat!(".type ", stringify!($name), ", @function"),
            ".p2align 4",
            concat!(stringify!($name), ":"),
            ".cfi_startproc",
            "push rax",
            "push rcx",
            "push rdx",
            "push rsi",
            "push rdi",
            "push r8",
            "push r9",
            "push r10",
            // Eight registers, the arguments on the stack once more, and room to keep it aligned.
            ".if {stacked} % 2 == 0",
            "push r10",
            ".endif",
            ".rept {stacked}",
            "push qword ptr [rsp + 8 * (8 + {stacked} + 1 - {stacked} % 2)]",
            ".endr",
            ".cfi_adjust_cfa_offset 8 * (8 + {stacked} + 1 - {stacked} % 2)",
            "call {body}",
            "add rsp, 8 * ({stacked} + 1 - {stacked} % 2)",
            "pop r10",
            "pop r9",
            "pop r8",
            "pop rdi",
            "pop rsi",
            "pop rdx",
            "pop rcx",
            ".if {returns}",
            "add rsp, 8",
            ".else",
            "pop rax",
            ".endif",
            ".cfi_adjust_cfa_offset -8 * (8 + {stacked} + 1 - {stacked} % 2)",
            "ret",
            ".cfi_endproc",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            stacked = const <[()]>::len(&[$(one!($param)),*]).saturating_sub(6),
            returns = const <[()]>::len(&[$(one!($ret))?]),
            body = sym $name,
        );
    )*};
}

gimlet_trace::entry_points!(thunks);
