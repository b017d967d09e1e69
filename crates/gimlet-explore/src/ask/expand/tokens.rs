//! Other tokens, and other tokens and bytes at once.

use gimlet_expr::{BinOp, ExprId};
use gimlet_grammar::chance::Chance;
use gimlet_grammar::TerminalId;
use gimlet_joint::{Other, Question, Tokens};
use gimlet_path::{Alternative, Direction, Step};
use gimlet_solver::Answer;
use gimlet_trace::Input;

use super::{Asking, Followed, Fork};
use crate::run::job::{Job, Origin};
use crate::run::seen::TokenPlace;

/// Sentences that are tried for one direction: of those where each token is a direction of its own, and otherwise.
const N_OPEN: usize = 64;
const N_CLOSED: usize = 3;
/// Tokens that are tried together with bytes, and places.
const N_TOGETHER: usize = 24;
const N_PLACES: usize = 2;
/// Lengths of texts that are tried where none of the present one will do.
const LENGTHS: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 16];

/// A place of a sentence, as far as it is told from others.
fn place(tokens: &[TerminalId], at: usize) -> TokenPlace {
    let pair = |at: usize| (at.checked_sub(1).and_then(|before| tokens.get(before).copied()), tokens.get(at).copied());
    let (before, present) = pair(at);
    (before, present, (0..at).filter(|&earlier| pair(earlier) == (before, present)).count())
}

impl Followed {
    fn tokens(&self) -> Option<&Tokens> {
        self.freedom.as_ref()?.tokens.as_ref()
    }

    pub(super) fn is_folded(&self, step: usize) -> bool {
        self.tokens().is_some_and(|tokens| tokens.is_folded(step))
    }

    /// The text that consists of tokens.
    fn text(&self, primary: &str) -> &[u8] {
        self.trace.input.source(primary).map_or(&[], |source| &source.bytes)
    }

    fn with_text(&self, primary: &str, text: &[u8]) -> Input {
        let mut input = self.trace.input.clone();
        let sources = input.sources.iter_mut().filter(|source| source.name == primary);
        sources.for_each(|source| source.bytes = text.to_vec());
        input
    }

    /// Whether an input is as the language has it.
    pub(super) fn is_right(&self, input: &Input, asking: &mut Asking) -> bool {
        let Some((language, _)) = &mut asking.joint else { return true };
        input.source(asking.primary).is_none_or(|source| language.is_right(&source.bytes))
    }

    /// Inputs with another token, with which a step goes another way.
    pub(super) fn other_tokens(
        &self,
        number: usize,
        step: &Step,
        alternative: Alternative,
        asking: &mut Asking,
    ) -> Vec<Job> {
        let Some(tokens) = self.tokens().filter(|tokens| !tokens.of_step(number).is_empty()) else {
            return Vec::new();
        };
        let Some((language, _)) = &mut asking.joint else { return Vec::new() };
        let conditions = |step: usize| self.path.steps[step].condition;
        let (dag, flat) = (&self.path.dag, &self.flat[..]);
        let question = Question {
            dag,
            flat,
            conditions: &conditions,
            step: number,
            wanted: alternative.condition,
            is_stopped: asking.is_stopped,
        };
        let n_max = if step.is_open() { N_OPEN } else { N_CLOSED };
        let mut jobs = Vec::new();
        for other in language.others(tokens, &question, n_max) {
            if step.is_open() && !asking.seen.try_token(place(&tokens.sentence.tokens, other.token), other.terminal) {
                continue;
            }
            let text = language.text_of(&other.tokens, self.text(asking.primary));
            let text = text.filter(|text| asking.lengths.allows(text.len(), self.trace.input.len()));
            jobs.extend(text.map(|text| self.job_with(number, step, alternative, &other, &text, asking.primary)));
        }
        jobs
    }

    fn job_with(
        &self,
        number: usize,
        step: &Step,
        alternative: Alternative,
        other: &Other,
        text: &[u8],
        primary: &str,
    ) -> Job {
        // What was done with the text of the token that is another one now is done no more.
        let is_foretold = self.tokens().is_some_and(|tokens| !tokens.is_read_before(number, other.token));
        Job {
            input: self.with_text(primary, text),
            origin: Origin::Flip { parent: self.run, site: step.site, direction: alternative.direction },
            bound: if is_foretold { number + 1 } else { 0 },
            visited: Vec::new(),
            expectation: is_foretold.then(|| self.expectation(number, Some(alternative.direction))),
            string: None,
        }
    }

