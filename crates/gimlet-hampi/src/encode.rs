//! A problem of one size as a formula of propositional logic.
//!
//! Bytes that nothing tells apart are one letter; each position of the variable has one. An expression is an automaton with
//! one state at each position. A grammar that a text has to be of is a table (Cocke, Younger, Kasami) from the top: if a
//! nonterminal derives a part, one of its rules does. That only says something where no rule leads back to the same
//! question, so nonterminals that derive each other alone are taken as one, as in [`super::chart`]. One that a text must
//! not be of is the same table from below: if a rule derives a part, its nonterminal does, and the start symbol does not
//! derive the whole.

use gimlet_grammar::grammar::analysis;
use gimlet_grammar::grammar::suffixes::{RuleSuffixes, SuffixId};
use gimlet_grammar::grammar::{NonterminalId, Symbol, TerminalId};
use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::regular::dfa::{sets, Dfa};
use gimlet_grammar::regular::readability::rank;
use rustc_hash::FxHashMap;

use super::chart::classes;
use super::problem::{hir, lengths, sums, Assertion, Cfg, Language, Lengths, Piece, Problem};
use super::{Gap, LEN_PARSED_MAX};

/// Of a formula.
const N_CLAUSES_MAX: usize = 20_000_000;

/// Of a text.
const LEN_WORD_MAX: u64 = 1_000_000;

/// Clauses over variables from 1 on; what is negative is negated.
#[derive(Clone, Default, Debug)]
pub struct Cnf {
    pub n_variables: i32,
    pub clauses: Vec<Vec<i32>>,
}

/// What a solver says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// By variable, from 1 on: the first stands for nothing.
    Sat(Vec<bool>),
    Unsat,
    Unknown,
}

/// Where a text stands.
#[derive(Clone, Copy)]
enum Place {
    Byte(u8),
    Variable(usize),
}

/// A formula, and what its variables say of the value.
pub(super) struct Encoded<'a> {
    pub cnf: Cnf,
    /// Bytes that are one letter.
    letters: Vec<Vec<u8>>,
    /// By position of the variable and letter.
    has: Vec<Vec<i32>>,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// A part of a table: of a nonterminal, or of what is left of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Cell {
    Whole {
        class: u32,
        from: usize,
        to: usize,
    },
    Rest {
        rest: SuffixId,
        from: usize,
        to: usize,
        is_fresh: bool,
    },
    /// A nonterminal and what is left behind it.
    Split {
        rest: SuffixId,
        from: usize,
        at: usize,
        to: usize,
    },
}

impl<'a> Encoded<'a> {
    /// `None` if an assertion is wrong whatever the value is.
    pub fn new(
        problem: &Problem,
        size: u64,
        prefix: &[u8],
        excluded: &ByteSet,
        is_stopped: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Option<Encoded<'a>>, Gap> {
        let automata: Vec<Option<Dfa>> = problem
            .assertions
            .iter()
            .map(|it| match &it.language {
                Language::Regular(reg) => Dfa::new(&hir(reg)).map(|dfa| Some(dfa.minimized())),
                Language::ContextFree(..) => Ok(None),
            })
            .collect::<Result<_, _>>()
            .map_err(|_| Gap::TooLarge)?;
        let letters = sets(|byte| {
            let known = prefix.contains(&byte) || excluded.contains(byte);
            let states: Vec<u8> = automata.iter().flatten().map(|dfa| dfa.class_of(byte)).collect();
            let terminals: Vec<bool> =
                grammars(problem).flat_map(|cfg| cfg.sets.iter().map(|it| it.contains(byte))).collect();
            (known.then_some(byte), states, terminals)
        });
        let mut encoded = Encoded { cnf: Cnf::default(), letters, has: Vec::new(), is_stopped };
        encoded.positions(size as usize, prefix, excluded)?;
        for (assertion, dfa) in problem.assertions.iter().zip(&automata) {
            if assertion.len(size) > LEN_WORD_MAX {
                return Err(Gap::TooLarge);
            }
            let word = places(assertion, size as usize);
            let is_possible = match (&assertion.language, dfa) {
                (Language::ContextFree(cfg, len), _) => match len.is_none_or(|len| len == word.len() as u64) {
                    true => encoded.grammar(cfg, &word, assertion.is_not)?,
                    false => assertion.is_not,
                },
                (_, Some(dfa)) => encoded.automaton(dfa, &word, assertion.is_not)?,
                (_, None) => false,
            };
            if !is_possible {
                return Ok(None);
            }
        }
        Ok(Some(encoded))
    }

