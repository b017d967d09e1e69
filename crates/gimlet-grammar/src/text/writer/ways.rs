//! The ways on which a scanner can take one piece of text.
//!
//! In a start condition, rules that hand on the same terminal and leave the scanner in the same state are one way, whose
//! language is what makes one of them win: the texts that lead the scanner's own automaton there.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::grammar::TerminalId;
use crate::regular::byte_set::ByteSet;
use crate::regular::dfa::{sets, Dfa};
use crate::scanner::automaton::State;
use crate::scanner::effect::{Outcome, Taken, Token};
use crate::scanner::Scanner;
use crate::scanner::{ConditionId, RuleId};

/// States of the language of a way; what is larger is not used.
const N_STATES_MAX: usize = 20_000;

/// The longest text between tokens that is thought of.
const SEPARATOR_LEN_MAX: u32 = 16;

/// Texts of a way, with the state that the scanner's automaton is in behind each state.
#[derive(Debug)]
pub struct Language {
    pub dfa: Rc<Dfa>,
    pub labels: Vec<State>,
}

/// A way to take a piece of text.
#[derive(Clone, Debug)]
pub struct Way {
    /// What the parser gets, if it gets anything: a number of the caller's.
    pub class: Option<u32>,
    pub language: Rc<Language>,
    /// What it does to the scanner.
    pub change: Outcome,
    /// Its last byte is a newline.
    pub ends_line: bool,
    /// The rule, if what follows decides whether it wins.
    pub guarded: Option<RuleId>,
    /// The program may do something else.
    pub is_doubtful: bool,
    /// For ways without a token: short texts that are good between others, with what they cost.
    pub separators: Vec<(u32, Vec<u8>)>,
}

/// What makes rules one way.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    class: Option<u32>,
    change: Outcome,
    guarded: Option<RuleId>,
    is_doubtful: bool,
}

/// A rule with what its text must begin with, and the terminal whose texts the user may have said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Part {
    rule: RuleId,
    first: Option<ByteSet>,
    said: Option<TerminalId>,
}

/// A state of a language in the making: that of the scanner, what the text begins with, whether it ends with a newline,
/// and what the user said.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Walk {
    state: State,
    first: Option<u8>,
    is_line: bool,
    said: Option<u32>,
}

/// Languages that were made before: those of a table, of parts of it, that end a line or don't.
#[derive(Default, Debug)]
pub struct Languages {
    known: FxHashMap<(usize, Vec<Part>, bool), Option<Rc<Language>>>,
    /// By table: the states that lead to each one, and the rules that win in them.
    sources: FxHashMap<usize, Rc<Vec<Vec<State>>>>,
}

/// All ways in a condition.
pub fn ways(
    scanner: &Scanner,
    classes: &[u32],
    languages: &mut Languages,
    condition: ConditionId,
    at_line_start: bool,
) -> Vec<Way> {
    let mut groups: FxHashMap<Key, Vec<Part>> = FxHashMap::default();
    for rule in winning(scanner, condition, at_line_start) {
        for (key, part) in parts(scanner, classes, condition, rule) {
            let group = groups.entry(key).or_default();
            if !group.contains(&part) {
                group.push(part);
            }
        }
    }
    let mut groups: Vec<(Key, Vec<Part>)> = groups.into_iter().collect();
    groups.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut ways = Vec::new();
    for (key, parts) in groups {
        for ends_line in [false, true] {
            let table = scanner.automaton.table_number(condition, at_line_start);
            let known = languages.known.get(&(table, parts.clone(), ends_line)).cloned();
            let found = known.unwrap_or_else(|| {
                let sources = languages.sources.entry(table);
                let sources = sources.or_insert_with(|| Rc::new(sources_of(scanner, condition, at_line_start))).clone();
                let made = language(scanner, condition, at_line_start, &sources, &parts, ends_line).map(Rc::new);
                languages.known.insert((table, parts.clone(), ends_line), made.clone());
                made
            });
            let Some(language) = found else { continue };
            let separators = match key.class {
                None => separators(&language.dfa, &key.change, key.is_doubtful),
                Some(_) => Vec::new(),
            };
            ways.push(Way {
                class: key.class,
                language,
                change: key.change.clone(),
                ends_line,
                guarded: key.guarded,
                is_doubtful: key.is_doubtful,
                separators,
            });
        }
    }
    ways
}

