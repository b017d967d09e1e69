//! Whether another input makes a program do the same.
//!
//! The same, of a run that ends by a crash or a limit: the kind of its end, the place and the callers, as findings are told
//! apart. Of a run that ends well: the counters that it moves on PROG.edges, each with the class of its count. What
//! differs from run to run on one input is left out of that.
//!
//! Where a crash is takes a run of the plain build under ptrace, some milliseconds. PROG.edges, which says within a
//! fraction of one whether there is a crash at all, goes first.

use std::ffi::OsString;
use std::path::PathBuf;

use gimlet_exec::edges::EdgesTarget;
use gimlet_exec::error::describe;
use gimlet_exec::locate::{locate, Crash, Frame};
use gimlet_exec::watch::is_interrupted;
use gimlet_exec::{run_plain, ExecError, Output, TargetOptions};
use gimlet_report::Kind;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use crate::corpus::features::Features;
use crate::findings::{self, same_end, LEISURE};

/// Further runs on the first input, to see what differs between them.
const N_REPEATED: usize = 3;
/// How often a crash is looked at that was too fast to be seen.
const N_LOOKS: usize = 3;

/// The builds of a program, and how they are run.
#[derive(Clone, Debug)]
pub struct Builds {
    pub plain: PathBuf,
    pub edges: Option<PathBuf>,
    pub args: Vec<OsString>,
    pub options: TargetOptions,
}

/// What an input makes a program do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Behaviour {
    /// A crash or a limit.
    Ends { kind: Kind, frame: Option<Frame>, signature: u64 },
    /// Features of a run that ends well, and how many others differ from run to run.
    Covers { features: Vec<u32>, n_unstable: usize },
}

/// Why there is nothing to compare with.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    #[error("{} {} on this input, and {} {}", plain.display(), describe(*ended), edges.display(), describe(*other))]
    Disagreement { plain: PathBuf, ended: Outcome, edges: PathBuf, other: Outcome },
    #[error("{} {} on this input, and not when it is run again", plain.display(), describe(*ended))]
    Unsteady { plain: PathBuf, ended: Outcome },
    #[error("the run ends well, and there is no build with counters that would tell it from others")]
    NoCounters,
    #[error(transparent)]
    Exec(#[from] ExecError),
}

/// A program, and what it is to do.
pub struct Witness {
    builds: Builds,
    edges: Option<EdgesTarget>,
    features: Features,
    behaviour: Behaviour,
    /// How PROG.edges ends, if that is how the plain build does: a quick first question.
    hurdle: Option<Outcome>,
}

impl Witness {
    /// Runs the program to see what it does on an input.
    pub fn new(builds: Builds, input: &Input) -> Result<Witness, WitnessError> {
        let mut builds = builds;
        let options = TargetOptions { output: Output::Null, ..builds.options.clone() };
        let edges = builds.edges.as_ref().map(|edges| EdgesTarget::new(edges, &builds.args, options)).transpose()?;
        let mut witness = Witness {
            edges,
            features: Features::default(),
            behaviour: Behaviour::Covers { features: Vec::new(), n_unstable: 0 },
            hurdle: None,
            builds: builds.clone(),
        };
        let ended = uninterrupted(run_plain(&builds.plain, &builds.args, input, &builds.options)?.outcome)?;
        let counted = witness.edges.as_mut().map(|edges| edges.run_in_place(input)).transpose()?;
        let counted = counted.map(|run| uninterrupted(run.outcome)).transpose()?;
        if findings::is_suspicious(ended) {
            if matches!(ended, Outcome::Signalled(_)) {
                // Whether it crashes is asked, not whether it is fast while somebody looks.
                builds.options.limits.timeout_ms *= LEISURE;
            }
            witness.builds = builds;
            witness.hurdle = counted.filter(|&counted| same_end(counted, ended));
            witness.behaviour = witness.crash_of(input, ended)?;
            return Ok(witness);
        }
        match counted {
            None => Err(WitnessError::NoCounters),
            Some(other) if findings::is_suspicious(other) => {
                let edges = builds.edges.unwrap_or_default();
                Err(WitnessError::Disagreement { plain: builds.plain, ended, edges, other })
            }
            Some(_) => {
                witness.behaviour = witness.coverage_of(input)?;
                Ok(witness)
            }
        }
    }

