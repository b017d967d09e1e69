//! A grammar and its scanner, from the files that the user names.

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread;

use gimlet_grammar::scanner::automaton::Automaton;
use gimlet_grammar::scanner::Lex;
use gimlet_grammar::scanner::{self, Scanner};
use gimlet_grammar::text::symbolic::Holes;
use gimlet_grammar::{Diagnostic, Grammar, Severity, Source, Span, Symbol};
use gimlet_readers::format::{self, Format};
use gimlet_readers::lex::token_map::TokenMap;
use gimlet_readers::lex::{self, action};

use crate::error::ExploreError;

/// What the user names.
#[derive(Clone, Debug, Default)]
pub struct Files {
    pub grammar: PathBuf,
    pub lexer: Option<PathBuf>,
    pub map: Option<PathBuf>,
    pub start: Option<String>,
}

/// What was found wrong in a file, or remarkable.
pub struct Remarks {
    pub source: Source,
    pub diagnostics: Vec<Diagnostic>,
}

impl Remarks {
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|it| it.severity == Severity::Error)
    }
}

/// Everything that the files say.
pub struct Loaded {
    /// None if there are errors.
    pub grammar: Option<Grammar>,
    /// If there is a lex file or a token map, or the grammar has the texts of its tokens; none if there are errors.
    pub scanner: Option<Rc<Scanner>>,
    pub map: TokenMap,
    pub format: Format,
    /// In the order of the files.
    pub remarks: Vec<Remarks>,
}

impl Loaded {
    /// An error with all that is wrong, if anything is.
    pub fn checked(self) -> Result<(Grammar, Option<Rc<Scanner>>, TokenMap), ExploreError> {
        let (mut wrong, mut errors) = (None, Vec::new());
        for remarks in self.remarks.iter().filter(|remarks| remarks.has_errors()) {
            let of_file = remarks.diagnostics.iter().filter(|it| it.severity == Severity::Error);
            errors.extend(of_file.map(|it| it.render(&remarks.source)));
            wrong = wrong.or(Some(remarks.source.name.clone()));
        }
        match (wrong, self.grammar) {
            (None, Some(grammar)) => Ok((grammar, self.scanner, self.map)),
            (wrong, _) => {
                Err(ExploreError::WrongGrammar { name: wrong.unwrap_or_else(|| "the grammar".to_owned()), errors })
            }
        }
    }
}

/// Reads the files; an error only if one can't be read at all.
pub fn load(files: &Files) -> Result<Loaded, ExploreError> {
    let format = format_of(&files.grammar)?;
    let source = read(&files.grammar, "name a grammar: FILE.y, .ebnf, .g4 or grammar.json")?;
    let map_source = match &files.map {
        Some(path) => Some(read(path, "name a token map: lines like NUMBER = /[0-9]+/")?),
        None => None,
    };
    let mut map = map_source.as_ref().map(TokenMap::read).unwrap_or_default();
    let read_grammar = match &map_source {
        Some(_) => format::read_with(&source, format, &map, files.start.as_deref()),
        None => format::read(&source, format),
    };
    let grammar = match read_grammar.grammar {
        Some(grammar) => Some(with_start(grammar, files.start.as_deref())?),
        None => None,
    };
    let mut remarks = vec![Remarks { source, diagnostics: read_grammar.diagnostics }];
    if let Some(source) = map_source {
        let mut diagnostics = std::mem::take(&mut map.diagnostics);
        diagnostics.extend(grammar.iter().flat_map(|grammar| unknown_names(&map, grammar, &source)));
        diagnostics.extend(unknown_rules(&map, grammar.as_ref(), format));
        if let Some(grammar) = grammar.as_ref().filter(|_| format == Format::Ebnf) {
            diagnostics.extend(unused_names(&map, grammar, &source));
        }
        remarks.push(Remarks { source, diagnostics });
    }
    let Some(known) = &grammar else {
        return Ok(Loaded { grammar, scanner: None, map, format, remarks });
    };
    let scanner = match &files.lexer {
        Some(path) => from_lex(known, path, &map, &mut remarks)?,
        None if files.map.is_some() || format != Format::Yacc => {
            let mut skipped = read_grammar.skipped;
            skipped.extend(map.skipped.iter().cloned());
            if skipped.is_empty() && format == Format::Yacc {
                skipped.push(scanner::blanks());
            }
            Some(Scanner::of_texts(known, &skipped, &map.texts))
        }
        None => None,
    };
    let scanner =
        scanner.transpose().map_err(|error| ExploreError::refused(error.to_string(), "make its patterns simpler"))?;
    let has_errors = remarks.iter().any(Remarks::has_errors);
    Ok(Loaded { scanner: scanner.filter(|_| !has_errors).map(Rc::new), grammar, map, format, remarks })
}

type Made = Option<Result<Scanner, gimlet_grammar::scanner::ScannerError>>;

