//! Loops of the program that walk over text, and what they count where the text has stretches.
//!
//! The pass tells of each iteration where its next byte is, what the loop's counters are, and how they compare with
//! something else. While the bytes are those of a stretch ([`crate::lengths`]), each unit of it does the same to them as
//! the one before; where the stretch ends, a counter owes a part of its value to the stretch's length, and its label says
//! so. A comparison that came out the same for all units is one of the last of them with the length, and goes into the path
//! condition as such; one that changed on the way needs the stretch to be as long as that.

use core::ptr;

use gimlet_trace::event::{EventKind, EventRecord, LostReason, NO_SITE};
use gimlet_trace::Label;

use crate::implied;
use crate::lengths::{self, Place};
use crate::log::{self, blank};
use crate::ops::{binary, shape, Shape};
use crate::state::Guard;
use crate::table::{truncate, Operand};
use crate::term::Term;

/// Loops that are followed at a time; as many as the pass tells of each.
const N_WALKS: usize = 64;
const N_COUNTERS: usize = 8;
const N_COMPARISONS: usize = 8;
/// Iterations that are remembered: two units, and one more.
const N_REMEMBERED: usize = 32;

/// Values in the last iterations.
#[derive(Clone, Copy)]
struct History([u64; N_REMEMBERED]);

impl History {
    fn at(&self, iteration: u64) -> u64 {
        self.0[iteration as usize % N_REMEMBERED]
    }

    fn set(&mut self, iteration: u64, value: u64) {
        self.0[iteration as usize % N_REMEMBERED] = value;
    }
}

#[derive(Clone, Copy)]
struct Comparison {
    shape: u32,
    site: u32,
    a: History,
    b: History,
    labels: [Label; 2],
    /// How it came out in the last iterations, and whether it was made: a bit for each.
    values: u32,
    made: u32,
    /// The last iteration that made it.
    last: u64,
}

#[derive(Clone, Copy)]
struct Walk {
    /// The loop; 0 if there is none.
    key: u64,
    /// Where the next byte of the iteration is.
    at: u64,
    /// Whether the walk goes down. (All zero at first, so that the table takes no room in the program's file.)
    is_downward: bool,
    /// The stretch that it is in.
    place: Option<Place>,
    /// The stretch ends before the iteration that has begun.
    is_through: bool,
    /// Number of the iteration.
    iteration: u64,
    /// That from which on each unit has done the same, and where it was.
    since: u64,
    from: u64,
    counters: [History; N_COUNTERS],
    comparisons: [Comparison; N_COMPARISONS],
}

const BLANK_HISTORY: History = History([0; N_REMEMBERED]);
const BLANK_COMPARISON: Comparison = Comparison {
    shape: 0,
    site: 0,
    a: BLANK_HISTORY,
    b: BLANK_HISTORY,
    labels: [Label::NONE; 2],
    values: 0,
    made: 0,
    last: 0,
};
const BLANK: Walk = Walk {
    key: 0,
    at: 0,
    is_downward: false,
    place: None,
    is_through: false,
    iteration: 0,
    since: 0,
    from: 0,
    counters: [BLANK_HISTORY; N_COUNTERS],
    comparisons: [BLANK_COMPARISON; N_COMPARISONS],
};

static mut WALKS: [Walk; N_WALKS] = [BLANK; N_WALKS];
/// Where the stream stands that a byte was taken of last, as a place.
static mut STREAM: u64 = 0;

/// A byte was taken of a stream: the next is byte `offset` of a source.
pub fn took_of_stream(source: u32, offset: u64) {
    if lengths::are_there() && lengths::is_repeated_in(source, offset.wrapping_sub(1)) {
        look_at(lengths::place_in_source(source, offset - 1), NO_SITE);
    }
    // SAFETY: callers are inside a `Guard`.
    unsafe { STREAM = lengths::place_in_source(source, offset) };
}

/// The program looks at `n` bytes of memory, at an address that depends on nothing. If these repeat the beginning of a
/// stretch and no loop is known to walk there, what it does depends on the length, and nobody knows how: that is counted.
#[inline(always)]
pub fn look(address: u64, n: u32, site: u32) {
    if lengths::are_there() && (0..u64::from(n)).any(|at| lengths::is_repeated(address + at)) {
        look_at(address, site);
    }
}

#[cold]
fn look_at(at: u64, site: u32) {
    // SAFETY: callers are inside a `Guard`.
    let walks = unsafe { &*ptr::addr_of!(WALKS) };
    if !walks.iter().any(|walk| walk.place.is_some() && walk.at.abs_diff(at) <= lengths::UNIT_MAX) {
        log::lost(site, LostReason::Walk);
    }
}

fn bit(iteration: u64) -> u32 {
    1 << (iteration % N_REMEMBERED as u64)
}

