//! Symbolic tokens: those of a run, and what its scanner returned for them.

use gimlet_grammar::TerminalId;
use gimlet_joint::{Language, Mismatch, Sentence, Tokens};
use gimlet_path::{PathCondition, Step, StepKind};
use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::input::TOKEN_SOURCE;
use gimlet_trace::node::{imm, Op};
use gimlet_trace::{Input, Label, Trace};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Explorer;
use crate::corpus::content;
use crate::error::ExploreError;
use crate::make::fit::Fit;
use crate::make::strings::{Freedom, KnownTexts};
use crate::run::job::{Job, Origin, RunId};
use crate::run::walk::hash;
use crate::strategy::Priority;

/// Inputs of one run with longer and shorter texts that are run before all that brings nothing new.
const N_TEXTS_WANTED: u32 = 32;
/// Runs with tokens that the default makes before it asks whether they are of use.
const N_TRIED: u64 = 8;
/// Bytes of inputs that the default divides into tokens.
const N_BYTES_MAX: usize = 4096;
/// Sentences that are made of the grammar alone at a time.
const N_GROWN_A_TURN: usize = 4;

/// Symbolic tokens: their language, and whether the program's scanner and the grammar agree about them.
#[derive(Default)]
pub struct TokenUse {
    pub(super) language: Option<Language>,
    pub(super) texts: KnownTexts,
    neighbours: Neighbours,
    /// By run: inputs that were made of it with longer or shorter texts.
    n_texts_of: FxHashMap<RunId, u32>,
    /// Where the program's scanner and the grammar's first disagreed.
    first_mismatch: Option<String>,
    /// Runs with token variables, those that were to have some, and those whose input the grammar's scanner could not divide.
    pub(super) n_with_tokens: u64,
    n_tried_tokens: u64,
    n_undivided: u64,
    /// Whether inputs of the grammar are what the program reads.
    pub(super) fit: Fit,
}

/// What a function that returns tokens returned.
struct Returned {
    /// The bytes of its variable, by number.
    bytes: Vec<u32>,
    value: u64,
}

/// Tokens that stood beside each other in inputs: two of them, and three.
#[derive(Default)]
struct Neighbours {
    pairs: FxHashSet<[Option<TerminalId>; 2]>,
    triples: FxHashSet<[Option<TerminalId>; 3]>,
}

impl Neighbours {
    /// Notes those of a sentence; whether any two or three are new.
    fn add(&mut self, tokens: &[TerminalId]) -> [bool; 2] {
        let mut is_new = [false; 2];
        let at = |place: usize| tokens.get(place).copied();
        for place in 0..=tokens.len() {
            let before = place.checked_sub(1).and_then(at);
            is_new[0] |= self.pairs.insert([before, at(place)]);
            is_new[1] |= self.triples.insert([before, at(place), at(place + 1)]);
        }
        is_new
    }
}

impl Explorer {
    /// Makes tokens symbolic, for the strategies that solve for them.
    pub fn set_language(&mut self, language: Language) {
        self.tokens.language = Some(language);
    }

    /// Whether tokens are variables in the run of an input: where a path is foretold, as they were in the run that it is of.
    pub(super) fn has_tokens(&mut self, job: &Job) -> bool {
        if self.plan().has_tokens() {
            return true;
        }
        match (&job.expectation, job.origin) {
            (Some(expectation), _) => expectation.walk.has_tokens,
            (None, Origin::Word { parent, .. } | Origin::Length { parent, .. })
                if self.known.runs.made.contains_key(&parent) =>
            {
                self.known.runs.made[&parent].has_tokens
            }
            (None, Origin::Seed) if self.can_use_tokens() => self.is_short(&job.input) && self.is_sentence(&job.input),
            (None, _) => self.is_for_tokens(&job.input),
        }
    }

    /// The same where nothing is known of it. A strategy of tokens has them in all runs; the default in half of those whose
    /// input is a sentence, as long as the program and the grammar agree about tokens.
    pub(super) fn is_for_tokens(&mut self, input: &Input) -> bool {
        if self.plan().has_tokens() {
            return true;
        }
        let is_half = content(input) & 1 == 0;
        self.can_use_tokens() && is_half && self.is_short(input) && self.is_sentence(input)
    }

