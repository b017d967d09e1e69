//! Whether the program looks at its input, and whether that can be followed.

use gimlet_exec::run_plain;
use gimlet_exec::touched::Touched;
use gimlet_trace::{Input, Source, SourceKind};

use super::{tokens, Explorer, Watcher};
use crate::ask::expand::Followed;
use crate::error::ExploreError;
use crate::run::job::Origin;

/// What is counted as lost if the program's use of its input can't be followed.
const UNFOLLOWED: &str = "input read by code that is not instrumented, or by another process";

/// Characters of what a program said that are shown.
const SAID_MAX: usize = 200;

/// What is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reading {
    /// No run has read anything, and nobody has looked closer.
    #[default]
    Unknown,
    /// Some run depends on the input.
    Followed,
    /// Something reads it, but no condition says so.
    Unfollowed,
    /// Nobody does.
    Never {
        /// The input is elsewhere.
        reads_stdin: bool,
    },
}

impl Explorer {
    /// Takes in a run of a seed, or of any other input that was followed.
    pub(super) fn note_reading(
        &mut self,
        followed: &Followed,
        origin: Origin,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        // Where tokens are symbolic, what their function does is no step.
        if !followed.path.steps.is_empty() || tokens::has_any(&followed.trace) {
            self.known.reading = Reading::Followed;
        }
        if self.known.reading != Reading::Unknown || !matches!(origin, Origin::Seed | Origin::Grammar) {
            return Ok(());
        }
        let said;
        (self.known.reading, said) = self.look_at_reading(&followed.trace.input)?;
        match self.known.reading {
            Reading::Unfollowed => {
                self.known.counts.lost.dependencies += 1;
                *self.known.losses.entry(UNFOLLOWED.to_owned()).or_default() += 1;
                let who = match self.runner.objects.readers() {
                    readers if readers.is_empty() => {
                        "code that is not instrumented, a file or another process".to_owned()
                    }
                    readers => format!("{readers}, which is not instrumented"),
                };
                watcher.note(&format!(
                    "what the program does with its input can't be followed: it goes through {who}; mutation goes on without \
                     the solver"
                ));
            }
            Reading::Never { .. } => {
                watcher.note("the program never read its input: nothing that it does depends on that");
                if let Some(said) = said {
                    watcher.note(&format!("it said: {said}"));
                }
            }
            Reading::Unknown | Reading::Followed => {}
        }
        Ok(())
    }

    /// Runs the plain build to see who opens and reads what; with the last line of its complaints.
    fn look_at_reading(&self, input: &Input) -> Result<(Reading, Option<String>), ExploreError> {
        // Arguments and variables are given to a program, which may do anything with them.
        let is_visible = |source: &Source| {
            matches!(source.kind, SourceKind::Stdin | SourceKind::File | SourceKind::Path | SourceKind::Length)
        };
        if !input.sources.iter().all(is_visible) {
            return Ok((Reading::Unfollowed, None));
        }
        let mut input = input.without_stretches();
        let has_stdin = input.sources.iter().any(|source| source.kind == SourceKind::Stdin);
        if !has_stdin {
            input.push(SourceKind::Stdin, "stdin", "");
        }
        // Of an empty file nobody can tell whether it was read.
        let stdin = input.sources.iter_mut().find(|source| source.kind == SourceKind::Stdin);
        stdin.filter(|stdin| stdin.bytes.is_empty()).into_iter().for_each(|stdin| stdin.bytes.push(b'\n'));
        let program = self.settings.builds.plain.as_deref().unwrap_or_else(|| self.runner.target.program());
        let run = run_plain(program, &self.runner.args, &input, &self.runner.options)?;
        let Touched { stdin, opened } = run.touched;
        let reading = match stdin && has_stdin || !opened.is_empty() {
            true => Reading::Unfollowed,
            false => Reading::Never { reads_stdin: stdin },
        };
        let said = String::from_utf8_lossy(&run.stderr.bytes);
        let said = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
        Ok((reading, said.map(|line| line.chars().filter(|sign| !sign.is_control()).take(SAID_MAX).collect())))
    }
}
