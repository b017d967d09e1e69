//! A grammar with its scanner, its sentences and their texts.

use std::path::Path;
use std::rc::Rc;

use gimlet_grammar::chance::Chance;
use gimlet_grammar::count::sentences::Sentences;
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::scanner::effect::Move;
use gimlet_grammar::scanner::lexer::Lexer;
use gimlet_grammar::scanner::ConditionId;
use gimlet_grammar::scanner::{self, Scanner};
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::{Diagnostic, Grammar, Severity, Source, TerminalId};
use gimlet_readers::lex::token_map::TokenMap;
use gimlet_readers::lex::{self, action};
use gimlet_readers::yacc;

use crate::flex_oracle::{self, Divided, Trouble};
use crate::Sentence;

/// Sentences by chance have up to as many tokens more than the shortest.
const N_MORE_TOKENS: u32 = 20;

/// Of counting sentences, about a hundred bytes each.
const N_ITEMS_MAX: usize = 10_000_000;

/// Of those that the parser refuses there are no more for each that it accepts.
const N_REFUSED_MAX: usize = 20;

#[derive(Default)]
pub struct Arguments {
    pub n_sentences: usize,
    grammar: String,
    lexer: Option<String>,
    map: Option<String>,
}

impl Arguments {
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Arguments, Trouble> {
        let mut arguments = Arguments { n_sentences: 10_000, ..Arguments::default() };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-n" => arguments.n_sentences = args.next().ok_or("-n needs a number")?.parse()?,
                "-m" => arguments.map = Some(args.next().ok_or("-m needs a token map")?),
                _ if arguments.grammar.is_empty() => arguments.grammar = arg,
                _ => arguments.lexer = Some(arg),
            }
        }
        Ok(arguments)
    }
}

pub struct Language {
    pub grammar: Grammar,
    pub tables: Tables,
    pub wording: Unparser,
    scanner: Rc<Scanner>,
    /// The lex file, if there is one.
    source: Option<Source>,
}

impl Language {
    pub fn read(arguments: &Arguments) -> Result<Language, Trouble> {
        let source = read(&arguments.grammar)?;
        let yacc = yacc::read(&source);
        stop_at_errors(&yacc.diagnostics, &source)?;
        let grammar = yacc.grammar.ok_or("no grammar")?;
        let map_source = arguments.map.as_ref().map_or_else(|| Ok(Source::new("no map", "")), |map| read(map))?;
        let map = TokenMap::read(&map_source);
        stop_at_errors(&map.diagnostics, &map_source)?;
        let source = arguments.lexer.as_ref().map(|lexer| read(lexer)).transpose()?;
        let scanner = match &source {
            Some(source) => {
                let lex = lex::read(source);
                stop_at_errors(&lex.diagnostics, source)?;
                let mut effects = action::effects_assuming(&lex, source, &map.assumptions);
                stop_at_errors(&map.apply(&lex, source, &mut effects), &map_source)?;
                Scanner::new(&grammar, lex, effects, &map.texts)?
            }
            None if map.skipped.is_empty() => Scanner::of_texts(&grammar, &[scanner::blanks()], &map.texts)?,
            None => Scanner::of_texts(&grammar, &map.skipped, &map.texts)?,
        };
        let scanner = Rc::new(scanner);
        let wording = Unparser::new(&grammar, scanner.clone());
        Ok(Language { tables: Tables::new(&grammar), wording, grammar, scanner, source })
    }

