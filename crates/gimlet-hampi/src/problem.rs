//! What a file asks: names are replaced by what they stand for.

use std::ops::RangeInclusive;
use std::rc::Rc;

use gimlet_grammar::grammar::builder::{GrammarBuilder, Part};
use gimlet_grammar::grammar::{Grammar, NonterminalId, Symbol, Terminal, TerminalId};
use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::source::spelling::nearest;
use gimlet_grammar::source::too_deep;
use gimlet_grammar::source::{Diagnostic, Severity, Source, Span};
use regex_syntax::hir::{Hir, Repetition};
use rustc_hash::FxHashMap;

use super::syntax::{self, Element, Name, Reg, Statement, Val};

/// Longer variables are not thought of.
pub const SIZE_MAX: u64 = 100_000;
/// Of an expression or text with all names replaced, in parts and bytes.
const EXPANDED_MAX: usize = 20_000;
const TEXT_MAX: usize = 1 << 20;
/// Names that are made of each other.
const N_NESTED_MAX: usize = 200;
/// Rules of a grammar whose strings have a length, and the longest.
const N_RULES_MAX: usize = 500_000;
const LEN_FIXED_MAX: usize = 1_000;

/// A part of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Text(Vec<u8>),
    Variable,
}

/// A grammar over bytes.
#[derive(Debug)]
pub struct Cfg {
    pub grammar: Grammar,
    /// The bytes of each terminal; they may have some in common.
    pub sets: Vec<ByteSet>,
}

#[derive(Clone, Debug)]
pub enum Language {
    Regular(Reg),
    /// The strings of a grammar, all of them or those of a length.
    ContextFree(Rc<Cfg>, Option<u64>),
}

/// That a text is in a language, or is not.
#[derive(Clone, Debug)]
pub struct Assertion {
    pub word: Vec<Piece>,
    pub language: Language,
    pub is_not: bool,
}

impl Assertion {
    pub fn n_variables(&self) -> usize {
        self.word.iter().filter(|piece| **piece == Piece::Variable).count()
    }

    /// The text, with a value for the variable.
    pub fn text(&self, value: &[u8]) -> Vec<u8> {
        let bytes = self.word.iter().flat_map(|piece| match piece {
            Piece::Text(text) => text.as_slice(),
            Piece::Variable => value,
        });
        bytes.copied().collect()
    }

    /// The length of the text, with one for the variable.
    pub fn len(&self, size: u64) -> u64 {
        let len = |piece: &Piece| match piece {
            Piece::Text(text) => text.len() as u64,
            Piece::Variable => size,
        };
        self.word.iter().map(len).sum()
    }
}

/// A question: is there a value for the variable?
#[derive(Clone, Debug)]
pub struct Problem {
    pub variable: String,
    /// Its sizes, in bytes.
    pub sizes: RangeInclusive<u64>,
    pub assertions: Vec<Assertion>,
}

impl Problem {
    /// Reads a file. Remarks that are no errors come with it.
    pub fn read(source: &Source) -> Result<(Problem, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (statements, diagnostics) = syntax::read(&source.text);
        let mut names =
            Names { statements: &statements, known: FxHashMap::default(), place: Span::default(), diagnostics };
        let problem = names.problem();
        let mut diagnostics = names.diagnostics;
        diagnostics.sort_by_key(|it| it.span.start);
        match problem {
            Some(problem) if diagnostics.iter().all(|it| it.severity != Severity::Error) => Ok((problem, diagnostics)),
            _ => Err(diagnostics),
        }
    }
}

struct Names<'a> {
    statements: &'a [Statement],
    /// The statement that defines each name.
    known: FxHashMap<&'a str, &'a Statement>,
    /// What is looked at.
    place: Span,
    diagnostics: Vec<Diagnostic>,
}

type Lowered<T> = Result<T, Diagnostic>;

