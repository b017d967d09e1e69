//! Whether inputs are in the language.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::parse::parser::NoSentence;
use gimlet_grammar::parse::recognise::{Recogniser, Refusal};
use gimlet_grammar::scanner::lexer::{Stopped, Why};
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::source::visible;
use gimlet_grammar::{Grammar, Source, Symbol, TerminalId};
use gimlet_readers::format::Format;
use serde_json::json;

use super::names;
use crate::exit::{hinted, Verdict};
use crate::interrupt;

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
}

impl<'a> Judge<'a> {
    pub fn new(grammar: &'a Grammar, format: Format) -> Judge<'a> {
        let tables = (format == Format::Yacc).then(|| Tables::new(grammar));
        Judge { grammar, recogniser: Recogniser::new(grammar), tables, deadline: None }
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
        let is_interrupted = || interrupt::received().is_some() || self.is_late();
        let Some(tables) = &self.tables else {
            return self.recogniser.check(terminals, &is_interrupted).map(|()| SENTENCE);
        };
        // They are quick, but where they had to choose they are not all of the grammar.
        match tables.parse(terminals) {
            Ok(_) => Ok(SENTENCE),
            Err(refusal) if tables.is_exact() => {
                Err(Refusal::NoSentence(NoSentence { at: refusal.at, expected: refusal.expected.terminals }))
            }
            Err(_) => {
                let checked = self.recogniser.check(terminals, &is_interrupted);
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
    fn line(&self, line: &str) -> Result<&'static str, String> {
        let terminal = |name: &str| match self.grammar.symbol(name) {
            Some(Symbol::Terminal(terminal)) => Ok(terminal),
            _ => Err(format!("there is no token {}", visible(name))),
        };
        let terminals = line.split_whitespace().map(terminal).collect::<Result<Vec<_>, _>>()?;
        self.judge(&terminals, |at| format!("token {}", at + 1))
    }

    /// A text.
    fn text(&self, scanner: &Scanner, text: &[u8]) -> Result<&'static str, String> {
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

pub fn validate(judge: &Judge, scanner: Option<&Scanner>, inputs: &[PathBuf], is_json: bool) -> Result<Verdict> {
    let mut n_wrong = 0;
    let mut say = |input: String, found: Result<&'static str, String>| {
        n_wrong += u32::from(found.is_err());
        let what = found.as_ref().map_or_else(|why| why.as_str(), |what| *what);
        if is_json {
            say!("{}", json!({ "input": input, "is_sentence": found.is_ok(), "what": what }));
        } else {
            say!("{input}: {what}");
        }
    };
    let read = |path: Option<&PathBuf>| -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let is_read = match path {
            Some(path) => fs::read(path).map(|read| bytes = read),
            None => read_standard_input(&mut bytes),
        };
        let name = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        uninterrupted()?;
        is_read.map_err(|error| hinted(format!("cannot read {name}: {error}"), "name files to be validated"))?;
        Ok(bytes)
    };
    let paths: Vec<Option<&PathBuf>> = if inputs.is_empty() { vec![None] } else { inputs.iter().map(Some).collect() };
    for path in paths {
        let bytes = read(path)?;
        let name = path.map(|path| path.display().to_string());
        let Some(scanner) = scanner else {
            for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
                let number = (number + 1).to_string();
                let place = match &name {
                    Some(name) if inputs.len() > 1 => format!("{name}:{number}"),
                    _ => number,
                };
                let found = judge.line(line);
                uninterrupted()?;
                say(place, found);
            }
            continue;
        };
        let found = judge.text(scanner, &bytes);
        uninterrupted()?;
        say(name.unwrap_or_else(|| "standard input".to_owned()), found);
    }
    Ok(if n_wrong == 0 { Verdict::Good } else { Verdict::Bad })
}

/// All of it, or what there is when a signal comes.
fn read_standard_input(bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut part = vec![0; 1 << 16];
    loop {
        match io::stdin().read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n_bytes) => bytes.extend_from_slice(&part[..n_bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted && interrupt::received().is_none() => {}
            Err(error) => return Err(error),
        }
    }
}

fn uninterrupted() -> Result<()> {
    match interrupt::received() {
        None => Ok(()),
        Some(_) => Err(hinted("interrupted", "what was printed is not all")),
    }
}