    /// Whether the default may make tokens variables: there is a language, and what was returned was mostly of it.
    fn can_use_tokens(&self) -> bool {
        let n_right = self.tokens.n_with_tokens.saturating_sub(self.known.counts.mismatches);
        self.tokens.language.is_some()
            && (self.tokens.n_tried_tokens < N_TRIED || n_right * 2 > self.tokens.n_tried_tokens)
    }

    /// To divide a long one takes long.
    fn is_short(&self, input: &Input) -> bool {
        input.source(&self.settings.given.primary).is_none_or(|source| source.bytes.len() <= N_BYTES_MAX)
    }

    /// What may change of a run with token variables; those are no part of its input any more.
    pub(super) fn freedom_of_tokens(&mut self, trace: &mut Trace, path: &PathCondition) -> Freedom {
        let freedom = self.freedom_with_tokens(trace, path);
        trace.input.sources.retain(|source| source.name != TOKEN_SOURCE);
        freedom
    }

    fn freedom_with_tokens(&mut self, trace: &Trace, path: &PathCondition) -> Freedom {
        let returned = returned(trace);
        let primary = self.settings.given.primary.clone();
        let text = trace.input.source(&primary).map(|source| source.bytes.clone()).unwrap_or_default();
        let none = Freedom::new(None, &primary, trace, path);
        self.tokens.n_tried_tokens += 1;
        self.tokens.n_with_tokens += u64::from(!returned.is_empty());
        let Some(language) = &mut self.tokens.language else { return none };
        let Some(sentence) = language.scan(&text) else {
            self.tokens.n_undivided += 1;
            return none;
        };
        let values: Vec<u64> = returned.iter().map(|it| it.value).collect();
        let (n_agreed, mismatch) = language.agree(&sentence, &values);
        let template = language.template(&text, &sentence);
        let string = self.tokens.texts.string(0, template);
        let mut freedom = Freedom::of_tokens(string, &primary, trace, path);
        let variables: Vec<Vec<u32>> = returned.into_iter().take(n_agreed).map(|it| it.bytes).collect();
        let texts: Vec<Vec<u32>> = sentence.spans.iter().map(|&(from, to)| freedom.numbers(from, to)).collect();
        let conditions = path.steps.iter().map(|step| step.condition);
        let changes_texts = language.changes_texts();
        if let Some(mismatch) = mismatch {
            self.doubt(&sentence, &text, mismatch);
        }
        let mut tokens = Tokens::new(sentence, variables, &texts, &path.dag, conditions);
        if changes_texts {
            let (folded, shapes) = computed(trace, path, &texts);
            tokens = tokens.with_folded(folded, shapes);
        }
        freedom.tokens = Some(tokens);
        freedom
    }

    /// Whether an input is as the language of symbolic tokens has it, if there is one.
    pub(super) fn is_sentence(&mut self, input: &Input) -> bool {
        let Some(language) = &mut self.tokens.language else { return true };
        input.source(&self.settings.given.primary).is_none_or(|source| language.is_right(&source.bytes))
    }

    /// Questions about tokens, and those to which no sentence was the answer.
    pub fn token_questions(&self) -> (u64, u64) {
        self.tokens.language.as_ref().map_or((0, 0), |language| (language.n_asked, language.n_pruned))
    }

    /// Why tokens may not be what the program reads.
    pub fn doubts_about_tokens(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if self.tokens.language.is_none() || self.tokens.n_tried_tokens == 0 {
            return doubts;
        }
        let name = self.runner.options.tokens.as_ref().map_or("", |function| &function.name);
        if self.tokens.n_with_tokens == 0 {
            let place = self.runner.options.tokens.as_ref().map_or(0, |function| function.offset);
            let at = if place > 0 {
                format!(", {place} bytes from the beginning of what it returns")
            } else {
                String::new()
            };
            doubts.push(format!("{name} never returned a token{at}: is it the function that the parser calls?"));
        }
        if let Some(first) = &self.tokens.first_mismatch {
            let n = self.known.counts.mismatches;
            doubts.push(format!("in {n} runs {name} returned other tokens than the grammar says: {first}"));
        }
        if self.tokens.n_undivided > 0 {
            let n = self.tokens.n_undivided;
            doubts.push(format!("the grammar's scanner could not divide {n} inputs into tokens without doubt"));
        }
        doubts
    }

