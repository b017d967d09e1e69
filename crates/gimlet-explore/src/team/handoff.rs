//! Work that workers give each other, depth first.
//!
//! How large a subtree is nobody knows before it has been searched, so a division made beforehand leaves some workers with
//! nothing. Instead the first worker begins alone; a worker that has nothing to do says so, and one that has plenty gives
//! it subtrees that it would come to last: each is an input that leads there, and the step from which on nobody has looked.
//! All subtrees together are exactly the tree.
//!
//! ```text
//! OUT/.gimlet/idle          there while a worker has nothing to do; holds how many handoff it has taken
//! OUT/.gimlet/handoff/0-17    what the first worker gave to this one: build, step, input
//! ```
//!
//! Nothing is lost, whoever dies when: a subtree is on the disk before the giver's store says that it is done with it, and is
//! removed once the taker's store has it. At worst both search it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gimlet_trace::container::{Reader, Writer};
use gimlet_trace::{Input, TraceError};

use crate::corpus::folder::{tests, PRIVATE};
use crate::team::{folder, Place};

const IDLE: &str = "idle";
const HANDOFF: &str = "handoff";

/// Between two looks for somebody who has nothing to do.
const PAUSE: Duration = Duration::from_millis(50);
/// Handoff at a time: many a subtree is a leaf.
const N_SUBTREES: usize = 8;

/// A part of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subtree {
    /// Steps before this one are others'.
    pub bound: usize,
    pub input: Input,
}

/// What one worker gives and takes.
pub struct Handoff {
    /// Tells one build of the program from another.
    build: u64,
    number: usize,
    /// Places of all workers, by number.
    places: Vec<PathBuf>,
    n_given: u64,
    n_taken: u64,
    /// Taken, but still there.
    open: Vec<PathBuf>,
    is_idle: bool,
    /// Who gets something now, and how much more.
    receiver: Option<(usize, usize)>,
    next: Instant,
}

impl Handoff {
    pub fn new(place: &Place, build: u64) -> io::Result<Handoff> {
        let places = (0..place.share.n_workers).map(|number| folder(&place.out, number).join(PRIVATE));
        let handoff = Handoff {
            build,
            number: place.share.number,
            places: places.collect(),
            n_given: 0,
            n_taken: 0,
            open: Vec::new(),
            is_idle: false,
            receiver: None,
            next: Instant::now(),
        };
        fs::create_dir_all(handoff.folder(handoff.number))?;
        handoff.wake(handoff.number)?;
        Ok(handoff)
    }

    fn folder(&self, number: usize) -> PathBuf {
        self.places[number].join(HANDOFF)
    }

    fn marker(&self, number: usize) -> PathBuf {
        self.places[number].join(IDLE)
    }

    /// Whether somebody is to be given something now.
    pub fn has_receiver(&mut self) -> bool {
        if self.receiver.is_none() && Instant::now() >= self.next {
            self.next = Instant::now() + PAUSE;
            let is_hungry = |number: &usize| self.marker(*number).exists() && is_empty(&self.folder(*number));
            let hungry = (0..self.places.len()).filter(|&number| number != self.number).find(is_hungry);
            self.receiver = hungry.map(|number| (number, N_SUBTREES));
        }
        self.receiver.is_some()
    }

    /// Whoever waits can wait no longer: there is nothing more to give.
    pub fn stop_giving(&mut self) {
        self.receiver = None;
    }

    /// Gives something to the one who waits.
    pub fn give(&mut self, subtree: &Subtree) -> io::Result<()> {
        let Some((receiver, n_left)) = self.receiver else { return Ok(()) };
        self.receiver = (n_left > 1).then_some((receiver, n_left - 1));
        let folder = self.folder(receiver);
        let name = format!("{}-{}", self.number, self.n_given);
        self.n_given += 1;
        let unfinished = folder.join(format!(".{name}"));
        let mut file = File::create(&unfinished)?;
        file.write_all(&self.to_bytes(subtree))?;
        file.sync_all()?;
        // One of an earlier search may have the name: it is not taken from anybody.
        let is_free = |name: &PathBuf| !name.exists();
        let names = std::iter::once(name.clone()).chain((1..).map(|again| format!("{name}-{again}")));
        let free = names.map(|name| folder.join(name)).find(is_free);
        free.map_or(Ok(()), |name| fs::rename(&unfinished, name))
    }

    /// What others have given; [`Handoff::thank`] is to follow once it cannot get lost.
    pub fn take(&mut self) -> io::Result<Vec<Subtree>> {
        let mut handoff = Vec::new();
        for path in tests(&self.folder(self.number))? {
            // What cannot be read was not written by a worker.
            handoff.extend(self.decode(&fs::read(&path)?).ok());
            self.open.push(path);
        }
        if !self.open.is_empty() {
            self.n_taken += self.open.len() as u64;
            self.is_idle = false;
            self.wake(self.number)?;
        }
        Ok(handoff)
    }

    /// Removes what was taken.
    pub fn thank(&mut self) -> io::Result<()> {
        self.open.drain(..).try_for_each(fs::remove_file)
    }

