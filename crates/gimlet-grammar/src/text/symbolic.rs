//! Symbolic grammars, after CESE (Majumdar and Xu 2007): tokens with several texts become holes that the solver fills in.
//!
//! A token whose language is one string stays. One with finitely many texts becomes a hole for each of their lengths, one
//! with ever longer texts a hole for each length up to a bound. Holes whose tokens can stand for each other in every rule
//! are one. So a calculator with ten digits and 52 letters has 11 strings of up to three tokens, not 27,156.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::count::sentences::{Cursor, Sentences, Texts};
use crate::grammar::bounded_height;
use crate::grammar::{Grammar, Nonterminal, NonterminalId, Precedence, Rule, Symbol, TerminalId};
use crate::parse::lalr::Tables;
use crate::scanner::Scanner;
use crate::text::template::Template;
use crate::text::writer::{NoText, Wanted, Writer};

/// Lengths are counted in holes first, and tokens below that.
const HOLE: u32 = 1 << 16;

/// A sentence of more tokens is not thought of.
pub const LEN_MAX: u32 = 2_000;

/// A finite language with longer texts is bounded as an infinite one is.
const FINITE_LEN_MAX: u32 = 24;

/// What becomes a hole.
#[derive(Clone, Debug)]
pub struct Holes {
    /// The longest hole for a token with ever longer texts; the shortest text is tried in any case.
    pub len_max: u32,
    /// Tokens with other lengths than that.
    pub lengths: Vec<(TerminalId, std::ops::RangeInclusive<u32>)>,
    /// Whatever fits may be put in, be it a text of the token or not.
    pub are_free: bool,
}

impl Default for Holes {
    fn default() -> Holes {
        Holes { len_max: 2, lengths: Vec::new(), are_free: false }
    }
}

/// A grammar with holes.
#[derive(Debug)]
pub struct Symbolic {
    /// Its terminals are those of the grammar that it is made of, then holes of several lengths: `NAME[2]`.
    pub grammar: Grammar,
    /// By terminal: how it is written, and whether that is a hole; `None` if nobody knows a text for it.
    written: Vec<Option<(Wanted, bool)>>,
    /// By terminal: that of the grammar that it is made of.
    origins: Vec<TerminalId>,
    writer: Writer,
    are_free: bool,
}

impl Symbolic {
    pub fn new(grammar: &Grammar, scanner: Rc<Scanner>, holes: &Holes) -> Symbolic {
        let mut writer = Writer::new(grammar, scanner);
        let lengths: Vec<Lengths> =
            grammar.terminal_ids().map(|terminal| Lengths::of(grammar, &mut writer, terminal, holes)).collect();
        let classes = interchangeable(grammar, &lengths);
        let is_first = |terminal: &TerminalId| classes[terminal.index()] == terminal.0;
        let mut made = Made {
            grammar,
            terminals: grammar.terminals.clone(),
            nonterminals: grammar.nonterminals.clone(),
            rules: Vec::new(),
            written: vec![None; grammar.terminals.len()],
            origins: grammar.terminal_ids().collect(),
        };
        let mut symbols: Vec<Symbol> = grammar.terminal_ids().map(Symbol::Terminal).collect();
        for terminal in grammar.terminal_ids().filter(is_first) {
            let members = grammar.terminal_ids().filter(|member| classes[member.index()] == terminal.0);
            let all = members.map(|member| &lengths[member.index()]).fold(Lengths::default(), Lengths::union);
            symbols[terminal.index()] = made.terminal(terminal, &all);
        }
        for rule in &grammar.rules {
            if rule.right.iter().filter_map(|it| it.terminal()).any(|terminal| !is_first(&terminal)) {
                continue;
            }
            let right = rule.right.iter().map(|&symbol| match symbol {
                Symbol::Terminal(terminal) => symbols[terminal.index()],
                Symbol::Nonterminal(_) => symbol,
            });
            made.rules.push(Rule { right: right.collect(), ..rule.clone() });
        }
        let Made { terminals, nonterminals, rules, written, origins, .. } = made;
        let symbolic = grammar.with_symbols(terminals, nonterminals, rules, grammar.start);
        let writer = writer.reclassified(classes);
        Symbolic { grammar: symbolic, written, origins, writer, are_free: holes.are_free }
    }

    /// One of length 1 for each terminal that can be written, for counting.
    pub fn tokens(&self) -> Vec<Texts> {
        self.texts(|_| 1)
    }

    fn texts(&self, measure: impl Fn(bool) -> u32) -> Vec<Texts> {
        let text = |written: &Option<(Wanted, bool)>| match written {
            Some((_, is_hole)) => vec![(measure(*is_hole), 1u8.into())],
            None => Vec::new(),
        };
        self.written.iter().map(text).collect()
    }

