//! Arguments of variadic functions, by the System V ABI for x86-64.
//!
//! A function that has a variable number of arguments saves the registers that they may be in: six for integers and
//! pointers, eight bytes each, then eight for numbers with a point, sixteen bytes each. What has no place there is on the
//! stack, in words of eight bytes. A list says how much of each has been taken.

/// Bytes of the registers for integers and pointers, and of all that are saved.
const GENERAL_LEN: u32 = 48;
pub const SAVE_AREA_LEN: u32 = 176;

/// A `va_list`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VaList {
    /// Where in the save area the next integer or pointer is.
    pub gp_offset: u32,
    /// Where the next number with a point is.
    pub fp_offset: u32,
    /// Address of the next argument on the stack.
    pub overflow: u64,
    pub save_area: u64,
}

impl VaList {
    /// Address of the next integer or pointer, which the list is moved behind.
    pub fn integer(&mut self) -> u64 {
        if self.gp_offset >= GENERAL_LEN {
            return self.word();
        }
        self.gp_offset += 8;
        self.save_area + u64::from(self.gp_offset) - 8
    }

    /// Address of the next double.
    pub fn double(&mut self) -> u64 {
        if self.fp_offset >= SAVE_AREA_LEN {
            return self.word();
        }
        self.fp_offset += 16;
        self.save_area + u64::from(self.fp_offset) - 16
    }

    /// Address of the next long double, which is always on the stack.
    pub fn long_double(&mut self) -> u64 {
        let at = self.overflow.next_multiple_of(16);
        self.overflow = at + 16;
        at
    }

    fn word(&mut self) -> u64 {
        self.overflow += 8;
        self.overflow - 8
    }
}

/// A variadic call: its arguments, and the address that was called ([`variadic_functions`](crate::variadic_functions)).
#[repr(C)]
pub struct Started {
    pub list: VaList,
    pub callee: *const u8,
}

// The assembly below has these places in it.
const _: () = assert!(size_of::<VaList>() == 24 && core::mem::offset_of!(Started, callee) == 24);

/// Exports `function(fixed arguments.., started: *mut Started)` as variadic functions, with this before their names.
///
/// Stable Rust can't define a variadic function. This makes one in assembly: it builds a [`Started`], and hands it to an
/// ordinary function, behind the fixed arguments.
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

#[cfg(test)]
mod tests {
    use core::ffi::{c_char, c_int};

    use super::*;

    #[test]
    fn registers_come_before_the_stack() {
        let mut list = VaList { gp_offset: 40, fp_offset: 160, overflow: 0x2008, save_area: 0x1000 };
        assert_eq!((list.integer(), list.integer(), list.integer()), (0x1028, 0x2008, 0x2010));
        assert_eq!((list.double(), list.double()), (0x10a0, 0x2018));
        assert_eq!((list.long_double(), list.integer()), (0x2020, 0x2030));
        assert_eq!((list.long_double(), list.overflow), (0x2040, 0x2050));
    }

    /// Adds arguments as a word says: integers (`i`) and doubles (`d`).
    unsafe extern "C" fn sum(kinds: *const c_char, started: *mut Started) -> f64 {
        // SAFETY: the word says what arguments there are.
        unsafe {
            let list = &mut (*started).list;
            assert_eq!((*started).callee, gimlet_test_sum as *const u8);
            let mut sum = 0.0;
            for &kind in core::ffi::CStr::from_ptr(kinds).to_bytes() {
                sum += match kind {
                    b'i' => f64::from(*(list.integer() as *const c_int)),
                    b'd' => *(list.double() as *const f64),
                    _ => panic!("no such kind"),
                };
            }
            sum
        }
    }

    /// The last of four fixed arguments, and the first behind them.
    unsafe extern "C" fn fifth(_: c_int, _: c_int, _: c_int, fourth: c_int, started: *mut Started) -> c_int {
        // SAFETY: there is one more argument.
        unsafe { 10 * fourth + *((*started).list.integer() as *const c_int) }
    }

    crate::variadic_functions!("gimlet_test_" sum: sum(1), fifth: fifth(4));

    unsafe extern "C" {
        fn gimlet_test_sum(kinds: *const c_char, ...) -> f64;
        fn gimlet_test_fifth(a: c_int, b: c_int, c: c_int, d: c_int, ...) -> c_int;
    }

    #[test]
    fn calls_hand_over_their_arguments() {
        // SAFETY: the word says what arguments there are.
        unsafe {
            assert_eq!(gimlet_test_sum(c"".as_ptr()), 0.0);
            assert_eq!(gimlet_test_sum(c"iidi".as_ptr(), 1, 2, 0.5, -4), -0.5);
            assert_eq!(gimlet_test_sum(c"iiiiiiii".as_ptr(), 1, 2, 3, 4, 5, 6, 7, 8), 36.0);
            let doubles =
                gimlet_test_sum(c"ddddddddddi".as_ptr(), 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.5, 1);
            assert_eq!(doubles, 56.5);
            assert_eq!(gimlet_test_fifth(1, 2, 3, 4, 5), 45);
        }
    }
}
