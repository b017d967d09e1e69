//! What a run says about its tokens.

use std::rc::Rc;

use gimlet_expr::{Dag, ExprId, Node};
use gimlet_grammar::TerminalId;
use rustc_hash::FxHashMap;

/// A text as the tokens that it consists of, with where each of them stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sentence {
    pub tokens: Vec<TerminalId>,
    pub spans: Vec<(usize, usize)>,
}

/// The program's scanner returned something that the grammar's does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The number of the token, from 0 on; one behind the last is the end.
    pub token: usize,
    pub value: u64,
    /// What the grammar's scanner says; none at the end, or behind it.
    pub expected: Option<TerminalId>,
}

/// The token variables of a run.
#[derive(Clone, Debug)]
pub struct Tokens {
    pub sentence: Sentence,
    /// By token, as far as the program read them and they are what the grammar says; the one behind the last is the end.
    /// The numbers of its bytes.
    variables: Vec<Vec<u32>>,
    /// By step: the tokens that it depends on, and those on whose texts it does, in ascending order.
    by_step: Vec<Depends>,
    /// By token: the steps that depend on it, and those that depend on its text, in ascending order.
    steps: Vec<Vec<u32>>,
    steps_of_text: Vec<Vec<u32>>,
    /// By number of an input byte.
    names: Vec<u32>,
    /// By step: the first and the last token whose text it looks at, where that comes to nothing with texts of this length.
    folded: Vec<Option<(u32, u32)>>,
    /// By step: what it computes, whatever the bytes are.
    shapes: Vec<u64>,
}

/// Bytes of a token that have names of their own.
const N_NAMES: u32 = 1 << 10;

#[derive(Clone, Default, Debug)]
struct Depends {
    tokens: Vec<u32>,
    texts: Vec<u32>,
}

/// What an expression depends on: twice the number of a token, and one more for its text; in ascending order.
type Support = Rc<[u32]>;

impl Tokens {
    /// The variables of the first tokens are these bytes, and so are their texts; the conditions are those of all steps.
    pub fn new(
        sentence: Sentence,
        variables: Vec<Vec<u32>>,
        texts: &[Vec<u32>],
        dag: &Dag,
        conditions: impl IntoIterator<Item = ExprId>,
    ) -> Tokens {
        let mut of_byte: FxHashMap<u32, u32> = FxHashMap::default();
        let all = variables.iter().chain(texts).flatten();
        let mut names: Vec<u32> = (0..all.max().map_or(0, |&last| last + 1)).collect();
        for (of_what, all) in [&variables[..], texts].into_iter().enumerate() {
            for (token, bytes) in all.iter().enumerate() {
                let what = (2 * token + of_what) as u32;
                for (at, &byte) in (0..N_NAMES).zip(bytes) {
                    names[byte as usize] = 1 << 31 | what.wrapping_mul(N_NAMES) | at;
                }
                of_byte.extend(bytes.iter().map(|&byte| (byte, what)));
            }
        }
        let supports = supports(dag, &of_byte);
        let (mut steps, mut steps_of_text) = (vec![Vec::new(); variables.len()], vec![Vec::new(); texts.len()]);
        let mut by_step = Vec::new();
        for (step, condition) in (0..).zip(conditions) {
            let mut depends = Depends::default();
            for &what in supports[condition.index()].iter() {
                let (own, steps) = match what % 2 {
                    0 => (&mut depends.tokens, &mut steps),
                    _ => (&mut depends.texts, &mut steps_of_text),
                };
                own.push(what / 2);
                steps[(what / 2) as usize].push(step);
            }
            by_step.push(depends);
        }
        Tokens { sentence, variables, by_step, steps, steps_of_text, names, folded: Vec::new(), shapes: Vec::new() }
    }

    /// With steps that depend on nothing only because no text of its length makes a difference: one digit is never 4711.
    /// And with what each step computes.
    pub fn with_folded(self, folded: Vec<Option<(u32, u32)>>, shapes: Vec<u64>) -> Tokens {
        Tokens { folded, shapes, ..self }
    }

