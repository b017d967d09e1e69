use std::rc::Rc;

use gimlet_grammar::chance::Chance;
use gimlet_grammar::text::template::Template;
use gimlet_grammar::text::writer::{NoText, Wanted, Writer};

use crate::{grammar, scanner};

/// The grammar has the tokens of its only rule; what is written for them with the lengths given, holes in brackets.
fn check(tokens: &str, patterns: &str, wanted: &[(&str, u32)], expected: &str) {
    let names: Vec<&str> = tokens.split(' ').collect();
    let named: Vec<&str> = names.iter().copied().filter(|name| !name.starts_with('\'')).collect();
    let text = format!("%token {}\n%%\ns: {} ;\n", named.join(" "), names.join(" "));
    let grammar = grammar(&text);
    let scanner = Rc::new(scanner(&grammar, patterns));
    let mut writer = Writer::new(&grammar, scanner);
    let tokens = wanted.iter().map(|&(name, len)| {
        let terminal = grammar.symbol(name).and_then(|symbol| symbol.terminal()).unwrap();
        Wanted { class: writer.class(terminal), len, is_fixed: false }
    });
    let tokens: Vec<Wanted> = tokens.collect();
    let found = match writer.write(tokens.clone()) {
        Ok(template) => shown(&template),
        Err(NoText::At(n)) => format!("nothing for {n}"),
        Err(NoText::Refused) => "refused".to_owned(),
    };
    assert_eq!(found, expected, "{wanted:?}");
    // Whatever is put into the holes, the tokens are the same.
    let Ok(mut template) = writer.write(tokens.clone()) else { return };
    let classes: Vec<u32> = tokens.iter().map(|wanted| wanted.class).collect();
    let mut chance = Chance::new(1);
    for _ in 0..200 {
        template.fill(&mut chance);
        assert!(writer.is_scanned_as(&template.bytes, &classes), "{:?}", template.bytes.escape_ascii().to_string());
    }
}

fn shown(template: &Template) -> String {
    let mut shown = String::new();
    let mut at = 0;
    for hole in &template.holes {
        let end = hole.at + hole.len;
        let (before, inside) = (&template.bytes[at..hole.at], &template.bytes[hole.at..end]);
        shown += &format!("{}<{}>", before.escape_ascii(), inside.escape_ascii());
        at = end;
    }
    shown + &template.bytes[at..].escape_ascii().to_string()
}

const WORDS: &str = "%%\nif return IF;\n[a-z]+ return NAME;\n[0-9]+ return NUM;\n[-+] return yytext[0];\n\
    \"+=\" return ADD;\n[ \\t\\n]+ ;\n";

#[test]
fn what_would_be_one_token_is_kept_apart() {
    check("IF NAME NUM", WORDS, &[("IF", 2), ("NAME", 2), ("NUM", 1)], "if <aa> <1>");
    check("NAME NUM '+'", WORDS, &[("NAME", 1), ("'+'", 1), ("NUM", 2)], "<a>+<11>");
    check("ADD '+'", WORDS, &[("'+'", 1), ("ADD", 2), ("'+'", 1)], "++=+");
    check("ADD '+' '='", &format!("{WORDS}= return '=';\n"), &[("'+'", 1), ("'='", 1)], "+ =");
}

#[test]
fn a_name_is_no_keyword() {
    // Of the names of two letters `if` is none: all 675 others are.
    check("IF NAME", WORDS, &[("NAME", 2)], "<aa>");
}

#[test]
fn conditions_lines_and_contexts_are_followed() {
    let quoted = "%x S\n%%\n\\\" BEGIN(S);\n<S>[^\"\\n]+ return TEXT;\n<S>\\\" BEGIN(INITIAL); return END1;\n\
        [a-z]+ return NAME;\n";
    check("TEXT NAME END1", quoted, &[("NAME", 1), ("TEXT", 2), ("END1", 1), ("NAME", 1)], "<a>\\\"<aa>\\\"<a>");
    check("TEXT NAME END1", quoted, &[("NAME", 1), ("NAME", 1)], "nothing for 1");
    let lines = "%%\n^# return HASH;\n# return OTHER;\n[ \\n] ;\n";
    check("HASH OTHER", lines, &[("HASH", 1), ("OTHER", 1), ("HASH", 1)], "##\\n#");
    let context = "%%\na/\" b\" return AB;\na return A1;\nb return B1;\n[ ] ;\n";
    check("AB A1 B1", context, &[("AB", 1), ("B1", 1)], "a b");
    check("AB A1 B1", context, &[("A1", 1), ("B1", 1)], "ab");
    check("AB A1 B1", context, &[("AB", 1), ("A1", 1)], "nothing for 1");
    let comments = "%%\n\"/*\" { int c; while ((c = input()) != '/') ; }\n[a-z]+ return NAME;\n";
    check("NAME", comments, &[("NAME", 1), ("NAME", 1)], "<a>/*/<a>");
}

#[test]
fn of_a_tokens_texts_only_those_that_fit_are_in_the_hole() {
    let values = "%x W\n%%\n[a-z]+ return K;\n\"=\"[ ]* BEGIN(W);\n<W>[^\\n]+ BEGIN(INITIAL); return V;\n";
    check("K V", values, &[("K", 1), ("V", 2)], "<a>=<aa>");
    let cue = "%s NAME\n%%\n\\\"[^\"]*\\\" BEGIN(INITIAL); return S;\n<NAME>[^ \\n]+ BEGIN(INITIAL); return S;\n\
        ISRC/[ ]+\\\" BEGIN(NAME); return I;\nISRC BEGIN(NAME); return T;\n[ ]+ ;\n";
    check("I T S", cue, &[("I", 4), ("S", 3)], "ISRC <\\\"aa>");
    check("I T S", cue, &[("T", 4), ("S", 3)], "ISRC <aaa>");
}

#[test]
fn stacks_of_conditions() {
    let scanner = "%option stack\n%x IN\n%%\n<*>\"(\" yy_push_state(IN); return '(';\n\
        <IN>\")\" yy_pop_state(); return ')';\n<*>[a-z] return NAME;\n";
    let nested = [("'('", 1), ("'('", 1), ("NAME", 1), ("')'", 1), ("')'", 1)];
    check("NAME '(' ')'", scanner, &nested, "((<a>))");
    check("NAME '(' ')'", scanner, &nested[3..], "nothing for 0");
}

#[test]
fn some_tokens_are_the_end_of_the_input() {
    let last = "%%\n[a-z] return NAME;\n<<EOF>> return LAST;\n";
    check("NAME LAST", last, &[("NAME", 1), ("LAST", 0)], "<a>");
    check("NAME LAST", last, &[("LAST", 0)], "");
    check("NAME LAST", last, &[("LAST", 0), ("NAME", 1)], "nothing for 0");
    check("NAME LAST", last, &[("NAME", 1)], "refused");
    let lines = "%%\n[a-z] return NAME;\n\\n return LINE;\n<<EOF>> return LINE;\n";
    check("NAME LINE", lines, &[("NAME", 1), ("LINE", 1), ("NAME", 1), ("LINE", 1)], "<a>\\n<a>");
    let quoted = "%x S\n%%\n\\\" BEGIN(S);\n<S>[a-z] return TEXT;\n<S><<EOF>> BEGIN(INITIAL); return OPEN;\n\
        [a-z] return NAME;\n<INITIAL><<EOF>> return LAST;\n";
    check("TEXT OPEN NAME LAST", quoted, &[("NAME", 1), ("TEXT", 1), ("OPEN", 0), ("LAST", 0)], "<a>\\\"<a>");
}
