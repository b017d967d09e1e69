//! Constraints on the tokens of a sentence, after grammar-based whitebox fuzzing (Godefroid, Kiezun, Levin 2008).
//!
//! A program that was stopped at its tenth token says: the first nine are these, the tenth is not that one. Is there a
//! sentence of the language like that, and how does it go on? The algorithm of the paper follows the rules from the left,
//! which does not end where one begins with itself and takes exponential time where the language is ambiguous. Here it is an
//! Earley chart over sets of tokens ([`Charts`]), which knows neither of the two, is shared by all constraints that begin
//! alike, and answers every change of a token by what may stand at its place. The doc of gimlet-readers has an example.

mod certificate;
mod chart;
mod sentence;
mod set;
mod solutions;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use crate::grammar::{Grammar, TerminalId};
use crate::parse::lalr::Tables;

pub use certificate::{check, Certificate, NoProof, Row};
pub use chart::{Charts, NoChart, NodeId};
pub use sentence::Rest;
pub use set::TokenSet;
pub use solutions::Solutions;

/// Sentences that are tried where positions are to be equal.
const N_CASES_MAX: usize = 100_000;
/// Beginnings that are tried where the parser refuses sentences of its own grammar.
const N_REFUSED_MAX: usize = 20_000;

/// What is said of a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// By position, what may stand there; behind them anything may. Where the end may stand, so it may behind.
    pub tokens: Vec<TokenSet>,
    /// Positions, from 0 on, that have the same token.
    pub equal: Vec<(usize, usize)>,
    /// The number of tokens.
    pub length: RangeInclusive<usize>,
}

impl Constraint {
    pub fn new(tokens: Vec<TokenSet>) -> Constraint {
        Constraint { tokens, equal: Vec::new(), length: 0..=usize::MAX }
    }

    /// Whether a string of terminals is as it says. Whether it is a sentence is another question.
    pub fn holds(&self, tokens: &[TerminalId]) -> bool {
        let is_possible = |(at, set): (usize, &TokenSet)| match tokens.get(at) {
            Some(&token) => set.contains(token),
            None => set.has_end(),
        };
        self.length.contains(&tokens.len())
            && self.tokens.iter().enumerate().all(is_possible)
            && self.equal.iter().all(|&(one, other)| tokens.get(one) == tokens.get(other))
    }

    /// With a set for each position that is to be equal to another.
    fn with_all_positions(&self, grammar: &Grammar) -> Constraint {
        let mut whole = self.clone();
        let n_positions = self.equal.iter().map(|&(one, other)| one.max(other) + 1).max().unwrap_or(0);
        let missing = n_positions.saturating_sub(whole.tokens.len());
        whole.tokens.extend(std::iter::repeat_n(TokenSet::all(grammar).with_end(), missing));
        whole
    }

    /// Positions that have the same token, each list in ascending order, that with the first one first.
    fn classes(&self) -> Vec<Vec<usize>> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for &(one, other) in &self.equal {
            let mut joined = vec![one, other];
            classes.retain(|class| {
                let is_apart = !class.contains(&one) && !class.contains(&other);
                if !is_apart {
                    joined.extend(class);
                }
                is_apart
            });
            joined.sort_unstable();
            joined.dedup();
            classes.push(joined);
        }
        classes.sort_unstable();
        classes
    }
}

/// Why there is no such sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The grammar has none at all.
    NoSentences,
    /// No token that is wanted at a position may come there.
    Stuck { at: usize, before: Option<TokenSet>, wanted: TokenSet, possible: TokenSet },
    /// All sentences that begin so are longer.
    TooLong { shortest: usize, most: usize },
    /// None of those that begin so is as long.
    TooShort { least: usize },
    /// No token can stand at all of these positions.
    Unequal { positions: Vec<usize> },
    /// The grammar has such sentences, but the parser, which settles conflicts in its own way, takes none of them.
    Refused,
}

impl Reason {
    pub fn show(&self, grammar: &Grammar) -> String {
        match self {
            Reason::NoSentences => "the grammar has no sentences".to_owned(),
            Reason::Stuck { before, possible, wanted, at } => {
                let place = match before {
                    Some(before) => {
                        format!("after {} only {} can follow", before.show(grammar), possible.show(grammar))
                    }
                    None => format!("a sentence can only begin with {}", possible.show(grammar)),
                };
                format!("{place}, and token {} is to be {}", at + 1, wanted.show(grammar))
            }
            Reason::TooLong { shortest, most } => {
                format!("the shortest such sentence has {shortest} tokens, which is more than {most}")
            }
            Reason::TooShort { least } => format!("no such sentence has {least} tokens or more"),
            Reason::Unequal { positions } => {
                let names: Vec<String> = positions.iter().map(|at| (at + 1).to_string()).collect();
                format!("tokens {} can't be the same", names.join(", "))
            }
            Reason::Refused => "the parser accepts no such sentence, as it settles the grammar's conflicts".to_owned(),
        }
    }
}

