//! Proofs that there is such a sentence, or that there is none, and what checks them.
//!
//! A sentence is proved by its derivation tree. That there is none is proved by a chart: sets of items, a rule with the
//! symbols that have come and where it began, that hold all that could come of any such sentence. Whoever checks it need not
//! know how it was found. Each of the ways to make one item of others must lead to one that is there, and then the sets hold
//! all; so if nothing is left at some position, or the start symbol is complete at none where a sentence may end, there is no
//! sentence. Where positions are to be equal, each token is a case by itself.
//!
//! [`check`] shares no code with the solver: it has its own closure, and knows of a grammar only its rules.

use std::collections::{HashMap, HashSet};

use super::chart::{Charts, NoChart};
use super::{Answer, Constraint, Failure, Gap, Reason, Rest, Solver, TokenSet};
use crate::count::sentences::Piece;
use crate::grammar::suffixes::SuffixId;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, TerminalId};
use crate::parse::parser::Parser;
use crate::parse::tree::{Node, Tree};

/// A rule, how many of its symbols have come, and where it began. Of rules that go on alike, any one stands for all.
pub type Row = (RuleId, usize, u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// A derivation of a sentence.
    Derivation(Tree),
    /// The sets of a chart, by position.
    Chart(Vec<Vec<Row>>),
    /// For each token that may stand at some positions that are to be equal, why it can't.
    Cases { positions: Vec<usize>, cases: Vec<(TokenSet, Certificate)> },
}

/// What is wrong with a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoProof {
    /// The tree is none of the grammar's.
    NoDerivation,
    /// Its sentence is not as the constraint says.
    NotSo,
    /// Something could come at a position that is not in its set.
    Missing { at: usize },
    /// The sets have what nobody could make use of: no such rule, or a beginning that lies ahead.
    Malformed,
    /// There may be a sentence all the same.
    Open,
}

impl Solver {
    /// The answer, and a proof of it; none where nobody knows, or the parser of the grammar has a say.
    pub fn certified(&mut self, constraint: &Constraint) -> (Answer, Option<Certificate>) {
        let answer = self.solve(constraint, &mut Rest::Shortest);
        let certificate = match &answer {
            Answer::Sat(tokens) => {
                let pieces: Vec<Piece> = tokens.iter().map(|&terminal| Piece { terminal, len: 1 }).collect();
                Parser::new(&self.grammar).parse(&pieces).ok().map(Certificate::Derivation)
            }
            Answer::Unsat(Reason::Refused) | Answer::Unknown(_) => None,
            Answer::Unsat(_) => {
                let whole = constraint.with_all_positions(&self.grammar);
                let (classes, tokens) = (whole.classes(), whole.tokens.clone());
                self.refutation(&whole, tokens, &classes).ok()
            }
        };
        (answer, certificate)
    }

    fn refutation(
        &mut self,
        constraint: &Constraint,
        tokens: Vec<TokenSet>,
        classes: &[Vec<usize>],
    ) -> Result<Certificate, Gap> {
        let Some(charts) = &mut self.charts else { return Ok(Certificate::Chart(vec![Vec::new()])) };
        match charts.decide(Charts::ROOT, &tokens, &constraint.length) {
            Err(Failure::Unknown(gap)) => Err(gap),
            Err(Failure::None(_)) => Ok(charts.rows(&self.grammar, &tokens, constraint)?),
            Ok(_) => {
                // With equal positions only.
                let (class, others) = classes.split_first().ok_or(Gap::TooManyCases)?;
                let common = class[1..].iter().fold(tokens[class[0]].clone(), |set, &at| set.intersection(&tokens[at]));
                let mut cases = Vec::new();
                for case in singles(&self.grammar, &common) {
                    let mut with = tokens.clone();
                    class.iter().for_each(|&at| with[at] = case.clone());
                    cases.push((case, self.refutation(constraint, with, others)?));
                }
                Ok(Certificate::Cases { positions: class.clone(), cases })
            }
        }
    }
}

/// Each member by itself.
fn singles(grammar: &Grammar, set: &TokenSet) -> Vec<TokenSet> {
    let end = set.has_end().then(|| TokenSet::empty(grammar).with_end());
    set.iter().map(|it| TokenSet::of(grammar, [it])).chain(end).collect()
}

