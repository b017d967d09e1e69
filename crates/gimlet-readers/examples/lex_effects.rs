//! Shows what the actions of `.l` files do, a line a rule.
//!
//! `cargo run --example lex_effects -- FILE.l..`

use gimlet_grammar::scanner::effect::Outcome;
use gimlet_grammar::scanner::Lex;
use gimlet_grammar::Source;
use gimlet_readers::lex;

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("can't read the file");
        let source = Source::new(path, String::from_utf8_lossy(&bytes));
        let lex = lex::read(&source);
        let effects = lex::action::effects(&lex, &source);
        for id in lex.rule_ids() {
            let rule = lex.rule(id);
            let effect = effects.of(id);
            let line = source.position(rule.span.start).0;
            let outcomes: Vec<String> = effect.outcomes.iter().map(|outcome| show(&lex, outcome)).collect();
            let unknown = effect.unknown.iter().chain(&effect.unknown_token).map(|reason| format!(" ?? {reason}"));
            println!(
                "{}:{line}: {}  =>  {}{}",
                source.name,
                &source.text[rule.span.start..rule.span.end],
                outcomes.join(" | "),
                unknown.collect::<String>()
            );
        }
    }
}

fn show(lex: &Lex, outcome: &Outcome) -> String {
    let mut parts = Vec::new();
    if !outcome.conditions.is_empty() {
        let names: Vec<_> = outcome.conditions.iter().map(|&id| lex.condition(id).name.as_str()).collect();
        parts.push(format!("in {}", names.join(",")));
    }
    if let Some(set) = outcome.first_bytes {
        let bytes: Vec<u8> = (0..=255).filter(|&byte| set.contains(byte)).collect();
        parts.push(if bytes.len() > 20 {
            format!("{} bytes", bytes.len())
        } else {
            format!("[{}]", bytes.escape_ascii())
        });
    }
    parts.extend(outcome.moves.iter().map(|step| format!("{step:?}")));
    if outcome.taken != Default::default() {
        parts.push(format!("{:?}", outcome.taken));
    }
    if outcome.is_more {
        parts.push("more".to_owned());
    }
    parts.push(outcome.token.as_ref().map_or("-".to_owned(), |token| format!("{token:?}")));
    parts.join(" ")
}