/// Why nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// The chart or the sentence has no room.
    TooLarge,
    Stopped,
    /// There are too many cases to try.
    TooManyCases,
}

impl From<NoChart> for Gap {
    fn from(error: NoChart) -> Gap {
        match error {
            NoChart::TooLarge => Gap::TooLarge,
            NoChart::Stopped => Gap::Stopped,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A sentence that is as the constraint says.
    Sat(Vec<TerminalId>),
    Unsat(Reason),
    Unknown(Gap),
}

/// Where a chart says that there is a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Found {
    node: NodeId,
    /// The sentence ends there.
    is_end: bool,
    /// The number of its tokens at least.
    length: usize,
}

/// Why a search ends without one.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Failure {
    None(Reason),
    Unknown(Gap),
}

impl From<NoChart> for Failure {
    fn from(error: NoChart) -> Failure {
        Failure::Unknown(error.into())
    }
}

/// Answers for one grammar; what was learnt for one question serves the next.
pub struct Solver {
    grammar: Grammar,
    /// None if there are no sentences.
    charts: Option<Charts>,
    tables: Option<Tables>,
}

impl Solver {
    pub fn new(grammar: &Grammar) -> Solver {
        Solver { grammar: grammar.clone(), charts: Charts::new(grammar), tables: None }
    }

    /// Only what a parser that yacc makes of the grammar accepts is an answer.
    pub fn held_to(self, tables: Tables) -> Solver {
        Solver { tables: Some(tables), ..self }
    }

    /// Ends what takes long, once somebody says so.
    pub fn stopped_by(self, is_stopped: impl Fn() -> bool + 'static) -> Solver {
        Solver { charts: self.charts.map(|charts| charts.stopped_by(is_stopped)), ..self }
    }

    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The charts, for whoever walks along a path; none if the grammar has no sentences.
    pub fn charts(&mut self) -> Option<&mut Charts> {
        self.charts.as_mut()
    }

    /// What may stand at each position instead, as long as all before it stay: the answers to all flips of a path. The list
    /// ends where no sentence goes on.
    pub fn instead(&mut self, tokens: &[TokenSet]) -> Result<Vec<TokenSet>, Gap> {
        let Some(charts) = &mut self.charts else { return Ok(Vec::new()) };
        let path = charts.along(tokens)?;
        Ok(path.iter().zip(tokens).map(|(&node, set)| charts.next(node).difference(set)).collect())
    }

    /// A sentence that is as the constraint says. What it does not say is as short as can be, or as `rest` wants it.
    pub fn solve(&mut self, constraint: &Constraint, rest: &mut Rest) -> Answer {
        match self.search(constraint, rest) {
            Ok(tokens) => Answer::Sat(tokens),
            Err(Failure::None(reason)) => Answer::Unsat(reason),
            Err(Failure::Unknown(gap)) => Answer::Unknown(gap),
        }
    }

    /// Different sentences that are as the constraint says, the shortest first.
    pub fn solutions<'s>(&'s mut self, constraint: &Constraint) -> Solutions<'s> {
        let constraint = constraint.with_all_positions(&self.grammar);
        Solutions::new(&self.grammar, self.charts.as_mut(), self.tables.as_ref(), constraint)
    }

    fn search(&mut self, constraint: &Constraint, rest: &mut Rest) -> Result<Vec<TerminalId>, Failure> {
        let Some(charts) = &mut self.charts else { return Err(Failure::None(Reason::NoSentences)) };
        let whole = constraint.with_all_positions(&self.grammar);
        let mut cases = Cases { charts, grammar: &self.grammar, classes: whole.classes(), n_left: N_CASES_MAX };
        let tokens = cases.search(&mut whole.clone(), 0, rest)?;
        match &self.tables {
            Some(tables) if !tables.accepts(&tokens) => {}
            _ => return Ok(tokens),
        }
        let mut others = self.solutions(constraint).within(N_REFUSED_MAX);
        match others.advance() {
            Ok(Some(tokens)) => Ok(tokens),
            Ok(None) => Err(Failure::None(Reason::Refused)),
            Err(gap) => Err(Failure::Unknown(gap)),
        }
    }
}

