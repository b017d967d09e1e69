//! Strings that regular and context-free languages of a fixed size have, after HAMPI (Kiezun, Ganesh, Guo, Hooimeijer,
//! Ernst 2009).
//!
//! A [`Problem`] has one variable, whose size is known, and says of texts that are made of it which languages they are in.
//! HAMPI turns all of that into formulas over bits. Here the regular assertions become one automaton; with one grammar
//! beside it the question is a table over lengths and states ([`chart`]), which is as good as immediate. Only where several
//! grammars have a say, one is excluded, or the variable stands in a text more than once, a solver for propositional logic is
//! asked ([`encode`]), which the caller brings along.
//!
//! ```
//! use gimlet_grammar::Source;
//! use gimlet_hampi::{Answer, Problem, Solver};
//!
//! let text = "var v : 2; cfg E := \"()\" | E E | \"(\" E \")\"; val q := concat(\"((\", v, \"))\");
//!             assert q in E; assert q contains \"())\";";
//! let (problem, _) = Problem::read(&Source::new("example.hmp", text)).unwrap();
//! assert_eq!(Solver::new(&problem).solve(), Answer::Sat(b")(".to_vec()));
//! ```
//!
//! | module | what |
//! |---|---|
//! | `syntax` | reads the language of HAMPI |
//! | `problem` | what a file asks: names are replaced by what they stand for |
//! | `regular` | one automaton of all regular assertions |
//! | [`chart`] | one grammar beside that automaton, as a table |
//! | [`encode`] | anything else, as a formula of propositional logic |
//! | `check` | whether a value is one, asked of every answer |
//! | `certificate` | proofs of both answers, and what checks them |
#![forbid(unsafe_code)]

mod certificate;
mod chart;
mod check;
mod encode;
mod problem;
mod regular;
mod syntax;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::rc::Rc;

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::regular::dfa::Dfa;

pub use certificate::{Certificate, NoProof};
pub use check::satisfies;
pub use encode::{Cnf, Verdict};
pub use problem::{Assertion, Cfg, Language, Piece, Problem, SIZE_MAX};

/// Longer texts are not held against a grammar.
const LEN_PARSED_MAX: u64 = 5_000;

/// Why nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// It takes more memory or time than there is.
    TooLarge,
    Stopped,
    /// It takes a solver for propositional logic, and there is none.
    NoSolver,
    /// The solver gave up.
    GaveUp,
    /// What was found is none after all: an error of ours.
    Refuted,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A value of the variable.
    Sat(Vec<u8>),
    Unsat,
    Unknown(Gap),
}

/// How a question is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The variable does not matter.
    Constant,
    Automaton,
    Chart,
    Sat,
}

/// Decides a formula.
pub type Decide<'a> = &'a mut dyn FnMut(&Cnf) -> Verdict;

/// Values that begin with some bytes, behind which some others do not come.
#[derive(Clone, Debug)]
struct Region {
    sizes: RangeInclusive<u64>,
    /// A value, and how many of its bytes count.
    value: Rc<[u8]>,
    n_prefix: usize,
    excluded: ByteSet,
}

impl Region {
    fn prefix(&self) -> &[u8] {
        &self.value[..self.n_prefix]
    }
}

/// Answers a problem, and finds more values if there are any.
pub struct Solver<'a> {
    problem: &'a Problem,
    decide: Option<Decide<'a>>,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
    method: Method,
    /// What regular assertions allow.
    values: Option<Result<Dfa, Gap>>,
    pending: VecDeque<Region>,
    /// The last value, and where it was found.
    last: Option<(Region, Vec<u8>)>,
    /// Whether what is asserted without the variable holds.
    is_possible: Option<bool>,
    n_asked: u64,
}

