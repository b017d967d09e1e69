//! Stretches of the input: lengths as the only thing that is asked about.
//!
//! A path is meant for all lengths for which its conditions hold. What the program does in loops that nobody can
//! summarise depends on the length all the same, and so does what it writes there. Therefore a new path is run once more
//! with the longest stretches that it allows, and with the shortest: a copy that is one byte too long is too long there.
//!
//! Where the user says nothing of lengths, both representations share the search. Tests are explored byte by byte, and a
//! part of the time goes to tests of which a few bytes become a stretch. They are run with words as long as a condition
//! lets them be, and as can be, which takes no solver; then there are trials, at the ends of lines and words first: only
//! what depends on a stretch is asked there, and what comes of it is a test if it takes a new branch. So the prefix before
//! a stretch grows with the tests, and what would be found without stretches is still looked for in most of the time.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use gimlet_exec::watch::is_interrupted;
use gimlet_expr::{BinOp, Dag, Evaluator, ExprId};
use gimlet_grammar::chance::Chance;
use gimlet_solver::{Answer, Chain};
use gimlet_trace::{Input, Source, SourceKind, Stretch};
use rustc_hash::FxHashSet;

use super::questions::{LONGEST_FIRST_ATTEMPT, SHORTEST_KILL};
use super::{Explorer, Made};
use crate::ask::expand::Followed;
use crate::ask::lengths;
use crate::error::ExploreError;
use crate::run::job::{Job, Origin, RunId};
use crate::schedule::{StretchTurn, Trial};

/// Trials with one test, one after the other.
const N_TRIALS: usize = 24;
/// Stretches of one test.
const N_AT_ONCE: usize = 8;
/// Time for the questions about one run.
const LONGEST_SLICE: Duration = Duration::from_millis(100);
/// Steps that depend on a stretch, at most, if its units are asked about as well.
const N_STEPS_OF_UNITS: usize = 256;
/// Steps of one run that are asked about.
const N_STEPS_ASKED: usize = 256;
/// Lengths of one stretch before conditions turn.
const N_TURNS: usize = 4;
/// Questions for a length beyond the one that needs no other change.
const N_MORE_ASKED: usize = 2;
/// Bytes of a unit, at most.
const UNIT_MAX: usize = 8;
/// What a stretch is made of where there is nothing.
const UNIT: u8 = b'a';

impl Explorer {
    /// Makes stretches in a test that waits for them, or goes on with that: one run, and questions about its lengths.
    pub(super) fn stretch_test(&mut self) -> Result<(), ExploreError> {
        let Some(mut trial) = self.scheduler.sources.stretches.take_trial() else { return self.begin_trial() };
        let start = self.now();
        let done = self.ask_about_lengths(&mut trial);
        trial.took(self.now() - start);
        self.scheduler.sources.stretches.put_trial(trial);
        done
    }

    /// Chooses what is tried next. Before anything is asked about a test, it is run with each of its words as long as can
    /// be: that takes no solver, and is too long for many a buffer.
    fn begin_trial(&mut self) -> Result<(), ExploreError> {
        match self.scheduler.sources.stretches.next_turn() {
            None => {}
            Some(StretchTurn::Begin { input, lane }) => {
                self.try_longest(&input)?;
                self.scheduler.sources.stretches.put_end(lane, input, 0);
            }
            Some(StretchTurn::Ask { input, n_tried, lane }) => {
                let spots = spots(&input);
                let ends = ends_of_lines(&input, &spots);
                let chosen = choose(&input, &spots, &ends, n_tried, &mut self.makers.chance);
                let stretches = &mut self.scheduler.sources.stretches;
                if let Some(stretched) = stretch(&input, &chosen, self.settings.stretch_max) {
                    stretches.put_trial(Trial::new(stretched));
                }
                let n_tried = n_tried + 1;
                if n_tried <= ends.len() {
                    stretches.put_end(lane, input, n_tried);
                } else if n_tried < (2 * spots.len()).min(N_TRIALS) {
                    stretches.put_other(lane, input, n_tried);
                }
            }
        }
        Ok(())
    }

    /// Runs a test with each of its words as long as inputs may be, and as long as a condition of its path lets it be.
    fn try_longest(&mut self, input: &Input) -> Result<(), ExploreError> {
        let words: Vec<Spot> = spots(input).into_iter().filter(|spot| spot.unit == 1).take(N_TRIALS).collect();
        let run = self.known.counts.executions as RunId;
        let mut longer = self.before_turns(input, &words, run)?;
        for &word in &words {
            let stretched = stretch(input, &[word], self.settings.stretch_max);
            longer.extend(
                stretched.map(|it| it.stretches().iter().fold(it.clone(), |it, by| it.with_length(by, by.max))),
            );
        }
        for input in longer {
            if self.end().is_some() {
                break;
            }
            self.import_stretched(input, run)?;
        }
        Ok(())
    }

