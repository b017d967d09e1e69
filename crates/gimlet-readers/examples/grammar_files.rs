//! Reads grammar files of any format and says what was found in each: `grammar_files FILE..`.

use std::time::Instant;

use gimlet_grammar::regular::dfa::Dfa;
use gimlet_grammar::{Severity, Source};
use gimlet_readers::format::{self, Format};

fn main() {
    for path in std::env::args().skip(1) {
        let Some(format) = Format::of_name(&path) else {
            println!("{path}: no known format");
            continue;
        };
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        report(&Source::new(path, text), format);
    }
}

fn report(source: &Source, format: Format) {
    let begin = Instant::now();
    let read = format::read(source, format);
    let time_ms = begin.elapsed().as_millis();
    let n_errors = read.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let n_warnings = read.diagnostics.len() - n_errors;
    read.diagnostics.iter().for_each(|found| println!("{}", found.render(source)));
    print!("{}: {time_ms} ms, {n_errors} errors, {n_warnings} warnings", source.name);
    if let Some(grammar) = &read.grammar {
        let (n_terminals, n_rules) = (grammar.terminals.len(), grammar.rules.len());
        let texts: Vec<_> = grammar.terminals.iter().filter_map(|terminal| terminal.text.as_ref()).collect();
        let n_automata = texts.iter().filter(|text| Dfa::new(text).is_ok()).count();
        print!(", {n_terminals} terminals, {} nonterminals, {n_rules} rules", grammar.nonterminals.len());
        print!(", {} texts, {n_automata} automata, {} skipped", texts.len(), read.skipped.len());
    }
    println!();
}
