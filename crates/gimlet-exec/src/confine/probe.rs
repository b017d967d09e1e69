//! What the kernel gives, found out by trying in a process that ends at once.

use std::io;

use super::namespace::{self, Maps, Namespaces};
use super::{filter, landlock, Parts};

/// Bits of the exit code of the process that tries.
const ENTERED: i32 = 1;
const READ_ONLY: i32 = 2;
const OWN_PROC: i32 = 4;

pub fn parts() -> Parts {
    let maps = Maps::of_user();
    let (namespaces, found) = [Namespaces::Privileged, Namespaces::User]
        .into_iter()
        .map(|namespaces| (namespaces, in_child(|| try_namespaces(namespaces, &maps))))
        .find(|(_, found)| found & ENTERED != 0)
        .map_or((None, 0), |(namespaces, found)| (Some(namespaces), found));
    Parts {
        namespaces,
        has_read_only_view: found & READ_ONLY != 0,
        has_own_proc: found & OWN_PROC != 0,
        landlock_abi: landlock::abi(),
        has_filter: filter::is_available(),
    }
}

fn try_namespaces(namespaces: Namespaces, maps: &Maps) -> i32 {
    if namespace::enter(namespaces, maps).is_err() {
        return 0;
    }
    in_child(|| {
        let mut found = ENTERED;
        if namespace::make_mounts_private().is_ok() {
            found |= if namespace::mount_proc().is_ok() { OWN_PROC } else { 0 };
            found |= if namespace::make_read_only().is_ok() { READ_ONLY } else { 0 };
        }
        found
    })
}

/// What a function gives in a child of this process, 0 if it can't be made. The function makes system calls only.
fn in_child(function: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child makes system calls and ends.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::_exit(function());
        }
        let mut status = 0;
        while child > 0 && libc::waitpid(child, &mut status, 0) < 0 {
            if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                return 0;
            }
        }
        if child > 0 && libc::WIFEXITED(status) {
            libc::WEXITSTATUS(status)
        } else {
            0
        }
    }
}
