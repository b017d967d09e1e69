//! The tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result};

use super::campaign::{Campaign, Record};
use super::gcov::{Branch, Branches};
use super::replay::Replay;

/// Functions that are listed at most.
const N_LISTED: usize = 25;
const N_MISSED: usize = 15;

/// What both did with one subject.
pub struct Comparison<'a> {
    subject: &'a str,
    seconds: u64,
    gimlet: (Record, Replay),
    afl: (Record, Replay),
}

impl<'a> Comparison<'a> {
    /// Records and replays are in the order of `TOOLS`.
    pub fn new(campaign: &Campaign<'a>, records: Vec<Record>, replays: Vec<Replay>) -> Result<Comparison<'a>> {
        let mut both = records.into_iter().zip(replays);
        let (gimlet, afl) = both.next().zip(both.next()).context("a campaign is missing")?;
        Ok(Comparison { subject: campaign.subject.name, seconds: campaign.time.as_secs(), gimlet, afl })
    }

    fn n_branches(&self) -> usize {
        self.gimlet.1.branches.len().max(self.afl.1.branches.len())
    }

    /// Per cent of all branches.
    fn share(&self, n_covered: usize) -> f64 {
        100.0 * n_covered as f64 / self.n_branches().max(1) as f64
    }

    /// What Gimlet and AFL++ had covered in the end, in per cent.
    fn at_end(&self) -> (f64, f64) {
        let share = |replay: &Replay| self.share(replay.branches.n_covered());
        (share(&self.gimlet.1), share(&self.afl.1))
    }

    /// Everything about the subject.
    pub fn text(&self) -> String {
        let mut text = String::new();
        line(&mut text, &format!("{}: {} branches by gcov", self.subject, self.n_branches()));
        for (record, replay) in [&self.gimlet, &self.afl] {
            line(&mut text, &self.summary(record, replay));
        }
        line(&mut text, &format!("  {:>8} {:>10} {:>10} {:>10}", "seconds", "Gimlet", "AFL++", "ahead by"));
        for ((seconds, ours), (_, theirs)) in self.gimlet.1.points.iter().zip(&self.afl.1.points) {
            let (ours, theirs) = (self.share(*ours), self.share(*theirs));
            line(&mut text, &format!("  {seconds:8} {ours:8.1} % {theirs:8.1} % {:10.1}", ours - theirs));
        }
        let (gimlet, afl) = (&self.gimlet.1.branches, &self.afl.1.branches);
        only_one(&mut text, gimlet, afl);
        missed(&mut text, gimlet, afl);
        text
    }

    fn summary(&self, record: &Record, replay: &Replay) -> String {
        let late = match replay.n_late {
            0 => String::new(),
            n => format!(" ({n} ended by the time limit of the replay)"),
        };
        format!(
            "  {} {}: {} executions ({:.0}/s), {} tests{late}, {} branches",
            record.tool.name(),
            record.version,
            record.n_executions,
            record.n_executions as f64 / self.seconds as f64,
            replay.n_tests,
            replay.branches.n_covered()
        )
    }
}

/// The end of each campaign, and the median of those of one subject.
pub fn all(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    line(&mut text, "                                              ahead       executions");
    line(&mut text, "subject       seconds branches   Gimlet    AFL++      by     Gimlet      AFL++");
    for comparison in comparisons {
        let (ours, theirs) = comparison.at_end();
        line(
            &mut text,
            &format!(
                "{:13} {:7} {:8} {ours:6.1} % {theirs:6.1} % {:7.1} {:10} {:10}",
                comparison.subject,
                comparison.seconds,
                comparison.n_branches(),
                ours - theirs,
                comparison.gimlet.0.n_executions,
                comparison.afl.0.n_executions
            ),
        );
    }
    for of_subject in comparisons.chunk_by(|one, other| one.subject == other.subject).filter(|all| all.len() > 1) {
        line(&mut text, &repeated(of_subject));
    }
    text
}

/// The median of several campaigns with one subject, with the least and the most.
fn repeated(comparisons: &[Comparison]) -> String {
    let spread = |of: &dyn Fn((f64, f64)) -> f64| {
        let mut all: Vec<f64> = comparisons.iter().map(|comparison| of(comparison.at_end())).collect();
        all.sort_by(f64::total_cmp);
        format!("{:.1} ({:.1} to {:.1})", median(&all), all[0], all[all.len() - 1])
    };
    format!(
        "{}, median of {}: Gimlet {}, AFL++ {}, ahead by {}",
        comparisons[0].subject,
        comparisons.len(),
        spread(&|(ours, _)| ours),
        spread(&|(_, theirs)| theirs),
        spread(&|(ours, theirs)| ours - theirs)
    )
}

/// Of some that are in order.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string");
}

type Function<'a> = (&'a str, &'a str);

/// Where the branches are that one covers and the other doesn't.
fn difference<'a>(one: &'a Branches, other: &Branches) -> BTreeMap<Function<'a>, Vec<&'a Branch>> {
    let mut functions: BTreeMap<Function, Vec<&Branch>> = BTreeMap::new();
    for (branch, is_covered) in one.iter() {
        if is_covered && !other.is_covered(branch) {
            functions.entry((&branch.function, &branch.file)).or_default().push(branch);
        }
    }
    functions
}

