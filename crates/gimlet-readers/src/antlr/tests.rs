use gimlet_grammar::regular::dfa::Dfa;

use super::*;

fn show(text: &str) -> Vec<String> {
    let source = Source::new("test.g4", text);
    let read = read(&source);
    let mut shown: Vec<String> = Vec::new();
    if let Some(grammar) = &read.grammar {
        shown.extend(grammar.rule_ids().map(|rule| grammar.show_rule(rule)));
        for terminal in &grammar.terminals {
            let text = terminal.text.as_ref().map_or("?".to_owned(), |text| text.to_string());
            shown.push(format!("{} = {text}", terminal.name));
        }
    }
    shown.extend(read.skipped.iter().map(|text| format!("skipped {text}")));
    for found in &read.diagnostics {
        let (line, column) = source.position(found.span.start);
        let hint = found.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        shown.push(format!("{line}:{column}: {}: {}{hint}", found.severity, found.message));
    }
    shown
}

/// Rules, texts of tokens and messages.
fn check(text: &str, expected: &str) {
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(show(text), expected, "{text}");
}

/// The texts of the only token.
fn check_texts(rules: &str, accepted: &[&str], refused: &[&str]) {
    let read = read(&Source::new("test.g4", format!("grammar T; a : T ; {rules}")));
    let grammar = read.grammar.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    let dfa = Dfa::new(grammar.terminals[0].text.as_ref().unwrap()).unwrap();
    accepted.iter().for_each(|text| assert!(dfa.accepts(text.as_bytes()), "{rules} {text:?}"));
    refused.iter().for_each(|text| assert!(!dfa.accepts(text.as_bytes()), "{rules} {text:?}"));
}

