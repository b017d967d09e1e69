//! `gimlet tmin`: an input becomes smaller and does the same.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use gimlet_exec::ExecError;
use gimlet_explore::corpus::{self, CRASHES, HANGS, MANIFEST};
use gimlet_explore::findings;
use gimlet_explore::findings::minimise::{minimise, End, Minimised, Progress};
use gimlet_explore::findings::witness::{Behaviour, Witness, WitnessError};
use gimlet_explore::ExploreError;
use gimlet_report::text::place;
use gimlet_trace::Input;

use crate::exit::{hinted, note, Verdict};
use crate::interrupt;
use crate::options::TminPlan;
use crate::outputs;
use crate::setting::Setting;

/// Where those of a folder of results go, below it.
const MINIMISED: &str = "minimised";
/// Added to the name of an input.
const SUFFIX: &str = ".min";
/// Between two lines about how it goes; then the best so far is written, too.
const PAUSE: Duration = Duration::from_secs(5);

pub fn tmin(plan: &TminPlan) -> Result<Verdict> {
    let is_results = plan.what.join(MANIFEST).is_file();
    let deadline = plan.budget.map(|budget| Instant::now() + budget);
    let setting = match &plan.running.subject {
        Some(_) if is_results => {
            let message = format!("{} is a folder of results, which has its own program", plan.what.display());
            return Err(hinted(message, "leave the program out, or name one input"));
        }
        Some(subject) => Setting::of_command(subject, &plan.running)?,
        None if is_results => return tmin_findings(plan, deadline),
        None => Setting::of_results(&results_of(&plan.what)?, &plan.running)?,
    };
    let sample = Sample::read(&setting, &plan.what)?;
    let output = plan.output.clone().unwrap_or_else(|| with_suffix(&plan.what));
    sample.check(&output)?;
    let witness = Witness::new(setting.builds()?, &sample.input).map_err(explained)?;
    sample.minimise(&setting, witness, &output, deadline)?;
    Ok(Verdict::Good)
}

/// The folder of results that an input is in.
fn results_of(input: &Path) -> Result<PathBuf> {
    if !input.exists() {
        return Err(hinted(format!("{}: no such input", input.display()), "gimlet tmin INPUT -- PROG ARGS"));
    }
    let folder = fs::canonicalize(input).ok().and_then(|path| Some(path.parent()?.parent()?.to_owned()));
    folder.filter(|folder| folder.join(MANIFEST).is_file()).ok_or_else(|| {
        let message = format!("{} is in no folder of results, and no program is named", input.display());
        hinted(message, "gimlet tmin INPUT -- PROG ARGS, or gimlet tmin OUT for the findings of a search")
    })
}

/// All findings of a search.
fn tmin_findings(plan: &TminPlan, deadline: Option<Instant>) -> Result<Verdict> {
    let setting = Setting::of_results(&plan.what, &plan.running)?;
    let output = plan.output.clone().unwrap_or_else(|| plan.what.join(MINIMISED));
    let mut findings = Vec::new();
    for kind in [CRASHES, HANGS] {
        let folder = plan.what.join(kind);
        if folder.is_dir() {
            findings.extend(corpus::tests(&folder)?.into_iter().map(|path| (kind, path)));
        }
    }
    if findings.is_empty() {
        say!("there are no findings in {}", plan.what.display());
        return Ok(Verdict::Good);
    }
    let mut n_left_out = 0;
    for (number, (kind, path)) in findings.iter().enumerate() {
        // Each has its share of the time that is left.
        let n_left = (findings.len() - number) as u32;
        let share = deadline.map(|deadline| {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now) / n_left
        });
        let folder = output.join(kind);
        outputs::check_folder(&folder)?;
        fs::create_dir_all(&folder).map_err(|error| ExploreError::Write { path: folder.clone(), error })?;
        let output = folder.join(path.file_name().unwrap_or_default());
        if !tmin_finding(&setting, path, &output, share)? {
            n_left_out += 1;
        }
        if interrupt::received().is_some() {
            break;
        }
    }
    Ok(if n_left_out > 0 { Verdict::Bad } else { Verdict::Good })
}

/// False if there is nothing that could be kept.
fn tmin_finding(setting: &Setting, path: &Path, output: &Path, deadline: Option<Instant>) -> Result<bool> {
    let sample = Sample::read(setting, path)?;
    match Witness::new(setting.builds()?, &sample.input) {
        Ok(witness) if matches!(witness.behaviour(), Behaviour::Ends { .. }) => {
            sample.minimise(setting, witness, output, deadline)?;
            Ok(true)
        }
        Ok(_) => {
            note(&format!("{} is left out: the plain build ends well on it", path.display()));
            Ok(false)
        }
        Err(WitnessError::Exec(ExecError::Interrupted)) => Ok(true),
        Err(WitnessError::Exec(error)) => Err(error.into()),
        Err(error) => {
            note(&format!("{} is left out: {error}", path.display()));
            Ok(false)
        }
    }
}

