//! From a run and a list of flips to new inputs.

mod tokens;

use std::rc::Rc;
use std::time::{Duration, Instant};

use gimlet_expr::{Cutting, ExprId};
use gimlet_joint::Language;
use gimlet_path::{Alternative, Direction, PathCondition, Step};
use gimlet_solver::{Answer, Chain, Query, Solver};
use gimlet_store::Verdict;
use gimlet_trace::{Input, Trace};

use crate::ask::lengths::{self, Lengths, Resized};
use crate::ask::numbers;
use crate::corpus::Answered;
use crate::make::strings::{Freedom, SymbolicString};
use crate::run::job::{Expectation, Job, Origin, RunId};
use crate::run::seen::Seen;
use crate::run::walk::Walk;
use crate::strategy::{Flip, Ordered};

/// Inputs that are tried with one length, where not all are.
const N_TRIES_OF_LENGTH: u32 = 4;

/// Answers of one step, which are the last ones.
const N_ALTERNATIVES: usize = 64;

/// A run with everything that is known of it; after [`Followed::slim`] with what questions take.
pub struct Followed {
    pub run: RunId,
    pub trace: Trace,
    pub path: PathCondition,
    pub walk: Rc<Walk>,
    /// The input as numbered bytes.
    pub flat: Vec<u8>,
    pub bound: usize,
    pub visited: Vec<Rc<Cutting>>,
    /// What of it may change, if not everything.
    pub freedom: Option<Freedom>,
    /// Steps at which the computed size of an allocation wrapped around.
    pub wrapped: Vec<usize>,
    /// To run and to follow; zero where the clock must not decide.
    pub took: Duration,
}

/// What is asked, and how.
pub struct Asking<'a> {
    pub chain: &'a mut Chain,
    /// For questions without what comes before them, if those are wanted, and for which.
    pub optimistic: Option<(&'a mut Chain, Optimism)>,
    /// With symbolic tokens: their language, and what solves for tokens and bytes at once.
    pub joint: Option<(&'a mut Language, &'a mut Chain)>,
    /// The source that consists of tokens.
    pub primary: &'a str,
    pub lengths: Lengths,
    pub seen: &'a mut Seen,
    pub is_stopped: &'a dyn Fn() -> bool,
    /// How long the questions of one run may take, if others are to have their turn; no less than it takes to begin.
    pub slice: Option<Duration>,
    /// When it is over.
    pub end: Option<Instant>,
}

impl Asking<'_> {
    fn is_late(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// Where what comes before a step is left out of the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Optimism {
    WhereTooHard,
    /// For a direction that nobody ever took: another way there may exist that differs little from this one.
    WhereImpossible,
}

/// What came of it.
#[derive(Default)]
pub struct Expanded {
    pub jobs: Vec<Job>,
    /// Inputs that may do what is impossible on this path.
    pub optimistic: Vec<Job>,
    /// Flips that were too hard.
    pub unknown: Vec<Flip>,
    /// What came of each, but for those that the clock ended.
    pub answers: Vec<Answered>,
    /// What was not asked any more, because the user or the clock stopped it half way.
    pub rest: Vec<Flip>,
}

/// A step, where other ways are asked for.
struct Fork {
    number: usize,
    step: Step,
    /// What was asked here of earlier runs.
    visited: Vec<Rc<Cutting>>,
}

impl Fork {
    fn flip(&self, alternative: Alternative) -> Flip {
        Flip { step: self.number, direction: Some(Ordered(alternative.direction)) }
    }
}

impl Expanded {
    /// A direction can be several questions, and has been asked for when all of them have an answer.
    fn note(&mut self, answered: Answered) {
        match self.answers.iter_mut().rev().take(N_ALTERNATIVES).find(|known| known.flip == answered.flip) {
            Some(known) if known.verdict == Verdict::Unknown => {}
            Some(known) => *known = answered,
            None => self.answers.push(answered),
        }
    }
}