/// The walk of a loop, begun anew if another loop has taken its place.
fn walk_of(key: u64) -> &'static mut Walk {
    let index = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
    // SAFETY: callers are inside a `Guard`, and 6 bits index 64 walks.
    let walk = unsafe { &mut *ptr::addr_of_mut!(WALKS[index]) };
    if walk.key != key {
        *walk = Walk { key, ..BLANK };
    }
    walk
}

impl Walk {
    /// The next iteration begins, at one of these bytes.
    fn go_to(&mut self, [address, other]: [u64; 2]) {
        let is_next = |at: u64| self.iteration > 0 && (at == self.at.wrapping_add(1) || at.wrapping_add(1) == self.at);
        let at = if self.place.is_some() && is_next(other) && !is_next(address) { other } else { address };
        if self.iteration > 0 && at == self.at {
            self.is_through = false;
            return;
        }
        let was_next =
            is_next(at) && (self.place.is_none() || (at < self.at) == self.is_downward || self.from == self.at);
        let before = self.at;
        self.iteration += 1;
        if was_next {
            self.is_downward = at < before;
        }
        // Behind one stretch another may begin.
        if self.is_through || self.place.is_none() {
            self.is_through = false;
            self.place = if was_next { lengths::place_at(before) } else { None };
            (self.since, self.from) = (self.iteration - 1, before);
        }
        if !was_next || self.place.is_none() {
            let found = lengths::place_at(at).map(|place| (place, at));
            let found = found.or_else(|| lengths::place_at(other).map(|place| (place, other)));
            self.place = found.map(|(place, _)| place);
            self.at = found.map_or(at, |(_, at)| at);
            (self.since, self.from) = (self.iteration, self.at);
            return;
        }
        self.at = at;
        let Some(place) = self.place else { return };
        self.is_through = at == if self.is_downward { place.start.wrapping_sub(1) } else { place.end };
        if self.is_through {
            self.conclude(place);
        } else if !(place.start..place.end).contains(&at) {
            self.place = None;
        }
    }

    /// Bytes of the stretch that the walk has left behind for good where it has come to `at`, itself among them.
    fn n_needed(&self, place: Place, at: u64) -> u64 {
        if self.is_downward {
            place.end - at
        } else {
            at + 1 - place.start
        }
    }

    /// The stretch is `n` bytes long at least.
    fn need(&self, place: Place, n: u64) {
        let is_shorter = place.run.term().below(Term::constant(n, 64));
        if n > place.run.unit() && is_shorter.is_symbolic() && !is_shorter.holds() {
            let condition = !is_shorter;
            log::event(EventRecord { a: condition.label.0, flags: 1, ..blank(EventKind::Assume, NO_SITE) });
            implied::fix(condition.label);
        }
    }

    /// What a value that a unit of the stretch adds `by` to owes to its length.
    fn owed(&self, place: Place, by: i64, width: u32) -> Term {
        let (n, len, unit) = (place.run.term(), place.run.len, place.run.unit());
        let owed = if by % unit as i64 == 0 {
            (n - Term::constant(len, 64)) * Term::constant((by / unit as i64) as u64, 64)
        } else {
            (n.divide(unit).0 - Term::constant(len / unit, 64)) * Term::constant(by as u64, 64)
        };
        owed.low(width)
    }

    /// What a unit adds to a value, if the last two of them added the same.
    fn growth(&self, values: &History, last: u64, unit: u64, width: u32) -> Option<i64> {
        if last < self.since + 2 * unit {
            return None;
        }
        let [now, before, earlier] = [0, 1, 2].map(|back| values.at(last - back * unit));
        let signed = |value: u64| Term::constant(value, width).signed();
        (signed(now.wrapping_sub(before)) == signed(before.wrapping_sub(earlier)))
            .then(|| signed(now.wrapping_sub(before)))
    }

    /// The walk is through a stretch: what held for all of it goes into the path condition.
    fn conclude(&mut self, place: Place) {
        let (first, before) = match self.is_downward {
            true => (place.end - 1, self.from + 1),
            false => (place.start, self.from.wrapping_sub(1)),
        };
        if self.from != first {
            self.need(place, self.n_needed(place, before));
        }
        let unit = place.run.unit();
        for number in 0..N_COMPARISONS {
            let comparison = &self.comparisons[number];
            let is_of_last_unit = comparison.made != 0 && comparison.last + unit >= self.iteration;
            let seen = [1, 2].iter().all(|back| comparison.made & bit(comparison.last.wrapping_sub(back * unit)) != 0);
            let Some(Shape { op, width }) = shape(comparison.shape).filter(|_| is_of_last_unit && seen) else {
                continue;
            };
            let grown = [comparison.a, comparison.b].map(|values| self.growth(&values, comparison.last, unit, width));
            let [Some(a), Some(b)] = grown else { continue };
            if a == 0 && b == 0 {
                continue;
            }
            let term = |values: &History, label: Label, by: i64| {
                Term { label, ..Term::constant(values.at(comparison.last), width) } + self.owed(place, by, width)
            };
            let (a, b) = (term(&comparison.a, comparison.labels[0], a), term(&comparison.b, comparison.labels[1], b));
            let value = comparison.values & bit(comparison.last) != 0;
            let label = binary(Shape { op, width }, a.operand(), b.operand(), value.into());
            log::branch(label, value, true, comparison.site);
        }
    }

