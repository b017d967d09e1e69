//! Makes a grammar over bytes of rules over characters.
//!
//! Sets of bytes are terminals while rules are made. In the end they are cut into pieces that are apart from each other:
//! those are the terminals, and a set of several pieces is a nonterminal.

use gimlet_grammar::grammar::builder::{GrammarBuilder, Part};
use gimlet_grammar::grammar::{NonterminalId, Symbol, Terminal, TerminalId};
use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::regular::dfa::Dfa;
use gimlet_grammar::source::spelling::nearest;
use gimlet_grammar::source::N_DIAGNOSTICS_MAX;
use gimlet_grammar::source::{Diagnostic, Span};
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::characters;
use crate::expression::{Definition, Expression};
use crate::format::Read;
use crate::regular::Regular;

/// What a scanner that returns bytes would return for anything else.
pub const FIRST_NUMBER: u32 = 258;

pub fn assemble(definitions: &[Definition]) -> Read {
    let mut assembler = Assembler {
        draft: GrammarBuilder::default(),
        sets: Vec::new(),
        numbers: FxHashMap::default(),
        diagnostics: super::report_twice(definitions),
    };
    let mut start = None;
    for definition in definitions {
        let nonterminal = assembler.draft.nonterminal(&definition.name, definition.span);
        start.get_or_insert(nonterminal);
    }
    let mut regular = Regular::new(definitions.iter().map(|it| (it.name.as_str(), &it.body)).collect());
    for definition in definitions {
        let left = assembler.draft.nonterminal(&definition.name, definition.span);
        match assembler.part(&definition.body, left, &mut regular) {
            Ok(part) => assembler.draft.define(left, &part, definition.span),
            Err(error) => assembler.diagnostics.push(error),
        }
        if assembler.diagnostics.len() >= N_DIAGNOSTICS_MAX {
            break;
        }
    }
    assembler.finish(start.unwrap_or(NonterminalId(0)))
}

struct Assembler {
    draft: GrammarBuilder,
    /// The sets that occur; a set has the number of a terminal for now.
    sets: Vec<ByteSet>,
    numbers: FxHashMap<ByteSet, TerminalId>,
    diagnostics: Vec<Diagnostic>,
}

impl Assembler {
    fn set(&mut self, set: ByteSet) -> Part {
        let next = TerminalId(self.sets.len() as u32);
        let sets = &mut self.sets;
        let number = *self.numbers.entry(set).or_insert_with(|| {
            sets.push(set);
            next
        });
        Part::Terminal(number)
    }

    fn byte(&mut self, byte: u8) -> Part {
        let mut set = ByteSet::default();
        set.insert(byte);
        self.set(set)
    }

