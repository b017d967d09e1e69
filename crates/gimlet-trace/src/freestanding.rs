//! What both static libraries that are linked into programs need, as macros: neither has `std`, and both are called by
//! compiled code in ways that Rust does not have.

#[doc(hidden)]
#[macro_export]
macro_rules! abi_one {
    ($param:ident) => {
        ()
    };
}

/// One small function in assembly for each entry point of a table, which calls the Rust function of that name.
///
/// They keep all registers but the result's and r11 (LLVM's `preserve_most`
/// calling convention), so that a call in an unlikely block costs the likely
/// path around it no register. The table also says the types of the functions
/// behind them.
#[macro_export]
macro_rules! thunks {
    ($(fn $name:ident($($param:ident: $ty:ident),* $(,)?) $(-> $ret:ident)?;)*) => {$(
        const _: extern "C" fn($($crate::abi_rust_ty!($ty)),*) $(-> $crate::abi_rust_ty!($ret))? = $name;

        core::arch::global_asm!(
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
            stacked = const <[()]>::len(&[$($crate::abi_one!($param)),*]).saturating_sub(6),
            returns = const <[()]>::len(&[$($crate::abi_one!($ret))?]),
            body = sym $name,
        );
    )*};
}

/// Defines a thread-local block of so many bytes, and the function `$block` that gives the address of this thread's.
///
/// Stable Rust has no `#[thread_local]`, so the block is defined and found in
/// assembly. The library is always part of the executable, hence the local-exec
/// access; instrumented shared objects reach the same symbol by initial-exec.
#[macro_export]
macro_rules! thread_block {
    ($symbol:literal, $len:expr, $block:ident) => {
        core::arch::global_asm!(
            ".section .tbss,\"awT\",@nobits",
            concat!(".globl ", $symbol),
            concat!(".type ", $symbol, ", @object"),
            concat!(".size ", $symbol, ", {len}"),
            ".p2align 4",
            concat!($symbol, ":"),
            ".zero {len}",
            ".text",
            len = const $len,
        );

        /// Address of this thread's block.
        #[inline(always)]
        pub fn $block() -> *mut u8 {
            let address: *mut u8;
            // SAFETY: reads the thread pointer and adds a constant.
            unsafe {
                core::arch::asm!(
                    "mov {0}, qword ptr fs:[0]",
                    concat!("lea {0}, [{0} + ", $symbol, "@tpoff]"),
                    out(reg) address,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            address
        }
    };
}

/// What Rust wants of a library without `std`; none of it is ever meant to run. `$panicked` says so and ends the program.
#[macro_export]
macro_rules! without_std {
    ($panicked:path) => {
        /// Nothing here allocates; the format crate's owned types, which are not used, could.
        struct NoAllocator;

        // SAFETY: returning null is always allowed, and nothing is ever freed because nothing was allocated.
        unsafe impl core::alloc::GlobalAlloc for NoAllocator {
            unsafe fn alloc(&self, _: core::alloc::Layout) -> *mut u8 {
                core::ptr::null_mut()
            }
            unsafe fn dealloc(&self, _: *mut u8, _: core::alloc::Layout) {}
        }

        #[global_allocator]
        static ALLOCATOR: NoAllocator = NoAllocator;

        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            $panicked()
        }

        /// Precompiled parts of `core` name it although nothing here unwinds.
        #[unsafe(no_mangle)]
        extern "C" fn rust_eh_personality() {}
    };
}
