//! Which questions are asked next, and how much is spent on each.

use std::time::{Duration, Instant};

use gimlet_exec::watch::{is_interrupted, Interrupt};
use gimlet_solver::Config;
use gimlet_store::Verdict;

use super::{Asker, Explorer, Settings};
use crate::ask::expand::{Asking, Expanded, Followed, Optimism};
use crate::corpus::Answered;
use crate::error::ExploreError;
use crate::run::job::RunId;
use crate::schedule::{name_of_question, HardQuestion};
use crate::strategy::{Flip, Ordered};

/// A solver has at least so long, even if the time is over.
pub(super) const SHORTEST_KILL: Duration = Duration::from_millis(10);

/// A first attempt at a question takes some milliseconds, and where there is other work never longer than this.
pub(super) const LONGEST_FIRST_ATTEMPT: Duration = Duration::from_millis(300);

/// All questions about a run together take no longer before something else has its turn, or as long as the run took.
const LONGEST_EXPANSION: Duration = Duration::from_secs(2);

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
    Again(HardQuestion),
}

impl Explorer {
    /// Asks about flips of a run; what the solver finds is offered to the search.
    pub(super) fn expand(&mut self, run: RunId, flips: &[Flip], patience: Patience) -> Result<(), ExploreError> {
        let turn = Turn::begin(self, patience);
        let Some(mut followed) = self.path_of(run)? else { return Ok(()) };
        let (flips, put_off) = self.choose_flips(&followed, flips, patience);
        let start = Instant::now();
        let (expanded, is_killed) = self.ask(&mut followed, &flips, &turn);
        self.time.symbolic.asking += start.elapsed().as_secs_f64();
        let Expanded { jobs, optimistic, unknown, answers, rest } = expanded;
        let is_asked = rest.is_empty();
        match turn.is_of_string {
            true if is_asked => {}
            true => self.scheduler.sources.flips.take_back(run, followed.walk.string, rest),
            false if turn.is_sliced => {
                self.known.counts.lost.forgotten += self.scheduler.sources.postponed.add(run, rest);
            }
            false => {}
        }
        let answers = self.note_answers(&followed, answers, Missed { unknown, put_off, is_killed }, &turn);
        let bound = self.known.runs.made.get(&run).map_or(followed.bound, |made| made.bound);
        self.known.corpus.asked(run, &followed.walk, bound, &answers);
        self.note_goals(&followed, &answers);
        self.note_asked(&followed, &answers, patience);
        for job in jobs {
            if followed.walk.has_tokens {
                self.offer_sentence(job)?;
            } else {
                self.offer(job);
            }
        }
        for job in optimistic {
            self.import(job.input, job.origin)?;
        }
        if self.plan().is_exhaustive && is_asked {
            // It has been asked everything.
            self.known.runs.made.remove(&run);
        } else {
            self.known.runs.keep(followed);
        }
        Ok(())
    }

    /// The path of a run; it is made again if it is no longer there.
    fn path_of(&mut self, run: RunId) -> Result<Option<Followed>, ExploreError> {
        if let Some(followed) = self.known.runs.take(run) {
            return Ok(Some(followed));
        }
        match self.known.runs.made.get(&run).cloned() {
            Some(made) => self.follow(run, &made),
            None => Ok(None),
        }
    }

    /// The flips that are asked now, and those that are known to be too hard for it.
    fn choose_flips(&mut self, followed: &Followed, flips: &[Flip], patience: Patience) -> (Vec<Flip>, Vec<Flip>) {
        let n_steps = followed.path.steps.len();
        let n_wanted = flips.len();
        let flips: Vec<Flip> = flips.iter().copied().filter(|flip| flip.step < n_steps).collect();
        // The program was run again, and ended earlier: it is not deterministic.
        self.known.counts.lost.dropped += u64::from(flips.len() < n_wanted);
        if patience != Patience::Little || !self.hurries() {
            return (flips, Vec::new());
        }
        flips
            .into_iter()
            .partition(|&flip| !self.scheduler.sources.hard.is_known(name_of_question(&followed.walk, flip)))
    }

