//! The loop with a program that is a function: no compiler, no processes.

mod fake;

use std::collections::BTreeSet;
use std::fs;

use gimlet_exec::TargetOptions;
use gimlet_trace::node::Op;
use gimlet_trace::Input;

use self::fake::{Fake, Folder, Machine, Program};
use super::*;
use crate::strategy::Kind;
use crate::time::clock;

fn settings(kind: Kind, folder: &Folder) -> Settings {
    let out = folder.out();
    Settings {
        strategy: kind,
        seed: 1,
        lengths: Lengths::Fixed,
        stretch_max: 0,
        stop: StopSpec { steps: Some(500), clock: Some(clock::Kind::Work), ..StopSpec::default() },
        suppressions: Vec::new(),
        place: Place::alone(&out),
        out,
        resume: None,
        sync: None,
        given: Given {
            layout: Input::stdin(""),
            primary: "stdin".to_owned(),
            trims_unread: false,
            followed_max: 1 << 14,
        },
        log_queries: None,
        builds: Builds::default(),
        words: Vec::new(),
        samples: Vec::new(),
    }
}

/// A search that ends after so many runs.
fn after(steps: Option<u64>, settings: Settings) -> Settings {
    Settings { stop: StopSpec { steps, ..settings.stop.clone() }, ..settings }
}

fn explorer(program: Program, settings: Settings) -> Explorer {
    let runner = Runner::of(Box::new(Fake { program }), &[], TargetOptions::default(), &settings);
    Explorer::of(runner.expect("nothing is needed to run it"), settings).expect("the folder is new")
}

/// Searches from seeds; how it ended, with the search.
fn search(program: Program, settings: Settings, seeds: &[&str]) -> (End, Explorer) {
    let mut explorer = explorer(program, settings);
    let end = explorer.explore(seeds.iter().map(|seed| Input::stdin(*seed)).collect(), &mut Quiet);
    (end.expect("the search comes to its end"), explorer)
}

/// All tests, by what is in them.
fn tests(folder: &Folder) -> Vec<Vec<u8>> {
    let files = fs::read_dir(folder.out().join("queue")).expect("there is a queue");
    let paths = files.map(|file| file.expect("it can be read").path()).filter(|path| path.is_file());
    let mut all: Vec<Vec<u8>> = paths.map(|path| fs::read(path).expect("it can be read")).collect();
    all.sort();
    all
}

/// Three branches, of which the second is met only behind one side of the first.
fn three(machine: &mut Machine) {
    let (first, second) = (machine.byte(0), machine.byte(1));
    if machine.branch(1, Op::Ult, first, 10) {
        machine.branch(2, Op::Eq, second, b'x');
    }
    let sum = machine.plus(first, second);
    machine.branch(3, Op::Eq, sum, 7);
}

/// Behind three bytes that have to be right.
fn lock(machine: &mut Machine) {
    for (at, key) in b"gim".iter().enumerate() {
        let byte = machine.byte(at);
        if !machine.branch(at as u32, Op::Eq, byte, *key) {
            return;
        }
    }
    let byte = machine.byte(3);
    machine.branch(9, Op::Ult, byte, 4);
}

/// It decides by something that nobody is told of.
fn liar(machine: &mut Machine) {
    let (first, second) = (machine.byte(0), machine.byte(1));
    if machine.secret(0) == b'!' {
        machine.branch(1, Op::Eq, second, 1);
    } else {
        machine.branch(2, Op::Eq, first, b'!');
    }
}

#[test]
fn depth_first_takes_each_path_once() {
    let folder = Folder::new();
    let (end, explorer) = search(three, settings(Kind::Dfs, &folder), &["ab"]);
    // Where the first is below 10 and the second is x, the sum can be 7 no more: x is 120, and 10 + 120 < 256 + 7.
    let results = explorer.results();
    assert_eq!((end, results.ending.is_exhausted), (End::Complete, true));
    assert_eq!((results.corpus.n_paths, tests(&folder).len()), (5, 5));
    assert_eq!(results.runs.executions, 5);
    let [sat, unsat] = [results.queries.n_sat, results.queries.n_unsat];
    assert_eq!((sat, unsat, results.queries.n_unknown), (4, 1, 0));
}

