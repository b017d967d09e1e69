//! Event records: 32 bytes each, in the order in which things happened.
//!
//! ```text
//! offset 0  u8   kind     see `EventKind`
//!        1  u8   flags
//!        2  u16  aux
//!        4  u32  site     number of the site (see `crate::site`), 0xffffffff if there is none
//!        8  u32  a        a label, mostly
//!       12  u32  b
//!       16  u64  x
//!       24  u64  y
//! ```
//!
//! What each kind puts into flags, aux, a, b, x and y stands beside it.
//! Kinds marked *reserved* have their place in the format; nothing writes them yet.
//!
//! Losses, pins, stale labels and unmodelled calls can come by the million from
//! one loop. They are counted in [`Tally`] cells by site and reason, and only a
//! pin, which is part of the path condition, is an event as well.

/// One record of the event log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct EventRecord {
    pub kind: u8,
    pub flags: u8,
    pub aux: u16,
    pub site: u32,
    pub a: u32,
    pub b: u32,
    pub x: u64,
    pub y: u64,
}

/// Size of an [`EventRecord`] in memory and in files.
pub const EVENT_LEN: usize = 32;
const _: () = assert!(core::mem::size_of::<EventRecord>() == EVENT_LEN);

/// [`EventRecord::site`] of an event that no instrumented place caused.
pub const NO_SITE: u32 = u32::MAX;

/// In `aux` of a division that traps, beside its width: the divisor is zero.
pub const TRAP_BY_ZERO: u16 = 1 << 15;
/// The same for the least number by minus one.
pub const TRAP_OVERFLOW: u16 = 1 << 14;

/// Bit of a pin's flags: no other runs are made of it, because it only says that a text goes as far as a stretch.
pub const PIN_LOOSE: u8 = 1;

/// `aux` of the entry of the full branch log that stands for everything before the first byte of input.
pub const START_OF_LOG: u16 = 2;