impl Followed {
    /// Asks for each of the flips, which are by ascending step.
    pub fn expand(&mut self, flips: &[Flip], asking: &mut Asking) -> Expanded {
        let mut expanded = Expanded::default();
        let start = Instant::now();
        self.begin(asking.chain);
        let mut n_pushed = 0;
        let mut at = 0;
        while at < flips.len() {
            if !expanded.rest.is_empty() || (asking.is_stopped)() {
                expanded.rest.extend_from_slice(&flips[at..]);
                break;
            }
            let number = flips[at].step;
            let here = flips[at..].iter().take_while(|flip| flip.step == number).count();
            for (before, step) in self.path.steps[..number].iter().enumerate().skip(n_pushed) {
                if (asking.is_stopped)() {
                    expanded.rest.extend_from_slice(&flips[at..]);
                    break;
                }
                if self.can_change(before) {
                    asking.chain.push(&self.path.dag, step.condition);
                }
            }
            if !expanded.rest.is_empty() {
                break;
            }
            n_pushed = number;
            if at == 0 {
                asking.end = asking.slice.map(|slice| Instant::now() + slice.max(start.elapsed()));
            }
            self.expand_step(number, &flips[at..at + here], asking, &mut expanded);
            at += here;
        }
        asking.chain.end_path();
        if let Some((optimistic, _)) = &mut asking.optimistic {
            optimistic.end_path();
        }
        expanded
    }

    /// Begins the path, with what is known of the input beforehand.
    pub(crate) fn begin(&mut self, chain: &mut Chain) {
        let Some(freedom) = &self.freedom else { return chain.begin_path(&self.path.dag, &self.flat) };
        let conditions = freedom.conditions(&mut self.path.dag);
        chain.begin_path(&self.path.dag, &self.flat);
        freedom.fixed().for_each(|byte| chain.fix(byte));
        conditions.into_iter().for_each(|condition| chain.push(&self.path.dag, condition));
    }

    fn can_change(&self, step: usize) -> bool {
        self.freedom.as_ref().is_none_or(|freedom| freedom.can_change(step))
    }

    fn string(&self) -> Option<Rc<SymbolicString>> {
        self.freedom.as_ref().and_then(|freedom| freedom.string().cloned())
    }

    /// Lets go of what it took to make the path.
    pub fn slim(&mut self) {
        let trace = &mut self.trace;
        trace.nodes = Vec::new();
        trace.snapshots = Vec::new();
        trace.events = Vec::new();
        trace.names = Vec::new();
        trace.tallies = Vec::new();
        self.path.steps.shrink_to_fit();
        self.path.observations = Vec::new();
        self.path.comparisons = Vec::new();
    }

    fn expand_step(&mut self, number: usize, flips: &[Flip], asking: &mut Asking, expanded: &mut Expanded) {
        let visited = if number == self.bound { self.visited.clone() } else { Vec::new() };
        let fork = Fork { number, step: self.path.steps[number].clone(), visited };
        if let Some(&flip) = flips.iter().find(|flip| flip.direction.is_none()) {
            expanded.answers.push(Answered { flip, verdict: Verdict::Resized, layer: None });
            expanded.jobs.extend(if number < self.bound {
                self.longer(number, asking)
            } else {
                self.other_lengths(number, asking)
            });
        }
        let conditions: Vec<ExprId> = fork.visited.iter().map(|cutting| self.path.dag.graft(cutting)).collect();
        let wanted =
            |alternative: &Alternative| flips.iter().any(|flip| flip.direction == Some(Ordered(alternative.direction)));
        let alternatives = fork.step.alternatives(&mut self.path.dag, &conditions);
        let alternatives: Vec<Alternative> = alternatives.into_iter().filter(wanted).collect();
        let mut last = None;
        for &alternative in &alternatives {
            let flip = fork.flip(alternative);
            // Questions for the same direction belong together.
            if last.replace(flip) != Some(flip) && asking.is_late() {
                expanded.rest.push(flip);
            }
            if expanded.rest.last() != Some(&flip) {
                self.ask_alternative(&fork, alternative, asking, expanded);
            }
        }
        if self.is_folded(number) {
            for Ordered(direction) in flips.iter().filter_map(|flip| flip.direction) {
                // No solver was asked: with texts of other lengths there is something to ask.
                expanded.jobs.extend(self.other_texts(number, &fork.step, direction, asking));
            }
        }
        // What is ruled out beforehand needs no solver.
        let is_left_out = |flip: &&Flip| {
            flip.direction.is_some_and(|Ordered(direction)| !alternatives.iter().any(|it| it.direction == direction))
        };
        let left_out = flips.iter().filter(is_left_out);
        expanded.answers.extend(left_out.map(|&flip| Answered { flip, verdict: Verdict::Unsat, layer: None }));
    }

