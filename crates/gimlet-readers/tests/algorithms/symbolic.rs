use std::rc::Rc;

use gimlet_grammar::count::derivations::Derivations;
use gimlet_grammar::text::symbolic::{Bounds, Holes, Strings, Symbolic};
use gimlet_grammar::text::template::Template;
use gimlet_grammar::Grammar;

use crate::{grammar, scanner};

/// SimpleCalc of the paper, as its files have it.
const CALCULATOR: &str =
    "%token LETTER DIGIT\n%left '|'\n%left '&'\n%left '+' '-'\n%left '*' '/' '%'\n%right NEGATIVE\n%%\n\
    line: e ;\ne: '(' e ')' | e '*' e | e '/' e | e '%' e | e '+' e | e '-' e | e '|' e | e '&' e\n\
    | '-' e %prec NEGATIVE | LETTER | DIGIT ;\n";
const CALCULATOR_SCANNER: &str =
    "%%\n[0-9] return DIGIT;\n[a-z] return LETTER;\n[A-Z] return LETTER;\n[\\0\\n] return 0;\n. return yytext[0];\n";

const PROGRAM: &str = "%token NAME NUM IF\n%%\ns: NAME '=' NUM ';' | IF NAME s | ;\n";
const PROGRAM_SCANNER: &str =
    "%%\nif return IF;\n[a-z]+ return NAME;\n[0-9]{1,3} return NUM;\n[=;] return yytext[0];\n[ \\n]+ ;\n";

fn symbolic(rules: &str, patterns: &str, holes: &Holes) -> (Grammar, Symbolic) {
    let grammar = grammar(rules);
    let scanner = scanner(&grammar, patterns);
    let symbolic = Symbolic::new(&grammar, Rc::new(scanner), holes);
    (grammar, symbolic)
}

#[test]
fn counts_are_those_of_the_paper() {
    let (_, symbolic) = symbolic(CALCULATOR, CALCULATOR_SCANNER, &Holes::default());
    let mut derivations = Derivations::new(&symbolic.grammar, symbolic.tokens()).unwrap();
    let counts: Vec<u64> = (1..=6).map(|len| u64::try_from(derivations.count(len)).unwrap()).collect();
    let up_to: Vec<u64> = counts
        .iter()
        .scan(0, |sum, count| {
            Some({
                *sum += count;
                *sum
            })
        })
        .collect();
    assert_eq!(up_to[..5], [1, 2, 11, 35, 201]);
    assert_eq!(counts[5], 652);
}

fn check(holes: &Holes, bounds: Bounds, expected: &[&str]) {
    let (grammar, symbolic) = symbolic(PROGRAM, PROGRAM_SCANNER, holes);
    assert!(symbolic.without_text().is_empty());
    let mut strings = Strings::new(symbolic, &grammar, bounds).unwrap();
    let mut found = Vec::new();
    while let Some((_, template)) = strings.advance() {
        let holes: Vec<String> = template.holes.iter().map(|hole| format!("{}+{}", hole.at, hole.len)).collect();
        found.push(format!("{} {}", template.bytes.escape_ascii(), holes.join(" ")).trim().to_owned());
        if found.len() > 50 {
            break;
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn strings_come_by_holes_then_by_length() {
    let bounds = Bounds { len: Some(4), ..Bounds::default() };
    let short = Holes { len_max: 1, ..Holes::default() };
    check(&short, bounds, &["", "if a 3+1", "a=1; 0+1 2+1", "a=11; 0+1 2+2", "a=111; 0+1 2+3", "if a if a 3+1 8+1"]);
    let (grammar, _) = symbolic(PROGRAM, PROGRAM_SCANNER, &short);
    let number = grammar.symbol("NUM").and_then(|symbol| symbol.terminal()).unwrap();
    let one = Holes { lengths: vec![(number, 2..=2)], ..short };
    check(&one, bounds, &["", "if a 3+1", "a=11; 0+1 2+2", "if a if a 3+1 8+1"]);
    check(&one, Bounds { height: Some(1), ..bounds }, &["", "a=11; 0+1 2+2"]);
}

#[test]
fn holes_keep_to_their_tokens_or_are_free() {
    let (grammar, strict) = symbolic(PROGRAM, PROGRAM_SCANNER, &Holes::default());
    let bounds = Bounds { len: Some(2), is_accepted: true, ..Bounds::default() };
    let mut strings = Strings::new(strict, &grammar, bounds).unwrap();
    let texts: Vec<Template> = std::iter::from_fn(|| strings.advance().map(|(_, template)| template)).collect();
    let language = texts.last().and_then(|template| template.holes[0].language.clone()).unwrap();
    assert!(language.accepts(b"ab") && !language.accepts(b"if") && !language.accepts(b"a1"));
    let free = Holes { are_free: true, ..Holes::default() };
    let (_, mut free) = symbolic(PROGRAM, PROGRAM_SCANNER, &free);
    let hole = free.grammar.symbol("NAME[1]").and_then(|symbol| symbol.terminal()).unwrap();
    let keyword = free.grammar.symbol("IF").and_then(|symbol| symbol.terminal()).unwrap();
    assert!(free.write([keyword, hole]).unwrap().holes[0].language.is_none());
}
