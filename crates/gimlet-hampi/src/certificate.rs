//! Proofs of answers, and what checks them.
//!
//! A value is proved by a derivation tree for each grammar that a text is asserted to be of; expressions need none. That
//! there is no value is proved, where one grammar and regular assertions have a say, by an automaton and a table: the states
//! that the strings of a nonterminal, or of what is left of a rule, lead to, by length and first state. The checker has the
//! automaton run beside the states of the assertions, so that it accepts every text that they allow, and looks whether
//! each entry of the table has all that follows from the others. An automaton that accepts no text is proved without a
//! table. Where a solver for propositional logic has answered, there is no proof.

use std::collections::{BTreeSet, HashMap, HashSet};

use gimlet_grammar::count::sentences;
use gimlet_grammar::grammar::{NonterminalId, RuleId, Symbol, TerminalId};
use gimlet_grammar::parse::parser::Parser;
use gimlet_grammar::parse::tree::{Node, Tree};
use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::regular::dfa::Dfa;
use serde_json::{json, Value};

use super::chart::{self, members, Chart};
use super::check::{holds, tokens, Nfa, States};
use super::problem::{Assertion, Cfg, Language, Piece, Problem};
use super::syntax::Reg;
use super::{is_parsed, regular, Gap, Method, Solver};

/// Entries of a table that are written down.
const N_ENTRIES_MAX: usize = 2_000_000;

/// What leads to states: a nonterminal, or what is left of a rule behind some symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    Nonterminal(NonterminalId),
    Rest(RuleId, usize),
}

/// The states that strings of a length lead to from a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub what: What,
    pub len: u64,
    pub from: u32,
    pub to: BTreeSet<u32>,
}

/// An automaton over bytes: by state, where ranges of bytes lead, and whether it is an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    pub steps: Vec<Vec<(u8, u8, u32)>>,
    pub ends: Vec<bool>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// A value, with a tree for each assertion that a text is of a grammar.
    Value { value: Vec<u8>, trees: Vec<Option<Tree>> },
    /// For a whole text, or for the variable where no grammar has a say.
    Table { machine: Machine, entries: Vec<Entry> },
}

/// What is wrong with a certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoProof {
    #[error("it is not written as a certificate is")]
    Malformed,
    #[error("assertion {0} does not hold for the value")]
    NotSo(usize),
    #[error("the tree of assertion {0} is none of its grammar, or of another text")]
    NoDerivation(usize),
    #[error("the automaton lacks a text that the assertions allow")]
    Automaton,
    #[error("an entry of the table is missing, or lacks something")]
    Missing,
    #[error("a value is left that may be one")]
    Open,
}

impl Solver<'_> {
    /// A proof for the answer that was given; `None` if a solver for propositional logic gave it.
    pub fn certificate(&self, value: Option<&[u8]>) -> Result<Option<Certificate>, Gap> {
        match value {
            Some(value) => Ok(Some(of_value(self.problem, value))),
            None if self.method == Method::Sat => Ok(None),
            None => of_none(self.problem, self.is_stopped).map(Some),
        }
    }
}

fn of_value(problem: &Problem, value: &[u8]) -> Certificate {
    let tree = |assertion: &Assertion| match &assertion.language {
        Language::ContextFree(cfg, _) if !assertion.is_not => {
            let terminals = tokens(cfg, &assertion.text(value))?;
            let pieces: Vec<_> = terminals.into_iter().map(|terminal| sentences::Piece { terminal, len: 1 }).collect();
            Parser::new(&cfg.grammar).parse(&pieces).ok()
        }
        _ => None,
    };
    Certificate::Value { value: value.to_vec(), trees: problem.assertions.iter().map(tree).collect() }
}

fn of_none(problem: &Problem, is_stopped: &(dyn Fn() -> bool + Sync)) -> Result<Certificate, Gap> {
    let values = regular::values(problem)?;
    let Some(assertion) = problem.assertions.iter().find(|it| is_parsed(it)) else {
        return Ok(Certificate::Table { machine: Machine::of(&values), entries: Vec::new() });
    };
    let Language::ContextFree(cfg, fixed) = &assertion.language else { return Err(Gap::TooLarge) };
    let (before, behind) = regular::around(assertion);
    let dfa = regular::between(&values, &before, &behind)?;
    let lens: Vec<u64> = text_lens(problem, assertion, *fixed).collect();
    let len_max = lens.iter().copied().max().unwrap_or(0) as usize;
    let cfg = &**cfg;
    let entries = chart::with_stack(cfg, len_max, |depth_max| {
        let mut chart = Chart::new(cfg, &dfa, len_max, depth_max, is_stopped);
        entries(cfg, &dfa, &mut chart, &lens)
    })?;
    Ok(Certificate::Table { machine: Machine::of(&dfa), entries })
}

