//! Tools on one subject: the same time and limits, a core each, and the same seed and dictionary if they take them.
//!
//! They run in the sandbox of the subjects, where nothing but their folder can be written to; it ends when we do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{ensure, Context, Result};
use serde_json::{json, Value};

use super::{folder, Subject};
use crate::process;
use crate::subjects::{Build, OUT, TREE};
use crate::workspace::{self, release};

/// Memory that a run of the program may use; Gimlet's own limit.
const MEMORY_MIB: &str = "2048";
/// For starting up and for writing the last results.
const MARGIN: Duration = Duration::from_secs(180);
const AFL_VARIABLES: [&str; 5] = [
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1",
    "AFL_SKIP_CPUFREQ=1",
    "AFL_NO_AFFINITY=1",
    "AFL_NO_UI=1",
    // Its input file need not go to a disk.
    "AFL_TMPDIR=/tmp",
];

/// Where texts are written, and their greatest length in tokens.
const TEXTS: &str = "texts";
const N_TOKENS_MAX: &str = "12";
/// Texts of a grammar for each second of the time that other tools have, if nothing but texts is made: about what a program
/// that writes counters can run.
const N_TEXTS_PER_SECOND: u64 = 100;

/// What makes tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    /// Gimlet's default.
    Gimlet,
    Afl,
    /// The default with a grammar.
    Grammar,
    /// Symbolic strings of the grammar.
    Cese,
    /// Texts of the grammar, from the shortest.
    Enumeration,
    Random,
}

impl Tool {
    pub fn name(self) -> &'static str {
        match self {
            Tool::Gimlet => "Gimlet",
            Tool::Afl => "AFL++",
            Tool::Grammar => "Gimlet with the grammar",
            Tool::Cese => "cese",
            Tool::Enumeration => "enumeration",
            Tool::Random => "random",
        }
    }

    fn folder_name(self) -> &'static str {
        match self {
            Tool::Gimlet => "gimlet",
            Tool::Afl => "afl",
            Tool::Grammar => "grammar",
            Tool::Cese => "cese",
            Tool::Enumeration => "enumeration",
            Tool::Random => "random",
        }
    }

    /// The folder of `queue`, `crashes` and `hangs` in that for output.
    fn results(self) -> &'static str {
        match self {
            Tool::Afl => "default",
            _ => "tests",
        }
    }

    fn version(self) -> Result<String> {
        match self {
            Tool::Afl => {
                let version = process::output(Command::new("dpkg-query").args(["-W", "-f=${Version}", "afl++"]));
                version.context("afl++ is not installed as a package")
            }
            _ => workspace::version(),
        }
    }
}

/// What is kept of a finished campaign, beside its tests.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    pub tool: Tool,
    pub version: String,
    pub started: SystemTime,
    pub n_executions: u64,
}

impl Record {
    fn read(tool: Tool, path: &Path) -> Option<Record> {
        let json: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        Some(Record {
            tool,
            version: json["version"].as_str()?.to_owned(),
            started: UNIX_EPOCH + Duration::from_millis(json["started_ms"].as_u64()?),
            n_executions: json["executions"].as_u64()?,
        })
    }

    fn write(&self, path: &Path) -> Result<()> {
        let started = self.started.duration_since(UNIX_EPOCH)?.as_millis() as u64;
        let json = json!({ "version": self.version, "started_ms": started, "executions": self.n_executions });
        Ok(fs::write(path, serde_json::to_string_pretty(&json)?)?)
    }
}

pub struct Campaign<'a> {
    pub subject: &'a Subject,
    pub time: Duration,
    /// Among those of the subject, from 1.
    pub number: u32,
    /// In the order of columns.
    pub tools: &'a [Tool],
}

