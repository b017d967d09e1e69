//! What a search begins with, or goes on with.

use std::ffi::{OsStr, OsString};
use std::iter::once;

use gimlet_exec::image::find_program;
use gimlet_trace::Input;

use super::Search;
use crate::corpus::folder::Folder;
use crate::corpus::{self, MANIFEST};
use crate::error::ExploreError;
use crate::explorer::Resume;
use crate::manifest::Manifest;
use crate::notes::Notes;
use crate::program::language::Language;
use crate::program::subject::{Allowance, Subject};
use crate::spec::{BuildHashes, OutputSpec, SearchSpec, StopSpec, TeamSpec};
use crate::strategy::Kind;

/// What the search is of, and its first inputs.
pub struct Start {
    pub subject: Subject,
    pub manifest: Manifest,
    pub seeds: Vec<Input>,
    /// There is an earlier search.
    pub resume: Option<Resume>,
}

impl Search {
    pub(super) fn start(&self, notes: &mut Notes) -> Result<Start, ExploreError> {
        self.check_hashes()?;
        if self.resumes {
            self.resumed(notes)
        } else {
            self.begun(notes)
        }
    }

    /// Builds and grammars that the spec names by their hashes are these and no others.
    fn check_hashes(&self) -> Result<(), ExploreError> {
        let wanted = &self.spec.program.builds;
        if *wanted != BuildHashes::default() {
            let program = &self.spec.program.path;
            // Whether it is there at all is said here, and not as a hash.
            find_program(program)?;
            if let Some(build) = wanted.first_other(&BuildHashes::of(program)) {
                let message = format!("{}: its {build} build is not the one that the spec is of", program.display());
                return Err(ExploreError::refused(message, "leave program.builds out to search what is there"));
            }
        }
        let hashes = &self.spec.grammar.hashes;
        match Language::of(&self.spec).filter(|_| !hashes.is_empty()) {
            None => Ok(()),
            Some(language) => match language.changed_file(hashes)? {
                None => Ok(()),
                Some(path) => {
                    let message = format!("{} is not the file that the spec is of", path.display());
                    Err(ExploreError::refused(message, "leave grammar.hashes out to search with what is there"))
                }
            },
        }
    }

    fn subject(&self, spec: &SearchSpec) -> Subject {
        Subject::new(&spec.program, &spec.input, &spec.limits, Allowance::OF_MANY)
    }

    /// A search from its beginning.
    fn begun(&self, notes: &mut Notes) -> Result<Start, ExploreError> {
        let subject = self.subject(&self.spec);
        let layout = subject.layout(self.interrupt)?;
        let seeds = self.first_seeds(&subject, &layout, notes)?;
        let seeds = super::stretch::stretched(&self.spec, seeds)?;
        let mut manifest = Manifest::new(&self.spec, &subject, &layout, &seeds)?;
        if let Some(share) = self.worker {
            manifest.spec.team.jobs = u16::try_from(share.n_workers).ok();
        }
        Ok(Start { subject, manifest, seeds, resume: None })
    }

    /// A search that goes on: what the user does not say is as it was.
    fn resumed(&self, notes: &mut Notes) -> Result<Start, ExploreError> {
        // A worker has what the first one found to be so.
        let names_program = !self.spec.program.path.as_os_str().is_empty() && self.worker.is_none();
        if names_program && !self.out.join(MANIFEST).exists() {
            let start = self.begun(notes)?;
            if Folder::is_occupied(&self.out) {
                return Ok(Start { resume: Some(Resume { has_same_name: true }), ..start });
            }
            notes.say(&format!("there is nothing in {} to go on with: the search begins", self.out.display()));
            return Ok(start);
        }
        let old = Manifest::read(&self.out)?;
        let mut has_same_name = true;
        if names_program {
            has_same_name = find_program(&self.spec.program.path)? == old.program();
            self.check_same_command(&old)?;
        }
        let mut manifest = self.continued(old)?;
        if manifest.strategy() == Kind::Cese {
            self.without_max_len()?;
            self.same_language(&mut manifest)?;
        } else if let Some(language) = Language::of(&manifest.spec)
            && let Some(path) = language.changed_file(&manifest.spec.grammar.hashes)?
        {
            notes.say(&format!(
                "{} has changed since the search began: mutants follow what it says now",
                path.display()
            ));
            manifest.spec.grammar.hashes = language.hashes()?;
        }
        if names_program {
            manifest.spec.program.path = find_program(&self.spec.program.path)?;
        }
        let subject = self.subject(&manifest.spec);
        let seeds = self.seeds_again(&subject, &manifest, notes)?;
        Ok(Start { subject, manifest, seeds, resume: Some(Resume { has_same_name }) })
    }

