//! The language of a hole as conditions on its bytes.
//!
//! The texts of one length are a finite language: the automaton is unrolled over the positions, without states from which
//! no text ends there, and states with equal futures are made one. Where a position has one state, what comes before it and
//! what comes behind it are independent, so the texts fall into parts. A part of one byte is a set of bytes, which the
//! solver's domains decide exactly; a longer one is a chain of lookups, from a state and a byte to the next state.

use gimlet_expr::{BinOp, Dag, ExprId};
use gimlet_grammar::regular::dfa::Dfa;
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of so many ranges is asked for range by range, a larger one by a table.
const N_RANGES_MAX: usize = 4;

/// The state from which no text ends.
const DEAD: u32 = 0;
const FIRST: u32 = 1;

/// The texts of one length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Texts {
    parts: Vec<Part>,
}

/// Positions whose bytes depend on each other.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Part {
    first: usize,
    /// One for each position; the first has one state.
    layers: Vec<Layer>,
}

/// The state that each byte leads to.
type Row = [u32; 256];

/// What the bytes at one position do.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Layer {
    /// By state from [`FIRST`] on: the state that each byte leads to.
    rows: Vec<Row>,
}

impl Texts {
    /// The texts of a language that have `len` bytes.
    pub fn new(language: &Dfa, len: usize) -> Texts {
        let mut parts: Vec<Part> = Vec::new();
        for (position, layer) in unroll(language, len).into_iter().enumerate() {
            match parts.last_mut() {
                Some(part) if layer.rows.len() > 1 => part.layers.push(layer),
                _ => parts.push(Part { first: position, layers: vec![layer] }),
            }
        }
        Texts { parts }
    }

    /// What is to be true of the bytes of a hole.
    pub fn conditions(&self, dag: &mut Dag, bytes: &[ExprId]) -> Vec<ExprId> {
        self.parts.iter().flat_map(|part| part.conditions(dag, &bytes[part.first..])).collect()
    }
}

/// One layer for each position, with the states that are reached there and lead to an end.
fn unroll(language: &Dfa, len: usize) -> Vec<Layer> {
    let mut reached: Vec<Vec<u32>> = vec![vec![Dfa::START]];
    for position in 0..len {
        let next = |&state: &u32| (0..=255).filter_map(move |byte| language.step(state, byte));
        let next: FxHashSet<u32> = reached[position].iter().flat_map(next).collect();
        let mut next: Vec<u32> = next.into_iter().collect();
        next.sort_unstable();
        reached.push(next);
    }
    let ends = reached.pop().unwrap_or_default().into_iter().filter(|&state| language.is_accepting(state));
    let mut numbers: FxHashMap<u32, u32> = ends.map(|state| (state, FIRST)).collect();
    let mut layers = Vec::with_capacity(len);
    for states in reached.iter().rev() {
        let mut rows: Vec<Row> = Vec::new();
        let mut known: FxHashMap<Row, u32> = FxHashMap::default();
        let mut earlier: FxHashMap<u32, u32> = FxHashMap::default();
        for &state in states {
            let lead = |byte: usize| language.step(state, byte as u8).and_then(|next| numbers.get(&next).copied());
            let row: Row = std::array::from_fn(|byte| lead(byte).unwrap_or(DEAD));
            if row.iter().all(|&next| next == DEAD) {
                continue;
            }
            let number = *known.entry(row).or_insert_with_key(|row| {
                rows.push(*row);
                FIRST + rows.len() as u32 - 1
            });
            earlier.insert(state, number);
        }
        numbers = earlier;
        layers.push(Layer { rows });
    }
    layers.reverse();
    layers
}

impl Part {
    fn conditions(&self, dag: &mut Dag, bytes: &[ExprId]) -> Vec<ExprId> {
        let sets = self.layers.iter().zip(bytes).filter_map(|(layer, &byte)| layer.set(dag, byte));
        let mut conditions: Vec<ExprId> = sets.collect();
        if self.layers.len() > 1 {
            let mut state = dag.constant(8, u128::from(FIRST));
            for (position, (layer, &byte)) in self.layers.iter().zip(bytes).enumerate() {
                // Whoever comes to the end is in the first state of what follows.
                let n_next = self.layers.get(position + 1).map_or(1, |next| next.rows.len());
                state = layer.next(dag, state, byte, n_next);
            }
            let end = dag.constant(dag.width(state), u128::from(FIRST));
            conditions.push(dag.binary(BinOp::Eq, state, end));
        }
        conditions
    }
}