/// An input, and what of it is there to become smaller.
struct Sample {
    path: PathBuf,
    input: Input,
    /// Numbers of the sources.
    sources: Vec<usize>,
    is_folder: bool,
}

impl Sample {
    fn read(setting: &Setting, path: &Path) -> Result<Sample> {
        let cannot = |error: io::Error| {
            let hint = "name a file, or a folder with a file for each source; --max-input raises the limit";
            hinted(format!("cannot read {}: {error}", path.display()), hint)
        };
        let is_folder = path.is_dir();
        let input = setting.read(path).map_err(cannot)?;
        let names = if is_folder { corpus::source_names(path).map_err(cannot)? } else { vec![setting.primary.clone()] };
        let is_there = |number: &usize| names.contains(&input.sources[*number].name);
        let sources = (0..input.sources.len()).filter(is_there).collect();
        Ok(Sample { path: path.to_owned(), sources, is_folder, input })
    }

    /// What would otherwise fail only at the end.
    fn check(&self, output: &Path) -> Result<()> {
        let is_empty = |folder: &Path| fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        if self.is_folder && output.exists() && !(output.is_dir() && is_empty(output)) {
            return Err(hinted(format!("{} is there already", output.display()), "name another folder with -o"));
        }
        if !self.is_folder && output.is_dir() {
            return Err(hinted(format!("{} is a folder", output.display()), "name a file with -o"));
        }
        Ok(())
    }

    fn minimise(
        &self,
        setting: &Setting,
        mut witness: Witness,
        output: &Path,
        deadline: Option<Instant>,
    ) -> Result<()> {
        let input = &self.input;
        say!("{}: {} bytes, {}", self.path.display(), input.len(), description(witness.behaviour(), setting));
        self.write(output, input)?;
        let start = Instant::now();
        let mut next = start + PAUSE;
        let mut watch = |Progress { input, n_runs }: Progress| {
            if Instant::now() >= next && interrupt::received().is_none() {
                say!("  {:.0} s: {} bytes, {n_runs} runs", start.elapsed().as_secs_f64(), input.len());
                // Whether it could be written is asked at the end.
                let _ = self.write(output, input);
                next = Instant::now() + PAUSE;
            }
        };
        let minimised = minimise(input.clone(), &self.sources, deadline, &mut witness, &mut watch);
        let Minimised { input: smaller, n_runs, end } = minimised;
        self.write(output, &smaller)?;
        let why = match end {
            End::Complete | End::Failed(_) => "",
            End::Budget => ", the time is over",
            End::Interrupted => ", stopped",
        };
        let seconds = start.elapsed().as_secs_f64();
        say!("  {} bytes after {n_runs} runs, {seconds:.1} s{why}: {}", smaller.len(), output.display());
        match end {
            End::Failed(error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Writes in the form that was read. A file that is there goes only when the other is whole.
    fn write(&self, output: &Path, input: &Input) -> Result<()> {
        let sources = self.sources.iter().map(|&number| &input.sources[number]);
        if self.is_folder {
            let written = corpus::write_sources(output, sources);
            return written.map_err(|error| ExploreError::Write { path: output.to_owned(), error }.into());
        }
        outputs::write(output, sources.flat_map(|source| &source.bytes).copied().collect::<Vec<u8>>())
    }
}

fn description(behaviour: &Behaviour, setting: &Setting) -> String {
    match behaviour {
        Behaviour::Ends { kind, frame, .. } if kind.is_hang() => {
            format!("{kind} ({} ms) {}", setting.timeout_ms(), place(frame.as_ref().map(findings::frame).as_ref()))
        }
        Behaviour::Ends { kind, frame, .. } => {
            format!("{kind} {}", place(frame.as_ref().map(findings::frame).as_ref()))
        }
        Behaviour::Covers { features, n_unstable: 0 } => format!("moves {} counters", features.len()),
        Behaviour::Covers { features, n_unstable } => {
            format!("moves {} counters, and {n_unstable} that differ from run to run and don't count", features.len())
        }
    }
}

fn explained(error: WitnessError) -> anyhow::Error {
    let hint = match error {
        WitnessError::Exec(error) => return error.into(),
        WitnessError::Disagreement { .. } => "what only one of the builds does cannot be kept; try a larger --timeout",
        WitnessError::Unsteady { .. } => "what happens only now and then cannot be kept; try another --timeout",
        WitnessError::NoCounters => "gimlet-cc makes PROG.edges when it links PROG, unless it warns",
    };
    hinted(error.to_string(), hint)
}

fn with_suffix(path: &Path) -> PathBuf {
    // A folder may be named with a slash at its end.
    let mut name = OsString::from(path.components().as_path());
    name.push(SUFFIX);
    name.into()
}
