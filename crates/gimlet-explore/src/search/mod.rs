//! A search as a library call: a spec goes in, tests and findings come out.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use gimlet_explore::explorer::Quiet;
//! use gimlet_explore::search::Search;
//! use gimlet_explore::spec::SearchSpec;
//!
//! # fn main() -> Result<(), gimlet_explore::ExploreError> {
//! let mut spec = SearchSpec::default();
//! spec.program.path = "./calc".into();
//! spec.strategy.seed = Some(7);
//! spec.stop.budget = Some(Duration::from_secs(10));
//! spec.output.folder = Some("out".into());
//! let searched = Search::new(spec)?.run(&mut Quiet)?;
//! println!("{:?}: {} tests, {} findings", searched.end, searched.n_tests(), searched.findings().len());
//! # Ok(())
//! # }
//! ```
//!
//! [`Search::new`] looks at the spec alone. [`Search::begin`] derives from it what a search needs, in an order that matters:
//! sources of the input, seeds and the manifest (`start`), builds beside the program, words and lengths (`settings`), the
//! language (`generators`), then the [`Explorer`] with all of it, and the workers. What the user may want to know on the way is
//! told as notes. Nothing else derives anything from a spec.
//!
//! | module | holds |
//! |---|---|
//! | `check` | what is wrong with a search before it begins |
//! | `start` | what a search begins with, or goes on with |
//! | `seeds` | inputs to begin with |
//! | `settings` | what the explorer needs to know |
//! | `generators` | what inputs of a grammar are made by |
//! | `stretch` | seeds with a stretch |
//! | `parts` | whether the program has the parts that the user names |
//! | `workers` | other processes of the same search |

mod check;
mod generators;
mod parts;
mod seeds;
mod settings;
mod start;
mod stretch;
mod workers;

use std::path::{Path, PathBuf};

use gimlet_exec::confine::Confinement;
use gimlet_exec::watch::Interrupt;
use gimlet_exec::{cores, Output, TargetOptions};
use gimlet_trace::memory::LEAKS_ENV;
use gimlet_trace::Input;

use self::generators::Generators;
use self::settings::settings;
use self::start::Start;
use crate::error::ExploreError;
use crate::explorer::{End, Explorer, Watcher};
use crate::findings::Finding;
use crate::manifest::Manifest;
use crate::notes::Notes;
use crate::program::subject::Subject;
use crate::spec::SearchSpec;
use crate::team;
use crate::team::share::Share;

/// A search that has not begun.
#[derive(Clone, Debug)]
pub struct Search {
    spec: SearchSpec,
    /// Where results go.
    out: PathBuf,
    resumes: bool,
    /// One that another process has started.
    worker: Option<Share>,
    /// What workers are started with, as `gimlet run`.
    program: Option<PathBuf>,
    interrupt: Interrupt,
}

/// A search that is ready.
pub struct Ready {
    pub explorer: Explorer,
    pub manifest: Manifest,
    seeds: Vec<Input>,
}

/// A search that is over.
pub struct Searched {
    pub end: End,
    pub explorer: Explorer,
    pub manifest: Manifest,
}

impl Search {
    /// An error if no search can be as the spec says, whatever the program is.
    pub fn new(spec: SearchSpec) -> Result<Search, ExploreError> {
        spec.check()?;
        let Some(out) = spec.output.folder.clone() else {
            return Err(ExploreError::refused("there is no folder for the results", "name one with -o OUT"));
        };
        Ok(Search { spec, out, resumes: false, worker: None, program: None, interrupt: None })
    }

    /// Goes on with the search whose results are where this one's are to be.
    pub fn resuming(self, resumes: bool) -> Search {
        Search { resumes, ..self }
    }

    /// As one of several workers, that another one has started.
    pub fn of_worker(self, worker: Option<Share>) -> Search {
        Search { worker, ..self }
    }

    /// Other workers are processes of this program, the command line of Gimlet.
    pub fn with_workers_of(self, program: PathBuf) -> Search {
        Search { program: Some(program), ..self }
    }

    /// Ends when the flag is set.
    pub fn interrupted_by(self, interrupt: Interrupt) -> Search {
        Search { interrupt, ..self }
    }

    pub fn spec(&self) -> &SearchSpec {
        &self.spec
    }

