//! The loop: run, follow, ask, run again.

mod asker;
mod blackbox;
mod cover;
mod directions;
mod diverge;
mod examine;
mod follow;
mod frontiers;
mod goals;
mod imports;
mod known;
mod makers;
mod mutants;
mod parts;
mod questions;
mod reading;
mod results;
mod resume;
mod run;
mod runner;
mod seeds;
mod stretches;
mod strings;
mod tally;
mod team;
#[cfg(test)]
mod tests;
mod time;
mod tokens;
mod uninitialised;
mod unstable;
mod words;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gimlet_exec::heap::Heap;
use gimlet_exec::{ExecError, TargetOptions};
use gimlet_path::PathError;
use gimlet_report::status::Status;
use gimlet_report::Results;
use gimlet_solver::log;
use gimlet_trace::Input;

pub use self::asker::Asker;
use self::cover::Covered;
pub use self::known::Knowledge;
use self::known::Made;
use self::makers::Makers;
use self::questions::Patience;
pub use self::reading::Reading;
pub use self::runner::Runner;
pub use self::seeds::N_SEEDS_MAX;
use self::team::Teamwork;
use self::time::Time;
use self::tokens::TokenUse;
use crate::ask::lengths::Lengths;
use crate::corpus::folder::Folder;
use crate::corpus::{Corpus, Left, Moment, Program};
use crate::error::ExploreError;
use crate::findings::suppress::Rule;
use crate::findings::Finding;
use crate::run::job::{Job, Origin};
use crate::schedule::{Needs, Scheduler, Turn, View};
use crate::spec::StopSpec;
use crate::strategy::plan::Plan;
use crate::strategy::{self, Priority, Task};
use crate::team::Place;
use crate::time::alarm::Alarm;
use crate::work::Work;

/// What the user decides.
#[derive(Clone, Debug)]
pub struct Settings {
    pub strategy: strategy::Kind,
    pub seed: u64,
    pub lengths: Lengths,
    /// Bytes of the longest input with a stretch, where tests get some of themselves; 0 if they do not.
    pub stretch_max: usize,
    /// When it ends, and what time is counted in.
    pub stop: StopSpec,
    /// Findings that nobody is told of.
    pub suppressions: Vec<Rule>,
    /// Where tests go.
    pub out: PathBuf,
    /// Among those that search together.
    pub place: Place,
    /// Whether an earlier search is taken up, and how the program stands to that one's.
    pub resume: Option<Resume>,
    /// A folder of other searches, whose tests are taken over.
    pub sync: Option<PathBuf>,
    pub given: Given,
    /// Where questions to the solver are written, if at all.
    pub log_queries: Option<log::Destination>,
    pub builds: Builds,
    /// Words for mutants.
    pub words: Vec<Vec<u8>>,
    /// Texts that may be in the language that the program reads.
    pub samples: Vec<Vec<u8>>,
}

/// What the program is given.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its sources of input.
    pub layout: Input,
    /// The source that a test with a single file is for.
    pub primary: String,
    /// The seed is made up: what the program does not read of it is no part of any test.
    pub trims_unread: bool,
    /// Longer inputs are run, but not followed, where mutation takes them.
    pub followed_max: usize,
}

/// Builds of the program beside the one that is followed, as far as they are there.
#[derive(Clone, Default, Debug)]
pub struct Builds {
    /// Counts branches.
    pub edges: Option<PathBuf>,
    /// Findings are confirmed on it.
    pub plain: Option<PathBuf>,
    /// Checks accesses to memory. It counts branches as well.
    pub memory: Option<PathBuf>,
    /// Has sanitizers, whose word stands beside each finding.
    pub asan: Option<PathBuf>,
}

/// What is known of the program of an earlier search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resume {
    pub has_same_name: bool,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing is left to ask.
    Complete,
    Budget,
    Idle,
    Found,
    Steps,
    Interrupted,
}

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Of all builds that the search is on.
    pub executions: u64,
    pub mutants: u64,
    pub flips: u64,
    pub divergences: u64,
    pub optimistic: u64,
    /// Symbolic strings that were begun.
    pub strings: u64,
    pub unknown: u64,
    pub duplicates: u64,
    /// Counters that differ between runs of one input.
    pub unstable: u64,
    /// Runs in which the program's scanner returned other tokens than the grammar says.
    pub mismatches: u64,
    /// Runs that ended badly, which no build without labels repeated: they are no findings.
    pub unrepeated: u64,
    pub lost: Lost,
}

/// What was not followed, checked or asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    pub pins: u64,
    /// Dependencies on the input.
    pub dependencies: u64,
    /// Traces that were cut short, or did not follow the program: a full table, a fork.
    pub dropped: u64,
    pub stopped: u64,
    /// Questions that were not asked for want of memory.
    pub forgotten: u64,
    /// Pointers whose object the memory build does not know, in runs of inputs that were kept: accesses through them are not
    /// checked.
    pub unjudged: u64,
}

