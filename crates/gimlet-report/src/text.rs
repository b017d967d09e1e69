//! Writes results for people: the text of `gimlet stats`, and single lines that others show as well.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use crate::figures::{clock, grouped, percent, printable, span};
use crate::finding::{Finding, Frame};
use crate::note::Phases;
use crate::results::{Results, State};
use crate::shown::{Build, ShownBy};

/// Kinds of divergences and losses that a text shows.
const N_KINDS_SHOWN: usize = 5;

/// Commands that a text names.
pub struct Commands {
    pub program: String,
    /// How each finding is seen again.
    pub again: Vec<String>,
    /// How the search goes on.
    pub resume: String,
}

/// How a search went, or how it goes. `out` is its folder.
pub fn stats(results: &Results, commands: &Commands, out: &Path) -> String {
    let about = &results.about;
    let mut lines = Lines::default();
    lines.add("program", &commands.program);
    let version = about.version.as_deref().unwrap_or("of an unknown version");
    lines.add("build", &format!("{:016x}, explored by gimlet {version}", about.build));
    lines.add("state", &state(results));
    lines.add("strategy", &format!("{}, seed {}", about.strategy, about.seed));
    let (elapsed, since_new) = (clock(results.time.elapsed()), span(results.time.since_new()));
    lines.add("time", &format!("{elapsed}, last new {since_new} before that"));
    search_lines(&mut lines, results);
    question_lines(&mut lines, results);
    doubt_lines(&mut lines, results);
    lines.add("findings", &grouped(results.findings.len() as u64));
    for (finding, again) in results.findings.iter().zip(&commands.again) {
        lines.add("", &printable(&finding_line(finding, out)));
        lines.add("", &format!("  {}", printable(again)));
    }
    if !matches!(results.state, State::Running { .. }) {
        lines.add("go on with", &commands.resume);
    }
    lines.text
}

fn state(results: &Results) -> String {
    match (results.state, results.ending.ended.as_deref()) {
        (State::Running { pid: Some(pid) }, _) => format!("running, process {pid}"),
        (State::Running { pid: None }, _) => "running, in another container".to_owned(),
        (State::Ended, why) => format!("ended: {}", reason(why.unwrap_or_default(), results.ending.is_exhausted)),
        (State::Interrupted, _) => "interrupted".to_owned(),
    }
}

fn search_lines(lines: &mut Lines, results: &Results) {
    let speed = grouped(results.speed().round() as u64);
    lines.add("runs", &format!("{}, {speed} a second", grouped(results.runs.executions)));
    for effort in &results.efforts {
        let time = clock(Duration::try_from_secs_f64(effort.seconds).unwrap_or_default());
        let (n_runs, n_branches) = (grouped(effort.n_runs), grouped(effort.n_branches));
        let share = percent(results.share(effort), 1.0);
        let waiting = match effort.n_waiting {
            0 => String::new(),
            n_waiting => format!(", {} waiting", grouped(n_waiting)),
        };
        let name = &effort.name;
        lines.add("", &format!("{name:<9} {n_runs} in {time} ({share:.0} %), {n_branches} new branches{waiting}"));
    }
    if results.symbolic != Phases::default() {
        let shares = results.symbolic_shares();
        let shares: Vec<String> =
            shares.iter().map(|(name, share)| format!("{name} {:.0} %", percent(*share, 1.0))).collect();
        lines.add("symbolic", &shares.join(", "));
    }
    let makers = results.corpus.tests.all().filter(|(_, count)| *count > 0);
    let makers: Vec<String> = makers.map(|(maker, count)| format!("{} {}", grouped(count), maker.name())).collect();
    let makers = if makers.is_empty() { String::new() } else { format!(": {}", makers.join(", ")) };
    lines.add("tests", &format!("{}{makers}", grouped(results.n_tests())));
    lines.add("paths", &grouped(results.corpus.n_paths));
    lines.add("branches", &branches(results));
    lines.add("waiting", &grouped(results.corpus.n_waiting));
}

/// Branches taken, and all: `3 of 1,000, 0.3 %`.
pub fn branches(results: &Results) -> String {
    let (n_covered, n_branches) = (results.coverage.n_covered, results.coverage.n_branches);
    let share = percent(n_covered as f64, n_branches as f64);
    format!("{} of {}, {share:.1} %", grouped(n_covered), grouped(n_branches))
}

