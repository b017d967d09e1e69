//! Makes a grammar of what was read: checks that everything is defined, and gives everything its number.

use std::cmp::Reverse;

use gimlet_grammar::grammar::useful::Useful;
use gimlet_grammar::grammar::{Grammar, Nonterminal, NonterminalId, Rule, RuleId, Symbol, Terminal, TerminalId};
use gimlet_grammar::source::{Diagnostic, Severity};
use regex_syntax::hir::Hir;
use rustc_hash::FxHashMap;

use super::reader::Reader;
use super::symbols::{Class, DraftSymbol, SymbolIndex, Symbols, END, ERROR, UNDEFINED};
use super::Yacc;

/// Wrong names for which a right one is looked for.
const N_SEARCHES_MAX: usize = 50;

pub fn assemble(mut reader: Reader<'_>) -> Yacc {
    check_classes(&mut reader);
    let start = start(&mut reader);
    let tokens = tokens(&reader.symbols);
    let is_raw = reader.defines.iter().any(|define| define.name == "api.token.raw" && define.value != "false");
    let numbers = numbers(&mut reader.symbols, &tokens, is_raw);
    let mut diagnostics = std::mem::take(&mut reader.diagnostics);
    diagnostics.append(&mut reader.symbols.diagnostics);
    let is_sound = diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Warning);
    let draft = start.filter(|_| is_sound).map(|start| grammar(&reader, &tokens, &numbers, start));
    let mut actions = Vec::new();
    let grammar = draft.and_then(|draft| {
        let useful = Useful::of(&draft);
        report_useless(&draft, &useful, &mut diagnostics).then(|| {
            let order = useful_first(&useful.rules);
            actions = order.iter().map(|&rule| reader.rules[rule].action).collect();
            reorder(draft, &useful, &order)
        })
    });
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, Reverse(diagnostic.severity)));
    Yacc {
        grammar,
        diagnostics,
        actions,
        prefix: reader.prefix,
        defines: reader.defines,
        prologues: reader.prologues,
        epilogue: None,
        is_glr: reader.is_glr,
        expected_conflicts: (reader.expect, reader.expect_rr),
    }
}

/// Every symbol has to be a token or to have rules.
fn check_classes(reader: &mut Reader<'_>) {
    let mut found = Vec::new();
    let start = reader.start.map(|(start, _)| &reader.symbols.all[start].name);
    for draft in reader.symbols.all.iter().filter(|draft| draft.class != Some(Class::Token) && !draft.has_rules) {
        let Some(span) = draft.first_use else {
            if start == Some(&draft.name) {
                continue;
            }
            found.push(Diagnostic::warning(draft.place, format!("`{}` has no rules and is never used", draft.name)));
            continue;
        };
        let error = Diagnostic::error(span, format!("`{}` is neither a token nor has it rules", draft.name));
        // To look for one takes time, and who has so many errors needs another hint.
        let nearest = if found.len() < N_SEARCHES_MAX { reader.symbols.nearest(&draft.name) } else { None };
        found.push(match nearest {
            Some(other) => error.with_hint(format!("did you mean `{other}`?")),
            None => error.with_hint(format!("declare it with `%token {}`, or write rules for it", draft.name)),
        });
    }
    reader.diagnostics.append(&mut found);
}

/// The nonterminal of `%start`, or that of the first rule.
fn start(reader: &mut Reader<'_>) -> Option<SymbolIndex> {
    let Some((start, span)) = reader.start else {
        let first = reader.rules.iter().find(|rule| !reader.symbols.all[rule.left].name.contains('@'));
        let is_silent = reader.diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Warning);
        if first.is_none() && is_silent {
            reader.diagnostics.push(Diagnostic::error(Default::default(), "there are no rules"));
        }
        return first.map(|rule| rule.left);
    };
    if reader.symbols.all[start].has_rules {
        return Some(start);
    }
    let name = &reader.symbols.all[start].name;
    reader.diagnostics.push(Diagnostic::error(span, format!("the start symbol `{name}` has no rules")));
    None
}

/// The tokens in their order; strings that stand for others are none.
fn tokens(symbols: &Symbols) -> Vec<SymbolIndex> {
    let fixed = [symbols.end, ERROR, UNDEFINED];
    let mut rest: Vec<SymbolIndex> = (UNDEFINED + 1..symbols.all.len())
        .filter(|&symbol| symbol != symbols.end)
        .filter(|&symbol| symbols.all[symbol].class == Some(Class::Token) && symbols.all[symbol].stands_for.is_none())
        .collect();
    rest.sort_by_key(|&symbol| {
        let draft = &symbols.all[symbol];
        draft.alias.map_or(draft.place, |alias| symbols.all[alias].place).start
    });
    fixed.into_iter().chain(rest).collect()
}

/// The number of each token: its own, or one more than the greatest so far, which is 256 at least.
fn numbers(symbols: &mut Symbols, tokens: &[SymbolIndex], is_raw: bool) -> Vec<u32> {
    if is_raw {
        return (0..tokens.len() as u32).collect();
    }
    const NUMBER_OF_ERROR: u32 = 256;
    let mut owners: FxHashMap<u32, SymbolIndex> = FxHashMap::default();
    let mut greatest = NUMBER_OF_ERROR;
    let mut twice = Vec::new();
    for &token in tokens {
        let Some(number) = symbols.all[token].number else { continue };
        greatest = greatest.max(number);
        let owner = *owners.entry(number).or_insert(token);
        if owner != token {
            let message = format!("the number {number} is that of `{}` already", symbols.all[owner].name);
            twice.push(Diagnostic::error(symbols.all[token].place, message));
        }
    }
    symbols.diagnostics.append(&mut twice);
    if !owners.contains_key(&NUMBER_OF_ERROR) && symbols.all[ERROR].number.is_none() {
        symbols.all[ERROR].number = Some(NUMBER_OF_ERROR);
    }
    let mut next = || {
        greatest += 1;
        greatest
    };
    tokens.iter().map(|&token| symbols.all[token].number.unwrap_or_else(&mut next)).collect()
}