    /// The value that a solver found.
    pub fn value(&self, values: &[bool]) -> Vec<u8> {
        let letter = |has: &Vec<i32>| has.iter().position(|&it| values.get(it as usize) == Some(&true)).unwrap_or(0);
        let byte = |letter: usize| self.letters[letter].iter().copied().min_by_key(|&byte| (rank(byte), byte));
        self.has.iter().filter_map(|has| byte(letter(has))).collect()
    }

    fn fresh(&mut self) -> i32 {
        self.cnf.n_variables += 1;
        self.cnf.n_variables
    }

    fn clause(&mut self, literals: Vec<i32>) -> Result<(), Gap> {
        self.cnf.clauses.push(literals);
        let n_clauses = self.cnf.clauses.len();
        if n_clauses > N_CLAUSES_MAX {
            return Err(Gap::TooLarge);
        }
        match n_clauses.is_multiple_of(4096) && (self.is_stopped)() {
            true => Err(Gap::Stopped),
            false => Ok(()),
        }
    }

    /// One letter at each position.
    fn positions(&mut self, size: usize, prefix: &[u8], excluded: &ByteSet) -> Result<(), Gap> {
        for at in 0..size {
            let is_possible: Vec<bool> = self
                .letters
                .iter()
                .map(|bytes| match prefix.get(at) {
                    Some(wanted) => bytes.contains(wanted),
                    None => at > prefix.len() || !excluded.contains(bytes[0]),
                })
                .collect();
            let has: Vec<i32> = is_possible.iter().map(|_| self.fresh()).collect();
            self.clause(has.clone())?;
            for (letter, &is_possible) in is_possible.iter().enumerate() {
                if !is_possible {
                    self.clause(vec![-has[letter]])?;
                }
                (0..letter).try_for_each(|other| self.clause(vec![-has[letter], -has[other]]))?;
            }
            self.has.push(has);
        }
        Ok(())
    }

    /// The variables for the letters that are in a set; all of them, none, or some. `None` is true.
    fn letters_in(&self, place: Place, is_in: impl Fn(u8) -> bool) -> Option<Vec<i32>> {
        match place {
            Place::Byte(byte) => (!is_in(byte)).then(Vec::new),
            Place::Variable(at) => {
                let found = self.letters.iter().zip(&self.has[at]).filter(|(bytes, _)| is_in(bytes[0]));
                Some(found.map(|(_, &has)| has).collect())
            }
        }
    }

    /// The states of an automaton along a text; the last one has to be an end, or must not be one.
    fn automaton(&mut self, dfa: &Dfa, word: &[Place], is_not: bool) -> Result<bool, Gap> {
        // Beside the states, one that leads nowhere.
        let n_states = dfa.n_states() as u32 + 1;
        let step = |state: u32, byte: u8| match state + 1 == n_states {
            true => state,
            false => dfa.step(state, byte).unwrap_or(n_states - 1),
        };
        let mut current: FxHashMap<u32, i32> = FxHashMap::default();
        let first = self.fresh();
        self.clause(vec![first])?;
        current.insert(Dfa::START, first);
        for &place in word {
            let mut next: FxHashMap<u32, i32> = FxHashMap::default();
            let mut states: Vec<(u32, i32)> = current.into_iter().collect();
            states.sort_unstable();
            for (state, holds) in states {
                let letters: Vec<(u8, Option<i32>)> = match place {
                    Place::Byte(byte) => vec![(byte, None)],
                    Place::Variable(at) => {
                        self.letters.iter().zip(&self.has[at]).map(|(bytes, &has)| (bytes[0], Some(has))).collect()
                    }
                };
                for (byte, has) in letters {
                    let to = step(state, byte);
                    let there = match next.get(&to) {
                        Some(&there) => there,
                        None => {
                            let there = self.fresh();
                            next.insert(to, there);
                            there
                        }
                    };
                    self.clause(has.map(|has| -has).into_iter().chain([-holds, there]).collect())?;
                }
            }
            current = next;
        }
        // The run is one, so what is implied is all that is.
        let is_end = |state: u32| state + 1 != n_states && dfa.is_accepting(state);
        let mut is_possible = false;
        let mut states: Vec<(u32, i32)> = current.into_iter().collect();
        states.sort_unstable();
        for (state, holds) in states {
            match is_end(state) != is_not {
                true => is_possible = true,
                false => self.clause(vec![-holds])?,
            }
        }
        Ok(is_possible)
    }

