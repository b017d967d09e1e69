//! What a comparison of a grammar and a program came to.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gimlet_grammar::edit::repair::{Chosen, Edit, Language, Phrase, Token};
use gimlet_grammar::TerminalId;
use serde_json::{json, Value};

use super::explain::{Class, Differences, Direction};
use super::{Counts, End};
use crate::exit::{note, Verdict};
use crate::outputs;
use gimlet_report::figures::grouped;

/// Tells everything; the verdict is whether there is nothing to tell.
pub fn report(
    differences: Differences,
    counts: &Counts,
    end: End,
    output: Option<&Path>,
    is_json: bool,
) -> Result<Verdict> {
    let Differences { language, oracle, mut classes, n_unsteady } = differences;
    classes.sort_by(|one, other| (one.text.len(), &one.text).cmp(&(other.text.len(), &other.text)));
    let files = write(&classes, output)?;
    if is_json {
        let shown: Vec<Value> =
            classes.iter().zip(&files).map(|(class, file)| value(&language, class, file.as_deref())).collect();
        let end = match end {
            End::Complete => "complete",
            End::Exhausted => "exhausted",
            End::Over => "budget",
            End::Interrupted => "interrupted",
        };
        let all = json!({
            "differences": shown, "inputs": counts.n_inputs, "sentences": counts.n_sentences, "runs": oracle.n_runs,
            "crashes": counts.n_crashes, "timeouts": counts.n_timeouts, "unknown": counts.n_unknown,
            "unexplained": counts.n_left, "unsteady": n_unsteady, "end": end,
        });
        say!("{all:#}");
    } else {
        classes.iter().for_each(|class| say!("{}", line(&language, class)));
        say!("{}", summary(&classes, counts, end, oracle.n_runs));
    }
    notes(counts, n_unsteady);
    if let Some(folder) = output.filter(|_| !classes.is_empty()) {
        note(&format!("an example of each is in {}", folder.display()));
    }
    Ok(if classes.is_empty() && counts.n_left == 0 { Verdict::Good } else { Verdict::Bad })
}

fn summary(classes: &[Class], counts: &Counts, end: End, n_runs: u64) -> String {
    let (n_inputs, n_sentences) = (grouped(counts.n_inputs), grouped(counts.n_sentences));
    let n_differing: u64 = classes.iter().map(|class| class.n_inputs).sum();
    let differences = match (classes.len(), n_differing) {
        (0, _) => "no difference".to_owned(),
        (1, 1) => "1 difference in 1 input".to_owned(),
        (1, n_inputs) => format!("1 difference in {} inputs", grouped(n_inputs)),
        (n_classes, n_inputs) => format!("{n_classes} differences in {} inputs", grouped(n_inputs)),
    };
    let why = match end {
        End::Complete => "",
        End::Exhausted => ", and there are no others",
        End::Over => ", the time is over",
        End::Interrupted => ", stopped",
    };
    let n_runs = grouped(n_runs);
    format!("{differences}; {n_inputs} inputs, {n_sentences} of them sentences, {n_runs} runs{why}")
}

fn notes(counts: &Counts, n_unsteady: u64) {
    let inputs = |number: u64, one: &str, several: &str| match number {
        1 => format!("1 input {one}"),
        number => format!("{} inputs {several}", grouped(number)),
    };
    if counts.n_crashes > 0 {
        let crash = inputs(counts.n_crashes, "crashes the program", "crash the program");
        note(&format!("{crash}: gimlet run finds out more"));
    }
    if counts.n_timeouts > 0 {
        let late = inputs(counts.n_timeouts, "takes too long", "take too long");
        note(&format!("{late}: --timeout gives more time"));
    }
    if counts.n_unknown > 0 {
        let unknown = inputs(counts.n_unknown, "is left out", "are left out");
        note(&format!("{unknown}: nobody knows what the grammar says, or they are too long"));
    }
    if counts.n_left > 0 {
        let left = inputs(counts.n_left, "differs, too", "differ, too");
        note(&format!("{left}: nobody had the time to explain them"));
    }
    if n_unsteady > 0 {
        let unsteady = inputs(n_unsteady, "did something else", "did something else");
        note(&format!("{unsteady} when it was run again: the program differs from run to run"));
    }
}