/// The lengths that a text may have.
fn text_lens(problem: &Problem, assertion: &Assertion, fixed: Option<u64>) -> impl Iterator<Item = u64> + use<> {
    let lens: Vec<u64> = problem.sizes.clone().map(|size| assertion.len(size)).collect();
    lens.into_iter().filter(move |len| fixed.is_none_or(|fixed| fixed == *len))
}

/// All entries that those of the start symbol need.
fn entries(cfg: &Cfg, dfa: &Dfa, chart: &mut Chart, lens: &[u64]) -> Result<Vec<Entry>, Gap> {
    let grammar = &cfg.grammar;
    let mut seen: HashSet<(What, u64, u32)> = HashSet::new();
    let mut pending: Vec<(What, u64, u32)> =
        lens.iter().map(|&len| (What::Nonterminal(grammar.start), len, Dfa::START)).collect();
    let mut entries = Vec::new();
    while let Some((what, len, from)) = pending.pop() {
        if !seen.insert((what, len, from)) {
            continue;
        }
        if seen.len() > N_ENTRIES_MAX {
            return Err(Gap::TooLarge);
        }
        let states = match what {
            What::Nonterminal(nonterminal) => {
                let rules = grammar.rules_of(nonterminal).iter();
                pending.extend(rules.map(|&rule| (What::Rest(rule, 0), len, from)));
                chart.states(nonterminal, len as u32, from)?
            }
            What::Rest(rule, n_come) => {
                needed_by_rest(cfg, dfa, chart, (rule, n_come), (len, from), &mut pending)?;
                let right = &grammar.rule(rule).right[n_come..];
                match chart.rests().find(grammar.rule(rule).left, right) {
                    Some(rest) => chart.states_of_rest(rest, len as u32, from)?,
                    None => return Err(Gap::TooLarge),
                }
            }
        };
        entries.push(Entry { what, len, from, to: members(&states).collect() });
    }
    Ok(entries)
}

fn needed_by_rest(
    cfg: &Cfg,
    dfa: &Dfa,
    chart: &mut Chart,
    (rule, n_come): (RuleId, usize),
    (len, from): (u64, u32),
    pending: &mut Vec<(What, u64, u32)>,
) -> Result<(), Gap> {
    let next = What::Rest(rule, n_come + 1);
    match cfg.grammar.rule(rule).right.get(n_come) {
        None => {}
        Some(Symbol::Terminal(terminal)) => {
            let bytes = (0..=u8::MAX).filter(|&byte| cfg.sets[terminal.index()].contains(byte));
            let states: BTreeSet<u32> = bytes.filter_map(|byte| dfa.step(from, byte)).collect();
            if len > 0 {
                pending.extend(states.into_iter().map(|to| (next, len - 1, to)));
            }
        }
        Some(&Symbol::Nonterminal(inner)) => {
            for own in 0..=len {
                pending.push((What::Nonterminal(inner), own, from));
                for to in members(&chart.states(inner, own as u32, from)?) {
                    pending.push((next, len - own, to));
                }
            }
        }
    }
    Ok(())
}

impl Machine {
    fn of(dfa: &Dfa) -> Machine {
        let steps = |state: u32| {
            let mut ranges: Vec<(u8, u8, u32)> = Vec::new();
            for byte in 0..=u8::MAX {
                let Some(to) = dfa.step(state, byte) else { continue };
                match ranges.last_mut() {
                    Some((_, last, known)) if *known == to && byte > 0 && *last == byte - 1 => *last = byte,
                    _ => ranges.push((byte, byte, to)),
                }
            }
            ranges
        };
        let states = 0..dfa.n_states() as u32;
        Machine { steps: states.clone().map(steps).collect(), ends: states.map(|it| dfa.is_accepting(it)).collect() }
    }

    fn step(&self, state: u32, byte: u8) -> Option<u32> {
        let steps = self.steps.get(state as usize)?;
        steps.iter().find(|(from, to, _)| (*from..=*to).contains(&byte)).map(|&(_, _, next)| next)
    }

    /// Bytes such that each other is as good as the next smaller one of them.
    fn cuts(&self) -> BTreeSet<u8> {
        let ends = self.steps.iter().flatten().flat_map(|&(from, to, _)| [Some(from), to.checked_add(1)]);
        ends.flatten().chain([0]).collect()
    }

    fn is_end(&self, state: u32) -> bool {
        self.ends.get(state as usize) == Some(&true)
    }
}