    pub fn names(&self, terminals: &[TerminalId]) -> String {
        let names = terminals.iter().map(|&id| self.grammar.terminal(id).name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    fn sentences(&self) -> Result<Sentences, Trouble> {
        let one = |id| if self.wording.has_text(id) { vec![(1, 1u8.into())] } else { Vec::new() };
        let sentences = Sentences::new(&self.grammar, self.grammar.terminal_ids().map(one).collect());
        Ok(sentences.ok_or("there are no sentences")?.within(N_ITEMS_MAX))
    }

    /// By chance, as many as the parser accepts of each length in turn, and those that it refuses.
    pub fn sampled(&self, n_wanted: usize, chance: &mut Chance) -> Result<Vec<Sentence>, Trouble> {
        let mut sentences = self.sentences()?;
        let lens = (sentences.shortest()..=sentences.shortest() + N_MORE_TOKENS)
            .filter(|&len| sentences.count(len) != 0u8.into() && !sentences.is_too_large());
        let lens: Vec<u32> = lens.collect();
        let (mut found, mut n_accepted) = (Vec::new(), 0);
        for &len in lens.iter().cycle().take(n_wanted * N_REFUSED_MAX) {
            if n_accepted == n_wanted {
                break;
            }
            let pieces = sentences.sample(len, chance).ok_or("a length without sentences")?;
            let sentence: Sentence = pieces.iter().map(|piece| piece.terminal).collect();
            n_accepted += usize::from(self.tables.accepts(&sentence));
            found.push(sentence);
        }
        Ok(found)
    }

    /// The shortest, as many as the parser accepts, and those that it refuses.
    pub fn enumerated(&self, n_wanted: usize) -> Result<Vec<Sentence>, Trouble> {
        let mut sentences = self.sentences()?;
        let (mut found, mut n_accepted, shortest) = (Vec::new(), 0, sentences.shortest());
        for len in shortest.. {
            let mut enumeration = sentences.enumerate(len);
            while let Some(pieces) = enumeration.advance() {
                if n_accepted == n_wanted || found.len() == n_wanted * N_REFUSED_MAX {
                    return Ok(found);
                }
                let sentence: Sentence = pieces.iter().map(|piece| piece.terminal).collect();
                n_accepted += usize::from(self.tables.accepts(&sentence));
                found.push(sentence);
            }
            if sentences.is_too_large() || len > shortest + 100 {
                break;
            }
        }
        Ok(found)
    }

    /// How flex and we divide the texts, if there is a lex file.
    pub fn divided<'a>(
        &self,
        texts: impl Iterator<Item = &'a Vec<u8>>,
        folder: &Path,
    ) -> Result<Option<Vec<Divided>>, Trouble> {
        let Some(source) = &self.source else { return Ok(None) };
        let Scanner { lex, automaton, effects, .. } = &*self.scanner;
        let begin = match &effects.at_start.outcomes[..] {
            [outcome] => outcome.moves.iter().rev().find_map(|step| match step {
                Move::Begin(condition) => Some(*condition),
                _ => None,
            }),
            _ => None,
        };
        let condition = begin.unwrap_or(ConditionId::INITIAL);
        let texts: Vec<flex_oracle::Text> = texts.map(|text| (condition, text.clone())).collect();
        flex_oracle::divided(&Lexer { lex, automaton, effects }, source, folder, &texts).map(Some)
    }

    /// Whether the pieces of a text are the tokens of a sentence; a doubt if they may be others as well.
    pub fn taken_back(&self, sentence: &Sentence, text: &[u8]) -> Result<Option<String>, String> {
        let scanned = self.scanner.scan(text).map_err(|stopped| format!("the scanner stops: {:?}", stopped.why))?;
        if scanned.len() != sentence.len() {
            return Err(format!("{} tokens come back", scanned.len()));
        }
        let mut doubt = None;
        for (piece, &wanted) in scanned.iter().zip(sentence) {
            if !piece.terminals.contains(&wanted) {
                return Err(format!("{} comes back as {}", self.names(&[wanted]), self.names(&piece.terminals)));
            }
            if piece.only().is_none() {
                let or_nothing = if piece.may_be_nothing { " or nothing" } else { "" };
                doubt = Some(format!("it may be {}{or_nothing}", self.names(&piece.terminals)));
            }
        }
        Ok(doubt)
    }
}

fn read(path: &str) -> Result<Source, Trouble> {
    let bytes = std::fs::read(path).map_err(|error| format!("can't read {path}: {error}"))?;
    Ok(Source::new(path, String::from_utf8_lossy(&bytes)))
}

fn stop_at_errors(diagnostics: &[Diagnostic], source: &Source) -> Result<(), Trouble> {
    match diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        Some(error) => Err(error.render(source).into()),
        None => Ok(()),
    }
}
