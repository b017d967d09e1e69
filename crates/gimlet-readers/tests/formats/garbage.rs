//! Files that are cut off, changed or made of anything.

use gimlet_grammar::{Severity, Source};
use gimlet_readers::format::{self, Format};
use proptest::prelude::*;

use super::FILES;

/// Errors and a grammar exclude each other, and everything that is said can be shown.
fn use_all(name: &str, text: &str) {
    let source = Source::new(name, text);
    let read = format::read(&source, Format::of_name(name).unwrap());
    read.diagnostics.iter().for_each(|found| assert!(!found.render(&source).is_empty()));
    let has_errors = read.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(read.grammar.is_none(), has_errors, "{:?}\n{text}", read.diagnostics);
    assert!(read.diagnostics.len() <= 100);
}

#[test]
fn files_may_end_anywhere() {
    for (name, text) in FILES {
        // Each end is read for small files; the largest need too long for that in a test.
        let step = text.len() / 700 + 1;
        for end in (0..text.len()).step_by(step).filter(|&end| text.is_char_boundary(end)) {
            use_all(name, &text[..end]);
        }
    }
}

#[test]
fn nothing_is_too_deep_or_too_long() {
    let deep = |open: &str, close: &str| format!("{}'x'{}", open.repeat(20_000), close.repeat(20_000));
    use_all("a.ebnf", &format!("a = {};", deep("(", ")")));
    use_all("a.ebnf", &format!("a = {};", deep("[", "]")));
    use_all("a.ebnf", &format!("a ::= {}", deep("(", ")")));
    use_all("a.ebnf", &format!("a = {}", "(*".repeat(20_000)));
    use_all("a.ebnf", "a = 65536 * b; b = 65536 * c; c = 65536 * a | 99999999999 * 'x';");
    use_all("a.g4", &format!("grammar A; a : {};", deep("(", ")")));
    use_all("a.g4", &format!("grammar A; A : {};", deep("~", "")));
    use_all("a.g4", &format!("grammar A; a : {} ", "{".repeat(20_000)));
    use_all("a.json", &format!("{{\"rules\": {}", "{\"a\": ".repeat(20_000)));
    use_all("a.json", &format!("{{\"rules\": {{\"a\": {}", "{\"type\": \"REPEAT\", \"content\": ".repeat(20_000)));
}

#[test]
fn sets_of_characters_beyond_ascii() {
    for set in ["[#xE9#xFC]", "[#xE9#x4E2D#x1F600]", "'\u{e9}' | '\u{fc}'", "[#x80-#x10FFFF]", "[^a-z]"] {
        use_all("a.ebnf", &format!("a ::= {set}\n"));
    }
}

#[test]
fn expressions_do_not_explode() {
    let mut doubled = String::from("grammar A; a : A0 ;");
    (0..60).for_each(|number| doubled.push_str(&format!("A{number} : A{0} A{0} ;\n", number + 1)));
    use_all("a.g4", &format!("{doubled} A60 : 'x' ;"));
    let mut chained = String::from("grammar A; a : A0 ;");
    (0..5_000).for_each(|number| chained.push_str(&format!("A{number} : A{} ;\n", number + 1)));
    use_all("a.g4", &format!("{chained} A5000 : 'x' ;"));
    use_all("a.g4", "grammar A; a : A ; A : (A | B)* ; B : (A B | B A | 'x')+ ;");
    use_all("a.g4", "grammar A; a : A ; A : (.*? 'a' .*? 'b' .*? [\\p{L}] .*? 'c')+? (. . . . . .*? 'd')*? ;");
    let mut excepted = String::from("a ::= (x* - (x* 'a'");
    excepted.push_str(&" x".repeat(40));
    use_all("a.ebnf", &format!("{excepted}))\nx ::= [a-z]"));
    use_all("a.json", r#"{"rules": {"a": {"type": "PATTERN", "value": "((a{1,900}){1,900}){1,900}"}}}"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn accidents_do_no_harm(
        file in 0..FILES.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..20usize, "[ -~\n]{0,4}|\\PC"), 1..5),
    ) {
        let (name, text) = FILES[file];
        let mut text = text.to_owned();
        for (at, length, put) in cuts {
            let at = at.index(text.len() + 1);
            let (start, end) = (floor(&text, at), floor(&text, at + length));
            text.replace_range(start..end, &put);
        }
        use_all(name, &text);
    }

    #[test]
    fn any_text_is_read(text in "(::=|= |;\n|->|[a-zA-Z'\"\\[\\](){}|*+?:.,~#-]|\\\\|[ -~\n]|\\PC){0,120}") {
        for (name, begin) in [("a.ebnf", ""), ("a.ebnf", "a = "), ("a.ebnf", "a ::= "), ("a.g4", "grammar A; a : "), ("a.g4", "grammar A; A : ")] {
            use_all(name, &format!("{begin}{text}"));
        }
        use_all("a.json", &text);
        let value = text.escape_debug().to_string().replace("\\'", "'");
        use_all("a.json", &format!("{{\"rules\": {{\"a\": {{\"type\": \"PATTERN\", \"value\": \"{value}\"}}}}}}"));
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
