//! Sentences, put in words or by the names of their tokens.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use gimlet_grammar::chance::Chance;
use gimlet_grammar::text::template::Template;
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::text::writer::NoText;
use gimlet_grammar::{Grammar, TerminalId};
use serde_json::{json, Value};

use super::names;
use crate::exit::{hinted, note};
use crate::interrupt;
use crate::options::grammar::Put;
use crate::outputs;
use gimlet_report::figures::grouped;

/// Puts sentences.
pub struct Putter<'a> {
    grammar: &'a Grammar,
    /// Words for tokens, unless names are wanted or every text is known.
    wording: Option<Unparser>,
    out: io::BufWriter<io::StdoutLock<'static>>,
    folder: Option<PathBuf>,
    is_json: bool,
    n_put: u64,
    n_without_text: u64,
    /// Why the first of them has none.
    without_text: Option<String>,
}

impl<'a> Putter<'a> {
    pub fn new(grammar: &'a Grammar, wording: Option<Unparser>, put: &Put, is_json: bool) -> Result<Putter<'a>> {
        if let Some(folder) = &put.out {
            outputs::check_folder(folder)?;
            if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
                return Err(hinted(format!("{} is not empty", folder.display()), "name a new folder"));
            }
            let hint = "name a folder that can be written to";
            fs::create_dir_all(folder)
                .map_err(|error| hinted(format!("cannot make {}: {error}", folder.display()), hint))?;
        }
        Ok(Putter {
            grammar,
            wording,
            out: io::BufWriter::new(io::stdout().lock()),
            folder: put.out.clone(),
            is_json,
            n_put: 0,
            n_without_text: 0,
            without_text: None,
        })
    }

    /// Puts a sentence: the shortest text of each token, or one by chance. False once nobody reads any more.
    pub fn put(&mut self, sentence: &[TerminalId], chance: Option<&mut Chance>) -> Result<bool> {
        let Some(wording) = &mut self.wording else { return Ok(self.line(sentence, None)) };
        let template = match chance {
            Some(chance) => wording.drawn(sentence, chance),
            None => wording.shortest(sentence),
        };
        match template {
            Ok(template) => self.put_text(sentence, &Template { holes: Vec::new(), ..template }),
            Err(why) => {
                self.n_without_text += 1;
                self.without_text.get_or_insert_with(|| why_no_text(self.grammar, sentence, why));
                Ok(interrupt::received().is_none())
            }
        }
    }

    /// The same for a text that is known.
    pub fn put_text(&mut self, sentence: &[TerminalId], template: &Template) -> Result<bool> {
        let Some(folder) = &self.folder else { return Ok(self.line(sentence, Some(template))) };
        let path = folder.join(format!("{:06}", self.n_put));
        outputs::write(&path, &template.bytes)?;
        self.n_put += 1;
        Ok(interrupt::received().is_none())
    }

    fn line(&mut self, sentence: &[TerminalId], template: Option<&Template>) -> bool {
        self.n_put += 1;
        let names = names(self.grammar, sentence.iter().copied());
        let line = match (template, self.is_json) {
            (None, true) => json!(names).to_string(),
            (None, false) => names.join(" "),
            (Some(template), true) => as_json(template, &names).to_string(),
            (Some(template), false) => shown(template),
        };
        writeln!(self.out, "{line}").is_ok() && interrupt::received().is_none()
    }

    pub fn n_put(&self) -> u64 {
        self.n_put
    }

    /// Ends, and says what could not be put.
    pub fn finish(mut self) -> Result<()> {
        self.out.flush()?;
        if let Some(why) = &self.without_text {
            note(&format!("{} sentences have no text; of the first, {why}", grouped(self.n_without_text)));
        }
        if let Some(folder) = &self.folder {
            note(&format!("{} texts are in {}", grouped(self.n_put), folder.display()));
        }
        Ok(())
    }
}

/// What keeps a sentence from having a text.
pub fn why_no_text(grammar: &Grammar, sentence: &[TerminalId], why: NoText) -> String {
    let name = |at: usize| sentence.get(at).map(|&terminal| grammar.terminal(terminal).name.as_str());
    match why {
        NoText::Refused => "the scanner takes every text that was tried for other tokens".to_owned(),
        NoText::At(at) => match (at.checked_sub(1).and_then(name), name(at)) {
            (Some(before), Some(here)) => {
                format!("token {} can't be written: no text of {here} may stand behind {before}", at + 1)
            }
            (None, Some(here)) => format!("token 1 can't be written: no text of {here} may stand at the beginning"),
            (Some(before), None) => format!("the end can't be written: something has to stand behind {before}"),
            (None, None) => "the empty text is none".to_owned(),
        },
    }
}

fn as_json(template: &Template, names: &[String]) -> Value {
    let hole = |hole: &gimlet_grammar::text::template::Hole| json!({ "at": hole.at, "len": hole.len });
    let holes: Vec<Value> = template.holes.iter().map(hole).collect();
    json!({ "tokens": names, "text": String::from_utf8_lossy(&template.bytes), "holes": holes })
}

/// As a string of C; a hole is a question mark for each of its bytes, in brackets of its own.
fn shown(template: &Template) -> String {
    let mut shown = String::from("\"");
    let mut at = 0;
    for hole in &template.holes {
        shown.push_str(&template.bytes[at..hole.at].escape_ascii().to_string());
        shown.push('⟨');
        shown.push_str(&"?".repeat(hole.len));
        shown.push('⟩');
        at = hole.at + hole.len;
    }
    shown.push_str(&template.bytes[at..].escape_ascii().to_string());
    shown.push('"');
    shown
}
