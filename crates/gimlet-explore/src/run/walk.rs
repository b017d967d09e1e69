//! A run as strategies see it: its steps, each with what else could happen there.
//!
//! A step is known by its *identity* (site, kind and what happened), a place on a path by the hash of all identities
//! before it: two runs are on the same path as long as these agree. How new something is goes by direction and *name*, and
//! there are three of these, from coarse to fine ([`Level`]).

use std::hash::{Hash, Hasher};

use gimlet_expr::{Dag, ExprId, Node};
use gimlet_path::{Direction, PathCondition, Step, StepKind};
use gimlet_solver::Fingerprints;
use gimlet_trace::{SourceKind, Stretch, Trace};
use rustc_hash::{FxHashMap, FxHasher};

use crate::make::strings::Freedom;
use crate::run::rounds::Rounds;

/// Contexts of one site that are told apart; a recursion has any number.
const N_CONTEXTS_MAX: u32 = 32;

/// How finely steps are told apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Where it is in the program; inside a library function also what is asked.
    Site,
    /// The same with the calling context and the number of earlier visits.
    Context,
    /// Where in which rounds of the loops around it, here and in the callers.
    Iteration,
}

impl Level {
    pub const ALL: [Level; 3] = [Level::Site, Level::Context, Level::Iteration];
}

/// One step that strategies can choose.
#[derive(Clone, Debug)]
pub struct Stop {
    pub site: u32,
    /// By [`Level`].
    names: [u64; 3],
    /// Decided inside the model of a library function.
    pub is_model: bool,
    /// Where the run went.
    pub direction: Option<Direction>,
    /// Where else it might go.
    pub others: Vec<Direction>,
    pub is_read: bool,
    /// A read that got less than it wanted.
    pub is_at_end: bool,
    /// A place that depends on the length of a stretch.
    pub is_loose: bool,
}

impl Stop {
    pub fn name(&self, level: Level) -> u64 {
        self.names[level as usize]
    }

    /// A branch of the program without a context.
    #[cfg(test)]
    pub fn of_branch(site: u32, direction: Direction, other: Direction) -> Stop {
        Stop {
            site,
            names: [u64::from(site); 3],
            is_model: false,
            direction: Some(direction),
            others: vec![other],
            is_read: false,
            is_at_end: false,
            is_loose: false,
        }
    }
}

/// A run, step by step.
#[derive(Clone, Default, Debug)]
pub struct Walk {
    pub stops: Vec<Stop>,
    /// Hash of the identities of the first `i` steps, for each `i` up to the number of steps.
    pub prefixes: Vec<u64>,
    /// The number of the symbolic string that it is a path of: the same question about another one is another.
    pub string: Option<u64>,
    /// Tokens were variables.
    pub has_tokens: bool,
}

/// Calling contexts in the order in which they were seen, site by site.
#[derive(Default, Debug)]
pub struct Contexts {
    known: FxHashMap<(u32, u64), u32>,
    by_site: FxHashMap<u32, u32>,
}

impl Contexts {
    fn number(&mut self, site: u32, stack: u64) -> u32 {
        let count = self.by_site.entry(site).or_default();
        *self.known.entry((site, stack)).or_insert_with(|| {
            *count = (*count + 1).min(N_CONTEXTS_MAX);
            *count
        })
    }
}

/// Rounds of a loop that are told apart; later ones by powers of two. A scanner passes the same branches at each byte.
const N_ROUNDS_MAX: u32 = 64;
/// With symbolic tokens a parser passes them at each token.
const N_TOKEN_ROUNDS_MAX: u32 = 128;

fn round(n_visits: u32, most: u32) -> u32 {
    if n_visits <= most {
        n_visits
    } else {
        most + n_visits.ilog2()
    }
}

/// A name and a direction as one number.
pub fn key(name: u64, direction: Direction) -> u64 {
    hash(&(name, direction))
}

pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    // FxHash leaves the low bits weak.
    let hash = hasher.finish();
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Walk {
    /// Input bytes are called by their numbers, or by these names.
    pub fn new(trace: &Trace, path: &PathCondition, contexts: &mut Contexts, names: Vec<u32>) -> Walk {
        let mut visits: FxHashMap<(u64, u32), u32> = FxHashMap::default();
        let mut stops = Vec::with_capacity(path.steps.len());
        let mut prefixes = Vec::with_capacity(path.steps.len() + 1);
        let mut prefix = 0;
        prefixes.push(prefix);
        let n_rounds_max = if names.is_empty() { N_ROUNDS_MAX } else { N_TOKEN_ROUNDS_MAX };
        let stretches = trace.input.stretches();
        let is_named = !names.is_empty() || stretches.is_empty();
        let mut fingerprints =
            Fingerprints::with_names(if is_named { names } else { collapsed_names(trace, &stretches) });
        let mut rounds = Rounds::default();
        let mut stack = 0;
        for step in &path.steps {
            if matches!(step.kind, StepKind::Branch { .. } | StepKind::Switch { .. }) {
                stack = trace.events[step.event].y;
            }
            let asked_in_model = match step.kind {
                StepKind::Branch { test, is_model: true, .. } => Some(shape(&path.dag, test, SHAPE_DEPTH)),
                _ => None,
            };
            let name = hash(&(step.site, asked_in_model));
            let context = contexts.number(step.site, stack);
            let n_visits = visits.entry((name, context)).or_default();
            *n_visits += 1;
            let is_constant = path.dag.as_const(step.condition).is_some();
            let direction = step.direction();
            stops.push(Stop {
                site: step.site,
                names: [
                    name,
                    hash(&(name, context, round(*n_visits, n_rounds_max))),
                    rounds.pass(stack, name, direction),
                ],
                is_model: asked_in_model.is_some(),
                direction,
                others: if is_constant { Vec::new() } else { step.other_directions() },
                is_read: matches!(step.kind, StepKind::Read { .. }),
                is_at_end: matches!(step.kind, StepKind::Read { wanted, got, .. } if got < wanted),
                is_loose: step.is_loose,
            });
            prefix = hash(&(prefix, identity(trace, path, step, &stretches, &mut fingerprints)));
            prefixes.push(prefix);
        }
        Walk { stops, prefixes, string: None, has_tokens: false }
    }

    /// Leaves only what can happen while most of the input stays as it is.
    pub fn confine(&mut self, freedom: &Freedom, path: &PathCondition) {
        self.string = freedom.string().map(|string| string.number);
        for (step, stop) in self.stops.iter_mut().enumerate() {
            if freedom.tokens.as_ref().is_some_and(|tokens| tokens.is_folded(step)) {
                stop.others = path.steps[step].other_directions();
            }
            // Lengths stay, too.
            (stop.is_read, stop.is_at_end) = (false, false);
            if !freedom.can_change_at_all(step) {
                stop.others.clear();
            }
        }
    }

    /// Hash of the whole path.
    pub fn path(&self) -> u64 {
        self.prefixes.last().copied().unwrap_or(0)
    }
}

