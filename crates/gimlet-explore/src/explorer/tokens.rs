//! Symbolic tokens: those of a run, and what its scanner returned for them.

use gimlet_joint::{Language, Mismatch, Sentence, Tokens};
use gimlet_path::PathCondition;
use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::input::TOKEN_SOURCE;
use gimlet_trace::Trace;

use super::Explorer;
use crate::strings::Freedom;

/// What a function that returns tokens returned.
struct Returned {
    /// The bytes of its variable, by number.
    bytes: Vec<u32>,
    value: u64,
}

impl Explorer {
    /// Makes tokens symbolic, for the strategies that solve for them.
    pub fn speak(&mut self, language: Language) {
        self.language = Some(language);
    }

    /// What may change of a run with token variables; those are no part of its input any more.
    pub(super) fn freedom_of_tokens(&mut self, trace: &mut Trace, path: &PathCondition) -> Freedom {
        let freedom = self.freedom_with_tokens(trace, path);
        trace.input.sources.retain(|source| source.name != TOKEN_SOURCE);
        freedom
    }

    fn freedom_with_tokens(&mut self, trace: &Trace, path: &PathCondition) -> Freedom {
        let returned = returned(trace);
        let primary = self.settings.primary.clone();
        let text = trace.input.source(&primary).map(|source| source.bytes.clone()).unwrap_or_default();
        let none = Freedom::new(None, &primary, trace, path);
        let Some(language) = &mut self.language else { return none };
        let Some(sentence) = language.scan(&text) else { return none };
        let values: Vec<u64> = returned.iter().map(|it| it.value).collect();
        let (n_agreed, mismatch) = language.agree(&sentence, &values);
        let template = language.template(&text, &sentence);
        let string = self.texts.string(0, template);
        let mut freedom = Freedom::of_tokens(string, &primary, trace, path);
        let variables: Vec<Vec<u32>> = returned.into_iter().take(n_agreed).map(|it| it.bytes).collect();
        let texts: Vec<Vec<u32>> = sentence.spans.iter().map(|&(from, to)| freedom.numbers(from, to)).collect();
        let conditions = path.steps.iter().map(|step| step.condition);
        if let Some(mismatch) = mismatch {
            self.doubt(&sentence, mismatch);
        }
        freedom.tokens = Some(Tokens::new(sentence, variables, &texts, &path.dag, conditions));
        freedom
    }

    /// Notes where the program's scanner and the grammar's disagree.
    fn doubt(&mut self, sentence: &Sentence, mismatch: Mismatch) {
        self.counts.mismatches += 1;
        if self.first_mismatch.is_some() {
            return;
        }
        let Some(language) = &self.language else { return };
        let name = |terminal| language.grammar().terminal(terminal).name.clone();
        let expected = mismatch.expected.map_or("the end".to_owned(), name);
        let found = match language.terminal_of(mismatch.value) {
            Some(Some(terminal)) => format!("{} ({})", mismatch.value as u32 as i32, name(terminal)),
            Some(None) => format!("{} (the end)", mismatch.value as u32 as i32),
            None => format!("{}, which no token of the grammar is", mismatch.value as u32 as i32),
        };
        let (number, n_tokens) = (mismatch.token + 1, sentence.tokens.len());
        self.first_mismatch = Some(format!(
            "token {number} of {n_tokens} is {expected} by the grammar, and the program's function returned {found}"
        ));
    }
}

/// What the function returned, in order.
fn returned(trace: &Trace) -> Vec<Returned> {
    let Some(source) = trace.input.sources.iter().position(|source| source.name == TOKEN_SOURCE) else {
        return Vec::new();
    };
    let segments = trace.segments.iter().filter(|segment| segment.source as usize == source);
    let mut numbers = segments.flat_map(|segment| segment.first..segment.first + segment.len as u32);
    let is_token = |event: &&EventRecord| event.kind == EventKind::Token as u8;
    let mut all = Vec::new();
    for event in trace.events.iter().filter(is_token) {
        let bytes = numbers.by_ref().take(usize::from(event.aux) / 8).collect();
        all.push(Returned { bytes, value: event.x });
    }
    all
}
