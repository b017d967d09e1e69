//! How far texts are from a language, in tokens.
//!
//! A text is a [`Phrase`]: tokens, each with what stands before it. An [`Edit`] puts a token in, takes one out or exchanges
//! one. The nearest sentences of a phrase are those that the fewest edits lead to: they say what is wrong with it, as
//! compilers do that repair errors (Aho and Peterson 1972). They are looked for along the stack of an LALR parser, edit by
//! edit, so that only beginnings of sentences are followed; one or two edits are all that anybody wants to read. Phrases
//! become smaller as long as a test holds, along their trees and token by token (Zeller and Hildebrandt 2002, [`reduce`]);
//! and an edit has a [`TreePosition`] in a tree by which the same one is known again in another text.

mod nearest;
mod phrase;
mod positions;
pub mod reduce;

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use crate::edit::rephrase;
use crate::edit::subtree_mutation::is_blank;
use crate::grammar::{Grammar, NonterminalId, Symbol, TerminalId};
use crate::parse::lalr::Tables;
use crate::parse::parser;
use crate::parse::recognise::{Recogniser, Refusal};
use crate::parse::tree::Tree;
use crate::sample::shortest::{Shortest, UNWRITABLE};
use crate::scanner::effect::Token as Given;
use crate::scanner::lexer::{self, Lexer, Why};
use crate::scanner::{Scanned, Scanner};
use crate::text::unparser::Unparser;

pub use nearest::{best, Chosen};
pub use phrase::{Edited, Phrase, Token};
pub use positions::{Gap, TreePosition, TreePositions};

/// What may be put between tokens, the best first.
const BLANKS: [&[u8]; 3] = [b" ", b"\n", b"\t"];

/// Longer phrases have no tree.
const N_TOKENS_MAX: usize = 4_000;

/// A change of a phrase by one token. Places are those before any change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Edit {
    Remove {
        at: usize,
    },
    /// Before the token that is there.
    Insert {
        at: usize,
        terminal: TerminalId,
    },
    Replace {
        at: usize,
        terminal: TerminalId,
    },
}

impl Edit {
    pub fn at(self) -> usize {
        match self {
            Edit::Remove { at } | Edit::Insert { at, .. } | Edit::Replace { at, .. } => at,
        }
    }

    /// The terminal that comes in.
    pub fn terminal(self) -> Option<TerminalId> {
        match self {
            Edit::Remove { .. } => None,
            Edit::Insert { terminal, .. } | Edit::Replace { terminal, .. } => Some(terminal),
        }
    }

    /// The token that goes, by its place.
    pub fn goes(self) -> Option<usize> {
        match self {
            Edit::Insert { .. } => None,
            Edit::Remove { at } | Edit::Replace { at, .. } => Some(at),
        }
    }

    /// The same at another place.
    pub fn moved(self, to: usize) -> Edit {
        match self {
            Edit::Remove { .. } => Edit::Remove { at: to },
            Edit::Insert { terminal, .. } => Edit::Insert { at: to, terminal },
            Edit::Replace { terminal, .. } => Edit::Replace { at: to, terminal },
        }
    }
}

/// What a language says of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    Sentence,
    NoSentence,
    /// What the scanner returns depends on more than the text, yacc's parser refuses a sentence of its grammar, or there is
    /// too much of it.
    Unknown,
}

/// A grammar and its scanner, asked about texts.
pub struct Language {
    pub grammar: Rc<Grammar>,
    scanner: Rc<Scanner>,
    tables: Tables,
    recogniser: Recogniser,
    /// Only yacc's parsers refuse some of a grammar's sentences.
    is_yacc: bool,
    /// By terminal: the shortest.
    texts: Vec<Option<Vec<u8>>>,
    unparser: RefCell<Unparser>,
    blank: &'static [u8],
}

impl Language {
    pub fn new(grammar: Grammar, scanner: Rc<Scanner>, is_yacc: bool) -> Language {
        let mut unparser = Unparser::new(&grammar, Rc::clone(&scanner));
        let writable: Vec<(TerminalId, bool)> =
            grammar.terminal_ids().map(|id| (id, grammar.is_token(id) && unparser.has_text(id))).collect();
        let mut text = |id: TerminalId| {
            // One that is easy to read, or whatever there is.
            let alone = unparser.shortest(&[id]).ok().map(|template| template.bytes);
            let is_whole = |text: &Vec<u8>| {
                let scanned = scanner.scan(text).unwrap_or_default();
                matches!(&scanned[..], [only] if only.span.start == 0 && only.span.end == text.len())
            };
            alone.filter(is_whole).or_else(|| unparser.example(id))
        };
        let texts: Vec<Option<Vec<u8>>> =
            writable.into_iter().map(|(id, is_writable)| text(id).filter(|_| is_writable)).collect();
        Language {
            texts,
            tables: Tables::new(&grammar),
            recogniser: Recogniser::new(&grammar),
            blank: BLANKS.into_iter().find(|blank| is_blank(&scanner, blank)).unwrap_or(b""),
            grammar: Rc::new(grammar),
            scanner,
            is_yacc,
            unparser: RefCell::new(unparser),
        }
    }

