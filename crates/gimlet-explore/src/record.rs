//! What a folder of results says of its search, also while that goes on.

use std::path::{Path, PathBuf};

use gimlet_exec::lock::Lock;
use gimlet_store::{Glance, Overview, SqliteStore, Store};
use rustc_hash::FxHashSet;

use crate::corpus::{LOCK, MANIFEST, PRIVATE, STORE};
use crate::error::ExploreError;
use crate::explorer::Divergence;
use crate::findings::Finding;
use crate::folder::Folder;
use crate::progress::Progress;
use crate::snapshot::{Found, Maker, Snapshot};
use crate::team;

/// What has become of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// A process works on it; which one is not known if it is in another container.
    Running { pid: Option<i32> },
    /// It came to an end, for a reason in a word.
    Ended(String),
    /// It was stopped, or ended by a signal that nobody can catch.
    Interrupted,
}

/// What is known of a search.
#[derive(Debug)]
pub struct Record {
    pub state: State,
    pub is_exhausted: bool,
    /// Of Gimlet.
    pub version: Option<String>,
    /// Tells one build of the program from another.
    pub build: u64,
    pub snapshot: Snapshot,
    pub divergences: Vec<Divergence>,
    pub losses: Vec<(String, u64)>,
    pub findings: Vec<Finding>,
    /// Inputs that were ever made.
    pub n_inputs: u64,
}

/// The process that uses a folder of results; the inner `None` if nobody can say which.
pub fn user_of(out: &Path) -> Option<Option<i32>> {
    Lock::holder(&out.join(PRIVATE).join(LOCK)).map(|pid| (pid > 0).then_some(pid))
}

/// Whether a folder is one that a search made.
pub fn is_of_search(out: &Path) -> bool {
    out.join(MANIFEST).is_file() || out.join(PRIVATE).join(STORE).is_file() || Folder::is_occupied(out)
}

/// Reads what is known of a search; `None` if there is no store.
pub fn read(out: &Path) -> Result<Option<Record>, ExploreError> {
    let path = out.join(PRIVATE).join(STORE);
    if !path.exists() {
        return Ok(None);
    }
    let user = user_of(out);
    let overview = SqliteStore::open_to_read(&path, user.is_none())?.overview()?;
    let mut record = record(overview, user);
    let others = (1..).map(|number| team::folder(out, number)).take_while(|folder| folder.is_dir());
    add_workers(&mut record, &path, others.map(|folder| folder.join(PRIVATE).join(STORE)))?;
    Ok(Some(record))
}

/// Adds what other workers have counted. Their tests and findings are the first one's as well.
fn add_workers(record: &mut Record, own: &Path, others: impl Iterator<Item = PathBuf>) -> Result<(), ExploreError> {
    let mut paths: Option<FxHashSet<u64>> = None;
    for store in others.filter(|store| store.exists()) {
        let known = match paths.take() {
            Some(known) => known,
            None => Glance::take(own)?.paths.into_iter().collect(),
        };
        let Glance { progress, paths: theirs, .. } = Glance::take(&store)?;
        paths = Some(known.into_iter().chain(theirs).collect());
        let progress = Progress::from_text(progress.as_deref().unwrap_or_default());
        let snapshot = &mut record.snapshot;
        snapshot.counts.add(&progress.counts);
        snapshot.queries.add(&progress.queries);
        snapshot.made_by.iter_mut().zip(progress.made_by).for_each(|(mine, theirs)| mine.add(theirs));
        snapshot.n_waiting += progress.n_waiting;
        record.divergences.extend(progress.divergences);
        record.losses.extend(progress.losses);
    }
    if let Some(paths) = paths {
        record.snapshot.n_paths = paths.len() as u64;
    }
    Ok(())
}

fn record(overview: Overview, user: Option<Option<i32>>) -> Record {
    let progress = Progress::from_text(overview.progress.as_deref().unwrap_or_default());
    let findings: Vec<Finding> = overview.findings.into_iter().filter_map(Finding::from_record).collect();
    let state = match (user, progress.ended.as_deref()) {
        (Some(pid), _) => State::Running { pid },
        (None, None | Some("interrupted")) => State::Interrupted,
        (None, Some(why)) => State::Ended(why.to_owned()),
    };
    let mut tests = [0; Maker::ALL.len()];
    for (maker, count) in &overview.tests {
        tests[Maker::from_text(maker) as usize] += count;
    }
    let (version, is_exhausted) = (progress.version.clone(), progress.is_exhausted);
    let (divergences, losses) = (progress.divergences.clone(), progress.losses.clone());
    let snapshot = Snapshot {
        // Counted in the store itself: it may have more than the last note of the counters.
        tests,
        n_paths: overview.n_paths,
        findings: findings.iter().map(Found::from).collect(),
        ..progress.into_snapshot()
    };
    let (build, n_inputs) = (overview.build, overview.n_inputs);
    Record { state, is_exhausted, version, build, snapshot, divergences, losses, findings, n_inputs }
}
