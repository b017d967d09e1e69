//! What runs and answers say of directions of branches.

use std::path::PathBuf;

use gimlet_exec::coverage::Coverage;
use gimlet_exec::EdgesRun;
use gimlet_path::Place;
use gimlet_report::directions::Hidden;
use gimlet_report::KnownBranch;
use gimlet_trace::event::{PinReason, TallyKind};
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Trace};
use rustc_hash::FxHashMap;

use super::diverge::lost;
use super::questions::Patience;
use super::Explorer;
use crate::ask::expand::Followed;
use crate::corpus::{content, Answered};
use crate::run::directions::Directions;
use crate::run::job::Expectation;
use crate::strategy::Ordered;

impl Explorer {
    fn with_directions(&mut self, work: impl FnOnce(&mut Directions, &Coverage)) {
        if let Some(covered) = &self.runner.covered {
            return work(&mut self.known.directions, &covered.coverage);
        }
        let target = &self.runner.target;
        let coverage =
            self.runner.uncounted.get_or_insert_with(|| Coverage::of_sites(target.tables().iter().map(|it| &**it)));
        self.known.directions.is_uncounted = true;
        work(&mut self.known.directions, coverage);
    }

    /// An input was counted.
    pub(super) fn note_taken(&mut self, input: &Input) {
        self.with_directions(|directions, coverage| directions.take(coverage, || content(input)));
    }

    /// A run was followed, and counted if there are counters.
    pub(super) fn note_followed(&mut self, followed: &Followed, counted: Option<&EdgesRun>) {
        if let Some(covered) = &mut self.runner.covered {
            // Those of shared objects are known once they are loaded.
            covered.coverage.add_sites(followed.trace.tables.iter().map(|table| &**table));
        }
        let Followed { trace, walk, .. } = followed;
        // What stays as it is here may be otherwise elsewhere.
        let is_confined = followed.freedom.is_some();
        let is_whole = !walk.has_tokens && counted.is_some_and(|run| is_whole(trace, run.outcome));
        self.with_directions(|directions, coverage| {
            directions.learn(coverage);
            directions.walk(coverage, &trace.modules, &walk.stops, |stop| is_confined || !stop.others.is_empty());
            match counted.filter(|_| is_whole) {
                Some(run) => directions.follow(coverage, &run.counters, content(&trace.input)),
                None if directions.is_uncounted => {
                    directions.take_walk(coverage, &trace.modules, &walk.stops, content(&trace.input));
                }
                None => {}
            }
            note_hidden(directions, followed);
        });
    }

    /// Questions were answered.
    pub(super) fn note_asked(&mut self, followed: &Followed, answers: &[Answered], patience: Patience) {
        let is_again = matches!(patience, Patience::Again(_));
        let modules = &followed.trace.modules;
        self.with_directions(|directions, coverage| {
            for Answered { flip, verdict, .. } in answers {
                let (Some(Ordered(direction)), Some(stop)) = (flip.direction, followed.walk.stops.get(flip.step))
                else {
                    continue;
                };
                if !stop.is_model {
                    directions.ask(coverage, modules, (stop.site, direction), (*verdict, is_again));
                }
            }
        });
    }

    /// A run did not do what its input was made for.
    pub(super) fn note_diverged(&mut self, expectation: &Expectation, followed: &Followed) {
        let Some(stop) = expectation.walk.stops.get(expectation.step).filter(|stop| !stop.is_model) else { return };
        let Some(direction) = expectation.direction else { return };
        self.with_directions(|directions, coverage| {
            directions.diverge(coverage, &followed.trace.modules, (stop.site, direction));
        });
    }

    /// Tells the store what is new.
    pub(super) fn commit_directions(&mut self) {
        self.with_directions(Directions::learn);
        let (directions, corpus) = (&mut self.known.directions, &mut self.known.corpus);
        let findings = &self.known.findings.all;
        let n_kept = corpus.n_tests() + findings.len();
        if directions.is_unsettled(n_kept) {
            let findings: FxHashMap<_, _> = findings.iter().map(|it| (content(&it.input), &it.path)).collect();
            let of_finding = |path: &&PathBuf| Some(path.to_string_lossy().split(',').next()?.to_owned());
            let file = |input| corpus.test_file(input).or_else(|| findings.get(&input).and_then(of_finding));
            directions.settle(n_kept, file);
        }
        directions.take_changes().into_iter().for_each(|(place, known)| corpus.branch(place, known));
    }

    pub(super) fn branches(&self) -> Vec<KnownBranch> {
        self.known.directions.all()
    }
}

/// Whether the trace of a run has all that was decided by the input in what another build counted.
fn is_whole(trace: &Trace, counted: Outcome) -> bool {
    let is_stopped = !matches!(counted, Outcome::Exited(_) | Outcome::Signalled(_))
        || matches!(counted, Outcome::Signalled(libc::SIGKILL | libc::SIGXFSZ));
    trace.stops == 0 && trace.forks == 0 && trace.outcome == counted && !is_stopped
}

/// Notes on which lines dependencies were lost, values were fixed, and library functions decided something.
fn note_hidden(directions: &mut Directions, followed: &Followed) {
    let Followed { trace, walk, .. } = followed;
    for tally in &trace.tallies {
        if !directions.is_hiding(tally.site, tally.kind, tally.reason) {
            continue;
        }
        let Some(site) = trace.site(tally.site) else { continue };
        let hidden = match TallyKind::from_code(tally.kind) {
            Some(TallyKind::Pin) => {
                let reason = PinReason::from_code(tally.reason).map_or("a value", PinReason::text);
                Hidden::Pinned(format!("{reason} at {}", Place::text(trace, tally.site)))
            }
            _ => Hidden::Lost(lost(trace, tally)),
        };
        directions.hide(&site.file, site.line, &hidden);
    }
    for stop in walk.stops.iter().filter(|stop| stop.is_model) {
        if !directions.is_hiding(stop.site, 0, 0) {
            continue;
        }
        let Some(site) = trace.site(stop.site) else { continue };
        let callee = site.callee.as_deref().unwrap_or("a function");
        let hidden = Hidden::Library(format!("{callee} at {}", Place::text(trace, stop.site)));
        directions.hide(&site.file, site.line, &hidden);
    }
}