impl<'a> Names<'a> {
    fn problem(&mut self) -> Option<Problem> {
        let mut variable = None;
        for statement in self.statements {
            let name = match statement {
                Statement::Var { name, from, to, sizes } => {
                    if variable.is_some() {
                        let error = Diagnostic::error(name.span, "there is more than one variable");
                        self.diagnostics.push(error.with_hint("make one of them of both, and `val`s of its parts"));
                    }
                    self.check_sizes(*from, *to, *sizes);
                    variable = variable.or(Some((name, *from..=*to)));
                    name
                }
                Statement::Cfg { name, .. } | Statement::Reg { name, .. } | Statement::Val { name, .. } => name,
                Statement::In { .. } | Statement::Contains { .. } => continue,
            };
            if self.known.insert(&name.text, statement).is_some() {
                let error = Diagnostic::error(name.span, format!("`{}` is defined twice", name.text));
                self.diagnostics.push(error);
            }
        }
        let Some((name, sizes)) = variable else {
            if self.diagnostics.is_empty() {
                let error = Diagnostic::error(Span::default(), "there is no variable");
                self.diagnostics.push(error.with_hint("it is what is asked for: `var v : 6;`"));
            }
            return None;
        };
        // What nobody uses may be wrong as well.
        for statement in self.statements {
            let checked = match statement {
                Statement::Cfg { right, .. } => self.check_names(right),
                Statement::Reg { name, expression } => {
                    self.place = name.span;
                    self.expand(expression, &mut Vec::new(), &mut 0).map(drop)
                }
                Statement::Val { value, .. } => self.word(value, &mut Vec::new()).map(drop),
                _ => Ok(()),
            };
            checked.unwrap_or_else(|error| self.diagnostics.push(error));
        }
        let mut assertions = Vec::new();
        for statement in self.statements {
            match self.assertion(statement) {
                Ok(assertion) => assertions.extend(assertion),
                // The same may have been said where it is defined.
                Err(error) if !self.diagnostics.contains(&error) => self.diagnostics.push(error),
                Err(_) => {}
            }
        }
        Some(Problem { variable: name.text.clone(), sizes, assertions })
    }

    fn check_sizes(&mut self, from: u64, to: u64, span: Span) {
        let problem = if from == 0 {
            ("a variable has at least one byte", "sizes are from 1 on")
        } else if to < from {
            ("this range is empty: its ends are the wrong way round", "write the smaller size first")
        } else if to > SIZE_MAX {
            ("this size is more than anybody has time for", "sizes are up to 100000")
        } else {
            return;
        };
        self.diagnostics.push(Diagnostic::error(span, problem.0).with_hint(problem.1));
    }

    fn undefined(&self, name: &Name, what: &str) -> Diagnostic {
        let error = Diagnostic::error(name.span, format!("`{}` is not defined", name.text));
        match nearest(&name.text, self.known.keys().copied()) {
            Some(near) => error.with_hint(format!("is `{near}` meant?")),
            None => error.with_hint(format!("define it: {what}")),
        }
    }

    fn wrong_kind(name: &Name, is: &Statement, wanted: &str) -> Diagnostic {
        let kind = match is {
            Statement::Var { .. } => "the variable",
            Statement::Cfg { .. } => "a grammar",
            Statement::Reg { .. } => "a regular language",
            _ => "a text",
        };
        Diagnostic::error(name.span, format!("`{}` is {kind}", name.text)).with_hint(wanted)
    }

    fn check_names(&self, element: &Element) -> Lowered<()> {
        match element {
            Element::Text(_) | Element::Set(_) => Ok(()),
            Element::Name(name) => match self.known.get(name.text.as_str()) {
                Some(Statement::Cfg { .. }) => Ok(()),
                Some(other) => Err(Names::wrong_kind(name, other, "a grammar is made of texts, ranges and grammars")),
                None => Err(self.undefined(name, "`cfg NAME := ..;`")),
            },
            Element::Sequence(parts) | Element::Choice(parts) => parts.iter().try_for_each(|it| self.check_names(it)),
            Element::Optional(part) | Element::Many(part) | Element::AtLeastOnce(part) => self.check_names(part),
        }
    }

    fn assertion(&mut self, statement: &'a Statement) -> Lowered<Option<Assertion>> {
        Ok(match statement {
            Statement::In { what, is_not, language } => {
                let word = self.word(&Val::Name(what.clone()), &mut Vec::new())?;
                Some(Assertion { word, language: self.language(language)?, is_not: *is_not })
            }
            Statement::Contains { what, is_not, text } => {
                let word = self.word(&Val::Name(what.clone()), &mut Vec::new())?;
                let any = || Reg::Star(Box::new(Reg::Set(ByteSet::of(|_| true, u8::MAX))));
                let language = Language::Regular(Reg::Concat(vec![any(), Reg::Text(text.clone()), any()]));
                Some(Assertion { word, language, is_not: *is_not })
            }
            _ => None,
        })
    }

