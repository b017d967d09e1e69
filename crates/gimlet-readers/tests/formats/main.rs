//! Grammars of known languages in all formats: what they accept, how many texts they have, and what is left of them after
//! accidents.

mod garbage;

use gimlet_grammar::count::sentences::{Piece, Sentences};
use gimlet_grammar::parse::parser::Parser;
use gimlet_grammar::regular::dfa::Dfa;
use gimlet_grammar::{Grammar, Severity, Source, TerminalId};
use gimlet_readers::format::{self, Format, Read};

pub const FILES: [(&str, &str); 7] = [
    ("json.ebnf", include_str!("../grammars/json.ebnf")),
    ("json-w3c.ebnf", include_str!("../grammars/json-w3c.ebnf")),
    ("JSON.g4", include_str!("../grammars/JSON.g4")),
    ("json.json", include_str!("../grammars/json.json")),
    ("sql.g4", include_str!("../grammars/sql.g4")),
    ("c.ebnf", include_str!("../grammars/c.ebnf")),
    ("xml.ebnf", include_str!("../grammars/xml.ebnf")),
];

/// A language as tokens and rules.
struct Language {
    grammar: Grammar,
    tokens: Vec<Dfa>,
    skipped: Vec<Dfa>,
}

fn language(name: &str) -> Language {
    let text = FILES.iter().find(|(known, _)| *known == name).unwrap().1;
    let source = Source::new(name, text);
    let Read { grammar, skipped, diagnostics } = format::read(&source, Format::of_name(name).unwrap());
    let shown: Vec<String> = diagnostics.iter().map(|found| found.render(&source)).collect();
    assert!(diagnostics.iter().all(|found| found.severity == Severity::Warning), "{}", shown.join("\n"));
    assert_eq!(shown, [""; 0]);
    let grammar = grammar.unwrap();
    let tokens = grammar.terminals.iter().map(|terminal| Dfa::new(terminal.text.as_ref().unwrap()).unwrap()).collect();
    Language { grammar, tokens, skipped: skipped.iter().map(|text| Dfa::new(text).unwrap()).collect() }
}

impl Language {
    /// The longest match wins, then the first; the skipped come last.
    fn scan(&self, text: &[u8]) -> Option<Vec<TerminalId>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (mut best, mut best_end) = (None, at);
            for end in at + 1..=text.len() {
                let mut automata = self.tokens.iter().chain(&self.skipped);
                if let Some(number) = automata.position(|dfa| dfa.accepts(&text[at..end])) {
                    (best, best_end) = (Some(number), end);
                }
            }
            let number = best?;
            if number < self.tokens.len() {
                found.push(TerminalId(number as u32));
            }
            at = best_end;
        }
        Some(found)
    }

    fn accepts(&self, text: &str) -> bool {
        let Some(tokens) = self.scan(text.as_bytes()) else { return false };
        let pieces: Vec<Piece> = tokens.into_iter().map(|terminal| Piece { terminal, len: 1 }).collect();
        Parser::new(&self.grammar).parse(&pieces).is_ok()
    }

    /// How many texts there are of each length in bytes, without anything between tokens.
    fn counts(&self, len_max: u32) -> Vec<String> {
        let texts = self.tokens.iter().map(|dfa| {
            let counts = dfa.counts(len_max).into_iter();
            (0..).zip(counts).filter(|(_, count)| *count != 0u8.into()).collect()
        });
        let mut sentences = Sentences::new(&self.grammar, texts.collect()).unwrap();
        (0..=len_max).map(|len| sentences.count(len).to_string()).collect()
    }
}

fn check(name: &str, accepted: &[&str], refused: &[&str]) {
    let language = language(name);
    accepted.iter().for_each(|text| assert!(language.accepts(text), "{name}: {text}"));
    refused.iter().for_each(|text| assert!(!language.accepts(text), "{name}: {text}"));
}

#[test]
fn json() {
    let accepted =
        ["0", "-12", "true", "[]", "{}", "\"\"", "[1,[\"ab\\\\\\n\"],null]", "{\"a\":1,\"b\":{\"c\":[false]}}"];
    let refused = ["", "01", "-", "[1,]", "{\"a\"}", "{a:1}", "\"A\"", "\"\\\"", "truefalse", "[1 2", "nul"];
    for name in ["json.ebnf", "json-w3c.ebnf", "JSON.g4", "json.json"] {
        check(name, &accepted, &refused);
    }
    check("JSON.g4", &["[ 1 , /* , */ 2 /* ** */ ]"], &["[ 1 // \n]"]);
    check("json.json", &["[ 1 , // ]\n 2 ]"], &["[ 1 /* */ ]"]);
}

#[test]
fn all_versions_of_json_have_as_many_texts() {
    let counts = language("json.ebnf").counts(7);
    // Numbers, two pairs of brackets, and the empty string.
    assert_eq!(counts[..3], ["0", "10", "103"]);
    for name in ["json-w3c.ebnf", "JSON.g4", "json.json"] {
        assert_eq!(language(name).counts(7), counts, "{name}");
    }
    let tokens = |name: &str| {
        let mut sentences = Sentences::of_tokens(&language(name).grammar).unwrap();
        (0..12).map(|len| sentences.count(len)).collect::<Vec<_>>()
    };
    assert_eq!(tokens("JSON.g4"), tokens("json.json"));
}

#[test]
fn sql() {
    check(
        "sql.g4",
        &[
            "",
            "select * from t;",
            "SELECT a, b.c AS x, 1 FROM \"my table\" WHERE a = 'it''s' AND NOT b IS NOT NULL ORDER BY a DESC LIMIT 3;",
            "insert into t (a, b) values (1, null); -- done;\nDelete From t;",
            "select selected from fromage where a in (1, 2) or (b <> 2);",
        ],
        &[
            "select * from t",
            "select from t;",
            "insert into t values ();",
            "select * from select;",
            "select 'a from t;",
        ],
    );
}

#[test]
fn expressions_of_c() {
    check(
        "c.ebnf",
        &[
            "a",
            "a+b*c",
            "a=b<<=1",
            "f(x,'\\n')[0]->next.y++",
            "a?b:c?d:e",
            "-!~*&p",
            "0x1F",
            "iffy",
            "\"a\\\"é\"",
            "--x--",
        ],
        &["", "if", "a+", "a b", "1a", "'ab'", "f(", "08", "\"a", "while(x)"],
    );
}

#[test]
fn xml() {
    check(
        "xml.ebnf",
        &[
            "<a/>",
            "<?xml version=\"1.0\"?>\n<a b='1' c = \"&lt;\">text &#x20;<b></b><!-- - --></a>",
            "<é>ü]] ></é>",
            "<a><![CDATA[<>]]]]></a>",
            "<?xmlx a?b?><a/>",
        ],
        &["", "<a>", "<a b></a>", "<a>]]></a>", "<!-- -- --><a/>", "<?XML x?><a/>", "<a>&lt</a>", "<1/>"],
    );
}
