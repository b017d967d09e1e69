//! The thread that draws and reads keys.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::draw::{self, Scene};
use super::keys::{Key, Keyboard};
use super::look::Look;
use super::terminal::{self, Taken};
use super::trail::Trail;
use super::view::{Act, View};
use super::watch::Shared;
use super::About;
use crate::interrupt;

/// Between two pictures, unless a key makes another one due.
const PAUSE: Duration = Duration::from_millis(200);

/// How long keys are waited for at a time.
const GLANCE: Duration = Duration::from_millis(50);

/// Draws and reads keys until the search is over, or the terminal is gone.
pub fn work(taken: Taken, keyboard: Keyboard, about: &About, shared: &Shared) {
    let mut worker = Worker {
        terminal: Some(taken),
        keyboard,
        about,
        shared,
        view: View::default(),
        trail: Trail::of_folder(&about.out),
        look: Look::of_environment(),
        next: Instant::now(),
    };
    // Without a terminal nobody could let the search go on.
    if worker.serve().is_err() {
        shared.pause(false);
    }
    terminal::give_back();
}

struct Worker<'a> {
    /// None while the process is in the background.
    terminal: Option<Taken>,
    keyboard: Keyboard,
    about: &'a About,
    shared: &'a Shared,
    view: View,
    trail: Trail,
    look: Look,
    next: Instant,
}

impl Worker<'_> {
    fn serve(&mut self) -> io::Result<()> {
        while !self.shared.is_over.load(Ordering::SeqCst) {
            if self.terminal.is_none() {
                std::thread::sleep(GLANCE);
                if terminal::is_ours() {
                    self.terminal = Some(terminal::take()?);
                    self.next = Instant::now();
                }
                continue;
            }
            if !terminal::is_taken() {
                // Something panicked, and the end is near.
                return Ok(());
            }
            if Instant::now() >= self.next {
                self.draw()?;
                self.next = Instant::now() + PAUSE;
            }
            for key in self.keyboard.read(GLANCE)? {
                self.take_in(key)?;
                self.next = Instant::now();
            }
        }
        Ok(())
    }

    fn draw(&mut self) -> io::Result<()> {
        let Some(terminal) = &mut self.terminal else { return Ok(()) };
        let _drawing = terminal::DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        if !terminal::is_taken() {
            return Ok(());
        }
        let latest = self.shared.latest().clone();
        if let Some((results, _)) = &latest.figures {
            self.trail.add(results);
        }
        self.view.is_paused = self.shared.is_paused.load(Ordering::SeqCst);
        self.view.is_waiting = self.shared.is_waiting.load(Ordering::SeqCst);
        self.view.is_ending = interrupt::received().is_some();
        self.view.settle(latest.figures.as_ref().map_or(0, |(results, _)| results.findings.len()));
        let age = match self.view.is_waiting {
            true => Duration::ZERO,
            false => latest.figures.as_ref().map_or(Duration::ZERO, |(_, taken)| taken.elapsed()),
        };
        let scene = Scene {
            about: self.about,
            figures: latest.figures.as_ref().map(|(results, _)| results),
            age,
            work: (!self.view.is_waiting).then(|| self.shared.work()),
            note: latest.notes.last().map(String::as_str),
            trail: &self.trail,
            look: &self.look,
        };
        terminal.draw(|frame| draw::draw(frame, &scene, &mut self.view))
    }

    fn take_in(&mut self, key: Key) -> io::Result<()> {
        match self.view.press(key) {
            None => {}
            Some(Act::Pause) => self.shared.pause(!self.shared.is_paused.load(Ordering::SeqCst)),
            Some(Act::Quit) => {
                interrupt::request();
                self.shared.pause(false);
            }
            Some(Act::Insist) => {
                interrupt::insist();
                self.shared.pause(false);
            }
            Some(Act::Redraw) => self.terminal = Some(terminal::fresh()?),
            Some(Act::Stop) => self.stop(),
        }
        Ok(())
    }

    /// Stops the process as Ctrl-Z does, until the shell lets it go on.
    fn stop(&mut self) {
        self.terminal = None;
        terminal::give_back();
        let start = Instant::now();
        interrupt::stop();
        self.shared.latest().stopped += start.elapsed();
    }
}
