//! What the bench found, as text.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::rivals::{Rival, LIMIT};
use super::Query;
use crate::worker::{Checked, TIMEOUT};

/// Queries of the chain that are named because they take it longest.
const N_SLOWEST: usize = 10;

/// What the chain did, before any rival is asked.
pub fn ours(queries: &[Query]) -> String {
    let hard: Vec<&Query> = queries.iter().filter(|query| !query.is_by_domains).collect();
    let ms = |queries: &[&Query]| milliseconds(queries.iter().map(|query| query.time).sum());
    format!(
        "{} distinct queries, {} of which byte domains alone don't answer; the chain takes {:.1} and {:.1} ms",
        queries.len(),
        hard.len(),
        ms(&queries.iter().collect::<Vec<_>>()),
        ms(&hard)
    )
}

/// Everything, and whether all verdicts are sound.
pub fn whole(queries: &[Query], rivals: &[Rival]) -> (String, bool) {
    let mut text = String::new();
    let all: Vec<&Query> = queries.iter().collect();
    let hard: Vec<&Query> = queries.iter().filter(|query| !query.is_by_domains).collect();
    line(&mut text, &ours(queries));
    line(&mut text, "Times are of the processor, for the check alone.");
    line(
        &mut text,
        &format!(
            "A check that takes another solver more than {} s is ended and counts as that: its total is a lower bound.",
            LIMIT.as_secs()
        ),
    );
    compare(&mut text, "all queries", &all, rivals);
    compare(&mut text, "queries that byte domains alone don't answer", &hard, rivals);
    by_program(&mut text, queries, rivals);
    slowest(&mut text, all, rivals);
    let is_sound = soundness(&mut text, queries, rivals);
    (text, is_sound)
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn compare(text: &mut String, title: &str, queries: &[&Query], rivals: &[Rival]) {
    line(text, &format!("\n{title}: {}", queries.len()));
    line(text, "  solver                 sat    unsat  unknown  timeout       total ms   times the chain's");
    let ours: Vec<Checked> =
        queries.iter().map(|query| Checked { verdict: query.verdict.clone(), time: query.time }).collect();
    let own: Duration = ours.iter().map(|checked| checked.time).sum();
    line(text, &row("gimlet", &ours.iter().collect::<Vec<_>>()));
    for rival in rivals {
        let results: Vec<&Checked> = queries.iter().filter_map(|query| rival.result(query)).collect();
        let n_left = queries.len() - results.len();
        let total: Duration = results.iter().map(|checked| checked.time).sum();
        let ratio = total.as_secs_f64() / own.as_secs_f64().max(1e-9);
        let cut = match n_left {
            0 => String::new(),
            _ => format!("  at least: stopped with {n_left} queries left, slower than another already"),
        };
        let name = format!("{} {}", rival.name, rival.version);
        line(text, &format!("{}   {ratio:8.1}{cut}", row(&name, &results)));
    }
    let mut layers: BTreeMap<&str, usize> = BTreeMap::new();
    for query in queries {
        *layers.entry(&query.layer).or_default() += 1;
    }
    let share = |n: usize| 100.0 * n as f64 / queries.len().max(1) as f64;
    let shares = layers.iter().map(|(layer, &n)| format!("{layer} {n} ({:.1} %)", share(n)));
    line(text, &format!("  answered by: {}", shares.collect::<Vec<_>>().join(", ")));
}

fn row(solver: &str, results: &[&Checked]) -> String {
    let count = |verdict: &str| results.iter().filter(|checked| checked.verdict == verdict).count();
    let (n_sat, n_unsat, n_timeout) = (count("sat"), count("unsat"), count(TIMEOUT));
    let n_unknown = results.len() - n_sat - n_unsat - n_timeout;
    let total = milliseconds(results.iter().map(|checked| checked.time).sum());
    format!("  {solver:17} {n_sat:8} {n_unsat:8} {n_unknown:8} {n_timeout:8} {total:14.1}")
}

fn by_program(text: &mut String, queries: &[Query], rivals: &[Rival]) {
    let mut programs: BTreeMap<&str, Vec<&Query>> = BTreeMap::new();
    for query in queries {
        programs.entry(query.subject()).or_default().push(query);
    }
    let columns: String = rivals.iter().map(|rival| format!(" {:>12}", format!("{} ms", rival.name))).collect();
    line(text, &format!("\n  program      queries     hard    gimlet ms{columns}"));
    for (program, queries) in programs {
        let n_hard = queries.iter().filter(|query| !query.is_by_domains).count();
        let own = milliseconds(queries.iter().map(|query| query.time).sum());
        let total = |rival: &Rival| format!(" {:12.1}", milliseconds(rival.total(queries.iter().copied())));
        let totals: String = rivals.iter().map(total).collect();
        line(text, &format!("  {program:10} {:9} {n_hard:8} {own:12.1}{totals}", queries.len()));
    }
}

fn slowest(text: &mut String, mut queries: Vec<&Query>, rivals: &[Rival]) {
    queries.sort_by_key(|query| std::cmp::Reverse(query.time));
    line(text, "\n  slowest for the chain");
    for query in queries.into_iter().take(N_SLOWEST) {
        let theirs: String = rivals
            .iter()
            .filter_map(|rival| {
                let checked = rival.result(query)?;
                Some(format!(", {} {} {:.1} ms", rival.name, checked.verdict, milliseconds(checked.time)))
            })
            .collect();
        let (name, verdict, layer, own) = (&query.name, &query.verdict, &query.layer, milliseconds(query.time));
        line(text, &format!("  {name:18} {verdict} by {layer} {own:.1} ms{theirs}"));
    }
}

/// Whether every model is one and no two verdicts contradict each other; names the queries where that is not so.
fn soundness(text: &mut String, queries: &[Query], rivals: &[Rival]) -> bool {
    let (mut n_wrong, mut n_disputed, mut n_unconfirmed) = (0, 0, 0);
    for query in queries {
        let of_rivals = rivals.iter().filter_map(|rival| Some((rival.name, rival.result(query)?.verdict.as_str())));
        let verdicts: Vec<(&str, &str)> =
            std::iter::once(("gimlet", query.verdict.as_str())).chain(of_rivals).collect();
        let n_saying = |wanted: &str| verdicts.iter().filter(|&&(_, verdict)| verdict == wanted).count();
        let (is_disputed, is_wrong) = (n_saying("sat") > 0 && n_saying("unsat") > 0, query.verdict == "wrong");
        if is_disputed || is_wrong {
            line(text, &format!("  query {}: {verdicts:?}", query.name));
        }
        n_wrong += usize::from(is_wrong);
        n_disputed += usize::from(is_disputed);
        n_unconfirmed += usize::from(query.verdict == "unsat" && n_saying("unsat") == 1);
    }
    line(text, &format!("\n{n_disputed} queries with contradicting verdicts, {n_wrong} models that are none"));
    line(text, &format!("{n_unconfirmed} queries that only the chain finds unsatisfiable: the others gave up"));
    n_disputed == 0 && n_wrong == 0
}