/// The grammar with everything in the order of the file.
fn grammar(reader: &Reader<'_>, tokens: &[SymbolIndex], numbers: &[u32], start: SymbolIndex) -> Grammar {
    let symbols = &reader.symbols;
    let mut nonterminals: Vec<SymbolIndex> =
        (0..symbols.all.len()).filter(|&symbol| symbols.all[symbol].has_rules).collect();
    nonterminals.sort_by_key(|&symbol| symbols.all[symbol].place.start);
    let mut ids: FxHashMap<SymbolIndex, Symbol> = FxHashMap::default();
    ids.extend(tokens.iter().enumerate().map(|(at, &token)| (token, Symbol::Terminal(TerminalId(at as u32)))));
    ids.extend(
        nonterminals.iter().enumerate().map(|(at, &symbol)| (symbol, Symbol::Nonterminal(NonterminalId(at as u32)))),
    );
    let id = |symbol: &SymbolIndex| ids.get(&symbols.resolve(*symbol)).copied();
    let left = |symbol: SymbolIndex| id(&symbol).and_then(Symbol::nonterminal).unwrap_or(NonterminalId(0));
    let rules = reader.rules.iter().map(|rule| Rule {
        left: left(rule.left),
        right: rule.right.iter().filter_map(id).collect(),
        prec: rule.prec.as_ref().and_then(id).and_then(Symbol::terminal),
        weight: 1.0,
        span: rule.span,
    });
    let rules = rules.collect();
    let terminal = |(&token, &number): (&SymbolIndex, &u32)| terminal(symbols, &symbols.all[token], number);
    let terminals = tokens.iter().zip(numbers).map(terminal).collect();
    let nonterminal =
        |&symbol: &SymbolIndex| Nonterminal { name: symbols.all[symbol].name.clone(), span: symbols.all[symbol].place };
    let nonterminals = nonterminals.iter().map(nonterminal).collect();
    let mut grammar = Grammar::new(terminals, nonterminals, rules, left(start));
    grammar.end = Some(TerminalId(END as u32));
    grammar.error = Some(TerminalId(ERROR as u32));
    grammar.has_default_prec = reader.has_default_prec;
    grammar
}

fn terminal(symbols: &Symbols, draft: &DraftSymbol, number: u32) -> Terminal {
    Terminal {
        name: draft.name.clone(),
        alias: draft.alias.map(|alias| symbols.all[alias].name.clone()),
        number,
        precedence: draft.precedence,
        text: draft.character.map(|code| Hir::literal([code])),
        span: draft.place,
    }
}

/// Says what is of no use. Whether there is a sentence at all.
fn report_useless(grammar: &Grammar, useful: &Useful, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let start = grammar.nonterminal(grammar.start);
    if !useful.productive[grammar.start.index()] {
        let message = format!("no sentence can be derived from the start symbol `{}`", start.name);
        diagnostics.push(Diagnostic::error(start.span, message).with_hint("some rule has to end the recursion"));
        return false;
    }
    for id in grammar.nonterminal_ids().filter(|id| !useful.nonterminals[id.index()]) {
        let nonterminal = grammar.nonterminal(id);
        // The rule around an action is told already.
        if nonterminal.name.contains('@') {
            continue;
        }
        let why = if useful.productive[id.index()] { "is never reached" } else { "derives no sentence" };
        diagnostics.push(Diagnostic::warning(nonterminal.span, format!("`{}` {why}", nonterminal.name)));
    }
    for id in grammar.rule_ids().filter(|id| !useful.rules[id.index()]) {
        let rule = grammar.rule(id);
        if useful.nonterminals[rule.left.index()] {
            diagnostics.push(Diagnostic::warning(rule.span, "no sentence can be derived with this rule"));
        }
    }
    true
}

/// The places in the order in which bison puts them: what is of no use comes last.
fn useful_first(is_useful: &[bool]) -> Vec<usize> {
    let (mut order, useless): (Vec<usize>, Vec<usize>) = (0..is_useful.len()).partition(|&at| is_useful[at]);
    order.extend(useless);
    order
}

fn reorder(grammar: Grammar, useful: &Useful, rules: &[usize]) -> Grammar {
    let order = useful_first(&useful.nonterminals);
    let mut new_ids = vec![NonterminalId(0); order.len()];
    for (new, &old) in order.iter().enumerate() {
        new_ids[old] = NonterminalId(new as u32);
    }
    let renamed = |symbol: &Symbol| match *symbol {
        Symbol::Nonterminal(id) => Symbol::Nonterminal(new_ids[id.index()]),
        terminal => terminal,
    };
    let rules = rules.iter().map(|&rule| {
        let rule = grammar.rule(RuleId(rule as u32));
        Rule { left: new_ids[rule.left.index()], right: rule.right.iter().map(renamed).collect(), ..rule.clone() }
    });
    let rules = rules.collect();
    let nonterminals = order.iter().map(|&old| grammar.nonterminals[old].clone()).collect();
    let start = new_ids[grammar.start.index()];
    let mut reordered = Grammar::new(grammar.terminals, nonterminals, rules, start);
    reordered.end = grammar.end;
    reordered.error = grammar.error;
    reordered.has_default_prec = grammar.has_default_prec;
    reordered
}
