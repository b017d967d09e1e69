use super::*;

/// Rules, texts of terminals and messages.
fn check(text: &str, expected: &str) {
    let source = Source::new("test.ebnf", text);
    let read = read(&source);
    let mut shown: Vec<String> = Vec::new();
    if let Some(grammar) = &read.grammar {
        shown.extend(grammar.rule_ids().map(|rule| grammar.show_rule(rule)));
        assert!(grammar.terminals.iter().all(|terminal| terminal.text.is_some()));
    }
    for found in &read.diagnostics {
        let (line, column) = source.position(found.span.start);
        let hint = found.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        shown.push(format!("{line}:{column}: {}: {}{hint}", found.severity, found.message));
    }
    assert!(read.skipped.is_empty());
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn groups_become_rules() {
    check(
        r#"expr = term, { ("+" | "-"), term } ; (* a (* nested *) comment *)
           term = "x" | "(", [ expr ], ")" ."#,
        "expr: term expr.1
         expr.1: %empty
         expr.1: expr.1 [+\\-] term
         term: 'x'
         term: '(' term.1 ')'
         term.1: %empty
         term.1: expr",
    );
    check(
        "a ::= 'x'+ ('y' 'z')? a?",
        "a: a.1 a.2 a.3\n a.1: 'x'\n a.1: a.1 'x'\n a.2: %empty\n a.2: 'y' 'z'\n a.3: %empty\n a.3: a",
    );
}

#[test]
fn equal_groups_are_one() {
    check("a = {b}, [b], {b}; b = 'x';", "a: a.1 a.2 a.1\n a.1: %empty\n a.1: a.1 b\n a.2: %empty\n a.2: b\n b: 'x'");
}

#[test]
fn what_is_empty_is_not_repeated() {
    check("a = { [ { 'x' } ] };", "a: a.1\n a.1: %empty\n a.1: a.1 'x'");
    check("a ::= ('x'* | 'y'?)+", "a: a.1\n a.1: %empty\n a.1: a.1 a.2\n a.1: a.1 'y'\n a.2: %empty\n a.2: a.2 'x'");
}

#[test]
fn sets_are_cut_into_pieces() {
    check(
        "a ::= [a-f] [d-k] 'e'",
        "a: [a-f] [d-k] 'e'
         [a-f]: [a-c]
         [a-f]: [df]
         [a-f]: 'e'
         [d-k]: [df]
         [d-k]: 'e'
         [d-k]: [g-k]",
    );
    check(
        "a ::= 'é' | [à-é]",
        "a: '\\xc3' '\\xa9'\n a: '\\xc3' [\\xa0-\\xa9]\n [\\xa0-\\xa9]: [\\xa0-\\xa8]\n [\\xa0-\\xa9]: '\\xa9'",
    );
}

#[test]
fn iso() {
    check("a = 3 * 'x' | 2 * ('y', 'z');", "a: a.1\n a: a.2\n a.1: 'x' 'x' 'x'\n a.2: 'y' 'z' 'y' 'z'");
    check(
        "a = 'x' / 'y' ! \"z\" | (/ 'u' /), (: 'v' :);",
        "a: [x-z]\n a: a.1 a.2\n a.1: %empty\n a.1: 'u'\n a.2: %empty\n a.2: a.2 'v'",
    );
    check("a = { 'x' }- ;", "a: a.1\n a.1: 'x'\n a.1: a.1 'x'");
    check(
        "big letter = 'A'; a b = big letter, big letter;",
        "big letter: 'A'\n a b: big letter big letter\n 1:19: warning: `a b` is never reached",
    );
    check(
        "no-x = letter-x | 'x' .. 'z'; letter = 'w' | 'x'; x = 'x';",
        "no-x: [w-z]\n letter: [wx]\n x: 'x'\n [w-z]: 'w'\n [w-z]: 'x'\n [w-z]: [yz]\n [wx]: 'w'\n [wx]: 'x'",
    );
}

#[test]
fn exceptions() {
    check("a = b - c; b = 'x' | 'y' | 'z'; c = 'y';", "a: [xz]\n b: [x-z]\n c: 'y'\n [x-z]: [xz]\n [x-z]: 'y'");
    check("a ::= ('if' | 'in' | 'x') - 'if'", "a.1: 'i' a.2\n a.1: 'x' a.3\n a.2: 'n' a.3\n a.3: %empty\n a: a.1");
    check("a ::= b - 'x'\nb ::= 'x' b | 'y'", "2:11: error: `b` refers to itself, so its texts are no regular set (an exception needs sets of texts without recursion on both sides)");
}

#[test]
fn mistakes() {
    check("", "1:1: error: there are no rules (a rule is `name = expression ;` or `Name ::= expression`)");
    check("term = trem | factor;", "1:8: error: `trem` has no rules (did you mean `term`?)");
    check(
        "a = other;",
        "1:5: error: `other` has no rules (write a rule for it, or quotes around it if it is a text: \"other\")",
    );
    check("a = ? any character ?;\nb = 'x;", "1:5: error: what `? any character ?` stands for is not said in the file (write rules for it instead)\n 2:5: error: this string is never closed (it ends with `'`)");
    check("a = ('x' ;\nb = 'y';", "1:10: error: expected `)`, found `;` (it closes the `(` in line 1)");
    check("a = 'x' b = 'y';", "1:11: error: expected `;`, found `=` (a rule ends with `;`)");
    check(
        "a = 'x', a;",
        "1:1: error: no sentence can be derived from the start symbol `a` (some rule has to end the recursion)",
    );
    check("a ::= [z-a]\nb ::= #xD800 | 'x'", "1:8: error: this range ends before it begins\n 2:7: error: this is the number of no character (a character is `#x` with its number in hexadecimal digits, such as `#x20`)");
    check("a ::= 'x' )\nb ::= 'y' [z", "1:11: error: expected a name, a string, a set or the next rule, found `)`\n 2:11: error: this set is never closed (it ends with `]`)");
    check("(* a = 'x';", "1:1: error: this comment is never closed (it ends with `*)`)");
    check(
        "a = 'x'; a = 'y';",
        "a: 'x'\n a: 'y'\n 1:10: warning: `a` is defined more than once: its texts are those of all its rules",
    );
}

#[test]
fn styles_are_told_apart() {
    for (text, expected) in [
        ("a = '::=' ;", false),
        ("(* ::= *) a = 'x' ;", false),
        ("[1] a ::= '='", true),
        ("/* a = b */ a ::= b", true),
        ("<a> ::= <b>", true),
        ("", false),
    ] {
        assert_eq!(is_w3c(text), expected, "{text}");
    }
}

#[test]
fn numbers_remarks_and_angles_are_passed_over() {
    check(
        "[1] a ::= [a1] b /* ws: explicit */ [VC: a]\n[2a]  b\n  ::= 'x' | <c d>\n<c d> ::= #x20 ;",
        "a: [1a] b\n b: 'x'\n b: c d\n c d: ' '",
    );
}