/// Somebody who wants to know how it goes.
pub trait Watcher {
    /// What is done from now on.
    fn begins(&mut self, work: Work);
    /// Whether it wants to know now how it goes; it is asked between two tasks.
    fn is_due(&self) -> bool;
    /// How it goes.
    fn progress(&mut self, results: Results);
    /// Whether the user wants the search to wait.
    fn is_paused(&self) -> bool {
        false
    }
    /// Returns when the search may go on, with the time that it was made to wait, which counts for no limit.
    fn wait(&mut self) -> Duration {
        Duration::ZERO
    }
    fn found(&mut self, finding: &Finding);
    fn note(&mut self, text: &str);
}

/// Who wants to know nothing.
pub struct Quiet;

impl Watcher for Quiet {
    fn begins(&mut self, _: Work) {}
    fn is_due(&self) -> bool {
        false
    }
    fn progress(&mut self, _: Results) {}
    fn found(&mut self, _: &Finding) {}
    fn note(&mut self, _: &str) {}
}

/// Between two notes of the counters.
const PROGRESS_PAUSE: Duration = Duration::from_millis(200);

/// A search: who runs the program, who asks, what is known, who decides what is next, and who makes inputs.
pub struct Explorer {
    pub settings: Settings,
    pub runner: Runner,
    pub asker: Asker,
    pub known: Knowledge,
    pub scheduler: Scheduler,
    makers: Makers,
    /// Symbolic tokens, if the program's scanner returns any.
    tokens: TokenUse,
    /// Other searches, and other workers of this one.
    team: Teamwork,
    time: Time,
    /// What an earlier search left.
    left: Option<Left>,
    heap: Heap,
    status: Status,
    /// What came of the search, once it has ended.
    last: Option<Results>,
}

impl Explorer {
    pub fn new(
        program: &Path,
        args: &[OsString],
        options: TargetOptions,
        settings: Settings,
    ) -> Result<Explorer, ExploreError> {
        Explorer::of(Runner::new(program, args, options, &settings)?, settings)
    }

    fn of(runner: Runner, settings: Settings) -> Result<Explorer, ExploreError> {
        let (input_bytes_max, interrupt) = (runner.options.limits.input_bytes, runner.options.interrupt);
        let build = runner.build;
        // A worker's folder is prepared by its leader.
        let is_leader = settings.place.share.is_leader();
        if settings.resume.is_none() && is_leader && Folder::is_somebody_elses(&settings.out) {
            return Err(ExploreError::NotEmpty(settings.out.clone()));
        }
        let (corpus, left) = match settings.resume {
            None => (Corpus::create(&settings.out, &settings.given.primary, build)?, None),
            Some(Resume { has_same_name }) => {
                let program = Program { build, has_same_name, layout: settings.given.layout.clone(), input_bytes_max };
                let (corpus, left) = Corpus::resume(&settings.out, &settings.given.primary, &program)?;
                (corpus, Some(left))
            }
        };
        Ok(Explorer {
            status: Status::new(corpus.folder(), corpus.has_plot()),
            last: None,
            team: Teamwork::new(&settings, build, input_bytes_max)?,
            asker: Asker::new(&settings, interrupt),
            known: Knowledge::new(corpus, settings.suppressions.clone()),
            scheduler: Scheduler::new(&needs(&settings)),
            makers: Makers::new(settings.seed),
            tokens: TokenUse::default(),
            time: Time::new(settings.stop.clock.unwrap_or_default()),
            heap: Heap::start(),
            left,
            runner,
            settings,
        })
    }

    /// What this search and those that it takes up have used.
    pub fn elapsed(&self) -> Duration {
        self.time.earlier + self.now()
    }

    fn moment(&self) -> Moment {
        Moment { elapsed: self.elapsed(), n_runs: self.known.counts.executions }
    }

    /// Directions of branches and switches: those taken, and all that there are. Without a build that counts them, only
    /// those that depend on the input are known.
    pub fn coverage(&self) -> (u64, u64) {
        if let Some(Covered { coverage, .. }) = &self.runner.covered {
            return (coverage.branches_covered(), coverage.branches_total());
        }
        let total = self
            .runner
            .target
            .tables()
            .iter()
            .flat_map(|table| &table.sites)
            .map(|site| site.n_counters() as u64)
            .sum();
        (self.known.seen.n_branches() as u64, total)
    }

    /// Explores from the seeds until there is a reason to end. What was found is on disk at any time.
    pub fn explore(&mut self, seeds: Vec<Input>, watcher: &mut dyn Watcher) -> Result<End, ExploreError> {
        self.time.clock.start(self.work());
        let budget =
            self.settings.stop.budget.filter(|_| self.settings.place.share.is_leader() && self.time.clock.is_wall());
        self.time.alarm = budget.zip(self.runner.options.interrupt).map(|(budget, flag)| Alarm::after(budget, flag));
        let end = match self.search(seeds, watcher) {
            Err(ExploreError::Exec(ExecError::Interrupted) | ExploreError::Path(PathError::Stopped)) => {
                Ok(self.end().unwrap_or(End::Interrupted))
            }
            end => end,
        };
        // What others made last is kept in any case, and counted as long as there is time.
        let dismissed = self.dismiss(watcher);
        self.time.alarm = None;
        let written = dismissed.and(self.conclude(end.as_ref().ok().copied()));
        end.and_then(|end| written.map(|()| end))
    }