    /// Asks for one other way at a step.
    fn ask_alternative(&mut self, fork: &Fork, alternative: Alternative, asking: &mut Asking, expanded: &mut Expanded) {
        let (flip, number) = (fork.flip(alternative), fork.number);
        asking.seen.ask(&self.walk.stops[number], alternative.direction);
        let of_tokens = self.other_tokens(number, &fork.step, alternative, asking);
        let has_tokens = !of_tokens.is_empty();
        expanded.jobs.extend(of_tokens);
        if asking.joint.is_some() && (asking.is_stopped)() {
            // Not every token was tried.
            expanded.rest.push(flip);
            return;
        }
        if !self.can_change(number) {
            let verdict = if has_tokens { Verdict::Sat } else { Verdict::Unsat };
            expanded.note(Answered { flip, verdict, layer: None });
            return;
        }
        let answer = asking.chain.ask(&self.path.dag, alternative.condition);
        let layer = asking.chain.answered_by();
        let verdict = match answer {
            Answer::Sat(model) => {
                let input = self.trace.unflatten(&model.overlay(&self.flat));
                if self.is_right(&input, asking) {
                    expanded.jobs.push(self.job(fork, alternative, input));
                }
                Some(Verdict::Sat)
            }
            Answer::Unsat if has_tokens => Some(Verdict::Sat),
            Answer::Unsat => Some(self.on_impossible(fork, alternative, asking, expanded)),
            Answer::Unknown(_) => self.on_too_hard(fork, alternative, asking, expanded),
        };
        if let Some(verdict) = verdict {
            expanded.note(Answered { flip, verdict, layer });
        }
    }

    /// No bytes make this path go there: other tokens may, texts of other lengths, or another path.
    fn on_impossible(
        &mut self,
        fork: &Fork,
        alternative: Alternative,
        asking: &mut Asking,
        expanded: &mut Expanded,
    ) -> Verdict {
        let (number, step) = (fork.number, &fork.step);
        let both = self.tokens_and_bytes(number, step, alternative, asking);
        if !both.is_empty() {
            expanded.jobs.extend(both);
            return Verdict::Sat;
        }
        expanded.jobs.extend(self.other_texts(number, step, alternative.direction, asking));
        let is_optimistic = matches!(asking.optimistic, Some((_, Optimism::WhereImpossible)));
        if is_optimistic && asking.seen.try_boldly(&self.walk.stops[number], alternative.direction) {
            expanded.optimistic.extend(self.optimistic(step, alternative, Optimism::WhereImpossible, asking));
            let others = self.other_numbers(step, alternative.direction, asking.lengths);
            expanded.optimistic.extend(others.into_iter().filter(|job| self.is_right(&job.input, asking)));
        }
        Verdict::Unsat
    }

    /// The solver gave up. `None` if that may be a question of time, which there will be in another search.
    fn on_too_hard(
        &mut self,
        fork: &Fork,
        alternative: Alternative,
        asking: &mut Asking,
        expanded: &mut Expanded,
    ) -> Option<Verdict> {
        if let Some(job) = self.other_text(fork, alternative, asking) {
            expanded.jobs.push(job);
            return Some(Verdict::Sat);
        }
        expanded.unknown.push(fork.flip(alternative));
        expanded.jobs.extend(self.optimistic(&fork.step, alternative, Optimism::WhereTooHard, asking));
        (!(asking.is_stopped)()).then_some(Verdict::Unknown)
    }

