//! `gimlet audit --observed`: changed inputs against what a run observed, case by case.
//!
//! A change is made in every case at once, and made again where it breaks the
//! case's premise; so nearly every run of the program checks nearly every case.
//!
//! JSON fields: `runs`, `groups` [{name, cases, bytes, symbolic_bytes, losses, checked, unchecked, explained,
//! mismatches, lost, failures}]. `symbolic_bytes` of the observed `bytes` have an expression; `unchecked` counts
//! changes for which no input was found that satisfies the premise.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;
use gimlet_exec::{Run, Target};
use gimlet_expr::Evaluator;
use gimlet_grammar::chance::Chance;
use gimlet_path::observed::{Baseline, Case, Deviation, Seen, Verdict};
use gimlet_trace::Trace;
use serde_json::{json, Value};

use crate::changes::change_places;
use crate::{json, text};

/// Changes that are tried for a case until its premise holds.
const N_ATTEMPTS: usize = 12;
/// After so many times the runs that would do if every premise held, groups that are short stay short.
const PATIENCE: usize = 8;
/// Failures of each group that are kept.
const N_FAILURES_KEPT: usize = 3;

/// What was found, group by group.
pub struct Observed {
    pub n_runs: usize,
    pub groups: BTreeMap<String, Group>,
}

/// All cases of one name.
#[derive(Default)]
pub struct Group {
    n_cases: usize,
    n_bytes: usize,
    n_symbolic: usize,
    n_losses: u64,
    n_checked: usize,
    n_unchecked: usize,
    n_explained: usize,
    n_wrong: usize,
    n_lost: usize,
    failures: Vec<String>,
}

impl Observed {
    pub fn has_failed(&self) -> bool {
        self.groups.values().any(|group| group.n_wrong + group.n_lost > 0)
    }
}

/// Runs changed inputs until every group has been checked `n_wanted` times, or it can't be.
pub fn check(target: &mut Target, run: &Run, n_wanted: usize, seed: u64) -> Result<Observed> {
    let mut baseline = Baseline::new(&run.trace)?;
    let mut observed = Observed { n_runs: 0, groups: groups(&baseline.cases) };
    let smallest = observed.groups.values().map(|group| group.n_cases).min().unwrap_or(1);
    let n_runs_max = PATIENCE * n_wanted.div_ceil(smallest.max(1));
    let mut random = Chance::new(seed);
    let old = run.trace.flatten(&run.trace.input);
    while observed.n_runs < n_runs_max && observed.groups.values().any(|group| group.n_checked < n_wanted) {
        let wanted: Vec<usize> = (0..baseline.cases.len())
            .filter(|&number| {
                let case = &baseline.cases[number];
                !case.bytes.is_empty() && observed.groups[&*case.group].n_checked < n_wanted
            })
            .collect();
        if wanted.is_empty() {
            break;
        }
        let (bytes, changed) = change_cases(&baseline, &wanted, &old, &mut random);
        let new = target.run(&run.trace.unflatten(&bytes))?;
        observed.n_runs += 1;
        let seen = Seen::new(&new.trace);
        let mut evaluator = Evaluator::new(&bytes);
        for number in wanted {
            let verdict = changed.contains(&number).then(|| baseline.compare(number, &mut evaluator, &seen));
            let group = observed.groups.entry(baseline.cases[number].group.to_string()).or_default();
            let describe = |deviation: &Deviation| describe(&run.trace, &baseline, number, deviation, &old, &bytes);
            group.count(verdict, describe);
        }
    }
    Ok(observed)
}

fn groups(cases: &[Case]) -> BTreeMap<String, Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for case in cases {
        let group = groups.entry(case.group.to_string()).or_default();
        group.n_cases += 1;
        group.n_bytes += case.n_observed;
        group.n_symbolic += case.n_symbolic;
        group.n_losses += case.n_losses;
    }
    groups
}

