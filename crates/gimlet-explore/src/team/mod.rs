//! Workers that search together on one machine, each a process with a folder of its own.
//!
//! ```text
//! OUT/                         the first worker's, which leads: it has the results of all
//! OUT/.gimlet/workers/1/       the second one's: a folder of results like any other, and
//! OUT/.gimlet/workers/1/errors.txt
//! ```
//!
//! Workers show each other their tests ([`crate::team::sync`]). Who asks what follows from the question ([`crate::team::share`]) or,
//! depth first, from what they give each other ([`crate::team::handoff`]). The leader starts the others, looks into their stores
//! now and then, and ends them.

pub mod handoff;
pub mod share;
pub(crate) mod sync;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use gimlet_exec::dependent::{ask_to_end, pause};
use gimlet_exec::watch::TICK;
use gimlet_report::Note;
use gimlet_store::{Finding, Glance, StoreError};
use gimlet_trace::status::{Status, BY_SIGNAL};

use crate::corpus::folder::PRIVATE;
use crate::corpus::STORE;
use crate::team::share::Share;

const WORKERS: &str = "workers";
const NAME: &str = "worker";
/// In a worker's folder: what it said on standard error.
pub const ERRORS: &str = "errors.txt";

/// Between two looks at the others.
const PAUSE: Duration = Duration::from_secs(2);
/// A pause is at least so many times as long as a look.
const N_LOOKS_A_PAUSE: u32 = 50;
/// How long a worker may take to end when it is asked to.
const FAREWELL: Duration = Duration::from_secs(20);

/// The results of a worker; those of the first one are in `out`.
pub fn folder(out: &Path, number: usize) -> PathBuf {
    match number {
        0 => out.to_owned(),
        number => folders(out).join(number.to_string()),
    }
}

/// What all workers but the first have.
pub fn folders(out: &Path) -> PathBuf {
    out.join(PRIVATE).join(WORKERS)
}

/// What a worker is called in the names of tests.
pub fn name(number: usize) -> String {
    format!("{NAME}{number}")
}

/// Whether the name of a test says that a worker took it over from another.
pub fn is_of_team(name: &str) -> bool {
    let member = name.split(',').find_map(|part| part.strip_prefix("sync:"));
    let number = member.and_then(|member| member.strip_prefix(NAME));
    number.is_some_and(|number| number.parse::<usize>().is_ok())
}

/// A worker's place.
#[derive(Clone, Debug)]
pub struct Place {
    pub share: Share,
    /// The results of the leader.
    pub out: PathBuf,
    /// There are so many seeds that each worker takes a part of them.
    pub divides_seeds: bool,
}

impl Place {
    /// A worker without others.
    pub fn alone(out: &Path) -> Place {
        Place { share: Share::WHOLE, out: out.to_owned(), divides_seeds: false }
    }

    /// The other workers, by name.
    pub fn others(&self) -> Vec<(String, PathBuf)> {
        let others = (0..self.share.n_workers).filter(|&number| number != self.share.number);
        others.map(|number| (name(number), folder(&self.out, number))).collect()
    }
}

/// Whether the exit status of a worker is that of one that ended because it was asked to: with its search, or before that
/// had begun.
fn is_good_end(code: i32) -> bool {
    Status::ends_a_search(code) || code == i32::from(BY_SIGNAL) + libc::SIGTERM
}

/// Another worker, as the leader knows it.
pub struct Mate {
    pub number: usize,
    folder: PathBuf,
    process: Child,
    /// How it ended.
    end: Option<ExitStatus>,
    /// What it had come to when it was last looked at.
    pub noted: Note,
    pub paths: Vec<u64>,
    pub findings: Vec<Finding>,
    /// What it knows of branches, as its store has it.
    pub branches: Vec<String>,
}

/// The other workers, as their leader knows them.
pub struct Team {
    pub mates: Vec<Mate>,
    next: Instant,
}

impl Team {
    /// Workers that were started, from the second one on.
    pub fn new(out: &Path, processes: Vec<Child>) -> Team {
        let mate = |(number, process)| Mate {
            number,
            folder: folder(out, number),
            process,
            end: None,
            noted: Note::default(),
            paths: Vec::new(),
            findings: Vec::new(),
            branches: Vec::new(),
        };
        Team { mates: (1..).zip(processes).map(mate).collect(), next: Instant::now() }
    }

    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Looks at what all of them have come to.
    pub fn look(&mut self) {
        let begun = Instant::now();
        // A store that cannot be read now may be read the next time.
        self.mates.iter_mut().for_each(|mate| drop(mate.look()));
        self.next = Instant::now() + PAUSE.max(begun.elapsed() * N_LOOKS_A_PAUSE);
    }