    /// Terminals in rules for which nobody knows a text.
    pub fn without_text(&self) -> Vec<TerminalId> {
        let is_used = |id: &TerminalId| self.grammar.rules.iter().any(|it| it.right.contains(&Symbol::Terminal(*id)));
        let has_none = |id: &TerminalId| self.written[id.index()].is_none();
        self.grammar.terminal_ids().filter(|id| has_none(id) && is_used(id) && self.grammar.is_token(*id)).collect()
    }

    /// A string of terminals as a text with holes.
    pub fn write(&mut self, terminals: impl IntoIterator<Item = TerminalId>) -> Result<Template, NoText> {
        let mut wanted = Vec::new();
        for (n, terminal) in terminals.into_iter().enumerate() {
            wanted.push(self.written[terminal.index()].ok_or(NoText::At(n))?.0);
        }
        let mut template = self.writer.write(wanted)?;
        if self.are_free {
            template.holes.iter_mut().for_each(|hole| hole.language = None);
        }
        Ok(template)
    }

    /// The terminal of the grammar that this one is made of.
    pub fn origin(&self, terminal: TerminalId) -> TerminalId {
        self.origins[terminal.index()]
    }
}

/// The lengths of a token's texts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Lengths {
    /// In ascending order.
    all: Vec<u32>,
    is_hole: bool,
}

impl Lengths {
    fn of(grammar: &Grammar, writer: &mut Writer, terminal: TerminalId, holes: &Holes) -> Lengths {
        if !grammar.is_token(terminal) {
            return Lengths::default();
        }
        let class = writer.class(terminal);
        let languages = writer.languages(class);
        let Some(first) = languages.first() else { return Lengths::default() };
        if let Some(text) = first.only().filter(|text| languages.iter().all(|it| it.only().as_ref() == Some(text))) {
            return Lengths { all: vec![text.len() as u32], is_hole: false };
        }
        let said = holes.lengths.iter().find(|(said, _)| *said == terminal).map(|(_, lengths)| lengths.clone());
        let mut all = Vec::new();
        for language in &languages {
            let shortest = language.shortest().map_or(0, |text| text.len() as u32);
            let longest = match language.longest() {
                Some(longest) if longest <= FINITE_LEN_MAX => longest,
                _ => holes.len_max.max(shortest),
            };
            let (from, to) = said.clone().map_or((shortest, longest), |said| said.into_inner());
            let is_zero = |count: &num_bigint::BigUint| *count == num_bigint::BigUint::ZERO;
            let counts = language.counts(to.min(LEN_MAX));
            all.extend((from..).zip(counts.iter().skip(from as usize)).filter(|(_, it)| !is_zero(it)).map(|(n, _)| n));
        }
        all.sort_unstable();
        all.dedup();
        Lengths { all, is_hole: true }
    }

    fn union(mut self, other: &Lengths) -> Lengths {
        self.all.extend(&other.all);
        self.all.sort_unstable();
        self.all.dedup();
        Lengths { is_hole: self.is_hole || other.is_hole, ..self }
    }
}

/// What takes a terminal's place in a rule is marked.
type Context = (NonterminalId, Vec<Option<Symbol>>, Option<TerminalId>);

/// By terminal, the first one that can stand for it: holes that occur in the same places of the same rules.
fn interchangeable(grammar: &Grammar, lengths: &[Lengths]) -> Vec<u32> {
    let mut contexts: Vec<Vec<Context>> = vec![Vec::new(); grammar.terminals.len()];
    for rule in &grammar.rules {
        let mut terminals: Vec<TerminalId> = rule.right.iter().filter_map(|it| it.terminal()).collect();
        terminals.sort_unstable();
        terminals.dedup();
        for terminal in terminals {
            let marked = |&symbol: &Symbol| (symbol != Symbol::Terminal(terminal)).then_some(symbol);
            contexts[terminal.index()].push((rule.left, rule.right.iter().map(marked).collect(), rule.prec));
        }
    }
    contexts.iter_mut().for_each(|context| context.sort());
    let mut first: FxHashMap<(&[Context], Option<Precedence>), u32> = FxHashMap::default();
    let class = |terminal: TerminalId| {
        let context = contexts[terminal.index()].as_slice();
        if !lengths[terminal.index()].is_hole || context.is_empty() {
            return terminal.0;
        }
        *first.entry((context, grammar.terminal(terminal).precedence)).or_insert(terminal.0)
    };
    grammar.terminal_ids().map(class).collect()
}

/// A symbolic grammar in the making.
struct Made<'a> {
    grammar: &'a Grammar,
    terminals: Vec<crate::grammar::Terminal>,
    nonterminals: Vec<Nonterminal>,
    rules: Vec<Rule>,
    written: Vec<Option<(Wanted, bool)>>,
    origins: Vec<TerminalId>,
}

