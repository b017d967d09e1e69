//! `cargo xtask bench grammars`: grammars and scanners of real projects, as bison and flex see them.
//!
//! The files come as Debian source packages and are read as they are. Rules, tokens and numbers must be those of
//! `bison --xml`, the rules of scanners those of `flex -v`. Sentences, by chance and the shortest ones, are put as texts,
//! which flex's scanner and bison's parser must take back. Symbolic strings of some are enumerated against the clock. The
//! work is done by examples of gimlet-readers, each in a process of its own; this only puts together what they say.

mod report;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use clap::builder::PossibleValuesParser;
use clap::value_parser;

use crate::process::{self, capture};
use crate::workspace::{self, root, target_dir};
use crate::{setup, subjects};
use report::{Report, Row, Strings};

const PACKAGES: &[(&str, &str)] = &[
    ("bison", "reads grammars, and makes parsers of them"),
    ("flex", "reads scanners, and divides texts"),
    ("gcc", "compiles what they make"),
];

/// A project's grammar, with the scanner that its tokens come from.
struct Project {
    name: &'static str,
    package: &'static str,
    /// Below the tree, as is the scanner.
    grammar: Option<&'static str>,
    /// None if it is written by hand: then `bench/grammars/NAME.tokens` has the texts of tokens.
    lexer: Option<&'static str>,
    /// What configure puts in place of something in the grammar.
    configured: Option<(&'static str, &'static str)>,
    /// Its symbolic strings are enumerated.
    has_strings: bool,
}

const fn project(
    name: &'static str,
    package: &'static str,
    grammar: &'static str,
    lexer: Option<&'static str>,
) -> Project {
    Project { name, package, grammar: Some(grammar), lexer, configured: None, has_strings: false }
}

const PROJECTS: &[Project] = &[
    Project { has_strings: true, ..project("bc", "bc", "bc/bc.y", Some("bc/scan.l")) },
    project("sbc", "bc", "bc/sbc.y", Some("bc/scan.l")),
    project("cue", "cuetools", "src/lib/cue_parse.y", Some("src/lib/cue_scan.l")),
    project("toc", "cuetools", "src/lib/toc_parse.y", Some("src/lib/toc_scan.l")),
    project("libcue", "libcue", "cue_parser.y", Some("cue_scanner.l")),
    Project { has_strings: true, ..project("jq", "jq", "src/parser.y", Some("src/lexer.l")) },
    Project { grammar: None, ..project("libconfuse", "libconfuse", "", Some("src/lexer.l")) },
    project("original-awk", "original-awk", "awkgram.y", None),
    project("mawk", "mawk", "parse.y", None),
    project("cproto", "cproto", "grammar.y", Some("lex.l")),
    project("units", "units", "parse.y", None),
    project("rc", "rc", "parse.y", None),
    Project {
        configured: Some(("@REENTRANT_PARSER@", "%define api.pure")),
        ..project("libpcap", "libpcap", "grammar.y.in", Some("scanner.l"))
    },
    project("flex", "flex", "src/parse.y", Some("src/scan.l")),
];

const EXAMPLES: [&str; 4] = ["bison_oracle", "flex_oracle", "text_oracle", "symbolic_strings"];

/// Texts that are divided by flex and by us, besides those of sentences.
const N_TEXTS: &str = "3000";

/// For one process.
const LIMIT: Duration = Duration::from_secs(1800);

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Sentences of each grammar
    #[arg(long = "sentences", value_name = "N", value_parser = value_parser!(u64).range(1..), default_value_t = 10_000)]
    n_sentences: u64,
    /// Strings for each scanner
    #[arg(long = "strings", value_name = "N", value_parser = value_parser!(u64).range(1..), default_value_t = 1_000_000)]
    n_strings: u64,
    /// Projects [default: all]
    #[arg(value_parser = PossibleValuesParser::new(PROJECTS.iter().map(|project| project.name)))]
    names: Vec<String>,
}

