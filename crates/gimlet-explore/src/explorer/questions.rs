//! Which questions are asked next, and how much is spent on each.

use std::time::{Duration, Instant};

use gimlet_exec::watch::Interrupt;
use gimlet_solver::Config;
use gimlet_store::Verdict;

use super::{Explorer, Settings};
use crate::corpus::Answered;
use crate::error::ExploreError;
use crate::expand::{Asking, Optimism};
use crate::hard::{self, Asked, Measure};
use crate::job::RunId;
use crate::strategy::{self, Flip, Ordered, Side, Task};

/// A solver has at least so long, even if the time is over.
pub(super) const SHORTEST_KILL: Duration = Duration::from_millis(10);

/// A first attempt at a question takes some milliseconds, and where there is other work never longer than this.
pub(super) const LONGEST_FIRST_ATTEMPT: Duration = Duration::from_millis(300);

/// All questions about a run together take no longer before something else has its turn, or as long as the run took.
const LONGEST_EXPANSION: Duration = Duration::from_secs(2);

/// Flips that were put off and are remembered, 32 bytes each.
const N_UNASKED_MAX: usize = 500_000;

/// Variables of a circuit for a first attempt: more take longer to make than the attempt is worth.
const N_QUICK_VARIABLES: usize = 200_000;

/// The same for terms of Z3's.
const N_QUICK_TERMS: usize = 100_000;

/// Pairs of bytes that are changed where a first attempt failed: all of 64 bytes.
const N_PAIRS: usize = 2016;

/// How much is spent on a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Patience {
    Little,
    /// All that it takes, at the only attempt.
    Much,
    /// For a question that was too hard.
    Again(Asked),
}

impl Explorer {
    /// What the strategy wants, and now and then something that was too hard before.
    pub(super) fn next_task(&mut self) -> Option<(Task, Patience)> {
        if self.pursuits.is_turn(self.counts.executions - self.n_earlier_runs) {
            return Some((Task::Pursue, Patience::Little));
        }
        let measure = if self.hurries() { Measure::Time(self.asking()) } else { Measure::Expansions };
        let is_turn = self.hard.is_turn(measure) || !self.hard.is_empty() && self.strategy.is_out_of_questions();
        let task = match is_turn {
            true => None,
            false if self.strategy.is_out_of_questions() && !self.unasked.is_empty() => self.take_unasked(),
            false => {
                let task = self.gift().or_else(|| self.strategy.next(&self.seen));
                self.alternate(task)
            }
        };
        let Some(task) = task else {
            let Some(asked) = self.hard.next() else {
                return (self.pursuits.len() > 0).then_some((Task::Pursue, Patience::Little));
            };
            return Some((Task::Expand { run: asked.run, flips: vec![asked.flip] }, Patience::Again(asked)));
        };
        if matches!(task, Task::Expand { .. }) {
            self.hard.wait();
        }
        Some((task, if self.is_exhaustive() { Patience::Much } else { Patience::Little }))
    }

    /// Where the strategy has a question, every second time it is one that was put off.
    fn alternate(&mut self, task: Option<Task>) -> Option<Task> {
        match task {
            Some(Task::Expand { run, flips }) if self.is_turn_of_unasked && !self.unasked.is_empty() => {
                self.is_turn_of_unasked = false;
                let unasked = self.take_unasked();
                // The strategy's own comes next.
                self.n_unasked += flips.len();
                self.unasked.push_front((run, flips));
                unasked
            }
            Some(task) => {
                self.is_turn_of_unasked |= matches!(task, Task::Expand { .. });
                Some(task)
            }
            None => self.take_unasked(),
        }
    }

    fn take_unasked(&mut self) -> Option<Task> {
        let (run, flips) = self.unasked.pop_front()?;
        self.n_unasked -= flips.len();
        Some(Task::Expand { run, flips })
    }

    /// Remembers what was not asked any more; the last of it is forgotten where that is too much.
    fn put_off(&mut self, run: RunId, mut flips: Vec<Flip>) {
        let n_room = N_UNASKED_MAX.saturating_sub(self.n_unasked);
        self.counts.forgotten += flips.len().saturating_sub(n_room) as u64;
        flips.truncate(n_room);
        flips.shrink_to_fit();
        if !flips.is_empty() {
            self.n_unasked += flips.len();
            self.unasked.push_back((run, flips));
        }
    }

    /// What symbolic execution has taken.
    fn asking(&self) -> Duration {
        Duration::from_secs_f64(self.made_by[Side::Symbolic as usize].seconds)
    }

