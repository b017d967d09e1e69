//! The wall clock as an outer limit.
//!
//! Solvers are limited by counts of their own steps, so that runs repeat. For steps that take too
//! long, another thread waits and interrupts; that is reported, since it does not repeat.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// A flag that is set when everything is to end, by the user or the clock.
pub type Stop = Option<&'static AtomicBool>;

/// Between two looks at that flag.
const PAUSE: Duration = Duration::from_millis(50);

/// Does `work`; if it takes longer than `limit`, or the flag is set meanwhile, calls `interrupt` from another thread,
/// once. The second result says whether that happened.
pub fn with_limit<R>(
    limit: Option<Duration>,
    stop: Stop,
    interrupt: impl FnOnce() + Send,
    work: impl FnOnce() -> R,
) -> (R, bool) {
    if limit.is_none() && stop.is_none() {
        return (work(), false);
    }
    let start = Instant::now();
    let is_over = move || {
        let is_stopped = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        is_stopped || limit.is_some_and(|limit| start.elapsed() >= limit)
    };
    let pause = move || {
        let left = limit.map_or(Duration::MAX, |limit| limit.saturating_sub(start.elapsed()));
        if stop.is_some() {
            left.min(PAUSE)
        } else {
            left
        }
    };
    let (sender, receiver) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watch = scope.spawn(move || loop {
            if receiver.recv_timeout(pause()) != Err(RecvTimeoutError::Timeout) {
                return false;
            }
            if is_over() {
                interrupt();
                return true;
            }
        });
        let result = work();
        drop(sender);
        (result, watch.join().unwrap_or(false))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_work_is_interrupted() {
        let flag = AtomicBool::new(false);
        let work = || {
            while !flag.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            7
        };
        let outcome = with_limit(Some(Duration::from_millis(5)), None, || flag.store(true, Ordering::Relaxed), work);
        assert_eq!(outcome, (7, true));
        let untouched = with_limit(Some(Duration::from_secs(60)), None, || panic!("not late"), || 8);
        assert_eq!(untouched, (8, false));
        assert_eq!(with_limit(None, None, || panic!("no limit"), || 9), (9, false));
    }

    #[test]
    fn a_flag_stops_work_that_has_no_limit() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let is_told = AtomicBool::new(false);
        let work = || {
            STOP.store(true, Ordering::Relaxed);
            while !is_told.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        };
        assert_eq!(with_limit(None, Some(&STOP), || is_told.store(true, Ordering::Relaxed), work), ((), true));
    }
}