    /// Asks the solver; whether the clock ended one of the questions.
    fn ask(&mut self, followed: &mut Followed, flips: &[Flip], turn: &Turn) -> (Expanded, bool) {
        let (deadline, interrupt) = (self.deadline(), self.runner.options.interrupt);
        let is_stopped = || is_interrupted(interrupt) || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let longest = match turn.patience {
            Patience::Little => LONGEST_FIRST_ATTEMPT,
            Patience::Much => Duration::MAX,
            Patience::Again(asked) => asked.limit(),
        };
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).max(SHORTEST_KILL));
        let limit = left.into_iter().chain((self.hurries() && self.is_timed()).then_some(longest)).min();
        // Whether a optimistic input is good for anything, counters say at once.
        let is_optimistic = self.plan().is_optimistic && self.runner.covered.is_some();
        let optimism = match turn.patience {
            Patience::Little => is_optimistic.then_some(Optimism::WhereImpossible),
            Patience::Much => None,
            Patience::Again(asked) => asked.is_first_attempt().then_some(Optimism::WhereTooHard),
        };
        let Asker { chain, patient, optimistic, joint, .. } = &mut self.asker;
        let chain = if turn.patience == Patience::Little { chain } else { patient };
        if let Some(limit) = limit {
            [&mut *chain, &mut *optimistic, &mut *joint].into_iter().for_each(|chain| chain.kill_after(limit));
        }
        let n_killed = chain.stats().n_killed;
        let language = self.tokens.language.as_mut().filter(|_| followed.walk.has_tokens);
        let mut asking = Asking {
            chain,
            optimistic: optimism.map(|optimism| (optimistic, optimism)),
            joint: language.map(|language| (language, joint)),
            primary: &self.settings.given.primary,
            lengths: self.settings.lengths,
            seen: &mut self.known.seen,
            is_stopped: &is_stopped,
            slice: turn.is_sliced.then(|| LONGEST_EXPANSION.max(turn.start.elapsed())),
            end: None,
        };
        let expanded = followed.expand(flips, &mut asking);
        let is_killed = asking.chain.stats().n_killed > n_killed;
        (expanded, is_killed)
    }

    /// Notes what has an answer, what was too hard and what is asked again; gives what is to be stored.
    fn note_answers(
        &mut self,
        followed: &Followed,
        mut answers: Vec<Answered>,
        missed: Missed,
        turn: &Turn,
    ) -> Vec<Answered> {
        let Missed { unknown, put_off, is_killed } = missed;
        let (walk, patience) = (&followed.walk, turn.patience);
        for answered in &answers {
            let has_answer = answered.verdict != Verdict::Unknown;
            self.scheduler.sources.hard.tried(
                name_of_question(walk, answered.flip),
                patience == Patience::Little,
                has_answer,
            );
        }
        for &flip in &put_off {
            if let Some(Ordered(direction)) = flip.direction {
                self.known.seen.ask(&walk.stops[flip.step], direction);
            }
            answers.push(Answered { flip, verdict: Verdict::Deferred, layer: None });
        }
        let is_asked_again = match patience {
            Patience::Little => {
                for &flip in unknown.iter().chain(&put_off) {
                    let is_wanted = self.scheduler.sources.hard.add(followed.run, flip, name_of_question(walk, flip));
                    self.known.counts.unknown += u64::from(!is_wanted);
                }
                true
            }
            Patience::Much => false,
            Patience::Again(asked) => {
                !unknown.is_empty() && is_killed && self.hurries() && self.scheduler.sources.hard.add_again(asked)
            }
        };
        if is_asked_again {
            let unknown = answers.iter_mut().filter(|answered| answered.verdict == Verdict::Unknown);
            unknown.for_each(|answered| answered.verdict = Verdict::Deferred);
        } else {
            self.known.counts.unknown += unknown.len() as u64;
        }
        answers
    }
}

/// Questions about one run.
struct Turn {
    patience: Patience,
    /// When it began, by the wall clock, which limits single questions.
    start: Instant,
    /// What is left of a long expansion waits for the next turn of its string,
    is_of_string: bool,
    /// or for others.
    is_sliced: bool,
}

impl Turn {
    fn begin(explorer: &Explorer, patience: Patience) -> Turn {
        let is_of_string = explorer.plan().only_strings && explorer.is_timed();
        let hurries = patience == Patience::Little && explorer.hurries();
        Turn {
            patience,
            start: Instant::now(),
            is_of_string,
            is_sliced: explorer.is_timed() && (hurries || is_of_string),
        }
    }
}

/// Flips without an answer.
struct Missed {
    unknown: Vec<Flip>,
    /// They are known to be too hard, and were not asked.
    put_off: Vec<Flip>,
    /// The clock ended some question.
    is_killed: bool,
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
    if !settings.strategy.plan().is_exhaustive {
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
