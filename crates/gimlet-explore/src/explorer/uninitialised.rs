//! Memory that nobody has written to, and that decides something.
//!
//! The memory build fills fresh memory with a byte of our choice, and tells the values that
//! branches and indices depend on, and what library functions decide by or write to files. Two runs of one input that differ in that byte alone tell the
//! same, unless something depends on what such memory holds: the first value that differs is where
//! that is, also if both runs then go the same way. What is not told is seen by the counters: at
//! a branch that was reached as often and went another way.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;

use gimlet_exec::edges::{Counters, EdgesRun, EdgesTarget, Told};
use gimlet_exec::locate::{locate, Crash, Frame};
use gimlet_exec::{ExecError, Output, TargetOptions};
use gimlet_report::{Build, Kind};
use gimlet_trace::memory::{FILL_ENV, STOP_ENV};
use gimlet_trace::site::{Site, SiteKind};
use gimlet_trace::Input;

use super::examine::Wrong;
use super::{Explorer, Watcher};
use crate::error::ExploreError;
use crate::run::job::{Origin, RunId};

/// What fresh memory is filled with: they differ in every bit.
const FILLS: [u8; 2] = [0x00, 0xff];

/// Runs that have to go the same way before it is believed that chance has no part in it.
const N_AGAIN: usize = 12;

/// A run with one of [`FILLS`].
struct Filled {
    run: EdgesRun,
    told: Told,
}

/// The memory build, whose fresh memory is filled.
pub(super) struct Fills {
    target: EdgesTarget,
    /// Places that were told to decide otherwise when nothing was different.
    unsteady: HashSet<u32>,
}

/// The variables of a run whose fresh memory is filled.
fn variables(fill: u8, stop: Option<usize>) -> Vec<(String, OsString)> {
    let fill = (FILL_ENV, format!("{fill:02x}"));
    let stop = stop.map(|stop| (STOP_ENV, stop.to_string()));
    [fill].into_iter().chain(stop).map(|(name, value)| (name.to_owned(), value.into())).collect()
}

impl Fills {
    pub fn new(program: &Path, args: &[OsString], options: &TargetOptions) -> Result<Fills, ExecError> {
        let variables = variables(FILLS[0], None);
        let options = TargetOptions { output: Output::Null, variables, ..options.clone() };
        Ok(Fills { target: EdgesTarget::new(program, args, options)?, unsteady: HashSet::new() })
    }

    /// Runs an input with each byte, all else being the same; none if one of them did not run.
    fn run(&mut self, input: &Input) -> Result<Option<[Filled; 2]>, ExecError> {
        let mut runs = Vec::new();
        for fill in FILLS {
            self.target.set_fill(fill);
            match self.target.run(input) {
                Ok(run) => runs.push(Filled { run, told: self.target.told() }),
                Err(ExecError::Interrupted) => return Err(ExecError::Interrupted),
                Err(_) => return Ok(None),
            }
        }
        Ok(runs.try_into().ok())
    }
}

/// The first decision of two runs that differs, those at unsteady places aside.
fn differing(a: &Told, b: &Told, unsteady: &HashSet<u32>) -> Option<usize> {
    let is_unsteady = |a: u32, b: u32| a >> 16 == b >> 16 && unsteady.contains(&(a >> 16));
    a.decisions.iter().zip(&b.decisions).position(|(&a, &b)| a != b && !is_unsteady(a, b))
}

/// Whether two runs did the same.
fn is_same(a: &EdgesRun, b: &EdgesRun) -> bool {
    let same = |a: &Counters, b: &Counters| a.image.path == b.image.path && a.bytes == b.bytes;
    a.outcome == b.outcome
        && a.counters.len() == b.counters.len()
        && a.counters.iter().zip(&b.counters).all(|(a, b)| same(a, b))
}

