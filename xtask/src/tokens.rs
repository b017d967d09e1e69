//! `cargo xtask bench tokens`: what symbolic tokens and a grammar are worth, as in Figures 5, 6 and 7 of Grammar-based
//! Whitebox Fuzzing (PLDI 2008).
//!
//! Five strategies and the default with the grammar search each subject for the same time, a core each, as many at a time
//! as there are cores, from the same seeds, which are sampled from the grammar. Everything is counted by `gimlet run` itself:
//! branches and reach of modules, inputs that the parser accepts, symbolic variables and conditions. What a strategy covered
//! that another did not is told by `gimlet cov` on its tests.
//!
//! Everything is kept in `tokens/SUBJECT` in the target directory, and a search that was finished is not done again unless
//! that is asked for.

mod figures;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use serde_json::Value;

use crate::process;
use crate::setup;
use crate::subjects::{Build, OUT, TREE};
use crate::versus::{cores, minutes, text};
use crate::workspace::{self, release, root, target_dir};
use figures::Row;

const TIME_FULL: Duration = Duration::from_secs(20 * 60);
/// For starting up and for writing the last results.
const MARGIN: Duration = Duration::from_secs(180);
const COVERAGE_LIMIT: Duration = Duration::from_secs(1200);

const PACKAGES: &[(&str, &str)] =
    &[("bubblewrap", "programs run in a sandbox"), ("util-linux", "taskset gives each its core")];

/// The strategies of the paper, in its order, and the default; the fifth has to be best.
pub const STRATEGIES: [&str; 6] = ["blackbox", "grammar-blackbox", "whitebox", "tokens", "grammar", "hybrid"];
/// The seeds alone.
const SEEDS: &str = "seeds";
const N_SEEDS: &str = "50";

/// A program, its language, and its parts from the outside in.
struct Subject {
    name: &'static str,
    args: &'static [&'static str],
    /// Options that name its language; `%` stands for its tree, `@` for bench/grammars.
    language: &'static [&'static str],
    token_function: Option<&'static str>,
    modules: &'static [&'static str],
    rejecting: &'static [&'static str],
}

const SUBJECTS: [Subject; 4] = [
    Subject {
        name: "mujs",
        args: &["@@"],
        language: &["--grammar", "@/es5.y", "--token-map", "@/es5.tokens"],
        token_function: Some("jsY_lex"),
        modules: &["lexer=jslex.c", "parser=jsparse.c", "compiler=jscompile.c"],
        rejecting: &["jsP_error", "jsY_error"],
    },
    Subject {
        name: "bc",
        args: &["-q"],
        language: &["--grammar", "%/bc/bc.y", "--lexer", "%/bc/scan.l"],
        token_function: None,
        modules: &["lexer=scan.l,scan.c", "parser=bc.y,bc.c", "machine=execute.c,storage.c,number.c"],
        rejecting: &["yyerror"],
    },
    Subject {
        name: "cuetools",
        args: &["-i", "cue", "-o", "toc"],
        language: &["--grammar", "%/src/lib/cue_parse.y", "--lexer", "%/src/lib/cue_scan.l"],
        token_function: Some("cue_yylex"),
        modules: &[
            "lexer=cue_scan.l,cue_scan.c",
            "parser=cue_parse.y,cue_parse.c",
            "printer=toc_print.c,cd.c,cdtext.c",
        ],
        rejecting: &["cue_yyerror"],
    },
    Subject {
        name: "lua5.4",
        args: &["@@"],
        language: &["--grammar", "@/lua.ebnf", "--token-map", "@/lua.tokens"],
        token_function: Some("llex"),
        modules: &["lexer=llex.c", "parser=lparser.c", "compiler=lcode.c"],
        rejecting: &["lexerror"],
    },
];

#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Finished searches, too
    #[arg(long)]
    again: bool,
    /// For each search
    #[arg(long = "minutes", value_name = "N", value_parser = minutes, default_value = "4")]
    time: Duration,
    /// 20 minutes
    #[arg(long, conflicts_with = "time")]
    full: bool,
    /// Subjects [default: all]
    #[arg(value_parser = SUBJECTS.map(|subject| subject.name))]
    names: Vec<String>,
}

impl Options {
    fn time(&self) -> Duration {
        if self.full {
            TIME_FULL
        } else {
            self.time
        }
    }
}

/// Prints the tables of each subject; false if something is not as it should be.
pub fn bench(options: &Options) -> Result<bool> {
    workspace::build_for_tests()?;
    setup::install(PACKAGES)?;
    let is_chosen = |name: &str| options.names.is_empty() || options.names.iter().any(|chosen| chosen == name);
    let mut is_good = true;
    for subject in SUBJECTS.iter().filter(|subject| is_chosen(subject.name)) {
        println!("{}", subject.name);
        match measure(subject, options) {
            Ok(rows) => {
                let (table, is_as_expected) = figures::tables(&rows);
                fs::write(subject.home().join(format!("{}s.txt", options.time().as_secs())), &table)?;
                println!("\n{table}");
                is_good &= is_as_expected;
            }
            Err(error) => {
                println!("  FAILED  {error:#}");
                is_good = false;
            }
        }
    }
    Ok(is_good)
}

