use gimlet_expr::BinOp;
use gimlet_grammar::Source;
use gimlet_readers::lex::{self, action};
use gimlet_readers::yacc;

use super::*;

const GRAMMAR: &str =
    "%token NAME NUMBER IF THEN\n%left '+'\n%%\nline: NAME '=' e ';' | IF e THEN line ; e: NAME | NUMBER | e '+' e ;\n";
const SCANNER: &str = "%%\nif return IF;\nthen return THEN;\n[a-z]+ return NAME;\n[0-9]+ return NUMBER;\n[=+;] return yytext[0];\n[ \\t]+ ;\n";

fn language(tie: Tie) -> Language {
    let grammar = yacc::read(&Source::new("a.y", GRAMMAR)).grammar.unwrap();
    let source = Source::new("a.l", SCANNER);
    let lex = lex::read(&source);
    let effects = action::effects(&lex, &source);
    let scanner = Scanner::new(&grammar, lex, effects, &[]).unwrap();
    Language::new(grammar, Rc::new(scanner), true, tie)
}

fn terminal(language: &Language, name: &str) -> TerminalId {
    language.grammar().symbol(name).and_then(|symbol| symbol.terminal()).unwrap()
}

/// A run whose tokens are numbered bytes from 100 on, and whose only step looks at one of them.
struct Run {
    dag: Dag,
    flat: Vec<u8>,
    tokens: Tokens,
    condition: ExprId,
    text: &'static str,
}

impl Run {
    /// The step says that a token is what it is.
    fn new(language: &mut Language, text: &'static str, token: usize) -> Run {
        let sentence = language.scan(text.as_bytes()).unwrap();
        let values: Vec<u64> = sentence.tokens.iter().map(|&it| language.value(Some(it)).unwrap()).chain([0]).collect();
        assert_eq!(language.agree(&sentence, &values), (values.len(), None));
        let mut flat = vec![0; 100];
        let mut variables = Vec::new();
        for value in &values {
            variables.push((flat.len() as u32..flat.len() as u32 + 4).collect::<Vec<u32>>());
            flat.extend_from_slice(&(*value as u32).to_le_bytes());
        }
        let mut dag = Dag::new();
        let mut whole = dag.constant(32, 0);
        for &byte in variables[token].iter().rev() {
            let byte = dag.byte(byte);
            let byte = dag.zext(32, byte);
            let eight = dag.constant(32, 8);
            whole = dag.binary(BinOp::Shl, whole, eight);
            whole = dag.binary(BinOp::Or, whole, byte);
        }
        let value = dag.constant(32, values[token].into());
        let condition = dag.binary(BinOp::Eq, whole, value);
        let tokens = Tokens::new(sentence, variables, &[], &dag, [condition]);
        Run { dag, flat, tokens, condition, text }
    }

    /// Texts with which the step goes the other way.
    fn others(&mut self, language: &mut Language) -> Vec<String> {
        let wanted = self.dag.not(self.condition);
        let conditions = |_| self.condition;
        let question = Question {
            dag: &self.dag,
            flat: &self.flat,
            conditions: &conditions,
            step: 0,
            wanted,
            is_stopped: &|| false,
        };
        let others = language.others(&self.tokens, &question, 64);
        let mut texts = Vec::new();
        for other in others {
            let text = language.text_of(&other.tokens, self.text.as_bytes()).unwrap();
            texts.push(String::from_utf8(text).unwrap());
        }
        texts
    }
}

fn check(tie: Tie, text: &'static str, token: usize, expected: &[&str]) {
    let mut language = language(tie);
    let mut run = Run::new(&mut language, text, token);
    assert_eq!(run.others(&mut language), expected, "token {token} of {text}");
}

#[test]
fn other_tokens_are_completed_to_sentences() {
    check(Tie::Sentence, "x = 12 ;", 0, &["if x then a=a ;"]);
    // Nothing but this can stand there.
    check(Tie::Sentence, "x = 12 ;", 1, &[]);
    check(Tie::Sentence, "x = 12 ;", 2, &["x =a ;"]);
    check(Tie::Sentence, "x = 12 ;", 3, &["x = 12+a ;"]);
    check(Tie::Sentence, "x = 12 ;", 4, &[]);
}

#[test]
fn without_a_grammar_any_token_will_do() {
    check(Tie::Tokens, "x = 12 ;", 1, &["x a 12 ;", "x 0 12 ;", "x if 12 ;", "x then 12 ;", "x+ 12 ;", "x; 12 ;", "x"]);
}

#[test]
fn disagreement_is_noticed() {
    let mut language = language(Tie::Sentence);
    let sentence = language.scan(b"x = 12 ;").unwrap();
    let number = language.value(Some(terminal(&language, "NUMBER"))).unwrap();
    let name = language.value(Some(terminal(&language, "NAME"))).unwrap();
    let equals = u64::from(b'=');
    let expected = Some(terminal(&language, "NUMBER"));
    assert_eq!(language.agree(&sentence, &[name, equals, name]).1, Some(Mismatch { token: 2, value: name, expected }));
    assert_eq!(language.agree(&sentence, &[name, equals, number]), (3, None));
    let behind = [name, equals, number, b';'.into(), 0, 0, 7];
    assert_eq!(language.agree(&sentence, &behind), (5, None));
}

#[test]
fn the_end_is_what_runs_show() {
    let mut language = language(Tie::Sentence);
    let sentence = language.scan(b"x = 12 ;").unwrap();
    let mut values: Vec<u64> = sentence.tokens.iter().map(|&it| language.value(Some(it)).unwrap()).collect();
    let end = u64::from(u32::MAX);
    values.push(end);
    assert_eq!(language.agree(&sentence, &values), (5, None));
    assert_eq!(
        (language.value(None), language.terminal_of(end), language.terminal_of(0)),
        (Some(end), Some(None), None)
    );
    assert_eq!(language.agree(&sentence, &values), (5, None));
    // Another one is a mistake.
    values[4] = 0;
    assert_eq!(language.agree(&sentence, &values), (4, Some(Mismatch { token: 4, value: 0, expected: None })));
    // So is one that a token has.
    let mut fresh = self::language(Tie::Sentence);
    values[4] = values[0];
    let expected = Mismatch { token: 4, value: values[0], expected: None };
    assert_eq!(fresh.agree(&sentence, &values), (4, Some(expected)));
}

#[test]
fn holes_are_where_tokens_have_several_texts() {
    let mut language = language(Tie::Sentence);
    let text = b"if abc + 12 then x = 1 ;";
    let sentence = language.scan(text).unwrap();
    let template = language.template(text, &sentence);
    let holes: Vec<(usize, usize)> = template.holes.iter().map(|hole| (hole.at, hole.len)).collect();
    assert_eq!(holes, [(3, 3), (9, 2), (17, 1), (21, 1)]);
    // A keyword is no name.
    let names = template.holes[0].language.clone().unwrap();
    assert!(names.accepts(b"abd") && !names.accepts(b"if"));
}
