//! A way through an action, and what is known on it.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::scanner::effect::{Move, Outcome};
use gimlet_grammar::scanner::ConditionId;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Ways that are followed at the same time.
const N_PATHS_MAX: usize = 40;

/// A value, as far as it is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    Int(i64),
    /// A name that stands for itself: most often a token.
    Name(String),
    /// `yytext[0]`.
    FirstByte,
    /// The text's length and as much.
    Length(i64),
    Text(Vec<u8>),
    /// A variable that remembers a start condition.
    Saved(String),
    /// What the scanner returns when it goes on.
    Again,
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
    /// The program ends.
    Stop,
    /// More input is needed than there is.
    Starved,
}

type Variables = BTreeMap<String, Value>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Path {
    /// Local variables, of the innermost function last.
    frames: Vec<Variables>,
    /// Others, since they were last set.
    globals: Variables,
    pub outcome: Outcome,
    /// What the text may begin with.
    pub first_bytes: ByteSet,
    /// The start condition, if it is known.
    pub condition: Option<ConditionId>,
    /// Bytes that were read with `input()`.
    pub n_read: usize,
    pub flow: Flow,
    /// Why the outcome is not known.
    pub unknown: Option<String>,
}

impl Path {
    pub fn new(first_bytes: ByteSet, condition: Option<ConditionId>) -> Path {
        Path {
            frames: vec![Variables::new()],
            globals: Variables::new(),
            outcome: Outcome::default(),
            first_bytes,
            condition,
            n_read: 0,
            flow: Flow::Next,
            unknown: None,
        }
    }

    pub fn goes_on(&self) -> bool {
        self.flow == Flow::Next
    }

    pub fn with_flow(mut self, flow: Flow) -> Path {
        self.flow = flow;
        self
    }

    pub fn with_first_bytes(mut self, first_bytes: ByteSet) -> Path {
        self.first_bytes = first_bytes;
        self
    }

    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The first reason stays.
    pub fn give_up(&mut self, reason: impl Into<String>) {
        self.unknown.get_or_insert_with(|| reason.into());
    }

    pub fn variable(&self, name: &str) -> Option<&Value> {
        self.local(name).or_else(|| self.globals.get(name))
    }

    pub fn local(&self, name: &str) -> Option<&Value> {
        self.frames.last().and_then(|frame| frame.get(name))
    }

    pub fn declare(&mut self, name: &str, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name.to_owned(), value);
        }
    }

    pub fn set(&mut self, name: &str, value: Value) {
        match self.frames.last_mut().and_then(|frame| frame.get_mut(name)) {
            Some(local) => *local = value,
            None => {
                self.globals.insert(name.to_owned(), value);
            }
        }
    }

    pub fn enter(&mut self, parameters: impl Iterator<Item = (String, Value)>) {
        self.frames.push(parameters.collect());
    }

    pub fn leave(&mut self) {
        self.frames.pop();
    }

    pub fn make(&mut self, step: Move) {
        self.condition = match &step {
            Move::Begin(condition) | Move::Push(condition) => Some(*condition),
            Move::Pop | Move::Restore(_) => None,
            Move::Save(..) => self.condition,
        };
        self.outcome.moves.push(step);
    }

    /// Forgets variables that the other has not the same values for.
    fn forget_differences(&mut self, other: &Path) {
        let pairs = self.frames.iter_mut().zip(&other.frames).chain([(&mut self.globals, &other.globals)]);
        for (own, others) in pairs {
            for (name, value) in own.iter_mut() {
                if others.get(name) != Some(value) {
                    *value = Value::Unknown;
                }
            }
            for name in others.keys().filter(|name| !own.contains_key(*name)).cloned().collect::<Vec<_>>() {
                own.insert(name, Value::Unknown);
            }
        }
    }

    fn differs_only_in_variables(&self, other: &Path) -> bool {
        (&self.outcome, &self.first_bytes, self.condition, self.n_read, &self.flow, &self.unknown, self.frames.len())
            == (
                &other.outcome,
                &other.first_bytes,
                other.condition,
                other.n_read,
                &other.flow,
                &other.unknown,
                other.frames.len(),
            )
    }
}

/// Different paths in the order in which they came.
#[derive(Default)]
struct Different {
    paths: Vec<Path>,
    by_hash: FxHashMap<u64, Vec<usize>>,
}

impl Different {
    fn insert(&mut self, path: Path) {
        let same_hash = self.by_hash.entry(FxBuildHasher.hash_one(&path)).or_default();
        if !same_hash.iter().any(|&index| self.paths[index] == path) {
            same_hash.push(self.paths.len());
            self.paths.push(path);
        }
    }
}

/// Leaves out what is there twice; if there are still too many, those that differ only in variables become one. `None` if
/// that does not help.
pub(super) fn merge(paths: Vec<Path>) -> Option<Vec<Path>> {
    if paths.len() == 1 {
        return Some(paths);
    }
    let mut merged = Different::default();
    paths.into_iter().for_each(|path| merged.insert(path));
    let merged = merged.paths;
    if merged.len() <= N_PATHS_MAX {
        return Some(merged);
    }
    let mut joined: Vec<Path> = Vec::new();
    for path in merged {
        match joined.iter_mut().find(|other| other.differs_only_in_variables(&path)) {
            Some(other) => other.forget_differences(&path),
            None => joined.push(path),
        }
    }
    (joined.len() <= N_PATHS_MAX).then_some(joined)
}
