//! Runs that went elsewhere than they were made for, and what may be to blame.

use gimlet_path::Place;
use gimlet_trace::event::{Tally, TallyKind};
use gimlet_trace::Trace;

use super::Explorer;
use crate::ask::expand::Followed;
use crate::run::job::Expectation;
use crate::run::prediction::Prediction;

impl Explorer {
    /// Counts a divergence under its explanation.
    pub(super) fn diverge(&mut self, prediction: Prediction, expectation: &Expectation, followed: &Followed) {
        self.known.counts.divergences += 1;
        self.note_diverged(expectation, followed);
        let place = |step: usize| match followed.walk.stops.get(step) {
            Some(stop) => Place::text(&followed.trace, stop.site),
            None => "its end".to_owned(),
        };
        let what = match prediction {
            Prediction::Parted(step) => format!("left the path at {}", place(step)),
            Prediction::OtherWay(step) => format!("went another way at {}", place(step)),
            Prediction::Ended => "ended before it came there".to_owned(),
            Prediction::Held | Prediction::Stopped => return,
        };
        let lossy = |tally: &&Tally| tally.kind != TallyKind::Pin as u16;
        let why = match followed.trace.tallies.iter().filter(lossy).max_by_key(|tally| tally.count) {
            Some(tally) => format!("dependencies are lost: {}", lost(&followed.trace, tally)),
            None if followed.trace.forks > 0 => "the program forks".to_owned(),
            None if followed.trace.stops != 0 => "the trace is cut short".to_owned(),
            None if !followed.trace.input.stretches().is_empty() => {
                "more may depend on the length of a stretch than its conditions say".to_owned()
            }
            None => match self.unstable_calls().first() {
                Some(call) => format!("nothing was lost: a run depends on more than its input, perhaps on {call}"),
                None => {
                    "nothing was lost: a run depends on more than its input (addresses, threads), or the program has \
                         undefined behaviour, such as signed overflow, that the optimiser made use of: try -O0, or \
                         gimlet-cc --checks=overflow,shift"
                        .to_owned()
                }
            },
        };
        let aim = match (expectation.direction, expectation.walk.stops.get(expectation.step)) {
            (Some(direction), Some(stop)) => format!("{direction} at {}", Place::text(&followed.trace, stop.site)),
            (None, Some(stop)) => format!("another length at {}", Place::text(&followed.trace, stop.site)),
            (_, None) => "a step".to_owned(),
        };
        let explanation = format!("made for {aim}: {what}; {why}");
        *self.known.divergences.entry(explanation).or_default() += 1;
    }
}

/// What a tally counts, and where.
pub(super) fn lost(trace: &Trace, tally: &Tally) -> String {
    use gimlet_trace::event::{LostReason, StaleReason};
    let reason = match TallyKind::from_code(tally.kind) {
        Some(TallyKind::Lost) => LostReason::from_code(tally.reason).map_or("lost", LostReason::text).to_owned(),
        Some(TallyKind::Stale) => StaleReason::from_code(tally.reason).map_or("stale", StaleReason::text).to_owned(),
        _ => {
            let callee = trace.site(tally.site).and_then(|site| site.callee.clone());
            format!("call of {} without a model", callee.unwrap_or_else(|| "a function".to_owned()))
        }
    };
    format!("{reason} at {}", Place::text(trace, tally.site))
}