    /// What it says of a text.
    pub fn judge(&self, text: &[u8]) -> Judgement {
        let lexer =
            Lexer { lex: &self.scanner.lex, automaton: &self.scanner.automaton, effects: &self.scanner.effects };
        let lexemes = match lexer.lex(text) {
            Ok(lexemes) => lexemes,
            Err(stopped) if stopped.why == Why::NoMatch => return Judgement::NoSentence,
            Err(_) => return Judgement::Unknown,
        };
        let is_doubtful = |given: &lexer::Given| {
            matches!(given, lexer::Given::Token(Given::Unknown | Given::Stop) | lexer::Given::OneOf(_))
        };
        let Ok(scanned) = self.scanner.scan(text) else { return Judgement::Unknown };
        match scanned.iter().map(Scanned::only).collect::<Option<Vec<TerminalId>>>() {
            Some(terminals) => self.judge_terminals(&terminals),
            None if lexemes.iter().any(|lexeme| is_doubtful(&lexeme.given)) => Judgement::Unknown,
            // The scanner returns a token that the grammar has not.
            None => Judgement::NoSentence,
        }
    }

    /// What it says of a string of terminals.
    pub fn judge_terminals(&self, terminals: &[TerminalId]) -> Judgement {
        if self.tables.accepts(terminals) {
            return Judgement::Sentence;
        }
        if self.tables.is_exact() {
            return Judgement::NoSentence;
        }
        match self.recogniser.check(terminals, &|| false) {
            Err(Refusal::NoSentence(_)) => Judgement::NoSentence,
            Ok(()) if !self.is_yacc => Judgement::Sentence,
            _ => Judgement::Unknown,
        }
    }

    /// A tree of a sentence, unless it is too long.
    pub fn tree(&self, terminals: &[TerminalId]) -> Option<Tree> {
        if terminals.len() > N_TOKENS_MAX {
            return None;
        }
        let by_tables = parser::tree(&self.grammar, Some(&self.tables), terminals);
        by_tables.or_else(|| parser::tree(&self.grammar, None, terminals))
    }

    /// Phrases that can come into a sentence, each with its place: the shortest first.
    pub fn insertions(&self, terminals: &[TerminalId]) -> Vec<(usize, Vec<TerminalId>)> {
        let Some(tree) = self.tree(terminals) else { return Vec::new() };
        let mut all = self.with_shortest(|shortest| rephrase::insertions(&self.grammar, &tree, shortest));
        all.retain(|(_, phrase)| phrase.iter().all(|terminal| self.texts[terminal.index()].is_some()));
        all
    }

    /// The phrases of a sentence, each with its nonterminal.
    pub fn phrases(&self, terminals: &[TerminalId]) -> Vec<(NonterminalId, Range<usize>)> {
        let Some(tree) = self.tree(terminals) else { return Vec::new() };
        let spans = rephrase::spans(&self.grammar, &tree).into_iter();
        spans.filter_map(|(at, span)| Some((tree.nonterminal(&self.grammar, at)?, span))).collect()
    }

    /// Stretches of a sentence of at least `n_min` tokens that can go, what is left being a sentence: whole phrases first, and the
    /// shortest of them.
    pub fn removals(&self, terminals: &[TerminalId], n_min: usize) -> Vec<Range<usize>> {
        let lengths = n_min..terminals.len();
        let all = lengths.flat_map(|length| (0..=terminals.len() - length).map(move |at| at..at + length));
        let is_sentence = |stretch: &Range<usize>| {
            let rest = [&terminals[..stretch.start], &terminals[stretch.end..]].concat();
            self.judge_terminals(&rest) == Judgement::Sentence
        };
        let mut removals: Vec<Range<usize>> = all.filter(is_sentence).collect();
        let phrases: HashSet<Range<usize>> = self.phrases(terminals).into_iter().map(|(_, span)| span).collect();
        removals.sort_by_key(|stretch| !phrases.contains(stretch));
        removals
    }

    /// Terminals that can be written.
    pub fn writable(&self) -> impl Iterator<Item = TerminalId> + '_ {
        self.grammar.terminal_ids().filter(|terminal| self.texts[terminal.index()].is_some())
    }

    /// Those of them that no rule has.
    pub fn unused(&self) -> Vec<TerminalId> {
        let is_used = |id: TerminalId| self.grammar.rules.iter().any(|it| it.right.contains(&Symbol::Terminal(id)));
        self.writable().filter(|&terminal| !is_used(terminal)).collect()
    }

    /// The shortest text of a terminal.
    pub fn text(&self, terminal: TerminalId) -> Option<&[u8]> {
        self.texts[terminal.index()].as_deref()
    }

    /// Bytes that are no part of any sentence when they stand alone, those that can be read first.
    pub fn unknown_bytes(&self) -> Vec<u8> {
        let is_unknown = |&byte: &u8| {
            self.judge(&[byte]) == Judgement::NoSentence && self.phrase(&[byte]).tokens.iter().any(Token::is_unknown)
        };
        (0x21..0x7f).chain([0, 1, 0x7f, 0x80, 0xff]).filter(is_unknown).collect()
    }

    /// Pairs of terminals in one rule, the first before the second: brackets, most often.
    pub fn pairs(&self) -> Vec<[TerminalId; 2]> {
        let mut pairs = Vec::new();
        for rule in &self.grammar.rules {
            let writable = |symbol: &Symbol| symbol.terminal().filter(|it| self.texts[it.index()].is_some());
            let terminals: Vec<TerminalId> = rule.right.iter().filter_map(writable).collect();
            for (at, &first) in terminals.iter().enumerate() {
                pairs.extend(terminals[at + 1..].iter().map(|&second| [first, second]));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// What is as short as can be, for [`reduce`].
    fn with_shortest<T>(&self, action: impl FnOnce(&Shortest) -> T) -> T {
        let length_of = |terminal: TerminalId| if self.texts[terminal.index()].is_some() { 1 } else { UNWRITABLE };
        action(&Shortest::new(&self.grammar, &length_of))
    }
}
