//! The reader of yacc files against bison: the same rules, the same numbers.
//!
//! The files of `GIMLET_YACC_FILES`, a list with colons between of files and folders, are compared in a test that is
//! ignored unless asked for: `cargo test -p gimlet-grammar --test bison -- --ignored --nocapture`.

mod odd;
mod parser;
mod xml;

use std::path::{Path, PathBuf};
use std::time::Instant;

use gimlet_grammar::grammar::Associativity;
use gimlet_grammar::lalr::Tables;
use gimlet_grammar::{yacc, Grammar, RuleId, Severity, Source, Symbol};

use parser::Dice;
use xml::{Report, Terminal};

/// Everything in which a grammar differs from what bison says, one line each.
fn differences(grammar: &Grammar, report: &Report, is_raw: bool) -> Vec<String> {
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
fn table_differences(tables: &Tables, report: &Report) -> Option<String> {
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

fn scratch(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).expect("a folder for scratch files");
    dir
}

/// All yacc files in folders and below.
fn yacc_files(path: &Path, found: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| yacc_files(path, found));
        return;
    }
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
    let is_yacc = matches!(end, "y" | "yy" | "ypp") || path.to_string_lossy().ends_with(".y.in");
    if is_yacc && path.is_file() {
        found.push(path.to_owned());
    }
}

fn read(path: &Path) -> (Source, yacc::Yacc) {
    let bytes = std::fs::read(path).expect("a file that is there");
    let source = Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes));
    let yacc = yacc::read(&source);
    (source, yacc)
}

/// Whether bison is there to compare with.
fn has_bison() -> bool {
    std::process::Command::new("bison").arg("--version").output().is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.starts_with("bison (GNU Bison) 3.8")
    })
}

#[test]
fn odd_grammars_are_read_as_bison_reads_them() {
    if !has_bison() {
        return;
    }
    for (name, text) in odd::ALL {
        let scratch = scratch(name);
        let file = scratch.join("odd.y");
        std::fs::write(&file, text).expect("a file");
        let report = xml::report(&file, &scratch, &["-Wnone"]).unwrap_or_else(|why| panic!("{name}: {why}"));
        let yacc = read(&file).1;
        let grammar = yacc.grammar.unwrap_or_else(|| panic!("{name}: {:?}", yacc.diagnostics));
        assert_eq!(differences(&grammar, &report, false), [""; 0], "{name}");
        assert_eq!(table_differences(&Tables::new(&grammar), &report), None, "{name}");
    }
}

#[test]
fn odd_grammars_accept_what_the_parsers_of_bison_accept() {
    if !has_bison() {
        return;
    }
    for (name, text) in odd::ALL {
        let grammar = yacc::read(&Source::new(name, text)).grammar.expect("a grammar");
        assert_eq!(compare_sentences(Path::new(name), &grammar, 1000), 0, "{name}");
    }
}

#[test]
#[ignore = "needs bison and files of real projects"]
fn real_files_are_read_as_bison_reads_them() {
    let Ok(list) = std::env::var("GIMLET_YACC_FILES") else { return };
    let mut files = Vec::new();
    list.split(':').for_each(|path| yacc_files(Path::new(path), &mut files));
    let scratch = scratch("real");
    let (mut n_equal, mut n_different, mut n_refused, mut n_lenient) = (0, 0, 0, 0);
    for file in files {
        let (source, yacc) = read(&file);
        let errors: Vec<String> = yacc
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| diagnostic.render(&source))
            .collect();
        let n_rules = yacc.grammar.as_ref().map_or(0, |grammar| grammar.rules.len());
        match (xml::report(&file, &scratch, &["-Wnone"]), &yacc.grammar) {
            (Ok(report), Some(grammar)) => {
                let mut found = differences(grammar, &report, yacc.define("api.token.raw").is_some());
                let begin = Instant::now();
                let tables = Tables::new(grammar);
                let ms = begin.elapsed().as_millis();
                found.extend(table_differences(&tables, &report));
                found.extend(printed_differences(grammar));
                let verdict = if found.is_empty() { "equal" } else { "DIFFERENT" };
                println!("{verdict}: {} ({n_rules} rules, {} states, {ms} ms)", file.display(), tables.n_states());
                found.iter().take(10).for_each(|line| println!("    {line}"));
                if found.is_empty() {
                    n_equal += 1;
                } else {
                    n_different += 1;
                }
            }
            (Ok(_), None) => {
                n_different += 1;
                println!("REFUSED by Gimlet only: {}", file.display());
                errors.iter().take(4).for_each(|line| println!("{line}"));
            }
            (Err(why), Some(_)) => {
                n_lenient += 1;
                println!("refused by bison only: {}", file.display());
                why.lines().filter(|line| line.contains("error")).take(3).for_each(|line| println!("    {line}"));
            }
            (Err(_), None) => {
                n_refused += 1;
                println!("refused by both: {}", file.display());
                errors.iter().take(2).for_each(|line| println!("{line}"));
            }
        }
    }
    println!("{n_equal} equal, {n_different} different, {n_refused} refused by both, {n_lenient} by bison only");
    assert_eq!(n_different, 0);
}