impl Charts {
    /// Where sentences are that go on from a node as a constraint says.
    fn decide(&mut self, from: NodeId, tokens: &[TokenSet], length: &RangeInclusive<usize>) -> Result<Found, Failure> {
        let n_before_ends = tokens.iter().rposition(|set| !set.has_end()).map_or(0, |at| at + 1);
        let mut node = from;
        for (at, set) in tokens.iter().enumerate() {
            let position = self.position(node);
            if at >= n_before_ends && length.contains(&position) && self.is_accepting(node) {
                return Ok(Found { node, is_end: true, length: position });
            }
            node = match self.after(node, set)? {
                Some(next) => next,
                None => {
                    let before = (position > 0).then(|| self.tokens(node).clone());
                    let (wanted, possible) = (set.clone(), self.next(node).clone());
                    return Err(Failure::None(Reason::Stuck { at: position, before, wanted, possible }));
                }
            };
        }
        // Behind what is said, as far as the sentence has to go on.
        let any = TokenSet::all(&self.grammar);
        while self.position(node) < *length.start() {
            node = self.after(node, &any)?.ok_or(Failure::None(Reason::TooShort { least: *length.start() }))?;
        }
        let shortest = self.position(node) + self.to_end(node) as usize;
        match shortest <= *length.end() {
            true => Ok(Found { node, is_end: false, length: shortest }),
            false => Err(Failure::None(Reason::TooLong { shortest, most: *length.end() })),
        }
    }

    /// The sentence that was found.
    fn sentence_of(
        &mut self,
        found: Found,
        rest: &mut Rest,
        length: &RangeInclusive<usize>,
    ) -> Result<Vec<TerminalId>, NoChart> {
        if found.is_end {
            return self.whole(found.node).ok_or(NoChart::TooLarge);
        }
        let n_before = self.position(found.node);
        match rest {
            Rest::Weighted { chance, len_max } => {
                let room = u32::try_from(length.end() - n_before).unwrap_or(u32::MAX);
                let len_max = (*len_max).min(room);
                let tokens = self.sentence(found.node, &mut Rest::Weighted { chance, len_max })?;
                // Near a bound there may be no choice.
                match length.contains(&tokens.len()) {
                    true => Ok(tokens),
                    false => self.sentence(found.node, &mut Rest::Shortest),
                }
            }
            Rest::Shortest => self.sentence(found.node, rest),
        }
    }
}

/// A search for tokens at positions that are to be equal.
struct Cases<'s> {
    charts: &'s mut Charts,
    grammar: &'s Grammar,
    classes: Vec<Vec<usize>>,
    n_left: usize,
}

impl Cases<'_> {
    /// The first classes are decided.
    fn search(
        &mut self,
        constraint: &mut Constraint,
        n_decided: usize,
        rest: &mut Rest,
    ) -> Result<Vec<TerminalId>, Failure> {
        self.n_left = self.n_left.checked_sub(1).ok_or(Failure::Unknown(Gap::TooManyCases))?;
        let found = self.charts.decide(Charts::ROOT, &constraint.tokens, &constraint.length)?;
        let tokens = self.charts.sentence_of(found, rest, &constraint.length)?;
        let Some(class) = self.classes.get(n_decided).cloned() else { return Ok(tokens) };
        if constraint.holds(&tokens) {
            return Ok(tokens);
        }
        let sets: Vec<TokenSet> = class.iter().map(|&at| constraint.tokens[at].clone()).collect();
        let common = sets[1..].iter().fold(sets[0].clone(), |common, set| common.intersection(set));
        for case in self.cases(&constraint.tokens[..class[0]], &common)? {
            class.iter().for_each(|&at| constraint.tokens[at] = case.clone());
            match self.search(constraint, n_decided + 1, rest) {
                Err(Failure::None(_)) => {}
                decided => return decided,
            }
        }
        class.iter().zip(sets).for_each(|(&at, set)| constraint.tokens[at] = set);
        Err(Failure::None(Reason::Unequal { positions: class }))
    }

    /// Each token that may come behind some positions, by itself.
    fn cases(&mut self, before: &[TokenSet], common: &TokenSet) -> Result<Vec<TokenSet>, NoChart> {
        let path = self.charts.along(before)?;
        let possible = path.get(before.len()).map(|&node| common.intersection(self.charts.next(node)));
        let terminals = possible.iter().flat_map(TokenSet::iter);
        let mut cases: Vec<TokenSet> = terminals.map(|it| TokenSet::of(self.grammar, [it])).collect();
        // The sentence may have ended before.
        if common.has_end() {
            cases.push(TokenSet::empty(self.grammar).with_end());
        }
        Ok(cases)
    }
}