#[test]
fn rules_of_both_kinds() {
    check(
        "grammar Calc;
         line : e=expr EOF ;
         expr : <assoc=right> expr '^' expr # Power
              | expr op=('*' | MINUS) expr  # Product
              | list+=INT {x(\"}\");} | {ok()}? '(' expr ')' ;
         MINUS : '-' ;
         INT : [0-9]+ ;
         WS : [ \\t]+ -> skip ;",
        "line: expr
         expr: expr '^' expr
         expr: expr expr.1 expr
         expr.1: '*'
         expr.1: MINUS
         expr: INT
         expr: '(' expr ')'
         '^' = \\^
         '*' = \\*
         '(' = \\(
         ')' = \\)
         MINUS = \\-
         INT = (?-u:[0-9])+
         skipped (?-u:[\\x09\\x20])+
         5:39: warning: this predicate is taken to be true",
    );
}

#[test]
fn repetitions() {
    check(
        "grammar A; a : X* Y+? (X | Y)?? ~(X) . ; X : 'x' ; Y : 'y' ;",
        "a: a.1 a.2 a.3 Y a.4
         a.1: %empty
         a.1: a.1 X
         a.2: Y
         a.2: a.2 Y
         a.3: %empty
         a.3: X
         a.3: Y
         a.4: X
         a.4: Y
         X = x
         Y = y",
    );
}

#[test]
fn what_is_no_language_is_passed_over() {
    check(
        "parser grammar P; options { superClass = 'A'; language=Java; } tokens { A, B }
         @parser::header { import x; /* } */ } channels { C }
         a [int n] returns [int[] m] locals [String s = \"]\"] throws E, F @init { int i; } @after { } options { k = 1; }
             : b[$n, f(\"]\")] A (options { greedy = false; } : B)* {act();}
             ; catch [E e] { } finally { }
         b : A | ;",
        "a: b A a.1
         a.1: %empty
         a.1: a.1 B
         b: A
         b: %empty
         A = ?
         B = ?
         1:73: warning: tokens of unknown text: `A`, `B` (write a rule such as `A : 'text' ;`)",
    );
}

#[test]
fn commands() {
    check(
        "lexer grammar L; A : 'a' ; B : 'b' -> type(A) ; C : 'c' -> type(D), pushMode(M) ; S : 's' -> channel(HIDDEN) ;
         Z : 'z' -> channel(DEFAULT_TOKEN_CHANNEL) ; Q : '\"' -> more ; mode M; E : 'e' -> popMode ;
         parser grammar P; p : A D E S? Z ;",
        "p: p.1 C E Z
         p.1: A
         p.1: B
         A = a
         B = b
         C = c
         Z = z
         E = e
         skipped s
         2:54: warning: the texts that `Q` begins are left out (write the whole text as one rule, without `more`)
         2:77: warning: the rules of all modes are taken together: `M` (texts may be read as other tokens than ANTLR's)
         3:38: warning: `S` is skipped or renamed: no parser ever sees it",
    );
    check(
        "lexer grammar L; A : 'a' ; B : 'b' -> skip ;",
        "tokens: tokens.1
         tokens.1: %empty
         tokens.1: tokens.1 A
         A = a
         skipped b
         1:18: warning: there are no parser rules: tokens may come in any order (put the parser's rules behind these, in the same file)",
    );
}

#[test]
fn texts() {
    check_texts(
        "T : [a-z\\u00e9\\-\\]] ~[\\r\\n] 'x'..'z' ;",
        &["abx", "éay", "-éz", "]\\x"],
        &["ab", "A x", "a\nx", "abw"],
    );
    check_texts("T : L+ ; fragment L : [\\p{Lu}_] | '\\u{1F600}' ;", &["AÉ", "_😀"], &["", "a"]);
    check_texts("T : ~('a' | [b-d] | E) . ; fragment E : 'e' ;", &["fé", "éa"], &["ab", "ea", "f"]);
    check_texts("T : '/*' .*? '*/' ;", &["/**/", "/* * / */"], &["/*/", "/* */ */"]);
    check_texts("T : '\"' ('\\\\\"' | .)*? '\"' ;", &["\"\"", "\"a\\\"b\""], &["\"\"\"", "\"a\"b\""]);
    check_texts("options { caseInsensitive = true; } T : 'Se' [l-m] ;", &["sEL", "SEm"], &["se", "sen"]);
    check_texts("T options { caseInsensitive = true; } : 'x' ;", &["X"], &["y"]);
    check_texts("T : '//' ~[\\n]* ('\\n' | EOF) ;", &["//", "//\n"], &["/"]);
}

#[test]
fn recursion_of_tokens_is_cut() {
    let text = "grammar T; a : T ; T : '(' (T | 'x')* ')' ;";
    assert_eq!(
        show(text).last().unwrap(),
        "1:20: warning: `T` refers to itself: texts that are nested deeply are left out"
    );
    check_texts("T : '(' (T | 'x')* ')' ;", &["()", "((x)x)", "((()))"], &["(", "((((((((()))))))))"]);
}

#[test]
fn mistakes() {
    check("", "1:1: error: there are no rules (a rule is `name : elements ;`)");
    check("grammar A; expr : exrp 'x' ; b : ;", "1:19: error: `exrp` has no rule (did you mean `expr`?)");
    check(
        "grammar A; import B, C; a : 'x' ;",
        "1:12: error: the rules of `B, C` are in another file (put them in this file, in the place of the import)",
    );
    check(
        "grammar A; a : 'x ;\nb : 'y' ;",
        "1:16: error: this string is never closed (it ends with `'` in the same line)",
    );
    check(
        "grammar A; a : F ; fragment F : 'f' ;",
        "1:16: error: `F` is a fragment, and so no token (leave out the word `fragment` before its rule)",
    );
    check("grammar A; a : 'a'..'b' ; B : ~'ab' ;", "1:16: error: a parser rule consists of tokens, not of characters (give the set a lexer rule, whose name begins with a capital letter)\n 1:31: error: that is no set of single characters, so nothing is all but that (write a set such as `[a-z]`, or several with `|`)");
    check("grammar A; a : A ; A : 'a' -> hide ; A : 'b' ;", "1:31: error: there is no command `hide` (those that there are: skip, more, channel, type, mode, pushMode, popMode)\n 1:38: error: there is a rule `A` already");
    check("grammar A; a : A ; A : [\\q] | '\\u12' ;", "1:25: error: there is no such escape (those that there are: \\n \\r \\t \\b \\f \\\\ \\' \\] \\- \\u00e9 \\u{1f600} \\p{L})");
    check("grammar A; a : (A | A* ; A : 'a' ;", "1:24: error: expected `)`, found `;` (it closes the `(` in line 1)");
    check("grammar A; a : (A | EOF) A ; A : 'a' ;", "a: a.1 A\n a.1: A\n a.1: %empty\n A = a\n 1:21: warning: the end of the input is taken to be empty here (more may follow than ANTLR's parser allows)");
}
