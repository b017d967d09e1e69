//! What was pinned, lost, stale and not modelled: by site and reason.

use gimlet_path::Place;
use gimlet_trace::event::{EventKind, EventRecord, LostReason, PinReason, StaleReason, Tally, TallyKind};
use gimlet_trace::Trace;

/// A tally in words.
pub struct Counted {
    pub kind: TallyKind,
    pub count: u64,
    /// Why, or what was called.
    pub reason: String,
    pub callee: Option<String>,
    pub place: Option<Place>,
    pub place_text: String,
}

/// The tallies of one kind, the largest first.
pub fn of_kind(trace: &Trace, kind: TallyKind) -> Vec<Counted> {
    let mut found: Vec<Counted> = all(trace, kind).iter().map(|tally| counted(trace, kind, tally)).collect();
    found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.place_text.cmp(&b.place_text)));
    found
}

/// Sum over the tallies of one kind.
pub fn total(trace: &Trace, kind: TallyKind) -> u64 {
    all(trace, kind).iter().fold(0, |sum, tally| sum.saturating_add(tally.count))
}

/// The tallies of one kind. A table that a token is an index of is pinned, and no loss: the runtime does not tally it.
fn all(trace: &Trace, kind: TallyKind) -> Vec<Tally> {
    let mut all: Vec<Tally> = trace.tallies.iter().filter(|tally| tally.kind == kind as u16).copied().collect();
    let reason = PinReason::Token as u16;
    let is_of_token = |event: &&EventRecord| event.kind == EventKind::Pin as u8 && event.aux == reason;
    for event in trace.events.iter().filter(is_of_token).filter(|_| kind == TallyKind::Pin) {
        match all.iter_mut().find(|tally| tally.reason == reason && tally.site == event.site) {
            Some(tally) => tally.count += 1,
            None => all.push(Tally { kind: kind as u16, reason, site: event.site, count: 1, ..Tally::default() }),
        }
    }
    all
}

fn counted(trace: &Trace, kind: TallyKind, tally: &Tally) -> Counted {
    let callee = trace.site(tally.site).and_then(|site| site.callee.clone()).filter(|name| !name.is_empty());
    let unknown = || format!("reason {}", tally.reason);
    let reason = match kind {
        TallyKind::Pin => PinReason::from_code(tally.reason).map_or_else(unknown, |reason| reason.text().to_string()),
        TallyKind::Lost => LostReason::from_code(tally.reason).map_or_else(unknown, |reason| reason.text().to_string()),
        TallyKind::Stale => {
            StaleReason::from_code(tally.reason).map_or_else(unknown, |reason| reason.text().to_string())
        }
        TallyKind::Unmodelled => callee.clone().unwrap_or_else(|| "call of an unknown function".to_string()),
    };
    Counted {
        kind,
        count: tally.count,
        reason,
        callee,
        place: Place::of(trace, tally.site),
        place_text: Place::text(trace, tally.site),
    }
}