impl Charts {
    /// The sets of a chart, as far as a constraint goes.
    fn rows(
        &mut self,
        grammar: &Grammar,
        tokens: &[TokenSet],
        constraint: &Constraint,
    ) -> Result<Certificate, NoChart> {
        let any = TokenSet::all(grammar);
        let most = *constraint.length.end();
        let mut path = vec![Charts::ROOT];
        let mut is_over = false;
        while path.len() <= most && !is_over {
            let set = tokens.get(path.len() - 1).unwrap_or(&any);
            match self.after(path[path.len() - 1], set)? {
                Some(next) => path.push(next),
                None => is_over = true,
            }
        }
        let mut names: HashMap<SuffixId, (RuleId, usize)> = HashMap::new();
        for id in grammar.rule_ids() {
            let rule = grammar.rule(id);
            for n_come in 0..=rule.right.len() {
                let rest = self.earley.rests.find(rule.left, &rule.right[n_come..]);
                rest.into_iter().for_each(|rest| {
                    names.entry(rest).or_insert((id, n_come));
                });
            }
        }
        let mut sets = Vec::new();
        for at in 0..path.len() {
            let items = self.ranks(&path[..=at]);
            let mut rows: Vec<Row> =
                items.keys().map(|(rest, origin)| (names[rest].0, names[rest].1, *origin)).collect();
            rows.sort_unstable();
            sets.push(rows);
        }
        if is_over {
            sets.push(Vec::new());
        }
        Ok(Certificate::Chart(sets))
    }
}

/// Whether a certificate proves that a constraint has a sentence, or has none: which of the two it is.
pub fn check(grammar: &Grammar, constraint: &Constraint, certificate: &Certificate) -> Result<bool, NoProof> {
    match certificate {
        Certificate::Derivation(tree) => {
            let tokens = yield_of(grammar, tree).ok_or(NoProof::NoDerivation)?;
            if constraint.holds(&tokens) {
                Ok(true)
            } else {
                Err(NoProof::NotSo)
            }
        }
        other => refutes(grammar, constraint, &constraint.tokens, other).map(|()| false),
    }
}

/// The leaves of a tree, if it is one of the grammar's.
fn yield_of(grammar: &Grammar, tree: &Tree) -> Option<Vec<TerminalId>> {
    let mut wanted = vec![Symbol::Nonterminal(grammar.start)];
    let mut tokens = Vec::new();
    for node in &tree.nodes {
        match (wanted.pop()?, node) {
            (Symbol::Terminal(terminal), Node::Leaf(piece)) if piece.terminal == terminal => tokens.push(terminal),
            (Symbol::Nonterminal(left), Node::Rule(id)) => {
                let rule = grammar.rules.get(id.index()).filter(|rule| rule.left == left)?;
                wanted.extend(rule.right.iter().rev());
            }
            _ => return None,
        }
    }
    wanted.is_empty().then_some(tokens)
}

fn refutes(
    grammar: &Grammar,
    constraint: &Constraint,
    tokens: &[TokenSet],
    certificate: &Certificate,
) -> Result<(), NoProof> {
    match certificate {
        Certificate::Derivation(_) => Err(NoProof::Malformed),
        Certificate::Chart(sets) => Invariant::new(grammar, tokens, sets)?.check(constraint),
        Certificate::Cases { positions, cases } => {
            let mut tokens = tokens.to_vec();
            let last = positions.iter().copied().max().ok_or(NoProof::Malformed)?;
            while tokens.len() <= last {
                tokens.push(TokenSet::all(grammar).with_end());
            }
            are_equal(&constraint.equal, positions)?;
            // What is in no case must be excluded by one of the positions.
            let every = TokenSet::all(grammar).with_end();
            let covered = cases.iter().fold(TokenSet::empty(grammar), |all, (case, _)| all.union(case));
            let common = positions.iter().fold(every, |common, &at| common.intersection(&tokens[at]));
            if !common.difference(&covered).is_empty() {
                return Err(NoProof::Open);
            }
            for (case, certificate) in cases {
                if case.len() + usize::from(case.has_end()) != 1 {
                    return Err(NoProof::Malformed);
                }
                let mut with = tokens.clone();
                positions.iter().for_each(|&at| with[at] = case.clone());
                refutes(grammar, constraint, &with, certificate)?;
            }
            Ok(())
        }
    }
}

/// Whether equations make these positions equal.
fn are_equal(equations: &[(usize, usize)], positions: &[usize]) -> Result<(), NoProof> {
    let mut reached: HashSet<usize> = positions.first().into_iter().copied().collect();
    loop {
        let before = reached.len();
        for &(one, other) in equations {
            if reached.contains(&one) || reached.contains(&other) {
                reached.extend([one, other]);
            }
        }
        if reached.len() == before {
            break;
        }
    }
    if positions.iter().all(|at| reached.contains(at)) {
        Ok(())
    } else {
        Err(NoProof::Malformed)
    }
}

/// What is still to come of a rule, and for which nonterminal.
type Future<'g> = (NonterminalId, &'g [Symbol]);