    /// The test with one of its words as long as can be before a condition of its path turns. One run tells, in which all
    /// words are stretches, but no longer than they are.
    fn before_turns(&mut self, input: &Input, words: &[Spot], run: RunId) -> Result<Vec<Input>, ExploreError> {
        let mut stretched = input.clone();
        for word in words {
            let Source { bytes, .. } = &input.sources[word.source];
            if bytes.get(word.at).is_some_and(|&byte| byte != 0) {
                let max = self.settings.stretch_max.saturating_sub(bytes.len() - 1);
                stretched.stretch(word.source, word.at, 1, max);
            }
        }
        let made = Made { input: stretched, bound: 0, visited: Vec::new(), string: None, has_tokens: false };
        let Some(followed) = self.follow(run, &made)? else { return Ok(Vec::new()) };
        let stretches = followed.trace.input.stretches();
        Ok(stretches.iter().flat_map(|stretch| followed.before_turns(stretch)).take(N_TRIALS).collect())
    }

    /// Takes over a test that was made by stretches, if it may be one.
    fn import_stretched(&mut self, input: Input, parent: RunId) -> Result<(), ExploreError> {
        let test = input.without_stretches();
        if self.plan().only_sentences && !self.is_sentence(&test) {
            return Ok(());
        }
        self.import(test, Origin::Length { parent, n_covered: None })
    }

    /// Follows an input with stretches; others come of it by other lengths.
    fn ask_about_lengths(&mut self, trial: &mut Trial) -> Result<(), ExploreError> {
        let Some(input) = trial.next_input() else { return Ok(()) };
        let is_over = self.begin_questions();
        let run = self.known.counts.executions as RunId;
        let made = Made { input, bound: 0, visited: Vec::new(), string: None, has_tokens: false };
        let Some(mut followed) = self.follow(run, &made)? else { return Ok(()) };
        if !trial.is_new_path(followed.walk.path()) {
            return Ok(());
        }
        let [by_lengths, by_units] = followed.with_other_lengths(&mut self.asker.chain, &is_over);
        let by_lengths = by_lengths.into_iter().map(|input| (input, false));
        for (input, is_by_units) in by_lengths.chain(by_units.into_iter().map(|input| (input, true))) {
            if trial.add(&input, is_by_units) {
                self.import_stretched(input, run)?;
            }
        }
        Ok(())
    }

    /// Limits the time of questions about one run; gives what tells when no more may be asked.
    fn begin_questions(&mut self) -> impl Fn() -> bool + use<> {
        let (now, interrupt) = (Instant::now(), self.runner.options.interrupt);
        let end = self.deadline();
        let slice = (self.gives_up() && self.time.clock.is_wall()).then(|| now + LONGEST_SLICE);
        let deadline = end.into_iter().chain(slice).min();
        if let Some(deadline) = deadline {
            let left = deadline.saturating_duration_since(now).clamp(SHORTEST_KILL, LONGEST_FIRST_ATTEMPT);
            self.asker.chain.kill_after(left);
        }
        move || is_interrupted(interrupt) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Offers the input of a run with its stretches as long and as short as they can be on its path.
    pub(super) fn try_extremes(&mut self, followed: &mut Followed) {
        let is_over = self.begin_questions();
        for input in followed.extremes(&mut self.asker.chain, &is_over) {
            self.offer(Job {
                input,
                origin: Origin::Length { parent: followed.run, n_covered: None },
                bound: followed.path.steps.len(),
                visited: Vec::new(),
                expectation: None,
                string: None,
            });
        }
    }
}

/// Bytes of a source that may become a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spot {
    source: usize,
    at: usize,
    unit: usize,
}

/// The input with a stretch at each of these; `None` if there is none.
fn stretch(input: &Input, spots: &[Spot], max: usize) -> Option<Input> {
    let mut input = input.clone();
    let mut is_stretched = false;
    for spot in spots {
        let bytes = &mut input.sources[spot.source].bytes;
        if bytes.is_empty() || bytes[spot.at] == 0 {
            bytes.insert(spot.at, UNIT);
        }
        let max = max.saturating_sub(bytes.len() - spot.unit) / spots.len();
        is_stretched |= input.stretch(spot.source, spot.at, spot.unit, max);
    }
    is_stretched.then(|| input.begun())
}

