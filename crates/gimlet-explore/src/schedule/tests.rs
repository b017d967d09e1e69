//! The scheduler without a program: who has turns, whatever tasks take and find.

use std::collections::BTreeMap;
use std::time::Duration;

use gimlet_path::Direction;
use gimlet_trace::Input;
use rustc_hash::FxHashSet;

use super::*;
use crate::run::job::{Job, RunId};
use crate::run::walk::{Level, Stop, Walk};
use crate::strategy::{Flip, Kind};

pub fn needs() -> Needs {
    needs_of(Kind::Hybrid)
}

fn needs_of(kind: Kind) -> Needs {
    Needs { plan: kind.plan(), seed: 1, stretches: kind.plan().stretches }
}

/// A scheduler whose tasks take what a table says.
struct Search {
    scheduler: Scheduler,
    seen: Seen,
    seconds: f64,
    next_run: RunId,
    n_inputs: usize,
    /// What each source had, in seconds, and its last turn.
    had: BTreeMap<&'static str, f64>,
    last: BTreeMap<&'static str, f64>,
}

impl Search {
    fn new(kind: Kind) -> Search {
        Search {
            scheduler: Scheduler::new(&needs_of(kind)),
            seen: Seen::default(),
            seconds: 0.0,
            next_run: 0,
            n_inputs: 0,
            had: BTreeMap::new(),
            last: BTreeMap::new(),
        }
    }

    fn input(&mut self) -> Input {
        self.n_inputs += 1;
        Input::stdin(format!("{}", self.n_inputs))
    }

    fn offer(&mut self, origin: Origin) {
        let input = self.input();
        self.scheduler.offer(Job::of(input, origin), Priority::High);
    }

    /// A run with so many branches that could have gone elsewhere, each at a site of its own.
    fn ran(&mut self, n_branches: usize) {
        let (run, mut walk) = (self.next_run, Walk::default());
        walk.prefixes.push(0);
        for step in 0..n_branches {
            let site = (run * 1000 + step) as u32;
            walk.stops.push(Stop::of_branch(site, Direction::True, Direction::False));
            walk.prefixes.push(u64::from(site));
        }
        self.next_run += 1;
        let ran = Ran {
            run,
            walk: &walk,
            bound: 0,
            brought: Some(Level::Site),
            n_new: n_branches,
            is_landmark: true,
            rarest_branch: None,
            origin: Origin::Seed,
            took: Duration::ZERO,
            asked: &FxHashSet::default(),
        };
        self.scheduler.ran(&ran, &self.seen);
    }

    /// One turn; the source that had it.
    fn turn(&mut self, cost: impl Fn(&str) -> Spent) -> Option<(&'static str, Task)> {
        let now = Duration::from_secs_f64(self.seconds);
        let Turn { source, task } = self.scheduler.next(&View { seen: &self.seen, now })?;
        let name = self.scheduler.sources.get(source).name();
        let spent = cost(name);
        self.seconds += spent.seconds;
        *self.had.entry(name).or_default() += spent.seconds;
        self.last.insert(name, self.seconds);
        self.scheduler.spent(source, &spent);
        Some((name, task))
    }
}

fn spent(seconds: f64, n_branches: u64) -> Spent {
    Spent { seconds, n_runs: 1, n_branches, n_tests: n_branches, ..Spent::default() }
}

#[test]
fn seeds_come_first_and_are_nobodys_merit() {
    let mut search = Search::new(Kind::Hybrid);
    search.offer(Origin::Word { parent: 0, name: None });
    search.offer(Origin::Seed);
    search.offer(Origin::Seed);
    let names: Vec<&str> = (0..3).filter_map(|_| Some(search.turn(|_| spent(1.0, 50))?.0)).collect();
    assert_eq!(names[..2], ["seeds", "seeds"]);
    assert_ne!(names[2], "seeds");
}

/// A program whose traces take half a second, while mutants find tests all the time: traces of those must not keep the
/// solver from its questions.
#[test]
fn the_solver_does_not_fall_silent_while_questions_wait() {
    let mut search = Search::new(Kind::Hybrid);
    let (mut last_question, mut longest) = (0.0f64, 0.0f64);
    while search.seconds < 300.0 {
        let cost = |name: &str| match name {
            "mutants" => spent(0.03, 2),
            "imports" => Spent { n_directions: 5, ..spent(0.5, 0) },
            _ => spent(0.05, 0),
        };
        match search.turn(cost) {
            Some(("mutants", _)) => {
                for _ in 0..2 {
                    search.offer(Origin::Mutant { source: None, n_covered: 1, is_grafted: false });
                }
            }
            Some((_, Task::Run(_))) => search.ran(20),
            Some((_, Task::Expand { .. })) => {
                longest = longest.max(search.seconds - last_question);
                last_question = search.seconds;
            }
            turn => assert!(turn.is_some(), "nothing to do at {}", search.seconds),
        }
    }
    assert!(longest < 10.0, "{longest} s without a question: {:?}", search.had);
    assert!(search.scheduler.sources.imports.n_waiting() > 1000, "there were not many to follow");
    assert!(search.had["imports"] > 20.0 && search.had["mutants"] > 50.0, "{:?}", search.had);
}

