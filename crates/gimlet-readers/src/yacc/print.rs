//! Writes a grammar as a file that yacc and its descendants read.

use std::fmt::Write;

use gimlet_grammar::grammar::{Associativity, Grammar, NonterminalId, RuleId, Symbol, Terminal, TerminalId};

/// What the token `error` has if nobody says anything else.
const NUMBER_OF_ERROR: u32 = 256;

/// The declarations and rules of a grammar, without C code.
///
/// Read again it is the same grammar: the same terminals with the same numbers, and the same rules, if the names of its
/// symbols are names in yacc as well. Actions inside rules stay empty ones, so that the parser is the same; only their
/// names can change.
pub fn print(grammar: &Grammar) -> String {
    let mut text = String::new();
    let is_raw = grammar.terminals.iter().zip(0..).all(|(terminal, place)| terminal.number == place);
    if is_raw {
        text.push_str("%define api.token.raw\n");
    }
    for (id, is_explicit) in grammar.terminal_ids().zip(explicit_numbers(grammar)) {
        // The end is told by its number even then.
        declare(&mut text, grammar, id, is_explicit && (!is_raw || Some(id) == grammar.end));
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

/// Which terminals need their numbers written down.
///
/// The numbers of the others follow each other, from that of unknown tokens on, which is one more than the greatest of
/// those. If that does not come out, all are written down but those of characters.
fn explicit_numbers(grammar: &Grammar) -> Vec<bool> {
    let is_fixed = |terminal: &Terminal| terminal.name.starts_with(['\'', '$']);
    let all: Vec<bool> = grammar.terminals.iter().map(|terminal| !is_fixed(terminal)).collect();
    let Some(undefined) = grammar.terminals.iter().find(|terminal| terminal.name == "$undefined") else { return all };
    let mut next = undefined.number;
    let mut greatest = NUMBER_OF_ERROR;
    let mut explicit = Vec::new();
    for terminal in &grammar.terminals {
        let is_next = !is_fixed(terminal) && terminal.number == next.saturating_add(1);
        next += u32::from(is_next);
        explicit.push(!is_fixed(terminal) && !is_next);
        if !is_next && terminal.name != undefined.name {
            greatest = greatest.max(terminal.number);
        }
    }
    if greatest.checked_add(1) == Some(undefined.number) {
        explicit
    } else {
        all
    }
}

fn declare(text: &mut String, grammar: &Grammar, id: TerminalId, is_explicit: bool) {
    let terminal = grammar.terminal(id);
    let is_usual = Some(id) == grammar.error && (!is_explicit || terminal.number == NUMBER_OF_ERROR);
    if is_usual || terminal.name.starts_with('$') {
        return;
    }
    if terminal.name.starts_with('"') {
        // Nothing declares a string, but to name it is enough to give it its place.
        let _ = writeln!(text, "%type {}", terminal.name);
        return;
    }
    let _ = write!(text, "%token {}", terminal.name);
    if is_explicit {
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