    /// The tests of an earlier search are of use for its command only.
    fn check_same_command(&self, old: &Manifest) -> Result<(), ExploreError> {
        let now = self.spec.over(&earlier(&old.spec))?;
        let subject = self.subject(&now);
        let mut layout = subject.layout(self.interrupt)?;
        layout.sources.iter_mut().for_each(|source| source.bytes.clear());
        if subject.args == old.args() && layout == old.layout() {
            return Ok(());
        }
        let command = once(old.program().as_os_str()).chain(old.args().iter().map(OsString::as_os_str));
        let command: Vec<_> = command.map(OsStr::to_string_lossy).collect();
        let message = format!("{} holds the tests of another command: {}", self.out.display(), command.join(" "));
        let hint = "leave the program out to go on with that, or name another folder with -o";
        Err(ExploreError::refused(message, hint))
    }

    /// The manifest of an earlier search, with what the user says now.
    fn continued(&self, old: Manifest) -> Result<Manifest, ExploreError> {
        let jobs = self.spec.team.jobs.map(usize::from);
        if let Some(jobs) = jobs.filter(|&jobs| jobs != old.n_workers()) {
            let message = format!("the search in {} has --jobs {}, not {jobs}", self.out.display(), old.n_workers());
            return Err(ExploreError::refused(message, "what is left to ask is divided among them: leave --jobs out"));
        }
        let mut spec = self.spec.over(&earlier(&old.spec))?;
        let says_grammar = self.spec.grammar != Default::default();
        if !says_grammar && !old.spec.grammar.hashes.is_empty() {
            // Strings of a grammar keep their bound.
            spec.strategy.len = old.spec.strategy.len;
        }
        if says_grammar && Language::of(&spec) != Language::of(&old.spec) {
            let message = format!("the search in {} has another grammar, or other parts of it", self.out.display());
            let hint = "leave --grammar and what belongs to it out to go on, or name another folder with -o";
            return Err(ExploreError::refused(message, hint));
        }
        spec.grammar.hashes.clone_from(&old.spec.grammar.hashes);
        Ok(Manifest { spec, ..old })
    }

    /// Strings are remembered by their numbers, which are those of other strings once a file says something else.
    fn same_language(&self, manifest: &mut Manifest) -> Result<(), ExploreError> {
        let Some(language) = Language::of(&manifest.spec) else { return Ok(()) };
        let hashes = &mut manifest.spec.grammar.hashes;
        if let Some(path) = language.changed_file(hashes)? {
            let message = format!("{} has changed since the search in {} began", path.display(), self.out.display());
            let hint = "its strings are others now: put the file back, or name another folder with -o";
            return Err(ExploreError::refused(message, hint));
        }
        if hashes.is_empty() {
            *hashes = language.hashes()?;
        }
        Ok(())
    }

    /// What a search that goes on is given. One that was stopped before it kept anything begins as it did.
    fn seeds_again(
        &self,
        subject: &Subject,
        manifest: &Manifest,
        notes: &mut Notes,
    ) -> Result<Vec<Input>, ExploreError> {
        if matches!(manifest.strategy(), Kind::Cese | Kind::GrammarBlackbox) {
            return Ok(Vec::new());
        }
        let has_tests = corpus::tests(&self.results().join(corpus::QUEUE)).is_ok_and(|tests| !tests.is_empty());
        let has_seeds = !self.spec.seeds.paths.is_empty();
        if !has_seeds && has_tests {
            return Ok(Vec::new());
        }
        let mut known = Vec::new();
        if self.worker.is_some() && !has_tests {
            known = super::workers::seeds(&self.out, &manifest.given, &manifest.primary);
        }
        if known.is_empty() || has_seeds {
            known.extend(self.later_seeds(subject, manifest, notes)?);
        }
        Ok(known)
    }
}

/// What an earlier search says of one that goes on: not when it was to stop, and what else is for that time.
fn earlier(spec: &SearchSpec) -> SearchSpec {
    let mut spec = spec.clone();
    spec.program.builds = BuildHashes::default();
    // Whoever made the folder has no say in what its program may do to us.
    spec.program.sandbox = None;
    // Tests that were kept without stretches are worth them.
    spec.strategy.stretches = None;
    spec.stop = StopSpec::default();
    spec.team = TeamSpec { jobs: spec.team.jobs, sync: None };
    spec.output = OutputSpec::default();
    spec
}