/// Compares and prints; false if something differs.
pub fn bench(options: &Options) -> Result<bool> {
    setup::install(PACKAGES)?;
    let mut build = vec!["build", "--release", "--quiet", "--package", "gimlet-readers"];
    EXAMPLES.iter().for_each(|example| build.extend(["--example", example]));
    process::run(&mut workspace::cargo(&build))?;
    let scratch = workspace::scratch("grammars")?;
    let is_chosen = |name: &str| options.names.is_empty() || options.names.iter().any(|chosen| chosen == name);
    let mut report = Report::default();
    for project in PROJECTS.iter().filter(|project| is_chosen(project.name)) {
        println!("{}", project.name);
        let mut row = Row::new(project.name);
        if let Err(error) = project.compare(options, &scratch, &mut row) {
            row.fail(format!("{error:#}"));
        }
        report.rows.push(row);
    }
    let path = target_dir().join("grammars.txt");
    let text = report.text(options.n_strings);
    std::fs::write(&path, &text)?;
    println!("\n{text}\nalso in {}", path.display());
    Ok(report.is_good())
}

impl Project {
    fn compare(&self, options: &Options, scratch: &Path, row: &mut Row) -> Result<()> {
        let tree = subjects::package(self.package)?.tree;
        let lexer = self.lexer.map(|lexer| tree.join(lexer));
        if let Some(lexer) = &lexer {
            let said = run(Command::new(example("flex_oracle")).args(["-n", N_TEXTS]).arg(lexer), scratch)?;
            row.flex(&said);
        }
        let Some(grammar) = self.grammar(&tree, scratch)? else { return Ok(()) };
        row.bison(&run(Command::new(example("bison_oracle")).arg(&grammar), scratch)?);
        let mut texts = Command::new(example("text_oracle"));
        texts.args(["-n", &options.n_sentences.to_string()]);
        let map = root().join("bench/grammars").join(self.name).with_extension("tokens");
        if map.exists() {
            texts.arg("-m").arg(&map);
        }
        row.texts(&run(texts.arg(&grammar).args(&lexer), scratch)?);
        if let Some(lexer) = lexer.filter(|_| self.has_strings) {
            let mut strings = Command::new(example("symbolic_strings"));
            strings.arg(&grammar).arg(lexer).arg(options.n_strings.to_string());
            row.strings(Strings::parse(&run(&mut strings, scratch)?)?);
        }
        Ok(())
    }

    /// The file, or what configure would make of it.
    fn grammar(&self, tree: &Path, scratch: &Path) -> Result<Option<PathBuf>> {
        let Some(grammar) = self.grammar.map(|grammar| tree.join(grammar)) else { return Ok(None) };
        let Some((place, value)) = self.configured else { return Ok(Some(grammar)) };
        let text = std::fs::read_to_string(&grammar).with_context(|| format!("{}", grammar.display()))?;
        let made = scratch.join(format!("{}.y", self.name));
        std::fs::write(&made, text.replace(place, value))?;
        Ok(Some(made))
    }
}

fn example(name: &str) -> PathBuf {
    workspace::release("examples").join(name)
}

/// What a process prints, be it content with the files or not.
fn run(command: &mut Command, scratch: &Path) -> Result<String> {
    let finished = capture(command, b"", LIMIT, scratch)?;
    let text = finished.text();
    ensure!(!text.is_empty() && matches!(finished.end, process::End::Exit(_)), "{}", finished.complaint());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::options;

    #[test]
    fn options_are_read() {
        let asked = options::<Options>(&["bc", "--sentences", "5", "jq"]).unwrap();
        let names = vec!["bc".to_owned(), "jq".to_owned()];
        assert_eq!(asked, Options { n_sentences: 5, n_strings: 1_000_000, names });
        for bad in [&["lua"][..], &["--strings"], &["--strings", "0"], &["--sentences", "x"], &["-x"]] {
            assert!(options::<Options>(bad).is_err(), "{bad:?}");
        }
    }
}
