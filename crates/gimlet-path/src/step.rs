//! One part of a path condition, and what else could have happened there.

use std::fmt;
use std::sync::Arc;

use gimlet_expr::semantics::mask;
use gimlet_expr::{BinOp, Dag, ExprId};
use gimlet_trace::event::PinReason;
use gimlet_trace::node::Op;

/// What a run did at one event.
#[derive(Clone, Debug)]
pub struct Step {
    /// Index of the event in the trace.
    pub event: usize,
    /// Number of the site.
    pub site: u32,
    pub kind: StepKind,
    /// Width 1; true on every input that does the same here, given that it did the same before.
    pub condition: ExprId,
    /// A place in memory or a value that depends on the length of a stretch: it is another for other lengths, on the same
    /// path. What was pinned leaves them open.
    pub is_loose: bool,
}

#[derive(Clone, Debug)]
pub enum StepKind {
    Branch {
        /// What was branched on.
        test: ExprId,
        taken: bool,
        /// Decided inside the model of a library function.
        is_model: bool,
    },
    Switch {
        value: ExprId,
        taken: u64,
        /// Without them (the site is not known) the step fixes the value.
        cases: Option<Arc<[u64]>>,
    },
    Pin {
        expr: ExprId,
        value: u128,
        reason: Option<PinReason>,
    },
    /// `n_bytes` at `addr`, inside the object of `size` bytes at `base`.
    Access {
        addr: ExprId,
        n_bytes: u16,
        is_write: bool,
        base: u64,
        size: u64,
    },
    /// A division, and what came of it.
    Arith {
        op: Option<Op>,
        dividend: ExprId,
        divisor: ExprId,
        taken: Direction,
    },
    Assume {
        test: ExprId,
        held: bool,
    },
    Assert {
        test: ExprId,
        held: bool,
    },
    /// Not symbolic: the condition is true.
    Read {
        source: u32,
        offset: u64,
        wanted: u32,
        got: u32,
        is_end: bool,
    },
}

/// What happened at a step, or could have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    True,
    False,
    Case(u64),
    Default,
    /// The pinned value, or any other.
    Pinned,
    Unpinned,
    /// An access to the object that it was meant for, or to any other.
    Inside,
    Outside,
    /// A division that gave a result, or one of its two traps.
    Divided,
    ByZero,
    Overflow,
    /// An assumption or assertion.
    Holds,
    Fails,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Direction::True => write!(f, "true"),
            Direction::False => write!(f, "false"),
            Direction::Case(value) => write!(f, "case {value}"),
            Direction::Default => write!(f, "default"),
            Direction::Pinned => write!(f, "the pinned value"),
            Direction::Unpinned => write!(f, "another value"),
            Direction::Inside => write!(f, "inside the object"),
            Direction::Outside => write!(f, "outside the object"),
            Direction::Divided => write!(f, "no trap"),
            Direction::ByZero => write!(f, "division by zero"),
            Direction::Overflow => write!(f, "overflow of a division"),
            Direction::Holds => write!(f, "holds"),
            Direction::Fails => write!(f, "fails"),
        }
    }
}

/// Something that did not happen at a step, and the condition under which it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alternative {
    pub direction: Direction,
    pub condition: ExprId,
}

impl Step {
    /// True if another input might go elsewhere here: branches, switches and pins whose condition is not constant.
    pub fn is_flippable(&self, dag: &Dag) -> bool {
        let is_choice = matches!(self.kind, StepKind::Branch { .. } | StepKind::Switch { .. } | StepKind::Pin { .. });
        is_choice && dag.as_const(self.condition).is_none()
    }

    /// The condition under which an input leaves the path here.
    pub fn negated(&self, dag: &mut Dag) -> ExprId {
        dag.not(self.condition)
    }

    /// Where the run went; a read has no direction.
    pub fn direction(&self) -> Option<Direction> {
        Some(match &self.kind {
            StepKind::Branch { taken, .. } => boolean(*taken),
            StepKind::Switch { taken, cases, .. } => switch_direction(*taken, cases.as_deref()),
            StepKind::Pin { .. } => Direction::Pinned,
            StepKind::Access { .. } => Direction::Inside,
            StepKind::Arith { taken, .. } => *taken,
            StepKind::Assume { held, .. } | StepKind::Assert { held, .. } if *held => Direction::Holds,
            StepKind::Assume { .. } | StepKind::Assert { .. } => Direction::Fails,
            StepKind::Read { .. } => return None,
        })
    }

