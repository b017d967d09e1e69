//! Symbolic strings: inputs of which only some bytes may change, and only to texts of their tokens.
//!
//! They come one after the other from a source, and each has its number there. A source that is made again gives the same
//! strings, so that the number is all that a store has to know.

mod language;

use std::rc::Rc;

use gimlet_expr::{Dag, ExprId, Node};
use gimlet_grammar::regular::dfa::Dfa;
use gimlet_grammar::text::template::Template;
use gimlet_joint::Tokens;
use gimlet_path::PathCondition;
use gimlet_trace::{Input, Trace};
use rustc_hash::FxHashMap;

use self::language::Texts;

/// Where strings come from.
pub type Source = Box<dyn Iterator<Item = Template>>;

/// Languages and lengths that are kept; a grammar has fewer.
const N_TEXTS_MAX: usize = 10_000;

/// One string of a source.
#[derive(Debug)]
pub struct SymbolicString {
    pub number: u64,
    pub template: Template,
    /// What may stand in each hole; anything if nothing is said.
    texts: Vec<Option<Rc<Texts>>>,
}

/// The texts of one length.
type Known = (Rc<Dfa>, Rc<Texts>);

/// Texts that were unrolled, by language and length. The language is kept, so that no other one gets its address.
#[derive(Default)]
pub struct KnownTexts(FxHashMap<(*const Dfa, usize), Known>);

impl KnownTexts {
    fn of(&mut self, language: &Rc<Dfa>, len: usize) -> Rc<Texts> {
        if self.0.len() >= N_TEXTS_MAX {
            self.0.clear();
        }
        let entry = self.0.entry((Rc::as_ptr(language), len));
        let made = || (Rc::clone(language), Rc::new(Texts::new(language, len)));
        Rc::clone(&entry.or_insert_with(made).1)
    }

    /// A template as a string with this number.
    pub fn string(&mut self, number: u64, template: Template) -> SymbolicString {
        let texts = template.holes.iter().map(|hole| {
            let language = hole.language.as_ref()?;
            Some(self.of(language, hole.len))
        });
        let texts = texts.collect();
        SymbolicString { number, template, texts }
    }
}

/// The strings of a source, in their order.
pub struct Strings {
    source: Source,
    n_taken: u64,
    texts: KnownTexts,
}

impl Strings {
    pub fn new(source: Source) -> Strings {
        Strings { source, n_taken: 0, texts: KnownTexts::default() }
    }

    /// The number of the next one.
    pub fn n_taken(&self) -> u64 {
        self.n_taken
    }

    /// The next one, if it is wanted.
    pub fn take(&mut self, is_wanted: impl Fn(u64) -> bool) -> Taken {
        let Some(template) = self.source.next() else { return Taken::Nothing };
        let number = self.n_taken;
        self.n_taken += 1;
        if !is_wanted(number) {
            return Taken::Skipped;
        }
        Taken::String(Rc::new(self.texts.string(number, template)))
    }
}

/// What comes of asking for a string.
#[derive(Debug)]
pub enum Taken {
    String(Rc<SymbolicString>),
    /// There was one that somebody else explores.
    Skipped,
    /// There are no more.
    Nothing,
}

impl SymbolicString {
    /// What the program is given first.
    pub fn input(&self, layout: &Input, primary: &str) -> Input {
        let mut input = layout.clone();
        let sources = input.sources.iter_mut().filter(|source| source.name == primary);
        sources.for_each(|source| source.bytes.clone_from(&self.template.bytes));
        input
    }
}

/// What of a run may change: nothing but the bytes in the holes of its string, and its tokens.
#[derive(Debug)]
pub struct Freedom {
    string: Option<Rc<SymbolicString>>,
    /// Token variables. Then the string is that of the run alone, and comes from no source.
    pub tokens: Option<Tokens>,
    /// By number of the byte.
    is_free: Vec<bool>,
    /// By step: whether it depends on a byte that may change.
    can_change: Vec<bool>,
    /// The number of each byte of the string, as far as it was read.
    numbers: Vec<Option<u32>>,
}

