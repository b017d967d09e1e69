use std::rc::Rc;

use gimlet_grammar::text::preserving::unparse_preserving;
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::TerminalId;

use crate::{grammar, scanner};

const GRAMMAR: &str =
    "%token NAME NUMBER IF\n%%\nlines: | lines line '\\n' ; line: NAME '=' e | IF e ; e: NAME | NUMBER | e '+' e ;\n";
const SCANNER: &str = "%%\nif return IF;\n[a-z]+ return NAME;\n[0-9]+ return NUMBER;\n[=+\\n] return yytext[0];\n\
    [ \\t]+ ;\n#[^\\n]* ;\n";

fn check(previous: &str, sentence: &str, expected: &str) {
    let grammar = grammar(GRAMMAR);
    let scanner = Rc::new(scanner(&grammar, SCANNER));
    let mut unparser = Unparser::new(&grammar, scanner.clone());
    let terminal = |name: &str| grammar.symbol(name).and_then(|symbol| symbol.terminal()).unwrap();
    let sentence: Vec<TerminalId> = sentence.split(' ').map(terminal).collect();
    let kept = unparse_preserving(&mut unparser, &scanner, &sentence, previous.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(kept.text).unwrap(), expected);
}

#[test]
fn what_stays_is_kept() {
    let previous = "total = 12 # twelve\n";
    check(previous, "NAME '=' NUMBER '\\n'", previous);
    check(previous, "NAME '=' NAME '\\n'", "total =a # twelve\n");
    check(previous, "NAME '=' NUMBER '+' NUMBER '\\n'", "total = 12+0 # twelve\n");
    check(previous, "IF NUMBER '\\n'", "if 12 # twelve\n");
    check("x = y\nz=7", "NAME '=' NAME '\\n' IF NUMBER", "x = y\nif 7");
    check("if x\n", "IF NAME '+' NAME '\\n'", "if x+a\n");
    check("ifs = 1", "IF NAME '\\n'", "if ifs\n");
    check("$$", "NAME '=' NUMBER", "a=1");
}
