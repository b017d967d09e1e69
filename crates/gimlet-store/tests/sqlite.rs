//! A store in a file: what is committed comes back, what fails leaves no trace.

use std::fs;
use std::path::{Path, PathBuf};

use gimlet_store::{
    Aim, Change, Finding, History, InputId, Kept, Overview, Record, SqliteStore, State, Store, StoreError, Verdict,
    TEAM,
};
use gimlet_trace::Input;
use proptest::prelude::*;

const BUILD: u64 = u64::MAX - 5;

struct Scratch {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn scratch() -> Scratch {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    Scratch { _folder: folder, path }
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, BUILD).unwrap()
}

fn made(id: InputId) -> Record {
    Record {
        id,
        input: Input::stdin(id.to_le_bytes()),
        maker: "flip".into(),
        parent: Some(u64::MAX),
        bound: 7,
        aim: Some(Aim { step: 6, way: Some((2, u64::MAX)) }),
        state: State::Waiting,
        kept: None,
    }
}

fn ran(id: InputId, run: u64, is_closed: bool) -> Change {
    Change::Ran { id, became: id, input: Input::stdin(id.to_le_bytes()), run, bound: 3, is_closed }
}

fn kept(id: InputId, number: u64) -> Change {
    let kept = Kept { number, name: format!("id:{number:06}") };
    Change::Kept { id, input: Input::stdin(id.to_le_bytes()), maker: "flip".into(), kept }
}

fn branch(place: &str, known: &str) -> Change {
    Change::Branch { place: place.into(), known: known.into() }
}

/// A store of an earlier version is read as it is, also where nothing may be written, and goes on with what it lacks.
#[test]
fn a_store_without_branches_is_good() {
    let scratch = scratch();
    drop(open(&scratch.path));
    let connection = rusqlite::Connection::open(&scratch.path).unwrap();
    connection.execute_batch("DROP TABLE branches").unwrap();
    drop(connection);
    let mut earlier = SqliteStore::open_to_read(&scratch.path, true).unwrap();
    assert!(earlier.overview().unwrap().branches.is_empty() && earlier.history().unwrap().branches.is_empty());
    assert!(gimlet_store::Glance::take(&scratch.path).unwrap().branches.is_empty());
    drop(earlier);
    let mut store = open(&scratch.path);
    store.commit(&[branch("a.c:3", "x")]).unwrap();
    assert_eq!(store.overview().unwrap().branches, ["x"]);
}

#[test]
fn what_a_teammate_leaves_to_this_search_waits_for_it() {
    let scratch = scratch();
    let mut store = open(&scratch.path);
    let of_team = |id, number| {
        let kept = Kept { number, name: format!("id:{number:06}") };
        let input = Input::stdin(InputId::to_le_bytes(id));
        Change::Kept { id, input, maker: format!("{TEAM}worker1,src:000003"), kept }
    };
    let own = [kept(2, 1), ran(2, 0, false), ran(3, 1, true), Change::Given { run: 1 }, ran(4, 2, true)];
    store.commit(&own).unwrap();
    store.commit(&[of_team(1, 0), kept(3, 2), kept(4, 3)]).unwrap();
    let history = store.history().unwrap();
    assert_eq!((history.open, history.records.len()), (vec![0], 4));
    assert!(history.records.iter().all(|record| record.id != 3 || record.state == State::Closed { run: 1 }));
    // What it gave away or only knew waits now; what it asks about itself does not.
    let taken = |id| Change::Taken(Record { maker: "earlier".into(), parent: None, aim: None, ..made(id) });
    store.commit(&[1, 2, 3, 4, 5].map(taken)).unwrap();
    let mut records = store.history().unwrap().records;
    records.sort_by_key(|record| record.id);
    let states: Vec<(InputId, State, u64)> =
        records.iter().map(|record| (record.id, record.state, record.bound)).collect();
    let waiting = |id| (id, State::Waiting, 7);
    let expected =
        [waiting(1), (2, State::Open { run: 0 }, 3), waiting(3), (4, State::Closed { run: 2 }, 3), waiting(5)];
    assert_eq!(states, expected);
    assert_eq!(records[0].maker, "earlier");
    assert_eq!(records.iter().filter(|record| record.kept.is_some()).count(), 4);
}

fn finding(id: u64) -> Finding {
    Finding {
        id,
        kind: "abort".into(),
        signature: u64::MAX,
        run: Some(2),
        stack: "[]".into(),
        shown_by: 5,
        input: Input::stdin("x"),
        path: "crashes/x".into(),
        n_runs: 1,
        ended: "badly".into(),
    }
}

