//! Whether a program accepts an input.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use anyhow::Result;
use gimlet_exec::parts::{self, Parts, Reach, YACC_REJECTS};
use gimlet_exec::{EdgesTarget, ExecError, Output};
use gimlet_trace::input::FILE_SOURCE;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;

use crate::exit::hinted;
use crate::interrupt;
use crate::options::drift::Rejection;
use crate::setting::Setting;

/// Answers that are remembered.
const N_KNOWN_MAX: usize = 200_000;
/// Names that are told where a function is not found.
const N_SIMILAR: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Accepts,
    Rejects,
    /// It ends by a signal, or takes too much memory.
    Crashes,
    TimesOut,
}

/// Why nothing more is asked.
#[derive(Debug)]
pub enum Halt {
    /// The time is over.
    Over,
    Interrupted,
    Failed(ExecError),
}

/// A program that is asked again and again.
pub struct Oracle {
    target: EdgesTarget,
    layout: Input,
    primary: String,
    reach: Reach,
    rejection: Rejection,
    deadline: Option<Instant>,
    known: HashMap<Vec<u8>, Answer>,
    pub n_runs: u64,
}

impl Oracle {
    pub fn new(setting: &Setting, rejection: &Rejection, deadline: Option<Instant>) -> Result<Oracle> {
        let output = if rejection.text.is_some() { Output::Capture } else { Output::Null };
        let target = setting.edges_with(output)?;
        let mut oracle = Oracle {
            target,
            layout: setting.layout.clone(),
            primary: setting.primary.clone(),
            reach: Reach::default(),
            rejection: rejection.clone(),
            deadline,
            known: HashMap::new(),
            n_runs: 0,
        };
        // Shared objects are known when the program has run.
        let run = oracle.target.run_in_place(&oracle.layout).map(drop);
        match run {
            Ok(()) | Err(ExecError::Interrupted) => {}
            Err(error) => return Err(error.into()),
        }
        oracle.find_functions()?;
        Ok(oracle)
    }

    /// Those that reject, if the program has them.
    fn find_functions(&mut self) -> Result<()> {
        let images = self.target.counters().map(|(image, _)| &**image);
        let own = std::iter::once(&**self.target.image());
        let all: BTreeSet<&str> = own.chain(images).flat_map(parts::functions).collect();
        for name in &self.rejection.functions {
            if !all.contains(name.as_str()) {
                let hint = match &similar(name, &all)[..] {
                    [] => "it has no functions that were compiled by gimlet-cc".to_owned(),
                    similar => format!("functions of such names: {}", similar.join(", ")),
                };
                return Err(hinted(format!("the program has no function {name}"), hint));
            }
        }
        let has_yyerror = all.contains(YACC_REJECTS);
        let Rejection { functions, status, text } = &mut self.rejection;
        if functions.is_empty() && status.is_none() && text.is_none() && has_yyerror {
            functions.push(YACC_REJECTS.to_owned());
        }
        self.reach = Reach::new(Parts { modules: Vec::new(), rejecting: functions.clone() });
        Ok(())
    }

    /// How it is told that the program rejects.
    pub fn manner(&self) -> String {
        let Rejection { functions, status, text } = &self.rejection;
        let mut ways: Vec<String> = functions.iter().map(|name| format!("it calls {name}")).collect();
        ways.extend(status.map(|status| format!("it ends with status {status}")));
        ways.extend(text.as_ref().map(|text| format!("it says {text:?}")));
        match ways.is_empty() {
            true => "it ends with another status than 0".to_owned(),
            false => ways.join(", or "),
        }
    }

    /// Where the program finds its input.
    pub fn source(&self) -> &'static str {
        match self.primary != FILE_SOURCE {
            true => "standard input",
            false => "the file whose path stands for @@",
        }
    }

    /// What the program does with an input; what it did is remembered.
    pub fn ask(&mut self, text: &[u8]) -> Result<Answer, Halt> {
        if let Some(&answer) = self.known.get(text) {
            return Ok(answer);
        }
        let answer = self.ask_again(text)?;
        if self.known.len() < N_KNOWN_MAX {
            self.known.insert(text.to_vec(), answer);
        }
        Ok(answer)
    }

    /// The same by another run.
    pub fn ask_again(&mut self, text: &[u8]) -> Result<Answer, Halt> {
        if interrupt::received().is_some() {
            return Err(Halt::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Halt::Over);
        }
        let mut input = self.layout.clone();
        let primary = input.sources.iter_mut().filter(|source| source.name == self.primary);
        primary.for_each(|source| source.bytes = text.to_vec());
        self.n_runs += 1;
        let outcome = match self.target.run_in_place(&input) {
            Ok(run) => run.outcome,
            Err(ExecError::Interrupted) => return Err(Halt::Interrupted),
            Err(error) => return Err(Halt::Failed(error)),
        };
        let status = match outcome {
            Outcome::Exited(status) => status,
            Outcome::Signalled(_) | Outcome::OutOfMemory(_) => return Ok(Answer::Crashes),
            Outcome::TimedOut(_) => return Ok(Answer::TimesOut),
            Outcome::Interrupted => return Err(Halt::Interrupted),
        };
        let is_rejected = self.is_rejected(status).map_err(Halt::Failed)?;
        Ok(if is_rejected { Answer::Rejects } else { Answer::Accepts })
    }

    fn is_rejected(&mut self, status: i32) -> Result<bool, ExecError> {
        let Rejection { functions, status: rejecting, text } = &self.rejection;
        if functions.is_empty() && rejecting.is_none() && text.is_none() {
            return Ok(status != 0);
        }
        let counters = self.target.counters().map(|(image, counters)| (&**image, counters));
        let is_reached = self.reach.of(counters).is_rejected;
        let says = |text: &String| -> Result<bool, ExecError> {
            let said = self.target.captured()?.map(|[_, stderr]| stderr.bytes).unwrap_or_default();
            Ok(said.windows(text.len()).any(|part| part == text.as_bytes()))
        };
        Ok(is_reached || *rejecting == Some(status) || text.as_ref().map_or(Ok(false), says)?)
    }
}

/// The names that are nearest to another.
fn similar(name: &str, all: &BTreeSet<&str>) -> Vec<String> {
    let mut near: Vec<(usize, &str)> = all.iter().map(|&other| (distance(name, other), other)).collect();
    near.sort_unstable();
    near.iter().take(N_SIMILAR).map(|(_, other)| (*other).to_owned()).collect()
}

/// Characters to be put in, taken out or exchanged, whatever their case.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, sign) in (1..).zip(one.chars()) {
        let mut diagonal = row[0];
        row[0] = number;
        for (at, &own) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(!sign.eq_ignore_ascii_case(&own));
            diagonal = row[at + 1];
            row[at + 1] = exchanged.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_near() {
        assert_eq!(distance("yyerror", "yyerror"), 0);
        assert_eq!(distance("yyeror", "yyerror"), 1);
        assert_eq!(distance("YYerror", "yyerror"), 0);
        assert_eq!(distance("abc", "xyz"), 3);
        let all = BTreeSet::from(["main", "yyerror", "yylex", "yyparse", "ast_error", "zzz", "parse_error"]);
        assert_eq!(similar("yyeror", &all)[0], "yyerror");
        assert_eq!(similar("yyeror", &all).len(), 5);
    }
}
