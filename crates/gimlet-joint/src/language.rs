//! A language, its scanner, and what the program's scanner returns for each of its tokens.

use std::rc::Rc;

use gimlet_expr::{Dag, Evaluator, ExprId};
use gimlet_grammar::chance::Chance;
use gimlet_grammar::constraint::{Answer, Constraint, Rest, Solver, TokenSet};
use gimlet_grammar::edit::rephrase;
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::parse::parser;
use gimlet_grammar::sample::shortest::{Shortest, UNWRITABLE};
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::text::preserving;
use gimlet_grammar::text::template::{Hole, Template};
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::text::writer::Writer;
use gimlet_grammar::{Grammar, TerminalId};
use rustc_hash::FxHashMap;

use crate::run::{Mismatch, Sentence, Tokens};

/// Holes are not longer.
const HOLE_LEN_MAX: usize = 64;

/// Whether inputs have to be sentences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tie {
    /// Of the grammar.
    Sentence,
    /// Any tokens will do, each with a text that it had or has by itself: no text is solved for.
    Tokens,
}

/// A branch that is to go another way.
pub struct Question<'q> {
    pub dag: &'q Dag,
    /// The input of the run, by number of the byte.
    pub flat: &'q [u8],
    /// The conditions of all steps.
    pub conditions: &'q dyn Fn(usize) -> ExprId,
    pub step: usize,
    /// What is to hold there instead.
    pub wanted: ExprId,
    /// Whether nobody waits for an answer any more.
    pub is_stopped: &'q dyn Fn() -> bool,
}

/// Another sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Other {
    /// The place at which it differs first, and what stands there; none is for the end.
    pub token: usize,
    pub terminal: Option<TerminalId>,
    pub tokens: Vec<TerminalId>,
}

/// A language of a program's input.
pub struct Language {
    scanner: Rc<Scanner>,
    unparser: Unparser,
    writer: Writer,
    solver: Solver,
    tables: Option<Tables>,
    grammar: Grammar,
    tie: Tie,
    /// By terminal, what the program's scanner returns for it; and at the end.
    values: Vec<Option<u64>>,
    end: Option<u64>,
    /// A run has shown what is returned at the end; until then it is what yacc's parsers take for one.
    is_end_seen: bool,
    by_value: FxHashMap<u64, Option<TerminalId>>,
    /// Questions about tokens, and those to which no sentence was the answer.
    pub n_asked: u64,
    pub n_pruned: u64,
}

impl Language {
    /// With a yacc grammar numbers of tokens are those that it says, and its parser's word counts; with others they are learnt.
    pub fn new(grammar: Grammar, scanner: Rc<Scanner>, is_yacc: bool, tie: Tie) -> Language {
        let tables = is_yacc.then(|| Tables::new(&grammar));
        let mut solver = Solver::new(&grammar);
        if let Some(tables) = &tables {
            solver = solver.held_to(tables.clone());
        }
        let mut language = Language {
            unparser: Unparser::new(&grammar, scanner.clone()),
            writer: Writer::new(&grammar, scanner.clone()),
            values: vec![None; grammar.terminals.len()],
            scanner,
            solver,
            tables,
            tie,
            end: None,
            is_end_seen: false,
            by_value: FxHashMap::default(),
            n_asked: 0,
            n_pruned: 0,
            grammar,
        };
        if is_yacc {
            for terminal in language.tokens() {
                let number = language.grammar.terminal(terminal).number;
                language.know(Some(terminal), i64::from(number) as u64 & u64::from(u32::MAX));
            }
            language.know(None, 0);
        }
        language
    }

    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The terminals that a scanner may return and somebody knows a text for.
    fn tokens(&self) -> Vec<TerminalId> {
        let is_written = |&id: &TerminalId| self.grammar.is_token(id) && self.unparser.has_text(id);
        self.grammar.terminal_ids().filter(is_written).collect()
    }

    fn know(&mut self, terminal: Option<TerminalId>, value: u64) {
        match terminal {
            Some(terminal) => self.values[terminal.index()] = Some(value),
            None => self.end = Some(value),
        }
        self.by_value.insert(value, terminal);
    }

    /// What the program's scanner returns for a terminal, or at the end.
    pub fn value(&self, terminal: Option<TerminalId>) -> Option<u64> {
        match terminal {
            Some(terminal) => self.values[terminal.index()],
            None => self.end,
        }
    }

