//! The wall clock as an outer limit.
//!
//! Solvers are limited by counts of their own steps, so that runs repeat. For steps that take too
//! long, another thread waits and interrupts; that is reported, since it does not repeat.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Does `work`; if it takes longer than `limit`, calls `interrupt` from another thread, once. The
/// second result says whether that happened.
pub fn with_limit<R>(limit: Option<Duration>, interrupt: impl FnOnce() + Send, work: impl FnOnce() -> R) -> (R, bool) {
    let Some(limit) = limit else {
        return (work(), false);
    };
    let (sender, receiver) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let is_late = receiver.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if is_late {
                interrupt();
            }
            is_late
        });
        let result = work();
        drop(sender);
        (result, watch.join().unwrap_or(false))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn late_work_is_interrupted() {
        let flag = AtomicBool::new(false);
        let work = || {
            while !flag.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            7
        };
        let outcome = with_limit(Some(Duration::from_millis(5)), || flag.store(true, Ordering::Relaxed), work);
        assert_eq!(outcome, (7, true));
        let untouched = with_limit(Some(Duration::from_secs(60)), || panic!("not late"), || 8);
        assert_eq!(untouched, (8, false));
        assert_eq!(with_limit(None, || panic!("no limit"), || 9), (9, false));
    }
}
