//! A search as plain data: what it notes in its store, and its results.
//!
//! This is the only place that reads the search for anybody else. While it runs, results are made of its values; once it
//! has ended they are made of its last note, as those are that are read from its folder.

use std::fs;

use gimlet_report::note::{
    self, About, Corpus, Doubts, Ending, Kinds, Note, Runs, Stability, Suppressed, Time, Tokens,
};
use gimlet_report::{Effort, Known, LayerFigures, Queries, Results, State};
use gimlet_solver::Stats;

use super::{Asker, Counts, End, Explorer, Lost, Watcher};
use crate::ask::lengths::Lengths;
use crate::error::ExploreError;
use crate::schedule::{Had, Side, Spent};

impl End {
    pub fn name(self) -> &'static str {
        match self {
            End::Complete => "complete",
            End::Budget => "budget",
            End::Idle => "idle",
            End::Found => "found",
            End::Steps => "steps",
            End::Interrupted => "interrupted",
        }
    }
}

impl Explorer {
    /// What came of the search so far, or in the end, of all workers.
    pub fn results(&self) -> Results {
        match &self.last {
            Some(results) => results.clone(),
            None => self.with_branches(self.known_now()).into(),
        }
    }

    /// The same without what is known of each branch, for those who look often.
    pub(super) fn figures(&self) -> Results {
        self.known_now().into()
    }

    fn known_now(&self) -> Known {
        let user = Some(Some(std::process::id() as i32));
        self.known(State::new(user, None), self.note(None), None)
    }

    /// Notes for the last time, writes what is left, and says what came of it.
    pub(super) fn conclude(&mut self, end: Option<End>) -> Result<(), ExploreError> {
        self.commit_directions();
        let note = self.note(end);
        self.known.corpus.progress(&note);
        let reported = if self.known.corpus.n_tests() > 0 { self.report() } else { Ok(()) };
        let n_inputs = self.known.corpus.n_inputs();
        let written = self.known.corpus.finish();
        // Numbers as they are read.
        let note = Note::from_text(&note.to_text());
        let state = State::new(None, note.ending.ended.as_deref());
        let n_known = n_inputs.as_ref().ok().copied().flatten();
        self.last = Some(self.with_branches(self.known(state, note, n_known)).into());
        written.and(n_inputs.map(drop)).and(reported)
    }

    fn known(&self, state: State, note: Note, n_inputs: Option<u64>) -> Known {
        let finding = |it| gimlet_report::Finding { n_runs: self.n_runs(it), ..gimlet_report::Finding::from(it) };
        Known {
            state,
            build: self.runner.build,
            note,
            others: self.others_notes().cloned().collect(),
            tests: self.known.corpus.tests_by_maker(),
            n_paths: (self.known.seen.n_paths() + self.n_other_paths()) as u64,
            n_inputs,
            findings: self.known.findings.all.iter().map(finding).collect(),
            ..Known::default()
        }
    }

    fn with_branches(&self, known: Known) -> Known {
        Known { branches: self.branches(), others_branches: self.others_branches(), ..known }
    }

    /// What this worker notes of itself, and of those that it takes up.
    pub(super) fn note(&self, end: Option<End>) -> Note {
        let effort = |had: Had| {
            let Spent { seconds, n_runs, n_branches, n_tests, n_directions: _ } = had.spent;
            let (name, side) = (had.name.to_owned(), had.side.name().to_owned());
            Effort { name, side, seconds, n_runs, n_branches, n_tests, n_waiting: had.n_waiting as u64 }
        };
        let suppressed =
            self.known.suppressions.all().map(|(rule, n_runs)| Suppressed { rule: rule.to_string(), n_runs });
        let (unstable, _) = self.instability();
        let (n_asked, n_pruned) = self.token_questions();
        let left = self.settings.stop.budget.map(|budget| budget.saturating_sub(self.now()));
        Note {
            about: self.about(),
            ending: self.ending(end),
            time: Time::new(self.elapsed(), left, self.now().saturating_sub(self.time.last_new)),
            corpus: Corpus {
                tests: self.known.corpus.tests_by_maker(),
                n_paths: self.known.seen.n_paths() as u64,
                n_waiting: self.scheduler.n_waiting() as u64,
                n_inputs: None,
            },
            branches: self.coverage(),
            counts: note::Counts::from(&self.known.counts),
            kinds: Kinds {
                divergences: self.known.divergences.clone(),
                losses: self.known.losses.clone(),
                suppressed: suppressed.collect(),
            },
            queries: self.asker.queries(self.scheduler.sources.hard.n_again()),
            parts: self.parts(),
            symbolic: self.time.symbolic,
            efforts: self.scheduler.had().filter(Had::is_worth_a_line).map(effort).collect(),
            stability: Stability {
                stability: self.makers.mutation.as_ref().map(|mutation| mutation.stability()),
                calls: if unstable.is_empty() && self.known.counts.divergences == 0 {
                    Vec::new()
                } else {
                    self.unstable_calls().to_vec()
                },
                unstable,
            },
            tokens: Tokens { n_asked, n_pruned },
        }
    }

