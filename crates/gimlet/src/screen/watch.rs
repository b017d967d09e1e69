//! The search's end of the screen.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gimlet_explore::explorer::Watcher;
use gimlet_explore::findings::Finding;
use gimlet_explore::work::Work;
use gimlet_report::Results;

use super::keys::Keyboard;
use super::{terminal, work, About, Teller};
use crate::exit::note;
use crate::interrupt;

/// Between two copies of the figures.
const PAUSE: Duration = Duration::from_millis(200);

/// How often a search that waits looks whether a signal came.
const GLANCE: Duration = Duration::from_millis(50);

/// What the search and the thread share.
#[derive(Default)]
pub struct Shared {
    latest: Mutex<Latest>,
    /// The user wants the search to wait.
    pub is_paused: AtomicBool,
    /// The search waits.
    pub is_waiting: AtomicBool,
    /// The search has ended.
    pub is_over: AtomicBool,
    work: AtomicU8,
    goes_on: Condvar,
}

/// What is known last.
#[derive(Clone, Default)]
pub struct Latest {
    pub figures: Option<(Results, Instant)>,
    pub notes: Vec<String>,
    /// Time that the process was stopped, which the search has not left out yet.
    pub stopped: Duration,
}

impl Shared {
    /// A panic elsewhere ends the process; what is there is good enough for others.
    pub fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn work(&self) -> Work {
        Work::ALL.get(usize::from(self.work.load(Ordering::Relaxed))).copied().unwrap_or_default()
    }

    pub fn pause(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::SeqCst);
        self.goes_on.notify_all();
    }

    /// Waits until the search may go on; returns how long that took.
    fn wait(&self) -> Duration {
        let start = Instant::now();
        self.is_waiting.store(true, Ordering::SeqCst);
        let mut latest = self.latest();
        while self.is_paused.load(Ordering::SeqCst) && interrupt::received().is_none() {
            let waited = self.goes_on.wait_timeout(latest, GLANCE);
            latest = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(latest, _)| latest);
        }
        // It waited anyway.
        latest.stopped = Duration::ZERO;
        self.is_waiting.store(false, Ordering::SeqCst);
        start.elapsed()
    }
}

pub struct Screen {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    next: Instant,
}

impl Screen {
    pub fn open(about: About) -> io::Result<Screen> {
        let shared = Arc::new(Shared::default());
        let keyboard = Keyboard::open()?;
        let taken = terminal::take()?;
        let thread = {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("screen".to_owned()).spawn(move || work::work(taken, keyboard, &about, &shared))
        };
        if thread.is_err() {
            terminal::give_back();
        }
        Ok(Screen { shared, thread: Some(thread?), next: Instant::now() })
    }
}

impl Watcher for Screen {
    fn begins(&mut self, work: Work) {
        self.shared.work.store(work as u8, Ordering::Relaxed);
    }

    fn is_due(&self) -> bool {
        self.is_paused() || Instant::now() >= self.next
    }

    fn progress(&mut self, results: Results) {
        let now = Instant::now();
        self.shared.latest().figures = Some((results, now));
        self.next = now + PAUSE;
    }

    fn is_paused(&self) -> bool {
        self.shared.is_paused.load(Ordering::Relaxed)
    }

    fn wait(&mut self) -> Duration {
        if !self.is_paused() {
            return std::mem::take(&mut self.shared.latest().stopped);
        }
        let waited = self.shared.wait();
        self.next = Instant::now();
        waited
    }

    fn found(&mut self, _finding: &Finding) {
        // It is among the next figures, and they are soon.
        self.next = Instant::now();
    }

    fn note(&mut self, text: &str) {
        self.shared.latest().notes.push(text.to_owned());
    }
}

impl Teller for Screen {
    fn end(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.shared.is_over.store(true, Ordering::SeqCst);
        // One that panicked has ended the process.
        let _ = thread.join();
        // What was said on the screen went with it.
        self.shared.latest().notes.iter().for_each(|text| note(text));
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.end();
    }
}