fn from_lex(grammar: &Grammar, path: &Path, map: &TokenMap, remarks: &mut Vec<Remarks>) -> Result<Made, ExploreError> {
    let source = read(path, "name a scanner of lex or flex: FILE.l")?;
    let mut lex: Lex = lex::read(&source);
    let mut diagnostics = std::mem::take(&mut lex.diagnostics);
    // Both take their time, and neither needs the other.
    let (mut effects, automaton) = thread::scope(|scope| {
        let automaton = scope.spawn(|| Automaton::new(&lex));
        let effects = action::effects_assuming(&lex, &source, &map.assumptions);
        (effects, automaton.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let problems = map.apply(&lex, &source, &mut effects);
    if let Some(remarks) = remarks.get_mut(1) {
        remarks.diagnostics.extend(problems);
    }
    diagnostics.extend(effects.warnings(&lex));
    let is_sound = diagnostics.iter().all(|it| it.severity != Severity::Error);
    let made = is_sound.then(|| Scanner::with_automaton(grammar, lex, automaton?, effects, &map.texts));
    if let Some(Ok(scanner)) = &made {
        diagnostics.extend(scanner.automaton.never_winning(&scanner.lex));
        diagnostics.extend(scanner.strangers());
    }
    diagnostics.sort_by_key(|it| it.span.start);
    remarks.push(Remarks { source, diagnostics });
    Ok(made)
}

/// Names in a token map that the grammar has not.
fn unknown_names(map: &TokenMap, grammar: &Grammar, source: &Source) -> Vec<Diagnostic> {
    let texts = map.texts.iter().map(|(name, _)| name);
    let lengths = map.lengths.iter().map(|(name, ..)| name);
    let is_unknown = |name: &&String| !matches!(grammar.symbol(name), Some(Symbol::Terminal(_)));
    let error = |name: &String| {
        Diagnostic::error(place(name, source), format!("the grammar has no token {name}"))
            .with_hint("`gimlet grammar show` lists them")
    };
    texts.chain(lengths).filter(is_unknown).map(error).collect()
}

/// Tokens of a map that no rule has.
fn unused_names(map: &TokenMap, grammar: &Grammar, source: &Source) -> Vec<Diagnostic> {
    let is_used =
        |name: &str| grammar.rules.iter().any(|rule| rule.right.iter().any(|&it| grammar.symbol(name) == Some(it)));
    let unused = map.names().filter(|name| grammar.symbol(name).is_some() && !is_used(name));
    let warning = |name| Diagnostic::warning(place(name, source), format!("no rule has the token {name}"));
    unused.map(warning).collect()
}

/// Where a token map has a name first.
fn place(name: &str, source: &Source) -> Span {
    let at = source.text.find(name).unwrap_or(0);
    Span::new(at, at + name.len())
}

/// Rules in a token map that the grammar has not, or has in a way of its own.
fn unknown_rules(map: &TokenMap, grammar: Option<&Grammar>, format: Format) -> Vec<Diagnostic> {
    let unknown = map.tokens.iter().filter_map(|token| {
        let name = &token.name;
        if format != Format::Ebnf {
            let error = Diagnostic::error(token.span, "only in EBNF can rules become tokens");
            return Some(error.with_hint(format!("say its texts: {name} = /regex/")));
        }
        let is_known = matches!(grammar?.symbol(name), Some(Symbol::Terminal(_)));
        (!is_known).then(|| {
            Diagnostic::error(token.span, format!("the grammar has no rule {name}"))
                .with_hint(format!("say its texts: {name} = /regex/"))
        })
    });
    unknown.collect()
}

/// What becomes a hole, with what the user says.
pub fn holes(grammar: &Grammar, map: &TokenMap, len_max: u32, are_free: bool) -> Holes {
    let lengths = map.lengths.iter().filter_map(|(name, from, to)| match grammar.symbol(name) {
        Some(Symbol::Terminal(terminal)) => Some((terminal, *from..=*to)),
        _ => None,
    });
    Holes { len_max, lengths: lengths.collect(), are_free }
}

fn format_of(path: &Path) -> Result<Format, ExploreError> {
    Format::of_name(&path.to_string_lossy()).ok_or_else(|| {
        ExploreError::refused(
            format!("what kind of grammar {} is can't be told by its name", path.display()),
            "names end in .y (.yy, .ypp, .yxx), .ebnf, .g4 or .json, with or without .in behind it: make a link with such a name",
        )
    })
}

/// A file of text.
pub fn read(path: &Path, hint: &str) -> Result<Source, ExploreError> {
    let bytes = fs::read(path)
        .map_err(|error| ExploreError::refused(format!("cannot read {}: {error}", path.display()), hint))?;
    // Comments in old files are often in another encoding; what is no UTF-8 matters in literals only.
    Ok(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes)))
}

fn with_start(grammar: Grammar, start: Option<&str>) -> Result<Grammar, ExploreError> {
    let Some(name) = start else { return Ok(grammar) };
    match grammar.symbol(name) {
        Some(Symbol::Nonterminal(start)) => Ok(grammar.with_start(start)),
        Some(Symbol::Terminal(_)) => {
            Err(ExploreError::refused(format!("{name} is a token"), "--start wants a symbol that has rules"))
        }
        None => Err(ExploreError::refused(format!("there is no symbol {name}"), "`gimlet grammar show` lists them")),
    }
}
