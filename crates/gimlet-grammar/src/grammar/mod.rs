//! The one type of context-free grammars: everything that reads a grammar makes one, and everything else takes it.
//!
//! [`builder`] makes one of rules with options and repetitions; [`analysis`] and [`useful`] say what follows from its rules,
//! [`suffixes`] which rules end alike, and [`bounded_height`] makes one whose trees are no higher than a bound.

pub mod analysis;
pub mod bounded_height;
pub mod builder;
pub mod suffixes;
pub mod useful;

use std::fmt::{self, Write};

use regex_syntax::hir::Hir;
use rustc_hash::FxHashMap;

use crate::source::Span;

/// A terminal, by its place in [`Grammar::terminals`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TerminalId(pub u32);

/// A nonterminal, by its place in [`Grammar::nonterminals`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NonterminalId(pub u32);

/// A rule, by its place in [`Grammar::rules`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u32);

macro_rules! index {
    ($($id:ident),*) => {
        $(impl $id {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}
index!(TerminalId, NonterminalId, RuleId);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    Terminal(TerminalId),
    Nonterminal(NonterminalId),
}

impl Symbol {
    pub fn terminal(self) -> Option<TerminalId> {
        match self {
            Symbol::Terminal(terminal) => Some(terminal),
            Symbol::Nonterminal(_) => None,
        }
    }

    pub fn nonterminal(self) -> Option<NonterminalId> {
        match self {
            Symbol::Terminal(_) => None,
            Symbol::Nonterminal(nonterminal) => Some(nonterminal),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Associativity {
    Left,
    Right,
    /// `%nonassoc`: two in a row are an error.
    None,
    /// `%precedence`: says nothing about two in a row.
    Unspecified,
}

/// Of two, that with the greater level binds tighter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Precedence {
    pub level: u32,
    pub associativity: Associativity,
}

#[derive(Clone, Debug)]
pub struct Terminal {
    /// As written: `NUMBER`, `'+'`.
    pub name: String,
    /// A string that stands for it in rules.
    pub alias: Option<String>,
    /// What the scanner returns for it.
    pub number: u32,
    pub precedence: Option<Precedence>,
    /// Its texts, where they are known without a scanner.
    pub text: Option<Hir>,
    /// Where it was declared or first used.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Nonterminal {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub left: NonterminalId,
    pub right: Vec<Symbol>,
    /// The terminal of `%prec`.
    pub prec: Option<TerminalId>,
    /// How often it is taken, relative to the others of its nonterminal.
    pub weight: f64,
    pub span: Span,
}

/// A context-free grammar. The rules of a nonterminal need not be adjacent.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub terminals: Vec<Terminal>,
    pub nonterminals: Vec<Nonterminal>,
    pub rules: Vec<Rule>,
    pub start: NonterminalId,
    /// The terminal that ends every input, if there is one among the terminals.
    pub end: Option<TerminalId>,
    /// The terminal that stands for a part of an input that is wrong: no scanner returns it.
    pub error: Option<TerminalId>,
    /// A rule without a `%prec` has the precedence of its last terminal.
    pub has_default_prec: bool,
    /// For each nonterminal.
    rules_of: Vec<Vec<RuleId>>,
    /// Of both kinds; terminals also by their alias.
    by_name: FxHashMap<String, Symbol>,
}

impl Grammar {
    pub fn new(
        terminals: Vec<Terminal>,
        nonterminals: Vec<Nonterminal>,
        rules: Vec<Rule>,
        start: NonterminalId,
    ) -> Grammar {
        let mut rules_of = vec![Vec::new(); nonterminals.len()];
        for (index, rule) in rules.iter().enumerate() {
            rules_of[rule.left.index()].push(RuleId(index as u32));
        }
        let mut by_name = FxHashMap::default();
        for (index, nonterminal) in nonterminals.iter().enumerate() {
            by_name.insert(nonterminal.name.clone(), Symbol::Nonterminal(NonterminalId(index as u32)));
        }
        for (index, terminal) in terminals.iter().enumerate() {
            for name in std::iter::once(&terminal.name).chain(&terminal.alias) {
                by_name.insert(name.clone(), Symbol::Terminal(TerminalId(index as u32)));
            }
        }
        Grammar {
            terminals,
            nonterminals,
            rules,
            start,
            end: None,
            error: None,
            has_default_prec: true,
            rules_of,
            by_name,
        }
    }

    pub fn terminal(&self, id: TerminalId) -> &Terminal {
        &self.terminals[id.index()]
    }

    pub fn nonterminal(&self, id: NonterminalId) -> &Nonterminal {
        &self.nonterminals[id.index()]
    }

    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    pub fn rules_of(&self, nonterminal: NonterminalId) -> &[RuleId] {
        &self.rules_of[nonterminal.index()]
    }

    pub fn terminal_ids(&self) -> impl Iterator<Item = TerminalId> + use<> {
        (0..self.terminals.len() as u32).map(TerminalId)
    }

    pub fn nonterminal_ids(&self) -> impl Iterator<Item = NonterminalId> + use<> {
        (0..self.nonterminals.len() as u32).map(NonterminalId)
    }

    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> + use<> {
        (0..self.rules.len() as u32).map(RuleId)
    }

    /// Whether a scanner can return it: not the end, and nothing that yacc has for itself.
    pub fn is_token(&self, id: TerminalId) -> bool {
        self.end != Some(id) && self.error != Some(id) && self.terminal(id).name != "$undefined"
    }

    /// A symbol by its name, or a terminal by its alias.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(name).copied()
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        match symbol {
            Symbol::Terminal(terminal) => &self.terminal(terminal).name,
            Symbol::Nonterminal(nonterminal) => &self.nonterminal(nonterminal).name,
        }
    }

    /// What decides between this rule and a terminal that could be shifted.
    pub fn precedence_of(&self, id: RuleId) -> Option<Precedence> {
        let rule = self.rule(id);
        let last = || rule.right.iter().rev().find_map(|symbol| symbol.terminal());
        let terminal = rule.prec.or_else(|| last().filter(|_| self.has_default_prec))?;
        self.terminal(terminal).precedence
    }

    /// The same terminals with other rules.
    pub fn with_rules(&self, nonterminals: Vec<Nonterminal>, rules: Vec<Rule>, start: NonterminalId) -> Grammar {
        self.with_symbols(self.terminals.clone(), nonterminals, rules, start)
    }

    /// Other symbols and rules; the first terminals are the same.
    pub fn with_symbols(
        &self,
        terminals: Vec<Terminal>,
        nonterminals: Vec<Nonterminal>,
        rules: Vec<Rule>,
        start: NonterminalId,
    ) -> Grammar {
        let made = Grammar::new(terminals, nonterminals, rules, start);
        Grammar { end: self.end, error: self.error, has_default_prec: self.has_default_prec, ..made }
    }

    /// The same rules from another nonterminal on.
    pub fn with_start(self, start: NonterminalId) -> Grammar {
        Grammar { start, ..self }
    }

    /// `expr: expr '+' term`.
    pub fn show_rule(&self, id: RuleId) -> String {
        let rule = self.rule(id);
        let mut shown = format!("{}:", self.nonterminal(rule.left).name);
        for &symbol in &rule.right {
            let _ = write!(shown, " {}", self.name(symbol));
        }
        if rule.right.is_empty() {
            shown.push_str(" %empty");
        }
        shown
    }
}

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "start: {}", self.nonterminal(self.start).name)?;
        self.rule_ids().try_for_each(|rule| writeln!(f, "{:4}  {}", rule.0 + 1, self.show_rule(rule)))
    }
}