#[test]
#[ignore = "needs bison, a C compiler and files of real projects"]
fn real_grammars_accept_what_the_parsers_of_bison_accept() {
    let Ok(list) = std::env::var("GIMLET_YACC_FILES") else { return };
    let n_sentences = std::env::var("GIMLET_YACC_SENTENCES").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let mut files = Vec::new();
    list.split(':').for_each(|path| yacc_files(Path::new(path), &mut files));
    let mut n_wrong = 0;
    for file in files {
        let Some(grammar) = read(&file).1.grammar else { continue };
        n_wrong += compare_sentences(&file, &grammar, n_sentences);
    }
    assert_eq!(n_wrong, 0);
}

/// How many sentences are judged differently.
fn compare_sentences(file: &Path, grammar: &Grammar, n_sentences: usize) -> usize {
    let (tables, heights) = (Tables::new(grammar), parser::heights(grammar));
    let mut dice = Dice::new(1);
    let mut sentence = |number: usize| {
        let n_most = 1 + dice.below(60);
        let mut sentence = parser::derive(grammar, &heights, &mut dice, n_most);
        (0..number % 4).for_each(|_| parser::change(grammar, &mut sentence, &mut dice));
        // The parser itself reads the end where a rule has it, and what follows is another sentence.
        sentence.retain(|&id| id != yacc::END && id != yacc::ERROR);
        sentence
    };
    let sentences: Vec<_> = (0..n_sentences).map(&mut sentence).collect();
    let theirs = match parser::run(grammar, &sentences, &scratch(&format!("sentences-{n_sentences}"))) {
        Ok(theirs) => theirs,
        Err(why) => {
            println!("{}: refused as printed: {why}", file.display());
            return 1;
        }
    };
    let ours: Vec<String> = sentences.iter().map(|sentence| parser::verdict(&tables, sentence)).collect();
    let n_accepted = ours.iter().filter(|verdict| *verdict == "accepted").count();
    let loops = |at: usize| theirs.get(at).is_some_and(|theirs| theirs == "loops") && ours[at] != "accepted";
    let n_loops = (0..n_sentences).filter(|&at| loops(at)).count();
    let wrong: Vec<usize> = (0..n_sentences).filter(|&at| theirs.get(at) != Some(&ours[at]) && !loops(at)).collect();
    print!("{}: {n_sentences} sentences, {n_accepted} accepted, ", file.display());
    println!("{n_loops} without an end, {} wrong", wrong.len());
    for &at in wrong.iter().take(3) {
        let names: Vec<&str> = sentences[at].iter().map(|&id| grammar.terminal(id).name.as_str()).collect();
        println!("    {}\n    ours: {}\n    bison: {:?}", names.join(" "), ours[at], theirs.get(at));
    }
    wrong.len()
}

#[test]
#[ignore = "needs files of real projects"]
fn mutilated_real_files_are_survived() {
    let Ok(list) = std::env::var("GIMLET_YACC_FILES") else { return };
    let mut files = Vec::new();
    list.split(':').for_each(|path| yacc_files(Path::new(path), &mut files));
    let mut dice = Dice::new(7);
    let (mut n_read, mut n_grammars, mut slowest) = (0, 0, std::time::Duration::ZERO);
    for file in &files {
        let text = read(file).0.text;
        for _ in 0..30 {
            let source = Source::new("mutilated.y", mutilate(&text, &mut dice));
            let begin = Instant::now();
            let yacc = yacc::read(&source);
            slowest = slowest.max(begin.elapsed());
            yacc.diagnostics.iter().for_each(|diagnostic| drop(diagnostic.render(&source)));
            n_read += 1;
            let Some(grammar) = yacc.grammar.filter(|grammar| grammar.rules.len() < 500) else { continue };
            n_grammars += 1;
            assert!(Tables::new(&grammar).expected(&[]).is_ok());
            let again = yacc::read(&Source::new("printed.y", yacc::print(&grammar)));
            let n_rules = again.grammar.map(|grammar| grammar.rules.len());
            assert_eq!(n_rules, Some(grammar.rules.len()), "{}", source.text);
        }
    }
    println!("{n_read} texts, {n_grammars} of them grammars, {slowest:?} at most");
}

/// Takes lines and characters away, and puts others in.
fn mutilate(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    for _ in 0..=dice.below(6) {
        let n_lines = lines.len();
        if n_lines == 0 {
            break;
        }
        let line = dice.below(n_lines);
        match dice.below(5) {
            0 => drop(lines.remove(line)),
            1 => lines.truncate(line),
            2 => lines.swap(line, dice.below(n_lines)),
            kind => {
                let odd: Vec<char> = "%{}<>[]:;|='\"\\$@/*a1\u{e9}".chars().collect();
                let (at, odd) = (dice.below(lines[line].len() + 1), odd[dice.below(odd.len())]);
                if kind == 3 || at == lines[line].len() {
                    lines[line].insert(at, odd);
                } else {
                    lines[line][at] = odd;
                }
            }
        }
    }
    lines.iter().flat_map(|line| line.iter().copied().chain(['\n'])).collect()
}
