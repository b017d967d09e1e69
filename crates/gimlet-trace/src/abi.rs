//! The entry points of the runtime that instrumented code calls, in one table.
//!
//! The pass declares what [`ENTRY_POINTS`] lists; the runtime exports the same
//! names, and checks their types against the table at compile time
//! ([`entry_points`]). So the two sides can't drift apart.
//!
//! The rest of what they agree on is here too: the place of the shadow memory,
//! the thread-local slots, and how the models of library functions are named.

/// Type of a parameter or result of an entry point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    Void,
    U32,
    U64,
    Ptr,
}

/// One function of the runtime that instrumented code calls.
#[derive(Clone, Copy, Debug)]
pub struct EntryPoint {
    pub name: &'static str,
    pub params: &'static [Ty],
    /// What the parameters are called.
    pub names: &'static [&'static str],
    pub ret: Ty,
}

#[doc(hidden)]
#[macro_export]
macro_rules! abi_ty {
    (u32) => {
        $crate::abi::Ty::U32
    };
    (u64) => {
        $crate::abi::Ty::U64
    };
    (ptr) => {
        $crate::abi::Ty::Ptr
    };
    () => {
        $crate::abi::Ty::Void
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! abi_rust_ty {
    (u32) => {
        u32
    };
    (u64) => {
        u64
    };
    (ptr) => {
        *mut u8
    };
}

/// Calls the macro `$then` with the table of entry points.
///
/// A label is a u32. `shape` is `op | width << 8` with a [`crate::node::Op`]
/// code and the width of the operands. Values are zero-extended; those of more
/// than 64 bits come as two halves. A `site` is a number in the runtime's
/// count: the module's base plus the site's index in its table.
#[macro_export]
macro_rules! entry_points {
    ($then:ident) => {
        $then! {
            // label of `a op b`, at most 64 bits
            fn gimlet_rt_binary(shape: u32, la: u32, lb: u32, a: u64, b: u64, value: u64) -> u32;
            // the same for 65 to 128 bits
            fn gimlet_rt_binary_wide(shape: u32, la: u32, lb: u32, a_lo: u64, a_hi: u64, b_lo: u64, b_hi: u64, value_lo: u64, value_hi: u64) -> u32;
            // the same for divisions, which are logged, and shifts, which lose the dependency if the amount is not
            // below the width
            fn gimlet_rt_checked(shape: u32, la: u32, lb: u32, a: u64, b: u64, value: u64, site: u32) -> u32;
            fn gimlet_rt_checked_wide(shape: u32, la: u32, lb: u32, a_lo: u64, a_hi: u64, b_lo: u64, b_hi: u64, value_lo: u64, value_hi: u64, site: u32) -> u32;
            // a division comes: it is logged if it is going to trap, because then nothing comes after it
            fn gimlet_rt_dividing(shape: u32, la: u32, lb: u32, a_lo: u64, a_hi: u64, b_lo: u64, b_hi: u64, site: u32);
            // unary operators and casts; `from` is the operand's width, that of `shape` the result's
            fn gimlet_rt_unary(shape: u32, from: u32, la: u32, value_lo: u64, value_hi: u64) -> u32;
            // bits from number `low` of a value that `la` labels
            fn gimlet_rt_extract(width: u32, low: u32, la: u32) -> u32;
            // bits in the opposite order; 8, 16, 32 or 64 of them
            fn gimlet_rt_bit_reverse(width: u32, la: u32, a: u64) -> u32;
            // funnel shifts
            fn gimlet_rt_funnel(shape: u32, la: u32, lb: u32, lc: u32, a: u64, b: u64, c: u64, value: u64) -> u32;
            // c ? a : b
            fn gimlet_rt_select(width: u32, lc: u32, la: u32, lb: u32, c: u32, a_lo: u64, a_hi: u64, b_lo: u64, b_hi: u64) -> u32;
            // label of pointer `base + index * scale`; the index has `width` bits
            fn gimlet_rt_ptr_add(width: u32, lbase: u32, lindex: u32, base: u64, index: u64, scale: u64) -> u32;
            // label of `n` bytes loaded at `addr`; object is its static bounds or 0, 0
            fn gimlet_rt_load(addr: ptr, n: u32, laddr: u32, site: u32, value_lo: u64, value_hi: u64, object: ptr, size: u64) -> u32;
            // before a store of `n` bytes at a possibly symbolic address
            fn gimlet_rt_store(addr: ptr, n: u32, laddr: u32, site: u32, lvalue: u32, value_lo: u64, value_hi: u64, object: ptr, size: u64);
            fn gimlet_rt_branch(label: u32, taken: u32, site: u32);
            // cases: the `n` values of the cases in ascending order
            fn gimlet_rt_switch(label: u32, value: u64, site: u32, cases: ptr, n: u64);
            // before one of those, in a program built with branch-log, labelled or not: kind 0 a branch, 1 a switch, 2 a jump
            fn gimlet_rt_log_branch(label: u32, taken: u32, site: u32, kind: u32, value: u64);
            // an iteration begins of the loop that `key` names, which looks at the bytes there, or takes them of a stream;
            // then each of its counters, which grows by `step` in each iteration if that is not 0: its label
            fn gimlet_rt_walk(key: ptr, address: ptr, other: ptr);
            fn gimlet_rt_counter(key: ptr, index: u32, label: u32, value: u64, width: u32, step: u64) -> u32;
            // label of a comparison of counters in it
            fn gimlet_rt_compare_counters(key: ptr, index: u32, shape: u32, la: u32, lb: u32, a: u64, b: u64, value: u64, site: u32) -> u32;
            fn gimlet_rt_pin(label: u32, value_lo: u64, value_hi: u64, site: u32, reason: u32);
            fn gimlet_rt_lost(site: u32, reason: u32);
            // a label for a value of `width` bits, made of one that may be for another width
            fn gimlet_rt_fit(label: u32, width: u32) -> u32;
            // a call has returned that was given a pointer: what it points to may be labelled. With `string` it reads
            // no further than the end of the string there
            fn gimlet_rt_passed(callee: ptr, site: u32, pointer: ptr, string: u32);
            // after all of those of the same call: it has `n_slots` slots of arguments, and those slots in the
            // variadic block whose bits are set
            fn gimlet_rt_called(callee: ptr, site: u32, n_slots: u32, variadic: u64);
            // the same for a call of a library function that reads input behind our back
            fn gimlet_rt_consumed(callee: ptr, site: u32);
            // the n shadow words at addr are not all zero but the value can't be labelled
            fn gimlet_rt_lose_memory(addr: ptr, n: u64, site: u32, reason: u32);
            // inline assembly may read n bytes at addr, or with n = 0 what is in reach there, or writes them
            fn gimlet_rt_asm(addr: ptr, n: u64, written: u32, site: u32);
            fn gimlet_rt_copy(to: ptr, from: ptr, n: u64, ln: u32, lto: u32, lfrom: u32, site: u32);
            fn gimlet_rt_fill(to: ptr, n: u64, lbyte: u32, byte: u32, ln: u32, lto: u32, site: u32);
            // the memory is fresh: whatever its shadow says is of the past
            fn gimlet_rt_clear(addr: ptr, n: u64);
            fn gimlet_rt_atomic(op: u32, addr: ptr, n: u32, laddr: u32, site: u32, old: u64, operand: u64, loperand: u32) -> u32;
            fn gimlet_rt_exchange(addr: ptr, n: u32, laddr: u32, site: u32, old: u64, expected: u64, lexpected: u32, new: u64, lnew: u32, success: u32) -> u32;
            // native code entered an instrumented function, or is returned to
            fn gimlet_rt_enter_native(frame: ptr);
            fn gimlet_rt_leave_native(frame: ptr);
            // control came back to the function with this frame, by an exception or longjmp: those below it are gone
            fn gimlet_rt_unwound(frame: ptr);
            // the function that returns tokens was entered, or returns: 1 if that ends its outermost call
            fn gimlet_rt_enter_token(frame: ptr);
            fn gimlet_rt_leave_token(frame: ptr) -> u32;
            // a part of what it returns, so many bytes from the beginning; and all of it, if that is in memory
            fn gimlet_rt_token(is_outermost: u32, offset: u32, label: u32, value: u64, width: u32, site: u32) -> u32;
            fn gimlet_rt_token_memory(is_outermost: u32, at: ptr, site: u32);
            // a struct passed by value in memory
            fn gimlet_rt_by_value(to: ptr, from: ptr, n: u64);
            // variadic calls: label of the word that holds part of a struct; va_start has filled `list`
            fn gimlet_rt_va_memory(word: u32, from: ptr, n: u64);
            fn gimlet_rt_va_start(list: ptr, saved: ptr);
            fn gimlet_rt_register(module: ptr);
            // runs a program of the module (`crate::program`): inputs are at `values`, each in eight bytes, and so are its
            // results behind it; the first one is returned, too
            fn gimlet_rt_region(module: ptr, program: u32, values: ptr) -> u32;
        }
    };
}

macro_rules! table {
    ($(fn $name:ident($($param:ident: $ty:ident),* $(,)?) $(-> $ret:ident)?;)*) => {
        /// Every entry point.
        pub const ENTRY_POINTS: &[EntryPoint] = &[
            $(EntryPoint {
                name: stringify!($name),
                params: &[$($crate::abi_ty!($ty)),*],
                names: &[$(stringify!($param)),*],
                ret: $crate::abi_ty!($($ret)?),
            }),*
        ];
    };
}
entry_points!(table);

/// Shadow memory: the shadow of address `a` is at `SHADOW_BASE + ((a & SHADOW_MASK) << 2)`.
pub const SHADOW_BASE: u64 = 0x1000_0000_0000;
pub const SHADOW_MASK: u64 = (1 << 42) - 1;
/// Size of the shadow mapping in bytes.
pub const SHADOW_LEN: u64 = 1 << 44;

/// Data symbol of the runtime: a u32 that is not zero while a driver traces this process.
pub const ACTIVE_SYMBOL: &str = "gimlet_rt_active";
/// Distance from there of one that is not zero if the input has stretches.
pub const ACTIVE_STRETCHES: u64 = 4;

/// Thread-local block of the runtime: symbol, size, and offsets.
///
/// A call with labelled arguments stores the callee's address as the token and
/// the labels in `ARGS`; one without stores the address plus one. A callee that
/// finds another token was called by native code: it has no labels, and what it
/// returns is not for an instrumented caller.
pub mod tls {
    pub const SYMBOL: &str = "gimlet_rt_tls";
    /// u64: see above. Zeroed by the callee.
    pub const TOKEN: u64 = 0;
    /// pointer to the newest frame record: the addressable variables of functions, see the pass.
    pub const FRAMES: u64 = 8;
    /// u32 labels of the parts of a returned value.
    pub const RET: u64 = 16;
    pub const RET_MAX: u32 = 8;
    /// u32 labels of the parts of the arguments.
    pub const ARGS: u64 = 48;
    pub const ARGS_MAX: u32 = 48;
    /// u64: where the caller keeps the structs that it passes by value.
    pub const BY_VALUE: u64 = 240;
    pub const BY_VALUE_MAX: u32 = 16;
    /// Variadic call: u32 labels of the 6 general registers, the 8 vector registers, and the words on the stack. A value of
    /// several words has its label with the first.
    pub const VA: u64 = 368;
    pub const VA_GP: u32 = 6;
    pub const VA_FP: u32 = 8;
    pub const VA_WORDS: u32 = 48;
    /// Number of words on the stack, those without labels included, in a u32 after the labels.
    pub const VA_COUNT: u64 = VA + 4 * (VA_GP + VA_FP + VA_WORDS) as u64;
    pub const VA_LEN: u64 = 4 * (VA_GP + VA_FP + VA_WORDS + 2) as u64;
    /// u32: the site of the call, written for calls of models.
    pub const SITE: u64 = VA + VA_LEN;
    /// u32, of the runtime alone: number of the thread in the order of creation, 0 for the first.
    pub const THREAD: u64 = SITE + 4;
    /// Used by the runtime alone: not zero while it runs in this thread, then its stack of native entries.
    pub const BUSY: u64 = SITE + 8;
    /// u64, of the runtime alone: labelled bytes behind the pointers of the call that is being counted.
    pub const PASSED: u64 = BUSY + 8;
    /// pointer, of the runtime alone: what the comparisons of a search in a tree said.
    pub const WAY: u64 = PASSED + 8;
    pub const NATIVE: u64 = WAY + 8;
    pub const NATIVE_MAX: u64 = 16;
    pub const NATIVE_LEN: u64 = 256;
    pub const LEN: u64 = NATIVE + 8 + NATIVE_MAX * NATIVE_LEN;
}

/// The second word of a frame record: the record's address, shifted by so many bits, and the number of its variables, so
/// that a record can be told from what is on the stack where one was.
pub const RECORD_PLACE_SHIFT: u32 = 16;
pub const RECORD_COUNT_MAX: u64 = 1 << RECORD_PLACE_SHIFT;

/// What the pass puts into each object for [`gimlet_rt_register`](ENTRY_POINTS):
/// u32 version, u32 site base (written by the runtime), u32 number of sites,
/// u32 number of globals, u64 build id, pointer to globals ([`GLOBAL_LEN`] each), u32 function that returns tokens
/// (written by the runtime: the number of its site and one, 0 if it is not here), u32 0, pointer to programs
/// ([`crate::program`]).
pub const MODULE_LEN: u64 = 48;
pub const MODULE_SITE_BASE: u64 = 4;
pub const MODULE_TOKEN_FUNCTION: u64 = 32;
/// ELF section with a pointer to the module descriptor of each object.
pub const MODULES_SECTION: &str = "gimlet_modules";
/// pointer, u64 size with the top bit set for constant ones.
pub const GLOBAL_LEN: u64 = 16;
pub const GLOBAL_CONSTANT: u64 = 1 << 63;

/// Prefix of the models of library functions: calls of `strlen` become calls of `gimlet_fn_strlen`. The pass finds in
/// the runtime's sources which there are.
pub const MODEL_PREFIX: &str = "gimlet_fn_";
