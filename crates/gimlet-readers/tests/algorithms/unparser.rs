use std::rc::Rc;

use gimlet_grammar::chance::Chance;
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::text::writer::Writer;
use gimlet_grammar::TerminalId;

use crate::{grammar, scanner};

/// The text of the only sentence; any text by chance comes back as well.
fn check(rules: &str, patterns: &str, sentence: &str, expected: &str) {
    let grammar = grammar(rules);
    let scanner = Rc::new(scanner(&grammar, patterns));
    let writer = Writer::new(&grammar, Rc::clone(&scanner));
    let mut unparser = Unparser::new(&grammar, scanner);
    let terminal = |name: &str| grammar.symbol(name).and_then(|symbol| symbol.terminal()).unwrap();
    let sentence: Vec<TerminalId> = sentence.split(' ').map(terminal).collect();
    let text = unparser.shortest(&sentence).map(|template| template.bytes.escape_ascii().to_string());
    assert_eq!(text.as_deref(), Ok(expected));
    let classes: Vec<u32> = sentence.iter().map(|&terminal| writer.class(terminal)).collect();
    let mut chance = Chance::new(1);
    for _ in 0..100 {
        let text = unparser.drawn(&sentence, &mut chance).unwrap().bytes;
        assert!(writer.is_scanned_as(&text, &classes), "{}", text.escape_ascii());
    }
}

#[test]
fn a_hole_that_rules_out_what_comes_later_is_filled_in() {
    // The first S may be a quote that the second ends.
    let scanner = "%x N\n%%\na BEGIN(N); return A;\nq/\\\" BEGIN(N); return Q;\n\
        <N>\\\"[^\"]*\\\" BEGIN(INITIAL); return S;\n<N>[^ \\n]+ BEGIN(INITIAL); return S;\n\" \" ;\n";
    check("%token A S Q\n%%\ns: A S Q S ;\n", scanner, "A S Q S", "aa q\\\"");
    check("%token S Q\n%%\ns: Q S Q S ;\n", scanner, "Q S Q S", "q\\\"\\\" q\\\"");
}
