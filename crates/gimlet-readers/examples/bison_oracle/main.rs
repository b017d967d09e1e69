//! Compares what is read from yacc files with what `bison --xml` says about them.
//!
//! `cargo run --example bison_oracle -- FILE.y..`
//!
//! For each file: rules, symbols and their numbers, precedences, and the states and conflicts of the parser.

pub mod parser;
pub mod xml;

use std::path::Path;
use std::process::ExitCode;

use gimlet_grammar::grammar::Associativity;
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::{Grammar, RuleId, Severity, Source, Symbol};
use gimlet_readers::yacc;
use xml::{Report, Terminal};

fn main() -> ExitCode {
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut n_different = 0;
    for arg in std::env::args().skip(1) {
        let (verdict, lines) = compare(Path::new(&arg), folder.path());
        println!("{arg}: {verdict}");
        lines.iter().take(10).for_each(|line| println!("    {line}"));
        n_different += usize::from(!verdict.starts_with("same") && !verdict.starts_with("both"));
    }
    println!("{n_different} files differ");
    ExitCode::from(u8::from(n_different > 0))
}

/// What a file is to both, and all differences or what is said against it.
pub fn compare(file: &Path, scratch: &Path) -> (String, Vec<String>) {
    let (source, yacc) = read(file);
    let errors = yacc.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|diagnostic| diagnostic.render(&source)).collect();
    match (xml::report(file, scratch, &["-Wnone"]), &yacc.grammar) {
        (Ok(report), Some(grammar)) => {
            let mut found = differences(grammar, &report, yacc.define("api.token.raw").is_some());
            let tables = Tables::new(grammar);
            found.extend(table_differences(&tables, &report));
            found.extend(printed_differences(grammar));
            let verdict = if found.is_empty() { "same" } else { "DIFFERENT" };
            let (n_rules, n_tokens) = (grammar.rules.len(), grammar.terminals.len());
            (format!("{verdict}, {n_rules} rules, {n_tokens} tokens, {} states", tables.n_states()), found)
        }
        (Ok(_), None) => ("ONLY GIMLET REFUSES".to_owned(), errors),
        (Err(why), Some(_)) => {
            let lines = why.lines().filter(|line| line.contains("error")).map(str::to_owned);
            ("only bison refuses".to_owned(), lines.collect())
        }
        (Err(_), None) => ("both refuse".to_owned(), errors),
    }
}

/// Everything in which a grammar differs from what bison says, one line each.
pub fn differences(grammar: &Grammar, report: &Report, is_raw: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: String, ours: String, theirs: String| {
        if ours != theirs {
            found.push(format!("{what}: {ours}, bison: {theirs}"));
        }
    };
    // Bison's first rule leads to the start symbol, and its first nonterminal is that of this rule.
    let rules = report.rules.get(1..).unwrap_or_default();
    compare("rules".into(), grammar.rules.len().to_string(), rules.len().to_string());
    let first = report.rules.first().and_then(|rule| rule.1.first()).cloned().unwrap_or_default();
    compare("start".into(), grammar.nonterminal(grammar.start).name.clone(), first);
    for (id, (left, right, prec)) in grammar.rule_ids().zip(rules) {
        let theirs = format!("{left}: {} {prec:?}", right.join(" "));
        compare(format!("rule {}", id.0 + 1), show_rule(grammar, id), theirs);
    }
    let mut terminals = report.terminals.clone();
    terminals.sort();
    // The one that stands for unknown numbers is not among them.
    let number = grammar.terminals[2].number;
    terminals.insert(2, Terminal { symbol: 2, number, name: "$undefined".into(), precedence: None });
    compare("terminals".into(), grammar.terminals.len().to_string(), terminals.len().to_string());
    for (terminal, theirs) in grammar.terminals.iter().zip(terminals) {
        let ours = Terminal {
            symbol: theirs.symbol,
            number: if is_raw { theirs.number } else { terminal.number },
            name: terminal.alias.clone().unwrap_or_else(|| terminal.name.clone()),
            precedence: terminal.precedence.map(|known| (known.level, show(known.associativity).to_owned())),
        };
        compare("terminal".into(), format!("{ours:?}"), format!("{theirs:?}"));
    }
    let names = grammar.nonterminals.iter().map(|nonterminal| nonterminal.name.as_str());
    let theirs = report.nonterminals.get(1..).unwrap_or_default().join(" ");
    compare("nonterminals".into(), names.collect::<Vec<_>>().join(" "), theirs);
    found
}

/// The same for the tables of the parser.
pub fn table_differences(tables: &Tables, report: &Report) -> Option<String> {
    let show = |n_states, n_shift_reduce, n_reduce_reduce| {
        format!("{n_states} states, {n_shift_reduce} shift/reduce and {n_reduce_reduce} reduce/reduce conflicts")
    };
    let conflicts = tables.conflicts();
    let ours = show(tables.n_states(), conflicts.n_shift_reduce, conflicts.n_reduce_reduce);
    let theirs = show(report.n_states, report.n_shift_reduce, report.n_reduce_reduce);
    (ours != theirs).then(|| format!("tables: {ours}, bison: {theirs}"))
}

/// The same for the grammar that is printed and read again. The names of actions inside rules can change.
fn printed_differences(grammar: &Grammar) -> Option<String> {
    let printed = yacc::print(grammar);
    let again = yacc::read(&Source::new("printed", printed)).grammar?;
    let show = |grammar: &Grammar| {
        let number = |terminal: &gimlet_grammar::Terminal| {
            (terminal.name.clone(), terminal.number, terminal.alias.clone(), terminal.precedence.is_some())
        };
        let numbers: Vec<_> = grammar.terminals.iter().map(number).collect();
        let rules: Vec<_> = grammar.rules.iter().map(|rule| (rule.left, rule.right.clone(), rule.prec)).collect();
        format!("{numbers:?} {rules:?}")
    };
    (show(grammar) != show(&again)).then(|| "printed and read again it is another one".to_owned())
}

/// Tokens are called by their strings, as bison does.
fn show_rule(grammar: &Grammar, id: RuleId) -> String {
    let rule = grammar.rule(id);
    let name = |symbol: &Symbol| match *symbol {
        Symbol::Terminal(id) => grammar.terminal(id).alias.as_deref().unwrap_or(&grammar.terminal(id).name),
        symbol => grammar.name(symbol),
    };
    let right: Vec<&str> = rule.right.iter().map(name).collect();
    let prec = rule.prec.map(|prec| name(&Symbol::Terminal(prec)).to_owned());
    format!("{}: {} {prec:?}", grammar.nonterminal(rule.left).name, right.join(" "))
}

fn show(associativity: Associativity) -> &'static str {
    match associativity {
        Associativity::Left => "left",
        Associativity::Right => "right",
        Associativity::None => "nonassoc",
        Associativity::Unspecified => "precedence",
    }
}

pub fn read(path: &Path) -> (Source, yacc::Yacc) {
    let bytes = std::fs::read(path).expect("a file that is there");
    let source = Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes));
    let yacc = yacc::read(&source);
    (source, yacc)
}