/// Where words end, and signs; a pair there, too. A source with nothing in it has one, at its beginning.
fn spots(input: &Input) -> Vec<Spot> {
    let class = |byte: u8| (byte.is_ascii_alphanumeric(), is_end(byte));
    let is_open =
        |source: &Source| lengths::can_change(source.kind) || matches!(source.kind, SourceKind::Arg | SourceKind::Env);
    let mut found = Vec::new();
    for (number, source) in input.sources.iter().enumerate().filter(|(_, source)| is_open(source)) {
        let bytes = &source.bytes;
        let before = found.len();
        for at in 0..bytes.len() {
            let is_last = bytes.get(at + 1).is_none_or(|&next| class(next) != class(bytes[at]));
            if is_last && !class(bytes[at]).1 {
                found.push(Spot { source: number, at, unit: 1 });
                if at > 0 && !class(bytes[at - 1]).1 {
                    found.push(Spot { source: number, at: at - 1, unit: 2 });
                }
            }
        }
        if found.len() == before {
            found.push(Spot { source: number, at: 0, unit: 1 });
        }
    }
    found
}

/// The spots that are tried next: the ends of all lines, each of them from the last one on, all others; in turns with those
/// any few bytes, whatever they are.
fn choose(input: &Input, spots: &[Spot], ends: &[Spot], n_tried: usize, chance: &mut Chance) -> Vec<Spot> {
    let chosen = match n_tried.checked_sub(ends.len()) {
        _ if n_tried == 0 => return ends.to_vec(),
        None => ends.get(ends.len() - n_tried).copied(),
        Some(0) => ends.first().filter(|_| ends.len() > 1).or(spots.first()).copied(),
        _ if spots.is_empty() => None,
        Some(number) if number % 2 == 1 => Some(spots[number / 2 % spots.len()]),
        Some(_) => anywhere(input, spots[chance.pick(spots.len())].source, chance),
    };
    chosen.into_iter().collect()
}

/// A few bytes of one line of a source.
fn anywhere(input: &Input, source: usize, chance: &mut Chance) -> Option<Spot> {
    let bytes = &input.sources[source].bytes;
    let at = chance.pick(bytes.len().max(1));
    let n_most = bytes[at.min(bytes.len())..].iter().take(UNIT_MAX).take_while(|&&byte| !is_end(byte)).count();
    (n_most > 0).then(|| Spot { source, at, unit: 1 + chance.pick(n_most) })
}

/// Bytes that end a line.
fn is_end(byte: u8) -> bool {
    matches!(byte, 0 | b'\n' | b'\r')
}

/// Where lines end, and arguments: only those of the first lines, if there are many. Where the last word ends, if there is
/// no such place.
fn ends_of_lines(input: &Input, spots: &[Spot]) -> Vec<Spot> {
    let is_last = |spot: &&Spot| {
        let bytes = &input.sources[spot.source].bytes;
        spot.unit == 1 && bytes.get(spot.at + 1).is_none_or(|&next| is_end(next))
    };
    let ends: Vec<Spot> = spots.iter().filter(is_last).take(N_AT_ONCE).copied().collect();
    match ends.is_empty() {
        true => spots.iter().rev().find(|spot| spot.unit == 1).copied().into_iter().collect(),
        false => ends,
    }
}

impl Followed {
    /// Numbers of the bytes that say how long stretches are, and of those of their units.
    fn numbers_of_stretches(&self) -> (FxHashSet<u32>, FxHashSet<u32>) {
        let (mut lengths, mut units) = (FxHashSet::default(), FxHashSet::default());
        for stretch in self.trace.input.stretches() {
            for segment in &self.trace.segments {
                let number = |offset: usize| segment.first + (offset as u64 - segment.offset) as u32;
                if segment.source as usize == stretch.length {
                    lengths.extend(segment.first..segment.first + segment.len as u32);
                } else if segment.source as usize == stretch.source && segment.offset as usize <= stretch.at {
                    units.extend((stretch.at..stretch.at + stretch.unit).map(number));
                }
            }
        }
        (lengths, units)
    }

    /// Inputs that go another way at a step that depends on a stretch, and those with the longest and shortest ones, by
    /// other lengths, and by other lengths and units. Nothing else becomes another.
    fn with_other_lengths(&mut self, chain: &mut Chain, is_over: &dyn Fn() -> bool) -> [Vec<Input>; 2] {
        let (lengths, units) = self.numbers_of_stretches();
        let mut found =
            self.with_others_at(self.path.steps_on(|byte| lengths.contains(&byte)), &lengths, chain, is_over);
        for stretch in self.trace.input.stretches() {
            found.extend([true, false].into_iter().filter_map(|is_longest| self.extreme_alone(&stretch, is_longest)));
        }
        let both: FxHashSet<u32> = lengths.union(&units).copied().collect();
        let steps = self.path.steps_on(|byte| both.contains(&byte));
        // Where each byte of a stretch is looked up in a table there are too many.
        let of_units = match steps.len() <= N_STEPS_OF_UNITS {
            true => self.with_others_at(steps, &both, chain, is_over),
            false => Vec::new(),
        };
        [found, of_units]
    }