#[test]
fn what_is_committed_comes_back() {
    let scratch = scratch();
    let mut store = open(&scratch.path);
    store.commit(&[Change::Made(made(1)), Change::Made(made(2)), Change::Made(made(3))]).unwrap();
    let asked = Change::Asked { question: u64::MAX, verdict: Verdict::Deferred, layer: Some(3) };
    store.commit(&[kept(1, 0), ran(1, 10, false), ran(2, 11, true), Change::Path(u64::MAX), asked]).unwrap();
    let found = [Change::Found(finding(0)), Change::FoundAgain { id: 0, n_runs: 5 }];
    store.commit(&found).unwrap();
    let synced = Change::Synced { member: "main".into(), last: 12 };
    store.commit(&[synced, Change::Progress("{}".into()), branch("a.c:3", "x"), branch("a.c:7", "y")]).unwrap();
    store.commit(&[branch("a.c:3", "z")]).unwrap();
    drop(store);

    let mut store = open(&scratch.path);
    let test = Record {
        bound: 3,
        state: State::Open { run: 10 },
        kept: Some(Kept { number: 0, name: "id:000000".into() }),
        ..made(1)
    };
    let expected = History {
        build: BUILD,
        progress: Some("{}".into()),
        known: vec![1, 2, 3],
        records: vec![test.clone(), made(3)],
        open: vec![10],
        next_run: 12,
        paths: vec![u64::MAX],
        findings: vec![Finding { n_runs: 5, ..finding(0) }],
        synced: vec![("main".into(), 12)],
        branches: vec!["z".into(), "y".into()],
    };
    assert_eq!(store.history().unwrap(), expected);
    assert_eq!(store.run(10).unwrap(), Some(test));
    assert_eq!(store.run(99).unwrap(), None);
    assert_eq!(store.verdicts(&[1, u64::MAX]).unwrap(), [None, Some(Verdict::Deferred)]);
    store.commit(&[Change::Closed { run: 10 }]).unwrap();
    assert!(store.history().unwrap().open.is_empty());
}

#[test]
fn others_can_look_at_it_meanwhile() {
    let scratch = scratch();
    let mut store = open(&scratch.path);
    store.commit(&[Change::Made(made(1)), Change::Made(made(2)), Change::Made(made(3))]).unwrap();
    store.commit(&[kept(1, 0), ran(1, 10, false), Change::Path(7), Change::Progress("{}".into())]).unwrap();
    let mut reader = SqliteStore::open_to_read(&scratch.path, false).unwrap();
    let overview = reader.overview().unwrap();
    let expected = Overview {
        build: BUILD,
        progress: Some("{}".into()),
        n_inputs: 3,
        n_waiting: 2,
        n_open: 1,
        tests: vec![("flip".into(), 1)],
        n_paths: 1,
        findings: Vec::new(),
        branches: Vec::new(),
    };
    assert_eq!(overview, expected);
    store.commit(&[kept(2, 1), Change::Found(finding(0))]).unwrap();
    let overview = reader.overview().unwrap();
    assert_eq!((overview.tests, overview.findings), (vec![("flip".into(), 2)], vec![finding(0)]));
    // The solver's input waited when somebody else made a test of it.
    let Change::Kept { id, input, maker, kept } = kept(3, 2) else { panic!("it was kept") };
    let kept = Kept { name: "id:000002,sync:worker1,src:000004,time:7,execs:9,op:havoc".into(), ..kept };
    store.commit(&[Change::Kept { id, input, maker, kept }]).unwrap();
    assert_eq!(reader.overview().unwrap().tests, [("flip".into(), 2), ("havoc".into(), 1)]);
    assert!(reader.commit(&[Change::Path(8)]).is_err());
    drop(store);
    assert_eq!(SqliteStore::open_to_read(&scratch.path, true).unwrap().overview().unwrap().n_inputs, 3);
}

#[test]
fn a_store_can_be_read_where_nothing_can_be_written() {
    let scratch = scratch();
    open(&scratch.path).commit(&[Change::Made(made(1))]).unwrap();
    let folder = scratch.path.parent().unwrap();
    let other = folder.join("a %?#b.sqlite");
    fs::copy(&scratch.path, &other).unwrap();
    // A folder in the place of a file that SQLite would make.
    fs::create_dir(folder.join("a %?#b.sqlite-shm")).unwrap();
    assert_eq!(SqliteStore::open_to_read(&other, true).unwrap().overview().unwrap().n_inputs, 1);
}

#[test]
fn an_input_can_become_another() {
    let scratch = scratch();
    let mut store = open(&scratch.path);
    let became = Change::Ran { id: 1, became: 2, input: Input::stdin("more"), run: 0, bound: 5, is_closed: false };
    store.commit(&[Change::Made(made(1)), kept(2, 0), became]).unwrap();
    let history = store.history().unwrap();
    assert_eq!(history.known, [1, 2]);
    let expected = Record {
        id: 2,
        input: Input::stdin("more"),
        bound: 5,
        state: State::Open { run: 0 },
        kept: Some(Kept { number: 0, name: "id:000000".into() }),
        ..made(1)
    };
    assert_eq!(history.records, [expected]);
}