macro_rules! codes {
    ($(#[$outer:meta])* $enum:ident: $repr:ty { $($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr($repr)]
        pub enum $enum { $($(#[$doc])* $name = $code),* }

        impl $enum {
            /// Every value, for tests and tables.
            pub const ALL: &'static [$enum] = &[$($enum::$name),*];

            /// The value with this code.
            pub const fn from_code(code: $repr) -> Option<$enum> {
                match code { $($code => Some($enum::$name),)* _ => None }
            }

            /// The name that people read.
            pub const fn text(self) -> &'static str {
                match self { $($enum::$name => $text),* }
            }
        }
    };
}

codes! {
    /// What happened.
    EventKind: u8 {
        /// Conditional branch: a = label of the condition, flags bit 0 = taken, bit 1 = made by the model of a
        /// library function (its loop over the characters of a line, say), and so not in the full branch log,
        /// y = the stack pointer, which names the calling context.
        Branch = 1, "branch";
        /// Switch: a = label of the value, x = the value, y = the stack pointer. The cases are in the site table.
        Switch = 2, "switch";
        /// A value was fixed: a = label, x = the value it had, y = its high half, aux = `PinReason`.
        Pin = 3, "pin";
        /// Input was read: a = source, b = 1 at end of file, x = offset, y = wanted << 32 | got (each saturates).
        Read = 4, "read";
        /// Access at a symbolic address: a = label of the address, aux = bytes accessed, flags bit 0 = write,
        /// x = address of the object, y = its size.
        Access = 5, "access";
        /// Division: a = label of the dividend, b = label of the divisor, aux = width, flags = `Op` code,
        /// x and y = the concrete dividend and divisor. One that is about to trap has [`TRAP_BY_ZERO`] or
        /// [`TRAP_OVERFLOW`] in aux.
        Arith = 6, "arith";
        /// Allocation: a = label of the size, x = address, y = size.
        Alloc = 7, "alloc";
        /// Free: x = address.
        Free = 8, "free";
        /// A modelled library function was called with symbolic data: aux = length of its name, x and y = its
        /// name's first 16 bytes.
        LibCall = 9, "library call";
        /// *Reserved*: output with labels. a = label, x = descriptor, y = length.
        Output = 10, "output";
        /// *Reserved*: a function was entered. x = frame address.
        Call = 11, "call";
        /// *Reserved*: a function returned. x = frame address.
        Return = 12, "return";
        /// *Reserved*: longjmp left frames. x = frame address that remains.
        Unwind = 13, "unwind";
        /// A module's sites were registered while running (dlopen): a = its index in the module table.
        ModuleLoad = 14, "module load";
        /// gimlet_assert or assert: a = label of the condition, flags bit 0 = it held. The same for memory that a library
        /// function is given, if the driver wants to know.
        Assert = 15, "assertion";
        /// gimlet_assume: a = label of the condition, flags bit 0 = it held. If not, the run ends here.
        Assume = 16, "assumption";
        /// The program ended itself: aux = `EndKind`, x = status or signal.
        End = 17, "end";
        /// *Reserved*: a loop head, whose phis may be given fresh labels. x = visit number.
        LoopHead = 18, "loop head";
        /// *Reserved*: a concrete load or store. aux = bytes, flags bit 0 = write, x = address, y = value.
        Memory = 19, "memory";
        /// The function that the driver named returned a token: a = label, aux = width, x = value.
        Token = 20, "token";
        /// A branch of the full log (programs built with `-fgimlet=branch-log`): flags bit 0 = taken, aux = 1 for
        /// a switch or an indirect jump with x = its value, a = label or 0, b = number of the thread. It comes before
        /// the `Branch` or `Switch` event of the same branch, if there is one. With aux = [`START_OF_LOG`]: all
        /// branches of the first thread before any input was read, x = a hash of them.
        BranchLog = 21, "branch log";
        /// gimlet_observe was called: aux = length of the name, b = its offset in the names, x = bytes observed,
        /// y = losses, stale labels and unmodelled calls counted before it. The bytes follow as `Observed` events.
        Observe = 22, "observation";
        /// The next 1 to 16 bytes of the call before it: flags = how many, a = label or 0, x = their value
        /// (little-endian), y = its high half.
        Observed = 23, "observed bytes";
        /// A string of symbolic bytes was compared with one of another length that no input changes: a and b = labels of
        /// its first and its last character, x = how many it has, y = offset of the other one in the names << 32 | length.
        Compare = 24, "comparison with a word";
    }
}

codes! {
    /// Why a value was pinned.
    PinReason: u16 {
        Address = 1, "symbolic address of a large or unknown object";
        StoreAddress = 2, "store to a symbolic address of a large or unknown object";
        Alignment = 3, "alignment of a symbolic store";
        Size = 4, "symbolic size";
        CallTarget = 5, "symbolic call target";
        JumpTarget = 6, "symbolic jump target";
        WideSwitch = 7, "switch on more than 64 bits";
        CompareExchange = 8, "outcome of a compare-and-exchange";
        Seek = 9, "symbolic file position";
        Length = 10, "length of a string";
        LongJump = 11, "value of longjmp";
        Argument = 12, "argument of a library function";
        NativeResult = 13, "value returned to native code";
        Token = 14, "table indexed by a token";
    }
}

codes! {
    /// What a [`Tally`] counts.
    TallyKind: u16 {
        Pin = 1, "pinned";
        Lost = 2, "lost";
        Stale = 3, "stale";
        Unmodelled = 4, "unmodelled call";
    }
}

codes! {
    /// How a call without a model met symbolic data.
    UnmodelledReason: u16 {
        Given = 0, "was given symbolic data";
        Consumed = 1, "reads input itself";
    }
}

codes! {
    /// How a label was found to be stale.
    StaleReason: u16 {
        Loaded = 0, "overwritten by code that is not instrumented";
        Called = 1, "overwritten by the function called";
    }
}

codes! {
    /// Why a dependency on the input was lost.
    LostReason: u16 {
        Float = 1, "floating-point operation";
        Vector = 2, "vector operation";
        Asm = 3, "inline assembly";
        Wide = 4, "integer of more than 128 bits";
        Intrinsic = 5, "intrinsic without a model";
        Shift = 6, "shift by the width or more";
        Signal = 7, "operation inside a signal that interrupted the runtime";
        Arguments = 8, "more or narrower arguments than are tracked";
        NodesFull = 9, "expression table full";
        EventsFull = 10, "event log full";
        InputFull = 12, "input space full";
        TailCall = 14, "tail call from a function that native code called";
        LongDouble = 15, "long double";
        Poison = 16, "undefined bit count";
        Aggregate = 18, "aggregate with too many parts";
        NativeRead = 19, "input read by native code";
        Model = 20, "library function that did something else than its model";
        Token = 21, "token that is no number, or in memory that nobody knows";
        Walk = 22, "loop over a stretch, of which the length does not tell what it does";
        CameBack = 23, "read from a file, pipe or socket that the program or its child may have written to";
        ChildStatus = 24, "how a child process ended, which may depend on the input";
    }
}

codes! {
    /// How a program ended itself.
    EndKind: u16 {
        Exit = 1, "exit";
        Abort = 2, "abort";
        ReachError = 3, "reach_error";
        AssumeFailed = 4, "assumption failed";
        Exec = 5, "exec";
    }
}

/// A counter by kind, reason and site. 40 bytes: u16 kind, u16 reason, u32 site, u64 count, u64 first event index, u64
/// values, u64 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct Tally {
    pub kind: u16,
    pub reason: u16,
    pub site: u32,
    pub count: u64,
    /// Number of events in the log when this was first counted: what came before did not depend on it.
    pub first_event: u64,
    /// Of unmodelled calls: symbolic arguments that they were given. Otherwise 0.
    pub values: u64,
    /// Of unmodelled calls: symbolic bytes behind pointers that they were given. Otherwise 0.
    pub bytes: u64,
}

/// Size of a [`Tally`] in memory and in files.
pub const TALLY_LEN: usize = 40;
const _: () = assert!(core::mem::size_of::<Tally>() == TALLY_LEN);

impl EventRecord {
    /// The bytes of the record as the module doc gives them.
    pub fn to_bytes(&self) -> [u8; EVENT_LEN] {
        let mut out = [0; EVENT_LEN];
        out[0] = self.kind;
        out[1] = self.flags;
        out[2..4].copy_from_slice(&self.aux.to_le_bytes());
        out[4..8].copy_from_slice(&self.site.to_le_bytes());
        out[8..12].copy_from_slice(&self.a.to_le_bytes());
        out[12..16].copy_from_slice(&self.b.to_le_bytes());
        out[16..24].copy_from_slice(&self.x.to_le_bytes());
        out[24..32].copy_from_slice(&self.y.to_le_bytes());
        out
    }

    /// Reads what [`EventRecord::to_bytes`] wrote; the content is not judged here.
    pub fn from_bytes(bytes: &[u8; EVENT_LEN]) -> EventRecord {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        EventRecord {
            kind: bytes[0],
            flags: bytes[1],
            aux: u16::from_le_bytes([bytes[2], bytes[3]]),
            site: u32_at(4),
            a: u32_at(8),
            b: u32_at(12),
            x: u64_at(16),
            y: u64_at(24),
        }
    }
}
