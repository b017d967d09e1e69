//! Compares what is read from `.l` files with what flex makes of them.
//!
//! `cargo run --example flex_oracle -- [-n TEXTS] FILE.l..`
//!
//! For each file: the rules and start conditions that `flex -v` counts, the rules that it calls useless, and the
//! sequences of rules in texts, found by a scanner that flex makes of the same patterns with actions that tell the rule.

pub mod texts;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gimlet_grammar::scanner::automaton::Automaton;
use gimlet_grammar::scanner::effect::Effects;
use gimlet_grammar::scanner::lexer::{Lexeme, Lexer, Stopped, Why};
use gimlet_grammar::scanner::{ConditionId, Cut, Lex};
use gimlet_grammar::Source;
use gimlet_readers::lex;

pub type Trouble = Box<dyn std::error::Error>;

fn main() {
    let mut n_texts = 3000;
    let mut args = std::env::args().skip(1);
    let mut n_bad = 0;
    while let Some(arg) = args.next() {
        if arg == "-n" {
            n_texts = args.next().and_then(|n| n.parse().ok()).unwrap_or(n_texts);
            continue;
        }
        let verdict = compare(Path::new(&arg), n_texts).unwrap_or_else(|trouble| format!("TROUBLE {trouble}"));
        n_bad += usize::from(!verdict.starts_with("same") && !verdict.starts_with("both"));
        println!("{arg}: {verdict}");
    }
    println!("{n_bad} files differ");
}

pub fn compare(path: &Path, n_texts: usize) -> Result<String, Trouble> {
    let source = Source::new(path.display().to_string(), String::from_utf8_lossy(&std::fs::read(path)?));
    let lex = lex::read(&source);
    // flex removes its output when it fails, and some files name further outputs.
    let folder = tempfile::tempdir()?;
    let flex =
        Command::new("flex").args(["-v", "-o", "own.c"]).arg(path.canonicalize()?).current_dir(&folder).output()?;
    let report = String::from_utf8_lossy(&flex.stderr).into_owned();
    match (flex.status.success(), lex.has_errors()) {
        (true, true) => return Ok(format!("ONLY GIMLET REFUSES\n{}", lex.diagnostics[0].render(&source))),
        (false, false) => return Ok(format!("ONLY FLEX REFUSES\n{report}")),
        (false, true) => return Ok("both refuse".to_owned()),
        (true, false) => {}
    }
    let counted = (number(&report, " rules"), number(&report, " start conditions"));
    if counted != (Some(lex.rules.len()), Some(lex.conditions.len())) {
        return Ok(format!("COUNTS DIFFER {counted:?} {} {}", lex.rules.len(), lex.conditions.len()));
    }
    let automaton = Automaton::new(&lex)?;
    let useless = useless_rules(&report);
    let own: Vec<usize> =
        automaton.never_winning(&lex).iter().map(|warning| source.position(warning.span.start).0).collect();
    let mut verdict = format!("same, {} rules, {} conditions", lex.rules.len(), lex.conditions.len());
    // Where flex looks for second best matches, it calls no rule useless that could be one.
    let has_second_best = lex.rules.iter().any(|rule| {
        rule.action.text.contains("REJECT") || rule.trailing.as_ref().is_some_and(|t| t.cut == Cut::Longest)
    });
    if useless.len() != own.len() && !(has_second_best && useless.len() < own.len()) {
        verdict = format!("USELESS RULES DIFFER {useless:?} {own:?}");
    }
    let effects = lex::action::effects(&lex, &source);
    let _ = write!(
        verdict,
        ", {} states, {} unknown",
        automaton.n_states(),
        effects.rules.iter().filter(|e| e.unknown.is_some()).count()
    );
    for (effects, name) in [(effects.first_outcomes(), "with actions"), (Effects::none(&lex), "without")] {
        let mut lex = lex.clone();
        lex.options.has_default = true;
        let lexer = Lexer { lex: &lex, automaton: &automaton, effects: &effects };
        verdict = match compare_texts(&lexer, &source, folder.path(), n_texts)? {
            Ok(n_lexemes) => format!("{verdict}, {n_lexemes} matches {name}"),
            Err(difference) => return Ok(format!("TEXTS DIFFER {name}: {difference} ({verdict})")),
        };
    }
    Ok(verdict)
}

fn number(report: &str, what: &str) -> Option<usize> {
    let line = report.lines().find(|line| line.trim_end().ends_with(what))?;
    line.trim().split(['/', ' ']).next()?.parse().ok()
}