    /// A text, with all names replaced. `active` are those that are being replaced.
    fn word(&self, value: &Val, active: &mut Vec<String>) -> Lowered<Vec<Piece>> {
        match value {
            Val::Text(text) => Ok(vec![Piece::Text(text.clone())]),
            Val::Concat(parts) => {
                let mut pieces = Vec::new();
                for part in parts {
                    pieces.extend(self.word(part, active)?);
                }
                Ok(pieces)
            }
            Val::Name(name) => match self.known.get(name.text.as_str()) {
                Some(Statement::Var { .. }) => Ok(vec![Piece::Variable]),
                Some(Statement::Val { value, .. }) => {
                    if active.contains(&name.text) {
                        return Err(Diagnostic::error(name.span, format!("`{}` is made of itself", name.text)));
                    }
                    if active.len() > N_NESTED_MAX {
                        return Err(too_deep(name.span));
                    }
                    active.push(name.text.clone());
                    let pieces = self.word(value, active)?;
                    active.pop();
                    let len = |piece: &Piece| if let Piece::Text(text) = piece { text.len() + 1 } else { 1 };
                    if pieces.iter().map(len).sum::<usize>() > TEXT_MAX {
                        return Err(Diagnostic::error(name.span, format!("`{}` is too long", name.text)));
                    }
                    Ok(pieces)
                }
                Some(other) => Err(Names::wrong_kind(name, other, "a text is made of texts and the variable")),
                None => Err(self.undefined(name, "`val NAME := ..;`")),
            },
        }
    }

    fn language(&mut self, name: &Name) -> Lowered<Language> {
        match self.known.get(name.text.as_str()) {
            Some(Statement::Cfg { .. }) => Ok(Language::ContextFree(self.grammar(name)?, None)),
            Some(Statement::Reg { expression, .. }) => {
                // The strings of a grammar that have a length need no rules of their own.
                if let Some((grammar, len)) = self.fixed(expression) {
                    self.grammar_named(&grammar)?;
                    return Ok(Language::ContextFree(self.grammar(&grammar)?, Some(len)));
                }
                match self.expand(expression, &mut vec![name.text.clone()], &mut 0)? {
                    Some(reg) => Ok(Language::Regular(reg)),
                    None => self.grammar_of(expression, name),
                }
            }
            Some(other) => Err(Names::wrong_kind(name, other, "`in` wants a `cfg` or a `reg`")),
            None => Err(self.undefined(name, "`cfg NAME := ..;` or `reg NAME := ..;`")),
        }
    }

