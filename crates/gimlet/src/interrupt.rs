//! Ctrl-C, and the terminal as it was.
//!
//! The first signal sets a flag. Whoever waits sees it and returns an error, so
//! that everything on the way is dropped: the target's processes are killed and
//! its files removed. A second signal ends the process at once, but not a second
//! SIGHUP: where a terminal goes away, both the system and the shell send one.
//!
//! SIGINT and SIGTERM are taken over even where they were ignored at the start,
//! as afl-fuzz does: a shell without job control, a script's, ignores SIGINT in
//! what it starts with `&`, and `kill -INT` is to end that as well. SIGHUP stays
//! ignored, because that is what `nohup` is for.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::OnceLock;
use std::time::Duration;

use crate::screen::terminal;

/// What the crates below look at.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Settings of the terminal at the start, with the descriptor that had it.
static TERMINAL: OnceLock<Option<(i32, libc::termios)>> = OnceLock::new();

extern "C" fn handle(signal: libc::c_int) {
    let is_second = SIGNAL.swap(signal, Ordering::Relaxed) != 0;
    INTERRUPTED.store(true, Ordering::Relaxed);
    if is_second && signal != libc::SIGHUP {
        end_by(signal);
    }
}

/// Something failed that cannot be caught.
extern "C" fn handle_abort(signal: libc::c_int) {
    end_by(signal);
}

fn end_by(signal: libc::c_int) {
    terminal::give_back_now();
    // SAFETY: neither call has memory to do with; in a handler the signal comes when that returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// What a first Ctrl-C does, for a terminal that does not make a signal of it.
pub fn request() {
    let _ = SIGNAL.compare_exchange(0, libc::SIGINT, Ordering::Relaxed, Ordering::Relaxed);
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// What a Ctrl-C does, be it the first or the second.
pub fn insist() {
    match received() {
        None => request(),
        Some(_) => end_by(libc::SIGINT),
    }
}

/// What Ctrl-Z does: returns when the shell lets the process go on.
pub fn stop() {
    // SAFETY: the call has no memory to do with.
    unsafe { libc::kill(0, libc::SIGTSTP) };
    // Another thread may be the one that takes the signal.
    std::thread::sleep(Duration::from_millis(10));
}

/// Takes over SIGINT, SIGTERM and SIGHUP.
pub fn install() {
    TERMINAL.get_or_init(find_terminal);
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler only stores to atomics; the structures are local and initialised.
        unsafe {
            let mut old = MaybeUninit::<libc::sigaction>::zeroed();
            if libc::sigaction(signal, std::ptr::null(), old.as_mut_ptr()) != 0 {
                continue;
            }
            // nohup wants it ignored.
            if signal == libc::SIGHUP && old.assume_init().sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as extern "C" fn(libc::c_int) as usize;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
    // SAFETY: the handler makes system calls only; the structure is local and initialised.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle_abort as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(libc::SIGABRT, &action, std::ptr::null_mut());
    }
}

/// The signal that came, if one did.
pub fn received() -> Option<u8> {
    let signal = SIGNAL.load(Ordering::Relaxed);
    (signal != 0).then_some(signal as u8)
}

fn find_terminal() -> Option<(i32, libc::termios)> {
    (0..3).find_map(|fd| {
        let mut settings = MaybeUninit::<libc::termios>::zeroed();
        // SAFETY: tcgetattr fills the structure if it succeeds; zeroes are valid too.
        unsafe { (libc::tcgetattr(fd, settings.as_mut_ptr()) == 0).then(|| (fd, settings.assume_init())) }
    })
}

/// Undoes what a target did to the terminal. In the background that is not ours to do.
pub fn restore_terminal() {
    if let Some(Some((fd, settings))) = TERMINAL.get() {
        // SAFETY: the settings are those that tcgetattr gave.
        unsafe {
            if libc::tcgetpgrp(*fd) == libc::getpgrp() {
                libc::tcsetattr(*fd, libc::TCSANOW, settings);
            }
        }
    }
}