#[test]
fn each_source_with_work_has_turns() {
    let mut search = Search::new(Kind::Hybrid);
    let flip = |step| Flip { step, direction: None };
    search.ran(10);
    for number in 0..2000 {
        search.offer(Origin::Word { parent: 0, name: None });
        search.offer(Origin::Mutant { source: None, n_covered: number % 2, is_grafted: false });
        search.scheduler.sources.hard.add(0, flip(number as usize), number);
        search.scheduler.sources.postponed.add(0, vec![flip(number as usize)]);
        let input = search.input();
        search.scheduler.sources.stretches.note(&input, false);
    }
    while search.seconds < 100.0 {
        // Nobody brings anything but words, and questions that were too hard take very long.
        let cost = |name: &str| match name {
            "words" => spent(0.1, 10),
            "hard" => spent(5.0, 0),
            _ => spent(0.1, 0),
        };
        match search.turn(cost) {
            Some((_, Task::Stretch)) => drop(search.scheduler.sources.stretches.next_turn()),
            Some(("flips", _)) => search.ran(10),
            _ => {}
        }
    }
    for name in ["words", "flips", "imports", "postponed", "stretches", "hard", "mutants"] {
        let (had, last) = (search.had.get(name).copied().unwrap_or(0.0), search.last[name]);
        assert!(had > 1.0 && last > 60.0, "{name} had {had} s, the last at {last}: {:?}", search.had);
    }
    assert!(search.had["hard"] < 20.0, "{:?}", search.had);
}

#[test]
fn what_mutants_found_is_not_run_where_nothing_is_asked() {
    let mut search = Search::new(Kind::Mutation);
    search.offer(Origin::Mutant { source: None, n_covered: 1, is_grafted: false });
    assert_eq!(search.scheduler.n_waiting(), 0);
    search.offer(Origin::Length { parent: 0, n_covered: None });
    assert_eq!(search.scheduler.n_waiting(), 1);
    assert_eq!(search.scheduler.n_idle_mutants(), None);
}

#[test]
fn an_input_that_waits_is_something_to_do() {
    let mut search = Search::new(Kind::Hybrid);
    let mutants = |_: &str| Spent { n_runs: 10, ..spent(1.0, 0) };
    assert_eq!(search.turn(mutants).unwrap().0, "mutants");
    assert_eq!(search.scheduler.n_idle_mutants(), Some(10));
    // A question that was put off had an answer.
    search.offer(Origin::Length { parent: 0, n_covered: None });
    assert_eq!(search.scheduler.n_idle_mutants(), None);
    let (name, task) = search.turn(mutants).unwrap();
    assert!(name == "flips" && matches!(task, Task::Run(_)), "{name} {task:?}");
    assert_eq!(search.scheduler.n_idle_mutants(), Some(10));
}

#[test]
fn runs_of_an_earlier_search_wait_until_nothing_else_is_left() {
    let mut search = Search::new(Kind::Dfs);
    search.scheduler.sources.backlog.fill(vec![7, 8]);
    search.offer(Origin::Seed);
    let tasks: Vec<Task> = (0..3).filter_map(|_| Some(search.turn(|_| spent(0.1, 0))?.1)).collect();
    assert!(matches!(tasks[..], [Task::Run(_), Task::TakeUp(8), Task::TakeUp(7)]), "{tasks:?}");
    assert!(search.turn(|_| spent(0.1, 0)).is_none());
}

#[test]
fn who_cannot_mutate_is_not_asked_again() {
    let mut search = Search::new(Kind::Hybrid);
    assert_eq!(search.turn(|_| Spent::default()).unwrap().0, "mutants");
    assert!(search.turn(|_| Spent::default()).is_none());
}

#[test]
fn depth_first_has_its_own_order_of_seeds() {
    let mut search = Search::new(Kind::Dfs);
    search.offer(Origin::Seed);
    search.offer(Origin::Seed);
    let Some((_, Task::Run(job))) = search.turn(|_| spent(0.1, 0)) else { panic!("seeds wait") };
    assert_eq!(job.input, Input::stdin("2"));
}

#[test]
fn time_that_earlier_searches_took_is_told_and_not_held_against_anybody() {
    let mut search = Search::new(Kind::Hybrid);
    search.scheduler.restore(|name| (name == "flips").then(|| spent(1000.0, 3)));
    let flips = search.scheduler.had().find(|had| had.name == "flips").unwrap();
    assert_eq!((flips.side, flips.spent.n_branches, flips.n_waiting), (Side::Symbolic, 3, 0));
    search.offer(Origin::Length { parent: 0, n_covered: None });
    search.scheduler.sources.hard.add(0, Flip { step: 0, direction: None }, 1);
    let names: Vec<&str> = (0..3).filter_map(|_| Some(search.turn(|_| spent(0.1, 0))?.0)).collect();
    assert!(names.contains(&"flips"), "{names:?}");
}

#[test]
fn sources_have_names_of_their_own_and_room_for_all() {
    let scheduler = Scheduler::new(&needs());
    let names: FxHashSet<&str> = scheduler.had().map(|had| had.name).collect();
    assert_eq!(names.len(), Sources::N);
    let seen = Seen::default();
    for now in [0, 100].map(Duration::from_secs) {
        for side in Side::ALL {
            let of_side = (0..Sources::N).map(|number| scheduler.sources.get(number)).filter(|it| it.side() == side);
            let least = of_side.map(|source| match source.turns(&View { seen: &seen, now }) {
                Turns::Shared { least, most } => {
                    assert!(0.0 < least && least <= most && most <= 1.0, "{}", source.name());
                    least
                }
                Turns::First | Turns::OfWhole | Turns::Spare => 0.0,
            });
            let sum: f64 = least.sum();
            // Mutants and drawn inputs are never in one search.
            assert!(sum < 1.0 || side == Side::Mutation && sum <= 1.0, "{side:?} {sum}");
        }
    }
}
