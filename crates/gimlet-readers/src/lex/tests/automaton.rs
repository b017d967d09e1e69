use gimlet_grammar::scanner::automaton::{Automaton, AutomatonError, Witness};
use gimlet_grammar::source::Source;

use crate::lex;

/// Shortest texts, one a line, then the lines of rules that never win.
fn check(text: &str, expected: &[&str]) {
    let source = Source::new("a.l", text);
    let lex = lex::read(&source);
    let automaton = Automaton::new(&lex).unwrap();
    let show = |witness: &Witness| {
        let place = if witness.at_line_start { "^" } else { "" };
        let (own, context) = witness.text.split_at(witness.n_bytes);
        let condition = &lex.condition(witness.condition).name;
        format!("{condition} {} {place}{}/{}", witness.rule.0, own.escape_ascii(), context.escape_ascii())
    };
    let mut shown: Vec<String> = automaton.witnesses(&lex).iter().map(show).collect();
    for warning in automaton.never_winning(&lex) {
        shown.push(format!("never {}", source.position(warning.span.start).0));
    }
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn the_first_of_the_longest_wins() {
    check("%%\nif 0\n[a-z]+ 1\n\"if\" 2\n[a-z0-9]+ 3\n", &["INITIAL 0 if/", "INITIAL 1 a/", "INITIAL 3 1/", "never 4"]);
}

#[test]
fn conditions_and_line_starts_have_their_own_tables() {
    check(
        "%x A\n%%\n^#.* 0\n[#a] 1\n<A>a+/b 2\n<A>a*$ 3\n",
        &["INITIAL 1 a/", "INITIAL 0 ^#/", "INITIAL 1 ^a/", "A 2 a/b", "A 3 /\\n"],
    );
}

#[test]
fn what_is_too_large_is_told() {
    let lex = lex::read(&Source::new("a.l", "%%\n(a|b)*a(a|b){40} ;\n"));
    assert!(
        matches!(Automaton::within(&lex, 1 << 20), Err(AutomatonError::TooLarge { condition, .. }) if condition == "INITIAL")
    );
    let lex = lex::read(&Source::new("a.l", "%%\n((a{1000}){1000}){1000} ;\n"));
    assert!(Automaton::within(&lex, 1 << 20).is_err());
}
