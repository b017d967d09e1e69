use std::convert::Infallible;
use std::ops::Range;
use std::rc::Rc;

use gimlet_grammar::edit::repair::{best, reduce, Edit, Gap, Judgement, Language, Phrase, TreePositions};
use gimlet_grammar::{NonterminalId, TerminalId};

use crate::{grammar, scanner};

const GRAMMAR: &str = "%token NAME NUMBER PRINT\n%left '+'\n%%\nlines: line | lines line ;
    line: NAME '=' e ';' | PRINT list ';' | '{' lines '}' ;
    list: e | list ',' e ; e: NAME | NUMBER | e '+' e | '(' e ')' ;\n";
const SCANNER: &str = "%%\nprint return PRINT;\n[a-z]+ return NAME;\n[0-9]+ return NUMBER;\n\
    [=+,;(){}] return yytext[0];\n[ \\n]+ ;\n";

fn language() -> Language {
    let grammar = grammar(GRAMMAR);
    let scanner = scanner(&grammar, SCANNER);
    Language::new(grammar, Rc::new(scanner), true)
}

fn shown(language: &Language, phrase: &Phrase) -> String {
    String::from_utf8(language.write(phrase).unwrap()).unwrap()
}

fn edit(language: &Language, edit: Edit, phrase: &Phrase) -> String {
    let new = edit.terminal().map(|terminal| language.grammar.terminal(terminal).name.clone()).unwrap_or_default();
    let old = edit.goes().map(|at| String::from_utf8_lossy(&phrase.tokens[at].text).into_owned()).unwrap_or_default();
    format!("{}:{old}>{new}", edit.at())
}

fn check_nearest(text: &str, expected: &str) {
    let language = language();
    let phrase = language.phrase(text.as_bytes());
    let found = language.nearest(&phrase.terminals(), 2);
    let chosen = best(&found).map(|chosen| {
        let edits: Vec<String> = chosen.edits.iter().map(|&it| edit(&language, it, &phrase)).collect();
        let edited = language.edited(&phrase, &chosen.edits).unwrap().phrase;
        let text = language.write(&edited).unwrap();
        assert_eq!(language.judge(&text), Judgement::Sentence);
        format!("{} +{} {}", edits.join(" "), chosen.n_others, String::from_utf8(text).unwrap())
    });
    assert_eq!(chosen.unwrap_or("none".to_owned()), expected);
}

#[test]
fn the_nearest_sentence() {
    check_nearest("print 1;", " +0 print 1;");
    check_nearest("print 1,,2;", "3:,> +0 print 1,2;");
    check_nearest("a = ;", "2:>NAME +1 a = a ;");
    check_nearest("print 1", "2:>';' +0 print 1 ;");
    check_nearest("a + 1;", "0:>PRINT +0 print a + 1;");
    check_nearest("a ) 1;", "1:)>'=' +0 a = 1;");
    check_nearest("print (1;", "1:(> +0 print1;");
    check_nearest("a 1", "1:>'=' 2:>';' +0 a = 1 ;");
    check_nearest("= = = =", "none");
}

#[test]
fn judgements() {
    let language = language();
    assert_eq!(language.judge(b"print 1;"), Judgement::Sentence);
    assert_eq!(language.judge(b"print 1"), Judgement::NoSentence);
    assert_eq!(language.judge(b""), Judgement::NoSentence);
    // flex prints what no rule matches, and goes on.
    assert_eq!((language.judge(b"print $ 1;"), language.unknown_bytes()), (Judgement::Sentence, Vec::new()));
}

#[test]
fn texts_are_divided_and_put_together_again() {
    let language = language();
    for text in ["", " a = 1 ;\n", "print 1\n,2;", "{ a = b; } "] {
        let phrase = language.phrase(text.as_bytes());
        assert_eq!(shown(&language, &phrase), text);
    }
    let phrase = language.phrase(b"print\n10,x ;");
    assert_eq!(shown(&language, &language.spaced(&phrase)), "print 10 , x ;");
    assert_eq!(shown(&language, &language.plain(&phrase)), "print 1 , a ;");
}

/// Leaves out what a test does not need.
fn check_reduced(text: &str, needed: &str, expected: &str) {
    let language = language();
    let has = |phrase: &Phrase| {
        let text = language.write(phrase).unwrap_or_default();
        let text = String::from_utf8(text).unwrap().replace(' ', "");
        text.contains(needed)
    };
    let mut is_sentence = |phrase: &Phrase| {
        let is_right = language.write(phrase).is_some_and(|text| language.judge(&text) == Judgement::Sentence);
        Ok::<bool, Infallible>(is_right && has(phrase))
    };
    let Ok(pruned) = language.prune(language.phrase(text.as_bytes()), &mut is_sentence);
    let Ok(simple) = language.simplify(pruned, &mut is_sentence);
    assert_eq!(shown(&language, &simple), expected);
}