    /// Inputs with another token and other bytes, where neither alone makes a step go another way.
    pub(super) fn tokens_and_bytes(
        &mut self,
        number: usize,
        step: &Step,
        alternative: Alternative,
        asking: &mut Asking,
    ) -> Vec<Job> {
        let Some(tokens) = self.tokens() else { return Vec::new() };
        let places: Vec<u32> = tokens.of_step(number).iter().rev().copied().take(N_PLACES).collect();
        let mut jobs = Vec::new();
        for place in places {
            let Some((language, chain)) = &mut asking.joint else { break };
            let Some(freedom) = &self.freedom else { break };
            let Some(tokens) = &freedom.tokens else { break };
            let others = language.may_stand(tokens, number, place, N_TOGETHER, asking.is_stopped);
            let bytes = tokens.bytes(place).to_vec();
            let fixed: Vec<u32> = freedom.fixed().filter(|byte| !bytes.contains(byte)).collect();
            let said = freedom.conditions(&mut self.path.dag);
            // One equality for each token that may stand there.
            let mut cases: Vec<(Other, ExprId)> = Vec::new();
            for other in others {
                let Some(value) = language.value(other.terminal) else { continue };
                let mut all = alternative.condition;
                for (&byte, value) in bytes.iter().zip(value.to_le_bytes()) {
                    let (byte, value) = (self.path.dag.byte(byte), self.path.dag.constant(8, value.into()));
                    let is_equal = self.path.dag.binary(BinOp::Eq, byte, value);
                    all = self.path.dag.binary(BinOp::And, all, is_equal);
                }
                cases.push((other, all));
            }
            chain.begin_path(&self.path.dag, &self.flat);
            fixed.into_iter().for_each(|byte| chain.fix(byte));
            said.into_iter().for_each(|condition| chain.push(&self.path.dag, condition));
            for (earlier, step) in self.path.steps[..number].iter().enumerate() {
                if freedom.can_change_at_all(earlier) {
                    chain.push(&self.path.dag, step.condition);
                }
            }
            for (other, wanted) in cases {
                if (asking.is_stopped)() {
                    break;
                }
                let Answer::Sat(model) = chain.ask(&self.path.dag, wanted) else { continue };
                let input = self.trace.unflatten(&model.overlay(&self.flat));
                let previous = input.source(asking.primary).map_or(&[][..], |source| &source.bytes);
                if let Some(text) = language.text_of(&other.tokens, previous) {
                    jobs.push(self.job_with(number, step, alternative, &other, &text, asking.primary));
                }
            }
            chain.end_path();
        }
        jobs
    }

    /// An input with another text of a single token, where a step is too hard to be solved for with all of them: an equation
    /// of two numbers is hard, and one with a number that stays is easy.
    pub(super) fn other_text(&mut self, fork: &Fork, alternative: Alternative, asking: &mut Asking) -> Option<Job> {
        let tokens = self.tokens()?;
        let texts_of = tokens.texts_of(fork.number);
        let spans: Vec<(usize, usize)> =
            texts_of.iter().filter_map(|&token| tokens.sentence.spans.get(token as usize).copied()).collect();
        if spans.len() < 2 {
            return None;
        }
        for (from, to) in spans {
            if (asking.is_stopped)() {
                break;
            }
            let freedom = self.freedom.as_ref()?;
            let own = freedom.numbers(from, to);
            let said = freedom.conditions(&mut self.path.dag);
            let freedom = self.freedom.as_ref()?;
            let (_, chain) = asking.joint.as_mut()?;
            chain.begin_path(&self.path.dag, &self.flat);
            (0..self.flat.len() as u32).filter(|byte| !own.contains(byte)).for_each(|byte| chain.fix(byte));
            said.into_iter().for_each(|condition| chain.push(&self.path.dag, condition));
            for (earlier, step) in self.path.steps[..fork.number].iter().enumerate() {
                if freedom.can_change(earlier) {
                    chain.push(&self.path.dag, step.condition);
                }
            }
            let answer = chain.ask(&self.path.dag, alternative.condition);
            chain.end_path();
            if let Answer::Sat(model) = answer {
                let input = self.trace.unflatten(&model.overlay(&self.flat));
                if self.is_right(&input, asking) {
                    return Some(self.job(fork, alternative, input));
                }
            }
        }
        None
    }

    /// Inputs with longer and shorter texts, and other numbers, in place of those that a step looks at: with as many bytes as
    /// there are it goes no other way.
    pub(super) fn other_texts(
        &self,
        number: usize,
        step: &Step,
        direction: Direction,
        asking: &mut Asking,
    ) -> Vec<Job> {
        let Some(tokens) = self.tokens() else { return Vec::new() };
        let texts_of = tokens.texts_of(number);
        let Some(&last) = texts_of.first() else { return Vec::new() };
        let sentence = &tokens.sentence;
        // What it is compared with may depend on what stands before it.
        let before = |n: usize| (last as usize).checked_sub(n).and_then(|at| sentence.tokens.get(at).copied());
        let (stop, among) = (&self.walk.stops[number], [before(0), before(1), before(2)]);
        if !asking.seen.try_texts(stop, direction, &among, tokens.shape(number)) {
            return Vec::new();
        }
        let mut chance = Chance::new(self.walk.prefixes.get(number).copied().unwrap_or(0));
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let Some((language, _)) = &mut asking.joint else { return Vec::new() };
        for token in texts_of {
            let places = (sentence.tokens.get(token as usize), sentence.spans.get(token as usize));
            let (Some(&terminal), Some(&(from, to))) = places else { continue };
            let present = self.text(asking.primary);
            for len in LENGTHS.into_iter().filter(|&len| len != to - from) {
                if (asking.is_stopped)() {
                    break;
                }
                let Some(word) = language.word(terminal, len, &mut chance) else { continue };
                let text = [&present[..from], &word, &present[to..]].concat();
                let is_same = language.scan(&text).is_some_and(|it| it.tokens == sentence.tokens);
                texts.extend(is_same.then_some(text));
            }
        }
        let mut jobs: Vec<Job> = self.other_numbers(step, direction, asking.lengths);
        jobs.retain(|job| self.is_right(&job.input, asking));
        let job = |text: Vec<u8>| Job {
            input: self.with_text(asking.primary, &text),
            origin: Origin::Word { parent: self.run, name: None },
            bound: 0,
            visited: Vec::new(),
            expectation: None,
            string: None,
        };
        jobs.extend(texts.into_iter().map(job));
        jobs
    }
}