    /// The label of a counter in the iteration that has begun.
    fn count(&mut self, index: usize, label: Label, value: u64, width: u32, step: i64) -> Label {
        self.counters[index].set(self.iteration, value);
        let Some(place) = self.place.filter(|place| self.is_through && place.run.len > 1) else { return label };
        let unit = place.run.unit();
        let fixed = (step != 0).then(|| step.wrapping_mul(unit as i64));
        let Some(by) = fixed.or_else(|| self.growth(&self.counters[index], self.iteration, unit, width)) else {
            log::lost(NO_SITE, LostReason::Walk);
            return label;
        };
        let term = Term { label, ..Term::constant(value, width) };
        (term + self.owed(place, by, width)).label
    }

    /// Whether the walk is in the middle of a stretch.
    fn is_inside(&self) -> bool {
        self.place.is_some() && !self.is_through
    }

    /// A comparison of counters in this iteration; gives its label.
    fn compare(&mut self, index: usize, packed: u32, a: Operand, b: Operand, value: bool, site: u32) -> Label {
        let Some(shape) = shape(packed) else { return Label::NONE };
        let label = binary(shape, a, b, value.into());
        let Some(place) = self.place.filter(|_| self.is_inside()) else { return label };
        let (now, unit) = (self.iteration, place.run.unit());
        let comparison = &mut self.comparisons[index];
        if now - comparison.last >= N_REMEMBERED as u64 || comparison.last < self.since {
            (comparison.made, comparison.values) = (0, 0);
        }
        // What is older than can be remembered is forgotten.
        for gone in comparison.last + 1..now {
            comparison.made &= !bit(gone);
        }
        let before = bit(now.wrapping_sub(unit));
        let has_changed =
            now >= self.since + unit && comparison.made & before != 0 && (comparison.values & before != 0) != value;
        (comparison.shape, comparison.site, comparison.last) = (packed, site, now);
        comparison.labels = [a.label, b.label];
        comparison.a.set(now, a.value as u64);
        comparison.b.set(now, b.value as u64);
        comparison.made |= bit(now);
        comparison.values = comparison.values & !bit(now) | if value { bit(now) } else { 0 };
        if has_changed {
            if !lengths::is_one(label) {
                // Where the stretch is shorter, it comes out as before, to the end.
                let is_shorter = place.run.term().below(Term::constant(self.n_needed(place, self.at), 64));
                let condition = if value { !is_shorter } else { is_shorter };
                log::branch(condition.label, value, true, site);
            }
            (self.since, self.from) = (now, self.at);
            return label;
        }
        if lengths::is_one(label) {
            Label::NONE
        } else {
            label
        }
    }
}

pub extern "C" fn gimlet_rt_walk(key: *mut u8, address: *mut u8, other: *mut u8) {
    let Some(_guard) = Guard::enter() else { return };
    if !lengths::are_there() {
        return;
    }
    // SAFETY: inside a `Guard`.
    let first = if address.is_null() && other.is_null() { unsafe { STREAM } } else { address as u64 };
    walk_of(key as u64).go_to([first, other as u64]);
}

pub extern "C" fn gimlet_rt_counter(key: *mut u8, index: u32, label: u32, value: u64, width: u32, step: u64) -> u32 {
    let Some(_guard) = Guard::enter() else { return 0 };
    if !lengths::are_there() || index as usize >= N_COUNTERS {
        return label;
    }
    let value = truncate(value.into(), width) as u64;
    walk_of(key as u64).count(index as usize, Label(label), value, width, step as i64).0
}

pub extern "C" fn gimlet_rt_compare_counters(
    key: *mut u8,
    index: u32,
    packed: u32,
    la: u32,
    lb: u32,
    a: u64,
    b: u64,
    value: u64,
    site: u32,
) -> u32 {
    let Some(_guard) = Guard::enter() else { return 0 };
    let (a, b) = (Operand::new(la, a, 0), Operand::new(lb, b, 0));
    if !lengths::are_there() || index as usize >= N_COMPARISONS {
        return shape(packed).map_or(0, |shape| binary(shape, a, b, value.into()).0);
    }
    walk_of(key as u64).compare(index as usize, packed, a, b, value != 0, site).0
}
