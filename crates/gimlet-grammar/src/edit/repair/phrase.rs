//! Texts as tokens.

use super::{Edit, Language};
use crate::grammar::TerminalId;
use crate::scanner::Scanned;

/// A token of a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    /// `None` for what the scanner does not know, or the grammar.
    pub terminal: Option<TerminalId>,
    pub text: Vec<u8>,
    /// What stands before it.
    pub gap: Vec<u8>,
}

impl Token {
    pub fn is_unknown(&self) -> bool {
        self.terminal.is_none()
    }
}

/// A text, divided.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Phrase {
    pub tokens: Vec<Token>,
    /// What stands behind the last.
    pub tail: Vec<u8>,
}

impl Phrase {
    /// The whole text.
    pub fn text(&self) -> Vec<u8> {
        let parts = self.tokens.iter().flat_map(|token| [&token.gap[..], &token.text[..]]);
        parts.chain([&self.tail[..]]).collect::<Vec<_>>().concat()
    }

    pub fn terminals(&self) -> Vec<Option<TerminalId>> {
        self.tokens.iter().map(|token| token.terminal).collect()
    }

    /// The same if the grammar knows all of them.
    pub fn known_terminals(&self) -> Option<Vec<TerminalId>> {
        self.tokens.iter().map(|token| token.terminal).collect()
    }

    /// Only some of its tokens, with edits of those: each goes where its token goes.
    pub fn kept(&self, edits: &[Edit], is_kept: impl Fn(usize) -> bool) -> (Phrase, Vec<Edit>) {
        let mut numbers = Vec::with_capacity(self.tokens.len() + 1);
        let mut tokens = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            numbers.push(tokens.len());
            if is_kept(at) {
                tokens.push(token.clone());
            }
        }
        numbers.push(tokens.len());
        let edits = edits.iter().map(|edit| edit.moved(numbers[edit.at()])).collect();
        (Phrase { tokens, tail: self.tail.clone() }, edits)
    }
}

/// A phrase that edits have made of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edited {
    pub phrase: Phrase,
    /// By token: where it was, if it is none that came in.
    pub origins: Vec<Option<usize>>,
    /// By edit: where the token is that came in, or the one behind what went.
    pub places: Vec<usize>,
}

impl Language {
    /// A text as tokens. Where the scanner stops, a byte is a token that nobody knows.
    pub fn phrase(&self, text: &[u8]) -> Phrase {
        let mut phrase = Phrase::default();
        let (mut from, mut end) = (0, 0);
        loop {
            let rest = &text[from..];
            let stopped_at = self.scanner.scan(rest).err().map(|stopped| stopped.at.min(rest.len()));
            let known = &rest[..stopped_at.unwrap_or(rest.len())];
            for Scanned { terminals, may_be_nothing, span } in self.scanner.scan(known).unwrap_or_default() {
                let terminal = terminals.first().copied().filter(|_| terminals.len() == 1 && !may_be_nothing);
                let (start, stop) = (from + span.start, from + span.end);
                let gap = text[end.min(start)..start].to_vec();
                phrase.tokens.push(Token { terminal, text: text[start..stop].to_vec(), gap });
                end = stop;
            }
            let Some(at) = stopped_at.map(|at| from + at).filter(|&at| at < text.len()) else { break };
            phrase.tokens.push(Token { terminal: None, text: vec![text[at]], gap: text[end.min(at)..at].to_vec() });
            (from, end) = (at + 1, at + 1);
        }
        phrase.tail = text[end..].to_vec();
        phrase
    }

    /// A token with its shortest text.
    pub fn token(&self, terminal: TerminalId) -> Option<Token> {
        let text = self.text(terminal)?.to_vec();
        Some(Token { terminal: Some(terminal), text, gap: self.blank.to_vec() })
    }

    /// The text of a phrase, if it is still scanned as these tokens.
    pub fn write(&self, phrase: &Phrase) -> Option<Vec<u8>> {
        let text = phrase.text();
        if self.phrase(&text).terminals() == phrase.terminals() {
            return Some(text);
        }
        // A scanner with a will of its own wants other things between tokens.
        let terminals = phrase.known_terminals()?;
        let is_shortest = |(token, &terminal)| self.text(terminal) == Some(&Token::clone(token).text[..]);
        let are_shortest = phrase.tokens.iter().zip(&terminals).all(is_shortest);
        let template = are_shortest.then(|| self.unparser.borrow_mut().shortest(&terminals).ok()).flatten()?;
        Some(template.bytes)
    }

    /// With a blank between tokens, the shortest texts, and nothing at the ends.
    pub fn plain(&self, phrase: &Phrase) -> Phrase {
        let tokens = phrase.tokens.iter().map(|token| match token.terminal.and_then(|it| self.token(it)) {
            Some(plain) => plain,
            None => Token { gap: self.blank.to_vec(), ..token.clone() },
        });
        let mut tokens: Vec<Token> = tokens.collect();
        if let Some(first) = tokens.first_mut() {
            first.gap.clear();
        }
        Phrase { tokens, tail: Vec::new() }
    }

    /// With a blank between tokens.
    pub fn spaced(&self, phrase: &Phrase) -> Phrase {
        let mut spaced = phrase.clone();
        spaced.tokens.iter_mut().for_each(|token| token.gap = self.blank.to_vec());
        if let Some(first) = spaced.tokens.first_mut() {
            first.gap.clear();
        }
        spaced.tail.clear();
        spaced
    }

    /// A phrase with edits. `None` if a token has no text.
    pub fn edited(&self, phrase: &Phrase, edits: &[Edit]) -> Option<Edited> {
        let (mut tokens, mut origins): (Vec<Token>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
        let mut places = vec![0; edits.len()];
        for at in 0..=phrase.tokens.len() {
            let mut own = phrase.tokens.get(at).cloned().map(|token| (token, Some(at)));
            let n_before = tokens.len();
            for (number, edit) in edits.iter().enumerate().filter(|(_, edit)| edit.at() == at) {
                places[number] = tokens.len();
                match *edit {
                    Edit::Remove { .. } => own = None,
                    Edit::Insert { terminal, .. } => {
                        tokens.push(self.token(terminal)?);
                        origins.push(None);
                    }
                    Edit::Replace { terminal, .. } => {
                        let gap = own.map_or_else(|| self.blank.to_vec(), |(token, _)| token.gap);
                        own = Some((Token { gap, ..self.token(terminal)? }, None));
                    }
                }
            }
            if let Some((mut token, origin)) = own {
                if tokens.len() > n_before && token.gap.is_empty() {
                    token.gap = self.blank.to_vec();
                }
                tokens.push(token);
                origins.push(origin);
            }
        }
        if let Some(first) = tokens.first_mut().filter(|first| first.gap == self.blank) {
            first.gap.clear();
        }
        Some(Edited { phrase: Phrase { tokens, tail: phrase.tail.clone() }, origins, places })
    }
}