    /// Takes an input with other tokens or texts. What brings nothing new waits behind others, unless two tokens stand beside
    /// each other in it that never did before; of those that wait, what has three of them is first.
    pub(super) fn offer_sentence(&mut self, job: Job) -> Result<(), ExploreError> {
        if !self.known.corpus.offer(&job) {
            self.known.counts.duplicates += 1;
            return Ok(());
        }
        let text = job.input.source(&self.settings.given.primary).map_or(&[][..], |source| &source.bytes);
        let sentence = self.tokens.language.as_ref().and_then(|language| language.scan(text)).unwrap_or_default();
        let [has_pair, has_triple] = self.tokens.neighbours.add(&sentence.tokens);
        // Longer and shorter texts are meant to lead somewhere, but where names are hashed there is no end of them.
        let is_text = matches!(job.origin, Origin::Word { .. });
        let n_texts =
            job.origin.parent().filter(|_| is_text).map(|parent| self.tokens.n_texts_of.entry(parent).or_default());
        let is_wanted_text = n_texts.is_some_and(|n_texts| {
            *n_texts += 1;
            *n_texts <= N_TEXTS_WANTED
        });
        let is_wanted = has_pair || is_wanted_text;
        let is_high = is_wanted || self.end().is_some() || !self.look_quickly(&job.input)?.0;
        let priority = match is_high {
            true => Priority::High,
            false if has_triple || is_text => Priority::Low,
            false => Priority::Lowest,
        };
        self.scheduler.offer(job, priority);
        Ok(())
    }

    /// Makes sentences of the grammar alone; those that take no new branch are dropped.
    pub(super) fn grow(&mut self) -> Result<(), ExploreError> {
        for _ in 0..N_GROWN_A_TURN {
            let Some(text) = self
                .makers
                .subtree_mutator
                .as_mut()
                .and_then(|subtree_mutator| subtree_mutator.grow(&mut self.makers.chance))
            else {
                break;
            };
            let mut input = self.settings.given.layout.clone();
            let sources = input.sources.iter_mut().filter(|source| source.name == self.settings.given.primary);
            sources.for_each(|source| source.bytes.clone_from(&text));
            if self.end().is_some() || !self.settings.lengths.allows(text.len(), 0) || !self.is_sentence(&input) {
                continue;
            }
            let origin = Origin::Grammar;
            let job = Job::of(input, origin);
            if !self.known.corpus.is_known(&job.input)
                && !self.look_quickly(&job.input)?.0
                && self.known.corpus.offer(&job)
            {
                self.scheduler.offer(job, Priority::High);
            }
        }
        Ok(())
    }

    /// Notes where the program's scanner and the grammar's disagree.
    fn doubt(&mut self, sentence: &Sentence, text: &[u8], mismatch: Mismatch) {
        self.known.counts.mismatches += 1;
        if self.tokens.first_mismatch.is_some() {
            return;
        }
        let Some(language) = &self.tokens.language else { return };
        let name = |terminal| language.grammar().terminal(terminal).name.clone();
        let expected = mismatch.expected.map_or("the end".to_owned(), name);
        let found = match language.terminal_of(mismatch.value) {
            Some(Some(terminal)) => format!("{} ({})", mismatch.value as u32 as i32, name(terminal)),
            Some(None) => format!("{} (the end)", mismatch.value as u32 as i32),
            None => format!("{}, which no token of the grammar is", mismatch.value as u32 as i32),
        };
        let (number, n_tokens) = (mismatch.token + 1, sentence.tokens.len());
        let remedy = remedy(language, sentence, text, mismatch).map_or(String::new(), |remedy| format!("; {remedy}"));
        self.tokens.first_mismatch = Some(format!(
            "token {number} of {n_tokens} is {expected} by the grammar, and the program's function returned {found}{remedy}"
        ));
    }
}