/// What every strategy came to.
fn measure(subject: &Subject, options: &Options) -> Result<Vec<Row>> {
    let version = workspace::version()?;
    let build = Build::reuse(subject.name, "gimlet-cc", &version, &subject.home(), "gimlet")?;
    let all: Vec<Search> = STRATEGIES
        .iter()
        .chain(&[SEEDS])
        .map(|&strategy| Search { subject, build: &build, strategy, time: options.time() })
        .collect();
    let missing: Vec<&Search> = all.iter().filter(|search| options.again || !search.is_finished()).collect();
    for search in all.iter().filter(|search| !options.again && search.is_finished()) {
        println!("  {} finished before, with {}; --again repeats it", search.strategy, search.version());
    }
    let cores = cores()?;
    for together in missing.chunks(cores.len()) {
        let names: Vec<&str> = together.iter().map(|search| search.strategy).collect();
        println!("  {} s of {}", options.time().as_secs(), names.join(" and "));
        let placed: Vec<(&Search, usize)> = together.iter().copied().zip(cores.iter().copied()).collect();
        let results = process::parallel(&placed, |(search, core)| search.run(*core, &version));
        results.into_iter().collect::<Result<Vec<()>>>()?;
    }
    all.iter().map(Search::row).collect()
}

impl Subject {
    fn home(&self) -> PathBuf {
        target_dir().join("tokens").join(self.name)
    }

    fn language(&self) -> impl Iterator<Item = String> + use<> {
        let grammars = text(&root().join("bench/grammars"));
        self.language.iter().map(move |word| match word.split_at_checked(1) {
            Some(("%", path)) => format!("{TREE}{path}"),
            Some(("@", path)) => format!("{grammars}{path}"),
            _ => (*word).to_owned(),
        })
    }
}

/// One strategy on one subject.
struct Search<'a> {
    subject: &'a Subject,
    build: &'a Build,
    strategy: &'static str,
    time: Duration,
}

impl Search<'_> {
    fn home(&self) -> PathBuf {
        self.subject.home().join(format!("{}s", self.time.as_secs())).join(self.strategy)
    }

    /// Written last, with the version of Gimlet.
    fn record(&self) -> PathBuf {
        self.home().join("finished")
    }

    fn is_finished(&self) -> bool {
        self.record().is_file()
    }

    fn version(&self) -> String {
        fs::read_to_string(self.record()).unwrap_or_default()
    }

    fn run(&self, core: usize, version: &str) -> Result<()> {
        let home = self.home();
        if home.exists() {
            fs::remove_dir_all(&home).with_context(|| format!("can't empty {}", home.display()))?;
        }
        fs::create_dir_all(&home)?;
        let out = home.join("out");
        let in_sandbox = |words: Vec<String>, limit: Duration| {
            let mut command = Command::new("taskset");
            command.args(["-c", &core.to_string(), &text(&release("gimlet"))]).args(words);
            self.build.run(&command, &home, &out, limit)
        };
        let finished = in_sandbox(self.command(), self.time + MARGIN)?;
        let log = |finished: &process::Finished| fs::write(home.join("said"), finished.text());
        log(&finished)?;
        ensure!(finished.has_searched(), "{}: {}; see {}", self.strategy, finished.complaint(), home.display());
        let covered = ["cov", "--lcov", &format!("{OUT}/lcov"), &format!("{OUT}/tests")].map(str::to_owned);
        let finished = in_sandbox(covered.into(), COVERAGE_LIMIT)?;
        ensure!(finished.is_success(), "{}: gimlet cov: {}", self.strategy, finished.complaint());
        Ok(fs::write(self.record(), version)?)
    }

    fn command(&self) -> Vec<String> {
        let subject = self.subject;
        let mut command: Vec<String> = vec!["run".into()];
        let mut option = |name: &str, value: &str| command.extend([name.to_owned(), value.to_owned()]);
        if self.strategy == SEEDS {
            option("--strategy", "whitebox");
            option("--steps", N_SEEDS);
        } else {
            option("--strategy", self.strategy);
            option("--budget", &format!("{}s", self.time.as_secs()));
        }
        option("-o", &format!("{OUT}/tests"));
        option("--summary", &format!("{OUT}/summary.json"));
        subject.modules.iter().for_each(|module| option("--module", module));
        subject.rejecting.iter().for_each(|name| option("--reject-fn", name));
        if let Some(function) =
            subject.token_function.filter(|_| ["tokens", "grammar", "hybrid"].contains(&self.strategy))
        {
            option("--token-fn", function);
        }
        if subject.args.contains(&"@@") {
            option("--stdin", "/dev/null");
        }
        command.extend(subject.language());
        command.extend(["--".to_owned(), self.build.program()]);
        command.extend(subject.args.iter().map(|arg| (*arg).to_owned()));
        command
    }

    fn row(&self) -> Result<Row> {
        let out = self.home().join("out");
        let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json"))?)?;
        Row::read(self.strategy, &summary, &lcov(&out.join("lcov"))?)
            .with_context(|| format!("{} does not say enough in its summary", self.strategy))
    }
}

/// Branches of a file of lcov's that were taken, by place.
fn lcov(path: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let mut taken = Vec::new();
    let mut file = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            file = name;
        } else if let Some((branch, hits)) = line.strip_prefix("BRDA:").and_then(|rest| rest.rsplit_once(','))
            && !["0", "-"].contains(&hits)
        {
            taken.push(format!("{file}:{branch}"));
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::options;

    #[test]
    fn options_are_read() {
        let asked = options::<Options>(&["bc", "--minutes", "2", "--again"]).unwrap();
        let names = vec!["bc".to_owned()];
        assert_eq!(asked, Options { again: true, time: Duration::from_secs(120), full: false, names });
        assert_eq!(options::<Options>(&["--full"]).unwrap().time(), TIME_FULL);
        for bad in [&["jq"][..], &["--minutes"], &["--short"]] {
            assert!(options::<Options>(bad).is_err(), "{bad:?}");
        }
    }
}
