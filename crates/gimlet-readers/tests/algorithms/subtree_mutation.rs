use std::rc::Rc;

use gimlet_grammar::chance::Chance;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_grammar::RuleId;

use crate::{grammar, scanner};

const PROGRAM: &str = "%token NAME NUM IF ELSE\n%left '+'\n%%\n\
    program: | program statement ;\n\
    statement: NAME '=' expression ';' | IF '(' expression ')' statement | '{' program '}' | ';' ;\n\
    expression: expression '+' expression | '(' expression ')' | NAME | NUM ;\n";
const SCANNER: &str = "%%\nif return IF;\nelse return ELSE;\n[a-z]+ return NAME;\n[0-9]+ return NUM;\n\
    [-+=;(){}] return yytext[0];\n[ \\n]+ ;\n\"/*\"[^*]*\"*/\" ;\n";

fn subtree_mutator() -> SubtreeMutator {
    grafter_of(PROGRAM)
}

fn grafter_of(text: &str) -> SubtreeMutator {
    let grammar = grammar(text);
    let scanner = scanner(&grammar, SCANNER);
    SubtreeMutator::new(grammar, Rc::new(scanner), true).unwrap()
}

#[test]
fn places_of_a_text() {
    let (grammar, subtree_mutator) = (grammar(PROGRAM), subtree_mutator());
    let text = b"{ a = 1 /* one */ + b; }";
    let parsed = subtree_mutator.parse(text).unwrap();
    let shown: Vec<(&str, &str)> = parsed
        .places
        .iter()
        .map(|place| (grammar.name(place.symbol), std::str::from_utf8(&text[place.span.clone()]).unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            ("program", "{ a = 1 /* one */ + b; }"),
            ("program", ""),
            ("statement", "{ a = 1 /* one */ + b; }"),
            ("'{'", "{"),
            ("program", "a = 1 /* one */ + b;"),
            ("program", ""),
            ("statement", "a = 1 /* one */ + b;"),
            ("NAME", "a"),
            ("'='", "="),
            ("expression", "1 /* one */ + b"),
            ("expression", "1"),
            ("NUM", "1"),
            ("'+'", "+"),
            ("expression", "b"),
            ("NAME", "b"),
            ("';'", ";"),
            ("'}'", "}"),
        ]
    );
    let children: Vec<usize> = parsed.children(9).collect();
    assert_eq!(children, [10, 12, 13]);
    assert_eq!(parsed.same_below(0).collect::<Vec<_>>(), [1, 4, 5]);
    assert_eq!(subtree_mutator.parse(b"a = ;"), None);
    assert_eq!(subtree_mutator.parse(b"a = $;"), None);
}

/// A list that ends with nothing, behind which there are blanks: that nothing lies outside of the list.
#[test]
fn nothing_behind_blanks_is_no_part() {
    let mut subtree_mutator = grafter_of("%token NAME NUM IF ELSE\n%%\nlist: '{' names '}' ;\nnames: NAME names | ;\n");
    let text = b"{ a b   }";
    let parsed = subtree_mutator.parse(text).unwrap();
    subtree_mutator.learn(text, &parsed);
    let mut chance = Chance::new(1);
    let made = (0..2_000).filter_map(|_| subtree_mutator.graft(text, &parsed, 60, &mut chance));
    let made: Vec<Vec<u8>> = made.collect();
    assert!(made.len() > 100 && made.iter().all(|text| text.starts_with(b"{")), "{}", made.len());
}

/// Texts that are grafted on each other are of the language, nearly all are new, and none is too long.
#[test]
fn what_is_grafted_is_of_the_language() {
    let mut subtree_mutator = subtree_mutator();
    let mut chance = Chance::new(1);
    let mut texts: Vec<Vec<u8>> = vec![b"abc=1;if(x)/* why */y=(z+2)+10;".to_vec()];
    let (mut n_made, mut n_wrong) = (0, 0);
    for number in 0..3_000 {
        let text = texts[chance.pick(texts.len())].clone();
        let parsed = subtree_mutator.parse(&text).unwrap();
        subtree_mutator.learn(&text, &parsed);
        let Some(grafted) = subtree_mutator.graft(&text, &parsed, 300, &mut chance) else { continue };
        assert!(grafted.len() <= 300 && grafted != text);
        n_made += 1;
        match subtree_mutator.parse(&grafted) {
            Some(_) if number % 4 == 0 => texts.push(grafted),
            Some(_) => {}
            None => {
                n_wrong += 1;
                assert!(n_wrong < 20, "{}", grafted.escape_ascii());
            }
        }
    }
    assert!(n_made > 2_500, "{n_made}");
    texts.sort();
    texts.dedup();
    assert!(texts.len() > 500, "{}", texts.len());
    assert!(texts.iter().any(|text| text.windows(2).any(|two| two == b"if")));
}

#[test]
fn first_texts_use_every_rule() {
    let mut subtree_mutator = subtree_mutator();
    let mut chance = Chance::new(1);
    let mut rules: Vec<RuleId> = Vec::new();
    while subtree_mutator.has_first() {
        let text = subtree_mutator.grow(&mut chance).unwrap();
        let parsed = subtree_mutator.parse(&text).unwrap();
        rules.extend(parsed.places.iter().filter_map(|place| place.rule));
    }
    rules.sort();
    rules.dedup();
    assert_eq!(rules.len(), grammar(PROGRAM).rules.len());
    // Then others.
    let texts: Vec<Vec<u8>> = (0..100).map(|_| subtree_mutator.grow(&mut chance).unwrap()).collect();
    assert!(texts.iter().all(|text| subtree_mutator.parse(text).is_some()));
}

#[test]
fn words_are_texts_of_tokens_with_one() {
    let words: Vec<String> =
        subtree_mutator().words().into_iter().map(|word| String::from_utf8(word).unwrap()).collect();
    for word in ["if", "else", "(", "+"] {
        assert!(words.iter().any(|known| known == word), "{word} in {words:?}");
    }
    assert!(words.iter().all(|word| !word.is_empty() && word.len() <= 4), "{words:?}");
}
