//! The memory build (PROG.memory): what its pass and its runtime agree on.
//!
//! Every object (a heap block, a variable of a frame, a global) has a record in
//! one table, and every pointer has an *id* beside it, which names the object that
//! it belongs to, wherever it points. An access is right if the record still has
//! that id, and the bytes are inside:
//!
//! ```text
//! id      bits 0 to 23: number of the record; 24 to 30: how often it was used, modulo 128; 31: the object is dead
//! record  u64 base, u64 size, u32 id, u32 kind, u32 where it was made, u32 where it ended
//! ```
//!
//! Record 0 is everything: the id 0 is for pointers of which nobody knows more, and
//! every access through them is right.
//!
//! Ids travel with SSA values. Where a pointer is in memory, eight bytes of shadow
//! for the eight bytes of the pointer hold its id and its lower half: if code that
//! is not instrumented has put another pointer there, the halves differ, and the
//! object is looked for by the address. Arguments and results travel in the same
//! form through thread-local slots ([`tls`]), with the callee's address as a token.
//!
//! No instrumented code writes what a call puts on the stack, or where a variadic
//! function saves registers: so the shadow of these is written when the function
//! begins, of what the caller's slots say. A `va_list` points there with the id 0.

/// Calls the macro `$then` with the functions of the runtime that instrumented code calls.
#[macro_export]
macro_rules! memory_entry_points {
    ($then:ident) => {
        $then! {
            // an access of `n` bytes through a pointer with this id is not right, as far as inline code can tell
            fn gimlet_mem_fail(addr: ptr, n: u64, id: u32, is_write: u32);
            // an access of so many bytes; n may be zero
            fn gimlet_mem_range(addr: ptr, n: u64, id: u32, is_write: u32);
            // the id of the object at an address
            fn gimlet_mem_find(addr: ptr) -> u32;
            // the same for a pointer that was loaded from `slot`, where the shadow has another one
            fn gimlet_mem_resolve(slot: ptr, pointer: ptr) -> u32;
            // a variable of the frame, with what the pass knows of it (`ABOUT_LEN`): its id
            fn gimlet_mem_local(addr: ptr, n: u64, about: ptr) -> u32;
            // all variables from record number `top` on are gone
            fn gimlet_mem_leave(top: u32);
            // a variable is fresh, and fresh memory is to be filled
            fn gimlet_mem_fresh(addr: ptr, n: u64);
            // something is decided by a value, at this place: told only if fresh memory is filled
            fn gimlet_mem_decide(value: u64, place: u32);
            // memory is going to be copied; with `apart`, the ranges must not overlap
            fn gimlet_mem_copy(to: ptr, from: ptr, n: u64, id_to: u32, id_from: u32, apart: u32);
            // `main` returns: what lies below the place of its return address is over
            fn gimlet_mem_main_ends(frame: ptr);
            // a variadic function begins, with a list of its arguments: with `known`, their ids are in the slots
            fn gimlet_mem_variadic(list: ptr, known: u32);
            // a struct is going to be passed on the stack of a variadic call, from this word on
            fn gimlet_mem_va_memory(word: u32, from: ptr, n: u64);
            // a pointer to so many words of arguments was loaded from a list that somebody else started or moved on
            fn gimlet_mem_va_foreign(slot: ptr, pointer: ptr, n_words: u32);
            // the callee's copy of a struct that was passed by value; null if nobody said of which
            fn gimlet_mem_by_value(to: ptr, from: ptr, n: u64);
            fn gimlet_mem_register(module: ptr);
        }
    };
}

macro_rules! table {
    ($(fn $name:ident($($param:ident: $ty:ident),* $(,)?) $(-> $ret:ident)?;)*) => {
        /// Every entry point.
        pub const ENTRY_POINTS: &[$crate::abi::EntryPoint] = &[
            $($crate::abi::EntryPoint {
                name: stringify!($name),
                params: &[$($crate::abi_ty!($ty)),*],
                names: &[$(stringify!($param)),*],
                ret: $crate::abi_ty!($($ret)?),
            }),*
        ];
    };
}
memory_entry_points!(table);

/// Of an address only these bits count in the shadows.
pub const MASK: u64 = (1 << 42) - 1;
/// u32 id and u32 lower half of the pointer for each eight bytes of memory: at `REFERENTS + (address & MASK & !7)`.
pub const REFERENTS: u64 = 0x1000_0000_0000;
/// u32 id of the heap block in each sixteen bytes of memory: at `GRANULES + ((address & MASK) >> 4 << 2)`.
pub const GRANULES: u64 = REFERENTS + MASK + 1;
/// The records.
pub const OBJECTS: u64 = GRANULES + ((MASK + 1) >> 2);
pub const OBJECT_LEN: u64 = 1 << OBJECT_SHIFT;
pub const OBJECT_SHIFT: u32 = 5;
pub const OBJECT_SIZE: u64 = 8;
pub const OBJECT_ID: u64 = 16;
pub const INDEX_BITS: u32 = 24;
pub const N_OBJECTS: u64 = 1 << INDEX_BITS;
/// The last of the mappings.
pub const END: u64 = OBJECTS + N_OBJECTS * OBJECT_LEN;
/// Set in the id of a record whose object is dead.
pub const DEAD: u32 = 1 << 31;
/// In a slot: no id has been put here.
pub const NO_ID: u32 = u32::MAX;

