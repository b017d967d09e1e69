//! What the stores of a folder know of their search, also while that goes on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gimlet_store::{Glance, Overview, SqliteStore, Store, StoreError};

use crate::directions::KnownBranch;
use crate::finding::Finding;
use crate::maker::{Maker, TestCounts};
use crate::note::Note;
use crate::results::{Known, State};

impl Known {
    /// Reads the store of a search, and those of the workers that it led. `user` is the process that works on it, if there
    /// is one; the inner `None` if nobody can say which.
    pub fn read(store: &Path, others: &[PathBuf], user: Option<Option<i32>>) -> Result<Known, StoreError> {
        let overview = SqliteStore::open_to_read(store, user.is_none())?.overview()?;
        let glances = others.iter().map(|other| Glance::take(other)).collect::<Result<Vec<Glance>, StoreError>>()?;
        let n_paths = match glances.as_slice() {
            [] => overview.n_paths,
            glances => {
                let own = Glance::take(store)?.paths;
                let of_others = glances.iter().flat_map(|glance| &glance.paths);
                own.iter().chain(of_others).collect::<BTreeSet<_>>().len() as u64
            }
        };
        Ok(Known { n_paths, ..known(overview, &glances, user) })
    }
}

fn known(overview: Overview, others: &[Glance], user: Option<Option<i32>>) -> Known {
    let note = Note::from_text(overview.progress.as_deref().unwrap_or_default());
    let mut tests = TestCounts::default();
    overview.tests.iter().for_each(|(maker, n_tests)| tests.add(Maker::from_text(maker), *n_tests));
    let of_others = |signature: u64| -> u64 {
        let findings = others.iter().flat_map(|glance| &glance.findings);
        findings.filter(|finding| finding.signature == signature).map(|finding| finding.n_runs).sum()
    };
    let finding = |record: gimlet_store::Finding| {
        let n_runs = record.n_runs + of_others(record.signature);
        Some(Finding { n_runs, ..Finding::from_record(record)? })
    };
    let other = |glance: &Glance| Note::from_text(glance.progress.as_deref().unwrap_or_default());
    Known {
        state: State::new(user, note.ending.ended.as_deref()),
        build: overview.build,
        note,
        others: others.iter().map(other).collect(),
        tests,
        n_paths: overview.n_paths,
        n_inputs: Some(overview.n_inputs),
        findings: overview.findings.into_iter().filter_map(finding).collect(),
        branches: branches(&overview.branches),
        others_branches: others.iter().map(|glance| branches(&glance.branches)).collect(),
    }
}

/// Branches as a store has them.
pub fn branches(texts: &[String]) -> Vec<KnownBranch> {
    texts.iter().filter_map(|text| KnownBranch::from_text(text)).collect()
}

#[cfg(test)]
mod tests {
    use gimlet_store::{Change, Kept};
    use gimlet_trace::Input;

    use super::*;
    use crate::results::Results;

    fn finding(n_runs: u64) -> Change {
        Change::Found(gimlet_store::Finding {
            id: 0,
            kind: "abort".into(),
            signature: 9,
            run: None,
            stack: r#"[["main","a.c",3,true]]"#.into(),
            shown_by: 1,
            input: Input::stdin("x"),
            path: "crashes/id:000000".into(),
            n_runs,
            ended: "was killed".into(),
        })
    }

    fn progress(n_runs: u64) -> Change {
        let mut note = Note::default();
        note.counts.runs.executions = n_runs;
        note.ending.ended = Some("steps".into());
        Change::Progress(note.to_text())
    }

    #[test]
    fn stores_of_all_workers_are_read() {
        let scratch = tempfile::tempdir().unwrap();
        let [own, other] = ["own", "other"].map(|name| scratch.path().join(name));
        let input = Input::stdin("x");
        let kept = Kept { number: 0, name: "id:000000".into() };
        let kept = Change::Kept { id: 1, input, maker: "flip,string:3".into(), kept };
        let branch = |is_symbolic| KnownBranch { file: "a.c".into(), line: 3, is_symbolic, ..KnownBranch::default() };
        let branch =
            |is_symbolic| Change::Branch { place: "a.c:3".into(), known: KnownBranch::to_text(&branch(is_symbolic)) };
        let mut store = SqliteStore::open(&own, u64::MAX).unwrap();
        store.commit(&[Change::Path(1), Change::Path(2), finding(3), kept, progress(10), branch(false)]).unwrap();
        let mut mate = SqliteStore::open(&other, u64::MAX).unwrap();
        mate.commit(&[Change::Path(2), Change::Path(3), finding(4), progress(5), branch(true)]).unwrap();
        drop((store, mate));
        let alone = Results::from(Known::read(&own, &[], None).unwrap());
        assert_eq!((alone.state, alone.corpus.n_paths, alone.findings[0].n_runs), (State::Ended, 2, 3));
        assert_eq!((alone.corpus.tests.of(Maker::Flip), alone.corpus.n_inputs), (1, Some(1)));
        assert_eq!(alone.branches.iter().map(|branch| branch.is_symbolic).collect::<Vec<_>>(), [false]);
        assert_eq!((alone.about.build, alone.runs.executions), (u64::MAX, 10));
        let both = Results::from(Known::read(&own, &[other], Some(Some(7))).unwrap());
        assert_eq!((both.state, both.ending.ended), (State::Running { pid: Some(7) }, None));
        assert_eq!((both.runs.executions, both.corpus.n_paths, both.findings[0].n_runs), (15, 3, 7));
        assert_eq!(both.branches.iter().map(|branch| branch.is_symbolic).collect::<Vec<_>>(), [true]);
        assert!(Known::read(&scratch.path().join("none"), &[], None).is_err());
    }
}