impl Campaign<'_> {
    pub fn home(&self) -> PathBuf {
        let seconds = self.time.as_secs();
        self.subject.home().join(match self.number {
            1 => format!("{seconds}s"),
            number => format!("{seconds}s-{number}"),
        })
    }

    /// The folder of one of the tools.
    pub fn folder(&self, tool: Tool) -> PathBuf {
        self.home().join(tool.folder_name())
    }

    /// The folder of `queue`, `crashes` and `hangs`.
    pub fn results(&self, tool: Tool) -> PathBuf {
        self.folder(tool).join("out").join(tool.results())
    }

    /// Removes what was found before.
    pub fn forget(&self) -> Result<()> {
        match self.home().exists() {
            true => fs::remove_dir_all(self.home()).with_context(|| format!("can't empty {}", self.home().display())),
            false => Ok(()),
        }
    }

    /// What all did, now or before.
    pub fn run(&self) -> Result<Vec<Record>> {
        let record = |tool| self.folder(tool).join("campaign.json");
        let tools = self.tools.iter().copied();
        let missing: Vec<Tool> = tools.clone().filter(|tool| Record::read(*tool, &record(*tool)).is_none()).collect();
        for tool in tools.clone().filter(|tool| !missing.contains(tool)) {
            let version = Record::read(tool, &record(tool)).map(|record| record.version).unwrap_or_default();
            println!("  {} finished before, with {version}; --again repeats it", tool.name());
        }
        let jobs = missing.into_iter().map(|tool| self.prepare(tool)).collect::<Result<Vec<Job>>>()?;
        let cores = cores()?;
        for together in jobs.chunks(cores.len()) {
            let names: Vec<&str> = together.iter().map(|job| job.tool.name()).collect();
            println!("  {} s of {}", self.time.as_secs(), names.join(" and "));
            let placed: Vec<(&Job, usize)> = together.iter().zip(cores.iter().copied()).collect();
            let results = process::parallel(&placed, |(job, core)| {
                let result = job.run(self.time, *core).and_then(|finished| finished.write(&record(job.tool)));
                // The other one may still take its time.
                result.inspect_err(|error| println!("  {} fails: {error:#}", job.tool.name()))
            });
            results.into_iter().collect::<Result<Vec<()>>>()?;
        }
        tools.map(|tool| Record::read(tool, &record(tool)).context("no record of a campaign")).collect()
    }

    /// Builds what a tool runs, and makes its command.
    fn prepare(&self, tool: Tool) -> Result<Job> {
        let home = self.folder(tool);
        if home.exists() {
            fs::remove_dir_all(&home).with_context(|| format!("can't empty {}", home.display()))?;
        }
        fs::create_dir_all(&home)?;
        let version = tool.version()?;
        let (build, command) = match tool {
            Tool::Afl => self.afl(&version, &home)?,
            tool => self.gimlet(tool, &version)?,
        };
        Ok(Job { tool, version, build, command, home })
    }

    fn gimlet(&self, tool: Tool, version: &str) -> Result<(Build, Vec<String>)> {
        let subject = self.subject;
        let build = Build::reuse(subject.name, "gimlet-cc", version, &subject.home(), "gimlet")?;
        let gimlet = text(&release("gimlet"));
        let [grammar, lexer] = subject.grammar.map(|path| format!("{TREE}/{path}"));
        if tool == Tool::Enumeration {
            let n_texts = (N_TEXTS_PER_SECOND * self.time.as_secs()).to_string();
            let mut command: Vec<String> = [&*gimlet, "grammar", "enumerate", "--accepted"].map(str::to_owned).into();
            let out = format!("{OUT}/{TEXTS}");
            command.extend(
                ["--max-len", N_TOKENS_MAX, "-n", &n_texts, "--out", &out, &grammar, &lexer].map(str::to_owned),
            );
            return Ok((build, command));
        }
        let mut command = vec![gimlet, "run".into()];
        let mut option = |name: &str, value: String| command.extend([name.to_owned(), value]);
        option("-o", format!("{OUT}/{}", tool.results()));
        option("--budget", format!("{}s", self.time.as_secs()));
        option("--summary", format!("{OUT}/summary.json"));
        option("--max-memory", MEMORY_MIB.into());
        match tool {
            Tool::Cese => option("--strategy", "cese".into()),
            Tool::Random => option("--strategy", "random".into()),
            _ => option("-x", text(&subject.file("dict"))),
        }
        if tool != Tool::Cese {
            option("-i", text(&subject.file("seed")));
        }
        if matches!(tool, Tool::Cese | Tool::Grammar) {
            option("--grammar", grammar);
            option("--lexer", lexer);
        }
        if !subject.is_on_stdin() {
            option("--stdin", "/dev/null".into());
        }
        command.extend(["--".into(), build.program()]);
        command.extend(subject.args());
        Ok((build, command))
    }

    fn afl(&self, version: &str, home: &Path) -> Result<(Build, Vec<String>)> {
        let subject = self.subject;
        let build = |compiler: &str, tree| {
            let script = folder().join(compiler);
            let version = format!("{version} {}", fs::read_to_string(&script)?);
            Build::reuse(subject.name, &text(&script), &version, &subject.home(), tree)
        };
        let (main, cmplog) = (build("afl-cc", "afl")?, build("cmplog-cc", "cmplog")?);
        let seeds = home.join("seeds");
        fs::create_dir(&seeds)?;
        fs::copy(subject.file("seed"), seeds.join("seed"))?;
        let mut command = vec!["env".to_owned()];
        command.extend(AFL_VARIABLES.map(str::to_owned));
        command.push("afl-fuzz".into());
        let mut option = |name: &str, value: String| command.extend([name.to_owned(), value]);
        option("-i", text(&seeds));
        option("-o", OUT.into());
        option("-V", self.time.as_secs().to_string());
        option("-m", MEMORY_MIB.into());
        option("-x", text(&subject.file("dict")));
        option("-c", text(&cmplog.program_file()));
        command.extend(["--".into(), main.program()]);
        command.extend(subject.args());
        Ok((main, command))
    }
}

