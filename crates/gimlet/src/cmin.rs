//! `gimlet cmin`: few inputs that together do all that many do.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use gimlet_exec::error::describe;
use gimlet_exec::ExecError;
use gimlet_explore::corpus::distil::{Distillery, Fate};
use gimlet_explore::corpus::{self, QUEUE};
use gimlet_explore::ExploreError;

use crate::exit::{hinted, note, note_some, Verdict};
use crate::interrupt;
use crate::options::CminPlan;
use crate::outputs;
use crate::setting::Setting;

/// Between two lines about how it goes.
const PAUSE: Duration = Duration::from_secs(5);

pub fn cmin(plan: &CminPlan) -> Result<Verdict> {
    let setting = match (&plan.running.subject, &plan.results) {
        (Some(subject), _) => Setting::of_command(subject, &plan.running)?,
        (None, Some(folder)) => Setting::of_results(folder, &plan.running)?,
        (None, None) => return Err(hinted("no program is named", "gimlet cmin -i DIR -o DIR2 -- PROG ARGS")),
    };
    let paths = inputs(plan)?;
    outputs::empty_folder(&plan.output)?;
    plan.crashes.as_deref().map_or(Ok(()), outputs::empty_folder)?;
    let mut distillery = Distillery::new(setting.edges()?);
    let tally = run_all(&setting, &paths, &mut distillery)?;
    if distillery.n_different() == 0 {
        let message = format!("none of {} inputs can be kept", paths.len());
        return Err(hinted(message, "can they be read, and does the program end well on any of them?"));
    }
    let essence = distillery.essence();
    let n_features = essence.n_features();
    // No claim without a check.
    let mut left = essence.clone();
    for &number in &essence.numbers {
        let input = setting.read(&paths[number]).map_err(|error| cannot_read(&paths[number], &error))?;
        distillery.strike_out(&mut left, &input)?;
    }
    let n_bytes = copy_all(essence.numbers.iter().map(|&number| &*paths[number]), &plan.output)?;
    if let Some(folder) = &plan.crashes {
        copy_all(tally.bad.iter().map(|&number| &*paths[number]), folder)?;
    }
    let Tally { n_run, n_left_out, n_duplicates, bad, .. } = &tally;
    say!(
        "{} inputs: {n_run} run, {n_duplicates} duplicates, {n_left_out} left out, {} crash or meet a limit",
        paths.len(),
        bad.len()
    );
    let (n_kept, seconds) = (essence.numbers.len(), tally.start.elapsed().as_secs_f64());
    say!(
        "{n_kept} of them, {n_bytes} bytes, take all branches with all classes of counts ({n_features}), {seconds:.1} s: {}",
        plan.output.display()
    );
    if left.n_features() > 0 {
        note(&format!(
            "{} of {n_features} were not seen when these were run again: the program differs from run to run",
            left.n_features()
        ));
    }
    Ok(Verdict::Good)
}

fn inputs(plan: &CminPlan) -> Result<Vec<PathBuf>> {
    let queue = plan.results.iter().map(|folder| folder.join(QUEUE));
    let mut paths = Vec::new();
    for folder in plan.inputs.iter().cloned().chain(queue) {
        let hint = "name a folder with inputs, or one that `gimlet run -o` made";
        let found = corpus::tests(&folder)
            .map_err(|error| hinted(format!("cannot read the inputs in {}: {error}", folder.display()), hint))?;
        if found.is_empty() {
            note(&format!("there are no inputs in {}", folder.display()));
        }
        paths.extend(found);
    }
    match paths.is_empty() {
        true => Err(hinted("there are no inputs", "name a folder with inputs with -i")),
        false => Ok(paths),
    }
}

/// What became of the inputs.
struct Tally {
    start: Instant,
    n_run: usize,
    n_duplicates: usize,
    n_left_out: usize,
    /// Those that end by a crash or a limit.
    bad: Vec<usize>,
    /// When the next line is due.
    next: Instant,
}

fn run_all(setting: &Setting, paths: &[PathBuf], distillery: &mut Distillery) -> Result<Tally> {
    let start = Instant::now();
    let mut tally = Tally { start, n_run: 0, n_duplicates: 0, n_left_out: 0, bad: Vec::new(), next: start + PAUSE };
    let mut known = HashSet::new();
    for (number, path) in paths.iter().enumerate() {
        if interrupt::received().is_some() {
            return Err(ExecError::Interrupted.into());
        }
        tally.show_progress(number, paths.len(), distillery);
        let input = match setting.read(path) {
            Ok(input) => input,
            Err(error) => {
                tally.leave_out(path, &error);
                continue;
            }
        };
        if !known.insert(corpus::content(&input)) {
            tally.n_duplicates += 1;
            continue;
        }
        match distillery.add(number, &input) {
            Ok(Fate::Taken | Fate::Equal) => tally.n_run += 1,
            Ok(Fate::Bad(outcome)) => {
                tally.n_run += 1;
                tally.bad.push(number);
                note_some(tally.bad.len(), || format!("{}: the program {}", path.display(), describe(outcome)));
            }
            // It is the input that cannot be given to the program.
            Err(error @ (ExecError::EndedEarly(_) | ExecError::NeverBegan(_) | ExecError::NoSuchArgument(_))) => {
                tally.leave_out(path, &error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(tally)
}

impl Tally {
    fn leave_out(&mut self, path: &Path, why: &dyn std::fmt::Display) {
        self.n_left_out += 1;
        note_some(self.n_left_out, || format!("{} is left out: {why}", path.display()));
    }

    fn show_progress(&mut self, n_done: usize, n_all: usize, distillery: &Distillery) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PAUSE;
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = n_done as f64 / seconds;
        say!("{seconds:.0} s: {n_done} of {n_all} inputs ({rate:.0}/s), {} differ", distillery.n_different());
    }
}

/// Copies inputs into a folder under their names; how many bytes that are.
fn copy_all<'a>(inputs: impl Iterator<Item = &'a Path>, folder: &Path) -> Result<u64> {
    let mut n_bytes = 0;
    for path in inputs {
        let to = free_name(folder, path);
        n_bytes += copy(path, &to).map_err(|error| ExploreError::Write { path: to, error })?;
    }
    Ok(n_bytes)
}

/// The name of an input, or another if one of another folder has it.
fn free_name(folder: &Path, path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let numbered = |number: usize| {
        let mut name = OsString::from(name);
        name.push(format!(".{number}"));
        folder.join(name)
    };
    let plain = folder.join(name);
    if !plain.exists() {
        return plain;
    }
    (2..).map(numbered).find(|path| !path.exists()).unwrap_or(plain)
}

fn copy(from: &Path, to: &Path) -> io::Result<u64> {
    if !from.is_dir() {
        return fs::copy(from, to);
    }
    fs::create_dir(to)?;
    let mut n_bytes = 0;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        n_bytes += fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(n_bytes)
}

fn cannot_read(path: &Path, error: &io::Error) -> anyhow::Error {
    hinted(format!("cannot read {} again: {error}", path.display()), "leave the inputs as they are meanwhile")
}