fn only_one(text: &mut String, gimlet: &Branches, afl: &Branches) {
    for (name, one, other) in [("Gimlet", gimlet, afl), ("AFL++", afl, gimlet)] {
        let functions = difference(one, other);
        let n_branches: usize = functions.values().map(Vec::len).sum();
        line(text, &format!("\n  covered by {name} only: {n_branches} branches in {} functions", functions.len()));
        let mut functions: Vec<_> = functions.into_iter().collect();
        functions.sort_by_key(|(_, branches)| std::cmp::Reverse(branches.len()));
        for ((function, file), branches) in functions.iter().take(N_LISTED) {
            let how = Reach::count(branches, other);
            line(text, &format!("  {:6}  {function} ({file}): {how}; lines {}", branches.len(), lines(branches)));
        }
        if functions.len() > N_LISTED {
            line(text, &format!("          and {} functions more", functions.len() - N_LISTED));
        }
    }
}

fn lines(branches: &[&Branch]) -> String {
    const N_LINES: usize = 12;
    let lines: BTreeSet<u64> = branches.iter().map(|branch| branch.line).collect();
    let shown: Vec<String> = lines.iter().take(N_LINES).map(u64::to_string).collect();
    let more = if lines.len() > N_LINES { " .." } else { "" };
    shown.join(" ") + more
}

/// How near one came to branches that it didn't cover, as far as other branches show it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reach {
    /// No branch of the function was covered.
    NotEntered,
    /// None of the line.
    LineNotReached,
    /// Some of the line.
    OtherOutcome,
}

impl Reach {
    fn text(self) -> &'static str {
        match self {
            Reach::NotEntered => "function not entered",
            Reach::LineNotReached => "line not reached",
            Reach::OtherOutcome => "line reached, outcome not taken",
        }
    }

    fn of(branch: &Branch, other: &Branches) -> Reach {
        let mut reach = Reach::NotEntered;
        let is_near = |near: &Branch| near.function == branch.function && near.file == branch.file;
        for (near, _) in other.iter().filter(|(near, is_covered)| *is_covered && is_near(near)) {
            reach = reach.max(if near.line == branch.line { Reach::OtherOutcome } else { Reach::LineNotReached });
        }
        reach
    }

    /// Says of branches of one function how near `other` came to them.
    fn count(branches: &[&Branch], other: &Branches) -> String {
        let mut counts: BTreeMap<Reach, usize> = BTreeMap::new();
        for branch in branches {
            *counts.entry(Reach::of(branch, other)).or_default() += 1;
        }
        let texts = counts.iter().map(|(reach, n)| match counts.len() {
            1 => reach.text().to_owned(),
            _ => format!("{n} {}", reach.text()),
        });
        texts.collect::<Vec<_>>().join(", ")
    }
}

/// The functions most of whose branches Gimlet missed, whether AFL++ covered them or not.
fn missed(text: &mut String, gimlet: &Branches, afl: &Branches) {
    let mut functions: BTreeMap<Function, [usize; 3]> = BTreeMap::new();
    for (branch, is_covered) in gimlet.iter() {
        let [n_missed, n_afl, n_all] = functions.entry((&branch.function, &branch.file)).or_default();
        *n_all += 1;
        *n_missed += usize::from(!is_covered);
        *n_afl += usize::from(!is_covered && afl.is_covered(branch));
    }
    let mut functions: Vec<_> = functions.into_iter().filter(|(_, [n_missed, ..])| *n_missed > 0).collect();
    functions.sort_by_key(|(_, counts)| std::cmp::Reverse(*counts));
    line(text, "\n  missed most by Gimlet: branches, of, covered by AFL++");
    for ((function, file), [n_missed, n_afl, n_all]) in functions.iter().take(N_MISSED) {
        line(text, &format!("  {n_missed:6} {n_all:6} {n_afl:6}  {function} ({file})"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::gcov::tests::branches;
    use super::*;

    #[test]
    fn differences_say_how_near_the_other_came() {
        let one = branches(&[("f", 1, 0, true), ("f", 1, 1, true), ("f", 2, 0, true), ("g", 9, 0, true)]);
        let other = branches(&[("f", 1, 0, true), ("f", 1, 1, false), ("f", 2, 0, false), ("g", 9, 0, false)]);
        let mut text = String::new();
        only_one(&mut text, &one, &other);
        let wanted = "
  covered by Gimlet only: 3 branches in 2 functions
       2  f (a.c): 1 line not reached, 1 line reached, outcome not taken; lines 1 2
       1  g (a.c): function not entered; lines 9

  covered by AFL++ only: 0 branches in 0 functions
";
        assert_eq!(text, wanted);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!((median(&[1.0, 2.0, 9.0]), median(&[1.0, 3.0])), (2.0, 2.0));
    }

    #[test]
    fn functions_missed_most_come_first() {
        let ours = branches(&[("f", 1, 0, true), ("f", 1, 1, false), ("g", 9, 0, false), ("g", 9, 1, false)]);
        let theirs = branches(&[("g", 9, 0, true)]);
        let mut text = String::new();
        missed(&mut text, &ours, &theirs);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(rows, ["       2      2      1  g (a.c)", "       1      2      0  f (a.c)"]);
    }
}
