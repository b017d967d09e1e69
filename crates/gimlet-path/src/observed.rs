//! Oracle: what a run observed tells what another input gives.
//!
//! A program makes many calls of its own, each on its own part of the input,
//! and observes what they gave (`gimlet_observe`). An observation of no bytes
//! begins a *case*; its name is the case's *group*, such as the function under
//! test. The steps of the path condition inside a case are its premise. On any
//! input that satisfies the premise, every expression that was observed must
//! evaluate to what a run on that input observes, and what was observed without
//! an expression must be the same. Cases are taken to be independent: one input
//! changes something in all of them, and so one run checks them all.
//!
//! Inside a case, an observation named [`INPUT`] says which bytes of the input
//! are the case's own. Otherwise these are the bytes that its steps and
//! observations mention.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use gimlet_expr::{Evaluator, ExprId};
use gimlet_trace::event::{EventKind, TallyKind};
use gimlet_trace::trace::Outcome;
use gimlet_trace::Trace;

use crate::condition::PathCondition;
use crate::error::PathError;
use crate::observation::{Observation, Part};

/// Name of the observation of a case's own input.
pub const INPUT: &str = "input";

/// The run that foretells others.
pub struct Baseline {
    pub path: PathCondition,
    pub cases: Vec<Case>,
}

/// A stretch of the run between two marks.
#[derive(Clone, Debug)]
pub struct Case {
    pub group: Arc<str>,
    /// Steps whose conditions are not constant, as positions in the path condition.
    premise: Vec<usize>,
    /// Those in the path condition, without the mark.
    observations: Range<usize>,
    /// Input bytes that the case depends on, ascending.
    pub bytes: Vec<u32>,
    /// Losses, stale labels and unmodelled calls that were counted inside.
    pub n_losses: u64,
    /// Observed bytes, the case's own input aside, and how many of them have an expression.
    pub n_observed: usize,
    pub n_symbolic: usize,
}

/// What a run observed, case by case.
pub struct Seen {
    cases: Vec<SeenCase>,
    /// Whether the program ended itself.
    is_whole: bool,
}

struct SeenCase {
    group: Vec<u8>,
    observations: Vec<(Vec<u8>, Vec<u8>)>,
}

/// How a case of the baseline stands to the same case of another run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything is as foretold.
    Right,
    /// The new run ended before this case.
    NotReached,
    /// It is not as foretold, but the baseline counted a loss inside the case.
    Explained(Deviation),
    /// An expression gives another value than the new run has.
    Wrong(Deviation),
    /// Something without an expression has changed.
    Lost(Deviation),
}

/// The first thing that was not as foretold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deviation {
    pub name: String,
    /// First observed byte of the part concerned.
    pub offset: usize,
    pub expr: Option<ExprId>,
    pub foretold: Vec<u8>,
    /// `None` if the new run did not make this observation at all.
    pub found: Option<Vec<u8>>,
}

impl Baseline {
    pub fn new(trace: &Trace) -> Result<Baseline, PathError> {
        let mut path = PathCondition::from_trace(trace)?;
        let is_mark = |observation: &Observation| observation.parts.is_empty();
        let marks: Vec<usize> =
            (0..path.observations.len()).filter(|&index| is_mark(&path.observations[index])).collect();
        let n_losses_total: u64 =
            trace.tallies.iter().filter(|tally| tally.kind != TallyKind::Pin as u16).map(|tally| tally.count).sum();
        let mut cases = Vec::with_capacity(marks.len());
        for (number, &mark) in marks.iter().enumerate() {
            let next = marks.get(number + 1).map(|&next| (next, &path.observations[next]));
            let end = next.map_or(path.observations.len(), |(index, _)| index);
            let steps = path.observations[mark].step..next.map_or(path.steps.len(), |(_, next)| next.step);
            let n_losses_after = next.map_or(n_losses_total, |(_, next)| next.n_losses);
            let n_losses = n_losses_after.saturating_sub(path.observations[mark].n_losses);
            cases.push(case(&mut path, mark + 1..end, steps, n_losses));
        }
        Ok(Baseline { path, cases })
    }

    /// Whether an input satisfies the premise of a case: the evaluator holds its bytes, as the old trace numbers them.
    pub fn holds(&self, case: &Case, evaluator: &mut Evaluator) -> bool {
        case.premise.iter().all(|&step| evaluator.holds(&self.path.dag, self.path.steps[step].condition))
    }

    /// Compares case number `number` with that of another run, whose input satisfies the premise.
    pub fn compare(&mut self, number: usize, evaluator: &mut Evaluator, new: &Seen) -> Verdict {
        let Some(seen) = new.cases.get(number) else { return Verdict::NotReached };
        let Some(deviation) = self.deviation(&self.cases[number], seen, evaluator) else { return Verdict::Right };
        // A crash belongs to the case in which it happens.
        let has_crashed = !new.is_whole && number + 1 == new.cases.len();
        if self.cases[number].n_losses > 0 {
            Verdict::Explained(deviation)
        } else if has_crashed || self.is_claimed(&deviation) {
            Verdict::Wrong(deviation)
        } else {
            Verdict::Lost(deviation)
        }
    }

