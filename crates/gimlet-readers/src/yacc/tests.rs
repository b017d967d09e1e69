use gimlet_grammar::grammar::{Associativity, Precedence};
use gimlet_grammar::source::Severity;
use proptest::prelude::*;

use super::*;

const CALCULATOR: &str = r#"
%{
#include <stdio.h>
int yylex(void); /* %} in a comment */
%}
%union { int number; char *name; }
%token <number> NUMBER "a number" <name> NAME 300
%token END 0 "end of file"
%type <number> expr line
%left '+' '-'
%left '*' '/'
%precedence UMINUS
%start lines
%%
lines: | lines line '\n' ;
line: expr { printf("%d}\n", $1); } | error { yyerrok; }
    | NAME '=' { $<number>$ = 1; } expr { use($<number>3); }
    | '(' { ready(); } expr ')'
expr: expr '+' expr[right] { $$ = $1 + $right; }
    | expr '-' expr
    | '-' expr %prec UMINUS = { $$ = -$2; }
    | NUMBER
    ;
%%
int main(void) { return yyparse(); } %% {
"#;

fn read_text(text: &str) -> Yacc {
    read(&Source::new("test.y", text))
}

fn check(text: &str, expected: &str) {
    let yacc = read_text(text);
    let shown: Vec<String> = yacc.diagnostics.iter().map(|found| found.message.clone()).collect();
    let grammar = yacc.grammar.unwrap_or_else(|| panic!("errors: {shown:?}"));
    assert_eq!(grammar.to_string(), expected);
}

/// What is said about a file, line by line.
fn check_messages(text: &str, expected: &[&str]) {
    let source = Source::new("test.y", text);
    let yacc = read(&source);
    let shown: Vec<String> = yacc
        .diagnostics
        .iter()
        .map(|found| {
            let (line, column) = source.position(found.span.start);
            let hint = found.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{line}:{column}: {}: {}{hint}", found.severity, found.message)
        })
        .collect();
    assert_eq!(shown, expected);
    let has_errors = yacc.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(yacc.grammar.is_none(), has_errors);
}

#[test]
fn rules_are_numbered_as_bison_does() {
    check(
        CALCULATOR,
        "start: lines
   1  lines: %empty
   2  lines: lines line '\\n'
   3  line: expr
   4  line: error
   5  @1: %empty
   6  line: NAME '=' @1 expr
   7  $@2: %empty
   8  line: '(' $@2 expr ')'
   9  expr: expr '+' expr
  10  expr: expr '-' expr
  11  expr: '-' expr
  12  expr: NUMBER
",
    );
}

#[test]
fn tokens_have_the_numbers_that_bison_gives() {
    let grammar = read_text(CALCULATOR).grammar.expect("a grammar");
    let shown: Vec<String> = grammar.terminals.iter().map(|t| format!("{} {}", t.name, t.number)).collect();
    let expected = "END 0,error 256,$undefined 301,NUMBER 302,NAME 300,'+' 43,'-' 45,'*' 42,'/' 47,UMINUS 303,\
                    '\\n' 10,'=' 61,'(' 40,')' 41";
    assert_eq!(shown.join(","), expected);
    let end = grammar.terminal(END);
    assert_eq!(end.alias.as_deref(), Some("\"end of file\""));
    assert_eq!(grammar.symbol("\"a number\""), grammar.symbol("NUMBER"));
}

#[test]
fn precedences_rise() {
    let grammar = read_text(CALCULATOR).grammar.expect("a grammar");
    let precedence =
        |name| grammar.symbol(name).and_then(|symbol| symbol.terminal()).map(|id| grammar.terminal(id).precedence);
    let level = |level, associativity| Some(Some(Precedence { level, associativity }));
    assert_eq!(precedence("'-'"), level(1, Associativity::Left));
    assert_eq!(precedence("'/'"), level(2, Associativity::Left));
    assert_eq!(precedence("UMINUS"), level(3, Associativity::Unspecified));
    assert_eq!(precedence("NUMBER"), Some(None));
    let uminus = grammar.rules[10].prec.map(|id| grammar.terminal(id).name.as_str());
    assert_eq!(uminus, Some("UMINUS"));
}

#[test]
fn actions_stay_with_their_rules() {
    let yacc = read_text(CALCULATOR);
    let actions: Vec<&str> =
        yacc.actions.iter().map(|action| action.map_or("", |span| &CALCULATOR[span.start..span.end])).collect();
    assert_eq!(actions[2], "{ printf(\"%d}\\n\", $1); }");
    assert_eq!(actions[4..7], ["{ $<number>$ = 1; }", "{ use($<number>3); }", "{ ready(); }"]);
    assert_eq!(actions[7], "");
    assert_eq!(actions[10], "{ $$ = -$2; }");
    let epilogue = yacc.epilogue.expect("code");
    assert!(CALCULATOR[epilogue.start..].starts_with("\nint main"));
}

#[test]
fn the_names_of_functions_follow_the_prefix() {
    let function = |text: &str| read_text(&format!("{text}\n%%\na: ;")).function("lex");
    assert_eq!(function(""), "yylex");
    assert_eq!(function("%name-prefix=\"calc_\""), "calc_lex");
    assert_eq!(function("%name_prefix \"calc_\""), "calc_lex");
    assert_eq!(function("%define api.prefix {calc}"), "calclex");
    assert_eq!(read_text("%define api.pure full\n%%\na: ;").define("api.pure"), Some("full"));
}

#[test]
fn old_and_odd_spellings_are_read() {
    check(
        "%TERM A, B 5\n%2 '<'\n%pure_parser %expect 3 %no-lines\n%%\na : A = { x } ; | B\nb : a ;;\nc : b { y }",
        "start: a\n   1  a: A\n   2  a: B\n   3  b: a\n   4  c: b\n",
    );
    check("%%\na: 'x' ;\n%token C;\na: C", "start: a\n   1  a: 'x'\n   2  a: C\n");
}

#[test]
fn a_place_for_a_script_is_left_out() {
    let text = "%token A\n@PURE_PARSER@\n%%\na: A ;";
    check(text, "start: a\n   1  a: A\n");
    check_messages(
        text,
        &["2:1: warning: nothing is known of what a script puts here \
           (read the file that is made of this one, if that matters)"],
    );
}

#[test]
fn what_is_of_no_use_comes_last() {
    let text = "%%\na: loop | 'x' ;\nloop: loop 'y' ;\nc: 'z' ;\n";
    check(text, "start: a\n   1  a: 'x'\n   2  a: loop\n   3  loop: loop 'y'\n   4  c: 'z'\n");
    check_messages(
        text,
        &[
            "2:1: warning: no sentence can be derived with this rule",
            "3:1: warning: `loop` derives no sentence",
            "4:1: warning: `c` is never reached",
        ],
    );
}

#[test]
fn several_errors_are_told_at_once() {
    check_messages(
        "%tokn NUMBER\n%left 'ab'\n%token A\n%%\nexpr: expr '+' trem | : A | A ;\nterm: A\n[ x\n",
        &[
            "1:1: error: `%tokn` is no directive that is known here (did you mean `%token`?)",
            "2:7: error: a character literal is one character",
            "3:1: error: expected a token, found `%token`",
            "5:16: error: `trem` is neither a token nor has it rules (did you mean `term`?)",
            "5:23: error: expected a symbol, an action or a `;`, found `:`",
            "7:1: error: a `[` has to be followed by a name and a `]`",
        ],
    );
}

#[test]
fn declarations_have_to_agree() {
    check_messages(
        "%token A 300 B 300 A\n%left A\n%right A\n%nterm B\n%token C 0 D 0\n%%\na: A ;\nB: A ;\na: %empty A ;",
        &[
            "1:14: error: the number 300 is that of `A` already",
            "1:20: warning: `A` is declared twice",
            "3:8: error: `A` has a precedence already",
            "4:8: error: `B` is a token already",
            "5:12: error: the number 0 is that of `C` already",
            "8:1: error: `B` is a token and can't have rules",
            "9:4: error: this rule is not empty",
        ],
    );
}

#[test]
fn there_have_to_be_rules() {
    check_messages("%token A", &["1:9: error: there are no rules (they begin with a line `%%`)"]);
    check_messages("%%\n", &["1:1: error: there are no rules"]);
    check_messages("a: 'x' ;", &["1:1: error: expected a declaration, found `a` (rules begin behind a line `%%`)"]);
    check_messages("%start b\n%%\na: 'x' ;", &["1:8: error: the start symbol `b` has no rules"]);
    check_messages(
        "%%\na: a 'x' ;",
        &["2:1: error: no sentence can be derived from the start symbol `a` (some rule has to end the recursion)"],
    );
}

#[test]
fn a_printed_grammar_is_read_as_the_same() {
    let grammar = read_text(CALCULATOR).grammar.expect("a grammar");
    let printed = print(&grammar);
    let again = read_text(&printed).grammar.unwrap_or_else(|| panic!("{printed}"));
    // Only the names of actions inside rules can change.
    assert_eq!(again.to_string(), grammar.to_string().replace("@1", "$@1"));
    let shown = |grammar: &Grammar| {
        let tokens = grammar.terminals.iter().filter(|terminal| terminal.name != "$undefined");
        tokens.map(|t| format!("{} {} {:?} {:?}", t.name, t.number, t.alias, t.precedence)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&again), shown(&grammar));
}

proptest! {
    #[test]
    fn nothing_makes_the_reader_panic(
        cuts in proptest::collection::vec((0usize..2000, 0usize..40, "[%{}<>\\[\\]:;|='\"a1 \\n\\\\$@/*é]{0,6}"), 0..8)
    ) {
        let mut text: Vec<char> = CALCULATOR.chars().collect();
        for (at, length, instead) in cuts {
            let at = at % (text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, instead.chars());
        }
        let source = Source::new("test.y", text.into_iter().collect::<String>());
        let yacc = read(&source);
        for diagnostic in &yacc.diagnostics {
            diagnostic.render(&source);
        }
        if let Some(grammar) = yacc.grammar {
            prop_assert_eq!(yacc.actions.len(), grammar.rules.len());
        }
    }
}
