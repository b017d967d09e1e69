//! The live screen of `gimlet run`.
//!
//! ```text
//! search --Results, now and then---> Shared <-- thread: keys, drawing
//!    ^                                 |
//!    +---- waits while paused ---------+
//! ```
//!
//! The search leaves a copy of its figures a few times a second, which is all that it does for the screen; a thread draws
//! them and reads keys, so that both are prompt while a task takes long. Drawing is a function of figures and of what the
//! user looks at, and is tested without a terminal.
//!
//! | module | holds |
//! |---|---|
//! | [`watch`] | the search's end of it |
//! | [`work`] | the thread |
//! | [`terminal`] | the terminal, taken over and given back whatever happens |
//! | [`keys`] | what was typed |
//! | [`view`] | what the user looks at, and what keys do |
//! | [`draw`], [`finding`], [`help`] | the pages |
//! | [`trail`] | what figures were before: speed, and coverage over time |
//! | [`look`] | colours and signs |
//! | [`lines`] | plain lines, where there is no screen |

mod draw;
mod finding;
mod help;
mod keys;
mod lines;
mod look;
pub mod terminal;
mod trail;
mod view;
mod watch;
mod work;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use gimlet_explore::explorer::Watcher;

use crate::replay::Again;
use lines::Lines;
use watch::Screen;

/// What does not change while a search goes on.
pub struct About {
    pub program: String,
    pub strategy: &'static str,
    pub seed: u64,
    pub n_workers: usize,
    pub out: PathBuf,
    /// How a finding is seen again.
    pub again: Again,
}

/// Whoever tells the user how it goes.
pub trait Teller: Watcher {
    /// The search is over; from here on the terminal is as it was.
    fn end(&mut self);
}

/// A screen where there is a terminal that can have one, and lines elsewhere.
pub fn open(about: About, is_wanted: bool) -> Box<dyn Teller> {
    if is_wanted
        && can_have_screen()
        && let Ok(screen) = Screen::open(about)
    {
        return Box::new(screen);
    }
    Box::<Lines>::default()
}

fn can_have_screen() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    !is_dumb && io::stdout().is_terminal() && io::stderr().is_terminal() && terminal::is_ours() && terminal::has_size()
}
