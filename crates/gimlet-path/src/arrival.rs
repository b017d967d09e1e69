//! Did a run go where the flip of a step predicted?
//!
//! With a log of all branches the answer is certain: the logs agree up to the
//! entry of the flipped branch, and there the new run has the new direction.
//! Without one only symbolic branches are known. They agree up to the flipped
//! one, as a rule; but a branch can be symbolic in one run and concrete in the
//! other (the length of a string whose end is pinned, say), and then nobody can
//! tell. Pins, accesses and reads are not compared: how many there are depends
//! on values.

use gimlet_trace::Trace;

use crate::complete::{is_log_entry, log_of, what};
use crate::condition::PathCondition;
use crate::error::PathError;
use crate::step::{Direction, Step, StepKind};

/// How the new run stands to the prediction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arrival {
    Predicted,
    /// It left the path at this event of its own, or ended before.
    Elsewhere(Option<usize>),
    /// What is known of the runs does not decide it; the event is where they can no longer be compared.
    Untold(Option<usize>),
}

/// Compares the new run with the old one, of which step number `number` was to go to `predicted`.
pub fn check(
    old: &Trace,
    path: &PathCondition,
    number: usize,
    predicted: Direction,
    new: &Trace,
) -> Result<Arrival, PathError> {
    let step = &path.steps[number];
    let entry = step.event.checked_sub(1).filter(|&before| {
        is_log_entry(&old.events[before]) && old.events[before].site == step.site && is_decision(step)
    });
    match entry {
        Some(entry) => Ok(by_log(old, step, entry, predicted, new)),
        None => by_decisions(path, number, predicted, &PathCondition::from_trace(new)?),
    }
}

fn is_decision(step: &Step) -> bool {
    matches!(step.kind, StepKind::Branch { .. } | StepKind::Switch { .. })
}

/// `entry` is the event of the flipped branch in the old log.
fn by_log(old: &Trace, step: &Step, entry: usize, predicted: Direction, new: &Trace) -> Arrival {
    let new_log = log_of(new);
    for (index, old_event) in log_of(old).into_iter().take_while(|&event| event <= entry).enumerate() {
        let Some(&new_event) = new_log.get(index) else { return Arrival::Elsewhere(None) };
        let record = &new.events[new_event];
        let fits = if old_event < entry {
            // The default of a switch has many values.
            what(record) == what(&old.events[old_event]) || same_default(old, old_event, new, new_event)
        } else {
            let is_switch = matches!(step.kind, StepKind::Switch { .. });
            let value = if is_switch { record.x } else { u64::from(record.flags & 1) };
            record.site == step.site && step.direction_for(u128::from(value)) == Some(predicted)
        };
        if !fits {
            return Arrival::Elsewhere(Some(new_event));
        }
    }
    Arrival::Predicted
}

/// Whether two log entries are of one switch that went to its default.
fn same_default(old: &Trace, old_event: usize, new: &Trace, new_event: usize) -> bool {
    let (old_record, new_record) = (&old.events[old_event], &new.events[new_event]);
    let is_default = |value: u64| match old.site(old_record.site) {
        Some(site) => site.cases().next().is_some() && site.cases().all(|(case, _)| case != value),
        None => false,
    };
    old_record.site == new_record.site && old_record.aux == 1 && is_default(old_record.x) && is_default(new_record.x)
}

fn by_decisions(
    path: &PathCondition,
    number: usize,
    predicted: Direction,
    new: &PathCondition,
) -> Result<Arrival, PathError> {
    let mut new_steps = new.steps.iter().filter(|step| is_decision(step));
    for step in path.steps[..number].iter().filter(|step| is_decision(step)) {
        match new_steps.next() {
            None => return Ok(Arrival::Untold(None)),
            Some(new_step) if new_step.site != step.site => return Ok(Arrival::Untold(Some(new_step.event))),
            Some(new_step) if new_step.direction() != step.direction() => {
                return Ok(Arrival::Elsewhere(Some(new_step.event)));
            }
            Some(_) => {}
        }
    }
    let step = &path.steps[number];
    let (found, direction) = if is_decision(step) {
        let found = new_steps.next();
        (found, found.and_then(Step::direction))
    } else {
        // A pin always has the value that it pins: compare it with the old one.
        let is_it = |other: &&Step| other.site == step.site && matches!(other.kind, StepKind::Pin { .. });
        let found = new.steps.iter().find(|other| {
            is_it(other) && pinned(other).is_some_and(|value| step.direction_for(value) == Some(predicted))
        });
        (found, found.and_then(pinned).and_then(|value| step.direction_for(value)))
    };
    Ok(match found {
        None => Arrival::Untold(None),
        Some(found) if found.site != step.site => Arrival::Untold(Some(found.event)),
        Some(_) if direction == Some(predicted) => Arrival::Predicted,
        Some(found) => Arrival::Elsewhere(Some(found.event)),
    })
}

fn pinned(step: &Step) -> Option<u128> {
    match step.kind {
        StepKind::Pin { value, .. } => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use gimlet_trace::event::EventKind;

    fn check_runs(old: &Trace, new: &Trace, number: usize, predicted: Direction, expected: Arrival) {
        let path = PathCondition::from_trace(old).unwrap();
        assert_eq!(check(old, &path, number, predicted, new).unwrap(), expected);
    }

    /// Without the log of all branches.
    fn without_log(mut trace: Trace) -> Trace {
        trace.events.retain(|event| event.kind != EventKind::BranchLog as u8);
        trace
    }

    #[test]
    fn flips_arrive_or_not() {
        let run = sample::run;
        for strip in [false, true] {
            let run = |stdin| if strip { without_log(run(stdin)) } else { run(stdin) };
            let event = |index: usize| Some(if strip { index } else { 2 * index });
            check_runs(&run([3, 9]), &run([20, 9]), 0, Direction::True, Arrival::Predicted);
            check_runs(&run([3, 9]), &run([4, 9]), 0, Direction::True, Arrival::Elsewhere(event(0)));
            check_runs(&run([3, 9]), &run([4, 7]), 1, Direction::Case(7), Arrival::Predicted);
            check_runs(&run([3, 1]), &run([4, 8]), 1, Direction::Default, Arrival::Predicted);
            check_runs(&run([3, 1]), &run([4, 7]), 1, Direction::Default, Arrival::Elsewhere(event(1)));
            check_runs(&run([3, 1]), &run([20, 7]), 1, Direction::Case(7), Arrival::Elsewhere(event(0)));
        }
    }

    #[test]
    fn a_branch_that_became_concrete_needs_the_log() {
        let mut new = sample::run([20, 9]);
        new.events.retain(|event| event.kind != EventKind::Branch as u8);
        check_runs(&sample::run([3, 9]), &new, 0, Direction::True, Arrival::Predicted);
        let old = without_log(sample::run([3, 9]));
        check_runs(&old, &without_log(new), 0, Direction::True, Arrival::Untold(Some(0)));
    }
}
