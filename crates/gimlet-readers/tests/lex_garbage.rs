//! The reader of scanners, the analysis of actions and the automata on what is left of a file after accidents.

use gimlet_grammar::scanner::automaton::Automaton;
use gimlet_grammar::scanner::lexer::Lexer;
use gimlet_grammar::Source;
use gimlet_readers::lex::token_map::TokenMap;
use gimlet_readers::lex::{self, action, print};
use proptest::prelude::*;

const SCANNER: &str = include_str!("lex/all.l");

#[test]
fn the_whole_file_is_good() {
    let source = Source::new("all.l", SCANNER);
    let lex = lex::read(&source);
    assert_eq!(lex.diagnostics, []);
    assert_eq!((lex.rules.len(), lex.conditions.len()), (19, 4));
}

/// Everything that can be done with a file.
fn use_all(text: &str) {
    let source = Source::new("all.l", text);
    let lex = lex::read(&source);
    lex.diagnostics.iter().for_each(|diagnostic| assert!(!diagnostic.render(&source).is_empty()));
    let effects = action::effects(&lex, &source);
    effects.warnings(&lex).iter().for_each(|warning| assert!(!warning.render(&source).is_empty()));
    let _ = print::print(&lex, &source, &effects);
    let Ok(automaton) = Automaton::within(&lex, 1 << 18) else { return };
    let lexer = Lexer { lex: &lex, automaton: &automaton, effects: &effects };
    let _ = lexer.lex(text.as_bytes());
    for witness in automaton.witnesses(&lex) {
        let found = automaton.longest_match(witness.condition, witness.at_line_start, &witness.text);
        assert_eq!(found.and_then(|found| found.rule), Some(witness.rule));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn accidents_do_no_harm(cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..40usize, "[ -~\n]{0,6}|\\PC"), 1..6)) {
        let mut text = SCANNER.to_owned();
        for (at, length, put) in cuts {
            let at = at.index(text.len() + 1);
            let (start, end) = (floor(&text, at), floor(&text, at + length));
            text.replace_range(start..end, &put);
        }
        use_all(&text);
    }

    #[test]
    fn any_text_is_read(text in "(%%|%\\{|%\\}|[ -~\n\t]|\\PC){0,200}") {
        use_all(&text);
        use_all(&format!("%%\n{text}"));
    }

    #[test]
    fn any_token_map_is_read(text in "([A-Z]+ = |[0-9]+ -> |skip |then |[ -~\n]|\\PC){0,60}") {
        let source = Source::new("all.l", SCANNER);
        let lex = lex::read(&source);
        let map = TokenMap::read(&Source::new("map", text));
        map.apply(&lex, &source, &mut action::effects(&lex, &source));
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
