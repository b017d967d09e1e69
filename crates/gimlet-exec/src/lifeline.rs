//! New processes end with the driver, however that ends.
//!
//! The kernel kills a process whose parent ends, once it has asked for that. A driver that was killed before it could ask
//! would be waited for in vain, and by a process that holds its locks: so the new process looks for the driver afterwards.
//! It can't go by the number of its parent, which in a PID namespace of its own is none.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Tells a new process whether the driver is there.
pub struct Lifeline(Option<OwnedFd>);

impl Lifeline {
    /// Made before the fork. Kernels before 5.3 have none.
    pub fn of_this_process() -> Lifeline {
        // SAFETY: plain system calls; the descriptor is new.
        let driver = unsafe {
            let fd = libc::syscall(libc::SYS_pidfd_open, libc::getpid(), 0) as libc::c_int;
            (fd >= 0).then(|| OwnedFd::from_raw_fd(fd))
        };
        Lifeline(driver)
    }

    /// In a new process, by its only thread: it is killed when its parent ends, and ends now if the driver is gone.
    pub fn hold(&self) {
        let Some(driver) = &self.0 else {
            // SAFETY: plain system call.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            return;
        };
        let mut request = libc::pollfd { fd: driver.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: plain system calls; the structure is local.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::poll(&mut request, 1, 0) > 0 {
                libc::_exit(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forks a process that has a lifeline to its parent, in which another one holds it once that is gone; the exit status
    /// comes through a pipe.
    #[test]
    fn a_process_whose_driver_is_gone_ends() {
        let mut ends = [0; 2];
        // SAFETY: system calls only in the new processes.
        unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            let driver = libc::fork();
            if driver == 0 {
                let lifeline = Lifeline::of_this_process();
                if libc::fork() == 0 {
                    lifeline.hold_after_driver_ended();
                    libc::write(ends[1], [1u8].as_ptr().cast(), 1);
                    libc::_exit(0);
                }
                libc::_exit(0);
            }
            libc::waitpid(driver, std::ptr::null_mut(), 0);
            libc::close(ends[1]);
            let mut byte = 0u8;
            // The pipe ends without a byte.
            assert_eq!(libc::read(ends[0], (&raw mut byte).cast(), 1), 0);
            libc::close(ends[0]);
        }
    }

    #[test]
    fn a_process_whose_driver_is_there_goes_on() {
        let lifeline = Lifeline::of_this_process();
        let mut status = -1;
        // SAFETY: system calls only in the new process.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                lifeline.hold();
                libc::_exit(7);
            }
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
        }
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7);
    }

    impl Lifeline {
        /// Waits for the driver's end, as a new process that gets no processor time does.
        fn hold_after_driver_ended(&self) {
            if let Some(driver) = &self.0 {
                let mut request = libc::pollfd { fd: driver.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: the structure is local.
                unsafe { libc::poll(&mut request, 1, -1) };
            }
            self.hold();
        }
    }
}