/// What happened at a step.
fn identity(
    trace: &Trace,
    path: &PathCondition,
    step: &Step,
    stretches: &[Stretch],
    fingerprints: &mut Fingerprints,
) -> u64 {
    let kind = match &step.kind {
        StepKind::Branch { .. } => 1,
        // Other lengths of stretches are other places on the same path.
        StepKind::Pin { .. } if step.is_loose => return hash(&(3, step.site)),
        StepKind::Access { .. } if step.is_loose => return hash(&(4, step.site)),
        StepKind::Access { size, .. } if !stretches.is_empty() => return hash(&(4, step.site, size)),
        // What is pinned, and to what.
        StepKind::Pin { .. } | StepKind::Switch { cases: None, .. } => {
            return hash(&(3, step.site, fingerprints.of(&path.dag, step.condition)));
        }
        StepKind::Access { base, size, .. } => return hash(&(4, step.site, base, size)),
        StepKind::Switch { .. } => 2,
        StepKind::Arith { .. } => 5,
        StepKind::Assume { .. } => 6,
        StepKind::Assert { .. } => 7,
        StepKind::Read { source, offset, wanted, got, .. } => {
            // The program gets as much of a named source as it wants: the first run that asks for it makes it.
            let is_named = trace.input.sources.get(*source as usize).is_some_and(|it| it.kind == SourceKind::Named);
            // What a read of a stretch wants and gets depends on lengths, and there are conditions about them.
            if stretches.iter().any(|stretch| stretch.source == *source as usize) {
                return hash(&(8, step.site, source, collapsed(stretches, *source, *offset)));
            }
            return hash(&(8, step.site, source, offset, wanted, u64::from(*if is_named { wanted } else { got })));
        }
    };
    hash(&(kind, step.site, step.direction()))
}

/// Names of input bytes that are the same whatever the lengths of stretches before them.
fn collapsed_names(trace: &Trace, stretches: &[Stretch]) -> Vec<u32> {
    let mut names = vec![0; trace.input_len() as usize];
    for segment in &trace.segments {
        for (number, name) in names[segment.first as usize..][..segment.len as usize].iter_mut().enumerate() {
            *name =
                hash(&(segment.source, collapsed(stretches, segment.source, segment.offset + number as u64))) as u32;
        }
    }
    names
}

/// A place in a source, as if each stretch were one unit long.
fn collapsed(stretches: &[Stretch], source: u32, offset: u64) -> u64 {
    let here = stretches.iter().filter(|stretch| stretch.source == source as usize);
    let n_more = |stretch: &Stretch| {
        let n_before = offset.saturating_sub(stretch.at as u64).min(stretch.len as u64);
        n_before.saturating_sub(stretch.unit as u64)
    };
    offset - here.map(n_more).sum::<u64>()
}

/// Depth to which expressions are compared by shape.
const SHAPE_DEPTH: u32 = 4;

/// What is asked, whichever bytes it is asked of.
fn shape(dag: &Dag, id: ExprId, depth: u32) -> u64 {
    let node = dag.node(id);
    let own = match node {
        Node::Const(constant) => return hash(&(constant.width(), constant.value())),
        Node::Byte(_) => return 0,
        Node::Binary { op, .. } => 16 + op as u64,
        Node::Unary { op, .. } => 256 + op as u64,
        _ => 1,
    };
    if depth == 0 {
        return own;
    }
    node.operands().fold(own, |so_far, operand| hash(&(so_far, shape(dag, operand, depth - 1))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_trace::Input;

    #[test]
    fn places_do_not_move_with_lengths() {
        let mut input = Input::stdin("ab/cd/ef");
        assert!(input.stretch(0, 2, 1, 100) && input.stretch(0, 4, 2, 100));
        let [first, second] = input.stretches()[..] else { panic!("two stretches") };
        let longer = input.with_length(&second, 7).with_length(&first, 9);
        assert_eq!(longer.sources[0].bytes, b"ab/////////cd/d/d/def");
        let places = |input: &Input| {
            let stretches = input.stretches();
            let n_bytes = input.sources[0].bytes.len() as u64;
            (0..=n_bytes).map(|offset| collapsed(&stretches, 0, offset)).collect::<Vec<u64>>()
        };
        assert_eq!(places(&input), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let of_longer = places(&longer);
        assert_eq!(of_longer[..3], [0, 1, 2]);
        assert_eq!(of_longer[11..13], [3, 4]);
        assert_eq!(of_longer[19..], [6, 7, 8]);
        assert_eq!(collapsed(&longer.stretches(), 1, 19), 19);
    }
}