    pub(super) fn expand(&mut self, run: RunId, flips: &[Flip], patience: Patience) -> Result<(), ExploreError> {
        let (start, begun) = (Instant::now(), self.now());
        let mut followed = match self.kept.remove(&run) {
            Some(followed) => {
                self.n_kept_nodes -= followed.path.dag.len();
                followed
            }
            None => {
                let Some(made) = self.made.get(&run) else { return Ok(()) };
                let made = made.clone();
                match self.follow(run, &made)? {
                    Some(followed) => followed,
                    None => return Ok(()),
                }
            }
        };
        let n_steps = followed.path.steps.len();
        let n_wanted = flips.len();
        let mut flips: Vec<Flip> = flips.iter().copied().filter(|flip| flip.step < n_steps).collect();
        // The program was run again, and ended earlier: it is not deterministic.
        self.counts.dropped += u64::from(flips.len() < n_wanted);
        let mut put_off = Vec::new();
        if patience == Patience::Little && self.hurries() {
            (put_off, flips) =
                flips.into_iter().partition(|&flip| self.hard.is_known(hard::name(&followed.walk, flip)));
        }
        let deadline = self.deadline();
        let interrupt = self.options.interrupt;
        // What is left of a long expansion waits for the next turn of its string, or for others.
        let is_of_turn = self.settings.strategy == strategy::Kind::Cese && self.is_timed();
        let is_sliced = self.is_timed() && (patience == Patience::Little && self.hurries() || is_of_turn);
        let slice = is_sliced.then(|| LONGEST_EXPANSION.max(start.elapsed()));
        let is_stopped = || {
            gimlet_exec::watch::is_interrupted(interrupt) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        let longest = match patience {
            Patience::Little => LONGEST_FIRST_ATTEMPT,
            Patience::Much => Duration::MAX,
            Patience::Again(asked) => asked.limit(),
        };
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).max(SHORTEST_KILL));
        let limit = left.into_iter().chain((self.hurries() && self.is_timed()).then_some(longest)).min();
        // Whether a bold input is good for anything, counters say at once.
        let is_bold = self.settings.strategy == strategy::Kind::Hybrid && self.covered.is_some();
        let optimism = match patience {
            Patience::Little => is_bold.then_some(Optimism::WhereImpossible),
            Patience::Much => None,
            Patience::Again(asked) => asked.is_first_attempt().then_some(Optimism::WhereTooHard),
        };
        let chain = if patience == Patience::Little { &mut self.chain } else { &mut self.patient };
        if let Some(limit) = limit {
            chain.kill_after(limit);
            self.optimist.kill_after(limit);
            self.joint.kill_after(limit);
        }
        let n_killed = chain.stats().n_killed;
        let optimist = optimism.map(|optimism| (&mut self.optimist, optimism));
        let language = self.language.as_mut().filter(|_| followed.walk.has_tokens);
        let joint = language.map(|language| (language, &mut self.joint));
        let mut asking = Asking {
            chain,
            optimist,
            joint,
            primary: &self.settings.primary,
            lengths: self.settings.lengths,
            seen: &mut self.seen,
            is_stopped: &is_stopped,
            slice,
            end: None,
        };
        let expanded = followed.expand(&flips, &mut asking);
        let is_killed = asking.chain.stats().n_killed > n_killed;
        let is_asked = expanded.rest.is_empty();
        match is_of_turn {
            true if is_asked => {}
            true => self.strategy.take_back(run, followed.walk.string, expanded.rest),
            false if is_sliced => self.put_off(run, expanded.rest),
            false => {}
        }
        let mut answers = expanded.answers;
        for answered in &answers {
            let has_answer = answered.verdict != Verdict::Unknown;
            self.hard.tried(hard::name(&followed.walk, answered.flip), patience == Patience::Little, has_answer);
        }
        for &flip in &put_off {
            if let Some(Ordered(direction)) = flip.direction {
                self.seen.ask(&followed.walk.stops[flip.step], direction);
            }
            answers.push(Answered { flip, verdict: Verdict::Deferred, layer: None });
        }
        let is_asked_again = match patience {
            Patience::Little => {
                for &flip in expanded.unknown.iter().chain(&put_off) {
                    let is_wanted = self.hard.add(run, flip, hard::name(&followed.walk, flip));
                    self.counts.unknown += u64::from(!is_wanted);
                }
                true
            }
            Patience::Much => false,
            Patience::Again(asked) => {
                self.hard.took(self.now() - begun);
                !expanded.unknown.is_empty() && is_killed && self.hurries() && self.hard.add_again(asked)
            }
        };
        if is_asked_again {
            let unknown = answers.iter_mut().filter(|answered| answered.verdict == Verdict::Unknown);
            unknown.for_each(|answered| answered.verdict = Verdict::Deferred);
        } else {
            self.counts.unknown += expanded.unknown.len() as u64;
        }
        let bound = self.made.get(&run).map_or(followed.bound, |made| made.bound);
        self.corpus.asked(run, &followed.walk, bound, &answers);
        self.note_goals(&followed, &answers);
        for job in expanded.jobs {
            if followed.walk.has_tokens {
                self.offer_sentence(job)?;
            } else {
                self.offer(job);
            }
        }
        for job in expanded.bold {
            self.import(job.input, job.origin)?;
        }
        if self.is_exhaustive() && is_asked {
            // It has been asked everything.
            self.made.remove(&run);
        } else {
            self.keep(followed);
        }
        Ok(())
    }
}

/// Limits for a first attempt: some milliseconds.
pub(super) fn quick_config(settings: &Settings, stop: Interrupt) -> Config {
    let mut config = solver_config(settings, stop);
    config.n_variables_max = N_QUICK_VARIABLES;
    config.conflict_limits = vec![200, 1000];
    config.rlimits = vec![100_000];
    config.n_terms_max = N_QUICK_TERMS;
    config
}

/// Where every question is asked once, it is asked, and logged, here; otherwise they have been logged before.
pub(super) fn patient_config(settings: &Settings, stop: Interrupt) -> Config {
    let mut config = solver_config(settings, stop);
    if !settings.strategy.is_exhaustive() {
        config.log_queries = None;
        config.n_pairs_max = N_PAIRS;
    }
    config
}

fn solver_config(settings: &Settings, stop: Interrupt) -> Config {
    let mut config = Config { stop, ..Config::default() };
    config.log_queries.clone_from(&settings.log_queries);
    config
}