    /// Whether a byte that is not as foretold depends on the input as far as its expression goes.
    fn is_claimed(&mut self, deviation: &Deviation) -> bool {
        let Some(expr) = deviation.expr else { return false };
        let Some(found) = &deviation.found else { return true };
        let differing = (0..found.len()).filter(|&index| found[index] != deviation.foretold[index]);
        let dag = &mut self.path.dag;
        differing.into_iter().any(|index| {
            let byte = dag.extract(8 * index as u32, 8, expr);
            dag.as_const(byte).is_none()
        })
    }

    /// The first thing that is not as foretold.
    fn deviation(&self, case: &Case, seen: &SeenCase, evaluator: &mut Evaluator) -> Option<Deviation> {
        if seen.group != case.group.as_bytes() {
            return Some(Deviation {
                name: case.group.to_string(),
                offset: 0,
                expr: None,
                foretold: case.group.as_bytes().to_vec(),
                found: Some(seen.group.clone()),
            });
        }
        let old = &self.path.observations[case.observations.clone()];
        let mut new = seen.observations.iter();
        for observation in old {
            let bytes = new.next().filter(|(name, _)| *name == observation.name.as_bytes()).map(|(_, bytes)| bytes);
            for part in &observation.parts {
                let found = bytes.and_then(|bytes| bytes.get(part.offset..part.offset + part.width as usize / 8));
                let value = part.expr.map_or(part.value, |expr| evaluator.eval(&self.path.dag, expr));
                let foretold = &value.to_le_bytes()[..part.width as usize / 8];
                if found == Some(foretold) {
                    continue;
                }
                return Some(Deviation {
                    name: observation.name.to_string(),
                    offset: part.offset,
                    expr: part.expr,
                    foretold: foretold.to_vec(),
                    found: found.map(<[u8]>::to_vec),
                });
            }
        }
        let (name, bytes) = new.next()?;
        let name = String::from_utf8_lossy(name).into_owned();
        Some(Deviation { name, offset: 0, expr: None, foretold: Vec::new(), found: Some(bytes.clone()) })
    }
}

fn case(path: &mut PathCondition, observations: Range<usize>, steps: Range<usize>, n_losses: u64) -> Case {
    let premise: Vec<usize> = steps.filter(|&step| path.dag.as_const(path.steps[step].condition) != Some(1)).collect();
    let mut roots: Vec<ExprId> = premise.iter().map(|&step| path.steps[step].condition).collect();
    let mut own = None;
    let (mut n_observed, mut n_symbolic) = (0, 0);
    for index in observations.clone() {
        let observation = path.observations[index].clone();
        let exprs = observation.parts.iter().filter_map(|part| part.expr);
        if &*observation.name == INPUT {
            own.get_or_insert_with(Vec::new).extend(exprs);
            continue;
        }
        roots.extend(exprs);
        for part in &observation.parts {
            n_observed += part.width as usize / 8;
            n_symbolic += symbolic_bytes(path, part);
        }
    }
    let roots = own.unwrap_or(roots);
    let bytes: BTreeSet<u32> = roots.iter().flat_map(|&root| path.dag.support(root)).collect();
    Case {
        group: path.observations[observations.start - 1].name.clone(),
        premise,
        observations,
        bytes: bytes.into_iter().collect(),
        n_losses,
        n_observed,
        n_symbolic,
    }
}

/// Number of bytes of a part that depend on the input.
fn symbolic_bytes(path: &mut PathCondition, part: &Part) -> usize {
    let Some(expr) = part.expr else { return 0 };
    let bytes = (0..part.width / 8).map(|index| path.dag.extract(8 * index, 8, expr)).collect::<Vec<_>>();
    bytes.into_iter().filter(|&byte| path.dag.as_const(byte).is_none()).count()
}

