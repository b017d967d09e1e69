//! Puts sentences of a grammar as texts, which flex and bison take back.
//!
//! `cargo run --release --example text_oracle -- [-m MAP] [-n SENTENCES] FILE.y [FILE.l]`
//!
//! For sentences by chance, and for the shortest ones: a scanner that flex makes of the same patterns, with actions that
//! move it as ours say, must divide the text as we do, the pieces must be the tokens of the sentence, and the parser that
//! bison makes of the same rules must accept them. Without a lex file the scanner is made of the token map, and there is
//! nothing for flex to divide. What does not come back is counted by its reason; a line that begins with WRONG is a mistake.

#[allow(dead_code)]
#[path = "../bison_oracle/main.rs"]
mod bison_oracle;
#[allow(dead_code)]
#[path = "../flex_oracle/main.rs"]
mod flex_oracle;
mod language;
mod report;

use std::path::Path;
use std::process::ExitCode;

use bison_oracle::parser;
use flex_oracle::Trouble;
use gimlet_grammar::chance::Chance;
use gimlet_grammar::parse::lalr::Refusal;
use gimlet_grammar::text::template::Template;
use gimlet_grammar::text::writer::NoText;
use gimlet_grammar::TerminalId;
use language::{Arguments, Language};
use report::Report;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Trouble> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let mut language = Language::read(&arguments)?;
    let without = language.wording.without_text(&language.grammar);
    if !without.is_empty() {
        println!("{} tokens have no text: {}", without.len(), language.names(&without));
    }
    let folder = tempfile::tempdir()?;
    let mut chance = Chance::new(1);
    let sampled = language.sampled(arguments.n_sentences, &mut chance)?;
    let sampled = check(&mut language, &sampled, Some(&mut chance), folder.path())?;
    println!("sampled: {sampled}");
    let listed = language.enumerated(arguments.n_sentences)?;
    let listed = check(&mut language, &listed, None, folder.path())?;
    println!("enumerated: {listed}");
    Ok(!sampled.is_wrong() && !listed.is_wrong())
}

type Sentence = Vec<TerminalId>;

/// Judges sentences and their texts: any by chance, or the shortest.
fn check(
    language: &mut Language,
    sentences: &[Sentence],
    mut chance: Option<&mut Chance>,
    folder: &Path,
) -> Result<Report, Trouble> {
    let mut report = Report::default();
    let verdicts = parser::run(&language.grammar, sentences, folder)?;
    let mut put: Vec<(&Sentence, Vec<u8>)> = Vec::new();
    for (n, sentence) in sentences.iter().enumerate() {
        let shown = || language.names(sentence);
        let (ours, bison) = (parser::verdict(&language.tables, sentence), verdicts.get(n).map_or("", String::as_str));
        if ours != bison {
            report.wrong(format!("bison says {bison}, we say {ours}"), shown());
            continue;
        }
        if let Err(Refusal { at, .. }) = language.tables.parse(sentence) {
            let token = sentence.get(at).map_or("the end".to_owned(), |&id| language.names(&[id]));
            report.refused(format!("at {token}"), shown());
            continue;
        }
        let text = match &mut chance {
            Some(chance) => language.wording.drawn(sentence, chance),
            None => language.wording.shortest(sentence),
        };
        match text {
            Ok(Template { bytes, .. }) => put.push((sentence, bytes)),
            Err(why) => report.without_text(no_text(language, sentence, why), language.names(sentence)),
        }
    }
    let divided = language.divided(put.iter().map(|(_, text)| text), folder)?;
    for (n, (sentence, text)) in put.iter().enumerate() {
        let shown = || format!("{} as \"{}\"", language.names(sentence), text.escape_ascii());
        match divided.as_ref().map(|divided| &divided[n]).filter(|divided| !divided.is_same()) {
            Some(divided) => {
                report.wrong("flex divides differently", format!("{}: {}: {}", shown(), divided.own, divided.flex))
            }
            None => match language.taken_back(sentence, text) {
                Ok(None) => report.good(),
                Ok(Some(doubt)) => report.doubtful(doubt, shown()),
                Err(wrong) => report.wrong(wrong, shown()),
            },
        }
    }
    Ok(report)
}

/// Where the scanner has no text for tokens in a row.
fn no_text(language: &Language, sentence: &Sentence, why: NoText) -> String {
    match why {
        NoText::Refused => "the scanner takes the text for something else".to_owned(),
        NoText::At(0) => format!("{} can't come first", language.names(&sentence[..1])),
        NoText::At(n) => {
            let n = n.min(sentence.len() - 1);
            format!("{} can't come after {}", language.names(&sentence[n..=n]), language.names(&sentence[n - 1..n]))
        }
    }
}
