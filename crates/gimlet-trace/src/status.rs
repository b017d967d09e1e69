//! Exit statuses of Gimlet's programs.
//!
//! Scripts and CI decide by them, a search that leads others reads those of its workers, and tests hold `gimlet` to them.
//! `gimlet --help` and `gimlet run --help` say them to users.

/// How a command came out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Status {
    /// All is well; a search found nothing.
    Good = 0,
    /// Nothing is broken, but what the user wanted to see is not so.
    Bad = 1,
    /// Bad usage or input, or the result is incomplete.
    Wrong = 2,
    /// Something is wrong with the machine.
    Machine = 3,
    /// The program never read its input: there was nothing to search.
    Unread = 4,
    /// There are findings.
    Found = 10,
}

/// A program that a signal ended, or that a signal asked to end, has this and the signal's number, as shells have it.
pub const BY_SIGNAL: u8 = 128;

impl Status {
    pub const ALL: [Status; 6] =
        [Status::Good, Status::Bad, Status::Wrong, Status::Machine, Status::Unread, Status::Found];

    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The status with this code.
    pub fn from_code(code: i32) -> Option<Status> {
        Status::ALL.into_iter().find(|status| i32::from(status.code()) == code)
    }

    /// Whether a search with this code came to its end.
    pub fn ends_a_search(code: i32) -> bool {
        matches!(Status::from_code(code), Some(Status::Good | Status::Found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_back() {
        for status in Status::ALL {
            assert_eq!(Status::from_code(status.code().into()), Some(status));
            assert!(status.code() < BY_SIGNAL);
        }
        assert_eq!((Status::from_code(-1), Status::from_code(266)), (None, None));
    }

    #[test]
    fn a_search_ends_with_findings_or_without() {
        assert!(Status::ends_a_search(0) && Status::ends_a_search(10));
        assert!([1, 2, 3, 4, 130, 143].into_iter().all(|code| !Status::ends_a_search(code)));
    }
}
