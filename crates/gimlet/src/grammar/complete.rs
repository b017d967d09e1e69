//! `gimlet grammar complete`: sentences that begin as the user says.

use std::fs;

use anyhow::Result;
use gimlet_grammar::constraint::{Answer, Constraint, Gap, Rest, Solver, TokenSet};
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::text::preserving;
use gimlet_grammar::{Grammar, Symbol, TerminalId};

use super::put::Putter;
use super::{names, Subject};
use crate::exit::{hinted, note, Verdict};
use crate::interrupt;
use crate::options::grammar::Completion;

/// Beginnings that are tried for a sentence that the parser accepts.
const N_TRIED_MAX: usize = 200_000;

impl Subject {
    pub fn complete(&self, plan: &Completion) -> Result<Verdict> {
        let constraint = constraint(&self.grammar, plan)?;
        let mut solver = Solver::new(&self.grammar).stopped_by(|| interrupt::received().is_some());
        if plan.is_accepted {
            solver = solver.held_to(Tables::new(&self.grammar));
        }
        let mut sentences = match solver.solve(&constraint, &mut Rest::Shortest) {
            Answer::Sat(tokens) => vec![tokens],
            Answer::Unsat(reason) => {
                note(&reason.show(&self.grammar));
                return Ok(Verdict::Bad);
            }
            Answer::Unknown(gap) => return Err(unknown(gap)),
        };
        if plan.n_wanted > 1 {
            sentences = several(&mut solver, &constraint, plan.n_wanted)?;
        }
        match (&plan.like, &self.scanner) {
            (Some(path), Some(scanner)) => {
                let hint = "name an input whose texts are to be kept";
                let previous =
                    fs::read(path).map_err(|error| hinted(format!("cannot read {}: {error}", path.display()), hint))?;
                let mut wording = self.wording().ok_or_else(super::no_sentences)?;
                let mut putter = Putter::new(&self.grammar, None, &plan.put, self.is_json)?;
                for sentence in &sentences {
                    match preserving::unparse_preserving(&mut wording, scanner, sentence, &previous) {
                        Ok(kept) => {
                            let template =
                                gimlet_grammar::text::template::Template { bytes: kept.text, holes: Vec::new() };
                            putter.put_text(sentence, &template)?;
                        }
                        Err(why) => {
                            let tokens = names(&self.grammar, sentence.iter().copied()).join(" ");
                            let why = super::put::why_no_text(&self.grammar, sentence, why);
                            note(&format!("{tokens} has no text: {why}"));
                        }
                    }
                }
                putter.finish()?;
            }
            (Some(_), None) => {
                let hint = "name the scanner behind the grammar, or a --token-map";
                return Err(hinted("--like wants texts, and the texts of tokens are not known", hint));
            }
            (None, _) => {
                let mut putter = self.putter(&plan.put)?;
                for sentence in &sentences {
                    putter.put(sentence, None)?;
                }
                putter.finish()?;
            }
        }
        Ok(Verdict::Good)
    }
}

fn several(solver: &mut Solver, constraint: &Constraint, n_wanted: u64) -> Result<Vec<Vec<TerminalId>>> {
    let mut solutions = solver.solutions(constraint).within(N_TRIED_MAX);
    let mut sentences = Vec::new();
    while (sentences.len() as u64) < n_wanted {
        match solutions.advance() {
            Ok(Some(sentence)) => sentences.push(sentence),
            Ok(None) => break,
            Err(gap) if sentences.is_empty() => return Err(unknown(gap)),
            Err(_) => {
                note("there may be more: the search was given up");
                break;
            }
        }
    }
    Ok(sentences)
}

fn unknown(gap: Gap) -> anyhow::Error {
    let message = match gap {
        Gap::TooLarge => "this takes more memory than there is",
        Gap::Stopped => "interrupted",
        Gap::TooManyCases => "there are too many cases to try",
    };
    hinted(message, "say more about the tokens, or choose a smaller --max-len")
}

fn constraint(grammar: &Grammar, plan: &Completion) -> Result<Constraint> {
    let mut constraint = Constraint::new(Vec::new());
    for (at, word) in plan.tokens.iter().enumerate() {
        constraint.tokens.push(
            match word
                .strip_prefix('=')
                .filter(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
            {
                Some(number) => {
                    let number: usize = number.parse().unwrap_or(0);
                    if number == 0 || number > at {
                        let hint = "`=2` is the same token as the second; it stands behind that";
                        return Err(hinted(format!("{word} is no token before this one"), hint));
                    }
                    constraint.equal.push((number - 1, at));
                    TokenSet::all(grammar)
                }
                None => set(grammar, word)?,
            },
        );
    }
    let most = plan.max_len.map_or(usize::MAX, |len| len as usize);
    constraint.length = super::len_within(plan.min_len)? as usize..=most;
    if most < plan.min_len as usize {
        return Err(hinted("no length is both", "--min-len is not above --max-len"));
    }
    Ok(constraint)
}

/// `NAME`, `A,B`, `!NAME`, `!A,B`, `.` for any, `$` for the end.
fn set(grammar: &Grammar, word: &str) -> Result<TokenSet> {
    // A token may be called so.
    if let Some(Symbol::Terminal(terminal)) = grammar.symbol(word) {
        return Ok(TokenSet::of(grammar, [terminal]));
    }
    if let Some(others) = word.strip_prefix('!').filter(|others| !others.is_empty()) {
        return Ok(TokenSet::all(grammar).difference(&set(grammar, others)?));
    }
    match word {
        "." => return Ok(TokenSet::all(grammar)),
        "$" => return Ok(TokenSet::empty(grammar).with_end()),
        _ => {}
    }
    let mut all = TokenSet::empty(grammar);
    for name in word.split(',') {
        // A shell takes quotes away.
        let quoted = [format!("'{name}'"), format!("\"{name}\"")];
        let found = std::iter::once(name)
            .chain(quoted.iter().map(String::as_str))
            .find_map(|name| grammar.symbol(name)?.terminal());
        match (found, name) {
            (Some(terminal), _) => all.insert(terminal),
            (None, "$") => all.insert_end(),
            (None, _) => {
                let hint =
                    "tokens are NAME, A,B for one of them, !NAME for any other, . for any, $ for the end, =2 for the \
                            same as the second; `gimlet grammar show` lists their names";
                return Err(hinted(format!("there is no token {name}"), hint));
            }
        }
    }
    Ok(all)
}