impl<'a> Solver<'a> {
    pub fn new(problem: &'a Problem) -> Solver<'a> {
        let sizes = problem.sizes.clone();
        let whole = Region { sizes, value: Rc::new([]), n_prefix: 0, excluded: ByteSet::default() };
        Solver {
            problem,
            decide: None,
            is_stopped: &|| false,
            method: method(problem),
            values: None,
            pending: VecDeque::from([whole]),
            last: None,
            is_possible: None,
            n_asked: 0,
        }
    }

    /// With a solver for propositional logic.
    pub fn with_sat(self, decide: Decide<'a>) -> Solver<'a> {
        Solver { decide: Some(decide), ..self }
    }

    /// Ends what takes long, once somebody says so.
    pub fn stopped_by(self, is_stopped: &'a (dyn Fn() -> bool + Sync)) -> Solver<'a> {
        Solver { is_stopped, ..self }
    }

    pub fn method(&self) -> Method {
        self.method
    }

    /// Parts of the values that were looked at.
    pub fn n_asked(&self) -> u64 {
        self.n_asked
    }

    /// The shortest value; after the first call, another one.
    pub fn solve(&mut self) -> Answer {
        if let Some((region, value)) = self.last.take() {
            self.exclude(&region, &value);
        }
        while let Some(region) = self.pending.pop_front() {
            self.n_asked += 1;
            match self.find(&region) {
                Ok(None) => {}
                Ok(Some(value)) => {
                    return match check::holds_all(self.problem, &value, &self.is_stopped) {
                        Ok(true) => {
                            self.last = Some((region, value.clone()));
                            Answer::Sat(value)
                        }
                        Ok(false) => Answer::Unknown(Gap::Refuted),
                        Err(gap) => Answer::Unknown(gap),
                    };
                }
                Err(gap) => {
                    self.pending.push_front(region);
                    return Answer::Unknown(gap);
                }
            }
        }
        Answer::Unsat
    }

    /// What is left of a region without a value: for each of its bytes, the values that are the same up to there (Lawler
    /// 1972). The last bytes vary first.
    fn exclude(&mut self, region: &Region, value: &[u8]) {
        let size = value.len() as u64;
        if size < *region.sizes.end() {
            self.pending.push_back(Region { sizes: size + 1..=*region.sizes.end(), ..region.clone() });
        }
        let value: Rc<[u8]> = value.into();
        for at in region.n_prefix..value.len() {
            let mut excluded = if at == region.n_prefix { region.excluded } else { ByteSet::default() };
            excluded.insert(value[at]);
            self.pending.push_front(Region { sizes: size..=size, value: Rc::clone(&value), n_prefix: at, excluded });
        }
    }

    fn find(&mut self, region: &Region) -> Result<Option<Vec<u8>>, Gap> {
        if !self.is_possible()? {
            return Ok(None);
        }
        match self.method {
            Method::Sat => self.ask_solver(region),
            Method::Constant | Method::Automaton | Method::Chart => {
                let values = match self.values.get_or_insert_with(|| regular::values(self.problem)) {
                    Ok(values) => values,
                    // Each automaton by itself may have room.
                    Err(_) => {
                        self.method = Method::Sat;
                        return self.ask_solver(region);
                    }
                };
                let values = regular::restricted(values, region.prefix(), &region.excluded)?;
                match self.problem.assertions.iter().find(|it| is_parsed(it)) {
                    Some(assertion) => self.parse(assertion, &values, region),
                    None => regular::find(&values, &region.sizes, self.is_stopped),
                }
            }
        }
    }

    fn is_possible(&mut self) -> Result<bool, Gap> {
        if let Some(known) = self.is_possible {
            return Ok(known);
        }
        let mut is_possible = true;
        for assertion in self.problem.assertions.iter().filter(|it| it.n_variables() == 0) {
            is_possible &= check::holds(assertion, b"", &self.is_stopped)?;
        }
        self.is_possible = Some(is_possible);
        Ok(is_possible)
    }

    /// With one grammar.
    fn parse(&self, assertion: &Assertion, values: &Dfa, region: &Region) -> Result<Option<Vec<u8>>, Gap> {
        let Language::ContextFree(cfg, fixed) = &assertion.language else { return Ok(None) };
        let (before, behind) = regular::around(assertion);
        let texts = regular::between(values, &before, &behind)?;
        let n_around = (before.len() + behind.len()) as u64;
        let lens = region.sizes.start() + n_around..=region.sizes.end() + n_around;
        let lens = match fixed {
            Some(len) if lens.contains(len) => *len..=*len,
            Some(_) => return Ok(None),
            None => lens,
        };
        if *lens.end() > LEN_PARSED_MAX {
            return Err(Gap::TooLarge);
        }
        let (cfg, is_stopped) = (&**cfg, self.is_stopped);
        let found = chart::with_stack(cfg, *lens.end() as usize, |depth_max| {
            let mut chart = chart::Chart::new(cfg, &texts, *lens.end() as usize, depth_max, is_stopped);
            for len in lens {
                if let Some(text) = chart.find(len as usize)? {
                    return Ok(Some(text));
                }
            }
            Ok(None)
        })?;
        Ok(found.map(|text| text[before.len()..text.len() - behind.len()].to_vec()))
    }

    fn ask_solver(&mut self, region: &Region) -> Result<Option<Vec<u8>>, Gap> {
        let Some(decide) = &mut self.decide else { return Err(Gap::NoSolver) };
        for size in region.sizes.clone() {
            let encoded = encode::Encoded::new(self.problem, size, region.prefix(), &region.excluded, self.is_stopped)?;
            let Some(encoded) = encoded else { continue };
            match decide(&encoded.cnf) {
                Verdict::Sat(values) => return Ok(Some(encoded.value(&values))),
                Verdict::Unsat => {}
                Verdict::Unknown => return Err(Gap::GaveUp),
            }
        }
        Ok(None)
    }
}

/// Whether an assertion is for a table.
fn is_parsed(assertion: &Assertion) -> bool {
    matches!(assertion.language, Language::ContextFree(..)) && assertion.n_variables() > 0
}

fn method(problem: &Problem) -> Method {
    let open: Vec<&Assertion> = problem.assertions.iter().filter(|it| it.n_variables() > 0).collect();
    let parsed: Vec<&&Assertion> = open.iter().filter(|it| is_parsed(it)).collect();
    if open.is_empty() {
        Method::Constant
    } else if open.iter().any(|it| it.n_variables() > 1) || parsed.iter().any(|it| it.is_not) || parsed.len() > 1 {
        Method::Sat
    } else if parsed.is_empty() {
        Method::Automaton
    } else {
        Method::Chart
    }
}