    /// The grammar and the length, if the expression is nothing but that.
    fn fixed(&self, expression: &Reg) -> Option<(Name, u64)> {
        let mut expression = expression;
        for _ in 0..self.statements.len() {
            match expression {
                Reg::Fix(grammar, len, _) => return Some((grammar.clone(), *len)),
                Reg::Name(name) => match self.known.get(name.text.as_str()) {
                    Some(Statement::Reg { expression: next, .. }) => expression = next,
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }

    fn grammar_named(&self, name: &Name) -> Lowered<()> {
        match self.known.get(name.text.as_str()) {
            Some(Statement::Cfg { .. }) => Ok(()),
            Some(other) => Err(Names::wrong_kind(name, other, "`fix` wants a `cfg`")),
            None => Err(self.undefined(name, "`cfg NAME := ..;`")),
        }
    }

    /// An expression with all names replaced; `None` if it has the strings of a grammar.
    fn expand(&self, expression: &Reg, active: &mut Vec<String>, size: &mut usize) -> Lowered<Option<Reg>> {
        *size += 1;
        if *size > EXPANDED_MAX {
            return Err(Diagnostic::error(self.place, "this expression has too many parts")
                .with_hint("with all names replaced there may be 20000"));
        }
        let many = |parts: &[Reg], active: &mut Vec<String>, size: &mut usize| -> Lowered<Option<Vec<Reg>>> {
            let mut all = Some(Vec::new());
            for part in parts {
                match (self.expand(part, active, size)?, &mut all) {
                    (Some(reg), Some(all)) => all.push(reg),
                    _ => all = None,
                }
            }
            Ok(all)
        };
        Ok(match expression {
            Reg::Text(_) | Reg::Set(_) => Some(expression.clone()),
            Reg::Star(inner) => self.expand(inner, active, size)?.map(|reg| Reg::Star(Box::new(reg))),
            Reg::Or(parts) => many(parts, active, size)?.map(Reg::Or),
            Reg::Concat(parts) => many(parts, active, size)?.map(Reg::Concat),
            Reg::Fix(grammar, len, span) => {
                self.grammar_named(grammar)?;
                if *len > SIZE_MAX {
                    let error = Diagnostic::error(*span, "this size is more than anybody has time for");
                    return Err(error.with_hint("sizes are up to 100000"));
                }
                None
            }
            Reg::Name(name) => match self.known.get(name.text.as_str()) {
                Some(Statement::Reg { expression, .. }) => {
                    if active.contains(&name.text) {
                        let error = Diagnostic::error(name.span, format!("`{}` is made of itself", name.text));
                        return Err(error.with_hint("what is recursive is a `cfg`; `fix(E, 6)` makes it regular"));
                    }
                    if active.len() > N_NESTED_MAX {
                        return Err(too_deep(name.span));
                    }
                    active.push(name.text.clone());
                    let expanded = self.expand(expression, active, size)?;
                    active.pop();
                    expanded
                }
                Some(other @ Statement::Cfg { .. }) => {
                    return Err(Names::wrong_kind(name, other, "give it a size: `fix(E, 6)`"));
                }
                Some(other) => {
                    return Err(Names::wrong_kind(name, other, "an expression is made of texts, ranges and `reg`s"))
                }
                None => return Err(self.undefined(name, "`reg NAME := ..;`")),
            },
        })
    }

    /// The grammar from a name on.
    fn grammar(&mut self, start: &Name) -> Lowered<Rc<Cfg>> {
        let mut maker = Maker::default();
        let start_id = maker.draft.nonterminal(&start.text, start.span);
        self.define_from(&mut maker, &start.text);
        Ok(Rc::new(maker.finish(start_id)))
    }

    /// Adds the rules of a grammar, and of all that it is made of.
    fn define_from(&self, maker: &mut Maker, name: &str) {
        let mut pending = vec![name.to_owned()];
        while let Some(name) = pending.pop() {
            let Some(Statement::Cfg { name, right }) = self.known.get(name.as_str()) else { continue };
            let left = maker.draft.nonterminal(&name.text, name.span);
            if maker.defined.insert(name.text.clone(), ()).is_none() {
                let part = maker.element(right, &mut pending);
                maker.draft.define(left, &part, name.span);
            }
        }
    }

    /// A grammar for an expression that has the strings of one.
    fn grammar_of(&mut self, expression: &Reg, name: &Name) -> Lowered<Language> {
        let mut maker = Maker::default();
        let start = maker.draft.nonterminal(&format!("{} ", name.text), name.span);
        let part = self.part(&mut maker, expression)?;
        maker.draft.define(start, &part, name.span);
        Ok(Language::ContextFree(Rc::new(maker.finish(start)), None))
    }

    fn part(&mut self, maker: &mut Maker, expression: &Reg) -> Lowered<Part> {
        Ok(match expression {
            Reg::Text(text) => maker.text(text),
            Reg::Set(set) => maker.set(*set),
            Reg::Star(inner) => Part::many(self.part(maker, inner)?),
            Reg::Or(parts) => {
                let parts: Lowered<Vec<Part>> = parts.iter().map(|it| self.part(maker, it)).collect();
                Part::choice(parts?)
            }
            Reg::Concat(parts) => {
                let parts: Lowered<Vec<Part>> = parts.iter().map(|it| self.part(maker, it)).collect();
                Part::sequence(parts?)
            }
            Reg::Name(name) => match self.known.get(name.text.as_str()) {
                Some(Statement::Reg { expression, .. }) => self.part(maker, expression)?,
                _ => return Err(self.undefined(name, "`reg NAME := ..;`")),
            },
            Reg::Fix(name, len, span) => {
                self.grammar_named(name)?;
                let cfg = self.grammar(name)?;
                Part::Nonterminal(maker.fixed(&cfg, *len as usize, *span)?)
            }
        })
    }
}

/// A grammar over bytes in the making.
#[derive(Default)]
struct Maker {
    draft: GrammarBuilder,
    sets: Vec<ByteSet>,
    numbers: FxHashMap<ByteSet, TerminalId>,
    defined: FxHashMap<String, ()>,
    n_fixed: usize,
}

impl Maker {
    fn set(&mut self, set: ByteSet) -> Part {
        Part::Terminal(self.terminal(set))
    }

    fn terminal(&mut self, set: ByteSet) -> TerminalId {
        let (next, sets) = (TerminalId(self.sets.len() as u32), &mut self.sets);
        *self.numbers.entry(set).or_insert_with(|| {
            sets.push(set);
            next
        })
    }

    fn text(&mut self, text: &[u8]) -> Part {
        Part::sequence(text.iter().map(|&byte| self.set(ByteSet::of(|it| it == byte, u8::MAX))).collect::<Vec<_>>())
    }

    /// Names that occur are put on a list.
    fn element(&mut self, element: &Element, names: &mut Vec<String>) -> Part {
        match element {
            Element::Text(text) => self.text(text),
            Element::Set(set) => self.set(*set),
            Element::Name(name) => {
                names.push(name.text.clone());
                Part::Nonterminal(self.draft.nonterminal(&name.text, name.span))
            }
            Element::Sequence(parts) => {
                Part::sequence(parts.iter().map(|it| self.element(it, names)).collect::<Vec<_>>())
            }
            Element::Choice(parts) => Part::choice(parts.iter().map(|it| self.element(it, names)).collect::<Vec<_>>()),
            Element::Optional(part) => Part::optional(self.element(part, names)),
            Element::Many(part) => Part::many(self.element(part, names)),
            Element::AtLeastOnce(part) => Part::at_least_once(self.element(part, names)),
        }
    }

    /// The strings of a grammar that have a length, by rules that count: each nonterminal once for each length, and each
    /// rest of a rule. What can't have its length has no rules.
    fn fixed(&mut self, cfg: &Cfg, len: usize, span: Span) -> Lowered<NonterminalId> {
        if len > LEN_FIXED_MAX {
            return Err(too_many_rules(span));
        }
        self.n_fixed += 1;
        let (number, grammar) = (self.n_fixed, &cfg.grammar);
        let name = |id: NonterminalId, len: usize| format!("{}[{len}] {number}", grammar.nonterminal(id).name);
        let top = self.draft.nonterminal(&name(grammar.start, len), span);
        let mut pending = vec![(grammar.start, len)];
        let mut known: FxHashMap<(NonterminalId, usize), NonterminalId> =
            FxHashMap::from_iter([((grammar.start, len), top)]);
        let mut rests: FxHashMap<(NonterminalId, Vec<Symbol>, usize), NonterminalId> = FxHashMap::default();
        let lengths = lengths(grammar, len);
        while let Some((id, len)) = pending.pop() {
            let left = known[&(id, len)];
            let mut todo: Vec<(NonterminalId, Vec<Symbol>, usize)> =
                grammar.rules_of(id).iter().map(|&rule| (left, grammar.rule(rule).right.clone(), len)).collect();
            while let Some((left, symbols, len)) = todo.pop() {
                if self.draft.rules.len() > N_RULES_MAX {
                    return Err(too_many_rules(span));
                }
                let Some((&first, rest)) = symbols.split_first() else {
                    if len == 0 {
                        self.draft.push_rule(left, Vec::new(), span);
                    }
                    continue;
                };
                let behind = sums(rest, len, &lengths);
                for own in 0..=len {
                    let is_possible = match first {
                        Symbol::Terminal(_) => own == 1,
                        Symbol::Nonterminal(it) => lengths[it.index()].has(own),
                    };
                    if !is_possible || !behind.has(len - own) {
                        continue;
                    }
                    let first = match first {
                        Symbol::Terminal(terminal) => Symbol::Terminal(self.terminal(cfg.sets[terminal.index()])),
                        Symbol::Nonterminal(it) => Symbol::Nonterminal(*known.entry((it, own)).or_insert_with(|| {
                            pending.push((it, own));
                            self.draft.nonterminal(&name(it, own), span)
                        })),
                    };
                    let mut right = vec![first];
                    if !rest.is_empty() {
                        let key = (id, rest.to_vec(), len - own);
                        let next = match rests.get(&key) {
                            Some(&next) => next,
                            None => {
                                let next = self.draft.nonterminal(&format!("{} {}", name(id, len), rests.len()), span);
                                todo.push((next, rest.to_vec(), len - own));
                                rests.insert(key, next);
                                next
                            }
                        };
                        right.push(Symbol::Nonterminal(next));
                    }
                    self.draft.push_rule(left, right, span);
                }
            }
        }
        Ok(top)
    }

    fn finish(self, start: NonterminalId) -> Cfg {
        let terminal = |(number, set): (usize, &ByteSet)| Terminal {
            name: shown(set),
            alias: None,
            number: 258 + number as u32,
            precedence: None,
            text: Some(set.hir()),
            span: Span::default(),
        };
        let terminals = self.sets.iter().enumerate().map(terminal).collect();
        Cfg { grammar: self.draft.grammar(terminals, start), sets: self.sets }
    }
}

/// Lengths up to one, with a bit for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lengths {
    words: Vec<u64>,
    len_max: usize,
}

impl Lengths {
    fn none(len_max: usize) -> Lengths {
        Lengths { words: vec![0; len_max / 64 + 1], len_max }
    }

    pub fn has(&self, len: usize) -> bool {
        self.words[len / 64] >> (len % 64) & 1 == 1
    }

    fn insert(&mut self, len: usize) {
        self.words[len / 64] |= 1 << (len % 64);
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..=self.len_max).filter(|&len| self.has(len))
    }

    /// Adds others that are greater by a number.
    fn add_shifted(&mut self, others: &Lengths, by: usize) {
        let (n_words, n_bits) = (by / 64, by % 64);
        for at in n_words..self.words.len() {
            let mut word = others.words[at - n_words] << n_bits;
            if n_bits > 0 && at > n_words {
                word |= others.words[at - n_words - 1] >> (64 - n_bits);
            }
            self.words[at] |= word;
        }
        // Nothing beyond the last.
        let n_last = self.len_max % 64;
        if let Some(last) = self.words.last_mut() {
            *last &= u64::MAX >> (63 - n_last);
        }
    }
}

/// By nonterminal, the lengths of its strings up to one.
pub(super) fn lengths(grammar: &Grammar, len_max: usize) -> Vec<Lengths> {
    let mut lengths = vec![Lengths::none(len_max); grammar.nonterminals.len()];
    loop {
        let mut has_changed = false;
        for rule in &grammar.rules {
            let found = sums(&rule.right, len_max, &lengths);
            let own = &mut lengths[rule.left.index()];
            let before = own.clone();
            own.add_shifted(&found, 0);
            has_changed |= *own != before;
        }
        if !has_changed {
            return lengths;
        }
    }
}

/// The lengths that a sequence of symbols can have.
pub(super) fn sums(symbols: &[Symbol], len_max: usize, lengths: &[Lengths]) -> Lengths {
    let mut sums = Lengths::none(len_max);
    sums.insert(0);
    for symbol in symbols {
        let mut next = Lengths::none(len_max);
        match symbol {
            Symbol::Terminal(_) => next.add_shifted(&sums, 1),
            Symbol::Nonterminal(it) => {
                let own = &lengths[it.index()];
                own.iter().for_each(|len| next.add_shifted(&sums, len));
            }
        }
        sums = next;
    }
    sums
}

fn too_many_rules(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the strings of this length take too many rules")
        .with_hint("choose a smaller size, or assert that the whole is in the grammar")
}

fn shown(set: &ByteSet) -> String {
    match set.single() {
        Some(byte) => format!("'{}'", byte.escape_ascii()),
        None => {
            let bytes: Vec<u8> = (0..=u8::MAX).filter(|&byte| set.contains(byte)).collect();
            let ends =
                [bytes.first(), bytes.last()].map(|it| it.map_or(String::new(), |it| it.escape_ascii().to_string()));
            format!("[{}-{}]", ends[0], ends[1])
        }
    }
}

/// An expression that `regex-syntax` knows.
pub(super) fn hir(reg: &Reg) -> Hir {
    match reg {
        Reg::Text(text) => Hir::literal(text.clone()),
        Reg::Set(set) => set.hir(),
        Reg::Star(inner) => Hir::repetition(Repetition { min: 0, max: None, greedy: true, sub: Box::new(hir(inner)) }),
        Reg::Or(parts) => Hir::alternation(parts.iter().map(hir).collect()),
        Reg::Concat(parts) => Hir::concat(parts.iter().map(hir).collect()),
        Reg::Name(_) | Reg::Fix(..) => Hir::fail(),
    }
}