impl Seen {
    /// What a run observed; nothing of it is translated.
    pub fn new(trace: &Trace) -> Seen {
        let mut cases: Vec<SeenCase> = Vec::new();
        for event in &trace.events {
            match EventKind::from_code(event.kind) {
                Some(EventKind::Observe) => {
                    let name = trace.name(event.b, event.aux).unwrap_or_default().to_vec();
                    match (event.x, cases.last_mut()) {
                        (0, _) => cases.push(SeenCase { group: name, observations: Vec::new() }),
                        (_, Some(case)) => case.observations.push((name, Vec::new())),
                        (_, None) => {}
                    }
                }
                Some(EventKind::Observed) => {
                    let value = (u128::from(event.x) | u128::from(event.y) << 64).to_le_bytes();
                    let part = value.iter().take(usize::from(event.flags));
                    if let Some((_, bytes)) = cases.last_mut().and_then(|case| case.observations.last_mut()) {
                        bytes.extend(part);
                    }
                }
                _ => {}
            }
        }
        Seen { cases, is_whole: matches!(trace.outcome, Outcome::Exited(_)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use gimlet_trace::event::{EventRecord, Tally};
    use gimlet_trace::node::Op;
    use gimlet_trace::Label;

    fn observe(trace: &mut Trace, name: &str, n: u64) {
        let (b, aux) = (trace.names.len() as u32, name.len() as u16);
        trace.names.extend_from_slice(name.as_bytes());
        trace.events.push(EventRecord { kind: EventKind::Observe as u8, b, aux, x: n, ..Default::default() });
    }

    /// Case f: `if (b[0] < 10)`, observes b[0] + 1, then b[1] & 0xf without a label; case g observes 5.
    fn run(stdin: [u8; 2]) -> Trace {
        let mut trace = sample::trace(&stdin);
        observe(&mut trace, "f", 0);
        let is_small = stdin[0] < 10;
        let test = sample::node(&mut trace, Op::Ult, 1, Label::input(0), 10, is_small.into());
        sample::event(&mut trace, EventKind::Branch, sample::BRANCH, test, is_small.into(), 0, 0);
        let sum = sample::node(&mut trace, Op::Add, 8, Label::input(0), 1, u64::from(stdin[0]) + 1);
        observe(&mut trace, "sum", 1);
        sample::event(&mut trace, EventKind::Observed, 0, sum, 1, u64::from(stdin[0]) + 1, 0);
        observe(&mut trace, "bits", 1);
        sample::event(&mut trace, EventKind::Observed, 0, Label::NONE, 1, u64::from(stdin[1] & 0xf), 0);
        observe(&mut trace, "g", 0);
        observe(&mut trace, "five", 1);
        sample::event(&mut trace, EventKind::Observed, 0, Label::NONE, 1, 5, 0);
        trace
    }

    fn compare(old: &Trace, new: &Trace) -> Vec<Option<Verdict>> {
        let mut baseline = Baseline::new(old).unwrap();
        let mut evaluator = Evaluator::new(&old.flatten(&new.input));
        let seen = Seen::new(new);
        let mut verdicts = Vec::new();
        for number in 0..baseline.cases.len() {
            let holds = baseline.holds(&baseline.cases[number], &mut evaluator);
            verdicts.push(holds.then(|| baseline.compare(number, &mut evaluator, &seen)));
        }
        verdicts
    }

    #[test]
    fn cases_are_found() {
        let baseline = Baseline::new(&run([3, 0x21])).unwrap();
        let [f, g] = &baseline.cases[..] else { panic!("{:?}", baseline.cases) };
        assert_eq!((&*f.group, &f.bytes[..], f.n_observed, f.n_symbolic), ("f", &[0][..], 2, 1));
        assert_eq!((&*g.group, &g.bytes[..], g.n_observed, g.n_symbolic), ("g", &[][..], 1, 0));
    }

    #[test]
    fn a_premise_and_what_follows_from_it() {
        let old = run([3, 0x21]);
        assert_eq!(compare(&old, &run([7, 0x31])), [Some(Verdict::Right), Some(Verdict::Right)]);
        assert_eq!(compare(&old, &run([17, 0x31])), [None, Some(Verdict::Right)]);
        let lost = compare(&old, &run([7, 0x22]));
        assert!(matches!(&lost[0], Some(Verdict::Lost(deviation)) if deviation.name == "bits"), "{lost:?}");
    }

    #[test]
    fn wrong_expressions_and_explanations() {
        let mut old = run([3, 0x21]);
        old.nodes[2].imm = 2;
        let wrong = compare(&old, &run([7, 0x21]));
        let Some(Verdict::Wrong(deviation)) = &wrong[0] else { panic!("{wrong:?}") };
        assert_eq!((&deviation.foretold[..], deviation.found.as_deref()), (&[9][..], Some(&[8][..])));
        old.tallies = vec![Tally { kind: TallyKind::Stale as u16, count: 2, first_event: 3, ..Tally::default() }];
        old.events.iter_mut().filter(|event| event.x == 0).skip(1).for_each(|event| event.y = 2);
        assert!(matches!(compare(&old, &run([7, 0x21]))[0], Some(Verdict::Explained(_))));
    }

    #[test]
    fn runs_that_end_early() {
        let (old, mut new) = (run([3, 0x21]), run([7, 0x21]));
        new.outcome = Outcome::Signalled(11);
        new.events.truncate(4);
        let verdicts = compare(&old, &new);
        assert!(matches!(&verdicts[0], Some(Verdict::Wrong(deviation)) if deviation.found.is_none()), "{verdicts:?}");
        assert_eq!(verdicts[1], Some(Verdict::NotReached));
    }
}