    /// What a step computes, constants included, as a number.
    pub fn shape(&self, step: usize) -> u64 {
        self.shapes.get(step).copied().unwrap_or(0)
    }

    /// Whether a step is one of those.
    pub fn is_folded(&self, step: usize) -> bool {
        self.folded.get(step).is_some_and(|tokens| tokens.is_some())
    }

    /// The tokens that a step depends on.
    pub fn of_step(&self, step: usize) -> &[u32] {
        self.by_step.get(step).map_or(&[], |depends| &depends.tokens)
    }

    /// The last and the first token on whose text a step depends.
    pub fn texts_of(&self, step: usize) -> Vec<u32> {
        let known = self.by_step.get(step).and_then(|it| Some((*it.texts.first()?, *it.texts.last()?)));
        match known.or_else(|| self.folded.get(step).copied().flatten()) {
            Some((first, last)) if first == last => vec![last],
            Some((first, last)) => vec![last, first],
            None => Vec::new(),
        }
    }

    /// Whether a step depends on the text of any.
    pub fn has_texts(&self, step: usize) -> bool {
        self.is_folded(step) || self.by_step.get(step).is_some_and(|depends| !depends.texts.is_empty())
    }

    /// Whether a step before one depends on the text of a token.
    pub fn is_read_before(&self, step: usize, token: usize) -> bool {
        self.steps_of_text.get(token).and_then(|steps| steps.first()).is_some_and(|&first| (first as usize) < step)
    }

    /// The steps before one that depend on a token.
    pub fn steps_before(&self, step: usize, token: u32) -> impl Iterator<Item = usize> + '_ {
        let steps = self.steps.get(token as usize).into_iter().flatten();
        steps.map(|&step| step as usize).take_while(move |&earlier| earlier < step)
    }

    /// One more than the last token that any of the steps before one looked at.
    pub fn n_looked_at(&self, step: usize) -> usize {
        let last = |token: &u32| self.steps_before(step, *token).next().is_some();
        (0..self.variables.len() as u32).rev().find(last).map_or(0, |token| token as usize + 1)
    }

    /// What each input byte is called, whatever stands before its token.
    pub fn names(&self) -> &[u32] {
        &self.names
    }

    /// The numbers of the bytes of a token's variable.
    pub fn bytes(&self, token: u32) -> &[u32] {
        self.variables.get(token as usize).map_or(&[], |bytes| bytes)
    }

    /// Puts a value into a token's variable.
    pub fn set(&self, flat: &mut [u8], token: u32, value: u64) {
        for (byte, value) in self.bytes(token).iter().zip(value.to_le_bytes()) {
            if let Some(cell) = flat.get_mut(*byte as usize) {
                *cell = value;
            }
        }
    }
}

/// By expression.
fn supports(dag: &Dag, of_byte: &FxHashMap<u32, u32>) -> Vec<Support> {
    let none: Support = Rc::new([]);
    let mut supports: Vec<Support> = Vec::with_capacity(dag.len());
    let mut of_tables: FxHashMap<usize, Support> = FxHashMap::default();
    for position in 0..dag.len() {
        let node = dag.node(dag.id(position));
        let mut all = none.clone();
        match node {
            Node::Byte(byte) => {
                if let Some(&what) = of_byte.get(&byte) {
                    all = Rc::new([what]);
                }
            }
            Node::Lookup { table, .. } => {
                let of_cells = of_tables.entry(table.index()).or_insert_with(|| {
                    let cells = dag.table(table).symbolic().iter();
                    cells.into_iter().fold(none.clone(), |all, (_, cell)| union(&all, &supports[cell.index()]))
                });
                all = of_cells.clone();
            }
            _ => {}
        }
        for operand in node.operands() {
            all = union(&all, &supports[operand.index()]);
        }
        supports.push(all);
    }
    supports
}

fn union(one: &Support, other: &Support) -> Support {
    if other.is_empty() || Rc::ptr_eq(one, other) || one == other {
        return one.clone();
    }
    if one.is_empty() {
        return other.clone();
    }
    let mut all: Vec<u32> = one.iter().chain(other.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}