    /// Inputs that go another way at one of these steps, by other values of these bytes.
    fn with_others_at(
        &mut self,
        steps: Vec<usize>,
        numbers: &FxHashSet<u32>,
        chain: &mut Chain,
        is_over: &dyn Fn() -> bool,
    ) -> Vec<Input> {
        // Each condition, and behind it what may come in its place.
        let mut questions: Vec<(usize, usize)> = Vec::new();
        let mut conditions = Vec::new();
        for number in steps {
            let step = self.path.steps[number].clone();
            let alternatives = step.alternatives(&mut self.path.dag, &[]);
            questions.push((conditions.len(), alternatives.len()));
            conditions.push(step.condition);
            conditions.extend(alternatives.iter().map(|alternative| alternative.condition));
        }
        let known = |byte: u32| self.flat.get(byte as usize).copied().filter(|_| !numbers.contains(&byte));
        let (dag, conditions) = self.path.dag.specialised(&conditions, known);
        let mut found = Vec::new();
        chain.begin_path(&dag, &self.flat);
        for (at, n_alternatives) in questions.into_iter().take(N_STEPS_ASKED) {
            for &alternative in &conditions[at + 1..at + 1 + n_alternatives] {
                if is_over() {
                    break;
                }
                if let Answer::Sat(model) = chain.ask(&dag, alternative) {
                    found.push(self.trace.unflatten(&model.overlay(&self.flat)));
                }
            }
            chain.push(&dag, conditions[at]);
        }
        chain.end_path();
        found
    }

    /// The input with each stretch as long and as short as it can be.
    fn extremes(&mut self, chain: &mut Chain, is_over: &dyn Fn() -> bool) -> Vec<Input> {
        let mut found = Vec::new();
        for stretch in self.trace.input.stretches() {
            for is_longest in [true, false] {
                let alone = self.extreme_alone(&stretch, is_longest);
                found.extend(self.extreme_beyond(&stretch, alone.as_ref(), is_longest, chain, is_over).or(alone));
            }
        }
        found
    }

