//! Runs that ended as none should: what is wrong, whether it is known, whether the plain build does the same.

use std::path::Path;
use std::time::Duration;

use gimlet_exec::error::describe;
use gimlet_exec::locate::{locate, Crash, Frame};
use gimlet_exec::{run_plain, TargetOptions};
use gimlet_path::{PathCondition, StepKind};
use gimlet_report::{Build, Kind, ShownBy};
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, Trace};

use super::{Explorer, Watcher};
use crate::ask::expand::Followed;
use crate::corpus::content;
use crate::error::ExploreError;
use crate::findings::{self, same_end, Finding, LEISURE};
use crate::run::job::{Origin, RunId};
use crate::run::walk::hash;

/// Looks at runs that meet a limit take one part of so many of the time, but the first ones are free.
const PART_OF_TIME: u32 = 20;
const FIRST_LOOKS: Duration = Duration::from_secs(3);

/// Times the limit of a run that the plain build may take to show that it does not end. That is time of the processor: what
/// other processes of the machine take does not count (`is_late` of `gimlet-exec`).
const HANG_PATIENCE: u64 = 3;
/// Runs of the plain build, until one ends as the instrumented one did.
const N_LOOKS: usize = 3;
/// What is said of an end that the plain build does not repeat.
const ONLY_WITH_LABELS: &str =
    "; the plain build ends otherwise: the bug may depend on timing, on the layout of memory, or on \
                                memory that nobody has written to (gimlet-cc --with=memory,asan tells more)";
/// Tells ends behind an access that is not right from others that look alike.
const BEHIND: &str = "behind";

/// A run that ended as none should.
pub(super) struct BadEnd<'a> {
    pub input: &'a Input,
    pub outcome: Outcome,
    /// What is known of where it was: runs with the same are taken for the same.
    pub last_seen: u64,
    pub origin: Origin,
    /// On the instrumented build.
    pub run: Option<RunId>,
}

/// What a closer look at a run has shown.
struct Looked {
    crash: Crash,
    /// How it ended, with all its time.
    outcome: Outcome,
    shown_by: ShownBy,
    kind: Kind,
}

impl Explorer {
    /// Runs an input under the eyes of a tracer: on the memory build if there is one, whose word is the most precise, and on
    /// the plain build where that ends otherwise.
    fn look_closer(&self, input: &Input, outcome: Outcome) -> Result<Looked, ExploreError> {
        let mut options = self.runner.options.clone();
        if matches!(outcome, Outcome::Signalled(_)) {
            // Whether it crashes is asked here, not whether it is fast while somebody looks.
            options.limits.timeout_ms *= LEISURE;
        }
        // Checks take time: whether a run ends in time, the plain build says.
        if let Some(memory) = self.settings.builds.memory.as_ref().filter(|_| matches!(outcome, Outcome::Signalled(_)))
        {
            let crash = locate(memory, &self.runner.args, input, &options)?;
            if crash.violation.is_some() || same_end(crash.outcome, outcome) {
                let mut kind = findings::kind_with_memory(&crash);
                let is_trap = matches!(kind, Kind::NullDereference | Kind::WildDereference);
                if is_trap && self.traps_by_fill(memory, input, &options)? {
                    kind = Kind::Uninitialised;
                }
                return Ok(Looked { outcome: crash.outcome, crash, shown_by: Build::Memory.into(), kind });
            }
        }
        self.look_without_checks(input, outcome, &options)
    }

    /// The same on the plain build, several times if it ends otherwise: not every run of a program with threads, or with
    /// memory that nobody has written to, does the same. Then it is looked for on the instrumented build.
    fn look_without_checks(
        &self,
        input: &Input,
        outcome: Outcome,
        options: &TargetOptions,
    ) -> Result<Looked, ExploreError> {
        let is_hang = matches!(outcome, Outcome::TimedOut(_));
        let mut options = options.clone();
        if is_hang {
            // A busy machine makes runs slow, but not that slow.
            options.limits.timeout_ms *= HANG_PATIENCE;
        }
        let instrumented = (self.runner.target.program(), Build::Instrumented);
        let plain = self.settings.builds.plain.as_deref().map(|plain| (plain, Build::Plain));
        let n_looks = if matches!(outcome, Outcome::Signalled(_)) { N_LOOKS } else { 1 };
        let mut first = None;
        for (program, build) in plain.into_iter().cycle().take(n_looks).chain([instrumented]) {
            if build == Build::Instrumented && is_hang && plain.is_some() {
                // Labels take time.
                break;
            }
            let crash = locate(program, &self.runner.args, input, &options)?;
            // It was given up before it could show what it does with all its time.
            let outcome = if is_hang && findings::is_suspicious(crash.outcome) { crash.outcome } else { outcome };
            if same_end(crash.outcome, outcome) {
                let kind = findings::kind_of(&Crash { outcome, ..crash.clone() });
                return Ok(Looked { crash, outcome, shown_by: build.into(), kind });
            }
            first.get_or_insert(crash);
        }
        let crash =
            first.unwrap_or(Crash { outcome, frames: Vec::new(), is_overflow: false, fault: None, violation: None });
        let kind = findings::kind_of(&Crash { outcome, ..crash.clone() });
        Ok(Looked { crash, outcome, shown_by: ShownBy::default(), kind })
    }

