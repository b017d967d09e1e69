use gimlet_grammar::scanner::Scanner;

use super::*;

/// Rules, texts of terminals and messages.
fn check(text: &str, expected: &str) {
    let source = Source::new("test.ebnf", text);
    check_read(&source, read(&source), expected);
}

/// The same with a token map.
fn check_tokens(text: &str, map: &str, expected: &str) {
    let source = Source::new("test.ebnf", text);
    let map = TokenMap::read(&Source::new("tokens", map));
    assert_eq!(map.diagnostics, []);
    check_read(&source, read_tokens(&source, &map, None), expected);
}

fn check_read(source: &Source, read: Read, expected: &str) {
    let text = &source.text;
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
        "1:5: error: `other` has no rules (write a rule for it, or quotes around it if it is a text: \"other\"; texts of a token can be in a token map)",
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

/// The tokens that a text is to the parser, and their numbers.
fn check_scan(text: &str, map: &str, scanned: &str, expected: &[(&str, u32)]) {
    let map = TokenMap::read(&Source::new("tokens", map));
    let grammar = read_tokens(&Source::new("test.ebnf", text), &map, None).grammar.unwrap();
    let scanner = Scanner::of_texts(&grammar, &map.skipped, &map.texts).unwrap();
    let terminals = scanner.scan(scanned.as_bytes()).unwrap().into_iter().map(|it| it.only().unwrap());
    let found: Vec<(&str, u32)> =
        terminals.map(|id| (grammar.terminal(id).name.as_str(), grammar.terminal(id).number)).collect();
    assert_eq!(found, expected);
}

#[test]
fn strings_and_names_of_the_map_are_tokens() {
    let text = "block = { stat } ; stat = Name, '=', exp | 'if', exp, 'then', block, 'end' ; exp = Name | Numeral ;";
    let map = "Name = /[a-z]+/\nNumeral = /[0-9]+/\nskip /[ \\n]+/\n";
    check_tokens(
        text,
        map,
        "block: block.1
         block.1: %empty
         block.1: block.1 stat
         stat: Name '=' exp
         stat: 'if' exp 'then' block 'end'
         exp: Name
         exp: Numeral",
    );
    let expected = [("'if'", 259), ("Name", 262), ("Name", 262), ("'='", 61), ("Numeral", 263), ("Name", 262)];
    check_scan(text, map, "if iffy\nx = 12ends", &expected);
    // In W3C's style, and with names that need the map to be told from others.
    check_tokens(
        "a ::= 'x' an-id? an-id*",
        "an-id = /i/",
        "a: 'x' a.1 a.2\n a.1: %empty\n a.1: an-id\n a.2: %empty\n a.2: a.2 an-id",
    );
    check_tokens("a = big letter, 2 * 'x';", "big letter = /[A-Z]/", "a: big letter a.1\n a.1: 'x' 'x'");
}

#[test]
fn rules_become_tokens() {
    let text = "letter ::= [a-z]\nname ::= letter (letter | digit)*\ndigit ::= [0-9]\nkey ::= name - 'if'\n\
                arrow ::= '->'\nlist ::= key ('->' key)* 'if'";
    let map = "token key\ntoken arrow";
    check_tokens(text, map, "list: key list.1 'if'\n list.1: %empty\n list.1: list.1 arrow key");
    check_scan(text, map, "a1->ifs->bif", &[("key", 259), ("arrow", 260), ("key", 259), ("arrow", 260), ("key", 259)]);
    check_scan(text, map, "aif->if", &[("key", 259), ("arrow", 260), ("'if'", 258)]);
    // The map's texts are those of the name inside of other tokens, too.
    let map = "letter = /[x]/\ntoken key\ntoken arrow";
    check_tokens(
        text,
        map,
        "list: key list.1 'if'\n list.1: %empty\n list.1: list.1 arrow key
         1:1: warning: the token map has texts of `letter`: this rule does not count",
    );
    check_scan(text, map, "xx1if", &[("key", 260), ("'if'", 258)]);
    // Recursions that are repetitions.
    let text = "s = n, m; n = d | n, d; m = 'x', m | '.'; d = '0' .. '9';";
    check_scan(text, "token n\ntoken m", "123xx.4.", &[("n", 258), ("m", 259), ("n", 258), ("m", 259)]);
    // One that no rule has keeps others from being read.
    check_scan("s = n, { n };", "n = /[0-9]+/\nbad = /[0-9]+[a-z]+/", "12x", &[("bad", 259)]);
    check_scan("s = n; n = n, 'a' | 'b', n | 'c';", "token n", "bbcaaa", &[("n", 258)]);
}

#[test]
fn the_map_comes_before_rules() {
    check_tokens(
        "s = name, ';'; name = letter, { letter }; letter = 'a' .. 'z'; other = letter;",
        "name = /[a-z]+/",
        "s: name ';'
         1:16: warning: the token map has texts of `name`: this rule does not count
         1:64: warning: `other` is never reached",
    );
}

#[test]
fn mistakes_with_a_map() {
    check_tokens(
        "s = Name, Nmae, other;",
        "Name = /[a-z]+/",
        "1:11: error: `Nmae` has neither rules nor texts (did you mean `Name`? if not, write a rule for it, or its texts into the token map: Nmae = /regex/)",
    );
    check_tokens("s = other;", "token other", "1:5: error: `other` has neither rules nor texts (write a rule for it, or its texts into the token map: other = /regex/)");
    check_tokens("s ::= 'x' [a-z]", "", "1:11: error: with a token map, rules consist of tokens, not of characters (make it a token of the map: NAME = /[a-z]+/, or token NAME for a rule of such characters)");
    check_tokens("s ::= x - 'x'\nx ::= 'x' | 'y'", "", "1:7: error: an exception is about texts, and this rule consists of tokens (make the rule that it stands in a token, with a line of the token map: token NAME)");
    check_tokens("s ::= n\nn ::= '(' n ')' | 'x'", "token n", "2:11: error: `n` refers to itself, so its texts are no regular set (a token needs a rule without recursion, or a line of the token map: NAME = /regex/)");
    check_tokens("s ::= n\nn ::= x 'y'", "token n", "2:7: error: `x` has neither rules nor texts (write a rule for it, or its texts into the token map: x = /regex/)");
    check_tokens("s ::= n\nn ::= 'y'", "token s", "1:1: error: every rule is that of a token, or a part of one (write a rule that says in which order tokens come)");
    check_tokens("s ::= n 'x'\nn ::= 'y'?", "token n", "s: n 'x'\n 1:7: warning: the text of `n` can be empty");
}

#[test]
fn another_start_keeps_its_rules() {
    let source = Source::new("test.ebnf", "s = 'a'; t = u; u = 'b'; v = 'c';");
    let map = TokenMap::default();
    let rules = |start| {
        let read = read_tokens(&source, &map, start);
        let grammar = read.grammar.unwrap();
        grammar.rule_ids().map(|rule| grammar.show_rule(rule)).collect::<Vec<_>>()
    };
    assert_eq!(rules(None), ["s: 'a'"]);
    assert_eq!(rules(Some("t")), ["s: 'a'", "t: u", "u: 'b'"]);
}