/// What to do where one side has the code of a character, and the other a number of its own.
fn remedy(language: &Language, sentence: &Sentence, text: &[u8], mismatch: Mismatch) -> Option<String> {
    let expected = mismatch.expected?;
    let &(from, to) = sentence.spans.get(mismatch.token)?;
    let name = &language.grammar().terminal(expected).name;
    let (own, value) = (text.get(from..to)?, mismatch.value);
    let known = language.value(Some(expected))?;
    let is_character = |value: u64| matches!(own, &[byte] if u64::from(byte) == value);
    if is_character(value) && !is_character(known) {
        let shown = own.escape_ascii();
        return Some(format!(
            "that is the character itself: write '{shown}' for {name} in the grammar, or `%token {name} {value}`"
        ));
    }
    let is_own_number = value > u64::from(u8::MAX) && language.terminal_of(value).is_none();
    (is_character(known) && is_own_number).then(|| {
        format!("the grammar means the character by {name}, and the program has a number: write a name, `%token NAME {value}`")
    })
}

/// Whether a run has tokens that are variables.
pub(super) fn has_any(trace: &Trace) -> bool {
    trace.events.iter().any(|event| event.kind == EventKind::Token as u8)
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

/// The first and the last of some tokens.
type Ends = Option<(u32, u32)>;

fn join(one: Ends, other: Ends) -> Ends {
    match (one, other) {
        (Some((first, last)), Some((other_first, other_last))) => Some((first.min(other_first), last.max(other_last))),
        _ => one.or(other),
    }
}

/// By step: the tokens whose texts the program computed it from, where the condition came to nothing; and what it computed.
fn computed(trace: &Trace, path: &PathCondition, texts: &[Vec<u32>]) -> (Vec<Ends>, Vec<u64>) {
    let of_byte: FxHashMap<u32, u32> =
        (0..).zip(texts).flat_map(|(token, bytes)| bytes.iter().map(move |&byte| (byte, token))).collect();
    let ends = |byte: u32| of_byte.get(&byte).map(|&token| (token, token));
    // By expression: the tokens, and the shape.
    let mut known: Vec<(Ends, u64)> = Vec::with_capacity(trace.nodes.len());
    let of_label = |known: &[(Ends, u64)], label: Label| match (label.input_index(), label.node_index()) {
        (Some(byte), _) => (ends(byte), 0),
        (_, Some(node)) => known.get(node as usize).copied().unwrap_or_default(),
        _ => (None, 0),
    };
    for record in &trace.nodes {
        let mut shape = hash(&(record.op, record.width));
        let mut tokens = None;
        match Op::from_code(record.op) {
            Some(Op::Read) => {
                let bytes = record.a..record.a + u32::from(record.width) / 8;
                tokens = bytes.map(ends).fold(None, join);
            }
            Some(op) => {
                for (bit, label) in [(imm::A, record.a), (imm::B, record.b), (imm::C, record.c)] {
                    if op.operands() & bit != 0 && record.flags & bit == 0 {
                        let (of_operand, of_shape) = of_label(&known, Label(label));
                        tokens = join(tokens, of_operand);
                        shape = hash(&(shape, of_shape));
                    } else if record.flags & bit != 0 {
                        shape = hash(&(shape, record.imm));
                    }
                }
            }
            None => {}
        }
        known.push((tokens, shape));
    }
    let of_step = |step: &Step| {
        let is_choice = matches!(step.kind, StepKind::Branch { .. } | StepKind::Switch { .. });
        let event = trace.events.get(step.event).filter(|_| is_choice);
        let (tokens, shape) = event.map_or((None, 0), |event| of_label(&known, Label(event.a)));
        (tokens.filter(|_| path.dag.as_const(step.condition).is_some()), shape)
    };
    path.steps.iter().map(of_step).unzip()
}