    /// Says that there is nothing to do.
    pub fn rest(&mut self) -> io::Result<()> {
        if self.is_idle {
            return Ok(());
        }
        self.is_idle = true;
        let marker = self.marker(self.number);
        let unfinished = marker.with_extension("unfinished");
        fs::write(&unfinished, self.n_taken.to_string())?;
        fs::rename(&unfinished, marker)
    }

    /// Whether none of these workers has anything to do, nor will have: two looks at all of them see the same.
    pub fn are_idle(&self, numbers: &[usize]) -> bool {
        let look = |number: &usize| {
            let n_taken = fs::read_to_string(self.marker(*number)).ok()?;
            is_empty(&self.folder(*number)).then_some(n_taken)
        };
        let look_at_all = || numbers.iter().map(look).collect::<Option<Vec<String>>>();
        let first = look_at_all();
        first.is_some() && first == look_at_all() && is_empty(&self.folder(self.number))
    }

    /// Takes what was given to a worker that has died; nobody is to give it anything more.
    pub fn inherit(&mut self, number: usize) -> io::Result<()> {
        self.wake(number)?;
        for path in tests(&self.folder(number)).unwrap_or_default() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            fs::rename(&path, self.folder(self.number).join(format!("{name}-of-{number}")))?;
        }
        Ok(())
    }

    /// A worker is not idle.
    fn wake(&self, number: usize) -> io::Result<()> {
        match fs::remove_file(self.marker(number)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn to_bytes(&self, subtree: &Subtree) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.build);
        writer.u64(subtree.bound as u64);
        subtree.input.write(&mut writer);
        writer.bytes
    }

    fn decode(&self, bytes: &[u8]) -> Result<Subtree, TraceError> {
        let mut reader = Reader::new(bytes);
        let is_same = reader.u64()? == self.build;
        let bound = reader.u64()? as usize;
        // Steps of another build are others.
        Ok(Subtree { bound: if is_same { bound } else { 0 }, input: Input::read(&mut reader)? })
    }
}

fn is_empty(folder: &Path) -> bool {
    tests(folder).is_ok_and(|handoff| handoff.is_empty())
}

#[cfg(test)]
mod unit_tests {
    use super::*;
    use crate::team::share::Share;

    fn handoff(out: &Path, number: usize, build: u64) -> Handoff {
        Handoff::new(&Place { share: Share { number, n_workers: 3 }, ..Place::alone(out) }, build).unwrap()
    }

    fn subtree(text: &str, bound: usize) -> Subtree {
        Subtree { bound, input: Input::stdin(text) }
    }

    #[test]
    fn who_has_nothing_to_do_is_given_something() {
        let scratch = tempfile::tempdir().unwrap();
        let mut workers = [0, 1, 2].map(|number| handoff(scratch.path(), number, 7));
        assert!(!workers[0].has_receiver());
        workers[1].rest().unwrap();
        workers[0].next = Instant::now();
        assert!(workers[0].has_receiver());
        workers[0].give(&subtree("a", 3)).unwrap();
        workers[0].give(&subtree("b", 4)).unwrap();
        assert!(workers[0].has_receiver());
        // Another giver sees that somebody was faster.
        workers[2].next = Instant::now();
        assert!(!workers[2].has_receiver());
        assert_eq!(workers[1].take().unwrap(), [subtree("a", 3), subtree("b", 4)]);
        // It may have died before its store had them.
        let mut again = handoff(scratch.path(), 1, 8);
        assert_eq!(again.take().unwrap(), [subtree("a", 0), subtree("b", 0)]);
        workers[1].thank().unwrap();
        assert_eq!(workers[1].take().unwrap(), []);
    }

    #[test]
    fn nobody_ends_while_somebody_works() {
        let scratch = tempfile::tempdir().unwrap();
        let mut workers = [0, 1, 2].map(|number| handoff(scratch.path(), number, 7));
        workers[1].rest().unwrap();
        assert!(!workers[0].are_idle(&[1, 2]));
        assert!(workers[0].are_idle(&[1]));
        workers[2].next = Instant::now();
        assert!(workers[2].has_receiver());
        workers[2].give(&subtree("a", 3)).unwrap();
        workers[2].rest().unwrap();
        assert!(!workers[0].are_idle(&[1, 2]));
        assert_eq!(workers[1].take().unwrap().len(), 1);
        assert!(!workers[0].are_idle(&[1, 2]));
        workers[1].thank().unwrap();
        assert!(!workers[0].are_idle(&[1, 2]));
        workers[1].rest().unwrap();
        assert!(workers[0].are_idle(&[1, 2]));
    }

    #[test]
    fn subtrees_of_the_dead_are_not_lost() {
        let scratch = tempfile::tempdir().unwrap();
        let mut workers = [0, 1, 2].map(|number| handoff(scratch.path(), number, 7));
        workers[1].rest().unwrap();
        workers[2].next = Instant::now();
        assert!(workers[2].has_receiver());
        workers[2].give(&subtree("a", 3)).unwrap();
        workers[0].inherit(1).unwrap();
        assert!(!workers[0].are_idle(&[]));
        assert_eq!(workers[0].take().unwrap(), [subtree("a", 3)]);
        workers[2].stop_giving();
        workers[2].next = Instant::now();
        assert!(!workers[2].has_receiver());
    }
}
