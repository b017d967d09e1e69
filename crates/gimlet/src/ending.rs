//! What `gimlet run` says when a search has ended.

use std::path::Path;

use gimlet_exec::objects::loss_line;
use gimlet_explore::corpus::QUEUE;
use gimlet_report::text::{finding_line, line, part_lines, reason};
use gimlet_report::Results;

/// Losses, and unstable branches, that are named.
const N_NAMED: usize = 3;

/// Says it on standard output. `out` is the folder of results.
pub fn say(results: &Results, out: &Path, explains_divergences: bool) {
    say!("{}", line(results));
    part_lines(results).iter().for_each(|line| say!("{line}"));
    say!("{}", why(results));
    results.ending.remarks.iter().for_each(|remark| say!("{remark}"));
    results.kinds.losses.iter().take(N_NAMED).for_each(|(what, count)| say!("{}", loss_line(what, *count)));
    instability(results).iter().for_each(|line| say!("{line}"));
    let (n_divergences, n_flips) = (results.doubts.divergences, results.runs.flips);
    if n_divergences > 0 {
        say!("{n_divergences} of {n_flips} flips went elsewhere (--explain-divergences says where)");
    }
    for (explanation, count) in results.kinds.divergences.iter().filter(|_| explains_divergences) {
        say!("  {count} x {explanation}");
    }
    for suppressed in results.kinds.suppressed.iter().filter(|suppressed| suppressed.n_runs > 0) {
        say!("suppressed in {} runs: {}", suppressed.n_runs, suppressed.rule);
    }
    for finding in &results.findings {
        say!("{}", finding_line(finding, out));
        if finding.kind.is_of_memory() || finding.kind.is_hang() {
            say!("  {}", finding.ended);
        }
    }
    say!("tests are in {}", out.join(QUEUE).display());
}

fn why(results: &Results) -> String {
    let ending = &results.ending;
    let why = reason(ending.ended.as_deref().unwrap_or_default(), ending.is_exhausted);
    match ending.doubts.as_slice() {
        [] => why.to_owned(),
        doubts => format!("{why}, but not every path may have been taken: {}", doubts.join(", ")),
    }
}

fn instability(results: &Results) -> Option<String> {
    let unstable = &results.stability.unstable;
    let percent = 100.0 * results.stability.stability.unwrap_or(1.0);
    let first = unstable.iter().take(N_NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    let rest = match unstable.len().saturating_sub(N_NAMED) {
        0 => String::new(),
        n_more => format!("; {n_more} more"),
    };
    let calls: Vec<&str> = results.stability.calls.iter().take(N_NAMED).map(String::as_str).collect();
    let calls = if calls.is_empty() { String::new() } else { format!(". It calls {}", calls.join("; ")) };
    (!unstable.is_empty()).then(|| {
        format!("the program is not deterministic: {percent:.1} % of its counters are the same in all runs of one input, not {first}{rest}{calls}")
    })
}
