//! Compares what is read from `.l` files with what flex makes of them.
//!
//! `cargo run --example flex_oracle -- FILE.l..`

use std::path::Path;
use std::process::Command;

use gimlet_grammar::lex;
use gimlet_grammar::Source;

fn main() {
    for path in std::env::args().skip(1) {
        compare(Path::new(&path));
    }
}

fn compare(path: &Path) {
    let bytes = std::fs::read(path).expect("can't read the file");
    let source = Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes));
    let lex = lex::read(&source);
    // flex removes its output when it fails, and some files name further outputs.
    let folder = tempfile::tempdir().expect("no temporary folder");
    let path = &path.canonicalize().expect("no such file");
    let output =
        Command::new("flex").args(["-v", "-o", "scanner.c"]).arg(path).current_dir(&folder).output().expect("no flex");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let number = |what: &str| -> Option<usize> {
        let line = stderr.lines().find(|line| line.trim_end().ends_with(what))?;
        line.trim().split(['/', ' ']).next()?.parse().ok()
    };
    let flex = (number(" rules"), number(" start conditions"));
    let own = (Some(lex.rules.len()), Some(lex.conditions.len()));
    let verdict = match (output.status.success(), lex.has_errors()) {
        (true, false) if flex == own => "same",
        (false, true) => "both refuse",
        (true, true) => "ONLY GIMLET REFUSES",
        (false, false) => "ONLY FLEX REFUSES",
        _ => "DIFFERENT",
    };
    println!("{verdict}: {} {own:?} {flex:?}", path.display());
    if verdict.starts_with("ONLY") || verdict == "both refuse" {
        for diagnostic in lex.diagnostics.iter().take(3) {
            println!("{}", diagnostic.render(&source));
        }
        stderr.lines().filter(|line| line.contains(".l")).take(5).for_each(|line| println!("  flex: {line}"));
    }
}