    fn search(&mut self, seeds: Vec<Input>, watcher: &mut dyn Watcher) -> Result<End, ExploreError> {
        if let Some(left) = self.left.take() {
            self.take_up(left, watcher)?;
            self.known.n_earlier_findings = self.known.findings.all.len();
        }
        self.take_seeds(seeds, watcher)?;
        loop {
            if let Some(end) = self.end() {
                return Ok(end);
            }
            self.synchronise()?;
            self.meet(watcher)?;
            match self.next_turn() {
                Some(turn) => self.do_turn(turn, watcher)?,
                None => {
                    if !self.find_work(watcher)? {
                        return Ok(self.completion());
                    }
                }
            }
            self.note_progress()?;
            self.show(watcher);
        }
    }

    /// What is done next, if there is anything that is worth it.
    fn next_turn(&mut self) -> Option<Turn> {
        if self.is_complete() {
            return None;
        }
        let now = self.now();
        self.hand_over().or_else(|| self.scheduler.next(&View { seen: &self.known.seen, now }))
    }

    /// Does a task. Who wanted it is charged for what it took, and credited with what came of it.
    fn do_turn(&mut self, Turn { source, task }: Turn, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        watcher.begins(Work::of(&task));
        let before = self.tally();
        let done = self.do_task(task, watcher);
        let spent = self.tally().since(&before, self.settings.stop.steps.is_some());
        self.scheduler.spent(source, &spent);
        done
    }

    fn do_task(&mut self, task: Task, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        match task {
            Task::Run(job) if job.origin == Origin::Seed => self.run_seed(job, watcher),
            Task::Run(job) => self.run(job, watcher),
            Task::Expand { run, flips } if self.plan().is_exhaustive => self.expand(run, &flips, Patience::Much),
            Task::Expand { run, flips } => self.expand(run, &flips, Patience::Little),
            Task::Retry(asked) => self.expand(asked.run, &[asked.flip], Patience::Again(asked)),
            Task::Mutate => self.mutate(watcher),
            Task::PressOn => self.press_on(watcher),
            Task::Draw => self.draw(watcher),
            Task::TakeString => self.take_string(watcher),
            Task::Grow => self.grow(),
            Task::Goal => self.follow_goal(watcher),
            Task::Stretch => self.stretch_test(),
            Task::TakeUp(run) => self.take_up_again(run),
        }
    }

    /// Ends a step: what was done is written, and now and then what was counted. What it took is given back.
    fn note_progress(&mut self) -> Result<(), ExploreError> {
        self.heap.tidy();
        self.known.counts.lost.forgotten += self.scheduler.sources.flips.take_forgotten();
        if Instant::now() >= self.time.next_progress {
            let note = self.note(None);
            self.known.corpus.progress(&note);
            self.time.next_progress = Instant::now() + PROGRESS_PAUSE;
        }
        if self.status.is_due(self.known.corpus.n_tests()) {
            self.report()?;
        }
        self.commit_directions();
        self.known.corpus.commit()
    }

    /// Tells other tools how it goes.
    fn report(&mut self) -> Result<(), ExploreError> {
        let results = self.figures();
        let report = self.status.report(&results);
        self.known.corpus.report(report)
    }

    /// What the strategy implies.
    fn plan(&self) -> &Plan {
        &self.scheduler.plan
    }

    fn end(&self) -> Option<End> {
        let settings = &self.settings;
        // What others found is not known to anybody else.
        let leads = settings.place.share.is_leader();
        let is_over =
            |limit: Option<Duration>, since| limit.is_some_and(|limit| self.now().saturating_sub(since) >= limit);
        if self.time.alarm.as_ref().is_some_and(Alarm::has_rung) {
            Some(End::Budget)
        } else if self.runner.is_interrupted() {
            Some(End::Interrupted)
        } else if settings
            .stop
            .steps
            .is_some_and(|steps| self.known.counts.executions - self.time.n_earlier_runs >= steps)
        {
            Some(End::Steps)
        } else if leads
            && settings.stop.found.as_ref().is_some_and(|enough| enough.is_reached(self.known.new_findings()))
        {
            Some(End::Found)
        } else if leads && is_over(settings.stop.budget, Duration::ZERO) {
            Some(End::Budget)
        } else if leads && is_over(settings.stop.idle, self.time.last_kept) {
            Some(End::Idle)
        } else {
            None
        }
    }

    fn offer(&mut self, job: Job) {
        if self.known.corpus.offer(&job) {
            self.scheduler.offer(job, Priority::High);
        } else {
            self.known.counts.duplicates += 1;
        }
    }
}

/// What sources of work may want to know.
fn needs(settings: &Settings) -> Needs {
    let plan = settings.strategy.plan();
    // Not where no clock limits what a long test takes.
    let is_timed = settings.stop.steps.is_none();
    let has_lengths = matches!(settings.lengths, Lengths::Some { .. }) && settings.stretch_max > 0;
    Needs { plan, seed: settings.seed, stretches: plan.stretches && is_timed && has_lengths }
}