impl Freedom {
    /// That of a run on a string, which is one source of the input; without a string there is none.
    pub fn new(string: Option<Rc<SymbolicString>>, primary: &str, trace: &Trace, path: &PathCondition) -> Freedom {
        let template = string.as_ref().map(|string| &string.template);
        let mut numbers = vec![None; template.map_or(0, |template| template.bytes.len())];
        for number in 0..trace.input_len() {
            let place = trace.locate(number).filter(|&(source, _)| trace.input.sources[source].name == primary);
            if let Some(known) = place.and_then(|(_, offset)| numbers.get_mut(offset as usize)) {
                *known = Some(number);
            }
        }
        let mut is_free = vec![false; trace.input_len() as usize];
        for hole in template.into_iter().flat_map(|template| &template.holes) {
            let numbers = numbers.get(hole.at..hole.at + hole.len).unwrap_or_default();
            numbers.iter().flatten().for_each(|&number| is_free[number as usize] = true);
        }
        let depends = dependent(&path.dag, &is_free);
        let can_change = path.steps.iter().map(|step| depends[step.condition.index()]).collect();
        Freedom { string, tokens: None, is_free, can_change, numbers }
    }

    /// That of a run with token variables.
    pub fn of_tokens(string: SymbolicString, primary: &str, trace: &Trace, path: &PathCondition) -> Freedom {
        Freedom::new(Some(Rc::new(string)), primary, trace, path)
    }

    /// The string of a source that the run is of.
    pub fn string(&self) -> Option<&Rc<SymbolicString>> {
        self.string.as_ref().filter(|_| self.tokens.is_none())
    }

    /// The numbers of the bytes from one place of the string to another, as far as they were read.
    pub fn numbers(&self, from: usize, to: usize) -> Vec<u32> {
        self.numbers.get(from..to).unwrap_or_default().iter().flatten().copied().collect()
    }

    /// Whether a step might go another way with other bytes.
    pub fn can_change(&self, step: usize) -> bool {
        self.can_change.get(step).is_some_and(|&can_change| can_change)
    }

    /// Whether it might with other bytes or other tokens.
    pub fn can_change_at_all(&self, step: usize) -> bool {
        let may_tokens = |tokens: &Tokens| !tokens.of_step(step).is_empty() || tokens.is_folded(step);
        self.can_change(step) || self.tokens.as_ref().is_some_and(may_tokens)
    }

    /// The bytes that keep their values.
    pub fn fixed(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.is_free).filter(|&(_, &is_free)| !is_free).map(|(number, _)| number)
    }

    /// What is to be true of the others.
    pub fn conditions(&self, dag: &mut Dag) -> Vec<ExprId> {
        let Some(string) = &self.string else { return Vec::new() };
        let mut conditions = Vec::new();
        for (hole, texts) in string.template.holes.iter().zip(&string.texts) {
            let Some(texts) = texts else { continue };
            let byte_at = |at: usize| match self.numbers.get(at).copied().flatten() {
                Some(number) => dag.byte(number),
                // Nobody read it: it stays.
                None => dag.constant(8, u128::from(string.template.bytes.get(at).copied().unwrap_or(0))),
            };
            let bytes: Vec<ExprId> = (hole.at..hole.at + hole.len).map(byte_at).collect();
            conditions.extend(texts.conditions(dag, &bytes));
        }
        conditions
    }
}

/// Which expressions depend on any of some bytes.
fn dependent(dag: &Dag, bytes: &[bool]) -> Vec<bool> {
    let mut tables: FxHashMap<usize, bool> = FxHashMap::default();
    let mut depends: Vec<bool> = Vec::with_capacity(dag.len());
    for position in 0..dag.len() {
        let node = dag.node(dag.id(position));
        let of_cells = match node {
            Node::Byte(byte) => bytes.get(byte as usize).is_some_and(|&is_meant| is_meant),
            Node::Lookup { table, .. } => *tables.entry(table.index()).or_insert_with(|| {
                let cells = dag.table(table).symbolic().iter();
                cells.into_iter().any(|(_, cell)| depends[cell.index()])
            }),
            _ => false,
        };
        depends.push(of_cells || node.operands().any(|operand| depends[operand.index()]));
    }
    depends
}
