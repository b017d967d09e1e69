//! `--jobs`: a search by several processes of this program.
//!
//! The first one, which the user started, starts the others with the same command line and a hidden option that says
//! which of them they are ([`gimlet_explore::team`]).

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use gimlet_exec::{cores, dependent};
use gimlet_explore::clock;
use gimlet_explore::corpus::{self, QUEUE};
use gimlet_explore::share::Share;
use gimlet_explore::team::{self, Place};
use gimlet_explore::ExploreError;
use gimlet_trace::Input;

use crate::exit::{hinted, note};
use crate::manifest::Manifest;
use crate::options::ExplorePlan;

/// Workers on one core, at most.
const N_A_CORE: usize = 4;

/// The plan of a worker: where its results are, and what is only the first one's to do.
pub fn plan_of(plan: &ExplorePlan, share: Share) -> ExplorePlan {
    let mut plan = ExplorePlan { sync: None, summary: None, ..plan.clone() };
    if let Some(destination) = &mut plan.log_queries {
        destination.folder = destination.folder.join(team::name(share.number));
    }
    plan
}

/// Whether so many workers can do what the user wants.
pub fn check(plan: &ExplorePlan, manifest: &Manifest) -> Result<()> {
    let n_workers = manifest.search.n_workers;
    // Who is one of them may have been given a single core.
    if n_workers == 1 || plan.worker.is_some() {
        return Ok(());
    }
    let n_cores = available_parallelism().map_or(1, usize::from);
    if n_workers > N_A_CORE * n_cores {
        let hint = format!("this machine has {n_cores} cores, and no use for more than {} workers", N_A_CORE * n_cores);
        return Err(hinted(format!("--jobs {n_workers} is too many"), hint));
    }
    if plan.steps.is_some() || plan.clock == clock::Kind::Work {
        return Err(hinted(
            "--steps and --clock work make tests that can be repeated, and several workers do not",
            "use --jobs 1, or --budget by the wall clock",
        ));
    }
    let is_pipe = |path: &&PathBuf| !path.is_file() && !path.is_dir();
    if let Some(path) = plan.seeds.iter().find(is_pipe) {
        let message = format!("the seed {} is no file, and can be read by one worker only", path.display());
        return Err(hinted(message, "put it into a file, or use --jobs 1"));
    }
    if n_workers > n_cores {
        note(&format!("there are {n_cores} cores for {n_workers} workers"));
    }
    Ok(())
}

/// The core of each worker, where there are as many workers as cores. Where there are fewer, the kernel finds idle ones.
pub fn cores(n_workers: usize) -> Vec<usize> {
    let cores = cores::allowed();
    if n_workers > 1 && n_workers == cores.len() {
        cores
    } else {
        Vec::new()
    }
}

/// Starts all workers but this one.
pub fn start(place: &Place, resumes: bool, cores: &[usize]) -> Result<Vec<Child>> {
    if !resumes && place.share.is_leader() {
        forget(place)?;
    }
    (1..place.share.n_workers).map(|number| spawn(place, number, cores.get(number).copied())).collect()
}

/// Removes what workers of a search have left that came to nothing.
fn forget(place: &Place) -> Result<()> {
    let path = team::folders(&place.out);
    match fs::remove_dir_all(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(ExploreError::Write { path, error }.into()),
        _ => Ok(()),
    }
}

fn spawn(place: &Place, number: usize, core: Option<usize>) -> Result<Child> {
    let folder = team::folder(&place.out, number);
    let errors = || -> std::io::Result<File> {
        fs::create_dir_all(&folder)?;
        File::create(folder.join(team::ERRORS))
    };
    let errors = errors().map_err(|error| ExploreError::Write { path: folder.clone(), error })?;
    let mut command = Command::new(env::current_exe().context("finding this program")?);
    command.arg("run").arg("--worker").arg(format!("{number}/{}", place.share.n_workers));
    // What comes after `gimlet run`.
    command.args(env::args_os().skip(2));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
    dependent::spawn(&mut command, core).context("starting a worker")
}

/// The seeds that the first worker began with, as far as they are tests: for a worker that was stopped before it kept
/// anything.
pub fn seeds(out: &Path, given: &Input, primary: &str) -> Vec<Input> {
    let is_seed = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(",op:seed"));
    let tests = corpus::tests(&out.join(QUEUE)).unwrap_or_default();
    tests.iter().filter(|path| is_seed(path)).filter_map(|path| corpus::read(path, given, primary).ok()).collect()
}