fn question_lines(lines: &mut Lines, results: &Results) {
    let queries = &results.queries;
    let [total, sat, unsat, unknown] =
        [queries.n_total, queries.n_sat, queries.n_unsat, queries.n_unknown].map(grouped);
    lines.add("questions", &format!("{total}: {sat} sat, {unsat} unsat, {unknown} unknown"));
    for layer in queries.layers.iter().filter(|layer| layer.n_asked > 0) {
        let (answered, asked) = (grouped(layer.n_answered()), grouped(layer.n_asked));
        lines.add("", &format!("{:<9} answered {answered} of {asked} in {}", layer.name, span(layer.time())));
    }
}

/// What was lost or went elsewhere.
fn doubt_lines(lines: &mut Lines, results: &Results) {
    let doubts = &results.doubts;
    lines.add("elsewhere", &format!("{} of {} flips", grouped(doubts.divergences), grouped(results.runs.flips)));
    lines.kinds(&mut results.kinds.divergences.iter());
    lines.add("lost", &format!("{} dependencies", grouped(doubts.losses)));
    lines.kinds(&mut results.kinds.losses.iter());
    for (count, what) in [
        (doubts.dropped, "traces were cut short or have forked processes"),
        (doubts.stopped, "runs were stopped"),
        (doubts.unknown, "questions were too hard"),
        (doubts.forgotten, "questions were forgotten for want of memory"),
        (doubts.unrepeated, "runs ended badly only once, or only with labels: they are no findings"),
        (doubts.unjudged, "pointers had no object that is known: accesses through them were not checked"),
    ] {
        if count > 0 {
            lines.add("", &format!("{} {what}", grouped(count)));
        }
    }
}

/// Lines with a word in front.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, word: &str, text: &str) {
        let _ = writeln!(self.text, "{word:<11} {text}");
    }

    /// The most frequent ones.
    fn kinds(&mut self, kinds: &mut dyn Iterator<Item = (&String, &u64)>) {
        let mut kinds: Vec<(&String, &u64)> = kinds.collect();
        kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        for (what, count) in kinds.iter().take(N_KINDS_SHOWN) {
            self.add("", &format!("{} x {}", grouped(**count), printable(what)));
        }
        if kinds.len() > N_KINDS_SHOWN {
            self.add("", &format!("and {} more kinds, see --json", kinds.len() - N_KINDS_SHOWN));
        }
    }
}

/// Why a search ended, by the name of its end.
pub fn reason(end: &str, is_exhausted: bool) -> &'static str {
    match end {
        "complete" if is_exhausted => "exhausted: every path was taken",
        "complete" => "nothing is left to try",
        "budget" => "the time is over",
        "idle" => "nothing new was found for a while",
        "found" => "enough was found",
        "steps" => "all steps were made",
        "interrupted" => "stopped; results are kept",
        _ => "for a reason that this version does not know",
    }
}

/// How a search goes, in one line.
pub fn line(results: &Results) -> String {
    let Results { time, corpus, coverage, queries, runs, .. } = results;
    format!(
        "{:.1} s: {} tests, {} paths, {}/{} branches, {} runs ({:.0}/s), {} sat, {} unsat, {} unknown, {} waiting, {} findings",
        time.seconds,
        results.n_tests(),
        corpus.n_paths,
        coverage.n_covered,
        coverage.n_branches,
        runs.executions,
        results.speed(),
        queries.n_sat,
        queries.n_unsat,
        queries.n_unknown,
        corpus.n_waiting,
        results.findings.len()
    )
}

/// What came to each part that the user named, a line for each.
pub fn part_lines(results: &Results) -> Vec<String> {
    let Some(parts) = &results.parts else { return Vec::new() };
    let counts = &parts.counts;
    let share = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
    let mut lines = Vec::new();
    for (module, of_module) in parts.modules() {
        let (name, n_covered, n_branches) = (&module.name, module.n_covered, module.n_branches);
        let mut line = format!(
            "module {name}: {n_covered}/{n_branches} branches ({}), {} of {} inputs reach it",
            share(n_covered, n_branches),
            share(of_module.n_inputs, counts.n_inputs),
            counts.n_inputs,
        );
        if counts.n_constraints > 0 {
            let constraints = share(of_module.n_constraints, counts.n_constraints);
            line += &format!(", {constraints} of the conditions are its");
        }
        lines.push(line);
    }
    if parts.judges {
        let accepted = share(counts.n_inputs - counts.n_rejected, counts.n_inputs);
        lines.push(format!("the program accepts {accepted} of {} inputs", counts.n_inputs));
    }
    lines
}

