use gimlet_grammar::parse::lalr::{Conflicts, Tables};
use gimlet_grammar::{Grammar, TerminalId};
use gimlet_readers::yacc;

use crate::grammar;

/// Characters are tokens of their own.
fn sentence(grammar: &Grammar, text: &str) -> Vec<TerminalId> {
    let terminal = |c: char| grammar.symbol(&format!("'{c}'")).and_then(|symbol| symbol.terminal());
    text.chars().map(|c| terminal(c).expect("a token")).collect()
}

fn check(text: &str, accepted: &[&str], refused: &[&str]) {
    let grammar = grammar(text);
    let tables = Tables::new(&grammar);
    for (sentences, expected) in [(accepted, true), (refused, false)] {
        for text in sentences {
            assert_eq!(tables.accepts(&sentence(&grammar, text)), expected, "{text}");
        }
    }
}

fn check_conflicts(text: &str, n_shift_reduce: usize, n_reduce_reduce: usize) {
    assert_eq!(Tables::new(&grammar(text)).conflicts(), Conflicts { n_shift_reduce, n_reduce_reduce });
}

/// What a sentence is refused for: the place, and what could be there.
fn check_refusal(text: &str, tokens: &str, at: usize, expected: &str) {
    let grammar = grammar(text);
    let refusal = Tables::new(&grammar).parse(&sentence(&grammar, tokens)).expect_err("an error");
    assert_eq!(refusal.at, at);
    let mut names: Vec<&str> =
        refusal.expected.terminals.iter().map(|&id| grammar.terminal(id).name.as_str()).collect();
    names.extend(refusal.expected.is_end.then_some("$end"));
    assert_eq!(names.join(" "), expected);
}

const EXPRESSIONS: &str = "%nonassoc '<' %left '+' %left '*' %right '^' %precedence NEG\n%%\n\
    e: e '<' e | e '+' e | e '*' e | e '^' e | '-' e %prec NEG | '(' e ')' | 'n' ;";

#[test]
fn precedences_decide_without_conflicts() {
    check_conflicts(EXPRESSIONS, 0, 0);
    check(EXPRESSIONS, &["n", "n+n*n", "-n^n", "n<(n<n)", "n<n+n"], &["", "n<n<n", "nn", "(n", "n+", "n)"]);
}

#[test]
fn a_choice_without_a_precedence_is_a_conflict() {
    check_conflicts("%%\ns: 'i' s | 'i' s 'e' s | 'x' ;", 1, 0);
    check_conflicts("%%\ns: a | b ;\na: 'x' ;\nb: 'x' ;", 0, 1);
    // The rule that is never taken leaves its states behind, but the conflict is the parser's.
    check("%%\ns: a 'y' | b 'z' | c;\na: 'x' ;\nb: 'x' ;\nc: 'x' 'y' 'q' ;", &["xyq", "xz"], &["xy", "x"]);
}

#[test]
fn what_the_parser_never_tries_is_refused() {
    // Derived, but after the first `a` the parser always shifts.
    check("%%\ns: l 'a' ;\nl: %empty | 'a' l ;", &[], &["a", "aa"]);
    check("%%\ns: l 'a' ;\nl: %empty | l 'b' ;", &["a", "bba"], &["", "b"]);
}

#[test]
fn lookaheads_are_those_of_the_state() {
    // SLR(1) has a conflict here, LALR(1) has none.
    let text = "%%\ns: l '=' r | r ;\nl: '*' r | 'i' ;\nr: l ;";
    check_conflicts(text, 0, 0);
    check(text, &["i", "*i=i", "i=**i"], &["i=i=i", "*", "=i"]);
    // LR(1) but not LALR(1).
    check_conflicts("%%\ns: 'a' e 'c' | 'a' f 'd' | 'b' f 'c' | 'b' e 'd' ;\ne: 'e' ;\nf: 'e' ;", 0, 2);
}

#[test]
fn errors_are_not_recovered_from() {
    let text = "%%\ns: 'a' ';' | error ';' ;";
    check(text, &["a;"], &[";", "a", "a;;"]);
    check_refusal(text, "aa", 1, "';'");
    let grammar = grammar(text);
    let tables = Tables::new(&grammar);
    let semicolon = sentence(&grammar, ";")[0];
    assert!(!tables.accepts(&[yacc::ERROR, semicolon]));
    assert!(!tables.accepts(&[TerminalId(1000)]));
}

#[test]
fn a_refusal_names_what_could_come() {
    check_refusal(EXPRESSIONS, "n+*", 2, "'-' '(' 'n'");
    check_refusal(EXPRESSIONS, "(n", 2, "'<' '+' '*' '^' ')'");
    check_refusal(EXPRESSIONS, "n<n<n", 3, "'+' '*' '^' $end");
    check_refusal("%%\ns: %empty | s 'x' 'y' ;", "xyy", 2, "'x' $end");
}

#[test]
fn a_parse_is_a_derivation() {
    let grammar = grammar("%left '+' %left '*'\n%%\ne: e '+' e | e '*' e | 'n' ;");
    let parse = |text| {
        Tables::new(&grammar)
            .parse(&sentence(&grammar, text))
            .map(|rules| rules.iter().map(|rule| rule.0 + 1).collect::<Vec<_>>())
    };
    assert_eq!(parse("n+n*n"), Ok(vec![3, 3, 3, 2, 1]));
    assert_eq!(parse("n*n+n"), Ok(vec![3, 3, 2, 3, 1]));
}

#[test]
fn endless_reductions_end() {
    check("%left 'a' %precedence HIGH\n%%\ns: e s | 'a' ;\ne: %empty %prec HIGH ;", &[], &["a"]);
    check("%%\ns: s | 'a' ;", &["a"], &["aa"]);
}

#[test]
fn the_end_may_be_a_token_of_the_rules() {
    let grammar = grammar("%token STOP 0\n%%\ns: 'a' STOP ;");
    let tables = Tables::new(&grammar);
    let a = sentence(&grammar, "a")[0];
    assert!(tables.accepts(&[a, yacc::END]));
    assert!(tables.accepts(&[a]));
    assert!(!tables.accepts(&[yacc::END]));
}

#[test]
fn tables_that_never_chose_are_all_of_the_grammar() {
    let check = |text: &str, is_exact: bool| assert_eq!(Tables::new(&grammar(text)).is_exact(), is_exact, "{text}");
    check("%%\ns: s 'x' | ;", true);
    check("%left '+'\n%%\ns: s '+' t | t ;\nt: 'x' ;", true);
    check("%left '+'\n%%\ns: s '+' s | 'x' ;", false);
    check("%nonassoc '+'\n%%\ns: s '+' s | 'x' ;", false);
    check("%%\ns: s '+' s | 'x' ;", false);
    check("%%\ns: a | b ;\na: 'x' ;\nb: 'x' ;", false);
}
