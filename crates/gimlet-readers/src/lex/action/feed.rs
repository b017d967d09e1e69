//! What an action reads by itself.
//!
//! Comments are often skipped by a loop of `input()` in an action. Such a loop is tried on all short texts over the
//! characters that the code mentions and one that it does not; if it always stops at the first occurrence of the same
//! ending, that is what it reads. The end of the input is left out: every text could go on.

use std::collections::VecDeque;

use gimlet_grammar::scanner::effect::Taken;

use super::path::{Flow, Path};
use super::run::{Machine, TooMuch};
use super::syntax::{Expression, Statement};

/// Characters of the code that are tried.
const N_CHARACTERS_MAX: usize = 5;
const N_TEXTS_MAX: usize = 200;
const LEN_MAX: usize = 8;
/// Statements and expressions that are run for all texts.
const N_STEPS_MAX: usize = 600_000;

/// The outcomes, or why they are not known.
pub(super) fn outcomes(
    machine: &Machine,
    statements: &[Statement],
    start: &Path,
) -> Result<Result<Vec<Path>, String>, TooMuch> {
    let Some(alphabet) = alphabet(machine, statements) else {
        return Ok(Err("it reads its input by itself".to_owned()));
    };
    let mut n_steps = 0;
    let mut ending: Option<(Vec<u8>, bool)> = None;
    let mut paths: Vec<Path> = Vec::new();
    // Shorter ones first. What was enough to end is enough with more behind it.
    let mut texts: VecDeque<Vec<u8>> = VecDeque::from([Vec::new()]);
    let mut n_texts = 1;
    while let Some(text) = texts.pop_front() {
        let fed = Machine { feed: &text, n_steps: 0.into(), ..*machine };
        let found = fed.run_all(statements, start.clone())?;
        n_steps += fed.n_steps.get();
        if n_steps > N_STEPS_MAX {
            return Err(TooMuch);
        }
        if let Some(reason) = found.iter().find_map(|path| path.unknown.clone()) {
            return Ok(Err(reason));
        }
        let n_read = match number_read(&found) {
            Ok(n_read) => n_read,
            Err(reason) => return Ok(Err(reason)),
        };
        if let (None, Some(n_read)) = (&ending, n_read) {
            ending = Some((text.clone(), n_read > 0));
        }
        let expected = ending.as_ref().and_then(|(ending, with_ending)| {
            let at = text.windows(ending.len()).position(|window| window == &ending[..])?;
            Some(if *with_ending { at + ending.len() } else { at })
        });
        if expected != n_read {
            return Ok(Err("it reads its input by itself, to no fixed ending".to_owned()));
        }
        if n_read.is_some() {
            paths.extend(found);
        } else if n_texts + alphabet.len() <= N_TEXTS_MAX && text.len() < LEN_MAX {
            n_texts += alphabet.len();
            texts.extend(alphabet.iter().map(|&byte| [&text[..], &[byte]].concat()));
        }
    }
    let Some((ending, with_ending)) = ending else {
        return Ok(Err("it reads its input by itself, to no ending that was found".to_owned()));
    };
    for path in &mut paths {
        if path.outcome.taken != Taken::All {
            return Ok(Err("it reads its input and gives text back".to_owned()));
        }
        path.outcome.taken = Taken::To { ending: ending.clone(), with_ending };
        path.n_read = 0;
    }
    Ok(Ok(paths))
}

/// Bytes that all ways have taken; `None` if they want more.
fn number_read(paths: &[Path]) -> Result<Option<usize>, String> {
    let read = |path: &Path| (path.flow != Flow::Starved).then_some(path.n_read);
    let first = paths.first().and_then(read);
    match paths.iter().all(|path| read(path) == first) {
        true => Ok(first),
        false => Err("it reads its input by itself, and how much depends on more than the text".to_owned()),
    }
}

/// Characters that the code has, and one that it has not.
fn alphabet(machine: &Machine, statements: &[Statement]) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut visit = |expression: &Expression| {
        if let Expression::Number(number @ 9..=126) = expression {
            bytes.push(*number as u8);
        }
    };
    statements.iter().for_each(|statement| statement.visit(&mut visit));
    let called = called_names(statements);
    for (name, function) in machine.functions.iter().filter(|(_, function)| function.matters) {
        if called.contains(name) {
            function.bodies.iter().flatten().for_each(|statement| statement.visit(&mut visit));
        }
    }
    bytes.sort_unstable();
    bytes.dedup();
    let other = (b'a'..=b'z').find(|byte| !bytes.contains(byte))?;
    let is_small = !bytes.is_empty() && bytes.len() <= N_CHARACTERS_MAX;
    bytes.push(other);
    is_small.then_some(bytes)
}

fn called_names(statements: &[Statement]) -> Vec<String> {
    let mut names = Vec::new();
    let mut visit = |expression: &Expression| {
        if let Expression::Call { name, .. } = expression {
            names.push(name.clone());
        }
    };
    statements.iter().for_each(|statement| statement.visit(&mut visit));
    names
}
