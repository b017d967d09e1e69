//! Cores of the machine, and processes that keep to one.
//!
//! A run of a target wakes three processes in turn: the driver, the fork server and its child. Beside another search that
//! computes all the time, the scheduler puts now one and now another of them behind that: with two searches on two cores a
//! run took twice as long. Where there are as many searches as cores, each does best on one of its own.

use std::io;
use std::mem;

/// The cores that this process may run on, by number.
pub fn allowed() -> Vec<usize> {
    // SAFETY: fills a set of this size.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        if libc::sched_getaffinity(0, mem::size_of_val(&set), &mut set) != 0 {
            return Vec::new();
        }
        (0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, &set)).collect()
    }
}

/// Keeps this thread, and whatever it starts from now on, to one core.
pub fn bind(core: usize) -> io::Result<()> {
    // SAFETY: a set of one core.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        libc::CPU_SET(core, &mut set);
        match libc::sched_setaffinity(0, mem::size_of_val(&set), &set) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_to_one_core_and_others_do_not() {
        let before = allowed();
        let last = *before.last().unwrap();
        let (here, started) = std::thread::spawn(move || {
            bind(last).unwrap();
            (allowed(), std::thread::spawn(allowed).join().unwrap())
        })
        .join()
        .unwrap();
        assert_eq!((here, started), (vec![last], vec![last]));
        assert_eq!(allowed(), before);
        assert!(bind(libc::CPU_SETSIZE as usize - 1).is_err() || before.contains(&(libc::CPU_SETSIZE as usize - 1)));
    }
}