#[test]
fn sentences_become_smaller_along_their_trees() {
    check_reduced("a = 1; { print 7, (x + (1 + 2)), 3; } b = 2;", "", "print a ;");
    check_reduced("a = 1; { print 7, (x + (1 + 2)), 3; } b = 2;", ",", "print a , a ;");
    check_reduced("a = 1; { print 7, (x + (1 + 2)), 3; } b = 2;", "+", "print a , a + a ;");
    check_reduced("a = 1; { print 7, (xy + (1 + 2)), 3; } b = 2;", "xy", "print a , xy ;");
    check_reduced("{ { a = ( ( 1 ) ) ; } }", "(", "a = ( a ) ;");
}

#[test]
fn phrases_become_smaller_beside_their_edit() {
    let language = language();
    let phrase = language.phrase(b"a = 1; { print 7, (x + 3),, 3; } b = 2;");
    let edits = best(&language.nearest(&phrase.terminals(), 1)).unwrap().edits;
    let mut test = |phrase: &Phrase, edits: &[Edit]| {
        let is = |phrase: &Phrase, wanted| language.write(phrase).is_some_and(|text| language.judge(&text) == wanted);
        let edited = language.edited(phrase, edits).is_some_and(|edited| is(&edited.phrase, Judgement::Sentence));
        Ok::<bool, Infallible>(edited && is(phrase, Judgement::NoSentence))
    };
    let Ok((phrase, edits)) = language.prune_edited(phrase, edits, &mut test);
    let Ok((phrase, edits)) = reduce::drop_tokens(phrase, edits, &mut test);
    assert_eq!(shown(&language, &phrase), ", b = 2;");
    assert_eq!(edits, [Edit::Remove { at: 0 }]);
}

#[test]
fn positions_are_the_same_in_other_texts() {
    let language = language();
    let positions = |text: &str| {
        let terminals = language.phrase(text.as_bytes()).known_terminals().unwrap();
        TreePositions::new(&language.grammar, &language.tree(&terminals).unwrap())
    };
    let (short, long) = (positions("a = 1;"), positions("print 2; { b = (1 + 2); }"));
    assert_eq!(short.tokens[1], long.tokens[5]);
    assert_ne!(short.tokens[1], long.tokens[4]);
    // Before the first symbol behind `=`, and before `;`.
    assert_eq!([short.gaps[2].between, short.gaps[3].between], [long.gaps[6].between, long.gaps[11].between]);
    assert_eq!((short.gaps[0].between, short.gaps[4].between), (None, None));
    // The line is what both are behind, and before.
    let is_shared = |one: &Gap, other: &Gap| one.beside.iter().any(|position| other.beside.contains(position));
    assert!(is_shared(&short.gaps[4], &long.gaps[12]) && is_shared(&short.gaps[0], &long.gaps[4]));
    assert!(!is_shared(&short.gaps[4], &long.gaps[13]));
    assert_eq!(long.gaps.len(), 14);
}

#[test]
fn pairs_are_of_one_rule() {
    let language = language();
    let name = |terminal: TerminalId| language.grammar.terminal(terminal).name.clone();
    let pairs: Vec<String> = language.pairs().iter().map(|pair| pair.map(name).join("")).collect();
    assert!(pairs.contains(&"'{''}'".to_owned()) && pairs.contains(&"'('')'".to_owned()), "{pairs:?}");
    assert!(!pairs.contains(&"'('';'".to_owned()));
}

#[test]
fn a_phrase_less() {
    let language = language();
    let terminals = |text: &str| language.phrase(text.as_bytes()).known_terminals().unwrap();
    let twice = terminals("a = 1; {b = 2; print a, 3;}");
    // The first line, each of those in braces, and the braces with all in them; then what lies across them.
    assert_eq!(language.removals(&twice, 3), [0..4, 5..9, 9..14, 4..15, 7..12, 8..13]);
    assert_eq!(language.removals(&twice, 5), [9..14, 4..15, 7..12, 8..13]);
    assert_eq!(language.removals(&terminals("a = 1 + 2;"), 2), [2..4, 3..5]);
    let phrases = language.phrases(&twice);
    let named = |name: &str| -> Vec<Range<usize>> {
        let is_it = |left: NonterminalId| language.grammar.nonterminal(left).name == name;
        phrases.iter().filter(|(left, _)| is_it(*left)).map(|(_, span)| span.clone()).collect()
    };
    assert_eq!(named("line"), [0..4, 4..15, 5..9, 9..14]);
    assert_eq!(named("list"), [10..13, 10..11]);
}
