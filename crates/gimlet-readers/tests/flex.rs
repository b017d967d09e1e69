//! Scanners with rare features, compared with what flex makes of them. Without flex there is nothing to compare with.

#[allow(dead_code)]
#[path = "../examples/flex_oracle/main.rs"]
mod flex_oracle;

use std::path::Path;
use std::process::Command;

fn check(name: &str) {
    if Command::new("flex").arg("--version").output().is_err() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lex").join(name);
    let verdict = flex_oracle::compare(&path, 2000).unwrap();
    assert!(verdict.starts_with("same"), "{name}: {verdict}");
}

#[test]
fn a_bit_of_everything() {
    check("all.l");
}

#[test]
fn trailing_contexts_and_line_starts() {
    check("contexts.l");
}

#[test]
fn the_language_of_lex() {
    check("compat.l");
    check("posix.l");
}

#[test]
fn case_classes_and_groups() {
    check("caseless.l");
}

#[test]
fn seven_bits() {
    check("seven.l");
}