/// Thread-local block: symbol, size, and offsets. An id with the lower half of its pointer is a u64, the id in its lower half.
pub mod tls {
    pub const SYMBOL: &str = "gimlet_mem_tls";
    /// u64: the address of the function that is being called.
    pub const TOKEN: u64 = 0;
    /// Id of the pointer that is returned.
    pub const RESULT: u64 = 8;
    /// u32: the record of the next variable of a frame.
    pub const TOP: u64 = 16;
    /// u32, of the runtime alone: the end of the records that this thread's variables have.
    pub const LIMIT: u64 = 20;
    /// u32, of the runtime alone: not zero while it runs in this thread.
    pub const BUSY: u64 = 24;
    /// u32: the place of the call of a library function, written if fresh memory is filled.
    pub const PLACE: u64 = 28;
    /// Ids of the arguments that are pointers, by number of the argument.
    pub const ARGS: u64 = 32;
    pub const ARGS_MAX: u32 = 32;
    /// pointers: the caller's structs that are passed by value, in order.
    pub const BY_VALUE: u64 = ARGS + 8 * ARGS_MAX as u64;
    pub const BY_VALUE_MAX: u32 = 16;
    /// Variadic call: ids in the 6 general registers, then in the words on the stack.
    pub const VA: u64 = BY_VALUE + 8 * BY_VALUE_MAX as u64;
    pub const VA_GENERAL: u32 = 6;
    pub const VA_WORDS: u32 = 64;
    /// The words are looked at that far where nobody knows how many there are.
    pub const VA_FOREIGN: u32 = 64;
    /// u32: the number of words on the stack, those without a slot included.
    pub const VA_COUNT: u64 = VA + 8 * (VA_GENERAL + VA_WORDS) as u64;
    pub const LEN: u64 = VA_COUNT + 8;
}

/// What the pass tells of a variable: pointers to its name, its function (or null for globals) and its file, u64 line.
pub const ABOUT_LEN: u64 = 32;

/// What the pass puts into each module for `gimlet_mem_register`: u32 version, u32 number of globals, pointer to those
/// ([`GLOBAL_LEN`] each), pointer to a u32 that becomes one if fresh memory is filled.
pub const MODULE_LEN: u64 = 24;
/// pointer, u64 size, pointer to where its id is kept, pointer to what is told of it.
pub const GLOBAL_LEN: u64 = 32;
/// The variable that keeps the id of a global has its name with this before it.
pub const GLOBAL_ID_PREFIX: &str = "gimlet_mem_id_";

/// Calls of library functions become calls of those of the runtime with this prefix.
pub const FUNCTION_PREFIX: &str = "gimlet_mem_fn_";

/// The variable that holds the report, which ends with a zero byte, and its size.
pub const REPORT_SYMBOL: &str = "gimlet_mem_report";
pub const REPORT_LEN: usize = 4096;
/// The first line of a report.
pub const REPORT_MAGIC: &str = "gimlet: memory error";

/// The environment variable that says what fresh memory is filled with: a byte, in hexadecimal. Two runs of one input with
/// different bytes do the same, unless something depends on memory that nobody has written to.
pub const FILL_ENV: &str = "GIMLET_MEMORY_FILL";
/// What a run tells, most of it if its fresh memory is filled, in an image of this name in the file of counters: words ([`told`]).
pub const TOLD_NAME: &str = "gimlet:told";
pub const TOLD_LEN: usize = 1 << 20;

/// Numbers of the u32 words of what is told.
pub mod told {
    /// How many values decided something.
    pub const N_DECISIONS: usize = 0;
    /// How many pointers have an object that is not known.
    pub const N_UNJUDGED: usize = 1;
    /// What fresh memory of a server's run is filled with: the driver's.
    pub const FILL: usize = 2;
    /// Not zero if one of the run's processes was ended with a report, filled or not.
    pub const N_WRONG: usize = 3;
    /// Of each value that decided something, in the order of the run: a hash in the lower half, its place in the upper one.
    pub const LIST: usize = 4;
}

/// The environment variable that says at which of them the run is to stop with a report.
pub const STOP_ENV: &str = "GIMLET_MEMORY_STOP";
/// The environment variable that has the runtime look for memory that nobody can reach when the program ends.
pub const LEAKS_ENV: &str = "GIMLET_MEMORY_LEAKS";
/// The environment variable that names a file to which every run of the memory build adds a line `run: PROGRAM`, and what it
/// reports with its frames, as `at: OBJECT(+OFFSET)[ADDRESS]`. An absolute path.
pub const LOG_ENV: &str = "GIMLET_MEMORY_LOG";
/// Data symbol of the runtime: a u64 of the byte that fresh memory is filled with, which is the value of variables that are
/// in no memory.
pub const PATTERN_SYMBOL: &str = "gimlet_mem_pattern";