    /// Those that have ended since the last time, and what is to be said about it.
    pub fn attend(&mut self) -> Vec<(usize, String)> {
        let note = |mate: &Mate| format!("{} {}: the search goes on without it", name(mate.number), mate.cause());
        let ended = self.mates.iter_mut().filter_map(|mate| mate.has_ended().then(|| (mate.number, note(mate))));
        ended.collect()
    }

    /// Those that have not ended.
    pub fn living(&self) -> Vec<usize> {
        self.mates.iter().filter(|mate| mate.end.is_none()).map(|mate| mate.number).collect()
    }

    /// Whether all of them are there.
    pub fn is_whole(&self) -> bool {
        self.living().len() == self.mates.len()
    }

    /// Makes all of them wait, or go on.
    pub fn pause(&self, is_paused: bool) {
        self.mates.iter().filter(|mate| mate.end.is_none()).for_each(|mate| pause(&mate.process, is_paused));
    }

    /// Ends all of them, and looks at what they came to; returns what is to be said.
    pub fn dismiss(&mut self) -> Vec<String> {
        // One that has not been waited for can be asked.
        self.mates.iter().filter(|mate| mate.end.is_none()).for_each(|mate| ask_to_end(&mate.process));
        let deadline = Instant::now() + FAREWELL;
        let mut notes = Vec::new();
        for mate in &mut self.mates {
            notes.extend(mate.farewell(deadline));
            if let Err(error) = mate.look() {
                notes.push(format!("what {} counted last is left out: {error}", name(mate.number)));
            }
        }
        notes
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for mate in &mut self.mates {
            // Those that have ended are gone, and that is what is wanted.
            let _ = mate.process.kill();
            let _ = mate.process.wait();
        }
    }
}

impl Mate {
    /// Reads what it has come to.
    fn look(&mut self) -> Result<(), StoreError> {
        let store = self.folder.join(PRIVATE).join(STORE);
        if !store.exists() {
            // It has not begun.
            return Ok(());
        }
        let glance = Glance::take(&store)?;
        self.noted = Note::from_text(glance.progress.as_deref().unwrap_or_default());
        (self.paths, self.findings, self.branches) = (glance.paths, glance.findings, glance.branches);
        Ok(())
    }

    /// Whether it has ended since the last time.
    fn has_ended(&mut self) -> bool {
        if self.end.is_none() {
            self.end = self.process.try_wait().ok().flatten();
            return self.end.is_some();
        }
        false
    }

    /// Waits for its end; returns what is to be said.
    fn farewell(&mut self, deadline: Instant) -> Option<String> {
        while self.end.is_none() {
            if self.has_ended() {
                let is_well = self.end.and_then(|end| end.code()).is_some_and(is_good_end);
                return (!is_well).then(|| format!("{} {}", name(self.number), self.cause()));
            }
            if Instant::now() >= deadline {
                // What it has written is kept.
                let _ = self.process.kill();
                self.end = self.process.wait().ok();
                return Some(format!("{} did not end when it was to, and was killed", name(self.number)));
            }
            thread::sleep(TICK);
        }
        None
    }

    /// How it ended, and what it said.
    fn cause(&self) -> String {
        let said = fs::read_to_string(self.folder.join(ERRORS)).unwrap_or_default();
        let error = said.lines().find(|line| line.starts_with("gimlet: error:"));
        let last = error.or_else(|| said.lines().rfind(|line| !line.starts_with("gimlet: note:")));
        let last = last.map_or_else(String::new, |line| format!(" ({line})"));
        let status = self.end.map_or_else(String::new, |end| format!(", {end}"));
        format!("ended early{status}{last}")
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn names_say_what_was_taken_over_in_the_team() {
        assert!(is_of_team("id:000001,sync:worker2,src:000001,time:1,execs:9,op:flip"));
        assert!(is_of_team(&format!("id:000001,sync:{}", name(13))));
        for other in ["id:000001,src:000001,op:flip", "id:000001,sync:main,src:000001", "id:000001,sync:workers"] {
            assert!(!is_of_team(other), "{other}");
        }
    }

    #[test]
    fn workers_end_when_they_are_asked_to() {
        assert!([0, 10, 143].into_iter().all(is_good_end));
        assert!([1, 2, 3, 4, 130, 137].into_iter().all(|code| !is_good_end(code)));
    }

    #[test]
    fn each_worker_knows_the_others() {
        let out = Path::new("out");
        let place = Place { share: Share { number: 1, n_workers: 3 }, ..Place::alone(out) };
        let others = [("worker0".to_owned(), out.to_owned()), ("worker2".to_owned(), folder(out, 2))];
        assert_eq!(place.others(), others);
        assert!(Place::alone(out).others().is_empty());
    }
}