impl Layer {
    /// Says that a byte is one of those of the texts; nothing if any is.
    fn set(&self, dag: &mut Dag, byte: ExprId) -> Option<ExprId> {
        let is_member: [bool; 256] = std::array::from_fn(|value| self.rows.iter().any(|row| row[value] != DEAD));
        let ranges = ranges(&is_member);
        if ranges == [(0, 255)] {
            return None;
        }
        if ranges.len() > N_RANGES_MAX {
            let table = dag.intern_table_bytes(0, is_member.map(u8::from).to_vec(), Vec::new());
            let addr = dag.zext(64, byte);
            let found = dag.lookup(table, addr, 8);
            return Some(dag.extract(0, 1, found));
        }
        let mut any = dag.boolean(false);
        for (first, last) in ranges {
            let of_range = in_range(dag, byte, first, last);
            any = dag.binary(BinOp::Or, any, of_range);
        }
        Some(any)
    }

    /// The state that a byte leads to.
    fn next(&self, dag: &mut Dag, state: ExprId, byte: ExprId, n_next: usize) -> ExprId {
        let (class_of, columns) = self.classes();
        let class_bits = usize::BITS - (columns.len() - 1).leading_zeros();
        let cell_bytes = match n_next {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        };
        let mut cells = vec![0; ((self.rows.len() + 1) << class_bits) * cell_bytes];
        for (state, row) in (FIRST as usize..).zip(&self.rows) {
            for (class, &example) in columns.iter().enumerate() {
                let at = (state << class_bits | class) * cell_bytes;
                let next = row[usize::from(example)].to_le_bytes();
                cells[at..at + cell_bytes].copy_from_slice(&next[..cell_bytes]);
            }
        }
        let classes = dag.intern_table_bytes(0, class_of.to_vec(), Vec::new());
        let table = dag.intern_table_bytes(0, cells, Vec::new());
        let byte = dag.zext(64, byte);
        let class = dag.lookup(classes, byte, 8);
        let class = dag.zext(64, class);
        let state = dag.zext(64, state);
        let bits = dag.constant(64, u128::from(class_bits));
        let row = dag.binary(BinOp::Shl, state, bits);
        let cell = dag.binary(BinOp::Or, row, class);
        let scale = dag.constant(64, u128::from(cell_bytes.ilog2()));
        let addr = dag.binary(BinOp::Shl, cell, scale);
        dag.lookup(table, addr, 8 * cell_bytes as u32)
    }

    /// Bytes that lead to the same from every state have one class: the class of each byte, and a byte of each class.
    fn classes(&self) -> ([u8; 256], Vec<u8>) {
        let mut known: FxHashMap<Vec<u32>, u8> = FxHashMap::default();
        let mut examples = Vec::new();
        let class_of = std::array::from_fn(|byte| {
            let column: Vec<u32> = self.rows.iter().map(|row| row[byte]).collect();
            *known.entry(column).or_insert_with(|| {
                examples.push(byte as u8);
                (examples.len() - 1) as u8
            })
        });
        (class_of, examples)
    }
}

/// The members of a set as ranges.
fn ranges(is_member: &[bool; 256]) -> Vec<(u8, u8)> {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for value in (0..=255).filter(|&value| is_member[usize::from(value)]) {
        match ranges.last_mut() {
            Some((_, last)) if value > 0 && *last == value - 1 => *last = value,
            _ => ranges.push((value, value)),
        }
    }
    ranges
}

fn in_range(dag: &mut Dag, byte: ExprId, first: u8, last: u8) -> ExprId {
    let low = dag.constant(8, u128::from(first));
    if first == last {
        return dag.binary(BinOp::Eq, byte, low);
    }
    let above = dag.binary(BinOp::Sub, byte, low);
    let size = dag.constant(8, u128::from(last - first));
    dag.binary(BinOp::Ule, above, size)
}

