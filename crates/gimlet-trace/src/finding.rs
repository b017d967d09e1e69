//! Kinds of findings: what can be wrong with a program.
//!
//! Names are a contract: the memory build reports them, a store and a summary keep them, users write them after
//! `--suppress` and `--stop-after-found`, and test programs after `FINDS`. They are listed here once, with what they mean.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

macro_rules! kinds {
    ($($name:ident = $text:literal, $meaning:literal;)*) => {
        /// What is wrong.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Kind { $(#[doc = $meaning] $name),* }

        impl Kind {
            /// Every kind, in the order of messages.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];

            /// The name that people and files have for it.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$name => $text),* }
            }

            /// What it means, in a line.
            pub const fn meaning(self) -> &'static str {
                match self { $(Kind::$name => $meaning),* }
            }
        }
    };
}

kinds! {
    Abort = "abort", "the program called abort, or the C library did for it";
    Assertion = "assertion", "an assertion failed";
    Segv = "segv", "an access to memory that is not mapped";
    DivisionByZero = "division-by-zero", "an integer divided by zero";
    DivisionOverflow = "division-overflow", "the least integer divided by -1";
    SignedOverflow = "signed-overflow", "the result of signed arithmetic does not fit its type";
    ShiftOutOfRange = "shift-out-of-range", "a shift by a negative number or by at least the width of its type";
    Unreachable = "unreachable", "a call of reach_error or __VERIFIER_error";
    Trap = "trap", "an instruction that traps, such as __builtin_trap";
    Timeout = "timeout", "the program does not end within its limit of time";
    OutOfMemory = "out-of-memory", "the program takes more memory than its limit";
    HeapOutOfBounds = "heap-out-of-bounds", "an access outside of the heap block that its pointer belongs to";
    StackOutOfBounds = "stack-out-of-bounds", "an access outside of the local variable that its pointer belongs to";
    GlobalOutOfBounds = "global-out-of-bounds", "an access outside of the global variable that its pointer belongs to";
    UseAfterFree = "use-after-free", "an access to a heap block that was freed";
    UseAfterReturn = "use-after-return", "an access to a variable of a function that has returned";
    DoubleFree = "double-free", "a heap block is freed that was freed before";
    InvalidFree = "invalid-free", "what is freed is not the beginning of a heap block";
    NullDereference = "null-dereference", "an access through a null pointer";
    WildDereference = "wild-dereference", "an access to an address where nothing is";
    Overlap = "overlap", "a copy from a range to one that shares bytes with it";
    UnterminatedString = "unterminated-string", "a string that does not end within its object";
    Uninitialised = "uninitialised", "memory that nobody has written to decides something, or is written to a file";
    AllocationOverflow = "allocation-overflow", "the size of an allocation wrapped around, or is negative";
    Leak = "leak", "a heap block that nothing points to any more";
}

impl Kind {
    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// All names, for a message.
    pub fn names() -> String {
        Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }

    /// Whether it is about accesses to memory, which have objects.
    pub const fn is_of_memory(self) -> bool {
        matches!(
            self,
            Kind::HeapOutOfBounds
                | Kind::StackOutOfBounds
                | Kind::GlobalOutOfBounds
                | Kind::UseAfterFree
                | Kind::UseAfterReturn
                | Kind::DoubleFree
                | Kind::InvalidFree
                | Kind::Overlap
                | Kind::UnterminatedString
                | Kind::Uninitialised
                | Kind::AllocationOverflow
                | Kind::Leak
        )
    }

    /// Whether its input belongs among the hangs.
    pub const fn is_hang(self) -> bool {
        matches!(self, Kind::Timeout)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What was going to be done to memory when the memory build stopped the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    Read,
    Write,
    Free,
    Allocate,
    /// Something depends on it: a branch, an index, what is written to a file.
    Decide,
}

impl Access {
    pub const ALL: [Access; 5] = [Access::Read, Access::Write, Access::Free, Access::Allocate, Access::Decide];

    /// The name in a report of the memory build.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Free => "free",
            Access::Allocate => "allocate",
            Access::Decide => "decide",
        }
    }

    /// The access of this name.
    pub fn from_name(name: &str) -> Option<Access> {
        Access::ALL.into_iter().find(|access| access.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
            assert!(kind.name().bytes().all(is_word) && !kind.meaning().is_empty(), "{kind}");
        }
        for access in Access::ALL {
            assert_eq!(Access::from_name(access.name()), Some(access));
        }
        assert_eq!((Kind::from_name("bug"), Kind::from_name("")), (None, None));
        assert_eq!(Access::from_name("Read"), None);
    }

    #[test]
    fn messages_list_all_names() {
        let names = Kind::names();
        assert!(names.starts_with("abort, assertion, ") && names.ends_with(", leak"), "{names}");
        assert_eq!(names.split(", ").count(), Kind::ALL.len());
    }

    #[test]
    fn kinds_of_memory_have_objects() {
        let of_memory = Kind::ALL.iter().filter(|kind| kind.is_of_memory());
        assert_eq!(of_memory.count(), 12);
        assert!(!Kind::Segv.is_of_memory() && !Kind::NullDereference.is_of_memory());
        assert!(Kind::Timeout.is_hang() && !Kind::Abort.is_hang());
    }
}
