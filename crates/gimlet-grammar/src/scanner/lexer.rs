//! Texts, divided as the scanner divides them.

use super::automaton::Automaton;
use super::conditions::Conditions;
use super::effect::{Effect, Effects, Outcome, Taken, Token};
use super::{ConditionId, Lex, RuleId};
use crate::source::Span;

/// Steps in a row that take nothing, before the scanner is thought to stand still.
const N_IDLE_MAX: usize = 64;

/// What the action of a piece of text hands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    Nothing,
    Token(Token),
    /// It depends on what the scanner can't see; `None` is for nothing.
    OneOf(Vec<Option<Token>>),
}

/// A piece of text and the rule that took it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lexeme {
    /// `None` is flex's own rule for a byte that no other matches.
    pub rule: Option<RuleId>,
    pub given: Given,
    /// What the action sees as `yytext`.
    pub span: Span,
    /// The condition that the rule won in.
    pub condition: ConditionId,
    /// Where the scanner goes on.
    pub end: usize,
}

/// Why a text was not divided to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// No rule matches.
    NoMatch,
    /// What the action of a rule does is not known.
    Unknown { rule: RuleId, reason: String },
    /// The scanner goes round without taking anything.
    StandsStill,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// What was divided before.
    pub lexemes: Vec<Lexeme>,
    pub at: usize,
    pub why: Why,
}

/// Divides texts.
#[derive(Clone, Copy, Debug)]
pub struct Lexer<'a> {
    pub lex: &'a Lex,
    pub automaton: &'a Automaton,
    pub effects: &'a Effects,
}

/// Where a scanner is.
struct Place {
    conditions: Conditions,
    at_line_start: bool,
    at: usize,
    /// Where the text began that `yymore` keeps.
    kept_from: Option<usize>,
}

impl Lexer<'_> {
    /// Divides a text from its beginning to its end.
    pub fn lex(&self, text: &[u8]) -> Result<Vec<Lexeme>, Stopped> {
        let mut place = Place::new(ConditionId::INITIAL);
        // What is not known about the beginning is taken to be nothing.
        if let [outcome] = &self.effects.at_start.outcomes[..] {
            let _ = place.apply(b"", Span::default(), outcome);
        }
        self.lex_on(place, text)
    }

    /// The same, when the scanner begins in another condition.
    pub fn lex_from(&self, condition: ConditionId, text: &[u8]) -> Result<Vec<Lexeme>, Stopped> {
        self.lex_on(Place::new(condition), text)
    }

    fn lex_on(&self, mut place: Place, text: &[u8]) -> Result<Vec<Lexeme>, Stopped> {
        let mut lexemes = Vec::new();
        match self.walk(text, &mut place, &mut lexemes) {
            Ok(()) => Ok(lexemes),
            Err(why) => Err(Stopped { lexemes, at: place.at, why }),
        }
    }

    fn walk(&self, text: &[u8], place: &mut Place, lexemes: &mut Vec<Lexeme>) -> Result<(), Why> {
        let mut n_idle = 0;
        while place.at < text.len() {
            let before = place.at;
            let lexeme = self.step(text, place)?;
            let is_over = matches!(lexeme.given, Given::Token(Token::End | Token::Stop));
            lexemes.push(lexeme);
            if is_over {
                return Ok(());
            }
            n_idle = if place.at > before { 0 } else { n_idle + 1 };
            if n_idle > N_IDLE_MAX {
                return Err(Why::StandsStill);
            }
        }
        self.finish(place, lexemes);
        Ok(())
    }

    fn step(&self, text: &[u8], place: &mut Place) -> Result<Lexeme, Why> {
        let condition = place.conditions.current;
        let found =
            self.automaton.longest_match(condition, place.at_line_start, &text[place.at..]).ok_or(Why::NoMatch)?;
        let start = place.kept_from.take().unwrap_or(place.at);
        let span = Span::new(start, place.at + found.n_bytes);
        let Some(rule) = found.rule else {
            if !self.lex.options.has_default {
                return Err(Why::NoMatch);
            }
            place.advance(text, span);
            return Ok(Lexeme { rule: None, given: Given::Nothing, span, condition, end: place.at });
        };
        let unknown = |reason: &str| Why::Unknown { rule, reason: reason.to_owned() };
        let effect = self.effects.of(rule);
        let possible: Vec<&Outcome> = effect.possible(condition, &text[span.start..]).collect();
        let outcome = only_state_change(effect, &possible).map_err(unknown)?;
        place.advance(text, span);
        place.apply(text, span, outcome).map_err(unknown)?;
        let given = given(&possible, &text[span.start..span.end]);
        Ok(Lexeme { rule: Some(rule), given, span, condition, end: place.at })
    }

    /// Notes the rules for the end of the input, as far as they are known.
    fn finish(&self, place: &mut Place, lexemes: &mut Vec<Lexeme>) {
        let mut seen = Vec::new();
        let end = place.at;
        let span = Span::new(end, end);
        while let Some(rule) = self.lex.eof_rule(place.conditions.current) {
            if seen.contains(&place.conditions.current) {
                return;
            }
            seen.push(place.conditions.current);
            let effect = self.effects.of(rule);
            let possible: Vec<&Outcome> = effect.possible(place.conditions.current, b"").collect();
            let given = given(&possible, b"");
            lexemes.push(Lexeme { rule: Some(rule), given, span, condition: place.conditions.current, end });
            let is_over = possible.iter().any(|outcome| matches!(outcome.token, Some(Token::End | Token::Stop)));
            match only_state_change(effect, &possible) {
                Ok(outcome) if !is_over && place.apply(b"", Span::default(), outcome).is_ok() => place.at = end,
                _ => return,
            }
        }
    }
}