    /// The terminal that a value stands for, if anybody knows; none in it is the end.
    pub fn terminal_of(&self, value: u64) -> Option<Option<TerminalId>> {
        self.by_value.get(&value).copied()
    }

    /// The tokens of a text, unless something in it is none, or may be several.
    pub fn scan(&self, text: &[u8]) -> Option<Sentence> {
        let mut sentence = Sentence::default();
        for piece in self.scanner.scan(text).ok()? {
            sentence.tokens.push(piece.only()?);
            sentence.spans.push((piece.span.start, piece.span.end));
        }
        Some(sentence)
    }

    /// A text with a hole for each token that has several texts, as long as the one that is there.
    pub fn template(&mut self, text: &[u8], sentence: &Sentence) -> Template {
        let mut holes = Vec::new();
        if !self.changes_texts() {
            return Template { bytes: text.to_vec(), holes };
        }
        for (&terminal, &(start, end)) in sentence.tokens.iter().zip(&sentence.spans) {
            let own = &text[start..end];
            if own.is_empty() || own.len() > HOLE_LEN_MAX {
                continue;
            }
            let class = self.writer.class(terminal);
            let language = self.writer.languages(class).into_iter().find(|language| language.accepts(own));
            if let Some(language) = language.filter(|language| language.only().is_none()) {
                holes.push(Hole { at: start, len: own.len(), language: Some(language) });
            }
        }
        Template { bytes: text.to_vec(), holes }
    }

    /// Whether tokens get other texts.
    pub fn changes_texts(&self) -> bool {
        self.tie == Tie::Sentence
    }

    /// Another text of a token with so many bytes, if there is one.
    pub fn word(&mut self, terminal: TerminalId, len: usize, chance: &mut Chance) -> Option<Vec<u8>> {
        let class = self.writer.class(terminal);
        self.writer.languages(class).iter().find_map(|language| language.sample(len as u32, chance))
    }

    /// Compares what the program's scanner returned with the tokens of its input, as far as there are values, and learns what
    /// nobody has said. How many of them agree.
    pub fn agree(&mut self, sentence: &Sentence, values: &[u64]) -> (usize, Option<Mismatch>) {
        for (token, &value) in values.iter().enumerate() {
            let expected = sentence.tokens.get(token).copied();
            if token > sentence.tokens.len() {
                // It asked again after the end, or it goes on with another text.
                return (token, None);
            }
            match (self.value(expected), self.terminal_of(value)) {
                (None, None) => self.know(expected, value),
                (Some(presumed), None) if expected.is_none() && !self.is_end_seen => {
                    self.by_value.remove(&presumed);
                    self.know(None, value);
                }
                (Some(known), _) if known == value => {}
                _ => return (token, Some(Mismatch { token, value, expected })),
            }
            self.is_end_seen |= expected.is_none();
        }
        (values.len(), None)
    }

    /// Whether a string of tokens is a sentence that the parser accepts.
    pub fn is_sentence(&mut self, tokens: &[TerminalId]) -> bool {
        match &self.tables {
            Some(tables) => tables.accepts(tokens),
            None => {
                let sets = tokens.iter().map(|&token| TokenSet::of(&self.grammar, [token])).collect();
                let length = tokens.len()..=tokens.len();
                let constraint = Constraint { length, ..Constraint::new(sets) };
                matches!(self.solver.solve(&constraint, &mut Rest::Shortest), Answer::Sat(_))
            }
        }
    }

    /// Sentences with which a branch goes another way: one for each token that may stand in place of one that it depends on,
    /// the last of those first, `n_max` at most.
    pub fn others(&mut self, tokens: &Tokens, question: &Question, n_max: usize) -> Vec<Other> {
        self.n_asked += 1;
        let mut others = Vec::new();
        for &token in tokens.of_step(question.step).iter().rev() {
            for terminal in self.suited(tokens, question, token) {
                if others.len() >= n_max || (question.is_stopped)() {
                    return others;
                }
                others.extend(self.with(tokens, question.step, token as usize, terminal));
            }
        }
        self.n_pruned += u64::from(others.is_empty());
        others
    }