#[test]
fn every_strategy_opens_the_lock() {
    for kind in [Kind::Dfs, Kind::Generational, Kind::Random, Kind::Hybrid] {
        let folder = Folder::new();
        let (_, explorer) = search(lock, settings(kind, &folder), &["...."]);
        let opened: BTreeSet<bool> =
            tests(&folder).iter().filter_map(|test| Some(test.strip_prefix(b"gim")?[0] < 4)).collect();
        assert_eq!(opened.len(), 2, "{kind}: {:?}", tests(&folder));
        assert_eq!(explorer.results().corpus.n_paths, 5, "{kind}");
    }
}

#[test]
fn a_run_that_goes_elsewhere_is_a_divergence() {
    let folder = Folder::new();
    let (end, explorer) = search(liar, settings(Kind::Dfs, &folder), &["ab"]);
    let results = explorer.results();
    assert_eq!((end, results.ending.is_exhausted, results.doubts.divergences), (End::Complete, false, 1));
    assert!(results.ending.doubts.iter().any(|doubt| doubt.contains("went elsewhere")), "{:?}", results.ending.doubts);
}

#[test]
fn the_same_seed_gives_the_same_tests() {
    for kind in [Kind::Generational, Kind::Random, Kind::Hybrid, Kind::Dfs] {
        let run = || {
            let folder = Folder::new();
            let settings = after(Some(4), settings(kind, &folder));
            let (end, explorer) = search(lock, settings, &["....", "g..."]);
            assert_eq!((end, explorer.results().runs.executions), (End::Steps, 4), "{kind}");
            tests(&folder)
        };
        assert_eq!(run(), run(), "{kind}");
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_where_it_was() {
    let (whole, parts) = (Folder::new(), Folder::new());
    search(three, settings(Kind::Dfs, &whole), &["ab"]);
    let first = after(Some(2), settings(Kind::Dfs, &parts));
    let (end, explorer) = search(three, first, &["ab"]);
    assert_eq!((end, explorer.results().corpus.n_paths), (End::Steps, 2));
    drop(explorer);
    let resume = Some(Resume { has_same_name: true });
    let second = Settings { resume, ..settings(Kind::Dfs, &parts) };
    let (end, explorer) = search(three, second, &[]);
    assert_eq!((end, explorer.results().corpus.n_paths), (End::Complete, 5));
    assert_eq!(tests(&parts), tests(&whole));
}

#[test]
fn each_run_and_each_second_is_somebodys() {
    let folder = Folder::new();
    let (_, explorer) = search(lock, settings(Kind::Hybrid, &folder), &["....", "gi.."]);
    let results = explorer.results();
    let n_runs: u64 = results.efforts.iter().map(|effort| effort.n_runs).sum();
    let seconds: f64 = results.efforts.iter().map(|effort| effort.seconds).sum();
    assert_eq!(n_runs, results.runs.executions);
    assert!((seconds - results.time.seconds).abs() < 1e-6, "{seconds} of {}", results.time.seconds);
    assert_eq!(results.corpus.n_waiting, 0, "{:?}", results.efforts);
}

#[test]
fn a_search_ends_with_its_budget_of_work() {
    let folder = Folder::new();
    let budget = Some(Duration::from_millis(35));
    let mut settings = after(None, settings(Kind::Dfs, &folder));
    settings.stop.budget = budget;
    let (end, explorer) = search(lock, settings, &["...."]);
    // A traced run is taken to last 10 ms, a question 1 ms.
    assert_eq!((end, explorer.results().runs.executions), (End::Budget, 4));
}