impl Certificate {
    /// Whether it proves that there is a value, or that there is none: which of the two it is.
    pub fn check(&self, problem: &Problem) -> Result<bool, NoProof> {
        match self {
            Certificate::Value { value, trees } => check_value(problem, value, trees).map(|()| true),
            Certificate::Table { machine, entries } => {
                // An assertion without the variable may be wrong by itself.
                let is_wrong = |it: &Assertion| it.n_variables() == 0 && !is_true(it, b"");
                if problem.assertions.iter().any(is_wrong) {
                    return Ok(false);
                }
                check_none(problem, machine, entries).map(|()| false)
            }
        }
    }
}

fn check_value(problem: &Problem, value: &[u8], trees: &[Option<Tree>]) -> Result<(), NoProof> {
    if !problem.sizes.contains(&(value.len() as u64)) || trees.len() != problem.assertions.len() {
        return Err(NoProof::Malformed);
    }
    for (number, (assertion, tree)) in problem.assertions.iter().zip(trees).enumerate() {
        let text = assertion.text(value);
        match (&assertion.language, tree) {
            (Language::ContextFree(cfg, len), tree) if !assertion.is_not => {
                let is_derived = tree.as_ref().is_some_and(|tree| derives(cfg, tree, &text));
                if !is_derived || len.is_some_and(|len| len != text.len() as u64) {
                    return Err(NoProof::NoDerivation(number + 1));
                }
            }
            _ if !is_true(assertion, value) => return Err(NoProof::NotSo(number + 1)),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a tree is one of the grammar's and of the text.
fn derives(cfg: &Cfg, tree: &Tree, text: &[u8]) -> bool {
    let mut wanted = vec![Symbol::Nonterminal(cfg.grammar.start)];
    let mut bytes = text.iter();
    for node in &tree.nodes {
        let is_right = match (wanted.pop(), node) {
            (Some(Symbol::Terminal(terminal)), Node::Leaf(piece)) => {
                terminal == piece.terminal
                    && bytes.next().is_some_and(|&byte| cfg.sets[terminal.index()].contains(byte))
            }
            (Some(Symbol::Nonterminal(left)), Node::Rule(id)) => match cfg.grammar.rules.get(id.index()) {
                Some(rule) if rule.left == left => {
                    wanted.extend(rule.right.iter().rev());
                    true
                }
                _ => false,
            },
            _ => false,
        };
        if !is_right {
            return false;
        }
    }
    wanted.is_empty() && bytes.next().is_none()
}

fn check_none(problem: &Problem, machine: &Machine, entries: &[Entry]) -> Result<(), NoProof> {
    let Some(assertion) = problem.assertions.iter().find(|it| is_parsed(it)) else {
        // Without a grammar the automaton of the variable must have no value of any size.
        let value =
            Assertion { word: vec![Piece::Variable], language: Language::Regular(Reg::Or(Vec::new())), is_not: true };
        return match runs_beside(problem, &value, machine)? {
            true => Err(NoProof::Open),
            false => Ok(()),
        };
    };
    let Language::ContextFree(cfg, fixed) = &assertion.language else { return Err(NoProof::Malformed) };
    if assertion.is_not || assertion.n_variables() != 1 {
        return Err(NoProof::Malformed);
    }
    runs_beside(problem, assertion, machine)?;
    let table: HashMap<(What, u64, u32), &BTreeSet<u32>> =
        entries.iter().map(|entry| ((entry.what, entry.len, entry.from), &entry.to)).collect();
    let entry = |what: What, len: u64, from: u32| table.get(&(what, len, from)).copied().ok_or(NoProof::Missing);
    for (&(what, len, from), &to) in &table {
        check_entry(cfg, machine, &entry, (what, len, from), to)?;
    }
    for len in text_lens(problem, assertion, *fixed) {
        if entry(What::Nonterminal(cfg.grammar.start), len, 0)?.iter().any(|&state| machine.is_end(state)) {
            return Err(NoProof::Open);
        }
    }
    Ok(())
}

/// Whether an entry has all that follows from the others.
fn check_entry<'t>(
    cfg: &Cfg,
    machine: &Machine,
    entry: &dyn Fn(What, u64, u32) -> Result<&'t BTreeSet<u32>, NoProof>,
    (what, len, from): (What, u64, u32),
    to: &BTreeSet<u32>,
) -> Result<(), NoProof> {
    let has = |states: &BTreeSet<u32>| if states.is_subset(to) { Ok(()) } else { Err(NoProof::Missing) };
    match what {
        What::Nonterminal(nonterminal) => {
            for (number, rule) in (0..).zip(&cfg.grammar.rules) {
                if rule.left == nonterminal {
                    has(entry(What::Rest(RuleId(number), 0), len, from)?)?;
                }
            }
            Ok(())
        }
        What::Rest(rule, n_come) => {
            let right = &cfg.grammar.rules.get(rule.index()).ok_or(NoProof::Malformed)?.right;
            if n_come > right.len() {
                return Err(NoProof::Malformed);
            }
            let next = What::Rest(rule, n_come + 1);
            match right.get(n_come) {
                None if len == 0 => has(&BTreeSet::from([from])),
                None => Ok(()),
                Some(Symbol::Terminal(_)) if len == 0 => Ok(()),
                Some(Symbol::Terminal(terminal)) => {
                    let bytes = (0..=u8::MAX).filter(|&byte| cfg.sets[terminal.index()].contains(byte));
                    let states: BTreeSet<u32> = bytes.filter_map(|byte| machine.step(from, byte)).collect();
                    states.into_iter().try_for_each(|state| has(entry(next, len - 1, state)?))
                }
                Some(Symbol::Nonterminal(inner)) => {
                    for own in 0..=len {
                        for &state in entry(What::Nonterminal(*inner), own, from)? {
                            has(entry(next, len - own, state)?)?;
                        }
                    }
                    Ok(())
                }
            }
        }
    }
}

/// Whether an assertion holds for a value; nobody stops that.
fn is_true(assertion: &Assertion, value: &[u8]) -> bool {
    holds(assertion, value, &|| false) == Ok(true)
}

/// A regular assertion, as far as the variable is concerned.
struct Beside<'p> {
    assertion: &'p Assertion,
    nfa: Nfa,
    behind: Vec<u8>,
}

impl Beside<'_> {
    /// Whether the assertion holds if the variable ends here.
    fn allows(&self, states: &States) -> bool {
        let last = self.behind.iter().fold(states.clone(), |states, &byte| self.nfa.after(&states, byte));
        self.nfa.is_over(&last) != self.assertion.is_not
    }
}