#[test]
fn another_build_forgets_what_was_run() {
    let scratch = scratch();
    let mut store = open(&scratch.path);
    let changes = [
        Change::Made(made(1)),
        Change::Made(made(2)),
        Change::Made(made(3)),
        kept(1, 0),
        ran(1, 0, true),
        ran(2, 1, false),
        Change::Path(5),
        Change::Asked { question: 5, verdict: Verdict::Sat, layer: None },
        Change::Found(finding(0)),
        branch("a.c:3", "x"),
    ];
    store.commit(&changes).unwrap();
    store.forget_runs(6).unwrap();
    let history = store.history().unwrap();
    assert_eq!((history.build, history.known), (6, vec![1, 3]));
    assert!(history.records.iter().all(|record| record.state == State::Waiting && record.bound == 0));
    assert!(history.paths.is_empty() && history.findings.is_empty() && history.open.is_empty());
    assert!(history.branches.is_empty());
    assert_eq!(store.verdicts(&[5]).unwrap(), [None]);
}

/// A commit that fails half way (two tests of one number) leaves nothing behind.
#[test]
fn a_step_is_whole_or_is_not() {
    let scratch = scratch();
    let mut store = open(&scratch.path);
    store.commit(&[kept(1, 0)]).unwrap();
    let before = store.history().unwrap();
    assert!(store.commit(&[Change::Made(made(2)), Change::Path(3), kept(4, 0)]).is_err());
    assert_eq!(store.history().unwrap(), before);
    store.commit(&[Change::Made(made(2))]).unwrap();
}

/// The journal is cut anywhere, as if the process or the machine had stopped there: the store is intact, and is what it
/// was after some commit.
#[test]
fn a_journal_that_ends_anywhere_is_good() {
    let scratch = scratch();
    let mut store = open(&scratch.path);
    let mut histories = vec![store.history().unwrap()];
    for id in 0..6 {
        store.commit(&[Change::Made(made(id)), Change::Path(id as u64)]).unwrap();
        histories.push(store.history().unwrap());
    }
    let journal = scratch.path.with_extension("sqlite-wal");
    let (main, whole) = (fs::read(&scratch.path).unwrap(), fs::read(&journal).unwrap());
    drop(store);
    let mut n_seen = 0;
    for len in (0..whole.len()).step_by(997) {
        let again = self::scratch();
        fs::write(&again.path, &main).unwrap();
        fs::write(again.path.with_extension("sqlite-wal"), &whole[..len]).unwrap();
        let history = open(&again.path).history().unwrap();
        let at = histories.iter().position(|known| *known == history).expect("a history that never was");
        n_seen = n_seen.max(at);
    }
    assert!(n_seen > 2, "the journal has nothing in it");
}

#[test]
fn what_is_no_store_is_refused() {
    let scratch = scratch();
    fs::write(&scratch.path, [b'x'; 5000]).unwrap();
    assert!(matches!(SqliteStore::open(&scratch.path, 1), Err(StoreError::Damaged { .. })));
    fs::remove_file(&scratch.path).unwrap();
    fs::create_dir(&scratch.path).unwrap();
    assert!(matches!(SqliteStore::open(&scratch.path, 1), Err(StoreError::Write { .. })));
}

#[test]
fn another_format_is_refused() {
    let scratch = scratch();
    drop(open(&scratch.path));
    let mut bytes = fs::read(&scratch.path).unwrap();
    // The user version of a database, at its place in the header.
    bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
    fs::write(&scratch.path, bytes).unwrap();
    let error = SqliteStore::open(&scratch.path, 1).unwrap_err();
    assert!(matches!(&error, StoreError::Format { found, .. } if found == "99"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Damage to the file is an error or goes unnoticed, and never ends in a panic.
    #[test]
    fn damage_never_panics(at in 100usize..40_000, byte: u8) {
        let scratch = scratch();
        let mut store = open(&scratch.path);
        let changes = (0..40).flat_map(|id| [Change::Made(made(id)), ran(id, id as u64, false), kept(id, id as u64)]);
        store.commit(&changes.collect::<Vec<_>>()).unwrap();
        drop(store);
        let mut bytes = fs::read(&scratch.path).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        fs::write(&scratch.path, bytes).unwrap();
        if let Ok(mut store) = SqliteStore::open(&scratch.path, BUILD) {
            let _ = store.history();
            let _ = store.overview();
            let _ = store.run(3);
            let _ = store.commit(&[Change::Made(made(77))]);
        }
    }
}
