//! What `gimlet_observe` saw: expressions for the bytes that a program pointed at.

use std::sync::Arc;

use gimlet_expr::ExprId;
use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::{Label, Trace};

use crate::translate::Translation;

/// One call of `gimlet_observe`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// Index of the event in the trace.
    pub event: usize,
    /// Number of the site.
    pub site: u32,
    /// Number of steps of the path condition before it.
    pub step: usize,
    pub name: Arc<str>,
    /// Losses, stale labels and unmodelled calls that were counted before it.
    pub n_losses: u64,
    /// The bytes, in order. An observation of no bytes marks a place.
    pub parts: Vec<Part>,
}

/// Up to 16 of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Position of the first among the observed bytes.
    pub offset: usize,
    /// Width in bits.
    pub width: u32,
    /// `None` if no byte depends on the input.
    pub expr: Option<ExprId>,
    /// What the run had, little-endian.
    pub value: u128,
}

impl Observation {
    /// The bytes as they were.
    pub fn bytes(&self) -> Vec<u8> {
        let of_part = |part: &Part| part.value.to_le_bytes().into_iter().take(part.width as usize / 8);
        self.parts.iter().flat_map(of_part).collect()
    }

    fn push(&mut self, event: &EventRecord, translation: &mut Translation) {
        let label = Label(event.a);
        let offset = self.parts.last().map_or(0, |part| part.offset + part.width as usize / 8);
        self.parts.push(Part {
            offset,
            width: 8 * u32::from(event.flags),
            expr: label.is_symbolic().then(|| translation.expr(label)),
            value: u128::from(event.x) | u128::from(event.y) << 64,
        });
    }
}

/// Puts the events of calls together.
#[derive(Default)]
pub(crate) struct Observations {
    pub found: Vec<Observation>,
}

impl Observations {
    /// Takes event number `index`, before which there were `n_steps` steps, if it is of an observation.
    pub fn take(&mut self, trace: &Trace, index: usize, n_steps: usize, translation: &mut Translation) {
        let event = &trace.events[index];
        match EventKind::from_code(event.kind) {
            Some(EventKind::Observe) => {
                let name = trace.name(event.b, event.aux).unwrap_or_default();
                self.found.push(Observation {
                    event: index,
                    site: event.site,
                    step: n_steps,
                    name: String::from_utf8_lossy(name).into(),
                    n_losses: event.y,
                    parts: Vec::new(),
                });
            }
            Some(EventKind::Observed) => {
                if let Some(last) = self.found.last_mut() {
                    last.push(event, translation);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{sample, PathCondition};
    use gimlet_trace::event::{EventKind, EventRecord};
    use gimlet_trace::node::Op;
    use gimlet_trace::Label;

    #[test]
    fn parts_belong_to_the_call_before_them() {
        let mut trace = sample::run([20, 2]);
        trace.names = b"xyz".to_vec();
        let read = sample::node(&mut trace, Op::ZExt, 16, Label::input(0), 0, 20);
        let call = |b, aux, x| EventRecord { kind: EventKind::Observe as u8, b, aux, x, y: 3, ..Default::default() };
        trace.events.push(call(1, 2, 18));
        sample::event(&mut trace, EventKind::Observed, 0, Label::NONE, 16, 7, 9);
        sample::event(&mut trace, EventKind::Observed, 0, read, 2, 20, 0);
        trace.events.push(call(0, 1, 0));
        let path = PathCondition::from_trace(&trace).unwrap();
        let [first, second] = &path.observations[..] else { panic!("{:?}", path.observations) };
        assert_eq!((&*first.name, first.step, first.n_losses), ("yz", 2, 3));
        assert_eq!(first.bytes(), [7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 20, 0]);
        assert_eq!(first.parts[1].offset, 16);
        assert!(first.parts[0].expr.is_none() && first.parts[1].expr.is_some());
        assert_eq!((&*second.name, second.parts.len()), ("x", 0));
    }

    #[test]
    fn names_and_widths_are_checked() {
        let bad = |kind: EventKind, flags, aux, a: Label| {
            let mut trace = sample::trace(&[1]);
            trace.names = b"xyz".to_vec();
            trace.events.push(EventRecord { kind: kind as u8, flags, aux, a: a.0, b: 1, ..Default::default() });
            trace.validate().is_err()
        };
        assert!(!bad(EventKind::Observe, 0, 2, Label::NONE));
        assert!(bad(EventKind::Observe, 0, 3, Label::NONE));
        assert!(!bad(EventKind::Observed, 1, 0, Label::input(0)));
        assert!(bad(EventKind::Observed, 2, 0, Label::input(0)));
        assert!(bad(EventKind::Observed, 0, 0, Label::NONE));
        assert!(bad(EventKind::Observed, 17, 0, Label::NONE));
    }
}
