use gimlet_grammar::scanner::automaton::Automaton;
use gimlet_grammar::scanner::effect::Token;
use gimlet_grammar::scanner::lexer::{Given, Lexeme, Lexer};
use gimlet_grammar::source::Source;

use crate::lex::{self, action};

/// Texts with what is returned for them, and why it stopped.
fn check(scanner: &str, text: &str, expected: &str) {
    let source = Source::new("a.l", scanner);
    let lex = lex::read(&source);
    assert!(!lex.has_errors(), "{:?}", lex.diagnostics);
    let effects = action::effects(&lex, &source);
    let automaton = Automaton::new(&lex).unwrap();
    let lexer = Lexer { lex: &lex, automaton: &automaton, effects: &effects };
    let (lexemes, why) = match lexer.lex(text.as_bytes()) {
        Ok(lexemes) => (lexemes, None),
        Err(stopped) => (stopped.lexemes, Some(format!("at {} {:?}", stopped.at, stopped.why))),
    };
    let show = |lexeme: &Lexeme| {
        let text = text[lexeme.span.start..lexeme.span.end].escape_debug().to_string();
        match &lexeme.given {
            Given::Nothing => text,
            Given::Token(Token::Named(name)) => format!("{text}={name}"),
            Given::Token(token) => format!("{text}={token:?}"),
            Given::OneOf(tokens) => format!("{text}={} ways", tokens.len()),
        }
    };
    let shown: Vec<String> = lexemes.iter().map(show).chain(why).collect();
    assert_eq!(shown.join(" "), expected, "{text}");
}

#[test]
fn the_longest_match_wins_and_its_token_is_given() {
    let scanner = "%%\nif return IF;\n[a-z]+ return NAME;\n[ \\n] ;\n[-+] return yytext[0];\n";
    check(scanner, "if iff -", "if=IF   iff=NAME   -=Char(45)");
    check(scanner, "a9", "a=NAME 9");
    let scanner = "%option nodefault\n%%\na ;\n";
    check(scanner, "ab", "a at 1 NoMatch");
}

#[test]
fn start_conditions_are_followed() {
    let scanner = "%x S\n%%\n\\\" BEGIN(S);\n<S>[^\"]+ return TEXT;\n<S>\\\" BEGIN(INITIAL);\n[a-z]+ return NAME;\n";
    check(scanner, "a\"b c\"d", "a=NAME \\\" b c=TEXT \\\" d=NAME");
    let scanner = "%x A\n%option stack\n%%\n<*>\"(\" yy_push_state(A);\n<A>\")\" yy_pop_state();\n\")\" return BAD;\n";
    check(scanner, "(())", "( ( ) )");
    check(scanner, "())", "( ) )=BAD");
    let scanner = "%x A B\n%{\nint was;\n#define YY_USER_INIT BEGIN(B);\n%}\n%%\n<*># was = YY_START; BEGIN(A);\n\
         <A>\\n BEGIN(was);\n<A>. ;\n<B>b return B1;\n";
    check(scanner, "b#b\nb", "b=B1 # b \\n b=B1");
}

#[test]
fn lines_contexts_and_what_actions_give_back() {
    check("%%\n^a return BOL;\na return A1;\n\\n ;\n", "aa\na", "a=BOL a=A1 \\n a=BOL");
    check("%%\na/b return AB;\na$ return END1;\na|b|\\n ;\n", "aaba\n", "a a=AB b a=END1 \\n");
    check("%%\nabc yyless(1); return A1;\n[a-z] return C;\n", "abc", "abc=A1 b=C c=C");
    check("%%\na yymore();\nb return AB;\n", "aab", "a aa aab=AB");
    check("%%\n# { int c; while ((c = input()) != '\\n') ; }\n^a return BOL;\na ;\n", "a#x\na", "a=BOL # a=BOL");
}

#[test]
fn what_is_not_known_stops_it() {
    check(
        "%x A\n%%\na if (x) BEGIN(A);\n",
        "a",
        "at 0 Unknown { rule: RuleId(0), reason: \
         \"the scanner's next state depends on more than the text\" }",
    );
    check("%%\na REJECT;\n", "ba", "b at 1 Unknown { rule: RuleId(0), reason: \"REJECT takes the text back\" }");
    check("%%\na return find();\n", "a", "a=Unknown");
    check("%%\na if (x) return A1;\n", "a", "a=2 ways");
    check("%%\n\"\"/a ;\n", "a", &format!("{}at 0 StandsStill", " ".repeat(65)));
    check("%%\na yyterminate();\n", "aa", "a=End");
    check("%%\na ;\n<<EOF>> return LAST;\n", "a", "a =LAST");
}
