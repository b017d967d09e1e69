//! Texts of sentences: of each token the shortest that fits, or one by chance.

use std::rc::Rc;

use num_bigint::BigUint;

use crate::chance::Chance;
use crate::count::sentences::Texts;
use crate::grammar::{Grammar, Symbol, TerminalId};
use crate::regular::dfa::Dfa;
use crate::scanner::Scanner;
use crate::text::template::Template;
use crate::text::writer::{NoText, Wanted, Writer};

/// Longer texts of a token are not drawn, unless there are no shorter ones.
const LEN_DRAWN_MAX: u32 = 12;

/// Attempts at another text where one has no place.
const N_ATTEMPTS: usize = 64;

/// Writes sentences as texts.
#[derive(Debug)]
pub struct Unparser {
    writer: Writer,
    /// By terminal, in ascending order.
    lengths: Vec<Vec<u32>>,
}

impl Unparser {
    pub fn new(grammar: &Grammar, scanner: Rc<Scanner>) -> Unparser {
        let mut writer = Writer::new(grammar, scanner);
        let lengths = grammar.terminal_ids().map(|terminal| lengths(&mut writer, grammar, terminal)).collect();
        Unparser { writer, lengths }
    }

    /// Whether anybody knows a text for it.
    pub fn has_text(&self, terminal: TerminalId) -> bool {
        !self.lengths[terminal.index()].is_empty()
    }

    /// Tokens whose texts the program may take for something else: what an action does depends on more than the text.
    pub fn doubtful(&mut self, grammar: &Grammar) -> Vec<TerminalId> {
        let tokens: Vec<TerminalId> = grammar.terminal_ids().filter(|&id| grammar.is_token(id)).collect();
        tokens.into_iter().filter(|&id| self.writer.is_doubtful(self.writer.class(id))).collect()
    }

    /// Tokens in rules for which nobody knows a text.
    pub fn without_text(&self, grammar: &Grammar) -> Vec<TerminalId> {
        let is_used = |&id: &TerminalId| grammar.rules.iter().any(|it| it.right.contains(&Symbol::Terminal(id)));
        let has_none = |id: &TerminalId| grammar.is_token(*id) && !self.has_text(*id) && is_used(id);
        grammar.terminal_ids().filter(has_none).collect()
    }

    /// A text of a terminal, wherever it may stand.
    pub fn example(&mut self, terminal: TerminalId) -> Option<Vec<u8>> {
        let languages = self.writer.languages(self.writer.class(terminal));
        languages.iter().filter_map(|it| it.shortest()).min_by_key(|text| text.len())
    }

    /// The text of a terminal, if there is only one.
    pub fn only(&mut self, terminal: TerminalId) -> Option<Vec<u8>> {
        let languages = self.writer.languages(self.writer.class(terminal));
        let (first, others) = languages.split_first()?;
        let only = first.only()?;
        others.iter().all(|it| it.only().as_ref() == Some(&only)).then_some(only)
    }

    /// The shortest text of each token that fits, with holes where there are others of that length.
    pub fn shortest(&mut self, sentence: &[TerminalId]) -> Result<Template, NoText> {
        self.write(sentence, vec![0; sentence.len()])
    }

    /// A text of any length for each token: short ones are more likely, those of a length equally.
    pub fn drawn(&mut self, sentence: &[TerminalId], chance: &mut Chance) -> Result<Template, NoText> {
        let pick = |terminal: &TerminalId| {
            let n_lengths = self.lengths[terminal.index()].len();
            (0..n_lengths.saturating_sub(1)).take_while(|_| chance.next_u64() & 1 == 1).count()
        };
        let picks = sentence.iter().map(pick).collect();
        let mut template = self.write(sentence, picks)?;
        template.fill(chance);
        Ok(template)
    }

    /// With holes if that is possible: some texts of a hole may rule out what comes later, where one text does not.
    fn write(&mut self, sentence: &[TerminalId], picks: Vec<usize>) -> Result<Template, NoText> {
        let with_holes = self.attempt(sentence, &picks, false);
        with_holes.or_else(|failed| self.attempt(sentence, &picks, true).map_err(|_| failed))
    }

    /// Where a token has no text of the length that was picked for it, the others are tried in turn.
    fn attempt(&mut self, sentence: &[TerminalId], first: &[usize], is_fixed: bool) -> Result<Template, NoText> {
        let mut picks = first.to_vec();
        let mut n_tried = vec![0; sentence.len()];
        let mut failed = NoText::At(0);
        for _ in 0..N_ATTEMPTS + sentence.len() {
            let mut wanted = Vec::with_capacity(sentence.len());
            for (n, (terminal, &pick)) in sentence.iter().zip(&picks).enumerate() {
                let lengths = &self.lengths[terminal.index()];
                let len = *lengths.get(pick % lengths.len().max(1)).ok_or(NoText::At(n))?;
                wanted.push(Wanted { class: terminal.0, len, is_fixed });
            }
            failed = match self.writer.write(wanted) {
                Ok(template) => return Ok(template),
                Err(failed) => failed,
            };
            let NoText::At(n) = failed else { break };
            // If nothing fits here, what came before may be to blame.
            let is_left = |&at: &usize| n_tried[at] + 1 < self.lengths[sentence[at].index()].len();
            let Some(at) = (0..=n.min(sentence.len().saturating_sub(1))).rev().find(is_left) else { break };
            n_tried[at] += 1;
            picks[at] += 1;
            n_tried[at + 1..].fill(0);
            picks[at + 1..].copy_from_slice(&first[at + 1..]);
        }
        Err(failed)
    }

    /// The number of texts of a terminal by their length in bytes, up to one; the end of the input counts as a byte.
    pub fn texts(&mut self, terminal: TerminalId, len_max: u32) -> Texts {
        let languages = self.writer.languages(self.writer.class(terminal));
        let Some(union) = union(&languages) else { return Texts::new() };
        let counts = union.counts(len_max);
        (0..).zip(counts).filter(|(_, count)| *count != BigUint::ZERO).map(|(len, count)| (len.max(1), count)).collect()
    }
}

/// Those that are tried, from the shortest on.
fn lengths(writer: &mut Writer, grammar: &Grammar, terminal: TerminalId) -> Vec<u32> {
    if !grammar.is_token(terminal) {
        return Vec::new();
    }
    let mut lengths: Vec<u32> = Vec::new();
    for language in writer.languages(writer.class(terminal)) {
        let shortest = language.shortest().map_or(0, |text| text.len() as u32);
        let counts = language.counts(LEN_DRAWN_MAX.max(shortest));
        lengths.extend((0..).zip(&counts).filter(|(_, count)| **count != BigUint::ZERO).map(|(len, _)| len));
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// States of a union; where there are more, texts are not counted.
const N_STATES_MAX: usize = 100_000;

fn union(languages: &[Rc<Dfa>]) -> Option<Dfa> {
    if let [only] = languages {
        return Some(Dfa::clone(only));
    }
    let start = vec![Some(Dfa::START); languages.len()];
    let step = |states: &Vec<Option<u32>>, byte: u8| {
        let steps = states.iter().zip(languages).map(|(state, it)| state.and_then(|state| it.step(state, byte)));
        let next: Vec<Option<u32>> = steps.collect();
        next.iter().any(Option::is_some).then_some(next)
    };
    let accepts = |states: &Vec<Option<u32>>| {
        states.iter().zip(languages).any(|(state, it)| state.is_some_and(|state| it.is_accepting(state)))
    };
    let bytes: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    Dfa::explored(start, &bytes, step, accepts, N_STATES_MAX).map(|(dfa, _)| dfa)
}