    fn part<'a>(
        &mut self,
        expression: &'a Expression,
        owner: NonterminalId,
        regular: &mut Regular<'a>,
    ) -> Result<Part, Diagnostic> {
        Ok(match expression {
            Expression::Name(name, span) => match self.draft.named(name) {
                Some(nonterminal) => Part::Nonterminal(nonterminal),
                None => return Err(self.undefined(name, *span, regular)),
            },
            Expression::Text(text, _) => Part::sequence(text.bytes().map(|byte| self.byte(byte)).collect::<Vec<_>>()),
            Expression::Sequence(parts) => {
                let parts: Result<Vec<Part>, _> = parts.iter().map(|part| self.part(part, owner, regular)).collect();
                Part::sequence(parts?)
            }
            Expression::Choice(parts) => {
                let parts: Result<Vec<Part>, _> = parts.iter().map(|part| self.part(part, owner, regular)).collect();
                self.choice(parts?)
            }
            Expression::Repeat(repeat, part) => {
                let part = self.part(part, owner, regular)?;
                match (repeat.is_optional, repeat.is_unbounded) {
                    (true, true) => Part::many(part),
                    (true, false) => Part::optional(part),
                    (false, _) => Part::at_least_once(part),
                }
            }
            Expression::Times(n_times, part) => Part::times(*n_times, self.part(part, owner, regular)?),
            Expression::Except(one, other, span) => {
                self.check_names(expression, regular)?;
                match regular.class(expression) {
                    Some(class) => self.texts(&characters::class(&class)),
                    None => {
                        let difference = regular.difference(one, other, *span)?;
                        self.automaton(&difference, owner, *span)
                    }
                }
            }
            set => match regular.class(set) {
                Some(class) => self.texts(&characters::class(&class)),
                None => Part::empty(),
            },
        })
    }

    /// Reports names without rules with a hint; the others are reached in this way.
    fn check_names<'a>(&mut self, expression: &'a Expression, regular: &Regular<'a>) -> Result<(), Diagnostic> {
        let mut unknown = None;
        regular.visit(expression, &mut |part| {
            let Expression::Name(name, span) = part else { return };
            match self.draft.named(name) {
                Some(nonterminal) => self.draft.keep_quiet(nonterminal),
                None => unknown = Some((name, *span)),
            }
        });
        unknown.map_or(Ok(()), |(name, span)| Err(self.undefined(name, span, regular)))
    }

    fn undefined(&self, name: &str, span: Span, regular: &Regular<'_>) -> Diagnostic {
        let error = Diagnostic::error(span, format!("`{name}` has no rules"));
        match nearest(name, regular.names()) {
            Some(other) => error.with_hint(format!("did you mean `{other}`?")),
            None => error.with_hint(format!(
                "write a rule for it, or quotes around it if it is a text: \"{name}\"; texts of a token can be in a token map"
            )),
        }
    }

    /// Alternatives of one byte are one set.
    fn choice(&mut self, parts: Vec<Part>) -> Part {
        let bytes = parts.iter().filter_map(|part| match part {
            Part::Terminal(set) => Some(self.sets[set.index()]),
            _ => None,
        });
        let Some(joined) = bytes.reduce(|one, other| one.union(&other)) else { return Part::choice(parts) };
        let mut joined = Some(self.set(joined));
        Part::choice(parts.into_iter().filter_map(|part| match part {
            Part::Terminal(_) => joined.take(),
            part => Some(part),
        }))
    }

    /// The texts of an expression over bytes without repetitions.
    fn texts(&mut self, hir: &Hir) -> Part {
        match hir.kind() {
            HirKind::Literal(literal) => {
                Part::sequence(literal.0.iter().map(|&byte| self.byte(byte)).collect::<Vec<_>>())
            }
            HirKind::Class(Class::Bytes(class)) => {
                let has = |byte| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte));
                match ByteSet::of(has, u8::MAX) {
                    set if set.is_empty() => Part::choice([]),
                    set => self.set(set),
                }
            }
            HirKind::Class(Class::Unicode(class)) => self.characters(class),
            HirKind::Concat(parts) => Part::sequence(parts.iter().map(|part| self.texts(part)).collect::<Vec<_>>()),
            HirKind::Alternation(parts) => {
                let parts = parts.iter().map(|part| self.texts(part)).collect();
                self.choice(parts)
            }
            _ => Part::empty(),
        }
    }

    /// The UTF-8 of the characters of a set.
    fn characters(&mut self, class: &ClassUnicode) -> Part {
        let made = characters::class(class);
        if !matches!(made.kind(), HirKind::Class(Class::Unicode(_))) {
            return self.texts(&made);
        }
        // An expression for a choice of single characters becomes a set of them again.
        let mut parts = Vec::new();
        for sequence in characters::sequences(class) {
            let sets = sequence
                .iter()
                .map(|range| self.set(ByteSet::of(|byte| (range.start..=range.end).contains(&byte), u8::MAX)));
            parts.push(Part::sequence(sets.collect::<Vec<_>>()));
        }
        self.choice(parts)
    }

    /// The texts of an automaton: a nonterminal for each state.
    fn automaton(&mut self, dfa: &Dfa, owner: NonterminalId, span: Span) -> Part {
        let states: Vec<NonterminalId> = (0..dfa.n_states()).map(|_| self.draft.fresh(owner, span)).collect();
        for (state, &left) in states.iter().enumerate() {
            if dfa.is_accepting(state as u32) {
                self.draft.push_rule(left, Vec::new(), span);
            }
            for (next, bytes) in dfa.edges(state as u32) {
                let mut set = ByteSet::default();
                bytes.into_iter().for_each(|byte| set.insert(byte));
                if let Part::Terminal(set) = self.set(set) {
                    let right = vec![Symbol::Terminal(set), Symbol::Nonterminal(states[next as usize])];
                    self.draft.push_rule(left, right, span);
                }
            }
        }
        Part::Nonterminal(states[0])
    }

    /// Cuts the sets into pieces, and puts those in their places.
    fn finish(mut self, start: NonterminalId) -> Read {
        let mut rules = std::mem::take(&mut self.draft.rules);
        let mut spans: FxHashMap<TerminalId, Span> = FxHashMap::default();
        for rule in &rules {
            let used = rule.right.iter().filter_map(|symbol| symbol.terminal());
            used.for_each(|set| {
                spans.entry(set).or_insert(rule.span);
            });
        }
        let mut used: Vec<TerminalId> = spans.keys().copied().collect();
        used.sort();
        let pieces = pieces(used.iter().map(|set| &self.sets[set.index()]));
        let mut symbols: FxHashMap<TerminalId, Symbol> = FxHashMap::default();
        let mut piece_spans: Vec<Option<Span>> = vec![None; pieces.len()];
        for set in used {
            let bytes = self.sets[set.index()];
            let is_part = |piece: &ByteSet| bytes.union(piece) == bytes;
            let parts: Vec<usize> = (0..pieces.len()).filter(|&piece| is_part(&pieces[piece])).collect();
            parts.iter().for_each(|&piece| {
                piece_spans[piece].get_or_insert(spans[&set]);
            });
            let terminal = |piece: usize| Symbol::Terminal(TerminalId(piece as u32));
            let symbol = match parts.as_slice() {
                [piece] => terminal(*piece),
                parts => {
                    let left = self.draft.nonterminal(&characters::show_set(&bytes), spans[&set]);
                    self.draft.keep_quiet(left);
                    parts.iter().for_each(|&piece| self.draft.push_rule(left, vec![terminal(piece)], spans[&set]));
                    Symbol::Nonterminal(left)
                }
            };
            symbols.insert(set, symbol);
        }
        for symbol in rules.iter_mut().flat_map(|rule| &mut rule.right) {
            if let Symbol::Terminal(set) = *symbol {
                *symbol = symbols[&set];
            }
        }
        rules.append(&mut self.draft.rules);
        self.draft.rules = rules;
        let terminals = pieces.iter().zip(piece_spans).zip(FIRST_NUMBER..);
        let terminals =
            terminals.map(|((set, span), number)| terminal(set, number, span.unwrap_or_default())).collect();
        let is_sound = self.diagnostics.iter().all(|found| found.severity == gimlet_grammar::Severity::Warning);
        let grammar = if is_sound { self.draft.finish(terminals, start, &mut self.diagnostics) } else { None };
        Read::new(grammar, Vec::new(), self.diagnostics)
    }
}

/// The largest sets of bytes that no given set tells apart, without the bytes that are in none; by their first bytes.
fn pieces<'a>(sets: impl Iterator<Item = &'a ByteSet>) -> Vec<ByteSet> {
    let mut groups = [0u32; 256];
    let mut is_used = [false; 256];
    for set in sets {
        let mut numbers: FxHashMap<(u32, bool), u32> = FxHashMap::default();
        for byte in 0..=u8::MAX {
            let is_in = set.contains(byte);
            is_used[byte as usize] |= is_in;
            let next = numbers.len() as u32;
            groups[byte as usize] = *numbers.entry((groups[byte as usize], is_in)).or_insert(next);
        }
    }
    let mut seen = FxHashSet::default();
    let firsts = (0..=u8::MAX).filter(|&byte| is_used[byte as usize] && seen.insert(groups[byte as usize]));
    firsts.map(|first| ByteSet::of(|byte| groups[byte as usize] == groups[first as usize], u8::MAX)).collect()
}

fn terminal(set: &ByteSet, number: u32, span: Span) -> Terminal {
    Terminal {
        name: characters::show_set(set),
        alias: None,
        number: set.single().map_or(number, u32::from),
        precedence: None,
        text: Some(set.hir()),
        span,
    }
}