/// A file for each example.
fn write(classes: &[Class], output: Option<&Path>) -> Result<Vec<Option<PathBuf>>> {
    let Some(folder) = output else { return Ok(vec![None; classes.len()]) };
    let mut files = Vec::new();
    for (number, class) in (1..).zip(classes) {
        let name = match class.direction {
            Direction::Rejected => format!("{number:03}-rejected"),
            Direction::Accepted => format!("{number:03}-accepted"),
        };
        let path = folder.join(name);
        outputs::write(&path, &class.text)?;
        files.push(Some(path));
    }
    Ok(files)
}

fn line(language: &Language, class: &Class) -> String {
    let (who, then) = match class.direction {
        Direction::Rejected => ("the program rejects, the grammar accepts", "it is accepted"),
        Direction::Accepted => ("the program accepts, the grammar rejects", ""),
    };
    let n_inputs = match class.n_inputs {
        1 => "1 input".to_owned(),
        number => format!("{} inputs", grouped(number)),
    };
    let text = class.text.escape_ascii().to_string().replace("\\\"", "\"").replace("\\\'", "\'");
    let why = match (&class.chosen, class.direction) {
        (Some(chosen), Direction::Rejected) => format!("{} {then}", changes(language, &class.example, chosen)),
        (Some(chosen), Direction::Accepted) => wishes(language, &class.example, chosen),
        (None, Direction::Rejected) if class.is_of_gaps() => "with blanks between its tokens it is accepted".to_owned(),
        (None, Direction::Rejected) => {
            "no change of one or two tokens, and no phrase more or less, makes the program accept it".to_owned()
        }
        (None, Direction::Accepted) => "no sentence is near".to_owned(),
    };
    let has_unknown = class.example.tokens.iter().any(Token::is_unknown);
    let position = class.position.filter(|_| !has_unknown);
    let rule =
        position.map(|position| format!(" ({})", language.grammar.show_rule(position.rule()))).unwrap_or_default();
    format!("{who} ({n_inputs}): \"{text}\" -- {why}{rule}")
}

fn quoted(text: &[u8]) -> String {
    format!("\"{}\"", text.escape_ascii().to_string().replace("\\\"", "\"").replace("\\\'", "\'"))
}

/// A token that comes in: its text, and its name if that is another.
fn named(language: &Language, terminal: TerminalId, n_others: usize) -> String {
    let text = language.text(terminal).unwrap_or_default();
    let name = &language.grammar.terminal(terminal).name;
    let is_same = name.trim_matches(['\'', '"']).as_bytes() == text;
    let mut beside: Vec<String> = (!is_same).then(|| name.clone()).into_iter().collect();
    match n_others {
        0 => {}
        1 => beside.push("or 1 other".to_owned()),
        _ => beside.push(format!("or {n_others} others")),
    }
    match beside.is_empty() {
        true => quoted(text),
        false => format!("{} ({})", quoted(text), beside.join(", ")),
    }
}

/// Tokens of a phrase that stand side by side; what is behind them, if there are several of their texts.
fn stretch(phrase: &Phrase, all: Range<usize>) -> String {
    let same = |one: &[Token], other: &[Token]| one.iter().map(|it| &it.text).eq(other.iter().map(|it| &it.text));
    let (own, end) = (&phrase.tokens[all.clone()], all.end);
    let text: Vec<u8> = own.iter().flat_map(|token| [&token.gap[..], &token.text]).skip(1).flatten().copied().collect();
    match phrase.tokens.windows(own.len()).filter(|others| same(others, own)).count() {
        1 => quoted(&text),
        _ => format!("{} {}", quoted(&text), before(phrase, end)),
    }
}

/// Where a token is, or comes in.
fn before(phrase: &Phrase, at: usize) -> String {
    match phrase.tokens.get(at) {
        Some(next) => format!("before {}", quoted(&next.text)),
        None => "at the end".to_owned(),
    }
}