    fn grammar(&mut self, cfg: &Cfg, word: &[Place], is_not: bool) -> Result<bool, Gap> {
        let grammar = &cfg.grammar;
        let nullable = analysis::nullable(grammar);
        if word.is_empty() {
            return Ok(nullable[grammar.start.index()] != is_not);
        }
        if word.len() as u64 > LEN_PARSED_MAX {
            return Err(Gap::TooLarge);
        }
        let lengths = lengths(grammar, word.len());
        if !lengths[grammar.start.index()].has(word.len()) {
            return Ok(is_not);
        }
        let rests = RuleSuffixes::new(grammar, &analysis::shortest(grammar, &|_| 1), &|_| 1);
        let rest_lengths = rests.all.iter().map(|rest| sums(&rest.symbols, word.len(), &lengths)).collect();
        let class_of = classes(cfg, &nullable);
        let mut table = Table {
            cfg,
            word,
            rests,
            nullable,
            lengths,
            rest_lengths,
            class_of,
            known: FxHashMap::default(),
            pending: Vec::new(),
        };
        let top =
            table.cell(self, Cell::Whole { class: table.class_of[grammar.start.index()], from: 0, to: word.len() });
        self.clause(vec![if is_not { -top } else { top }])?;
        while let Some((cell, holds)) = table.pending.pop() {
            match is_not {
                true => table.imply_up(self, cell, holds)?,
                false => table.imply_down(self, cell, holds)?,
            }
        }
        Ok(true)
    }
}

fn grammars(problem: &Problem) -> impl Iterator<Item = &Cfg> {
    problem.assertions.iter().filter_map(|it| match &it.language {
        Language::ContextFree(cfg, _) => Some(&**cfg),
        Language::Regular(_) => None,
    })
}

fn places(assertion: &Assertion, size: usize) -> Vec<Place> {
    let mut places = Vec::new();
    for piece in &assertion.word {
        match piece {
            Piece::Text(text) => places.extend(text.iter().map(|&byte| Place::Byte(byte))),
            Piece::Variable => places.extend((0..size).map(Place::Variable)),
        }
    }
    places
}

/// A table in the making.
struct Table<'t> {
    cfg: &'t Cfg,
    word: &'t [Place],
    rests: RuleSuffixes,
    nullable: Vec<bool>,
    lengths: Vec<Lengths>,
    rest_lengths: Vec<Lengths>,
    class_of: Vec<u32>,
    known: FxHashMap<Cell, i32>,
    pending: Vec<(Cell, i32)>,
}

/// Something that makes a cell true: cells, or letters of which one is there; both if there are both.
#[derive(Default)]
struct Way {
    cells: Vec<Cell>,
    letters: Option<Vec<i32>>,
}

