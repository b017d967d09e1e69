//! Symbolic strings: where they come from, and where an earlier search stopped taking them.

use std::rc::Rc;

use gimlet_exec::ExecError;
use gimlet_store::Record;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;
use rustc_hash::FxHashSet;

use super::cover::Passed;
use super::{Explorer, Watcher};
use crate::corpus::string_of;
use crate::error::ExploreError;
use crate::findings;
use crate::make::strings::{Source, Strings, SymbolicString, Taken};
use crate::run::job::{Job, Origin, RunId};
use crate::strategy::Priority;

/// What the store notes the number of strings under: no folder has such a name.
const STRINGS_KEY: &str = "strings/";

impl Explorer {
    /// Takes symbolic strings from a source, for the strategy that explores them.
    pub fn take_strings_from(&mut self, source: Source) {
        self.makers.strings = Some(Strings::new(source));
    }

    /// Strings that an earlier search took are of use for its build only.
    fn strings_key(&self) -> String {
        format!("{STRINGS_KEY}{:016x}", self.runner.build)
    }

    /// Takes the next string, or notes that there is none. Each worker has its part of them.
    pub(super) fn take_string(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let (share, key) = (self.share(), self.strings_key());
        let Some(strings) = &mut self.makers.strings else {
            self.scheduler.sources.flips.out_of_strings();
            return Ok(());
        };
        let taken = strings.take(|number| share.has(number));
        self.known.corpus.synced(&key, strings.n_taken());
        match taken {
            Taken::String(string) => self.begin_string(string, watcher)?,
            Taken::Skipped => {}
            Taken::Nothing => self.scheduler.sources.flips.out_of_strings(),
        }
        Ok(())
    }

    fn begin_string(&mut self, string: Rc<SymbolicString>, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        self.known.counts.strings += 1;
        let input = string.input(&self.settings.given.layout, &self.settings.given.primary);
        let brings_nothing = self.brings_nothing(&input, watcher)?;
        let job = Job {
            input,
            origin: Origin::Grammar,
            bound: 0,
            visited: Vec::new(),
            expectation: None,
            string: Some(string),
        };
        if !self.known.corpus.offer(&job) {
            self.known.counts.duplicates += 1;
        } else {
            self.scheduler.offer(job, if brings_nothing { Priority::Lowest } else { Priority::High });
        }
        Ok(())
    }

    /// Whether an input takes no branch that others did not take, and ends well, as a quick run tells.
    fn brings_nothing(&mut self, input: &Input, watcher: &mut dyn Watcher) -> Result<bool, ExploreError> {
        let (brings_nothing, outcome) = self.look_quickly(input)?;
        let doubt = outcome.and_then(|outcome| self.tokens.fit.end(outcome));
        doubt.iter().for_each(|doubt| watcher.note(doubt));
        Ok(brings_nothing)
    }

    /// The same, with how it ends.
    pub(super) fn look_quickly(&mut self, input: &Input) -> Result<(bool, Option<Outcome>), ExploreError> {
        let (limit, longest) = (self.limit(), self.runner.longest());
        let Some(covered) = &mut self.runner.covered else { return Ok((false, None)) };
        match covered.run(limit, longest, input) {
            Ok(Passed { run, stopped }) => {
                let is_bad = stopped.is_some() || findings::is_suspicious(run.outcome);
                let brings_nothing = !is_bad && !covered.coverage.has_new(&run.counters);
                self.note_reached(input);
                Ok((brings_nothing, stopped.or(Some(run.outcome))))
            }
            Err(ExecError::Interrupted) => Err(ExecError::Interrupted.into()),
            // It is looked at later.
            Err(_) => Ok((false, None)),
        }
    }

    /// Goes on behind the strings that an earlier search took, and keeps those of which something is left.
    pub(super) fn take_up_strings(
        &mut self,
        synced: &[(String, u64)],
        waiting: &[Record],
        open: &[u64],
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let key = self.strings_key();
        let n_taken = synced.iter().find(|(name, _)| *name == key).map_or(0, |&(_, n_taken)| n_taken);
        let mut left: FxHashSet<u64> = waiting.iter().filter_map(|record| string_of(&record.maker)).collect();
        for &run in open {
            let record = self.known.corpus.run(run as RunId)?;
            left.extend(record.and_then(|record| string_of(&record.maker)));
        }
        while let Some(strings) = self.makers.strings.as_mut().filter(|strings| strings.n_taken() < n_taken) {
            match strings.take(|number| left.contains(&number)) {
                Taken::String(string) => drop(self.makers.left_strings.insert(string.number, string)),
                Taken::Skipped => {}
                Taken::Nothing => {
                    watcher.note("there are fewer strings than there were: is it the same grammar?");
                    self.known.counts.lost.dropped += 1;
                    break;
                }
            }
            if self.runner.is_interrupted() {
                return Err(ExecError::Interrupted.into());
            }
        }
        Ok(())
    }

    /// Why the strings may not be what the program reads.
    pub fn doubt_about_strings(&self) -> Option<String> {
        self.tokens.fit.doubt()
    }

    /// The string that an input of an earlier search is of.
    pub(super) fn string_again(&self, record: &Record) -> Option<Rc<SymbolicString>> {
        self.makers.left_strings.get(&string_of(&record.maker)?).cloned()
    }
}
