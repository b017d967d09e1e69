//! `gimlet grammar drift`: inputs that only one of a grammar and a program accepts.

mod explain;
mod inputs;
mod oracle;
mod report;
mod strangers;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use gimlet_explore::corpus::{self, FUZZER_STATS, MANIFEST, QUEUE};
use gimlet_grammar::edit::repair::{Judgement, Language};
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_grammar::sample::shortest::Shortest;
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::text::unparser::Unparser;
use gimlet_readers::format::Format;

use self::explain::{Differences, Direction};
use self::inputs::Inputs;
use self::oracle::{Answer, Halt, Oracle};
use super::{tell_without_text, too_large, Subject};
use crate::exit::{hinted, note, note_some, Verdict};
use crate::options::drift::DriftPlan;
use crate::outputs;
use crate::setting::Setting;
use gimlet_report::figures::grouped;

/// Inputs after which it is clear that the program does not do the same with everything.
const N_FIRST: u64 = 60;
/// Sentences, and inputs that are none, that are enough to say that it does.
const N_ENOUGH: u64 = 5;
/// Attempts at an input that was not there before.
const N_ATTEMPTS: usize = 2_000;
/// Longer inputs of the user are left out, in bytes and in tokens.
const LEN_MAX: usize = 64 << 10;
const N_TOKENS_MAX: usize = 2_000;
/// Between two lines about how it goes.
const PAUSE: Duration = Duration::from_secs(5);

/// What the inputs came to.
#[derive(Default)]
pub struct Counts {
    pub n_inputs: u64,
    pub n_sentences: u64,
    pub n_crashes: u64,
    pub n_timeouts: u64,
    /// Nobody knows what the grammar says of them.
    pub n_unknown: u64,
    /// Disagreements that nobody looked at any more.
    pub n_left: u64,
    accepted: u64,
    rejected: u64,
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Complete,
    /// There are no other inputs.
    Exhausted,
    Over,
    Interrupted,
}

struct Drift {
    differences: Differences,
    inputs: Inputs,
    counts: Counts,
    /// Inputs that were tried.
    known: HashSet<Vec<u8>>,
    /// What is explained when the first inputs have shown that the program can be believed.
    backlog: Vec<(Direction, Vec<u8>)>,
    start: Instant,
    next: Instant,
}

pub fn drift(subject: Subject, format: Format, plan: &DriftPlan) -> Result<Verdict> {
    let Some(program) = &plan.running.subject else {
        return Err(hinted("no program is named", "gimlet grammar drift GRAMMAR -- PROG ARGS"));
    };
    let is_json = subject.is_json;
    let setting = Setting::of_command(program, &plan.running)?;
    let start = Instant::now();
    let deadline = plan.budget.map(|budget| start + budget);
    let (language, subtree_mutator) = language(subject, format)?;
    let oracle = Oracle::new(&setting, &plan.rejection, deadline)?;
    let seeds = seeds(plan, &setting)?;
    plan.output.as_deref().map_or(Ok(()), outputs::empty_folder)?;
    note(&format!("the program rejects an input if {}", oracle.manner()));
    let inputs = Inputs::new(&language, subtree_mutator, plan.seed);
    let differences = Differences { language, oracle, classes: Vec::new(), n_unsteady: 0 };
    let (counts, known, backlog) = (Counts::default(), HashSet::new(), Vec::new());
    let mut drift = Drift { differences, inputs, counts, known, backlog, start, next: start + PAUSE };
    let end = match drift.go(seeds, plan.n_inputs) {
        Ok(end) => end,
        Err(Halt::Over) => End::Over,
        Err(Halt::Interrupted) => End::Interrupted,
        Err(Halt::Failed(error)) => return Err(error.into()),
    };
    drift.counts.n_left += drift.backlog.len() as u64;
    drift.credible()?;
    let Drift { mut differences, counts, .. } = drift;
    differences.consolidate();
    report::report(differences, &counts, end, plan.output.as_deref(), is_json)
}

/// The grammar, to be asked and to make sentences of.
fn language(subject: Subject, format: Format) -> Result<(Language, SubtreeMutator)> {
    let Subject { grammar, scanner, map, .. } = subject;
    if Shortest::new(&grammar, &|_| 1).is_too_large() {
        return Err(too_large().into());
    }
    let scanner = match scanner {
        Some(scanner) => scanner,
        // Characters and other names of tokens are texts, too.
        None => Scanner::of_texts(&grammar, &[], &[])
            .map(Into::into)
            .map_err(|error| hinted(error.to_string(), "say shorter texts with --token-map"))?,
    };
    tell_without_text(&grammar, Unparser::new(&grammar, scanner.clone()).without_text(&grammar));
    let none = || hinted("the grammar has no sentence with a text", "say texts of its tokens with --token-map");
    let is_yacc = format == Format::Yacc;
    let subtree_mutator = SubtreeMutator::new(grammar.clone(), scanner.clone(), is_yacc).ok_or_else(none)?;
    let (grammar, scanner) = strangers::with_strangers(grammar, scanner, &map);
    Ok((Language::new(grammar, scanner, is_yacc), subtree_mutator))
}