impl Table<'_> {
    fn cell(&mut self, encoded: &mut Encoded, cell: Cell) -> i32 {
        if let Some(&known) = self.known.get(&cell) {
            return known;
        }
        let holds = encoded.fresh();
        self.known.insert(cell, holds);
        self.pending.push((cell, holds));
        holds
    }

    /// What makes a cell true.
    fn ways(&self, encoded: &Encoded, cell: Cell) -> Vec<Way> {
        let of = |cells: Vec<Cell>| Way { cells, letters: None };
        match cell {
            Cell::Whole { class, from, to } => {
                let members = (0..self.class_of.len()).filter(|&it| self.class_of[it] == class);
                let rules = members.flat_map(|it| &self.rests.rules_of[it]);
                let rules = rules.filter(|rest| self.rest_lengths[rest.index()].has(to - from));
                rules.map(|&rest| of(vec![Cell::Rest { rest, from, to, is_fresh: true }])).collect()
            }
            Cell::Split { rest, from, at, to } => {
                let Some((inner, next)) = self.first_nonterminal(rest) else { return Vec::new() };
                let whole = Cell::Whole { class: self.class_of[inner.index()], from, to: at };
                let behind =
                    (!self.is_at_end(next, at, to)).then_some(Cell::Rest { rest: next, from: at, to, is_fresh: false });
                vec![of(std::iter::once(whole).chain(behind).collect())]
            }
            Cell::Rest { rest, from, to, is_fresh } => self.ways_of_rest(encoded, rest, from, to, is_fresh),
        }
    }

    /// Nothing is left.
    fn is_at_end(&self, rest: SuffixId, from: usize, to: usize) -> bool {
        from == to && self.rests.get(rest).symbols.is_empty()
    }

    fn first_nonterminal(&self, rest: SuffixId) -> Option<(NonterminalId, SuffixId)> {
        let rest = self.rests.get(rest);
        Some((rest.symbols.first()?.nonterminal()?, rest.next?))
    }

    fn ways_of_rest(&self, encoded: &Encoded, rest: SuffixId, from: usize, to: usize, is_fresh: bool) -> Vec<Way> {
        let of = self.rests.get(rest);
        let (Some(&first), Some(next)) = (of.symbols.first(), of.next) else {
            // The empty rest of an empty text holds; any other does not.
            return if from == to { vec![Way::default()] } else { Vec::new() };
        };
        let can = |rest: SuffixId, len: usize| self.rest_lengths[rest.index()].has(len);
        match first {
            Symbol::Terminal(terminal) => {
                if from == to || !can(next, to - from - 1) {
                    return Vec::new();
                }
                let letters = self.letters(encoded, terminal, from);
                let is_last = self.is_at_end(next, from + 1, to);
                let behind = (!is_last).then_some(Cell::Rest { rest: next, from: from + 1, to, is_fresh: false });
                vec![Way { cells: behind.into_iter().collect(), letters }]
            }
            Symbol::Nonterminal(inner) => {
                let mut ways = Vec::new();
                if self.nullable[inner.index()] && can(next, to - from) {
                    let behind =
                        (!self.is_at_end(next, from, to)).then_some(Cell::Rest { rest: next, from, to, is_fresh });
                    ways.push(Way { cells: behind.into_iter().collect(), letters: None });
                }
                let is_own = self.class_of[inner.index()] == self.class_of[of.left.index()];
                for at in from + 1..=to {
                    let is_circle = at == to && is_fresh && is_own;
                    if self.lengths[inner.index()].has(at - from) && can(next, to - at) && !is_circle {
                        ways.push(Way { cells: vec![Cell::Split { rest, from, at, to }], letters: None });
                    }
                }
                ways
            }
        }
    }

    fn letters(&self, encoded: &Encoded, terminal: TerminalId, at: usize) -> Option<Vec<i32>> {
        let set = &self.cfg.sets[terminal.index()];
        encoded.letters_in(self.word[at], |byte| set.contains(byte))
    }

    /// If a cell holds, one of the ways to it does. All but splits have ways of at most one cell.
    fn imply_down(&mut self, encoded: &mut Encoded, cell: Cell, holds: i32) -> Result<(), Gap> {
        let ways = self.ways(encoded, cell);
        if let (Cell::Split { .. }, [way]) = (cell, &ways[..]) {
            for &part in &way.cells {
                let part = self.cell(encoded, part);
                encoded.clause(vec![-holds, part])?;
            }
            return Ok(());
        }
        let mut one = vec![-holds];
        for way in ways {
            let cells: Vec<i32> = way.cells.iter().map(|&cell| self.cell(encoded, cell)).collect();
            match (way.letters, &cells[..]) {
                // It holds in any case.
                (None, []) => return Ok(()),
                (None, cells) => one.extend(cells),
                (Some(letters), cells) => {
                    // A terminal is the only way there is.
                    cells.iter().try_for_each(|&cell| encoded.clause(vec![-holds, cell]))?;
                    let some: Vec<i32> = letters.into_iter().chain([-holds]).collect();
                    return encoded.clause(some);
                }
            }
        }
        encoded.clause(one)
    }

    /// If a way to a cell holds, so does the cell.
    fn imply_up(&mut self, encoded: &mut Encoded, cell: Cell, holds: i32) -> Result<(), Gap> {
        for way in self.ways(encoded, cell) {
            let cells: Vec<i32> = way.cells.iter().map(|&cell| -self.cell(encoded, cell)).collect();
            match way.letters {
                None => encoded.clause(cells.iter().copied().chain([holds]).collect())?,
                Some(letters) => {
                    for letter in letters {
                        encoded.clause(cells.iter().copied().chain([-letter, holds]).collect())?;
                    }
                }
            }
        }
        Ok(())
    }
}
