//! `--jobs`: a search by several processes of the same program.
//!
//! The first one, which the user started, writes the spec of the search into the folder of each other one and starts it as
//! `gimlet run --worker K/N --spec FILE` ([`crate::team`]). Nobody reads the user's command line twice.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;

use gimlet_exec::{cores, dependent, ExecError};
use gimlet_trace::Input;

use super::Search;
use crate::corpus::{self, QUEUE};
use crate::error::ExploreError;
use crate::manifest::Manifest;
use crate::notes::Notes;
use crate::spec::{OutputSpec, SearchSpec};
use crate::team::{self, Place};
use crate::time::clock;

/// In a worker's folder: what it is to do.
const SPEC: &str = "spec.toml";
/// Workers on one core, at most.
const N_A_CORE: usize = 4;

impl Search {
    /// Whether so many workers can do what the user wants.
    pub(super) fn check_workers(&self, manifest: &Manifest, notes: &mut Notes) -> Result<(), ExploreError> {
        let n_workers = manifest.n_workers();
        // Who is one of them may have been given a single core.
        if n_workers == 1 || self.worker.is_some() {
            return Ok(());
        }
        let n_cores = available_parallelism().map_or(1, usize::from);
        if n_workers > N_A_CORE * n_cores {
            let n_max = N_A_CORE * n_cores;
            let hint = format!("this machine has {n_cores} cores, and no use for more than {n_max} workers");
            return Err(ExploreError::refused(format!("--jobs {n_workers} is too many"), hint));
        }
        if self.spec.stop.steps.is_some() || self.spec.stop.clock == Some(clock::Kind::Work) {
            return Err(ExploreError::refused(
                "--steps and --clock work make tests that can be repeated, and several workers do not",
                "use --jobs 1, or --budget by the wall clock",
            ));
        }
        let is_pipe = |path: &&PathBuf| !path.is_file() && !path.is_dir();
        if let Some(path) = self.spec.seeds.paths.iter().find(is_pipe) {
            let message = format!("the seed {} is no file, and can be read by one worker only", path.display());
            return Err(ExploreError::refused(message, "put it into a file, or use --jobs 1"));
        }
        if n_workers > n_cores {
            notes.say(&format!("there are {n_cores} cores for {n_workers} workers"));
        }
        Ok(())
    }

    /// Starts all workers but this one.
    pub(super) fn start_workers(
        &self,
        place: &Place,
        manifest: &Manifest,
        resumes: bool,
        cores: &[usize],
    ) -> Result<Vec<Child>, ExploreError> {
        if !resumes && place.share.is_leader() {
            forget(place)?;
        }
        let spec = self.workers_spec(manifest);
        let start = |number: usize| self.spawn(place, &spec, number, resumes, cores.get(number).copied());
        (1..place.share.n_workers).map(start).collect()
    }

    /// What all workers but the first do: results that are only the first one's to write are left out.
    fn workers_spec(&self, manifest: &Manifest) -> SearchSpec {
        let mut spec = manifest.spec.clone();
        let now = &self.spec;
        spec.program.path.clone_from(if now.program.path.as_os_str().is_empty() {
            &manifest.spec.program.path
        } else {
            &now.program.path
        });
        spec.program.sandbox = now.program.sandbox;
        // The first worker has compared them.
        spec.grammar.hashes.clear();
        spec.seeds.paths.clone_from(&now.seeds.paths);
        spec.stop = now.stop.clone();
        spec.team.sync = None;
        spec.output = OutputSpec { folder: Some(self.out.clone()), summary: None, ..now.output.clone() };
        spec
    }

    fn spawn(
        &self,
        place: &Place,
        spec: &SearchSpec,
        number: usize,
        resumes: bool,
        core: Option<usize>,
    ) -> Result<Child, ExploreError> {
        let folder = team::folder(&place.out, number);
        let errors = || -> io::Result<File> {
            fs::create_dir_all(&folder)?;
            File::create(folder.join(team::ERRORS))
        };
        let errors = errors().map_err(|error| ExploreError::Write { path: folder.clone(), error })?;
        let path = folder.join(SPEC);
        spec.write(&path)?;
        let Some(program) = &self.program else {
            let message = format!("nobody says what the {} workers are", place.share.n_workers);
            return Err(ExploreError::refused(message, "Search::with_workers_of takes the path of gimlet"));
        };
        let mut command = Command::new(program);
        command.arg("run").arg("--worker").arg(format!("{number}/{}", place.share.n_workers)).arg("--spec").arg(&path);
        if resumes {
            command.arg("--resume");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        dependent::spawn(&mut command, core).map_err(|error| ExecError::Io { doing: "starting a worker", error }.into())
    }
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

/// Removes what workers of a search have left that came to nothing.
fn forget(place: &Place) -> Result<(), ExploreError> {
    let path = team::folders(&place.out);
    match fs::remove_dir_all(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ExploreError::Write { path, error }),
        _ => Ok(()),
    }
}

/// The seeds that the first worker began with, as far as they are tests: for a worker that was stopped before it kept
/// anything.
pub fn seeds(out: &Path, given: &Input, primary: &str) -> Vec<Input> {
    let is_seed = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(",op:seed"));
    let tests = corpus::tests(&out.join(QUEUE)).unwrap_or_default();
    tests.iter().filter(|path| is_seed(path)).filter_map(|path| corpus::read(path, given, primary).ok()).collect()
}
