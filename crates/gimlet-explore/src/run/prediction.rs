//! Did a run do what it was made for?
//!
//! A flip foretells that the new run takes the same steps up to the one flipped, and there goes where it was to go. If
//! it doesn't, something that decides the path is missing from the path condition: a divergence.

use gimlet_path::Direction;
use gimlet_trace::trace::Outcome;

use crate::run::job::Expectation;
use crate::run::walk::Walk;

/// How a run stands to what was foretold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prediction {
    Held,
    /// It left the path at this step of its own.
    Parted(usize),
    /// It came to the step, and went another way.
    OtherWay(usize),
    /// It ended before.
    Ended,
    /// It was stopped before it could arrive.
    Stopped,
}

pub fn check(expectation: &Expectation, walk: &Walk, outcome: Outcome) -> Prediction {
    let step = expectation.step;
    let parent = &expectation.walk;
    if walk.prefixes.get(step) != parent.prefixes.get(step) {
        if crashes_there(expectation, walk, outcome) {
            return Prediction::Held;
        }
        if matches!(outcome, Outcome::TimedOut(_) | Outcome::OutOfMemory(_) | Outcome::Interrupted) {
            return Prediction::Stopped;
        }
        let n_common = walk.prefixes.iter().zip(&parent.prefixes).take_while(|(new, old)| new == old).count();
        // The first prefix is that of no steps.
        let parted = n_common.saturating_sub(1);
        return if parted < walk.stops.len() { Prediction::Parted(parted) } else { Prediction::Ended };
    }
    let traps = outcome == Outcome::Signalled(libc::SIGFPE);
    let here = walk.stops.get(step).filter(|stop| stop.site == parent.stops[step].site);
    let is_there = match (expectation.direction, here) {
        // A program may have been built when divisions that trap left no step.
        (Some(Direction::ByZero | Direction::Overflow), None) => traps,
        // An access outside its object may be the end, or look like anything.
        (Some(Direction::Outside), Some(stop)) if stop.is_loose => true,
        (Some(Direction::Outside), _) => walk.prefixes.get(step + 1) != parent.prefixes.get(step + 1),
        // An address that was pinned may be the end as well.
        (Some(Direction::Unpinned), None) => step == walk.stops.len() && matches!(outcome, Outcome::Signalled(_)),
        (Some(Direction::Unpinned), Some(_)) => walk.prefixes[step + 1] != parent.prefixes[step + 1],
        (None, Some(_)) => walk.prefixes[step + 1] != parent.prefixes[step + 1],
        (Some(direction), Some(stop)) => stop.direction == Some(direction),
        (_, None) => false,
    };
    match is_there {
        true => Prediction::Held,
        false if step < walk.stops.len() => Prediction::OtherWay(step),
        false if matches!(outcome, Outcome::TimedOut(_) | Outcome::OutOfMemory(_)) => Prediction::Stopped,
        false => Prediction::Ended,
    }
}

/// Whether a run that was to leave an object crashed before it could note the last accesses on its way.
fn crashes_there(expectation: &Expectation, walk: &Walk, outcome: Outcome) -> bool {
    let is_access = matches!(expectation.direction, Some(Direction::Outside | Direction::Unpinned));
    let is_crash = matches!(outcome, Outcome::Signalled(libc::SIGSEGV | libc::SIGBUS));
    let (parent, n_steps) = (&expectation.walk, walk.stops.len());
    is_access
        && is_crash
        && n_steps <= expectation.step
        && walk.prefixes.last() == parent.prefixes.get(n_steps)
        && parent.stops[n_steps..expectation.step].iter().all(|stop| stop.direction == Some(Direction::Inside))
}
