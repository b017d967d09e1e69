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

/// Exports `function(fixed arguments.., started: *mut Started)` as variadic functions, with this before their names.
///
/// Stable Rust can't define a variadic function. This makes one in assembly: it
/// builds the `va_list` of the System V ABI and hands it to an ordinary function,
/// behind the fixed arguments, with the address by which it was called behind the
/// list.
#[macro_export]
macro_rules! variadic_functions {
    ($prefix:literal $($name:ident: $function:ident($fixed:literal)),* $(,)?) => {$(
        core::arch::global_asm!(
            ".text",
            concat!(".weak ", $prefix, stringify!($name)),
            concat!(".type ", $prefix, stringify!($name), ", @function"),
            ".p2align 4",
            concat!($prefix, stringify!($name), ":"),
            ".cfi_startproc",
            // The list and the address (32 bytes) at rsp, the registers (176 bytes) at rsp + 32.
            "sub rsp, 216",
            ".cfi_adjust_cfa_offset 216",
            "mov [rsp + 32], rdi",
            "mov [rsp + 40], rsi",
            "mov [rsp + 48], rdx",
            "mov [rsp + 56], rcx",
            "mov [rsp + 64], r8",
            "mov [rsp + 72], r9",
            "test al, al",
            "je 2f",
            "movaps [rsp + 80], xmm0",
            "movaps [rsp + 96], xmm1",
            "movaps [rsp + 112], xmm2",
            "movaps [rsp + 128], xmm3",
            "movaps [rsp + 144], xmm4",
            "movaps [rsp + 160], xmm5",
            "movaps [rsp + 176], xmm6",
            "movaps [rsp + 192], xmm7",
            "2:",
            "mov dword ptr [rsp], 8 * {fixed}",
            "mov dword ptr [rsp + 4], 48",
            "lea rax, [rsp + 224]",
            "mov [rsp + 8], rax",
            "lea rax, [rsp + 32]",
            "mov [rsp + 16], rax",
            concat!("lea rax, [rip + ", $prefix, stringify!($name), "]"),
            "mov [rsp + 24], rax",
            ".if {fixed} == 1",
            "mov rsi, rsp",
            ".elseif {fixed} == 2",
            "mov rdx, rsp",
            ".elseif {fixed} == 3",
            "mov rcx, rsp",
            ".elseif {fixed} == 4",
            "mov r8, rsp",
            ".elseif {fixed} == 5",
            "mov r9, rsp",
            ".endif",
            "call {function}",
            "add rsp, 216",
            ".cfi_adjust_cfa_offset -216",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $prefix, stringify!($name), ", . - ", $prefix, stringify!($name)),
            fixed = const $fixed,
            function = sym $function,
        );
        const _: () = assert!($fixed >= 1 && $fixed <= 5);
    )*};
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
        #[no_mangle]
        extern "C" fn rust_eh_personality() {}
    };
}