/// Rules that win somewhere in a table.
fn winning(scanner: &Scanner, condition: ConditionId, at_line_start: bool) -> Vec<RuleId> {
    let dfa = scanner.automaton.dfa(condition, at_line_start);
    let rule = |state| scanner.automaton.accepts(condition, at_line_start, state).flatten();
    let rules: FxHashSet<RuleId> = (0..dfa.n_states() as State).filter_map(rule).collect();
    let mut rules: Vec<RuleId> = rules.into_iter().collect();
    rules.sort_unstable();
    rules
}

/// What a rule can do that is of use.
fn parts(scanner: &Scanner, classes: &[u32], condition: ConditionId, rule: RuleId) -> Vec<(Key, Part)> {
    let effect = scanner.effects.of(rule);
    if effect.unknown.is_some() {
        return Vec::new();
    }
    let possible: Vec<&Outcome> =
        effect.outcomes.iter().filter(|it| it.conditions.is_empty() || it.conditions.contains(&condition)).collect();
    let mut parts = Vec::new();
    for outcome in &possible {
        let is_usable = match &outcome.taken {
            Taken::All => true,
            Taken::To { with_ending, .. } => *with_ending,
            Taken::First(_) | Taken::AllBut(_) => false,
        };
        if !is_usable {
            continue;
        }
        let is_doubtful = possible.iter().any(|other| {
            !std::ptr::eq(*other, *outcome)
                && (other.token != outcome.token || other.state_change() != outcome.state_change())
                && !matches!(other.token, Some(Token::End | Token::Stop))
                && match (&other.first_bytes, &outcome.first_bytes) {
                    (Some(a), Some(b)) => (0..=u8::MAX).any(|byte| a.contains(byte) && b.contains(byte)),
                    _ => true,
                }
        });
        let guarded = scanner.lex.rule(rule).trailing.as_ref().map(|_| rule);
        let key = |class| Key { class, change: outcome.state_change(), guarded, is_doubtful };
        match &outcome.token {
            None => parts.push((key(None), Part { rule, first: outcome.first_bytes, said: None })),
            Some(Token::FirstByte) => {
                for byte in 0..=u8::MAX {
                    let Some(terminal) = scanner.terminal(&Token::Char(byte)) else { continue };
                    if byte == 0 || outcome.first_bytes.is_some_and(|set| !set.contains(byte)) {
                        continue;
                    }
                    let first = Some(ByteSet::of(|it| it == byte, u8::MAX));
                    parts.push((key(Some(classes[terminal.index()])), Part { rule, first, said: None }));
                }
            }
            Some(Token::End | Token::Stop | Token::Unknown) => {}
            Some(token) => {
                let Some(terminal) = scanner.terminal(token) else { continue };
                let said = scanner.said(terminal).is_some().then_some(terminal);
                // What the user said leaves no doubt.
                let key = Key { is_doubtful: is_doubtful && said.is_none(), ..key(Some(classes[terminal.index()])) };
                parts.push((key, Part { rule, first: outcome.first_bytes, said }));
            }
        }
    }
    parts
}