    fn about(&self) -> About {
        let program = self.runner.target.program();
        let program = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
        About {
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            build: self.runner.build,
            program: program.to_string_lossy().into_owned(),
            args: self.runner.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect(),
            strategy: self.settings.strategy.name().to_owned(),
            seed: self.settings.seed,
            jobs: self.settings.place.share.n_workers,
            timeout_ms: self.runner.options.limits.timeout_ms,
        }
    }

    fn ending(&self, end: Option<End>) -> Ending {
        let remarks = self.doubt_about_strings().into_iter().chain(self.doubts_about_tokens());
        match end {
            Some(end) => Ending {
                ended: Some(end.name().to_owned()),
                is_exhausted: self.is_exhausted(end),
                doubts: if end == End::Complete { self.doubts() } else { Vec::new() },
                remarks: remarks.collect(),
            },
            None => Ending { remarks: remarks.collect(), ..Ending::default() },
        }
    }

    /// True if everything has been asked, and nothing on any path is uncertain.
    fn is_exhausted(&self, end: End) -> bool {
        end == End::Complete && self.doubts().is_empty()
    }

    /// Why a search that has nothing left to ask may still have missed something.
    fn doubts(&self) -> Vec<String> {
        let mut counts = note::Counts::from(&self.known.counts);
        self.others_notes().for_each(|other| counts.add(&other.counts));
        let mut doubts = counts.uncertainties();
        if let Lengths::Some { .. } = self.settings.lengths {
            doubts.push("not all lengths were tried".to_owned());
        }
        doubts
    }

    /// Lets somebody see how it goes. If that takes its time, it is at the user's wish: no clock has seen it.
    pub(super) fn show(&mut self, watcher: &mut dyn Watcher) {
        if !watcher.is_due() {
            return;
        }
        watcher.progress(self.figures());
        let is_paused = watcher.is_paused();
        if is_paused {
            self.pause_team(true);
        }
        let waited = watcher.wait();
        if is_paused {
            self.pause_team(false);
        }
        self.time.clock.wait(waited);
    }

    /// A test or finding is kept.
    pub(super) fn note_kept(&mut self) {
        let now = self.now();
        (self.time.last_new, self.time.last_kept) = (now, now);
    }

    /// Goes on from what an earlier search counted.
    pub(super) fn restore(&mut self, note: Note, next_run: u64) {
        self.time.earlier = note.time.elapsed();
        self.time.symbolic = note.symbolic;
        self.asker.earlier_queries = note.queries;
        self.known.counts = Counts::from(&note.counts);
        if let Some(parts) = &note.parts {
            self.take_up_parts(&parts.counts);
        }
        self.scheduler.restore(|name| {
            // Earlier versions had one source on each side.
            let earlier = match name {
                "mutants" => Side::Mutation.name(),
                "flips" => Side::Symbolic.name(),
                _ => name,
            };
            let efforts = || note.efforts.iter();
            let effort = efforts().find(|it| it.name == name).or_else(|| efforts().find(|it| it.name == earlier))?;
            let &Effort { seconds, n_runs, n_branches, n_tests, .. } = effort;
            Some(Spent { seconds, n_runs, n_branches, n_tests, n_directions: 0 })
        });
        // Runs may have been noted after the counters were.
        self.known.counts.executions = self.known.counts.executions.max(next_run);
        self.known.losses = note.kinds.losses;
        self.known.divergences = note.kinds.divergences;
    }
}

impl Asker {
    /// What all chains were asked, here and in earlier searches.
    pub(super) fn queries(&self, n_again: u64) -> Queries {
        let asked = Chains {
            first: self.chain.stats(),
            joint: self.joint.stats(),
            patient: self.patient.stats(),
            optimistic: self.optimistic.stats(),
            n_again,
        };
        let mut queries = figures(&asked.sum());
        queries.add(&self.earlier_queries);
        queries
    }
}