    /// Whether another run that met a limit may be looked at: each takes all the time, or memory, that a run may have.
    pub(super) fn has_time_for_limits(&self) -> bool {
        !self.gives_up() || self.runner.looking < FIRST_LOOKS || self.runner.looking * PART_OF_TIME < self.now()
    }

    /// Finds out what is wrong, whether it is known, and whether the plain build does the same.
    pub(super) fn examine(&mut self, end: BadEnd, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let BadEnd { input, outcome, last_seen, origin, run } = end;
        let is_at_limit = met_limit(outcome);
        // A row of runs that do not end has a new place each time; where memory ends is soon known.
        let is_first = matches!(outcome, Outcome::OutOfMemory(_)) && !self.known.triage.is_known(outcome, last_seen);
        let has_time = !is_at_limit || is_first || self.has_time_for_limits();
        if !has_time || !self.known.triage.is_worth_a_look(outcome, last_seen) {
            return Ok(());
        }
        let start = self.now();
        let looked = self.look_closer(input, outcome)?;
        if is_at_limit {
            self.runner.looking += self.now() - start;
        }
        let Looked { crash, outcome, shown_by, kind } = looked;
        if crash.frames.is_empty() && shown_by.is_confirmed() && self.known.triage.is_known(outcome, last_seen) {
            // It was too fast to be looked at, and is most likely what was found there before.
            return Ok(());
        }
        let signature = findings::signature(kind, &crash.frames);
        // The labels cost time and memory; without them it keeps within its limits. What the build that checks accesses does
        // not see, the one with labels did to itself.
        let is_of_labels = met_limit(outcome);
        let is_doubtful = !shown_by.is_confirmed() && self.settings.builds.plain.is_some();
        if is_doubtful && (is_of_labels || self.settings.builds.memory.is_some() || shown_by == ShownBy::default()) {
            self.known.counts.unrepeated += 1;
            return Ok(());
        }
        let mut ended = crash.violation.as_ref().map_or_else(|| describe(outcome), |violation| violation.to_string());
        if is_doubtful {
            ended.push_str(ONLY_WITH_LABELS);
        } else if kind.is_hang() {
            ended = format!("{ended}, {HANG_PATIENCE} times --timeout, {shown_by}");
        }
        let wrong =
            Wrong { input, kind, shown_by, signal: signal_of(outcome), ended, stack: crash.frames, origin, run };
        if kind == Kind::HeapOutOfBounds && self.known.findings.get(signature).is_none() {
            // What comes of too small a block is no finding of its own.
            if let Some(size) = self.wrapped_size(input)? {
                let ended = format!("{}; then {}", size.text, wrong.ended);
                let stack = vec![size.frame];
                let kind = Kind::AllocationOverflow;
                self.note_wrong(Wrong { kind, stack, ended, ..wrong }, watcher);
                return Ok(());
            }
        }
        self.note_wrong(wrong, watcher);
        Ok(())
    }

    /// Looks at a run that ended badly, was stopped by the build with checks, or both.
    pub(super) fn examine_run(
        &mut self,
        followed: &Followed,
        outcome: Outcome,
        stopped: Option<Outcome>,
        (origin, run): (Origin, RunId),
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let last_seen = followed.trace.events.last();
        let last_seen = last_seen.map_or(0, |event| hash(&(event.site, event.kind, event.aux)));
        let input = &followed.trace.input;
        // It may have been given up early.
        let outcome = match outcome {
            Outcome::TimedOut(_) => Outcome::TimedOut(self.runner.options.limits.timeout_ms),
            outcome => outcome,
        };
        let end = |outcome| BadEnd { input, outcome, last_seen, origin, run: Some(run) };
        let Some(stopped) = stopped else { return self.examine(end(outcome), watcher) };
        self.examine(end(stopped), watcher)?;
        if findings::is_suspicious(outcome) {
            self.examine_behind(end(outcome), watcher)?;
        }
        Ok(())
    }

