//! Automata of what regular assertions say about the variable.

use std::ops::RangeInclusive;

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::regular::dfa::{sets, Dfa};
use gimlet_grammar::regular::readability::rank;

use super::problem::{hir, Assertion, Language, Piece, Problem};
use super::Gap;

/// States of an automaton; where there are more, another way is taken.
const N_STATES_MAX: usize = 50_000;

/// States of all lengths together.
const N_REACHED_MAX: usize = 500_000_000;

/// What stands before and behind the only variable of a text.
pub(super) fn around(assertion: &Assertion) -> (Vec<u8>, Vec<u8>) {
    let at = assertion.word.iter().position(|piece| *piece == Piece::Variable).unwrap_or(0);
    let bytes = |pieces: &[Piece]| {
        let texts = pieces.iter().map(|piece| if let Piece::Text(text) = piece { text.as_slice() } else { b"" });
        texts.collect::<Vec<_>>().concat()
    };
    (bytes(&assertion.word[..at]), bytes(&assertion.word[at + 1..]))
}

/// One assertion, as far as the variable is concerned.
struct Part {
    dfa: Dfa,
    start: Option<u32>,
    behind: Vec<u8>,
    is_not: bool,
}

impl Part {
    fn new(assertion: &Assertion, dfa: Dfa) -> Part {
        let (before, behind) = around(assertion);
        let start = run(&dfa, Some(Dfa::START), &before);
        Part { dfa, start, behind, is_not: assertion.is_not }
    }

    fn accepts(&self, state: Option<u32>) -> bool {
        run(&self.dfa, state, &self.behind).is_some_and(|state| self.dfa.is_accepting(state)) != self.is_not
    }
}

fn run(dfa: &Dfa, state: Option<u32>, text: &[u8]) -> Option<u32> {
    text.iter().try_fold(state?, |state, &byte| dfa.step(state, byte))
}

/// The values that all regular assertions with one variable allow.
pub(super) fn values(problem: &Problem) -> Result<Dfa, Gap> {
    let mut parts = Vec::new();
    for assertion in problem.assertions.iter().filter(|it| it.n_variables() == 1) {
        if let Language::Regular(reg) = &assertion.language {
            let dfa = Dfa::new(&hir(reg)).map_err(|_| Gap::TooLarge)?;
            parts.push(Part::new(assertion, dfa.minimized()));
        }
    }
    type States = Vec<Option<u32>>;
    let sets = sets(|byte| parts.iter().map(|part| part.dfa.class_of(byte)).collect::<Vec<_>>());
    let step = |states: &States, byte: u8| {
        let pairs = states.iter().zip(&parts);
        let next: States = pairs.map(|(state, part)| state.and_then(|state| part.dfa.step(state, byte))).collect();
        // What is no beginning of a text that has to be there is over.
        let is_over = next.iter().zip(&parts).any(|(state, part)| state.is_none() && !part.is_not);
        (!is_over).then_some(next)
    };
    let accepts = |states: &States| states.iter().zip(&parts).all(|(&state, part)| part.accepts(state));
    let start: States = parts.iter().map(|part| part.start).collect();
    if start.iter().zip(&parts).any(|(state, part)| state.is_none() && !part.is_not) {
        return Dfa::new(&regex_syntax::hir::Hir::fail()).map_err(|_| Gap::TooLarge);
    }
    let made = Dfa::explored(start, &sets, step, accepts, N_STATES_MAX).ok_or(Gap::TooLarge)?;
    Ok(made.0.minimized())
}

/// Values that begin with some bytes, and whose next one is not among some.
pub(super) fn restricted(dfa: &Dfa, prefix: &[u8], excluded: &ByteSet) -> Result<Dfa, Gap> {
    if prefix.is_empty() && excluded.is_empty() {
        return Ok(dfa.clone());
    }
    let step = |&(at, state): &(usize, u32), byte: u8| {
        let is_allowed = match prefix.get(at) {
            Some(&wanted) => byte == wanted,
            None => at > prefix.len() || !excluded.contains(byte),
        };
        let next = dfa.step(state, byte).filter(|_| is_allowed)?;
        Some(((at + 1).min(prefix.len() + 1), next))
    };
    let accepts = |&(_, state): &(usize, u32)| dfa.is_accepting(state);
    let sets = sets(|byte| (dfa.class_of(byte), prefix.contains(&byte).then_some(byte), excluded.contains(byte)));
    let made = Dfa::explored((0, Dfa::START), &sets, step, accepts, N_STATES_MAX).ok_or(Gap::TooLarge)?;
    Ok(made.0)
}