#[cfg(test)]
mod unit_tests {
    use gimlet_expr::Evaluator;
    use proptest::prelude::*;

    use super::*;

    fn dfa(pattern: &str) -> Dfa {
        let hir = regex_syntax::ParserBuilder::new().utf8(false).unicode(false).build().parse(pattern).unwrap();
        Dfa::new(&hir).unwrap()
    }

    /// Whether the conditions hold, for each of some texts of one length.
    fn holds(texts: &Texts, len: usize, inputs: &[Vec<u8>]) -> Vec<bool> {
        let mut dag = Dag::new();
        let bytes: Vec<ExprId> = (0..len as u32).map(|byte| dag.byte(byte)).collect();
        let conditions = texts.conditions(&mut dag, &bytes);
        let mut evaluator = Evaluator::new(&[]);
        let mut holds = |input: &Vec<u8>| {
            evaluator.set_input(input);
            conditions.iter().all(|&condition| evaluator.eval(&dag, condition) == 1)
        };
        inputs.iter().map(&mut holds).collect()
    }

    /// The lengths of the parts.
    fn check(pattern: &str, len: usize, parts: &[usize]) {
        let texts = Texts::new(&dfa(pattern), len);
        assert_eq!(texts.parts.iter().map(|part| part.layers.len()).collect::<Vec<_>>(), parts, "{pattern} {len}");
    }

    #[test]
    fn independent_bytes_are_apart() {
        check("[a-z][a-z0-9]*", 3, &[1, 1, 1]);
        check("0|[1-9][0-9]*", 2, &[1, 1]);
        check("ab|cd", 2, &[2]);
        check("x(ab|cd)y", 4, &[1, 2, 1]);
        check("[0-9]+[.][0-9]+", 3, &[1, 1, 1]);
        check("[0-9]+[.][0-9]+", 4, &[1, 2, 1]);
        check("a*", 0, &[]);
    }

    #[test]
    fn no_text_of_a_length() {
        let texts = Texts::new(&dfa("ab"), 1);
        assert_eq!(holds(&texts, 1, &[b"a".to_vec(), b"b".to_vec()]), [false, false]);
    }

    #[test]
    fn more_states_than_a_byte_counts() {
        let pairs: Vec<String> = (0..300).map(|number| format!("{number:03}{number:03}")).collect();
        let language = dfa(&pairs.join("|"));
        let texts = Texts::new(&language, 6);
        assert!(texts.parts.iter().any(|part| part.layers.iter().any(|layer| layer.rows.len() > 256)));
        let text = |left: u32, right: u32| format!("{left:03}{right:03}").into_bytes();
        let inputs: Vec<Vec<u8>> =
            (0..320).flat_map(|left| [left, left + 1, 299 - left % 300].map(|right| text(left, right))).collect();
        let accepted: Vec<bool> = inputs.iter().map(|input| language.accepts(input)).collect();
        assert_eq!(holds(&texts, 6, &inputs), accepted);
    }

    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("a".to_owned()),
            Just("[a-c]".to_owned()),
            Just("[^b]".to_owned()),
            Just("[acegik]".to_owned()),
            Just("(?s-u:.)".to_owned()),
        ];
        leaf.prop_recursive(4, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join("|"))),
                inner.clone().prop_map(|part| format!("({part})*")),
                inner.prop_map(|part| format!("({part})?")),
            ]
        })
    }

    proptest! {
        #[test]
        fn conditions_hold_for_the_texts(pattern in pattern(), len in 0usize..5, others in prop::collection::vec(prop::collection::vec(prop_oneof![b'a'..=b'l', any::<u8>()], 5), 40)) {
            let language = dfa(&pattern);
            let texts = Texts::new(&language, len);
            let mut chance = gimlet_grammar::chance::Chance::new(1);
            let mut inputs: Vec<Vec<u8>> = others.into_iter().map(|mut input| { input.truncate(len); input }).collect();
            inputs.extend((0..10).filter_map(|_| language.sample(len as u32, &mut chance)));
            let accepted: Vec<bool> = inputs.iter().map(|input| language.accepts(input)).collect();
            if len > 0 {
                prop_assert_eq!(holds(&texts, len, &inputs), accepted, "{}", pattern);
            }
        }
    }
}
