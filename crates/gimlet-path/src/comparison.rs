//! Words that parts of the input were compared with: texts that are too short or too long to be equal to them.
//!
//! No other values of the bytes that there are make such a comparison come out otherwise, or only by an end of the string
//! within them. Another text in their place does.

use gimlet_expr::Evaluator;
use gimlet_trace::event::{EventKind, EventRecord};
use gimlet_trace::{Label, Trace};

use crate::translate::Translation;

/// One comparison.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Comparison {
    /// Number of the site.
    pub site: u32,
    /// Source of the text, where it begins there, and how long it is.
    pub source: usize,
    pub offset: usize,
    pub len: usize,
    pub word: Vec<u8>,
}

/// Finds comparisons among the events of a run.
#[derive(Default)]
pub(crate) struct Comparisons {
    pub found: Vec<Comparison>,
    evaluator: Option<Evaluator>,
}

impl Comparisons {
    /// Takes an event, if it is a comparison of characters that each come from one byte, in the order of the input.
    pub fn take(&mut self, trace: &Trace, event: &EventRecord, translation: &mut Translation) {
        if event.kind == EventKind::Compare as u8 {
            let comparison = self.comparison(trace, event, translation);
            self.found.extend(comparison);
        }
    }

    fn comparison(&mut self, trace: &Trace, event: &EventRecord, translation: &mut Translation) -> Option<Comparison> {
        let evaluator = self.evaluator.get_or_insert_with(|| Evaluator::new(&trace.flatten(&trace.input)));
        let mut place_of = |label| {
            let character = translation.expr(Label(label));
            // A store beside it that could have changed it did not.
            match translation.dag.support(evaluator.settle(&translation.dag, character))[..] {
                [byte] => trace.locate(byte),
                _ => None,
            }
        };
        let ((source, first), (last_source, last)) = (place_of(event.a)?, place_of(event.b)?);
        let is_text = source == last_source && last.checked_sub(first)? + 1 == event.x;
        let word = trace.compared_word(event)?.to_vec();
        let (offset, len) = (usize::try_from(first).ok()?, usize::try_from(event.x).ok()?);
        is_text.then_some(Comparison { site: event.site, source, offset, len, word })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sample, PathCondition};
    use gimlet_trace::node::{imm, Op};

    fn compare(first: Label, last: Label, n: u64, word: (u64, u64)) -> EventRecord {
        let y = word.0 << 32 | word.1;
        EventRecord { kind: EventKind::Compare as u8, site: 7, a: first.0, b: last.0, x: n, y, ..Default::default() }
    }

    #[test]
    fn a_text_is_found_in_the_input() {
        let mut trace = sample::trace(b"abcd");
        trace.names = b"?word".to_vec();
        let folded = sample::node(&mut trace, Op::Or, 8, Label::input(1), 0x20, u64::from(b'b'));
        trace.events.push(compare(folded, Label::input(2), 2, (1, 4)));
        // Not in order, not as long, of two bytes.
        trace.events.push(compare(Label::input(2), Label::input(1), 2, (1, 4)));
        trace.events.push(compare(Label::input(1), Label::input(2), 3, (1, 4)));
        let sum = of_two(&mut trace, Op::Add, u64::from(b'a') + u64::from(b'b'));
        trace.events.push(compare(sum, Label::input(2), 2, (1, 4)));
        assert!(trace.validate().is_ok());
        let path = PathCondition::from_trace(&trace).unwrap();
        assert_eq!(path.comparisons, [comparison(1, 2)]);
    }

    #[test]
    fn a_store_that_could_have_been_there_is_not_in_the_way() {
        let mut trace = sample::trace(b"abcd");
        trace.names = b"?word".to_vec();
        let is_stored = sample::node(&mut trace, Op::Eq, 1, Label::input(3), 0, 0);
        let stored = sample::node(&mut trace, Op::Ite, 8, is_stored, 0, u64::from(b'b'));
        let node = trace.nodes.last_mut().unwrap();
        (node.flags, node.c) = (imm::B, Label::input(1).0);
        trace.events.push(compare(stored, Label::input(2), 2, (1, 4)));
        assert!(trace.validate().is_ok());
        let path = PathCondition::from_trace(&trace).unwrap();
        assert_eq!(path.comparisons, [comparison(1, 2)]);
    }

    fn comparison(offset: usize, len: usize) -> Comparison {
        Comparison { site: 7, source: 0, offset, len, word: b"word".to_vec() }
    }

    /// A record of the first two bytes.
    fn of_two(trace: &mut Trace, op: Op, value: u64) -> Label {
        let label = sample::node(trace, op, 8, Label::input(0), 0, value);
        let node = trace.nodes.last_mut().unwrap();
        (node.flags, node.b) = (0, Label::input(1).0);
        label
    }

    #[test]
    fn words_and_labels_are_checked() {
        let is_bad = |event: EventRecord| {
            let mut trace = sample::trace(b"ab");
            trace.names = b"word".to_vec();
            trace.events.push(event);
            trace.validate().is_err()
        };
        assert!(!is_bad(compare(Label::input(0), Label::input(1), 2, (0, 4))));
        assert!(is_bad(compare(Label::input(0), Label::input(1), 2, (0, 5))));
        assert!(is_bad(compare(Label::input(0), Label::input(1), 2, (0, 1 << 20))));
        assert!(is_bad(compare(Label::NONE, Label::input(1), 2, (0, 4))));
        assert!(is_bad(compare(Label::input(0), Label::NONE, 2, (0, 4))));
    }
}