/// An input with changes in each of the cases, and those of them whose premise it satisfies; others keep their bytes.
fn change_cases(baseline: &Baseline, wanted: &[usize], old: &[u8], random: &mut Chance) -> (Vec<u8>, BTreeSet<usize>) {
    let mut bytes = old.to_vec();
    let mut evaluator = Evaluator::new(old);
    let mut changed = BTreeSet::new();
    let mut left = wanted.to_vec();
    for _ in 0..N_ATTEMPTS {
        for &number in &left {
            change_places(&mut bytes, &baseline.cases[number].bytes, random);
        }
        evaluator.set_input(&bytes);
        left.retain(|&number| {
            let case = &baseline.cases[number];
            let is_changed = case.bytes.iter().any(|&place| bytes[place as usize] != old[place as usize]);
            if is_changed && baseline.holds(case, &mut evaluator) {
                changed.insert(number);
                return false;
            }
            case.bytes.iter().for_each(|&place| bytes[place as usize] = old[place as usize]);
            true
        });
    }
    (bytes, changed)
}

impl Group {
    /// Counts one case of one run; `None` is a case that kept its input.
    fn count(&mut self, verdict: Option<Verdict>, describe: impl Fn(&Deviation) -> String) {
        let deviation = match verdict {
            None | Some(Verdict::NotReached) => {
                self.n_unchecked += 1;
                return;
            }
            Some(Verdict::Right) => {
                self.n_checked += 1;
                return;
            }
            Some(Verdict::Explained(_)) => {
                self.n_explained += 1;
                return;
            }
            Some(Verdict::Wrong(deviation)) => {
                self.n_wrong += 1;
                deviation
            }
            Some(Verdict::Lost(deviation)) => {
                self.n_lost += 1;
                deviation
            }
        };
        self.n_checked += 1;
        if self.failures.len() < N_FAILURES_KEPT {
            self.failures.push(describe(&deviation));
        }
    }
}

fn describe(
    trace: &Trace,
    baseline: &Baseline,
    number: usize,
    deviation: &Deviation,
    old: &[u8],
    new: &[u8],
) -> String {
    let case = &baseline.cases[number];
    let of_case = |bytes: &[u8]| case.bytes.iter().map(|&place| bytes[place as usize]).collect::<Vec<u8>>();
    let first = case.bytes.first().map_or_else(String::new, |&place| text::byte_name(trace, place));
    let found = deviation.found.as_ref().map_or("nothing".to_string(), |found| json::hex(found));
    let mut said = format!(
        "case {number}, {} at byte {}: foretold {}, found {found}",
        deviation.name,
        deviation.offset,
        json::hex(&deviation.foretold)
    );
    let _ = write!(said, "\n      input  {} from {first}", text::escaped(&of_case(old)));
    let _ = write!(said, "\n      became {}", text::escaped(&of_case(new)));
    if let Some(expr) = deviation.expr {
        let _ = write!(said, "\n      {}", text::expression(trace, &baseline.path, expr));
    }
    said
}

pub fn print(observed: &Observed) {
    say!("observed: {} runs", observed.n_runs);
    say!(
        "  {:<24} {:>5} {:>8} {:>8} {:>9} {:>9} {:>10} {:>5}",
        "group",
        "cases",
        "symbolic",
        "checked",
        "unchecked",
        "explained",
        "mismatches",
        "lost"
    );
    for (name, group) in &observed.groups {
        say!(
            "  {name:<24} {:>5} {:>7.0}% {:>8} {:>9} {:>9} {:>10} {:>5}",
            group.n_cases,
            100.0 * group.n_symbolic as f64 / group.n_bytes.max(1) as f64,
            group.n_checked,
            group.n_unchecked,
            group.n_explained,
            group.n_wrong,
            group.n_lost
        );
        group.failures.iter().for_each(|failure| say!("    {failure}"));
    }
}

pub fn to_json(observed: &Observed) -> Value {
    let group = |(name, group): (&String, &Group)| {
        json!({
            "name": name,
            "cases": group.n_cases,
            "bytes": group.n_bytes,
            "symbolic_bytes": group.n_symbolic,
            "losses": group.n_losses,
            "checked": group.n_checked,
            "unchecked": group.n_unchecked,
            "explained": group.n_explained,
            "mismatches": group.n_wrong,
            "lost": group.n_lost,
            "failures": group.failures,
        })
    };
    json!({ "runs": observed.n_runs, "groups": observed.groups.iter().map(group).collect::<Vec<_>>() })
}
