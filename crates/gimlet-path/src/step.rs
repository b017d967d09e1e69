//! One part of a path condition, and what else could have happened there.

use std::fmt;
use std::sync::Arc;

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
    /// A division that did not trap.
    Arith {
        op: Option<Op>,
        dividend: ExprId,
        divisor: ExprId,
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

/// Where a branch, switch or pin goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    True,
    False,
    Case(u64),
    Default,
    /// The pinned value, or any other.
    Pinned,
    Unpinned,
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

    /// Where the run went, if it had a choice.
    pub fn direction(&self) -> Option<Direction> {
        Some(match &self.kind {
            StepKind::Branch { taken, .. } => boolean(*taken),
            StepKind::Switch { taken, cases, .. } => switch_direction(*taken, cases.as_deref()),
            StepKind::Pin { .. } => Direction::Pinned,
            _ => return None,
        })
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

    /// Every other way to go: the other side of a branch, each other case of a switch and its default, any other
    /// value of a pin.
    pub fn alternatives(&self, dag: &mut Dag) -> Vec<Alternative> {
        match &self.kind {
            StepKind::Branch { taken, .. } => {
                vec![Alternative { direction: boolean(!taken), condition: dag.not(self.condition) }]
            }
            StepKind::Pin { .. } => {
                vec![Alternative { direction: Direction::Unpinned, condition: dag.not(self.condition) }]
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
                vec![Alternative { direction: Direction::Default, condition: dag.not(self.condition) }]
            }
            _ => Vec::new(),
        }
    }
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
