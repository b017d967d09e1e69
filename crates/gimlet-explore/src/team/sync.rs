//! Tests of others: the members of an AFL++ sync folder, or the other workers of a team.
//!
//! A member is a folder with a `queue` in it, each of its tests has a number. Those after the last one that is known are
//! new. A file that somebody else wrote just now may not be finished: it is left for the next time, and all after it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use gimlet_trace::Input;

use crate::corpus::folder::{number, read, tests, QUEUE};
use crate::team;

/// Between two looks.
const PAUSE: Duration = Duration::from_secs(5);
/// The same in a team.
const TEAM_PAUSE: Duration = Duration::from_secs(1);
/// A pause is at least so many times as long as a look.
const N_LOOKS_A_PAUSE: u32 = 50;
/// Files that are younger may not be finished.
const N_SECONDS_YOUNG: u64 = 1;
/// Tests that are taken over at a time; the search goes on in between.
const N_TESTS_A_TURN: usize = 64;

/// Searches that learn from each other.
pub struct Sync {
    members: Members,
    /// Our own results, which may be among them.
    own: PathBuf,
    primary: String,
    input_bytes_max: u64,
    /// The last test of each member that was looked at.
    last: BTreeMap<String, u64>,
    next: Instant,
}

/// Where the others have their results.
pub enum Members {
    /// In folders of this one.
    Of(PathBuf),
    /// The other workers of a team, by name.
    Team(Vec<(String, PathBuf)>),
}

/// A test of a member.
pub struct Imported {
    pub member: String,
    pub number: u64,
    /// Of its file.
    pub name: String,
    /// `None` if it cannot be used.
    pub input: Option<Input>,
}

impl Sync {
    pub fn new(members: Members, own: &Path, primary: &str, input_bytes_max: u64) -> Sync {
        Sync {
            members,
            own: fs::canonicalize(own).unwrap_or_else(|_| own.to_owned()),
            primary: primary.to_owned(),
            input_bytes_max,
            last: BTreeMap::new(),
            next: Instant::now(),
        }
    }

    /// Notes what an earlier search took over.
    pub fn is_known(&mut self, member: &str, last: u64) {
        self.last.insert(member.to_owned(), last);
    }

    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// New tests of all members; not all at once.
    pub fn look(&mut self, layout: &Input) -> io::Result<Vec<Imported>> {
        let begun = Instant::now();
        let mut found = Vec::new();
        for (member, folder) in self.folders()? {
            for (number, path) in self.new_tests(&member, &folder.join(QUEUE))? {
                if found.len() >= N_TESTS_A_TURN {
                    // The rest is for the next turn, which comes soon.
                    return Ok(found);
                }
                self.last.insert(member.clone(), number);
                let is_small = fs::metadata(&path).is_ok_and(|meta| meta.len() <= self.input_bytes_max);
                let input = if is_small { read(&path, layout, &self.primary).ok() } else { None };
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                found.push(Imported { member: member.clone(), number, name, input });
            }
        }
        let pause = if let Members::Team(_) = self.members { TEAM_PAUSE } else { PAUSE };
        self.next = Instant::now() + pause.max(begun.elapsed() * N_LOOKS_A_PAUSE);
        Ok(found)
    }

    /// Members that have begun, with their results.
    fn folders(&self) -> io::Result<Vec<(String, PathBuf)>> {
        let mut folders = match &self.members {
            Members::Team(folders) => folders.clone(),
            Members::Of(folder) => {
                let named = |path: PathBuf| Some((path.file_name()?.to_string_lossy().into_owned(), path));
                tests(folder)?.into_iter().filter_map(named).collect()
            }
        };
        let is_own = |folder: &Path| fs::canonicalize(folder).is_ok_and(|path| path == self.own);
        folders.retain(|(_, folder)| !is_own(folder) && folder.join(QUEUE).is_dir());
        Ok(folders)
    }

    /// Finished tests of a member after the last one that was looked at, by number. What workers took over from each other
    /// is with the one that made it.
    fn new_tests(&self, member: &str, queue: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
        let last = self.last.get(member);
        let is_team = matches!(self.members, Members::Team(_));
        let numbered = |path: PathBuf| {
            let name = path.file_name()?.to_string_lossy();
            let number = number(&name)?;
            (!is_team || !team::is_of_team(&name)).then_some(())?;
            Some((number, path))
        };
        let mut new: Vec<(u64, PathBuf)> = tests(queue)?
            .into_iter()
            .filter_map(numbered)
            .filter(|(number, _)| last.is_none_or(|last| number > last))
            .collect();
        new.sort();
        let n_finished = new.iter().take_while(|(_, path)| is_team || is_finished(path)).count();
        new.truncate(n_finished);
        Ok(new)
    }
}

