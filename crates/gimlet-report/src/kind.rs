//! Kinds of findings.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Abort,
    Assertion,
    Segv,
    DivisionByZero,
    DivisionOverflow,
    SignedOverflow,
    ShiftOutOfRange,
    Unreachable,
    Trap,
    Timeout,
    OutOfMemory,
    HeapOutOfBounds,
    StackOutOfBounds,
    GlobalOutOfBounds,
    UseAfterFree,
    UseAfterReturn,
    DoubleFree,
    InvalidFree,
    NullDereference,
    WildDereference,
    Overlap,
    UnterminatedString,
    Uninitialised,
    AllocationOverflow,
    Leak,
}

impl Kind {
    pub const ALL: [Kind; 25] = [
        Kind::Abort,
        Kind::Assertion,
        Kind::Segv,
        Kind::DivisionByZero,
        Kind::DivisionOverflow,
        Kind::SignedOverflow,
        Kind::ShiftOutOfRange,
        Kind::Unreachable,
        Kind::Trap,
        Kind::Timeout,
        Kind::OutOfMemory,
        Kind::HeapOutOfBounds,
        Kind::StackOutOfBounds,
        Kind::GlobalOutOfBounds,
        Kind::UseAfterFree,
        Kind::UseAfterReturn,
        Kind::DoubleFree,
        Kind::InvalidFree,
        Kind::NullDereference,
        Kind::WildDereference,
        Kind::Overlap,
        Kind::UnterminatedString,
        Kind::Uninitialised,
        Kind::AllocationOverflow,
        Kind::Leak,
    ];

    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// All names, for a message.
    pub fn names() -> String {
        Kind::ALL.map(Kind::name).join(", ")
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Abort => "abort",
            Kind::Assertion => "assertion",
            Kind::Segv => "segv",
            Kind::DivisionByZero => "division-by-zero",
            Kind::DivisionOverflow => "division-overflow",
            Kind::SignedOverflow => "signed-overflow",
            Kind::ShiftOutOfRange => "shift-out-of-range",
            Kind::Unreachable => "unreachable",
            Kind::Trap => "trap",
            Kind::Timeout => "timeout",
            Kind::OutOfMemory => "out-of-memory",
            Kind::HeapOutOfBounds => "heap-out-of-bounds",
            Kind::StackOutOfBounds => "stack-out-of-bounds",
            Kind::GlobalOutOfBounds => "global-out-of-bounds",
            Kind::UseAfterFree => "use-after-free",
            Kind::UseAfterReturn => "use-after-return",
            Kind::DoubleFree => "double-free",
            Kind::InvalidFree => "invalid-free",
            Kind::NullDereference => "null-dereference",
            Kind::WildDereference => "wild-dereference",
            Kind::Overlap => "overlap",
            Kind::UnterminatedString => "unterminated-string",
            Kind::Uninitialised => "uninitialised",
            Kind::AllocationOverflow => "allocation-overflow",
            Kind::Leak => "leak",
        }
    }

    /// Whether it is about accesses to memory, which have objects.
    pub fn is_of_memory(self) -> bool {
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
    pub fn is_hang(self) -> bool {
        self == Kind::Timeout
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_written_by_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(text, format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<Kind>(&text).unwrap(), kind);
        }
    }
}