/// Lines of rules that flex warns about.
fn useless_rules(report: &str) -> Vec<usize> {
    let lines = report.lines().filter(|line| line.ends_with("rule cannot be matched"));
    lines.filter_map(|line| line.split(':').nth(1)?.parse().ok()).collect()
}

/// The number of matches, or the first text that is divided differently.
fn compare_texts(
    lexer: &Lexer,
    source: &Source,
    folder: &Path,
    n_texts: usize,
) -> Result<Result<usize, String>, Trouble> {
    let has_zero = !lexer.effects.rules.iter().flat_map(|effect| &effect.outcomes).any(|o| o.taken.is_beyond());
    let texts = texts::texts(lexer, source, n_texts, has_zero);
    let divided = divided(lexer, source, folder, &texts)?;
    let n_lexemes = divided.iter().map(|divided| divided.own.matches(':').count()).sum();
    match texts.iter().zip(divided).find(|(_, divided)| !divided.is_same()) {
        None => Ok(Ok(n_lexemes)),
        Some(((condition, text), Divided { own, flex })) => {
            let text = text.escape_ascii();
            Ok(Err(format!("\n  from {} {text}\n  own {own}\n  flex {flex}", condition.0)))
        }
    }
}

/// A text as we divide it, and as flex does: rules and lengths.
pub struct Divided {
    pub own: String,
    pub flex: String,
}

impl Divided {
    pub fn is_same(&self) -> bool {
        match self.own.strip_suffix('S') {
            Some(own) => self.flex.ends_with(['L', 'P', 'T']) && self.flex.starts_with(own),
            None => self.own == self.flex,
        }
    }
}

/// Lets a scanner of flex's divide texts.
pub fn divided(lexer: &Lexer, source: &Source, folder: &Path, texts: &[Text]) -> Result<Vec<Divided>, Trouble> {
    std::fs::write(folder.join("told.l"), lex::print::print(lexer.lex, source, lexer.effects))?;
    run(Command::new("flex").args(["-w", "-o", "told.c", "told.l"]).current_dir(folder))?;
    run(Command::new("gcc").args(["-w", "-O1", "-o", "told", "told.c"]).current_dir(folder))?;
    let mut child = Command::new("./told").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    let mut input = Vec::new();
    for (condition, text) in texts {
        writeln!(input, "{} {}", text.len(), condition.0)?;
        input.extend_from_slice(text);
    }
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer panicked")??;
    let told = String::from_utf8_lossy(&output.stdout);
    let mut lines = told.lines();
    let numbers = flex_numbers(lexer.lex);
    let divided = texts.iter().map(|(condition, text)| Divided {
        own: show(lexer.lex, lexer.lex_from(*condition, text), &numbers),
        flex: lines.next().unwrap_or("nothing").to_owned(),
    });
    Ok(divided.collect())
}

/// The numbers that flex gives to rules; those for the end of the input have none.
fn flex_numbers(lex: &Lex) -> Vec<usize> {
    let mut n = 0;
    let mut count = |is_counted: bool| {
        n += usize::from(is_counted);
        n
    };
    let mut numbers: Vec<usize> =
        lex.rules.iter().map(|rule| count(!rule.is_eof && !rule.conditions.is_empty())).collect();
    numbers.push(n + 1);
    numbers
}

fn show(lex: &Lex, result: Result<Vec<Lexeme>, Stopped>, numbers: &[usize]) -> String {
    let (lexemes, end) = match result {
        Ok(lexemes) => (lexemes, "E"),
        Err(Stopped { lexemes, why: Why::NoMatch, .. }) => (lexemes, "N"),
        // flex goes round until it is stopped, or notes the rule and stops.
        Err(Stopped { lexemes, .. }) => (lexemes, "S"),
    };
    let mut shown = String::new();
    for lexeme in lexemes.iter().filter(|lexeme| !lexeme.rule.is_some_and(|rule| lex.rule(rule).is_eof)) {
        let number = lexeme.rule.map_or(numbers[numbers.len() - 1], |rule| numbers[rule.index()]);
        let _ = write!(shown, "{number}:{} ", lexeme.span.end - lexeme.span.start);
    }
    shown + end
}

fn run(command: &mut Command) -> Result<(), Trouble> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// A text and the condition that the scanner begins in.
pub type Text = (ConditionId, Vec<u8>);
