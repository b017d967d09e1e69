//! Ends a search at the end of its time, whatever it is doing.
//!
//! Between two tasks a search looks at the clock. A task that takes long (a run under a tracer, a long path that is being
//! translated, a question) looks at the flag by which a user interrupts; a little after the end of the search's time the
//! alarm sets that flag.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What a task may take beyond the end of the time.
const GRACE: Duration = Duration::from_millis(300);

/// Waits in a thread of its own.
pub struct Alarm {
    flag: &'static AtomicBool,
    has_rung: Arc<AtomicBool>,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Alarm {
    /// Sets the flag after this time, and a little more.
    pub fn after(time: Duration, flag: &'static AtomicBool) -> Alarm {
        let (sender, receiver) = mpsc::channel();
        let has_rung = Arc::new(AtomicBool::new(false));
        let rings = has_rung.clone();
        let thread = thread::spawn(move || {
            if receiver.recv_timeout(time.saturating_add(GRACE)) == Err(RecvTimeoutError::Timeout)
                && flag.compare_exchange(false, true, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            {
                rings.store(true, Ordering::Relaxed);
            }
        });
        Alarm { flag, has_rung, waiting: Some((sender, thread)) }
    }

    /// Whether it was the alarm that set the flag, and not the user.
    pub fn has_rung(&self) -> bool {
        self.has_rung.load(Ordering::Relaxed)
    }
}

/// What comes after the search goes on as if nobody had set the flag.
impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.waiting.take() {
            drop(sender);
            let _ = thread.join();
        }
        if self.has_rung() {
            self.flag.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rings_once_and_takes_the_flag_back() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let alarm = Alarm::after(Duration::from_millis(1), &FLAG);
        while !FLAG.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        thread::sleep(Duration::from_millis(20));
        assert!(alarm.has_rung());
        drop(alarm);
        assert!(!FLAG.load(Ordering::Relaxed));
    }

    #[test]
    fn the_users_flag_stays() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let alarm = Alarm::after(Duration::from_secs(60), &FLAG);
        FLAG.store(true, Ordering::Relaxed);
        drop(alarm);
        assert!(FLAG.load(Ordering::Relaxed));
    }
}