    /// Where other bytes stand in the way of a longer or a shorter stretch: an input in which they do not.
    fn extreme_beyond(
        &mut self,
        stretch: &Stretch,
        alone: Option<&Input>,
        is_longest: bool,
        chain: &mut Chain,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Input> {
        let len = |input: &Input| input.stretches().iter().find(|it| it.length == stretch.length).map(|it| it.len);
        let mut best = alone.and_then(len).unwrap_or(stretch.len);
        let mut found = None;
        for _ in 0..N_MORE_ASKED {
            if best == stretch.extreme(is_longest) || is_over() {
                break;
            }
            let Some(input) = self.beyond(stretch, best as u32, is_longest, chain) else { break };
            best = len(&input)?;
            found = Some(input);
        }
        found
    }

    /// The input with a longer stretch, for each condition that would not hold if it were longer still. Others may not
    /// hold, either: a loop that is not followed over one byte counts what it is.
    fn before_turns(&self, stretch: &Stretch) -> Vec<Input> {
        let Some((steps, mut holds)) = self.by_length(stretch) else { return Vec::new() };
        let mut lens = BTreeSet::new();
        for step in steps.into_iter().take(N_STEPS_ASKED) {
            let last = last_that(stretch.len, stretch.max, |len| holds(step, len));
            if stretch.len < last && last < stretch.max {
                lens.insert(last);
            }
        }
        lens.into_iter().take(N_TURNS).map(|len| self.trace.input.with_length(stretch, len)).collect()
    }

    /// The input with the longest or the shortest stretch for which all conditions of the path hold, if nothing else
    /// changes; `None` if it has that. Lengths between that and the present one are taken to be as good.
    fn extreme_alone(&self, stretch: &Stretch, is_longest: bool) -> Option<Input> {
        let (steps, mut holds) = self.by_length(stretch)?;
        let len = last_that(stretch.len, stretch.extreme(is_longest), |len| steps.iter().all(|&step| holds(step, len)));
        (len != stretch.len).then(|| self.trace.input.with_length(stretch, len))
    }

    /// Steps that depend on how long a stretch is, and what tells whether one of them holds if it is so long.
    fn by_length(&self, stretch: &Stretch) -> Option<(Vec<usize>, impl FnMut(usize, usize) -> bool + '_)> {
        let first = self.first_of_length(stretch)? as usize;
        let steps = self.path.steps_on(|byte| (first..first + 4).contains(&(byte as usize)));
        let mut flat = self.flat.clone();
        let mut evaluator = Evaluator::new(&flat);
        let holds = move |step: usize, len: usize| {
            flat[first..first + 4].copy_from_slice(&(len as u32).to_le_bytes());
            evaluator.set_input(&flat);
            evaluator.holds(&self.path.dag, self.path.steps[step].condition)
        };
        Some((steps, holds))
    }

    /// Number of the first byte of a stretch's length.
    fn first_of_length(&self, stretch: &Stretch) -> Option<u32> {
        self.trace
            .segments
            .iter()
            .find(|segment| segment.source as usize == stretch.length)
            .map(|segment| segment.first)
    }

    /// An input on this path whose length is beyond `best`.
    fn beyond(&mut self, stretch: &Stretch, best: u32, is_longest: bool, chain: &mut Chain) -> Option<Input> {
        let first = self.first_of_length(stretch)?;
        let length = number(&mut self.path.dag, first);
        let bound = self.path.dag.constant(32, best.into());
        let (low, high) = if is_longest { (bound, length) } else { (length, bound) };
        let beyond = self.path.dag.binary(BinOp::Ult, low, high);
        self.begin(chain);
        for step in &self.path.steps {
            chain.push(&self.path.dag, step.condition);
        }
        let answer = chain.ask(&self.path.dag, beyond);
        chain.end_path();
        match answer {
            Answer::Sat(model) => Some(self.trace.unflatten(&model.overlay(&self.flat))),
            _ => None,
        }
    }
}

/// The last length on the way to `limit` that is good; those between it and the first, which is, are taken to be as good.
fn last_that(first: usize, limit: usize, mut is_good: impl FnMut(usize) -> bool) -> usize {
    let (mut inside, mut outside) = (first, limit);
    if is_good(limit) {
        return limit;
    }
    while inside.abs_diff(outside) > 1 {
        let middle = inside.min(outside) + inside.abs_diff(outside) / 2;
        *(if is_good(middle) { &mut inside } else { &mut outside }) = middle;
    }
    inside
}

/// A length, of 32 bits, whose first byte has this number.
fn number(dag: &mut Dag, first: u32) -> ExprId {
    let mut word = dag.byte(first);
    for byte in 1..4 {
        let high = dag.byte(first + byte);
        word = dag.concat(high, word);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_words_and_signs_become_stretches() {
        let input = Input::stdin("ab: <>\n");
        let spots: Vec<(usize, usize)> = spots(&input).iter().map(|spot| (spot.at, spot.unit)).collect();
        assert_eq!(spots, [(1, 1), (0, 2), (5, 1), (4, 2)]);
        let carriage_return = Input::stdin("ab\r\n");
        assert_eq!(
            ends_of_lines(&carriage_return, &super::spots(&carriage_return)),
            [Spot { source: 0, at: 1, unit: 1 }]
        );
        let empty = Input::stdin("");
        let stretched = stretch(&empty, &super::spots(&empty), 10).unwrap();
        assert_eq!((stretched.sources[0].bytes.as_slice(), stretched.stretches()[0].max), (&b"aaaa"[..], 10));
        assert_eq!(stretch(&input, &[Spot { source: 0, at: 1, unit: 1 }], 6), None);
    }

    #[test]
    fn the_last_good_length_is_found_in_both_directions() {
        assert_eq!(last_that(3, 4096, |len| len <= 1012), 1012);
        assert_eq!(last_that(3, 4096, |len| len == 3), 3);
        assert_eq!(last_that(3, 4096, |_| true), 4096);
        assert_eq!(last_that(40, 1, |len| len > 17), 18);
    }

    #[test]
    fn no_stretch_has_the_end_of_a_line() {
        let input = Input::stdin("ab\n\0cdefghijklmnop\n");
        let mut chance = Chance::new(1);
        let mut units = FxHashSet::default();
        for spot in (0..1000).filter_map(|_| anywhere(&input, 0, &mut chance)) {
            let bytes = &input.sources[0].bytes[spot.at..spot.at + spot.unit];
            assert!((1..=UNIT_MAX).contains(&spot.unit) && !bytes.iter().any(|&byte| is_end(byte)), "{bytes:?}");
            units.insert(spot.unit);
        }
        assert_eq!(units.len(), UNIT_MAX);
        assert_eq!(anywhere(&Input::stdin(""), 0, &mut chance), None);
    }
}