impl Made<'_> {
    /// What stands for a terminal in rules.
    fn terminal(&mut self, terminal: TerminalId, lengths: &Lengths) -> Symbol {
        let wanted = |&len: &u32| Some((Wanted { class: terminal.0, len, is_fixed: false }, lengths.is_hole));
        if let [len] = &lengths.all[..] {
            self.written[terminal.index()] = wanted(len);
        }
        if lengths.all.len() < 2 {
            return Symbol::Terminal(terminal);
        }
        let origin = self.grammar.terminal(terminal);
        let left = NonterminalId(self.nonterminals.len() as u32);
        self.nonterminals.push(Nonterminal { name: format!("{}[]", origin.name), span: origin.span });
        for len in &lengths.all {
            let hole = TerminalId(self.terminals.len() as u32);
            self.terminals.push(crate::grammar::Terminal {
                name: format!("{}[{len}]", origin.name),
                alias: None,
                ..origin.clone()
            });
            self.written.push(wanted(len));
            self.origins.push(terminal);
            let right = vec![Symbol::Terminal(hole)];
            self.rules.push(Rule { left, right, prec: None, weight: 1.0, span: origin.span });
        }
        Symbol::Nonterminal(left)
    }
}

/// How far strings are enumerated.
#[derive(Clone, Copy, Default, Debug)]
pub struct Bounds {
    /// Tokens; without a bound all of one length come before those of the next.
    pub len: Option<u32>,
    /// Of trees.
    pub height: Option<u32>,
    /// Only those that the parser accepts which yacc makes.
    pub is_accepted: bool,
}

/// The strings of a symbolic grammar, one after the other: by the number of holes, then by length if there is a bound.
#[derive(Debug)]
pub struct Strings {
    symbolic: Symbolic,
    sentences: Sentences,
    tables: Option<Tables>,
    bounds: Bounds,
    cursor: Option<Cursor>,
    /// Tokens and holes of those that come next.
    len: u32,
    n_holes: u32,
    terminals: Vec<TerminalId>,
    /// Token strings that have no text.
    pub n_without_text: u64,
    /// The first of them, and why it has none.
    pub first_without_text: Option<(Vec<TerminalId>, NoText)>,
}

impl Strings {
    /// `None` if there are none.
    pub fn new(symbolic: Symbolic, origin: &Grammar, bounds: Bounds) -> Option<Strings> {
        let bounded = match bounds.height {
            Some(height) => Some(bounded_height::bounded(&symbolic.grammar, height)?.grammar),
            None => None,
        };
        let texts = symbolic.texts(|is_hole| if is_hole { HOLE + 1 } else { 1 });
        let sentences = Sentences::new(bounded.as_ref().unwrap_or(&symbolic.grammar), texts)?;
        let tables = bounds.is_accepted.then(|| Tables::new(origin));
        Some(Strings {
            symbolic,
            sentences,
            tables,
            bounds,
            cursor: Some(Cursor::new(0)),
            len: 0,
            n_holes: 0,
            terminals: Vec::new(),
            n_without_text: 0,
            first_without_text: None,
        })
    }

    pub fn symbolic(&self) -> &Symbolic {
        &self.symbolic
    }

    /// The next string that has a text.
    pub fn advance(&mut self) -> Option<(&[TerminalId], Template)> {
        loop {
            self.next_terminals()?;
            match self.symbolic.write(self.terminals.iter().copied()) {
                Ok(template) => return Some((&self.terminals, template)),
                Err(why) => {
                    self.n_without_text += 1;
                    self.first_without_text.get_or_insert_with(|| (self.terminals.clone(), why));
                }
            }
        }
    }

    /// The next string, whether it has a text or not.
    pub fn advance_tokens(&mut self) -> Option<&[TerminalId]> {
        self.next_terminals()?;
        Some(&self.terminals)
    }

    fn next_terminals(&mut self) -> Option<()> {
        loop {
            let cursor = self.cursor.as_mut()?;
            let Some(pieces) = cursor.advance(&mut self.sentences) else {
                self.cursor = self.next_length().map(Cursor::new);
                continue;
            };
            self.terminals.clear();
            self.terminals.extend(pieces.iter().map(|piece| piece.terminal));
            let Some(tables) = &self.tables else { return Some(()) };
            let origins: Vec<TerminalId> = self.terminals.iter().map(|&it| self.symbolic.origin(it)).collect();
            if tables.accepts(&origins) {
                return Some(());
            }
        }
    }

    /// Holes and tokens of those that come next.
    fn next_length(&mut self) -> Option<u32> {
        match self.bounds.len {
            Some(len) => {
                self.len += 1;
                if self.len > len.min(LEN_MAX) {
                    (self.len, self.n_holes) = (self.n_holes + 1, self.n_holes + 1);
                }
                (self.n_holes <= len.min(LEN_MAX)).then_some(self.n_holes * HOLE + self.len)
            }
            None => {
                self.n_holes += 1;
                if self.n_holes > self.len {
                    (self.len, self.n_holes) = (self.len + 1, 0);
                }
                (self.len <= LEN_MAX).then_some(self.n_holes * HOLE + self.len)
            }
        }
    }
}