    /// The directions of [`Step::alternatives`], without their conditions: some of them may be impossible.
    pub fn other_directions(&self) -> Vec<Direction> {
        match &self.kind {
            StepKind::Pin { .. } if self.is_loose => Vec::new(),
            StepKind::Branch { taken, .. } => vec![boolean(!taken)],
            StepKind::Switch { taken, cases: Some(cases), .. } => {
                let others = cases.iter().filter(|case| *case != taken).map(|&case| Direction::Case(case));
                others.chain(cases.contains(taken).then_some(Direction::Default)).collect()
            }
            StepKind::Switch { cases: None, .. } => vec![Direction::Default],
            StepKind::Pin { .. } => vec![Direction::Unpinned],
            StepKind::Access { .. } => vec![Direction::Outside],
            StepKind::Arith { taken, .. } => {
                let mut all = vec![Direction::ByZero, Direction::Overflow, Direction::Divided];
                all.retain(|direction| direction != taken);
                all
            }
            StepKind::Assert { held: true, .. } => vec![Direction::Fails],
            StepKind::Assume { held: false, .. } => vec![Direction::Holds],
            StepKind::Assert { .. } | StepKind::Assume { .. } | StepKind::Read { .. } => Vec::new(),
        }
    }

    /// Whether the choices here have no list, so that only all runs together say what is left: values of a pin, objects
    /// of an access.
    pub fn is_open(&self) -> bool {
        matches!(self.kind, StepKind::Pin { .. } | StepKind::Switch { cases: None, .. } | StepKind::Access { .. })
    }

    /// Where an input would go here on which the value concerned is `value`; `None` if there is no choice.
    pub fn direction_for(&self, value: u128) -> Option<Direction> {
        Some(match &self.kind {
            StepKind::Branch { .. } => boolean(value != 0),
            StepKind::Switch { cases, .. } => switch_direction(value as u64, cases.as_deref()),
            StepKind::Pin { value: pinned, .. } if *pinned == value => Direction::Pinned,
            StepKind::Pin { .. } => Direction::Unpinned,
            _ => return None,
        })
    }

    /// The expression that the step is about: the test, the value, the address.
    pub fn subject(&self) -> Option<ExprId> {
        match self.kind {
            StepKind::Branch { test, .. } | StepKind::Assume { test, .. } | StepKind::Assert { test, .. } => Some(test),
            StepKind::Switch { value, .. } => Some(value),
            StepKind::Pin { expr, .. } => Some(expr),
            StepKind::Access { addr, .. } => Some(addr),
            StepKind::Arith { divisor, .. } => Some(divisor),
            StepKind::Read { .. } => None,
        }
    }

    /// Every other way to go: the other side of a branch, each other case of a switch and its default, the traps of a
    /// division, the failure of an assertion; any other value of a pin, and an access to any other object, those left
    /// out for which the conditions of other runs hold that have `visited` this step.
    pub fn alternatives(&self, dag: &mut Dag, visited: &[ExprId]) -> Vec<Alternative> {
        if dag.as_const(self.condition).is_some() {
            return Vec::new();
        }
        match &self.kind {
            StepKind::Pin { .. } if self.is_loose => Vec::new(),
            StepKind::Branch { taken, .. } => {
                vec![Alternative { direction: boolean(!taken), condition: dag.not(self.condition) }]
            }
            StepKind::Pin { .. } => {
                vec![Alternative { direction: Direction::Unpinned, condition: self.unvisited(dag, visited) }]
            }
            StepKind::Access { .. } => {
                vec![Alternative { direction: Direction::Outside, condition: self.unvisited(dag, visited) }]
            }
            StepKind::Arith { taken, .. } => {
                let mut ways = self.kind.divisions(dag);
                ways.retain(|way| way.direction != *taken);
                ways
            }
            StepKind::Assert { held: true, .. } => {
                vec![Alternative { direction: Direction::Fails, condition: dag.not(self.condition) }]
            }
            StepKind::Assume { held: false, .. } => {
                vec![Alternative { direction: Direction::Holds, condition: dag.not(self.condition) }]
            }
            StepKind::Switch { value, taken, cases: Some(cases) } => {
                let mut found = Vec::new();
                for &case in cases.iter().filter(|case| *case != taken) {
                    let condition = equals(dag, *value, u128::from(case));
                    found.push(Alternative { direction: Direction::Case(case), condition });
                }
                if cases.contains(taken) {
                    let condition = none_of(dag, *value, cases);
                    found.push(Alternative { direction: Direction::Default, condition });
                }
                found
            }
            StepKind::Switch { cases: None, .. } => {
                vec![Alternative { direction: Direction::Default, condition: self.unvisited(dag, visited) }]
            }
            StepKind::Assert { held: false, .. } | StepKind::Assume { held: true, .. } | StepKind::Read { .. } => {
                Vec::new()
            }
        }
    }

