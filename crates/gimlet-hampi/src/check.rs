//! Whether a value is one: asked of every answer before it is given.
//!
//! Expressions are followed byte by byte, in all their states at once (Thompson 1968), and grammars are asked of the chart
//! that says whether a string is a sentence. Neither is what finds values.

use gimlet_grammar::constraint::{Charts, TokenSet};
use gimlet_grammar::grammar::TerminalId;
use gimlet_grammar::parse::recognise::{Recogniser, Refusal};
use gimlet_grammar::regular::byte_set::ByteSet;
use rustc_hash::FxHashSet;

use super::problem::{Assertion, Cfg, Language, Problem};
use super::syntax::Reg;
use super::Gap;

/// Whether a value of the variable is as all assertions say, and of a size that it may have.
pub fn satisfies(problem: &Problem, value: &[u8]) -> bool {
    holds_all(problem, value, &|| false) == Ok(true)
}

pub(super) fn holds_all(problem: &Problem, value: &[u8], is_stopped: &dyn Fn() -> bool) -> Result<bool, Gap> {
    if !problem.sizes.contains(&(value.len() as u64)) {
        return Ok(false);
    }
    for assertion in &problem.assertions {
        if !holds(assertion, value, is_stopped)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn holds(assertion: &Assertion, value: &[u8], is_stopped: &dyn Fn() -> bool) -> Result<bool, Gap> {
    let text = assertion.text(value);
    let is_in = match &assertion.language {
        Language::Regular(reg) => matches(reg, &text, is_stopped)?,
        Language::ContextFree(cfg, len) => {
            len.is_none_or(|len| len == text.len() as u64) && derives(cfg, &text, is_stopped)?
        }
    };
    Ok(is_in != assertion.is_not)
}

fn derives(cfg: &Cfg, text: &[u8], is_stopped: &dyn Fn() -> bool) -> Result<bool, Gap> {
    let choices: Vec<Vec<TerminalId>> = text.iter().map(|&byte| terminals(cfg, byte).collect()).collect();
    let checked = Recogniser::new(&cfg.grammar).check_any(choices.iter().map(Vec::as_slice), is_stopped);
    match checked {
        Ok(()) => Ok(true),
        Err(Refusal::NoSentence(_)) => Ok(false),
        Err(Refusal::TooLong) => Err(Gap::TooLarge),
        Err(Refusal::Stopped) => Err(Gap::Stopped),
    }
}

fn terminals(cfg: &Cfg, byte: u8) -> impl Iterator<Item = TerminalId> + '_ {
    cfg.grammar.terminal_ids().filter(move |it| cfg.sets[it.index()].contains(byte))
}

/// The terminals of a text, if the grammar has it.
pub(super) fn tokens(cfg: &Cfg, text: &[u8]) -> Option<Vec<TerminalId>> {
    let sets: Vec<TokenSet> = text.iter().map(|&byte| TokenSet::of(&cfg.grammar, terminals(cfg, byte))).collect();
    let mut charts = Charts::new(&cfg.grammar)?;
    let path = charts.along(&sets).ok()?;
    charts.whole(*path.get(text.len())?)
}

/// An automaton that can be in several states at once: what an expression says, part by part.
pub(super) struct Nfa {
    /// By state: the bytes that lead on, and where to.
    steps: Vec<Vec<(ByteSet, u32)>>,
    /// By state: where nothing leads.
    jumps: Vec<Vec<u32>>,
    end: u32,
}

/// The states that an [`Nfa`] is in, in ascending order, with all that nothing leads to; none if the text is over.
pub(super) type States = Vec<u32>;

impl Nfa {
    pub fn of(reg: &Reg) -> Nfa {
        let mut nfa = Nfa { steps: vec![Vec::new()], jumps: vec![Vec::new()], end: 0 };
        nfa.end = nfa.add(reg, 0);
        nfa
    }

    fn state(&mut self) -> u32 {
        self.steps.push(Vec::new());
        self.jumps.push(Vec::new());
        self.steps.len() as u32 - 1
    }

    /// Adds what leads from a state through an expression; where it ends.
    fn add(&mut self, reg: &Reg, from: u32) -> u32 {
        match reg {
            Reg::Text(text) => text.iter().fold(from, |from, &byte| {
                let to = self.state();
                self.steps[from as usize].push((ByteSet::of(|it| it == byte, u8::MAX), to));
                to
            }),
            Reg::Set(set) => {
                let to = self.state();
                self.steps[from as usize].push((*set, to));
                to
            }
            Reg::Star(inner) => {
                let hub = self.state();
                self.jumps[from as usize].push(hub);
                let end = self.add(inner, hub);
                self.jumps[end as usize].push(hub);
                // What comes behind must not lead back.
                let out = self.state();
                self.jumps[hub as usize].push(out);
                out
            }
            Reg::Or(parts) => {
                let out = self.state();
                for part in parts {
                    let begin = self.state();
                    self.jumps[from as usize].push(begin);
                    let end = self.add(part, begin);
                    self.jumps[end as usize].push(out);
                }
                out
            }
            Reg::Concat(parts) => parts.iter().fold(from, |from, part| self.add(part, from)),
            // Names were replaced; what is of a size is a grammar.
            Reg::Name(_) | Reg::Fix(..) => self.state(),
        }
    }

    pub fn start(&self) -> States {
        self.closed(vec![0])
    }

    fn closed(&self, mut states: States) -> States {
        let mut seen: FxHashSet<u32> = states.iter().copied().collect();
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            at += 1;
            states.extend(self.jumps[state as usize].iter().filter(|&&to| seen.insert(to)));
        }
        states.sort_unstable();
        states
    }

    pub fn after(&self, states: &States, byte: u8) -> States {
        let steps = states.iter().flat_map(|&state| &self.steps[state as usize]);
        let mut next: States = steps.filter(|(set, _)| set.contains(byte)).map(|&(_, to)| to).collect();
        next.sort_unstable();
        next.dedup();
        self.closed(next)
    }

    pub fn is_over(&self, states: &States) -> bool {
        states.binary_search(&self.end).is_ok()
    }
}

fn matches(reg: &Reg, text: &[u8], is_stopped: &dyn Fn() -> bool) -> Result<bool, Gap> {
    let nfa = Nfa::of(reg);
    let mut states = nfa.start();
    for &byte in text {
        if states.is_empty() {
            return Ok(false);
        }
        if is_stopped() {
            return Err(Gap::Stopped);
        }
        states = nfa.after(&states, byte);
    }
    Ok(nfa.is_over(&states))
}