/// What the chains of a search were asked.
struct Chains<'a> {
    /// First attempts.
    first: &'a Stats,
    /// Tokens and bytes at once, beside first and later attempts.
    joint: &'a Stats,
    /// Later attempts.
    patient: &'a Stats,
    /// Questions without what comes before them, which are others.
    optimistic: &'a Stats,
    /// Later attempts that are followed by another.
    n_again: u64,
}

impl Chains<'_> {
    /// All of it. Where an attempt had no answer the question is asked again, or its last attempt says that it is too hard:
    /// it counts once.
    fn sum(&self) -> Stats {
        let mut sum = Stats::default();
        [self.first, self.joint, self.patient, self.optimistic].into_iter().for_each(|stats| sum.add(stats));
        let n_followed = self.first.n_unknown + self.joint.n_unknown + self.n_again;
        sum.n_unknown -= sum.n_unknown.min(n_followed);
        sum.n_total = sum.n_sat + sum.n_unsat + sum.n_unknown;
        sum
    }
}

fn figures(stats: &Stats) -> Queries {
    let layers = stats.layers().map(|(layer, stats)| LayerFigures {
        name: layer.name().to_owned(),
        n_asked: stats.n_asked,
        n_sat: stats.n_sat,
        n_unsat: stats.n_unsat,
        seconds: stats.time.as_secs_f64(),
    });
    Queries {
        n_total: stats.n_total,
        n_sat: stats.n_sat,
        n_unsat: stats.n_unsat,
        n_unknown: stats.n_unknown,
        n_killed: stats.n_killed,
        n_rejected: stats.n_rejected,
        layers: layers.collect(),
    }
}

impl From<&Counts> for note::Counts {
    fn from(counts: &Counts) -> note::Counts {
        note::Counts {
            runs: Runs {
                executions: counts.executions,
                mutants: counts.mutants,
                flips: counts.flips,
                optimistic: counts.optimistic,
                strings: counts.strings,
                duplicates: counts.duplicates,
            },
            doubts: Doubts {
                pins: counts.lost.pins,
                losses: counts.lost.dependencies,
                divergences: counts.divergences,
                dropped: counts.lost.dropped,
                stopped: counts.lost.stopped,
                unknown: counts.unknown,
                forgotten: counts.lost.forgotten,
                unstable: counts.unstable,
                mismatches: counts.mismatches,
                unjudged: counts.lost.unjudged,
                unrepeated: counts.unrepeated,
            },
        }
    }
}

impl From<&note::Counts> for Counts {
    fn from(note::Counts { runs, doubts }: &note::Counts) -> Counts {
        Counts {
            executions: runs.executions,
            mutants: runs.mutants,
            flips: runs.flips,
            optimistic: runs.optimistic,
            strings: runs.strings,
            duplicates: runs.duplicates,
            divergences: doubts.divergences,
            unknown: doubts.unknown,
            unstable: doubts.unstable,
            mismatches: doubts.mismatches,
            unrepeated: doubts.unrepeated,
            lost: Lost {
                pins: doubts.pins,
                dependencies: doubts.losses,
                dropped: doubts.dropped,
                stopped: doubts.stopped,
                forgotten: doubts.forgotten,
                unjudged: doubts.unjudged,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(n_sat: u64, n_unsat: u64, n_unknown: u64) -> Stats {
        let mut stats = Stats::default();
        (stats.n_sat, stats.n_unsat, stats.n_unknown) = (n_sat, n_unsat, n_unknown);
        stats.n_total = n_sat + n_unsat + n_unknown;
        stats
    }

    #[test]
    fn all_chains_count_and_second_attempts_do_not_count_twice() {
        // Of five that were too hard at first, three have been asked again: one has an answer, one is given up, and one is
        // asked a third time.
        let (first, patient) = (stats(10, 20, 5), stats(1, 0, 2));
        let (joint, optimistic) = (stats(3, 4, 2), stats(5, 6, 1));
        let asked = Chains { first: &first, joint: &joint, patient: &patient, optimistic: &optimistic, n_again: 1 };
        let sum = asked.sum();
        assert_eq!((sum.n_sat, sum.n_unsat, sum.n_unknown), (19, 30, 2));
        assert_eq!(sum.n_total, 51);
        let nothing = Stats::default();
        let asked = Chains { first: &first, joint: &nothing, patient: &nothing, optimistic: &nothing, n_again: 0 };
        assert_eq!(asked.sum().n_unknown, 0);
    }

    #[test]
    fn counts_come_back() {
        let mut counts = Counts { executions: 1, duplicates: 2, unrepeated: 3, ..Counts::default() };
        (counts.lost.pins, counts.mismatches) = (4, 5);
        assert_eq!(Counts::from(&note::Counts::from(&counts)), counts);
    }
}
