//! Where recipes and subjects run: in a sandbox that sees the machine read-only.
//!
//! Interpreters run commands and delete files, with changed inputs also ones that
//! nobody meant. So all of a subject runs in bubblewrap: no network, processes of
//! its own, and nothing to write but its tree, unless that is fixed, a folder for
//! output and `/tmp`.
//! Every tree is seen under one path, so that the outputs of builds can be compared.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use gimlet_trace::memory::LOG_ENV;

use super::recipe::{self, Case, Recipe};
use crate::process::{capture, Finished};
use crate::workspace::{release, root, target_dir};

/// Where a tree is seen.
pub const TREE: &str = "/tmp/subject";
/// Where the folder for output is seen.
pub const OUT: &str = "/tmp/out";
/// In the folder for output: what the memory checks say.
pub const LOG: &str = "memory.log";
const INPUTS: &str = "/tmp/inputs";
const RECIPES: &str = "/tmp/recipes";

/// One build of a subject.
pub struct Sandbox<'a> {
    pub recipe: &'a Recipe,
    /// The sources and what is built in them.
    pub tree: PathBuf,
    /// Nothing in the tree may change.
    pub is_fixed: bool,
    /// What the compiler is called with.
    pub compiler: String,
    /// The subject's folder; has the log.
    pub home: &'a Path,
    /// The folder for output.
    pub out: PathBuf,
    /// Builds that gimlet-cc makes beside the usual ones.
    pub with: &'static str,
}

impl Sandbox<'_> {
    /// Calls a function of the recipe. What it prints goes to the log, too. `elapsed` is the time of processors:
    /// other programs on the machine shall not matter.
    pub fn call(&self, function: &str, limit: Duration) -> Result<Finished> {
        let log = format!("export {LOG_ENV}={OUT}/{LOG}");
        let script = format!("{log}; . {RECIPES}/common.sh; . {RECIPES}/{}.sh; {function}; times", self.recipe.name);
        let mut finished = self.run(Command::new("sh").args(["-e", "-c", &script]), limit)?;
        finished.elapsed = processor_time(&finished.text()).unwrap_or(finished.elapsed);
        Ok(finished)
    }

    /// Runs gimlet on one of the recipe's cases.
    pub fn gimlet(&self, command: &str, options: &[&str], case: &Case, limit: Duration) -> Result<Finished> {
        let input = match case.input.strip_prefix("inputs/") {
            Some(own) => format!("{INPUTS}/{own}"),
            None => format!("{TREE}/{}", case.input),
        };
        let is_file = case.args.iter().any(|arg| arg.contains("@@"));
        let mut gimlet = Command::new(release("gimlet"));
        gimlet.arg(command).args(options).args(["--quiet-target", "--json"]);
        match is_file {
            true => gimlet.args(["--stdin", "/dev/null", "--file", &input]),
            false => gimlet.args(["--stdin", &input]),
        };
        gimlet.arg("--").arg(format!("{TREE}/{}", self.recipe.program)).args(&case.args);
        self.run(&gimlet, limit)
    }

    /// Runs a command, whose variables don't count.
    pub fn run(&self, command: &Command, limit: Duration) -> Result<Finished> {
        let scratch = self.home.join("scratch");
        std::fs::create_dir_all(&scratch)?;
        std::fs::create_dir_all(&self.out)?;
        let mut inside = self.enter();
        inside.arg(command.get_program()).args(command.get_args());
        let finished = capture(&mut inside, b"", limit, &scratch)?;
        self.log(command, &finished)?;
        Ok(finished)
    }

    fn enter(&self) -> Command {
        let mut bwrap = Command::new("bwrap");
        bwrap.args(["--die-with-parent", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--clearenv"]);
        bwrap.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]);
        // The repository may itself be below /tmp.
        for seen in [root(), &target_dir()] {
            bwrap.arg("--ro-bind").arg(seen).arg(seen);
        }
        bwrap.arg("--ro-bind").arg(recipe::folder()).arg(RECIPES);
        let inputs = recipe::folder().join("inputs").join(&self.recipe.name);
        if inputs.exists() {
            bwrap.arg("--ro-bind").arg(inputs).arg(INPUTS);
        }
        bwrap.arg(if self.is_fixed { "--ro-bind" } else { "--bind" }).arg(&self.tree).arg(TREE);
        bwrap.arg("--bind").arg(&self.out).arg(OUT).args(["--chdir", TREE]);
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", target_dir().join("release").display());
        let variables = [
            ("PATH", path.as_str()),
            ("HOME", "/tmp"),
            ("LC_ALL", "C"),
            ("TZ", "UTC"),
            ("CC", &self.compiler),
            ("CXX", &self.compiler.replace("gimlet-cc", "gimlet-c++").replace("clang-19", "clang++-19")),
            ("OUT", OUT),
            ("INPUTS", INPUTS),
            ("GIMLET_WITH", self.with),
        ];
        variables.iter().for_each(|(name, value)| {
            bwrap.args(["--setenv", name, value]);
        });
        bwrap
    }

    fn log(&self, command: &Command, finished: &Finished) -> Result<()> {
        use std::io::Write;
        let path = self.home.join("log");
        let mut log = std::fs::File::options().create(true).append(true).open(&path).context("the log")?;
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        writeln!(log, "== {} in {}", words.join(" "), self.tree.display())?;
        log.write_all(&finished.stdout)?;
        log.write_all(&finished.stderr)?;
        writeln!(log, "== {}, {:.1} s\n", finished.end, finished.elapsed.as_secs_f64())?;
        Ok(())
    }
}

/// The shell's `times` ends with a line of user and system time of all its children, as `1m2.34s 0m0.56s`.
fn processor_time(stdout: &str) -> Option<Duration> {
    let part = |text: &str| {
        let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let (user, system) = stdout.lines().last()?.split_once(' ')?;
    Duration::try_from_secs_f64(part(user)? + part(system)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_shell_are_read() {
        assert_eq!(processor_time("x\n0m0.01s 0m0.02s\n1m2.50s 0m0.25s\n"), Some(Duration::from_millis(62_750)));
        assert_eq!(processor_time("ok test"), None);
    }
}