/// Whether a file is old enough.
fn is_finished(path: &Path) -> bool {
    let age = |modified: SystemTime| SystemTime::now().duration_since(modified).unwrap_or_default();
    let modified = fs::metadata(path).and_then(|meta| meta.modified());
    // One that is gone again keeps nobody waiting.
    modified.map_or(true, |modified| age(modified) >= Duration::from_secs(N_SECONDS_YOUNG))
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    fn write(path: &Path, text: &str, seconds_old: u64) {
        fs::write(path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds_old)).unwrap();
    }

    fn look(sync: &mut Sync) -> Vec<(String, u64, bool)> {
        let found = sync.look(&Input::stdin("")).unwrap();
        found.into_iter().map(|test| (test.member, test.number, test.input.is_some())).collect()
    }

    #[test]
    fn each_test_of_each_member_comes_once() {
        let scratch = tempfile::tempdir().unwrap();
        for member in ["main", "own", "other", ".hidden", "no-queue"] {
            fs::create_dir_all(scratch.path().join(member)).unwrap();
        }
        let queue = |member: &str| scratch.path().join(member).join(QUEUE);
        ["main", "own", "other", ".hidden"].iter().for_each(|member| fs::create_dir(queue(member)).unwrap());
        write(&queue("main").join("id:000000,orig:x"), "x", 9);
        write(&queue("main").join("id:000002,src:000000"), "z", 9);
        write(&queue("main").join("readme"), "z", 9);
        write(&queue("own").join("id:000000"), "own", 9);
        write(&queue("other").join("id:000007"), "too long", 9);
        let mut sync = Sync::new(Members::Of(scratch.path().to_owned()), &scratch.path().join("own"), "stdin", 4);
        let expected = [("main".into(), 0, true), ("main".into(), 2, true), ("other".into(), 7, false)];
        assert_eq!(look(&mut sync), expected);
        assert_eq!(look(&mut sync), []);
        // One that is being written stops those after it.
        write(&queue("main").join("id:000003"), "y", 0);
        write(&queue("main").join("id:000004"), "w", 9);
        assert_eq!(look(&mut sync), []);
        write(&queue("main").join("id:000003"), "y", 9);
        assert_eq!(look(&mut sync), [("main".into(), 3, true), ("main".into(), 4, true)]);
    }

    #[test]
    fn many_tests_come_in_turns() {
        let scratch = tempfile::tempdir().unwrap();
        let queue = scratch.path().join("main").join(QUEUE);
        fs::create_dir_all(&queue).unwrap();
        (0..100).for_each(|number| write(&queue.join(format!("id:{number:06}")), "x", 9));
        let mut sync = Sync::new(Members::Of(scratch.path().to_owned()), scratch.path(), "stdin", 4);
        assert_eq!(look(&mut sync).len(), N_TESTS_A_TURN);
        assert!(sync.is_due());
        assert_eq!(look(&mut sync).len(), 100 - N_TESTS_A_TURN);
        assert!(!sync.is_due());
    }

    #[test]
    fn workers_take_over_what_others_made_themselves() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = |number| team::folder(scratch.path(), number);
        for number in 0..2 {
            fs::create_dir_all(folder(number).join(QUEUE)).unwrap();
        }
        let queue = folder(1).join(QUEUE);
        write(&queue.join("id:000000,time:0,execs:0,op:seed"), "x", 0);
        write(&queue.join("id:000001,sync:worker2,src:000001,time:1,execs:9,op:flip"), "y", 0);
        write(&queue.join("id:000002,sync:main,src:000007,time:1,execs:9,op:sync"), "z", 0);
        let members = (0..3).map(|number| (team::name(number), folder(number))).collect();
        let mut sync = Sync::new(Members::Team(members), &folder(0), "stdin", 4);
        assert_eq!(look(&mut sync), [("worker1".into(), 0, true), ("worker1".into(), 2, true)]);
        assert_eq!(look(&mut sync), []);
    }
}