    fn job(&self, fork: &Fork, alternative: Alternative, input: Input) -> Job {
        let Fork { number, step, visited } = fork;
        let (bound, visited) = if step.is_open() {
            // What else could happen here is left to the new run.
            let here = Rc::new(self.path.dag.cut(step.condition));
            (*number, visited.iter().cloned().chain([here]).collect())
        } else {
            (number + 1, Vec::new())
        };
        Job {
            input,
            origin: Origin::Flip { parent: self.run, site: step.site, direction: alternative.direction },
            bound,
            visited,
            expectation: Some(self.expectation(*number, Some(alternative.direction))),
            string: self.string(),
        }
    }

    fn expectation(&self, number: usize, direction: Option<Direction>) -> Expectation {
        Expectation { walk: Rc::clone(&self.walk), step: number, direction }
    }

    /// The same question without what comes before it.
    fn optimistic(&self, step: &Step, alternative: Alternative, place: Optimism, asking: &mut Asking) -> Option<Job> {
        let (solver, _) = asking.optimistic.as_mut().filter(|(_, wanted)| *wanted == place)?;
        let query = Query::new(vec![alternative.condition]);
        let Answer::Sat(model) = solver.solve(&self.path.dag, &query, &self.flat) else { return None };
        let input = self.trace.unflatten(&model.overlay(&self.flat));
        self.is_right(&input, asking).then(|| Job {
            input,
            origin: Origin::Optimistic { parent: self.run, site: step.site, direction: alternative.direction },
            bound: 0,
            visited: Vec::new(),
            expectation: None,
            string: self.string(),
        })
    }

    /// Inputs with other numbers in place of those that a step looks at.
    fn other_numbers(&self, step: &Step, direction: Direction, lengths: Lengths) -> Vec<Job> {
        let Lengths::Some { max } = lengths else { return Vec::new() };
        let len_max = max.max(self.trace.input.len());
        let inputs = numbers::other_numbers(&self.path, &self.trace, step, direction);
        let job = |input| Job {
            input,
            origin: Origin::Word { parent: self.run, name: None },
            bound: 0,
            visited: Vec::new(),
            expectation: None,
            string: self.string(),
        };
        inputs.into_iter().filter(|input| input.len() <= len_max).map(job).collect()
    }

    fn other_lengths(&self, number: usize, asking: &mut Asking) -> Vec<Job> {
        let all = lengths::others(&self.path, &self.trace.input, number, asking.lengths);
        let mut is_wanted = |resized: &Resized| match asking.lengths {
            Lengths::Some { .. } => asking.seen.try_length(resized.source, resized.len) < N_TRIES_OF_LENGTH,
            _ => true,
        };
        let here = all.into_iter().take_while(|resized| resized.step == number).filter(|resized| is_wanted(resized));
        here.map(|resized| self.resized(resized)).collect()
    }

    /// The input of a run that found the end where an earlier one did, with more bytes.
    fn longer(&self, number: usize, asking: &Asking) -> Vec<Job> {
        let longer = lengths::longer(&self.path, &self.trace.input, number, asking.lengths);
        longer.into_iter().map(|resized| self.resized(resized)).collect()
    }

    fn resized(&self, resized: Resized) -> Job {
        let input = lengths::resize(&self.trace.input, &resized);
        // What is assumed of the length of a stretch is a step: without the stretch, others have other numbers.
        let is_on_path = input.stretches().len() == self.trace.input.stretches().len();
        Job {
            input,
            origin: Origin::Length { parent: self.run, n_covered: None },
            bound: if is_on_path { self.bound.max(resized.step + 1) } else { 0 },
            visited: Vec::new(),
            expectation: is_on_path.then(|| self.expectation(resized.step, None)),
            string: self.string(),
        }
    }
}
