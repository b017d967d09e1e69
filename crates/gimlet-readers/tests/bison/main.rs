//! The reader of yacc files against bison: the same rules, the same numbers.
//!
//! The files of `GIMLET_YACC_FILES`, a list with colons between of files and folders, are compared in a test that is
//! ignored unless asked for: `cargo test -p gimlet-readers --test bison -- --ignored --nocapture`.

#[allow(dead_code)]
#[path = "../../examples/bison_oracle/main.rs"]
mod bison_oracle;
mod odd;

use std::path::{Path, PathBuf};
use std::time::Instant;

use bison_oracle::parser::{self, Dice};
use bison_oracle::{differences, read, table_differences, xml};
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::{Grammar, Source};
use gimlet_readers::yacc;

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
    let mut counts = [0; 4];
    for file in files {
        let (verdict, lines) = bison_oracle::compare(&file, &scratch);
        println!("{}: {verdict}", file.display());
        lines.iter().take(10).for_each(|line| println!("    {line}"));
        let kind = ["same", "both", "only bison"].iter().position(|kind| verdict.starts_with(kind));
        counts[kind.unwrap_or(3)] += 1;
    }
    let [n_same, n_refused, n_lenient, n_different] = counts;
    println!("{n_same} equal, {n_different} different, {n_refused} refused by both, {n_lenient} by bison only");
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
