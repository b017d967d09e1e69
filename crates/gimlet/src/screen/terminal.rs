//! The terminal, taken over and given back.
//!
//! It is given back at the end of the search, before the process is stopped by Ctrl-Z, when something panics, and by the
//! handlers of signals that end the process. The latter may interrupt anything: what they do is a `write` and a
//! `tcsetattr`.

use std::io::{self, stdout, Stdout, Write};
use std::mem;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Hide;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode, size, Clear, ClearType, EnterAlternateScreen};
use ratatui::{Frame, Terminal};

use crate::interrupt;

/// Whether the terminal is taken over.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Held by whoever draws.
pub static DRAWING: Mutex<()> = Mutex::new(());

/// How often a panic looks whether a picture is finished: it may be that of the thread which panicked.
const N_GLANCES: u32 = 100;

/// No colours, no attributes; the cursor is there; the other screen.
const GIVE_BACK: &[u8] = b"\x1b[0m\x1b[?25h\x1b[?1049l";

type Pictures = Terminal<CrosstermBackend<Stdout>>;

/// The terminal while it is taken over.
pub struct Taken(Option<Pictures>);

impl Taken {
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        match &mut self.0 {
            Some(pictures) => pictures.draw(draw).map(|_| ()),
            None => Ok(()),
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // When it is dropped, ratatui's terminal shows the cursor, and panics where it can't even complain of that: if the
        // terminal has gone away. The search would end with it.
        if let Some(mut pictures) = self.0.take()
            && pictures.show_cursor().is_err()
        {
            mem::forget(pictures);
        }
    }
}

/// Whether this process is in the foreground of its terminal: others must leave it alone.
pub fn is_ours() -> bool {
    // SAFETY: neither call has memory to do with.
    unsafe { libc::tcgetpgrp(libc::STDOUT_FILENO) == libc::getpgrp() }
}

/// Whether the terminal knows how large it is.
pub fn has_size() -> bool {
    size().is_ok_and(|(width, height)| width > 0 && height > 0)
}

/// Takes the terminal over.
pub fn take() -> io::Result<Taken> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let is_drawn = || {
                thread::sleep(Duration::from_millis(1));
                DRAWING.try_lock().ok()
            };
            let _drawing = (0..N_GLANCES).find_map(|_| is_drawn());
            give_back_now();
            before(panic);
        }));
    });
    enable_raw_mode()?;
    IS_TAKEN.store(true, Ordering::SeqCst);
    let taken = execute!(stdout(), EnterAlternateScreen, Hide).and_then(|()| fresh());
    if taken.is_err() {
        give_back();
    }
    taken
}

/// An empty screen.
pub fn fresh() -> io::Result<Taken> {
    execute!(stdout(), Clear(ClearType::All))?;
    Ok(Taken(Some(Terminal::new(CrosstermBackend::new(stdout()))?)))
}

/// Whether it is still there to be drawn on: after a panic elsewhere it is not.
pub fn is_taken() -> bool {
    IS_TAKEN.load(Ordering::SeqCst)
}

/// Gives it back, in order.
pub fn give_back() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        // If the terminal is gone, there is nobody to give it to.
        let _ = stdout().write_all(GIVE_BACK);
        let _ = stdout().flush();
    }
    let _ = disable_raw_mode();
}

/// Gives it back in the middle of anything, also in a handler of a signal.
pub fn give_back_now() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        // SAFETY: the bytes are static.
        unsafe { libc::write(libc::STDOUT_FILENO, GIVE_BACK.as_ptr().cast(), GIVE_BACK.len()) };
        interrupt::restore_terminal();
    }
}