/// Edits as they are told: what comes in at one place is one text, and so is what goes from one.
fn told(language: &Language, phrase: &Phrase, chosen: &Chosen, tell: impl Fn(Told) -> String) -> String {
    let mut parts = Vec::new();
    let mut rest = &chosen.edits[..];
    while let Some((&edit, others)) = rest.split_first() {
        let n_same = match edit {
            Edit::Insert { at, .. } => {
                others.iter().take_while(|other| other.goes().is_none() && other.at() == at).count()
            }
            Edit::Remove { at } => {
                (at + 1..).zip(others).take_while(|&(at, other)| *other == Edit::Remove { at }).count()
            }
            Edit::Replace { .. } => 0,
        };
        let terminals = rest[..=n_same].iter().filter_map(|edit| edit.terminal());
        let new = match n_same {
            0 if chosen.edits.len() == 1 => terminals.map(|it| named(language, it, chosen.n_others)).collect(),
            0 => terminals.map(|it| named(language, it, 0)).collect(),
            _ => quoted(&terminals.filter_map(|it| language.text(it)).collect::<Vec<_>>().join(&b' ')),
        };
        parts.push(tell(match edit {
            Edit::Remove { at } => Told::Goes(stretch(phrase, at..at + n_same + 1)),
            Edit::Insert { at, .. } => Told::Comes(new, before(phrase, at)),
            Edit::Replace { at, .. } => Told::Changes(stretch(phrase, at..at + 1), new),
        }));
        rest = &others[n_same..];
    }
    parts.join(" and ")
}

/// An edit in words.
enum Told {
    Goes(String),
    Comes(String, String),
    Changes(String, String),
}

/// What makes the program accept it.
fn changes(language: &Language, phrase: &Phrase, chosen: &Chosen) -> String {
    told(language, phrase, chosen, |told| match told {
        Told::Goes(old) => format!("without {old}"),
        Told::Comes(new, place) => format!("with {new} {place}"),
        Told::Changes(old, new) => format!("with {new} in place of {old}"),
    })
}

/// What makes a sentence of it.
fn wishes(language: &Language, phrase: &Phrase, chosen: &Chosen) -> String {
    let unknown = phrase.tokens.iter().find(|token| token.is_unknown());
    if let Some(unknown) = unknown {
        return format!("the grammar has no token {}", quoted(&unknown.text));
    }
    let told = told(language, phrase, chosen, |told| match told {
        Told::Goes(old) => format!("one {old} less"),
        Told::Comes(new, place) => format!("{new} {place}"),
        Told::Changes(old, new) => format!("{new} in place of {old}"),
    });
    format!("the grammar wants {told}")
}

fn value(language: &Language, class: &Class, file: Option<&Path>) -> Value {
    let name = |terminal: TerminalId| language.grammar.terminal(terminal).name.clone();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let edit = |edit: &Edit| {
        let kind = match edit {
            Edit::Remove { .. } => "remove",
            Edit::Insert { .. } => "insert",
            Edit::Replace { .. } => "replace",
        };
        let old = edit.goes().map(|at| text(&class.example.tokens[at].text));
        json!({ "kind": kind, "at": edit.at(), "old": old, "token": edit.terminal().map(name) })
    };
    let rule = class.position.map(|position| language.grammar.show_rule(position.rule()));
    let tokens: Vec<Option<String>> = class.example.tokens.iter().map(|token| token.terminal.map(name)).collect();
    json!({
        "program": if class.direction == Direction::Rejected { "rejects" } else { "accepts" },
        "inputs": class.n_inputs,
        "example": text(&class.text),
        "tokens": tokens,
        "edits": class.chosen.iter().flat_map(|chosen| &chosen.edits).map(edit).collect::<Vec<_>>(),
        "alternatives": class.chosen.as_ref().map_or(0, |chosen| chosen.n_others),
        "edited": class.edited.as_deref().map(text),
        "rule": rule,
        "file": file,
    })
}
