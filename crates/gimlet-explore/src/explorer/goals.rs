//! Leading other sentences to where nobody was: [`Goal`] says why.

use std::time::Instant;

use gimlet_grammar::TerminalId;
use gimlet_path::Direction;
use gimlet_store::Verdict;
use gimlet_trace::Input;

use super::questions::{LONGEST_FIRST_ATTEMPT, SHORTEST_KILL};
use super::{Explorer, Made, Watcher};
use crate::ask::expand::{Asking, Followed};
use crate::corpus::Answered;
use crate::error::ExploreError;
use crate::run::job::{Job, Origin, RunId};
use crate::run::seen::Seen;
use crate::run::walk::{hash, Level};
use crate::schedule::Goal;
use crate::strategy::Ordered;

/// Sentences near each text of a goal, and runs that one of them may take.
const N_KIN: usize = 40;
const N_RUNS_A_KIN: usize = 8;
/// Sentences that are near one that took a new branch: to look for another such branch takes no trace.
const N_KIN_OF_NEW: usize = 160;

/// A goal that was too hard so often is given up.
const N_TOO_HARD: usize = 3;

/// Tokens before and behind a text by which contexts are told apart.
const N_AMONG: usize = 4;

/// Bytes by which a text is longer that is tried first: it holds what all shorter ones do, where digits may be noughts.
const N_LONGER: usize = 5;

impl Explorer {
    /// Notes what was impossible on the path of a run, and might not be on others.
    pub(super) fn note_goals(&mut self, followed: &Followed, answers: &[Answered]) {
        if !followed.walk.has_tokens || !self.plan().only_sentences {
            return;
        }
        let Some(tokens) = followed.freedom.as_ref().and_then(|freedom| freedom.tokens.as_ref()) else { return };
        for answered in answers {
            let step = answered.flip.step;
            let Some(Ordered(direction)) = answered.flip.direction else { continue };
            let near = tokens.texts_of(step);
            // What is too hard here may be easy there.
            let is_missed = matches!(answered.verdict, Verdict::Unsat | Verdict::Unknown | Verdict::Deferred);
            if !is_missed || near.is_empty() || direction == Direction::Unpinned {
                continue;
            }
            let wanted = (followed.walk.stops[step].name(Level::Site), direction);
            // What is computed, and what it stands among.
            let among = |token: u32| {
                tokens.sentence.tokens.iter().skip((token as usize).saturating_sub(N_AMONG)).take(2 * N_AMONG)
            };
            let among: Vec<TerminalId> = near.iter().flat_map(|&token| among(token)).copied().collect();
            if !self.scheduler.sources.goals.is_wanted(wanted, hash(&(tokens.shape(step), among)), &self.known.seen) {
                continue;
            }
            self.scheduler.sources.goals.add(Goal::new(followed, tokens, step, direction));
        }
    }

    /// Leads one sentence to a goal, as far as it goes.
    pub(super) fn follow_goal(&mut self, watcher: &mut dyn Watcher) -> Result<(), ExploreError> {
        let Some(mut goal) = self.scheduler.sources.goals.take(&self.known.seen) else { return Ok(()) };
        if goal.kin.is_none() {
            goal.kin = Some(self.kin(&goal.input, &goal.tokens, N_KIN).into());
        }
        let first = goal.kin.as_mut().and_then(|kin| kin.pop_front());
        let mut waiting: Vec<Input> = first.map(|text| self.with_text(&goal.input, &text)).into_iter().collect();
        let mut tried: Vec<Input> = Vec::new();
        while let Some(input) = waiting.pop().filter(|_| tried.len() < N_RUNS_A_KIN && !goal.is_over) {
            if self.end().is_some() {
                break;
            }
            if !tried.contains(&input) {
                waiting.extend(self.lead_on(&mut goal, &input, watcher)?);
                tried.push(input);
            }
        }
        self.scheduler.sources.goals.put_back(goal);
        Ok(())
    }

