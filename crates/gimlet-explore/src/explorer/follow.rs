//! A run of the instrumented build, and the path that it took.

use std::rc::Rc;
use std::time::{Duration, Instant};

use gimlet_exec::watch::is_interrupted;
use gimlet_exec::ExecError;
use gimlet_path::{PathCondition, StepKind};
use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::{Input, Trace};

use super::{Explorer, Made};
use crate::ask::expand::Followed;
use crate::error::ExploreError;
use crate::findings;
use crate::make::strings::Freedom;
use crate::run::job::RunId;
use crate::run::walk::Walk;

/// A traced run may take at least so long.
const SHORTEST_LIMIT: Duration = Duration::from_millis(100);

/// How often a run is tried that does not begin.
const N_ATTEMPTS: usize = 3;

impl Explorer {
    /// Runs the program and builds the path condition.
    pub(super) fn follow(&mut self, run: RunId, made: &Made) -> Result<Option<Followed>, ExploreError> {
        self.runner.target.set_tokens(made.has_tokens);
        let begin = self.now();
        let Some(mut trace) = self.trace(&made.input)? else { return Ok(None) };
        let start = Instant::now();
        let interrupt = self.runner.options.interrupt;
        let mut path = PathCondition::from_trace_unless(&trace, &|| is_interrupted(interrupt))?;
        let wrapped = match self.settings.builds.memory.is_some() {
            true => gimlet_checks::add_sizes(&mut path, &trace),
            false => Vec::new(),
        };
        if made.has_tokens {
            // How long the input is follows from its tokens.
            path.steps.retain(|step| !matches!(step.kind, StepKind::Read { .. }));
        }
        let flat = trace.flatten(&trace.input);
        // What is of no string is run, and that is all.
        let is_confined = self.plan().only_strings;
        let freedom = match made.has_tokens {
            true => Some(self.freedom_of_tokens(&mut trace, &path)),
            false => {
                is_confined.then(|| Freedom::new(made.string.clone(), &self.settings.given.primary, &trace, &path))
            }
        };
        let names = freedom.as_ref().and_then(|freedom| freedom.tokens.as_ref()).map(|tokens| tokens.names().to_vec());
        let mut walk = Walk::new(&trace, &path, &mut self.known.contexts, names.unwrap_or_default());
        walk.has_tokens = made.has_tokens;
        if let Some(freedom) = &freedom {
            walk.confine(freedom, &path);
        }
        let (walk, visited) = (Rc::new(walk), made.visited.clone());
        self.time.symbolic.following += start.elapsed().as_secs_f64();
        let took = if self.gives_up() { self.now() - begin } else { Duration::ZERO };
        Ok(Some(Followed { run, trace, path, walk, flat, bound: made.bound, visited, freedom, wrapped, took }))
    }

    /// The trace of an input, once the search is over.
    pub fn trace_of(&mut self, input: &Input) -> Result<Option<Trace>, ExploreError> {
        self.runner.target.set_tokens(false);
        self.trace(input)
    }

    /// Runs the program. A run whose trace is of no use (the program wrote into it, or the machine was too busy to let it
    /// begin) is counted and left out; the search goes on.
    pub(super) fn trace(&mut self, input: &Input) -> Result<Option<Trace>, ExploreError> {
        self.known.counts.executions += 1;
        self.runner.target.set_timeout(self.limit());
        for _ in 0..N_ATTEMPTS {
            let start = Instant::now();
            let run = self.runner.target.run(input);
            self.time.symbolic.running += start.elapsed().as_secs_f64();
            match run {
                Ok(run) => {
                    if !findings::is_suspicious(run.trace.outcome) {
                        self.runner.pace.took(run.elapsed);
                    }
                    return Ok(Some(run.trace));
                }
                Err(ExecError::NeverBegan(_) | ExecError::NoAnswer(_)) => {}
                Err(ExecError::BadTrace(_)) => break,
                Err(error) => return Err(error.into()),
            }
        }
        if self.known.counts.executions <= 1 {
            // The first run tells whether there is anything to explore at all.
            return Ok(Some(self.runner.target.run(input)?.trace));
        }
        self.known.counts.lost.dropped += 1;
        Ok(None)
    }

    /// Whether questions that take long wait for others. Not where the clock must not decide.
    pub(super) fn hurries(&self) -> bool {
        self.plan().hurries && self.settings.stop.steps.is_none()
    }

    /// Whether runs that take much longer than others are given up, and only some of them looked at more closely. Not
    /// where the clock must not decide, or no path be missed.
    pub(super) fn gives_up(&self) -> bool {
        !self.plan().is_exhaustive && self.settings.stop.steps.is_none()
    }

    /// How long a run may take, on the build with counters as well.
    pub(super) fn limit(&self) -> Duration {
        let longest = self.runner.longest();
        match self.gives_up() && self.is_timed() {
            true => self.runner.pace.limit(SHORTEST_LIMIT, longest),
            false => longest,
        }
    }
}

/// Empties a source that was never read.
pub(super) fn trim_unread(trace: &mut Trace, name: &str) {
    let Some(number) = trace.input.sources.iter().position(|source| source.name == name) else { return };
    let is_read = |event: &EventRecord| event.kind == EventKind::Read as u8 && event.a as usize == number;
    if !trace.events.iter().any(is_read) {
        trace.input.sources[number].bytes.clear();
    }
}