impl Place {
    fn new(condition: ConditionId) -> Place {
        Place { conditions: Conditions::new(condition), at_line_start: true, at: 0, kept_from: None }
    }

    fn advance(&mut self, text: &[u8], span: Span) {
        self.at = span.end;
        if span.end > span.start {
            self.at_line_start = text[span.end - 1] == b'\n';
        }
    }

    /// The error says what is not known.
    fn apply(&mut self, text: &[u8], span: Span, outcome: &Outcome) -> Result<(), &'static str> {
        if !self.conditions.apply(&outcome.moves) {
            return Err("there is no start condition to go back to");
        }
        let n_bytes = span.end - span.start;
        match &outcome.taken {
            Taken::All => {}
            Taken::First(n) if *n <= n_bytes => self.at = span.start + n,
            Taken::AllBut(n) if *n <= n_bytes => self.at = span.end - n,
            Taken::First(_) | Taken::AllBut(_) => return Err("it gives back more than it has"),
            Taken::To { ending, with_ending } => {
                let rest = &text[self.at..];
                let n = match rest.windows(ending.len().max(1)).position(|window| window == &ending[..]) {
                    Some(n) if *with_ending => n + ending.len(),
                    Some(n) => n,
                    None => return Err("the text ends before its action does"),
                };
                // Bytes that are given back leave this as it is.
                self.at_line_start = ending.last() == Some(&b'\n');
                self.at += n;
            }
        }
        if outcome.is_more {
            self.kept_from = Some(span.start);
        }
        self.at_line_start = outcome.at_line_start.unwrap_or(self.at_line_start);
        Ok(())
    }
}

/// What all outcomes agree on, as far as the scanner's state is concerned.
fn only_state_change<'a>(effect: &'a Effect, possible: &[&'a Outcome]) -> Result<&'a Outcome, &'a str> {
    if let Some(reason) = &effect.unknown {
        return Err(reason);
    }
    if let [only] = possible {
        return Ok(only);
    }
    // An error that ends the scanning is not what happens to a good text.
    let goes_on = |outcome: &&&Outcome| !matches!(outcome.token, Some(Token::End | Token::Stop));
    let mut going_on = possible.iter().filter(goes_on).chain(possible.iter().filter(|outcome| !goes_on(outcome)));
    let first = going_on.next().ok_or("no way through the action is possible")?;
    let change = first.state_change();
    match possible.iter().filter(goes_on).all(|other| other.state_change() == change) {
        true => Ok(first),
        false => Err("the scanner's next state depends on more than the text"),
    }
}

fn given(possible: &[&Outcome], text: &[u8]) -> Given {
    let resolve = |token: &Token| match token {
        Token::FirstByte => text.first().map_or(Token::End, |&byte| Token::Char(byte)),
        token => token.clone(),
    };
    let mut tokens: Vec<Option<Token>> = possible.iter().map(|outcome| outcome.token.as_ref().map(resolve)).collect();
    tokens.sort();
    tokens.dedup();
    match tokens.as_slice() {
        [None] => Given::Nothing,
        [Some(token)] => Given::Token(token.clone()),
        _ => Given::OneOf(tokens),
    }
}