    /// Where the results are, those of all workers.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Searches until there is a reason to end. What was found is on disk at any time.
    pub fn run(self, watcher: &mut dyn Watcher) -> Result<Searched, ExploreError> {
        let Ready { mut explorer, manifest, seeds } = self.begin(&mut |note| watcher.note(note))?;
        let end = explorer.explore(seeds, watcher)?;
        Ok(Searched { end, explorer, manifest })
    }

    /// Makes everything ready, the workers included.
    pub fn begin(&self, tell: &mut dyn FnMut(&str)) -> Result<Ready, ExploreError> {
        let mut notes = Notes::to(tell);
        if self.worker.is_none() {
            self.check()?;
        }
        let start = self.start(&mut notes)?;
        self.check_workers(&start.manifest, &mut notes)?;
        let settings = settings(self, &start)?;
        let mut options = self.options(&start, settings.builds.memory.is_some(), &mut notes)?;
        let generators = Generators::new(&start, &mut options, &mut notes)?;
        let Start { subject, manifest, seeds, resume } = start;
        let cores = if self.share(&manifest).is_leader() { workers::cores(manifest.n_workers()) } else { Vec::new() };
        if let Some(&core) = cores.first() {
            // It works without.
            let _ = cores::bind(core);
        }
        let mut explorer = Explorer::new(&subject.program, &subject.args, options, settings)?;
        self.tell_of_builds(&explorer, &mut notes);
        generators.give_to(&mut explorer);
        if let Some(parts) = manifest.parts() {
            explorer.watch_parts(parts);
        }
        manifest.write(&self.results())?;
        let place = explorer.settings.place.clone();
        if place.share.is_leader() && !place.share.is_whole() {
            explorer.lead(self.start_workers(&place, &manifest, resume.is_some(), &cores)?);
        }
        Ok(Ready { explorer, manifest, seeds })
    }

    /// Where tests go: those of a worker to a folder of its own.
    fn results(&self) -> PathBuf {
        team::folder(&self.out, self.worker.map_or(0, |share| share.number))
    }

    fn share(&self, manifest: &Manifest) -> Share {
        self.worker.unwrap_or(Share { number: 0, n_workers: manifest.n_workers() })
    }

    /// How the program is run.
    fn options(&self, start: &Start, has_memory: bool, notes: &mut Notes) -> Result<TargetOptions, ExploreError> {
        let mut options = options(&start.subject, self.interrupt);
        options.file_names.clone_from(&start.manifest.files);
        options.checks_memory = has_memory;
        if start.manifest.spec.findings.leaks == Some(true) {
            options.variables.push((LEAKS_ENV.to_owned(), "1".into()));
            if !has_memory {
                let hint = "compile with gimlet-cc --with=memory";
                return Err(ExploreError::refused(
                    "--leaks needs the build that checks memory, and there is none",
                    hint,
                ));
            }
        }
        if self.spec.program.sandbox == Some(false) {
            notes.say("the program is not confined: it may do whatever its input makes it do");
        } else {
            options.confinement = Confinement::probe();
            options.confinement.report().missing.iter().for_each(|missing| notes.say(missing));
        }
        Ok(options)
    }

    fn tell_of_builds(&self, explorer: &Explorer, notes: &mut Notes) {
        if explorer.settings.builds.plain.is_none() {
            notes.say("there is no plain build beside the program: findings are looked at on the instrumented one");
        }
        if explorer.settings.builds.edges.is_none() {
            notes.say("there is no build with counters beside the program: coverage is that of symbolic branches only");
        }
        if explorer.settings.place.share.is_leader() {
            explorer.runner.objects.advice().iter().for_each(|advice| notes.say(advice));
        }
    }
}

/// How a program is run among many times.
fn options(subject: &Subject, interrupt: Interrupt) -> TargetOptions {
    TargetOptions {
        limits: subject.limits.clone(),
        output: Output::Null,
        file_names: subject.file_names(),
        strings: subject.strings,
        world: subject.world,
        interrupt,
        ..TargetOptions::default()
    }
}

impl Ready {
    /// Searches until there is a reason to end.
    pub fn explore(&mut self, watcher: &mut dyn Watcher) -> Result<End, ExploreError> {
        self.explorer.explore(std::mem::take(&mut self.seeds), watcher)
    }
}

impl Searched {
    pub fn findings(&self) -> &[Finding] {
        &self.explorer.known.findings.all
    }

    pub fn n_tests(&self) -> usize {
        self.explorer.known.corpus.n_tests()
    }
}