/// What was found, where, and the file of its input.
pub fn finding_line(finding: &Finding, out: &Path) -> String {
    let place = place(finding.frame.as_ref());
    format!("found {} {place} ({}): {}", finding.kind, shown(finding.shown_by), out.join(&finding.path).display())
}

/// Which builds showed something.
pub fn shown(shown_by: ShownBy) -> String {
    let only =
        if shown_by.is_confirmed() && !shown_by.has(Build::Plain) { "; the plain build ends normally" } else { "" };
    let doubt = if shown_by.is_confirmed() { "" } else { "; not confirmed" };
    format!("shown {shown_by}{only}{doubt}")
}

/// Where something was found.
pub fn place(frame: Option<&Frame>) -> String {
    let Some(frame) = frame else { return "at an unknown place".to_owned() };
    let file = frame.file.as_deref().unwrap_or("?");
    let name = Path::new(file).file_name().unwrap_or(OsStr::new(file)).to_string_lossy();
    format!("in {} at {name}:{}", frame.function, frame.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use crate::maker::Maker;
    use crate::queries::LayerFigures;

    fn results() -> Results {
        let mut results = Results { state: State::Ended, ..Results::default() };
        results.about.strategy = "hybrid".into();
        results.ending.ended = Some("steps".into());
        results.time.seconds = 83.0;
        results.runs.executions = 8300;
        results.corpus.tests.add(Maker::Flip, 3);
        (results.coverage.n_covered, results.coverage.n_branches) = (3, 4);
        results.queries.layers.push(LayerFigures { name: "z3".into(), n_asked: 9, n_sat: 1, n_unsat: 2, seconds: 0.5 });
        results.queries.layers.push(LayerFigures { name: "sat".into(), ..LayerFigures::default() });
        let flips = Effort { name: "flips".into(), seconds: 2.0, n_runs: 7, n_branches: 5, ..Effort::default() };
        results.efforts.push(flips);
        results.efforts.push(Effort { name: "hard".into(), seconds: 6.0, n_waiting: 1200, ..Effort::default() });
        results.kinds.losses = (1..=6).map(|count| (format!("kind {count}"), count)).collect();
        results
    }

    #[test]
    fn a_text_says_how_it_went() {
        let commands = Commands { program: "/bin/calc -x".into(), again: Vec::new(), resume: "gimlet run".into() };
        let text = stats(&results(), &commands, Path::new("out"));
        for line in [
            "program     /bin/calc -x",
            "state       ended: all steps were made",
            "time        1:23, last new 0 s before that",
            "runs        8,300, 100 a second",
            "            flips     7 in 0:02 (25 %), 5 new branches",
            "            hard      0 in 0:06 (75 %), 0 new branches, 1,200 waiting",
            "tests       3: 3 flip",
            "branches    3 of 4, 75.0 %",
            "            z3        answered 3 of 9 in 500 ms",
            "            6 x kind 6",
            "            and 1 more kinds, see --json",
            "go on with  gimlet run",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("1 x kind 1") && !text.contains("sat        answered"), "{text}");
    }

    #[test]
    fn a_line_says_how_it_goes() {
        let line = line(&results());
        assert!(line.starts_with("83.0 s: 3 tests, 0 paths, 3/4 branches, 8300 runs (100/s), 0 sat"), "{line}");
    }

    #[test]
    fn places_have_the_name_of_the_file() {
        let frame = Frame { function: "f".into(), file: Some("/src/a.c".into()), line: 3, is_program: true };
        assert_eq!(place(Some(&frame)), "in f at a.c:3");
        assert_eq!(place(None), "at an unknown place");
        assert_eq!(shown(Build::Memory.into()), "shown by the memory build; the plain build ends normally");
        assert_eq!(shown(Build::Instrumented.into()), "shown by the instrumented build; not confirmed");
    }
}