    /// Texts of sentences that say something else near some tokens of an input.
    fn kin(&mut self, input: &Input, tokens: &[u32], n_max: usize) -> Vec<Vec<u8>> {
        let Some(language) = &mut self.tokens.language else { return Vec::new() };
        let text = input.source(&self.settings.given.primary).map_or(&[][..], |source| &source.bytes);
        let Some(sentence) = language.scan(text) else { return Vec::new() };
        let mut all: Vec<Vec<u8>> = Vec::new();
        for &token in tokens {
            for other in language.rephrased(&sentence.tokens, token as usize, n_max) {
                all.extend(language.text_of(&other, text).filter(|text| self.settings.lengths.allows(text.len(), 0)));
            }
        }
        all
    }

    fn with_text(&self, input: &Input, text: &[u8]) -> Input {
        let mut input = input.clone();
        let sources = input.sources.iter_mut().filter(|source| source.name == self.settings.given.primary);
        sources.for_each(|source| source.bytes = text.to_vec());
        input
    }

    /// Whether an input takes a branch that nobody took, as far as counters tell; then it becomes part of the search at once.
    fn run_if_new(&mut self, goal: &Goal, input: Input, watcher: &mut dyn Watcher) -> Result<bool, ExploreError> {
        if self.end().is_some() || !matches!(self.look_quickly(&input)?, (false, Some(_))) {
            return Ok(false);
        }
        let origin = Origin::Word { parent: goal.run, name: None };
        let job = Job::of(input, origin);
        let is_new = self.known.corpus.offer(&job);
        if is_new {
            self.run(job, watcher)?;
        }
        Ok(is_new)
    }

    /// Runs an input, and asks for the turn that leads it towards a goal; what to try next, the best last.
    fn lead_on(
        &mut self,
        goal: &mut Goal,
        input: &Input,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<Input>, ExploreError> {
        let is_new = self.run_if_new(goal, input.clone(), watcher)?;
        if self.end().is_some() {
            return Ok(Vec::new());
        }
        let run = self.known.counts.executions as RunId;
        let made = Made { input: input.clone(), bound: 0, visited: Vec::new(), string: None, has_tokens: true };
        let Some(mut followed) = self.follow(run, &made)? else { return Ok(Vec::new()) };
        let tokens = followed.freedom.as_ref().and_then(|freedom| freedom.tokens.as_ref());
        let Some(tokens) = tokens else { return Ok(Vec::new()) };
        goal.is_over = goal.is_reached(&followed.walk, tokens);
        if is_new {
            // What it says beside that may matter now.
            let near = goal.tokens_of(&followed.walk, tokens);
            for text in self.kin(input, &near, N_KIN_OF_NEW) {
                let other = self.with_text(input, &text);
                self.run_if_new(goal, other, watcher)?;
            }
        }
        if goal.is_over {
            return Ok(Vec::new());
        }
        // If there is none, saying it otherwise makes no difference.
        let Some(flip) = goal.flip(&followed.walk, tokens) else { return Ok(Vec::new()) };
        let deadline = self.deadline();
        let interrupt = self.runner.options.interrupt;
        let is_stopped = || {
            gimlet_exec::watch::is_interrupted(interrupt) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        if let Some(deadline) = deadline {
            let left = deadline.saturating_duration_since(Instant::now()).clamp(SHORTEST_KILL, LONGEST_FIRST_ATTEMPT);
            self.asker.chain.kill_after(left);
            self.asker.joint.kill_after(left);
        }
        let language = self.tokens.language.as_mut();
        let mut asking = Asking {
            chain: &mut self.asker.chain,
            optimistic: None,
            joint: language.map(|language| (language, &mut self.asker.joint)),
            primary: &self.settings.given.primary,
            lengths: self.settings.lengths,
            // What is tried here is nobody else's business.
            seen: &mut Seen::default(),
            is_stopped: &is_stopped,
            slice: None,
            end: None,
        };
        let expanded = followed.expand(&[flip], &mut asking);
        goal.n_too_hard += expanded.unknown.len();
        goal.is_over |= goal.n_too_hard >= N_TOO_HARD;
        let mut inputs: Vec<Input> = expanded.jobs.into_iter().map(|job| job.input).collect();
        inputs.sort_by_key(|other| std::cmp::Reverse(other.len().abs_diff(input.len() + N_LONGER)));
        Ok(inputs)
    }
}