/// Inputs of the user.
fn seeds(plan: &DriftPlan, setting: &Setting) -> Result<Vec<Vec<u8>>> {
    let mut seeds = Vec::new();
    let mut n_left_out = 0;
    for path in &plan.seeds {
        let cannot = |error: std::io::Error| {
            hinted(format!("cannot read the inputs in {}: {error}", path.display()), "check -i")
        };
        let queue = path.join(QUEUE);
        let is_result = queue.is_dir() && [MANIFEST, FUZZER_STATS].iter().any(|name| path.join(name).is_file());
        let folder = if is_result { &queue } else { path };
        let files: Vec<PathBuf> =
            if folder.is_dir() { corpus::tests(folder).map_err(cannot)? } else { vec![path.clone()] };
        if files.is_empty() {
            note(&format!("there are no inputs in {}", path.display()));
        }
        let is_single = files.len() == 1;
        for file in files {
            let input = match setting.read(&file) {
                Ok(input) => input,
                Err(error) if is_single => return Err(cannot(error)),
                Err(error) => {
                    n_left_out += 1;
                    note_some(n_left_out, || format!("{} is left out: {error}", file.display()));
                    continue;
                }
            };
            let bytes = input.source(&setting.primary).map(|source| source.bytes.clone()).unwrap_or_default();
            if bytes.len() > LEN_MAX {
                n_left_out += 1;
                note_some(n_left_out, || format!("{} is left out: it is too long", file.display()));
                continue;
            }
            seeds.push(bytes);
        }
    }
    Ok(seeds)
}

impl Drift {
    /// Tries inputs: those of the user, garbage, then sentences and near misses in turn.
    fn go(&mut self, seeds: Vec<Vec<u8>>, n_inputs: Option<u64>) -> Result<End, Halt> {
        for text in self.inputs.garbage() {
            self.try_input(text)?;
        }
        for text in seeds {
            let n_tokens = self.differences.language.phrase(&text).tokens.len();
            if n_tokens > N_TOKENS_MAX {
                self.counts.n_unknown += 1;
                continue;
            }
            self.inputs.learn(&self.differences.language, &text);
            self.try_input(text)?;
        }
        let n_before = self.counts.n_inputs;
        let mut n_attempts = 0;
        let mut is_sentence = false;
        while n_inputs.is_none_or(|n_inputs| self.counts.n_inputs - n_before < n_inputs) {
            is_sentence = !is_sentence;
            let language = &self.differences.language;
            let made = match is_sentence {
                true => self.inputs.sentence(language),
                false => self.inputs.near_miss(language),
            };
            let is_new = match made.filter(|text| !self.known.contains(text)) {
                Some(text) => self.try_input(text)?,
                None => false,
            };
            n_attempts = if is_new { 0 } else { n_attempts + 1 };
            if n_attempts == N_ATTEMPTS {
                self.explain_backlog()?;
                return Ok(End::Exhausted);
            }
        }
        self.explain_backlog()?;
        Ok(End::Complete)
    }

    /// Asks both about an input; false if it was there before.
    fn try_input(&mut self, text: Vec<u8>) -> Result<bool, Halt> {
        if !self.known.insert(text.clone()) {
            return Ok(false);
        }
        self.show_progress();
        let judgement = self.differences.language.judge(&text);
        let answer = self.differences.oracle.ask(&text)?;
        let counts = &mut self.counts;
        counts.n_inputs += 1;
        counts.n_sentences += u64::from(judgement == Judgement::Sentence);
        match answer {
            Answer::Crashes => counts.n_crashes += 1,
            Answer::TimesOut => counts.n_timeouts += 1,
            Answer::Accepts => counts.accepted += 1,
            Answer::Rejects => counts.rejected += 1,
        }
        counts.n_unknown += u64::from(judgement == Judgement::Unknown);
        match (judgement, answer) {
            (Judgement::Sentence, Answer::Rejects) => self.backlog.push((Direction::Rejected, text)),
            (Judgement::NoSentence, Answer::Accepts) => self.backlog.push((Direction::Accepted, text)),
            _ => {}
        }
        if self.counts.n_inputs >= N_FIRST && self.suspicion().is_none() {
            self.explain_backlog()?;
        }
        Ok(true)
    }

    fn explain_backlog(&mut self) -> Result<(), Halt> {
        if self.suspicion().is_some() {
            return Ok(());
        }
        while let Some((direction, text)) = self.backlog.last().cloned() {
            self.show_progress();
            self.differences.explain(direction, &text)?;
            self.backlog.pop();
        }
        Ok(())
    }

    /// What the program does with everything, if it does.
    fn suspicion(&self) -> Option<&'static str> {
        let Counts { n_inputs, n_sentences, n_crashes, n_timeouts, n_unknown, accepted, rejected, .. } = self.counts;
        let n_others = (n_inputs - n_sentences).saturating_sub(n_crashes + n_timeouts + n_unknown);
        match (accepted, rejected) {
            (0, 1..) if n_sentences >= N_ENOUGH => Some("rejects"),
            (1.., 0) if n_others >= N_ENOUGH => Some("accepts"),
            (0, 0) if n_inputs >= N_ENOUGH => Some("crashes on, or takes too long for,"),
            _ => None,
        }
    }

    /// An error if the program does the same with everything.
    fn credible(&self) -> Result<()> {
        let Some(does) = self.suspicion() else { return Ok(()) };
        let Counts { n_inputs, n_sentences, .. } = self.counts;
        let (n_sentences, n_others) = (grouped(n_sentences), grouped(n_inputs - n_sentences));
        let message =
            format!("the program {does} every input: {n_sentences} sentences, {n_others} others, also garbage");
        let manner = self.differences.oracle.manner();
        Err(hinted(
            message,
            format!("it was taken to reject an input if {manner}: --reject-fn, --reject-status or --reject-text say otherwise; does it read {}?", self.differences.oracle.source()),
        ))
    }

    fn show_progress(&mut self) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PAUSE;
        let (n_inputs, n_runs) = (grouped(self.counts.n_inputs), grouped(self.differences.oracle.n_runs));
        let n_classes = self.differences.classes.len();
        tell!("{:.0} s: {n_inputs} inputs, {n_runs} runs, {n_classes} differences", self.start.elapsed().as_secs_f64());
    }
}
