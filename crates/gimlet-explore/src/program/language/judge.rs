//! Whether inputs are in a language, and what is wrong with those that are not.

use std::time::Instant;

use gimlet_exec::watch::{is_interrupted, Interrupt};
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::parse::parser::NoSentence;
use gimlet_grammar::parse::recognise::{Recogniser, Refusal};
use gimlet_grammar::scanner::lexer::{Stopped, Why};
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::source::visible;
use gimlet_grammar::{Grammar, Source, Symbol, TerminalId};
use gimlet_readers::format::Format;

use super::names;

/// What most inputs are found to be.
const SENTENCE: &str = "a sentence";

/// What parses inputs.
pub struct Judge<'a> {
    grammar: &'a Grammar,
    recogniser: Recogniser,
    /// What yacc makes of it, if it is yacc's.
    tables: Option<Tables>,
    /// When to give up.
    deadline: Option<Instant>,
    interrupt: Interrupt,
}

impl<'a> Judge<'a> {
    pub fn new(grammar: &'a Grammar, format: Format, interrupt: Interrupt) -> Judge<'a> {
        let tables = (format == Format::Yacc).then(|| Tables::new(grammar));
        Judge { grammar, recogniser: Recogniser::new(grammar), tables, deadline: None, interrupt }
    }

    /// Who says nothing of what takes longer.
    pub fn until(self, deadline: Instant) -> Judge<'a> {
        Judge { deadline: Some(deadline), ..self }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// What is wrong with a text, if anybody knows: it has no tokens, or is not what the parser accepts.
    pub fn objection(&self, scanner: &Scanner, text: &[u8], needs_sentence: bool) -> Option<String> {
        let judged = match needs_sentence {
            true => self.text(scanner, text),
            false => self.scanned(scanner, text).map(|_| SENTENCE),
        };
        match judged {
            Ok(SENTENCE) => None,
            Ok(what) => Some(what.to_owned()),
            Err(why) => (!self.is_late()).then_some(why),
        }
    }

    /// Whether tokens are a sentence, and if not why; `place` says where a token is.
    fn judge(&self, terminals: &[TerminalId], place: impl Fn(usize) -> String) -> Result<&'static str, String> {
        match self.check(terminals) {
            Ok(what) => Ok(what),
            Err(Refusal::NoSentence(wrong)) => Err(self.explain(terminals, &wrong, place)),
            Err(Refusal::TooLong) => Err("it is too long for this grammar: nobody knows whether it is one".to_owned()),
            Err(Refusal::Stopped) => Err("nobody knows yet".to_owned()),
        }
    }

    fn check(&self, terminals: &[TerminalId]) -> Result<&'static str, Refusal> {
        let is_over = || is_interrupted(self.interrupt) || self.is_late();
        let Some(tables) = &self.tables else {
            return self.recogniser.check(terminals, &is_over).map(|()| SENTENCE);
        };
        // They are quick, but where they had to choose they are not all of the grammar.
        match tables.parse(terminals) {
            Ok(_) => Ok(SENTENCE),
            Err(refusal) if tables.is_exact() => {
                Err(Refusal::NoSentence(NoSentence { at: refusal.at, expected: refusal.expected.terminals }))
            }
            Err(_) => {
                let checked = self.recogniser.check(terminals, &is_over);
                checked.map(|()| "a sentence that yacc's parser refuses")
            }
        }
    }

    /// What is wrong with tokens.
    fn explain(&self, terminals: &[TerminalId], wrong: &NoSentence, place: impl Fn(usize) -> String) -> String {
        let at = match terminals.get(wrong.at) {
            Some(&terminal) => {
                let name = &self.grammar.terminal(terminal).name;
                format!("{}, {name}, can't come here", place(wrong.at))
            }
            None => "it can't end here".to_owned(),
        };
        let expected = wrong.expected.iter().copied().filter(|&it| self.grammar.is_token(it));
        let expected = names(self.grammar, expected);
        match expected.is_empty() {
            true => format!("no sentence: {at}"),
            false => format!("no sentence: {at}; what can: {}", expected.join(" ")),
        }
    }

    /// A line of names.
    pub fn line(&self, line: &str) -> Result<&'static str, String> {
        let terminal = |name: &str| match self.grammar.symbol(name) {
            Some(Symbol::Terminal(terminal)) => Ok(terminal),
            _ => Err(format!("there is no token {}", visible(name))),
        };
        let terminals = line.split_whitespace().map(terminal).collect::<Result<Vec<_>, _>>()?;
        self.judge(&terminals, |at| format!("token {}", at + 1))
    }

    /// A text.
    pub fn text(&self, scanner: &Scanner, text: &[u8]) -> Result<&'static str, String> {
        let (terminals, starts) = self.scanned(scanner, text)?;
        self.judge(&terminals, |at| place(text, starts[at]))
    }

    /// The tokens of a text, and where each begins.
    fn scanned(&self, scanner: &Scanner, text: &[u8]) -> Result<(Vec<TerminalId>, Vec<usize>), String> {
        let place = |at: usize| place(text, at);
        let scanned = scanner
            .scan(text)
            .map_err(|stopped| format!("no text of the scanner: {}: {}", place(stopped.at), why(scanner, &stopped)))?;
        let (mut terminals, mut starts) = (Vec::new(), Vec::new());
        for it in &scanned {
            starts.push(it.span.start);
            let shown = text[it.span.start..it.span.end].escape_ascii();
            match (it.only(), &it.terminals[..]) {
                (Some(terminal), _) => terminals.push(terminal),
                (None, []) => return Err(format!("{}: nobody knows the token of \"{shown}\"", place(it.span.start))),
                (None, several) => {
                    let names = names(self.grammar, several.iter().copied()).join(" or ");
                    let or_not = if it.may_be_nothing { " or nothing" } else { "" };
                    return Err(format!("{}: \"{shown}\" may be {names}{or_not}", place(it.span.start)));
                }
            }
        }
        Ok((terminals, starts))
    }
}

/// Where in a text something is. Positions are those of the bytes; what is no UTF-8 is replaced by longer characters.
fn place(text: &[u8], at: usize) -> String {
    let source = Source::new("", String::from_utf8_lossy(text));
    let (line, column) = source.position(String::from_utf8_lossy(&text[..at.min(text.len())]).len());
    format!("line {line}, column {column}")
}

fn why(scanner: &Scanner, stopped: &Stopped) -> String {
    match &stopped.why {
        Why::NoMatch => "no rule matches".to_owned(),
        Why::Unknown { rule, reason } => {
            let text = scanner.lex.rule(*rule).action.text.trim();
            let first = text.lines().next().unwrap_or_default();
            format!("what the action `{first}` does is not known: {reason}")
        }
        Why::StandsStill => "the scanner goes round without taking anything".to_owned(),
    }
}