/// Sets that are said to hold all that could come.
struct Invariant<'g> {
    grammar: &'g Grammar,
    tokens: &'g [TokenSet],
    sets: Vec<HashSet<(Future<'g>, u32)>>,
    /// Those that have no sentences need not be there.
    is_productive: Vec<bool>,
}

impl<'g> Invariant<'g> {
    fn new(grammar: &'g Grammar, tokens: &'g [TokenSet], rows: &[Vec<Row>]) -> Result<Invariant<'g>, NoProof> {
        let mut sets = Vec::new();
        for (at, rows) in rows.iter().enumerate() {
            let mut set = HashSet::new();
            for &(id, n_come, origin) in rows {
                let rule = grammar.rules.get(id.index()).ok_or(NoProof::Malformed)?;
                let future = rule.right.get(n_come..).ok_or(NoProof::Malformed)?;
                if origin as usize > at {
                    return Err(NoProof::Malformed);
                }
                set.insert(((rule.left, future), origin));
            }
            sets.push(set);
        }
        Ok(Invariant { grammar, tokens, sets, is_productive: productive(grammar) })
    }

    /// Whether the sets are closed, and no sentence can end where the constraint lets it.
    fn check(&self, constraint: &Constraint) -> Result<(), NoProof> {
        if self.sets.is_empty() {
            return Err(NoProof::Malformed);
        }
        for rule in self.rules_of(self.grammar.start) {
            self.require(0, (self.grammar.start, rule), 0)?;
        }
        for (at, set) in self.sets.iter().enumerate() {
            for &((left, future), origin) in set {
                match future.split_first() {
                    Some((Symbol::Terminal(terminal), rest)) => {
                        let is_possible = match self.tokens.get(at) {
                            Some(tokens) => tokens.contains(*terminal),
                            None => true,
                        };
                        if is_possible && at + 1 < self.sets.len() {
                            self.require(at + 1, (left, rest), origin)?;
                        }
                    }
                    Some((Symbol::Nonterminal(next), _)) => {
                        for rule in self.rules_of(*next) {
                            self.require(at, (*next, rule), at as u32)?;
                        }
                    }
                    None => self.check_users(at, left, origin)?,
                }
            }
        }
        // Where the sets end, nothing is left or nothing more is allowed.
        let last = self.sets.len() - 1;
        if !self.sets[last].is_empty() && last < *constraint.length.end() {
            return Err(NoProof::Open);
        }
        let ends = (0..=last)
            .filter(|at| constraint.length.contains(at))
            .filter(|&at| self.tokens.get(at..).is_none_or(|behind| behind.iter().all(TokenSet::has_end)));
        let start = self.grammar.start;
        match { ends }.any(|at| self.sets[at].contains(&((start, &[]), 0))) {
            true => Err(NoProof::Open),
            false => Ok(()),
        }
    }

    /// What waits for a nonterminal goes on where it is complete.
    fn check_users(&self, at: usize, complete: NonterminalId, origin: u32) -> Result<(), NoProof> {
        for &((left, future), begin) in &self.sets[origin as usize] {
            if let Some((Symbol::Nonterminal(next), rest)) = future.split_first()
                && *next == complete
            {
                self.require(at, (left, rest), begin)?;
            }
        }
        Ok(())
    }

    fn require(&self, at: usize, future: Future<'g>, origin: u32) -> Result<(), NoProof> {
        match self.sets[at].contains(&(future, origin)) {
            true => Ok(()),
            false => Err(NoProof::Missing { at }),
        }
    }

    /// Right sides that derive something.
    fn rules_of(&self, nonterminal: NonterminalId) -> impl Iterator<Item = &'g [Symbol]> + '_ {
        let rules = self.grammar.rules.iter().filter(move |rule| rule.left == nonterminal);
        rules.map(|rule| rule.right.as_slice()).filter(|right| derives(self.grammar, right, &self.is_productive))
    }
}

fn derives(grammar: &Grammar, right: &[Symbol], is_productive: &[bool]) -> bool {
    right.iter().all(|symbol| match symbol {
        Symbol::Terminal(terminal) => grammar.is_token(*terminal),
        Symbol::Nonterminal(nonterminal) => is_productive[nonterminal.index()],
    })
}

fn productive(grammar: &Grammar) -> Vec<bool> {
    let mut is_productive = vec![false; grammar.nonterminals.len()];
    loop {
        let derived = |rule: &&crate::grammar::Rule| {
            !is_productive[rule.left.index()] && derives(grammar, &rule.right, &is_productive)
        };
        let found: Vec<NonterminalId> = grammar.rules.iter().filter(derived).map(|rule| rule.left).collect();
        if found.is_empty() {
            return is_productive;
        }
        found.into_iter().for_each(|it| is_productive[it.index()] = true);
    }
}
