//! `cargo xtask bench solver`: the chain against Z3, cvc5 and Bitwuzla.
//!
//! The queries are those of short searches in five programs ([`collect`]), or of a folder that
//! `gimlet run --log-queries` wrote. Those with the same conditions count once, whatever their order and the input that
//! they come from. Each solver checks each query on its own: ours from an empty chain to the answer, the others through
//! their Python interfaces when the text has been read ([`rivals`]). All times are of the processor.
//!
//! Two verdicts that contradict each other, or a model that is none, fail the bench; `unknown` contradicts nothing.

mod collect;
mod report;
mod rivals;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, ensure, Context, Result};

use crate::process;
use crate::worker::{duration, fields};
use crate::workspace::{self, target_dir};
use rivals::{Rival, N_TOGETHER};

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Log queries anew
    #[arg(long)]
    again: bool,
    /// Queries to take instead of logging them
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// A logged query, and what the chain made of it.
struct Query {
    /// Its file below the folder, without extension.
    name: String,
    fingerprint: String,
    verdict: String,
    layer: String,
    time: Duration,
    /// Whether simplification, slices and byte domains answer it.
    is_by_domains: bool,
}

impl Query {
    /// The program that it comes from.
    fn subject(&self) -> &str {
        self.name.split_once('/').map_or("", |(subject, _)| subject)
    }
}

/// Compares and prints; false if a verdict is wrong or, with our own queries, there are too few.
pub fn bench(options: &Options) -> Result<bool> {
    let replay = build_replay()?;
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None => collect::queries(options.again, &replay)?,
    };
    let queries = solve(&replay, &folder)?;
    println!("{}", report::ours(&queries));
    let mut rivals = Rival::install()?;
    // Those that were fastest so far at the same time; times are of the processor. Whoever is slower is left out soon.
    let (first, others) = rivals.split_at_mut(N_TOGETHER);
    let check = |rival: &mut Rival| rival.check(&queries, &folder, &replay, &[]);
    let checked = thread::scope(|scope| {
        let threads: Vec<_> = first.iter_mut().map(|rival| scope.spawn(|| check(rival))).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|result| result.map_err(|_| anyhow!("a solver's thread panicked"))?).collect::<Result<Vec<()>>>()
    });
    checked?;
    others.iter_mut().try_for_each(|rival| rival.check(&queries, &folder, &replay, first))?;
    let (text, is_good) = report::whole(&queries, &rivals);
    let path = home().join("table.txt");
    std::fs::write(&path, &text)?;
    println!("\n{text}\nalso in {}", path.display());
    Ok(is_good && (options.folder.is_some() || collect::are_enough(&queries)))
}

/// Where everything is kept.
fn home() -> PathBuf {
    target_dir().join("solver")
}

fn build_replay() -> Result<PathBuf> {
    let example = ["build", "--release", "--quiet", "--package", "gimlet-solver", "--example", "replay"];
    process::run(&mut workspace::cargo(&example))?;
    Ok(workspace::release("examples/replay"))
}

/// The distinct queries of a folder, with the chain's answers.
fn solve(replay: &Path, folder: &Path) -> Result<Vec<Query>> {
    println!("the chain solves the queries in {}", folder.display());
    let text = process::output(Command::new(replay).arg(folder)).context("replay failed")?;
    let queries = text.lines().map(query).collect::<Result<Vec<_>>>()?;
    ensure!(
        !queries.is_empty(),
        "no queries in {}; hint: `gimlet run --log-queries DIR` writes them",
        folder.display()
    );
    let mut seen = HashSet::new();
    Ok(queries.into_iter().filter(|query| seen.insert(query.fingerprint.clone())).collect())
}

fn query(line: &str) -> Result<Query> {
    let [name, fingerprint, verdict, layer, time, by_domains] = fields(line)?;
    Ok(Query {
        name: name.to_owned(),
        fingerprint: fingerprint.to_owned(),
        verdict: verdict.to_owned(),
        layer: layer.to_owned(),
        time: duration(time)?,
        is_by_domains: by_domains != "unknown",
    })
}