/// Runs the automaton beside the regular assertions, along the text of another: whatever they allow, it has to take. Whether
/// that is anything.
fn runs_beside(problem: &Problem, along: &Assertion, machine: &Machine) -> Result<bool, NoProof> {
    let mut regular: Vec<Beside> = Vec::new();
    let mut begun: Vec<States> = Vec::new();
    let mut cuts: BTreeSet<u8> = machine.cuts();
    for assertion in problem.assertions.iter().filter(|it| it.n_variables() > 0) {
        let Language::Regular(reg) = &assertion.language else { continue };
        if assertion.n_variables() != 1 {
            return Err(NoProof::Malformed);
        }
        add_cuts(reg, &mut cuts);
        // What stands before the variable has come.
        let (before, behind) = parts(assertion);
        let nfa = Nfa::of(reg);
        begun.push(before.iter().fold(nfa.start(), |states, &byte| nfa.after(&states, byte)));
        regular.push(Beside { assertion, nfa, behind });
    }
    let (before, behind) = parts(along);
    let take = |state: Option<u32>, text: &[u8]| text.iter().try_fold(state?, |state, &byte| machine.step(state, byte));
    // Position by position: where the automaton is, if it has a way, and where each expression is.
    let mut layer = HashSet::from([(take(Some(0), &before), begun)]);
    let mut has_value = false;
    for size in 0..=*problem.sizes.end() {
        let is_end = problem.sizes.contains(&size);
        for (state, states) in layer.iter().filter(|_| is_end) {
            if regular.iter().zip(states).all(|(it, states)| it.allows(states)) {
                match take(*state, &behind).is_some_and(|last| machine.is_end(last)) {
                    true => has_value = true,
                    false => return Err(NoProof::Automaton),
                }
            }
        }
        let mut next = HashSet::new();
        for (state, states) in layer {
            for &byte in &cuts {
                let pairs = regular.iter().zip(&states);
                let left: Vec<States> = pairs.map(|(it, states)| it.nfa.after(states, byte)).collect();
                let mut pairs = regular.iter().zip(&left);
                if !pairs.any(|(it, left)| left.is_empty() && !it.assertion.is_not) {
                    next.insert((state.and_then(|state| machine.step(state, byte)), left));
                }
            }
        }
        layer = next;
    }
    Ok(has_value)
}