/// Texts that are a value between two others. Where the value ends is not said: whoever knows the length of the text does.
pub(super) fn between(dfa: &Dfa, before: &[u8], behind: &[u8]) -> Result<Dfa, Gap> {
    if before.is_empty() && behind.is_empty() {
        return Ok(dfa.clone());
    }
    /// The bytes before, then a state of the value, and how much may have come of what is behind it.
    #[derive(Clone, PartialEq, Eq, Hash)]
    enum At {
        Before(usize),
        In(Option<u32>, Vec<usize>),
    }
    let enter = |state: Option<u32>, mut ends: Vec<usize>| {
        if state.is_some_and(|state| dfa.is_accepting(state)) {
            ends.insert(0, 0);
        }
        At::In(state, ends)
    };
    let begin = |n_come: usize| match n_come == before.len() {
        true => enter(Some(Dfa::START), Vec::new()),
        false => At::Before(n_come),
    };
    let step = |at: &At, byte: u8| match at {
        At::Before(n_come) => (before[*n_come] == byte).then(|| begin(n_come + 1)),
        At::In(state, ends) => {
            let next = state.and_then(|state| dfa.step(state, byte));
            let ends: Vec<usize> =
                ends.iter().filter(|&&end| behind.get(end) == Some(&byte)).map(|end| end + 1).collect();
            (next.is_some() || !ends.is_empty()).then(|| enter(next, ends))
        }
    };
    let accepts = |at: &At| matches!(at, At::In(_, ends) if ends.contains(&behind.len()));
    let sets = sets(|byte| (dfa.class_of(byte), (before.contains(&byte) || behind.contains(&byte)).then_some(byte)));
    let made = Dfa::explored(begin(0), &sets, step, accepts, N_STATES_MAX).ok_or(Gap::TooLarge)?;
    Ok(made.0.minimized())
}

/// A text of the least of some lengths that there is one of, in readable bytes.
pub(super) fn find(
    dfa: &Dfa,
    sizes: &RangeInclusive<u64>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<Vec<u8>>, Gap> {
    let n_states = dfa.n_states();
    let mut first = vec![false; n_states];
    first[Dfa::START as usize] = true;
    // By length: the states that are reached.
    let mut layers = vec![first];
    loop {
        let len = layers.len() - 1;
        let here = &layers[len];
        if here.iter().all(|is_reached| !is_reached) || len as u64 > *sizes.end() {
            return Ok(None);
        }
        if len as u64 >= *sizes.start() && (0..n_states).any(|it| here[it] && dfa.is_accepting(it as u32)) {
            break;
        }
        if len * n_states > N_REACHED_MAX {
            return Err(Gap::TooLarge);
        }
        if is_stopped() {
            return Err(Gap::Stopped);
        }
        let mut next = vec![false; n_states];
        for state in (0..n_states).filter(|&state| here[state]) {
            dfa.steps(state as u32).for_each(|(_, to)| next[to as usize] = true);
        }
        layers.push(next);
    }
    // Backwards, so that no way is gone in vain.
    let best = |bytes: &[u8]| bytes.iter().copied().min_by_key(|&byte| (rank(byte), byte));
    let mut text = Vec::new();
    let Some(last) = layers.pop() else { return Ok(None) };
    let Some(mut at) = (0..n_states as u32).find(|&it| last[it as usize] && dfa.is_accepting(it)) else {
        return Ok(None);
    };
    for layer in layers.iter().rev() {
        let states = (0..n_states as u32).filter(|&state| layer[state as usize]);
        let ways = states.flat_map(|state| dfa.steps(state).map(move |(bytes, to)| (state, bytes, to)));
        let ways = ways.filter(|(_, _, to)| *to == at).filter_map(|(from, bytes, _)| Some((best(bytes)?, from)));
        let Some((byte, from)) = ways.min_by_key(|&(byte, from)| (rank(byte), byte, from)) else { return Ok(None) };
        text.push(byte);
        at = from;
    }
    text.reverse();
    Ok(Some(text))
}