pub fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A campaign that is ready to start.
struct Job {
    tool: Tool,
    version: String,
    build: Build,
    command: Vec<String>,
    home: PathBuf,
}

impl Job {
    fn run(&self, time: Duration, core: usize) -> Result<Record> {
        let out = self.home.join("out");
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string()]).args(&self.command);
        let started = SystemTime::now();
        let finished = self.build.run(&command, &self.home, &out, time + MARGIN)?;
        let is_good = match self.tool {
            Tool::Afl => finished.is_success(),
            _ => finished.has_searched(),
        };
        ensure!(is_good, "{}; see {}", finished.complaint(), self.home.join("log").display());
        let n_executions = match self.tool {
            Tool::Afl => stats_executions(&fs::read_to_string(out.join("default/fuzzer_stats"))?),
            Tool::Enumeration => Some(queue_texts(&out)?),
            _ => summary_executions(&fs::read_to_string(out.join("summary.json"))?),
        };
        let n_executions = n_executions.context("it doesn't say how many executions there were")?;
        Ok(Record { tool: self.tool, version: self.version.clone(), started, n_executions })
    }
}

/// Makes a queue of texts in their order, each found when its turn comes; how many there are.
fn queue_texts(out: &Path) -> Result<u64> {
    let tests = out.join(Tool::Enumeration.results());
    for name in ["queue", "crashes", "hangs"] {
        fs::create_dir_all(tests.join(name))?;
    }
    let mut texts = workspace::files(&out.join(TEXTS))?;
    texts.sort();
    for (number, text) in texts.iter().enumerate() {
        let found_ms = number as u64 * 1000 / N_TEXTS_PER_SECOND;
        fs::rename(text, tests.join("queue").join(format!("id:{number:06},time:{found_ms},op:enumerate")))?;
    }
    Ok(texts.len() as u64)
}

fn summary_executions(summary: &str) -> Option<u64> {
    serde_json::from_str::<Value>(summary).ok()?["executions"].as_u64()
}

/// From lines `name : value`.
fn stats_executions(stats: &str) -> Option<u64> {
    let mut fields = stats.lines().filter_map(|line| line.split_once(':'));
    fields.find(|(name, _)| name.trim() == "execs_done")?.1.trim().parse().ok()
}

/// Cores that we may use.
pub fn cores() -> Result<Vec<usize>> {
    let status = fs::read_to_string("/proc/self/status").context("no /proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("0");
    let cores = core_list(list.trim()).with_context(|| format!("a list of cores: {list}"))?;
    ensure!(!cores.is_empty(), "no cores");
    Ok(cores)
}

/// `0-2,5` is 0, 1, 2 and 5.
fn core_list(list: &str) -> Option<Vec<usize>> {
    let mut cores = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cores.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_read() {
        let stats = "start_time        : 1700000000\nexecs_done        : 81234\nexecs_per_sec     : 8.10\n";
        assert_eq!(stats_executions(stats), Some(81234));
        assert_eq!(stats_executions("start_time : 1\n"), None);
        assert_eq!(summary_executions(r#"{"executions": 12, "paths": 3}"#), Some(12));
    }

    #[test]
    fn lists_of_cores_are_read() {
        assert_eq!(core_list("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(core_list("3"), Some(vec![3]));
        assert_eq!(core_list(""), None);
    }
}