/// Adds bytes such that each other is in the same sets as the next smaller one of them.
fn add_cuts(reg: &Reg, cuts: &mut BTreeSet<u8>) {
    let mut add_set = |set: &ByteSet| {
        cuts.extend((1..=u8::MAX).filter(|&byte| set.contains(byte) != set.contains(byte - 1)));
    };
    match reg {
        Reg::Text(text) => text.iter().for_each(|&byte| add_set(&ByteSet::of(|it| it == byte, u8::MAX))),
        Reg::Set(set) => add_set(set),
        Reg::Star(inner) => add_cuts(inner, cuts),
        Reg::Or(parts) | Reg::Concat(parts) => parts.iter().for_each(|part| add_cuts(part, cuts)),
        Reg::Name(_) | Reg::Fix(..) => {}
    }
}

/// What stands before and behind the variable.
fn parts(assertion: &Assertion) -> (Vec<u8>, Vec<u8>) {
    let (mut before, mut behind, mut is_behind) = (Vec::new(), Vec::new(), false);
    for piece in &assertion.word {
        match piece {
            Piece::Variable => is_behind = true,
            Piece::Text(text) => if is_behind { &mut behind } else { &mut before }.extend(text),
        }
    }
    (before, behind)
}

/// As text, for a file.
impl Certificate {
    pub fn to_json(&self) -> Value {
        match self {
            Certificate::Value { value, trees } => {
                let node = |node: &Node| match node {
                    Node::Rule(rule) => json!(rule.0),
                    Node::Leaf(piece) => json!([piece.terminal.0]),
                };
                let tree =
                    |tree: &Option<Tree>| tree.as_ref().map(|tree| tree.nodes.iter().map(node).collect::<Vec<_>>());
                json!({ "value": value, "trees": trees.iter().map(tree).collect::<Vec<_>>() })
            }
            Certificate::Table { machine, entries } => {
                let entry = |entry: &Entry| match entry.what {
                    What::Nonterminal(it) => json!([[it.0], entry.len, entry.from, entry.to]),
                    What::Rest(rule, n_come) => json!([[rule.0, n_come], entry.len, entry.from, entry.to]),
                };
                let entries: Vec<Value> = entries.iter().map(entry).collect();
                json!({ "steps": machine.steps, "ends": machine.ends, "entries": entries })
            }
        }
    }

    pub fn from_json(value: &Value) -> Option<Certificate> {
        let numbers = |value: &Value| value.as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>();
        let small = |number: u64| u32::try_from(number).ok();
        if let Some(bytes) = value.get("value") {
            let bytes = numbers(bytes)?.into_iter().map(|byte| u8::try_from(byte).ok()).collect::<Option<Vec<u8>>>()?;
            let node = |node: &Value| match node.as_u64() {
                Some(rule) => Some(Node::Rule(RuleId(small(rule)?))),
                None => {
                    let terminal = TerminalId(small(*numbers(node)?.first()?)?);
                    Some(Node::Leaf(sentences::Piece { terminal, len: 1 }))
                }
            };
            let tree = |tree: &Value| match tree.as_array() {
                Some(nodes) => Some(Some(Tree { nodes: nodes.iter().map(node).collect::<Option<_>>()? })),
                None => tree.is_null().then_some(None),
            };
            let trees = value.get("trees")?.as_array()?.iter().map(tree).collect::<Option<_>>()?;
            return Some(Certificate::Value { value: bytes, trees });
        }
        let step = |step: &Value| {
            let [from, to, next] = numbers(step)?.try_into().ok()?;
            Some((u8::try_from(from).ok()?, u8::try_from(to).ok()?, small(next)?))
        };
        let row = |row: &Value| row.as_array()?.iter().map(step).collect::<Option<Vec<_>>>();
        let steps = value.get("steps")?.as_array()?.iter().map(row).collect::<Option<Vec<_>>>()?;
        let ends = value.get("ends")?.as_array()?.iter().map(Value::as_bool).collect::<Option<Vec<_>>>()?;
        let entry = |entry: &Value| {
            let [what, len, from, to] = entry.as_array()?.as_slice() else { return None };
            let what = match numbers(what)?[..] {
                [nonterminal] => What::Nonterminal(NonterminalId(small(nonterminal)?)),
                [rule, n_come] => What::Rest(RuleId(small(rule)?), usize::try_from(n_come).ok()?),
                _ => return None,
            };
            let to = numbers(to)?.into_iter().map(small).collect::<Option<BTreeSet<u32>>>()?;
            Some(Entry { what, len: len.as_u64()?, from: small(from.as_u64()?)?, to })
        };
        let entries = value.get("entries")?.as_array()?.iter().map(entry).collect::<Option<Vec<_>>>()?;
        Some(Certificate::Table { machine: Machine { steps, ends }, entries })
    }
}