    /// Looks at a run that the build with checks stopped at an access, and that then ended badly without checks. What may be
    /// a consequence of that access is none of its own.
    pub(super) fn examine_behind(&mut self, end: BadEnd, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let BadEnd { input, outcome, last_seen, origin, run } = end;
        let (Some(plain), Outcome::Signalled(_)) = (&self.settings.builds.plain, outcome) else { return Ok(()) };
        if !self.known.triage.is_worth_a_look(outcome, hash(&(BEHIND, last_seen))) {
            return Ok(());
        }
        let mut options = self.runner.options.clone();
        options.limits.timeout_ms *= LEISURE;
        let crash = locate(plain, &self.runner.args, input, &options)?;
        if !same_end(crash.outcome, outcome) || findings::is_consequence(&crash) {
            return Ok(());
        }
        let wrong = Wrong {
            input,
            kind: findings::kind_of(&crash),
            shown_by: Build::Plain.into(),
            signal: signal_of(outcome),
            ended: format!("{}, behind an access to memory that is not right either", describe(outcome)),
            stack: crash.frames,
            origin,
            run,
        };
        self.note_wrong(wrong, watcher);
        Ok(())
    }

    /// Runs a seed, which ended well on other builds, on the plain one: some bugs show only with its layout of memory.
    pub(super) fn run_plainly(
        &mut self,
        input: &Input,
        run: Option<RunId>,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let Some(plain) = &self.settings.builds.plain else { return Ok(()) };
        let outcome = run_plain(plain, &self.runner.args, input, &self.runner.options)?.outcome;
        if signal_of(outcome).is_none() || !findings::is_suspicious(outcome) {
            return Ok(());
        }
        let last_seen = hash(&content(input));
        self.examine(BadEnd { input, outcome, last_seen, origin: Origin::Seed, run }, watcher)
    }

    /// Keeps what is wrong, if it is new, or the input is a smaller one.
    pub(super) fn note_wrong(&mut self, wrong: Wrong, watcher: &mut dyn Watcher) {
        let Wrong { input, kind, stack, shown_by, signal, ended, origin, run } = wrong;
        if self.known.suppressions.hide(kind, findings::culprit(&stack)) {
            return;
        }
        let signature = findings::signature(kind, &stack);
        if let Some(known) = self.known.findings.get(signature) {
            known.n_runs += 1;
            let is_better = !known.shown_by.is_confirmed() || input.len() < known.input.len();
            if !shown_by.is_confirmed() || !is_better {
                return self.known.corpus.found_again(known);
            }
            // What other builds do with one input says nothing of another.
            let (shown_by, ended) = self.ask_other_builds(input, kind, shown_by, ended);
            let Some(known) = self.known.findings.get(signature) else { return };
            (known.input, known.shown_by, known.ended) = (input.without_stretches(), shown_by, ended);
            return self.known.corpus.found(signature, known, run);
        }
        let (shown_by, ended) = self.ask_other_builds(input, kind, shown_by, ended);
        let id = self.known.findings.next_id();
        let story = self.known.corpus.story(origin, self.moment());
        let path = self.known.corpus.finding_path(kind, id, signal, input, &story);
        let frame = findings::culprit(&stack).cloned();
        let input = input.without_stretches();
        let finding = Finding { id, kind, frame, stack, shown_by, input, path, n_runs: 1, ended };
        watcher.found(&finding);
        self.known.corpus.found(signature, &finding, run);
        self.known.findings.add(signature, finding);
        self.note_kept();
    }

    /// Adds the builds that end badly with an input as well, and what the sanitizers say.
    fn ask_other_builds(
        &self,
        input: &Input,
        kind: findings::Kind,
        mut shown_by: ShownBy,
        ended: String,
    ) -> (ShownBy, String) {
        let plain = self.settings.builds.plain.as_ref().filter(|_| shown_by.has(Build::Memory));
        if plain.is_some_and(|plain| self.ends_badly(plain, input)) {
            shown_by = shown_by.with(Build::Plain);
        }
        match self.sanitizers(input) {
            Some(Ok(verdict)) => (shown_by.with(Build::Asan), format!("{ended}; sanitizers: {verdict}")),
            Some(Err(())) if kind.is_of_memory() => (shown_by, format!("{ended}; sanitizers do not see it")),
            // What the program itself ends by is no matter for sanitizers.
            Some(Err(())) if self.settings.builds.asan.as_ref().is_some_and(|asan| self.ends_badly(asan, input)) => {
                (shown_by.with(Build::Asan), ended)
            }
            _ => (shown_by, ended),
        }
    }