/// The branch that parted two runs: one that both came to as often, if there is one.
fn parting(a: &EdgesRun, b: &EdgesRun) -> Option<Site> {
    let mut other = None;
    for (a, b) in a.counters.iter().zip(&b.counters) {
        for table in &a.image.tables {
            let mut first = table.address as usize;
            for site in &table.table.sites {
                let range = first..first + site.n_counters();
                first = range.end;
                let (Some(of_a), Some(of_b)) = (a.bytes.get(range.clone()), b.bytes.get(range)) else { continue };
                if of_a == of_b || site.kind == SiteKind::Function {
                    continue;
                }
                let sum = |counters: &[u8]| counters.iter().map(|&count| u32::from(count)).sum::<u32>();
                if sum(of_a) == sum(of_b) {
                    return Some(site.clone());
                }
                other.get_or_insert_with(|| site.clone());
            }
        }
    }
    other
}

impl Explorer {
    /// Whether an access that trapped in the memory build depends on memory that nobody has written to: its address is another
    /// one if that holds something else.
    pub(super) fn traps_by_fill(
        &self,
        memory: &Path,
        input: &Input,
        options: &TargetOptions,
    ) -> Result<bool, ExecError> {
        let mut crashes = Vec::new();
        for fill in FILLS {
            let options = TargetOptions { variables: variables(fill, None), ..options.clone() };
            crashes.push(locate(memory, &self.runner.args, input, &options)?);
        }
        let place = |crash: &Crash| crash.frames.first().map(|frame| (frame.function.clone(), frame.line));
        let [a, b] = &crashes[..] else { return Ok(false) };
        Ok(place(a).is_some() && place(a) == place(b) && a.fault.is_some() && b.fault.is_some() && a.fault != b.fault)
    }

    /// Runs an input with other bytes in fresh memory: what then goes another way depends on memory that nobody wrote to.
    pub(super) fn compare_fills(
        &mut self,
        input: &Input,
        origin: Origin,
        run: Option<RunId>,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let Some(memory) = &self.settings.builds.memory else { return Ok(()) };
        if self.runner.fills.is_none() {
            self.runner.fills = Some(Fills::new(memory, &self.runner.args, &self.runner.options)?);
        }
        let Some(fills) = &mut self.runner.fills else { return Ok(()) };
        let Some([a, b]) = fills.run(input)? else { return Ok(()) };
        self.known.counts.lost.unjudged += u64::from(a.told.n_unjudged);
        let parted = differing(&a.told, &b.told, &fills.unsteady);
        if parted.is_none() && is_same(&a.run, &b.run) {
            return Ok(());
        }
        // Apart already, by something that is not told, if it is at another place.
        let place = |run: &Filled, at: usize| run.told.decisions[at] >> 16;
        let told = parted.filter(|&at| place(&a, at) == place(&b, at));
        // What differs from run to run says nothing.
        for _ in 0..N_AGAIN {
            let Some(again) = fills.run(input)? else { return Ok(()) };
            for (one, other) in [&a, &b].into_iter().zip(&again) {
                let unsteady = differing(&one.told, &other.told, &fills.unsteady);
                match (told, unsteady) {
                    (Some(at), Some(unsteady)) if unsteady <= at => {
                        fills.unsteady.insert(place(one, unsteady));
                        return Ok(());
                    }
                    (Some(at), None) if other.told.decisions.len() <= at => return Ok(()),
                    (None, _) if !is_same(&one.run, &other.run) => return Ok(()),
                    _ => {}
                }
            }
        }
        let (stack, ended) = match told {
            Some(at) => {
                let variables = variables(FILLS[1], Some(at));
                let crash = locate(
                    memory,
                    &self.runner.args,
                    input,
                    &TargetOptions { variables, ..self.runner.options.clone() },
                )?;
                match crash.violation.filter(|violation| violation.kind == Kind::Uninitialised) {
                    Some(violation) => (crash.frames, violation.to_string()),
                    None => return Ok(()),
                }
            }
            None => {
                let Some(site) = parting(&a.run, &b.run) else { return Ok(()) };
                let frame = Frame { function: site.function, file: Some(site.file), line: site.line, is_program: true };
                let ended = format!(
                    "depends on memory that nobody has written to: it goes one way with 0x{:02x} there, another with 0x{:02x}",
                    FILLS[0], FILLS[1]
                );
                (vec![frame], ended)
            }
        };
        let kind = Kind::Uninitialised;
        self.note_wrong(
            Wrong { input, kind, stack, shown_by: Build::Memory.into(), signal: None, ended, origin, run },
            watcher,
        );
        Ok(())
    }
}