    /// Neither what this run did here, nor what the others did.
    fn unvisited(&self, dag: &mut Dag, visited: &[ExprId]) -> ExprId {
        let mut condition = dag.not(self.condition);
        for &done in visited {
            let not_done = dag.not(done);
            condition = dag.binary(BinOp::And, condition, not_done);
        }
        condition
    }
}

impl StepKind {
    /// All that can come of a division; nothing if its divisor is constant.
    pub(crate) fn divisions(&self, dag: &mut Dag) -> Vec<Alternative> {
        let StepKind::Arith { op, dividend, divisor, .. } = *self else { return Vec::new() };
        if dag.as_const(divisor).is_some() {
            return Vec::new();
        }
        let width = dag.width(divisor);
        let by_zero = equals(dag, divisor, 0);
        let mut divided = dag.not(by_zero);
        let mut ways = vec![Alternative { direction: Direction::ByZero, condition: by_zero }];
        if matches!(op, Some(Op::SDiv | Op::SRem)) {
            let least = equals(dag, dividend, 1 << (width - 1));
            let minus_one = equals(dag, divisor, mask(width));
            let condition = dag.binary(BinOp::And, least, minus_one);
            if dag.as_const(condition) != Some(0) {
                ways.push(Alternative { direction: Direction::Overflow, condition });
                let avoided = dag.not(condition);
                divided = dag.binary(BinOp::And, divided, avoided);
            }
        }
        ways.push(Alternative { direction: Direction::Divided, condition: divided });
        ways
    }
}

/// `n_bytes` at `addr` lie inside the object: `base <= addr` and `addr <= base + size - n_bytes`.
pub(crate) fn inside(dag: &mut Dag, addr: ExprId, base: u64, size: u64, n_bytes: u16) -> ExprId {
    let Some(last) = size.checked_sub(u64::from(n_bytes)).and_then(|room| base.checked_add(room)) else {
        return dag.boolean(false);
    };
    let (first, last) = (dag.constant(64, u128::from(base)), dag.constant(64, u128::from(last)));
    let above = dag.binary(BinOp::Ule, first, addr);
    let below = dag.binary(BinOp::Ule, addr, last);
    dag.binary(BinOp::And, above, below)
}

fn boolean(value: bool) -> Direction {
    if value {
        Direction::True
    } else {
        Direction::False
    }
}

fn switch_direction(value: u64, cases: Option<&[u64]>) -> Direction {
    match cases {
        Some(cases) if !cases.contains(&value) => Direction::Default,
        _ => Direction::Case(value),
    }
}

/// `expr == value`.
pub(crate) fn equals(dag: &mut Dag, expr: ExprId, value: u128) -> ExprId {
    let constant = dag.constant(dag.width(expr), value);
    dag.binary(BinOp::Eq, expr, constant)
}

/// `value` is none of the cases.
pub(crate) fn none_of(dag: &mut Dag, value: ExprId, cases: &[u64]) -> ExprId {
    let mut all = dag.boolean(true);
    for &case in cases {
        let constant = dag.constant(dag.width(value), u128::from(case));
        let differs = dag.binary(BinOp::Ne, value, constant);
        all = dag.binary(BinOp::And, all, differs);
    }
    all
}