    /// Tokens that, in place of one, make a branch go another way, while what comes before it still holds.
    fn suited(&self, tokens: &Tokens, question: &Question, token: u32) -> Vec<Option<TerminalId>> {
        let earlier: Vec<ExprId> =
            tokens.steps_before(question.step, token).map(|step| (question.conditions)(step)).collect();
        let mut flat = question.flat.to_vec();
        let mut evaluator = Evaluator::new(&[]);
        let mut is_suited = |terminal: &Option<TerminalId>| {
            let Some(value) = self.value(*terminal) else { return false };
            tokens.set(&mut flat, token, value);
            evaluator.set_input(&flat);
            evaluator.holds(question.dag, question.wanted)
                && earlier.iter().all(|&condition| evaluator.holds(question.dag, condition))
        };
        self.candidates(tokens, token).into_iter().filter(|it| is_suited(it)).collect()
    }

    /// All that could stand in place of a token.
    fn candidates(&self, tokens: &Tokens, token: u32) -> Vec<Option<TerminalId>> {
        let present = tokens.sentence.tokens.get(token as usize).copied();
        let all = self.tokens().into_iter().map(Some).chain([None]);
        all.filter(|&terminal| terminal != present).collect()
    }

    /// The tokens that may stand in place of one, each with its sentence, whatever the branch does: the tokens that steps
    /// before one looked at stay.
    pub fn may_stand(
        &mut self,
        tokens: &Tokens,
        step: usize,
        token: u32,
        n_max: usize,
        is_stopped: &dyn Fn() -> bool,
    ) -> Vec<Other> {
        let candidates = self.candidates(tokens, token).into_iter().take_while(|_| !is_stopped());
        let others = candidates.filter_map(|terminal| self.with(tokens, step, token as usize, terminal));
        others.take(n_max).collect()
    }

    /// A sentence with another token at one place, and the same at all others that steps before one looked at.
    fn with(&mut self, tokens: &Tokens, step: usize, token: usize, terminal: Option<TerminalId>) -> Option<Other> {
        let present = &tokens.sentence.tokens;
        let n_fixed = tokens.n_looked_at(step).min(present.len());
        let Some(new) = terminal else {
            // The end: what is behind it goes.
            let shorter = present[..token.min(present.len())].to_vec();
            let is_right = n_fixed <= token && (self.tie == Tie::Tokens || self.is_sentence(&shorter));
            return is_right.then_some(Other { token, terminal, tokens: shorter });
        };
        let mut same = present.clone();
        match same.get_mut(token) {
            Some(place) => *place = new,
            None => same.push(new),
        }
        if self.tie == Tie::Tokens || self.is_sentence(&same) {
            return Some(Other { token, terminal, tokens: same });
        }
        let n_said = n_fixed.max(token + 1).min(same.len());
        let sets = same[..n_said].iter().map(|&token| TokenSet::of(&self.grammar, [token])).collect();
        match self.solver.solve(&Constraint::new(sets), &mut Rest::Shortest) {
            Answer::Sat(tokens) => Some(Other { token, terminal, tokens }),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        }
    }

    /// Sentences that say something else near a token, the nearest first, `n_max` at most.
    pub fn rephrased(&mut self, tokens: &[TerminalId], token: usize, n_max: usize) -> Vec<Vec<TerminalId>> {
        let Some(tree) = parser::tree(&self.grammar, self.tables.as_ref(), tokens) else { return Vec::new() };
        let length_of = |terminal| if self.unparser.has_text(terminal) { 1 } else { UNWRITABLE };
        let shortest = Shortest::new(&self.grammar, &length_of);
        let others = rephrase::rephrase(&self.grammar, &tree, token, &shortest, n_max);
        others.into_iter().filter(|other| self.is_sentence(other)).collect()
    }

    /// The text of a sentence, with as much as possible of another text, whose tokens it shares. It is scanned as the sentence.
    pub fn text_of(&mut self, tokens: &[TerminalId], previous: &[u8]) -> Option<Vec<u8>> {
        let text = preserving::unparse_preserving(&mut self.unparser, &self.scanner, tokens, previous).ok()?.text;
        let scanned = self.scan(&text)?;
        (scanned.tokens == tokens).then_some(text)
    }

    /// Whether a text is as inputs have to be.
    pub fn is_right(&mut self, text: &[u8]) -> bool {
        let Some(sentence) = self.scan(text) else { return false };
        self.tie == Tie::Tokens || self.is_sentence(&sentence.tokens)
    }
}

#[cfg(test)]
mod tests;
