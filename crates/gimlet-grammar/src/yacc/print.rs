//! Writes a grammar as a file that yacc and its descendants read.

use std::fmt::Write;

use crate::grammar::{Associativity, Grammar, NonterminalId, RuleId, Symbol, Terminal, TerminalId};

/// The declarations and rules of a grammar, without C code.
///
/// Read again it is the same grammar: the same terminals with the same numbers, and the same rules, if the names of its
/// symbols are names in yacc as well. Actions inside rules stay empty ones, so that the parser is the same; only their
/// names can change. Strings that stand for no token keep their numbers only if no number has to be written down.
pub fn print(grammar: &Grammar) -> String {
    let mut text = String::new();
    let has_numbers = !are_numbers_usual(grammar);
    for id in grammar.terminal_ids() {
        declare(&mut text, grammar, id, has_numbers);
    }
    precedences(&mut text, grammar);
    if !grammar.has_default_prec {
        text.push_str("%no-default-prec\n");
    }
    let _ = writeln!(text, "%start {}\n%%", grammar.nonterminal(grammar.start).name);
    rules(&mut text, grammar);
    text.push_str("%%\n");
    text
}

/// Whether nobody had to choose a number: characters have their codes, the others follow each other from 256.
fn are_numbers_usual(grammar: &Grammar) -> bool {
    let is_named = |terminal: &&Terminal| !terminal.name.starts_with('\'');
    let named = grammar.terminals.iter().filter(is_named).skip(usize::from(grammar.end.is_some()));
    let first = if grammar.error.is_some() { 256 } else { 258 };
    named.zip(first..).all(|(terminal, number)| terminal.number == number)
}

fn declare(text: &mut String, grammar: &Grammar, id: TerminalId, has_numbers: bool) {
    let terminal = grammar.terminal(id);
    let is_special = terminal.name.starts_with('$') || Some(id) == grammar.error && terminal.number == 256;
    if is_special {
        return;
    }
    if terminal.name.starts_with('"') {
        // Nothing declares a string, but to name it is enough to give it its place.
        let _ = writeln!(text, "%type {}", terminal.name);
        return;
    }
    let _ = write!(text, "%token {}", terminal.name);
    let is_character = terminal.name.starts_with('\'');
    if Some(id) == grammar.end || Some(id) == grammar.error || has_numbers && !is_character {
        let _ = write!(text, " {}", terminal.number);
    }
    // Only old programs read a string of several lines.
    if let Some(alias) = terminal.alias.as_ref().filter(|alias| !alias.contains('\n')) {
        let _ = write!(text, " {alias}");
    }
    text.push('\n');
}

fn precedences(text: &mut String, grammar: &Grammar) {
    let mut levels: Vec<(u32, TerminalId)> =
        grammar.terminal_ids().filter_map(|id| Some((grammar.terminal(id).precedence?.level, id))).collect();
    levels.sort();
    for level in levels.chunk_by(|one, other| one.0 == other.0) {
        let Some(precedence) = grammar.terminal(level[0].1).precedence else { continue };
        text.push_str(match precedence.associativity {
            Associativity::Left => "%left",
            Associativity::Right => "%right",
            Associativity::None => "%nonassoc",
            Associativity::Unspecified => "%precedence",
        });
        for &(_, id) in level {
            let _ = write!(text, " {}", grammar.terminal(id).name);
        }
        text.push('\n');
    }
}

fn rules(text: &mut String, grammar: &Grammar) {
    let mut last: Option<NonterminalId> = None;
    for id in grammar.rule_ids().filter(|&id| !is_action(grammar, grammar.rule(id).left)) {
        let left = grammar.rule(id).left;
        if last.replace(left) == Some(left) {
            text.push_str("  |");
        } else {
            let _ = write!(text, "{}:", grammar.nonterminal(left).name);
        }
        rule(text, grammar, id);
        let next = grammar.rules[id.index() + 1..].iter().find(|next| !is_action(grammar, next.left));
        text.push_str(if next.is_some_and(|next| next.left == left) { "\n" } else { " ;\n" });
    }
}

fn rule(text: &mut String, grammar: &Grammar, id: RuleId) {
    let rule = grammar.rule(id);
    for &symbol in &rule.right {
        match symbol {
            Symbol::Nonterminal(nonterminal) if is_action(grammar, nonterminal) => text.push_str(" {}"),
            symbol => drop(write!(text, " {}", grammar.name(symbol))),
        }
    }
    let last = rule.right.last().and_then(|symbol| symbol.nonterminal());
    if rule.right.is_empty() {
        text.push_str(" %empty");
    } else if last.is_some_and(|last| is_action(grammar, last)) {
        // Without another one behind it, it would be the action of the whole rule.
        text.push_str(" {}");
    }
    if let Some(prec) = rule.prec {
        let _ = write!(text, " %prec {}", grammar.terminal(prec).name);
    }
}

/// Whether a nonterminal stands for an action inside a rule.
fn is_action(grammar: &Grammar, nonterminal: NonterminalId) -> bool {
    let name = &grammar.nonterminal(nonterminal).name;
    name.starts_with("$@") || name.starts_with('@')
}