    pub fn behaviour(&self) -> &Behaviour {
        &self.behaviour
    }

    /// Whether an input does the same as the first one. What cannot be run does not.
    pub fn agrees(&mut self, input: &Input) -> Result<bool, ExecError> {
        if is_interrupted(self.builds.options.interrupt) {
            return Err(ExecError::Interrupted);
        }
        let agrees = match &self.behaviour {
            Behaviour::Ends { .. } => self.ends_alike(input),
            Behaviour::Covers { .. } => self.covers_alike(input),
        };
        match agrees {
            Err(error @ (ExecError::Interrupted | ExecError::Io { .. })) => Err(error),
            Err(_) => Ok(false),
            agrees => agrees,
        }
    }

    fn ends_alike(&mut self, input: &Input) -> Result<bool, ExecError> {
        if let (Some(hurdle), Some(edges)) = (self.hurdle, &mut self.edges)
            && !same_end(uninterrupted(edges.run_in_place(input)?.outcome)?, hurdle)
        {
            return Ok(false);
        }
        let Behaviour::Ends { kind, frame, signature } = &self.behaviour else { return Ok(false) };
        let crash = self.look(input, frame.is_some())?;
        let found = findings::kind_of(&crash);
        let is_crash = findings::is_suspicious(crash.outcome);
        Ok(is_crash && found == *kind && findings::signature(found, &crash.frames) == *signature)
    }

    fn covers_alike(&mut self, input: &Input) -> Result<bool, ExecError> {
        let Behaviour::Covers { features, n_unstable } = &self.behaviour else { return Ok(false) };
        let Some(edges) = &mut self.edges else { return Ok(false) };
        if findings::is_suspicious(uninterrupted(edges.run_in_place(input)?.outcome)?) {
            return Ok(false);
        }
        let found = self.features.of(edges.counters());
        Ok(match n_unstable {
            0 => found == *features,
            _ => features.iter().all(|feature| found.binary_search(feature).is_ok()),
        })
    }

    /// The crash of the first input.
    fn crash_of(&self, input: &Input, ended: Outcome) -> Result<Behaviour, WitnessError> {
        let crash = self.look(input, true)?;
        if !same_end(crash.outcome, ended) {
            return Err(WitnessError::Unsteady { plain: self.builds.plain.clone(), ended });
        }
        let kind = findings::kind_of(&crash);
        let signature = findings::signature(kind, &crash.frames);
        Ok(Behaviour::Ends { kind, frame: findings::culprit(&crash.frames).cloned(), signature })
    }

    /// What the first input covers every time.
    fn coverage_of(&mut self, input: &Input) -> Result<Behaviour, WitnessError> {
        let Some(edges) = &mut self.edges else { return Err(WitnessError::NoCounters) };
        let mut features = self.features.of(edges.counters());
        let mut all = features.clone();
        for _ in 0..N_REPEATED {
            uninterrupted(edges.run_in_place(input)?.outcome)?;
            let again = self.features.of(edges.counters());
            features.retain(|feature| again.binary_search(feature).is_ok());
            all.extend(again);
        }
        all.sort_unstable();
        all.dedup();
        Ok(Behaviour::Covers { n_unstable: all.len() - features.len(), features })
    }

    /// Where the plain build ends. One that is too fast for a look gets another.
    fn look(&self, input: &Input, wants_place: bool) -> Result<Crash, ExecError> {
        let Builds { plain, args, options, .. } = &self.builds;
        let mut crash = locate(plain, args, input, options)?;
        for _ in 1..N_LOOKS {
            uninterrupted(crash.outcome)?;
            if !wants_place || !crash.frames.is_empty() || !findings::is_suspicious(crash.outcome) {
                break;
            }
            crash = locate(plain, args, input, options)?;
        }
        uninterrupted(crash.outcome)?;
        Ok(crash)
    }
}

fn uninterrupted(outcome: Outcome) -> Result<Outcome, ExecError> {
    match outcome {
        Outcome::Interrupted => Err(ExecError::Interrupted),
        outcome => Ok(outcome),
    }
}