    /// Whether a build ends by a signal, whichever.
    fn ends_badly(&self, program: &Path, input: &Input) -> bool {
        let run = run_plain(program, &self.runner.args, input, &self.runner.options);
        run.is_ok_and(|run| signal_of(run.outcome).is_some() && findings::is_suspicious(run.outcome))
    }

    /// What the sanitizers say of an input, if there is a build with them; an error is that they say nothing.
    fn sanitizers(&self, input: &Input) -> Option<Result<String, ()>> {
        let asan = self.settings.builds.asan.as_ref()?;
        let run = run_plain(asan, &self.runner.args, input, &self.runner.options).ok()?;
        let said = String::from_utf8_lossy(&run.stderr.bytes);
        let verdict = said.lines().find_map(|line| {
            let word = |text: &str| text.split_whitespace().next().unwrap_or("").to_owned();
            let of_address = line.split_once("ERROR: AddressSanitizer: ").map(|(_, rest)| word(rest));
            let of_behaviour = || line.split_once("runtime error: ").map(|(_, rest)| rest.to_owned());
            of_address.or_else(of_behaviour)
        });
        Some(verdict.ok_or(()))
    }

    /// The first allocation of a run whose size wrapped around, if there is one; the program is run for it.
    fn wrapped_size(&mut self, input: &Input) -> Result<Option<Size>, ExploreError> {
        let Some(trace) = self.trace(input)? else { return Ok(None) };
        let mut path = PathCondition::from_trace(&trace)?;
        let wrapped = gimlet_checks::add_sizes(&mut path, &trace);
        Ok(wrapped.first().and_then(|&step| Size::at(&path, &trace, step)))
    }

    /// An allocation of a run got less than was meant. It is a finding if another run of the input shows the same.
    pub(super) fn note_wrapped(
        &mut self,
        followed: &Followed,
        origin: Origin,
        run: RunId,
        watcher: &mut dyn Watcher,
    ) -> Result<(), ExploreError> {
        let size = followed.wrapped.first().and_then(|&step| Size::at(&followed.path, &followed.trace, step));
        let Some(size) = size else { return Ok(()) };
        let input = &followed.trace.input;
        // Only labels tell how a size was computed.
        let is_repeated = self.wrapped_size(input)?.is_some_and(|again| again.frame == size.frame);
        let mut shown_by = ShownBy::default();
        if is_repeated {
            shown_by = shown_by.with(Build::Instrumented);
        }
        if is_repeated && self.settings.builds.memory.as_ref().is_some_and(|memory| self.ends_badly(memory, input)) {
            shown_by = shown_by.with(Build::Memory);
        }
        let wrong = Wrong {
            input,
            kind: Kind::AllocationOverflow,
            stack: vec![size.frame],
            shown_by,
            signal: None,
            ended: size.text,
            origin,
            run: Some(run),
        };
        self.note_wrong(wrong, watcher);
        Ok(())
    }
}

/// Whether a run took all of its time or memory.
pub(super) fn met_limit(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::TimedOut(_) | Outcome::OutOfMemory(_))
}

fn signal_of(outcome: Outcome) -> Option<i32> {
    match outcome {
        Outcome::Signalled(signal) => Some(signal),
        _ => None,
    }
}

/// Something that is wrong with a run.
pub(super) struct Wrong<'a> {
    pub input: &'a Input,
    pub kind: Kind,
    /// The innermost function first.
    pub stack: Vec<Frame>,
    pub shown_by: ShownBy,
    pub signal: Option<i32>,
    /// What was seen, in words.
    pub ended: String,
    pub origin: Origin,
    pub run: Option<RunId>,
}

/// The size of an allocation, which wrapped around.
struct Size {
    frame: Frame,
    text: String,
}

impl Size {
    /// That of the pin behind a step of [`gimlet_checks::add_sizes`].
    fn at(path: &PathCondition, trace: &Trace, step: usize) -> Option<Size> {
        let site = trace.site(path.steps.get(step)?.site)?;
        let StepKind::Pin { value, .. } = path.steps.get(step + 1)?.kind else { return None };
        let callee = site.callee.as_deref().unwrap_or("it");
        Some(Size {
            frame: Frame {
                function: site.function.clone(),
                file: Some(site.file.clone()),
                line: site.line,
                is_program: true,
            },
            text: format!(
                "allocates {value} bytes by {callee}: the size wrapped around when it was computed, which only labels show"
            ),
        })
    }
}