/// `None` if there are no texts, or too many to tell.
fn language(
    scanner: &Scanner,
    condition: ConditionId,
    at_line_start: bool,
    sources: &[Vec<State>],
    parts: &[Part],
    ends_line: bool,
) -> Option<Language> {
    let automaton = &scanner.automaton;
    let table = automaton.dfa(condition, at_line_start);
    let guarded = parts.first().map(|part| part.rule).filter(|&rule| scanner.lex.rule(rule).trailing.is_some());
    if let Some(rule) = guarded {
        // The rule's own text; whether it wins is seen when the rest is there.
        let own = Dfa::new(&scanner.lex.rule(rule).pattern).ok()?;
        let step = |&(state, _): &(u32, bool), byte: u8| Some((own.step(state, byte)?, byte == b'\n'));
        let accepts = |&(state, is_line): &(u32, bool)| own.is_accepting(state) && is_line == ends_line;
        let sets = sets(|byte| (own.class_of(byte), byte == b'\n'));
        let (dfa, _) = Dfa::explored((Dfa::START, false), &sets, step, accepts, N_STATES_MAX)?;
        let labels = vec![table.start; dfa.n_states()];
        return (!dfa.is_empty()).then(|| Language { dfa: Rc::new(dfa), labels });
    }
    let wins = |state: State| automaton.accepts(condition, at_line_start, state).flatten();
    let is_end = |&state: &State| wins(state).is_some_and(|rule| parts.iter().any(|part| part.rule == rule));
    let ends: Vec<State> = (0..table.n_states() as State).filter(is_end).collect();
    let is_useful = reaching(sources, ends);
    let has_firsts = parts.iter().any(|part| part.first.is_some());
    let said = parts.iter().find_map(|part| part.said).and_then(|terminal| scanner.said(terminal));
    let start = Walk { state: table.start, first: None, is_line: false, said: said.map(|_| Dfa::START) };
    let step = |walk: &Walk, byte: u8| {
        let state = table.step(walk.state, byte);
        let said = match (walk.said, said) {
            (Some(at), Some(said)) => Some(said.step(at, byte)?),
            _ => None,
        };
        let first = if has_firsts { walk.first.or(Some(byte)) } else { None };
        is_useful[state as usize].then_some(Walk { state, first, is_line: byte == b'\n', said })
    };
    let accepts = |walk: &Walk| {
        let Some(rule) = wins(walk.state) else { return false };
        let is_part = |part: &Part| {
            part.rule == rule
                && match (&part.first, walk.first) {
                    (Some(set), Some(byte)) => set.contains(byte),
                    _ => true,
                }
        };
        let is_said = walk.said.is_none_or(|at| said.is_some_and(|said| said.is_accepting(at)));
        walk.is_line == ends_line && is_said && parts.iter().any(is_part)
    };
    // The empty text is none.
    let accepts = |walk: &Walk| *walk != start && accepts(walk);
    let firsts: Vec<ByteSet> = parts.iter().filter_map(|part| part.first).collect();
    let sets = sets(|byte| {
        let firsts: Vec<bool> = firsts.iter().map(|set| set.contains(byte)).collect();
        (table.class_of(byte), byte == b'\n', said.map(|said| said.class_of(byte)), firsts)
    });
    let (dfa, labels) = Dfa::explored(start.clone(), &sets, step, accepts, N_STATES_MAX)?;
    (!dfa.is_empty())
        .then(|| Language { dfa: Rc::new(dfa), labels: labels.into_iter().map(|walk| walk.state).collect() })
}

/// By state, those that lead to it.
fn sources_of(scanner: &Scanner, condition: ConditionId, at_line_start: bool) -> Vec<Vec<State>> {
    let table = scanner.automaton.dfa(condition, at_line_start);
    let sets = sets(|byte| table.class_of(byte));
    let mut sources = vec![Vec::new(); table.n_states()];
    for state in 0..table.n_states() as State {
        for set in &sets {
            sources[table.step(state, set[0]) as usize].push(state);
        }
    }
    sources
}

/// The states from which one of these is reached.
fn reaching(sources: &[Vec<State>], ends: Vec<State>) -> Vec<bool> {
    let mut reaches = vec![false; sources.len()];
    let mut pending = ends;
    while let Some(state) = pending.pop() {
        if !std::mem::replace(&mut reaches[state as usize], true) {
            pending.extend(&sources[state as usize]);
        }
    }
    reaches
}

/// Short texts without a token: blanks are better than others, and what does nothing else is.
fn separators(dfa: &Dfa, change: &Outcome, is_doubtful: bool) -> Vec<(u32, Vec<u8>)> {
    let ending = match &change.taken {
        Taken::To { ending, .. } => ending.as_slice(),
        _ => b"",
    };
    let price = |byte: &u8| match byte {
        b' ' => 10,
        b'\n' => 11,
        b'\t' => 12,
        _ => 20,
    };
    let cost = |text: &[u8]| text.iter().chain(ending).map(price).sum::<u32>() + 1000 * u32::from(is_doubtful);
    let blanks: [&[u8]; 5] = [b" ", b"\n", b"\t", b"  ", b" \n"];
    let mut texts: Vec<Vec<u8>> = blanks.iter().filter(|text| dfa.accepts(text)).map(|text| text.to_vec()).collect();
    texts.extend(dfa.shortest().filter(|text| text.len() <= SEPARATOR_LEN_MAX as usize));
    texts.dedup();
    texts.into_iter().map(|text| (cost(&text), text)).collect()
}
