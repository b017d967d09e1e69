//! What the user can say. Raw arguments are resolved once into a [`Plan`]; nothing else looks at them.

pub mod drift;
mod found;
pub mod grammar;
mod language;
mod minimise;
mod parts;
pub mod solve;
mod sources;
mod strategy;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use gimlet_exec::target::TokenFunction;
use gimlet_exec::{Strings, World};
use gimlet_explore::program::subject::Allowance;
pub use gimlet_explore::program::subject::Subject;
use gimlet_explore::spec::{
    FileSeed, InputSpec, LimitSpec, OutputSpec, ProgramSpec, SearchSpec, SeedSpec, SocketSeed, StopSpec, StrategySpec,
    TeamSpec, Variable,
};
use gimlet_explore::strategy::Kind;
use gimlet_explore::team::share::Share;
use gimlet_explore::time::clock;
use gimlet_solver::log;
use gimlet_trace::status::Status;

use self::found::FoundArgs;
use self::grammar::{GrammarArgs, GrammarPlan};
use self::language::LanguageArgs;
use self::minimise::{CminArgs, TminArgs};
pub use self::minimise::{CminPlan, Running, TminPlan};
use self::parts::PartArgs;
use self::solve::{SolveArgs, SolvePlan};
use self::sources::{file, opened, socket, variable};
use self::strategy::StrategyArg;
use self::values::{count, duration, repetition, seed, share, time_limit, TimeLimit};
use crate::exit;

/// Events that a text shows unless the user wants more.
const N_LINES_DEFAULT: usize = 1000;

/// Runs C programs both concretely and symbolically.
///
/// Programs are built with gimlet-cc. Exit codes: 0 all well, 1 a flip went elsewhere or an audit failed, 2 an error
/// or an incomplete trace, 3 something is wrong with the machine, 4 the program of `run` never read its input, 10 `run`
/// has findings or what `replay` ran crashes.
#[derive(Parser)]
#[command(name = "gimlet", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Explore a program: generate tests, find crashes.
    ///
    /// In a terminal a screen shows how it goes; p pauses, q ends and keeps everything, ? explains the rest. Elsewhere
    /// there are plain lines. Exit codes: 0 nothing found, 10 findings, 2 bad usage or input, 3 something is wrong with
    /// the machine, 4 the program never read its input.
    Run(Box<ExploreArgs>),
    /// Run a program once and print its path condition.
    Trace(TraceArgs),
    /// Print a saved trace.
    Show(ShowArgs),
    /// Negate a branch of a run, solve, and run the new input.
    Flip(FlipArgs),
    /// Run the plain build of a program on an input, or on all tests that `run` wrote to a folder.
    ///
    /// Where there is PROG.memory, which sees more, it is that; otherwise PROG.plain. Naming a build, say PROG.plain or
    /// PROG.asan, as the program runs that one. `gimlet replay OUT` runs the tests and findings in OUT, and says which of them
    /// end by a signal or a limit; --build names another build for them. Exit code 10: some do.
    Replay(ReplayArgs),
    /// Say which branches the tests take that `run` wrote to a folder.
    Cov(CovArgs),
    /// Make an input smaller that does the same: a crash at the same place, or the same branches.
    ///
    /// Of an input that ends by a crash or a limit, the kind of the end, its place and its callers are kept, as `run` tells
    /// findings apart. Of others, the branches on PROG.edges are, with the classes of their counts. `gimlet tmin OUT` does
    /// it for all findings of a search and leaves those in OUT/crashes and OUT/hangs as they are. Ctrl-C keeps the smallest
    /// input so far. Exit code 1: some findings do not show on the plain build.
    Tmin(Box<TminArgs>),
    /// Choose few inputs that take all branches that many take, with all classes of counts.
    ///
    /// Small inputs and short runs are preferred. Inputs that cannot be read, have more than --max-input bytes, or end by a
    /// crash or a limit are named and left out.
    Cmin(Box<CminArgs>),
    /// Say how a search went, or how it goes while it runs.
    Stats(StatsArgs),
    /// Check that the trace of a run is exact and, with a log of all branches, complete.
    Audit(AuditArgs),
    /// Look at a grammar: its rules, its sentences counted, listed and drawn.
    Grammar(GrammarArgs),
    /// Find a string that is in regular and context-free languages, and not in others: constraints of HAMPI.
    ///
    /// A file has one variable with its size, `cfg` and `reg` languages, texts (`val`) that the variable is a part of, and
    /// what is asserted of them. The answer is `{VAR(v)=..}` or UNSAT; bytes that a terminal would not show are put as codes,
    /// such as \\000. Exit code 1: there is no such string. 2: an error, or nobody knows.
    Solve(SolveArgs),
    /// Check that everything Gimlet needs is there.
    Doctor,
}

/// Where input comes from, and how much of anything a run may use.
#[derive(Args)]
struct InputArgs {
    /// Content of standard input [default: ours, or nothing if that is a terminal; a search begins with its seeds instead]
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Content of the file whose path stands for @@ in the arguments, or for @NAME@; can be given several times
    #[arg(long, value_name = "[NAME=]FILE", value_parser = OsStringValueParser::new().map(file))]
    file: Vec<FileSeed>,
    /// Content of a file that the program opens by a path of its own; can be given several times
    #[arg(long, value_name = "PATH=FILE", value_parser = OsStringValueParser::new().try_map(opened))]
    open: Vec<FileSeed>,
    /// Make an environment variable symbolic, with its present value or another; can be given several times
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = OsStringValueParser::new().try_map(variable))]
    env: Vec<Variable>,
    /// What a peer sends: each is one connection that the program accepts or makes, or the datagrams of one socket, in
    /// this order, at any port or at one only
    #[arg(long, value_name = "[PORT=]FILE", value_parser = OsStringValueParser::new().map(socket))]
    socket: Vec<SocketSeed>,
    /// Make the program's arguments symbolic
    #[arg(long)]
    symbolic_args: bool,
    /// What the result of a string function is: an expression, or decided by a branch at each character [default:
    /// expression]
    #[arg(long, value_name = "HOW", value_enum)]
    strings: Option<StringsArg>,
    /// Time and random numbers as the program gets them: the same in every run, or the machine's own [default: fixed]
    #[arg(long, value_name = "WHICH", value_enum)]
    world: Option<WorldArg>,
    /// Memory that a run may use, its labels included [default: 4096, for `run` 2048]
    #[arg(long, value_name = "MIB", value_parser = count::<u64>("MiB", 1))]
    max_memory: Option<u64>,
    /// Bytes of input [default: 16777216]
    #[arg(long, value_name = "BYTES", value_parser = count::<u64>("bytes", 1))]
    max_input: Option<u64>,
    /// Expressions in a trace [default: 33554432]
    #[arg(long, value_name = "N", value_parser = count::<u64>("expressions", 1))]
    max_expressions: Option<u64>,
    /// Events in a trace [default: 16777216]
    #[arg(long, value_name = "N", value_parser = count::<u64>("events", 1))]
    max_events: Option<u64>,
    /// Bytes of memory snapshots in a trace [default: 1073741824]
    #[arg(long, value_name = "BYTES", value_parser = count::<u64>("bytes", 0))]
    max_snapshots: Option<u64>,
}

/// One run of a program.
#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Processor time that a run may take: 500ms, 2s, 1m; a number alone counts seconds [default: 10s, or that of a folder]
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    timeout: Option<TimeLimit>,
    /// Do not show what the program prints (otherwise it goes to stderr)
    #[arg(long)]
    quiet_target: bool,
    /// The program and its arguments; @@ stands for the path of the input file, @NAME@ for that of another one
    #[arg(trailing_var_arg = true, required = true, value_name = "PROG [ARGS]")]
    command: Vec<OsString>,
}

/// A search.
#[derive(Args)]
struct ExploreArgs {
    /// A file, or a folder of files, to begin with; can be given several times
    ///
    /// Each is the content of the file that stands for @@ in the arguments, or else of standard input. A folder inside
    /// the folder is one seed with several sources: a file for each, by its name (stdin, NAME of @NAME@, arg1, $VAR).
    /// Without seeds the search begins with --len bytes.
    #[arg(short, long = "seeds", value_name = "SEEDS")]
    input_seeds: Vec<PathBuf>,
    /// Folder for tests and findings; must not hold those of an earlier run, unless that goes on with --resume
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["spec", "print_spec"])]
    output: Option<PathBuf>,
    /// Take what the options do not say from a file, a spec of a search; gimlet.json in a folder of results holds one, too
    ///
    /// Options on top of it override what it says, and PROG its program with its arguments. Paths in it are relative to its
    /// folder. docs/spec.md lists its keys.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// Write what the options say as a spec, to FILE or to standard output (with paths relative to the present folder), and
    /// search nothing
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "resume")]
    print_spec: Option<Option<PathBuf>>,
    /// Go on with the search whose results are in OUT, after Ctrl-C, a kill or a reboot
    ///
    /// Nothing that was asked is asked again, and no test is made twice. Without PROG it is the program of that search,
    /// and what is not given is as it was there: the strategy, the seed, the limits. --budget, --steps and the like count
    /// from now. Files that somebody put into OUT/queue are taken in.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    team: TeamArgs,
    #[command(flatten)]
    strategy: StrategyArgs,
    #[command(flatten)]
    stop: StopArgs,
    /// Time that a run may take: 500ms, 2s, 1m; a number alone counts seconds, as for --budget [default: 1s]
    ///
    /// One that takes longer is a finding if PROG.plain takes three times as long as well: processor time, without that of
    /// other programs on a busy machine.
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    timeout: Option<TimeLimit>,
    #[command(flatten)]
    report: OutputArgs,
    /// Let the program write files, use the network and send signals: generated inputs can make it do anything
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    parts: PartArgs,
    #[command(flatten)]
    language: LanguageArgs,
    #[command(flatten)]
    input: InputArgs,
    /// The program and its arguments; @@ stands for the path of the input file, @NAME@ for that of another one
    #[arg(trailing_var_arg = true, required_unless_present_any = ["resume", "spec"], value_name = "PROG [ARGS]")]
    command: Vec<OsString>,
}

/// Who searches.
#[derive(Args)]
struct TeamArgs {
    /// Search with so many processes, which share what they find; --resume goes on with as many [default: 1]
    #[arg(short = 'j', long, value_name = "N", value_parser = count::<u16>("processes", 1))]
    jobs: Option<u16>,
    /// Which of them this one is, and how many there are
    #[arg(long, value_name = "K/N", hide = true, value_parser = share)]
    worker: Option<Share>,
    /// Take over the tests of other searches, AFL++'s or Gimlet's, that have their results in folders of DIR
    ///
    /// With -o DIR/NAME they take over ours as well: afl-fuzz -M main -o DIR.
    #[arg(long, value_name = "DIR")]
    sync: Option<PathBuf>,
}

/// How to search.
#[derive(Args)]
struct StrategyArgs {
    /// How to search [default: hybrid]
    ///
    /// hybrid is mutation beside generational, by what each finds; generational (or whitebox) solves for what is new
    /// first, dfs for every path, random for any; cese takes every path of every string of a --grammar, in which only
    /// tokens with several texts may change; grammar makes what the program's scanner returns symbolic, and sentences of
    /// the --grammar, tokens the same without its rules; mutation solves nothing, and neither do, as a measure for
    /// others, blackbox (random changes of the seeds) and grammar-blackbox (random sentences of up to --len tokens).
    #[arg(long, value_name = "S", value_enum)]
    strategy: Option<StrategyArg>,
    /// Words for mutation, in AFL's format; may be repeated. The program's own constants are words in any case
    #[arg(short = 'x', long, value_name = "FILE")]
    dictionary: Vec<PathBuf>,
    /// Bytes to begin with if there are no seeds [default: 16]; with cese, tokens of the longest strings [default: any
    /// number, short strings first]; with grammar-blackbox, tokens of the longest sentences [default: 20]
    #[arg(long, value_name = "N", value_parser = count::<usize>("bytes", 1))]
    len: Option<usize>,
    /// Longest input to try, in bytes, but for seeds; not with cese [default: with dfs, only the lengths of the seeds; else
    /// 1024 or four times the longest seed, and 4096 where one byte is repeated]
    #[arg(long, value_name = "N", value_parser = count::<usize>("bytes", 1))]
    max_len: Option<usize>,
    /// Longest input that is followed symbolically, in bytes; longer ones are run and mutated only [default: 16384]
    #[arg(long, value_name = "N")]
    max_followed: Option<usize>,
    /// Make so many bytes of the input symbolic, and its length up to --max-len; what lies between is filled in
    ///
    /// The filler is one byte, over and over, which is symbolic as well. String functions and loops that look for an end
    /// then work with the length, and a bug that needs 1,000 characters is found without a path for each of them. Bytes of
    /// a seed behind the prefix come after the filler, as far as --max-len goes. Without this option some tests are
    /// stretched so by themselves.
    #[arg(long, value_name = "K", value_parser = count::<usize>("bytes", 1))]
    prefix: Option<usize>,
    /// Make every byte symbolic and every length a number: no test is stretched by itself
    #[arg(long, conflicts_with = "prefix")]
    no_stretches: bool,
    /// For what is left to chance [default: 1]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,
}

/// When to stop.
#[derive(Args)]
struct StopArgs {
    /// Stop after this time: 60s, 500ms, 10m, 2h [default: when nothing is left, or on Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// Stop when no test and no finding was new for this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    stop_after_idle: Option<Duration>,
    #[command(flatten)]
    found: FoundArgs,
    /// Stop after so many runs of the program: with the same seed the tests are the same, byte for byte
    #[arg(long, value_name = "N", value_parser = count::<u64>("runs", 1))]
    steps: Option<u64>,
    /// What time is counted in: `work` takes each mutant, traced run and question to last as long as any other, so that a
    /// search with a budget does the same each time [default: wall]
    #[arg(long, value_name = "CLOCK", value_enum)]
    clock: Option<ClockArg>,
}

/// What is written and shown beside the results.
#[derive(Args)]
struct OutputArgs {
    /// Write a summary as JSON
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Write every question to the solver into a folder, as SMT-LIB
    #[arg(long, value_name = "DIR")]
    log_queries: Option<PathBuf>,
    /// What is written there: smtlib is text for any solver, compact only what `cargo xtask bench solver` reads
    ///
    /// Where a scanner's tables are looked up, the text of a question has megabytes, the other form some kilobytes
    /// [default: smtlib]
    #[arg(long, value_name = "FORMAT", value_enum)]
    log_format: Option<LogFormatArg>,
    /// Say of every divergence what went where
    #[arg(long)]
    explain_divergences: bool,
    /// Print plain lines now and then, in a terminal too; elsewhere there is no screen in any case
    #[arg(long)]
    no_ui: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormatArg {
    Smtlib,
    Compact,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClockArg {
    Wall,
    Work,
}

impl From<ClockArg> for clock::Kind {
    fn from(arg: ClockArg) -> clock::Kind {
        match arg {
            ClockArg::Wall => clock::Kind::Wall,
            ClockArg::Work => clock::Kind::Work,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum StringsArg {
    Expression,
    Branches,
}

#[derive(Clone, Copy, ValueEnum)]
enum WorldArg {
    Fixed,
    Real,
}

#[derive(Args)]
struct PrintArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Events to print, 0 for all [default: 1000, all with --json]
    #[arg(long, value_name = "N", value_parser = count::<usize>("events", 0))]
    limit: Option<usize>,
    /// Print only which functions were called natively with symbolic data, the most costly first
    ///
    /// Functions that read input by themselves come first, because all that depends on that input is unknown. The cost
    /// of the others is the symbolic data that went in, over all calls: symbolic arguments, and symbolic bytes behind
    /// pointer arguments as far as their objects (at most 4096 bytes) or strings go.
    #[arg(long)]
    unmodelled: bool,
}

#[derive(Args)]
struct TraceArgs {
    #[command(flatten)]
    print: PrintArgs,
    /// Also write the trace to a file
    #[arg(short, long, value_name = "TRACE")]
    output: Option<PathBuf>,
    /// Run so often through one fork server, and give the time of the fastest
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count::<u32>("runs", 1))]
    repeat: u32,
    /// The function that returns tokens: what it returns is symbolic, and what it decides is not part of the path
    #[arg(long, value_name = "NAME[+OFFSET[:SIZE]]", value_parser = TokenFunction::from_str)]
    token_fn: Option<TokenFunction>,
    /// Repeat byte AT of the input up to LEN bytes, of symbolic number: a stretch, as `run` makes them; may be repeated
    #[arg(long, value_name = "AT:LEN", value_parser = repetition)]
    stretch: Vec<Repetition>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Args)]
struct ShowArgs {
    #[command(flatten)]
    print: PrintArgs,
    /// A file that `gimlet trace -o` wrote
    trace: PathBuf,
}

#[derive(Args)]
struct FlipArgs {
    /// Number of the event, as `gimlet trace` prints it [default: the last branch or switch]
    #[arg(long, value_name = "N", value_parser = count::<usize>("events", 1))]
    at: Option<usize>,
    /// Flip every branch and switch of the run, each by itself, and tell where each new input went
    ///
    /// What the program prints is not shown. With -o FOLDER the new inputs are written there, by the numbers of their
    /// events. The exit code is 0 if all went where they were to go or can't go anywhere else, 1 otherwise.
    #[arg(long, conflicts_with = "at")]
    all: bool,
    /// With --all: flips at most, 0 for all
    #[arg(long, value_name = "N", default_value_t = 0, requires = "all", value_parser = count::<usize>("flips", 0))]
    limit: usize,
    /// With --all: print one JSON object
    #[arg(long, requires = "all")]
    json: bool,
    /// Write the first source that changed to a file, or all sources into a directory
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Args)]
struct ReplayArgs {
    /// With a folder of tests: the build to run them on [default: PROG.memory if there is one, or else PROG.plain]
    #[arg(long, value_name = "PROG")]
    build: Option<PathBuf>,
    /// Let the program write files, use the network and send signals
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Args)]
struct CovArgs {
    /// Also write the coverage for lcov and its relatives
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Let the program write files, use the network and send signals
    #[arg(long)]
    no_sandbox: bool,
    /// The folder that `gimlet run -o` made
    #[arg(value_name = "OUT")]
    folder: PathBuf,
}

#[derive(Args)]
struct StatsArgs {
    /// List directions of branches that no run took, each with the reason; with --json all directions
    #[arg(long)]
    branches: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The folder that `gimlet run -o` made
    #[arg(value_name = "OUT")]
    folder: PathBuf,
}

#[derive(Args)]
struct AuditArgs {
    /// Random changes of the input to try
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count::<u32>("changes", 0))]
    changes: u32,
    /// Check what the program observes: change the input until each group of cases has been checked so often
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<usize>("checks", 0))]
    observed: usize,
    /// The same seed makes the same changes
    #[arg(long, default_value_t = 1, value_parser = seed)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunArgs,
}

/// What is to be done.
pub enum Plan {
    Run(Box<ExplorePlan>),
    Trace(TracePlan),
    Show(ShowPlan),
    Flip(FlipPlan),
    Replay(ReplayPlan),
    Cov(CovPlan),
    Tmin(TminPlan),
    Cmin(CminPlan),
    Stats(StatsPlan),
    Audit(AuditPlan),
    Grammar(GrammarPlan),
    Solve(SolvePlan),
    Doctor,
}

/// How to print a trace.
#[derive(Clone, Copy)]
pub struct Printing {
    pub is_json: bool,
    pub is_unmodelled_only: bool,
    pub n_lines_max: usize,
}

pub struct TracePlan {
    pub subject: Subject,
    pub printing: Printing,
    pub output: Option<PathBuf>,
    pub n_runs: u32,
    pub tokens: Option<TokenFunction>,
    pub stretches: Vec<Repetition>,
}

/// A byte of the first source that has so many, which is to be repeated.
#[derive(Clone, Copy)]
pub struct Repetition {
    pub at: usize,
    pub len: usize,
}

pub struct ShowPlan {
    pub printing: Printing,
    pub trace: PathBuf,
}

pub struct FlipPlan {
    pub subject: Subject,
    pub flips: Flips,
    pub output: Option<PathBuf>,
    pub is_json: bool,
}

/// Which steps of a run are flipped.
#[derive(Clone, Copy)]
pub enum Flips {
    /// The event of this number, or the last one that can be.
    One { at: Option<usize> },
    /// Every branch and switch, or so many of them; 0 is no limit.
    All { limit: usize },
}

pub struct AuditPlan {
    pub subject: Subject,
    pub n_changes: u32,
    /// Checks of each group of observed cases.
    pub n_observed: usize,
    pub seed: u64,
    pub is_json: bool,
}

pub struct ReplayPlan {
    /// Its program may be a folder of tests.
    pub subject: Subject,
    /// What the user wants.
    pub timeout_ms: Option<u64>,
    pub build: Option<PathBuf>,
    pub is_confined: bool,
}

pub struct CovPlan {
    pub folder: PathBuf,
    pub lcov: Option<PathBuf>,
    pub is_confined: bool,
}

pub struct StatsPlan {
    pub folder: PathBuf,
    pub has_branches: bool,
    pub is_json: bool,
}

/// A search, as far as the command line says.
pub struct ExplorePlan {
    pub said: SearchSpec,
    /// A file that says the rest.
    pub spec: Option<PathBuf>,
    /// Nothing is searched: the spec is written, to a file if one is named.
    pub prints_spec: Option<Option<PathBuf>>,
    /// Go on with what is there.
    pub resumes: bool,
    /// One that another has started.
    pub worker: Option<Share>,
    /// Where there is a terminal.
    pub has_screen: bool,
}

fn explore_plan(args: ExploreArgs) -> ExplorePlan {
    args.timeout.iter().for_each(|limit| limit.explain());
    let (input, limits) = input_and_limits(args.input, args.timeout);
    let said = SearchSpec {
        program: ProgramSpec { sandbox: args.no_sandbox.then_some(false), ..program(args.command) },
        input,
        limits,
        strategy: StrategySpec {
            name: args.strategy.strategy.map(Kind::from),
            seed: args.strategy.seed,
            len: args.strategy.len,
            max_len: args.strategy.max_len,
            max_followed: args.strategy.max_followed,
            prefix: args.strategy.prefix,
            stretches: args.strategy.no_stretches.then_some(false),
        },
        grammar: args.language.spec(),
        seeds: SeedSpec { paths: args.input_seeds, dictionaries: args.strategy.dictionary },
        stop: StopSpec {
            budget: args.stop.budget,
            idle: args.stop.stop_after_idle,
            found: args.stop.found.stop_after_found.clone(),
            steps: args.stop.steps,
            clock: args.stop.clock.map(clock::Kind::from),
        },
        findings: args.stop.found.spec(),
        parts: args.parts.spec(),
        team: TeamSpec { jobs: args.team.jobs, sync: args.team.sync },
        output: OutputSpec {
            folder: args.output,
            summary: args.report.summary,
            log_queries: args.report.log_queries,
            log_format: args.report.log_format.map(|format| match format {
                LogFormatArg::Smtlib => log::Format::SmtLib,
                LogFormatArg::Compact => log::Format::Compact,
            }),
            explain_divergences: args.report.explain_divergences.then_some(true),
        },
        ..SearchSpec::default()
    };
    ExplorePlan {
        said,
        spec: args.spec,
        prints_spec: args.print_spec,
        resumes: args.resume,
        worker: args.team.worker,
        has_screen: !args.report.no_ui,
    }
}

/// `-3` is a value of an option, whose parser says what is wrong with it.
fn command() -> clap::Command {
    fn takes_numbers(command: clap::Command) -> clap::Command {
        let is_option = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
        let arg = |arg: clap::Arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg };
        command.mut_args(arg).mut_subcommands(takes_numbers)
    }
    takes_numbers(Cli::command())
}

/// Says what is wrong with the command line, and ends the process.
fn refuse(error: &clap::Error) -> ! {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match context(ContextKind::InvalidArg).filter(|text| text.starts_with('-')) {
        Some(option) if error.kind() == ErrorKind::UnknownArgument => {
            let similar = context(ContextKind::SuggestedArg).map(|similar| format!("{similar} is one"));
            exit::say(&format!("unknown option '{option}'; see --help"), similar.as_deref());
            std::process::exit(Status::Wrong.code().into())
        }
        _ => error.exit(),
    }
}

/// Reads the command line; ends the process on a wrong one or a call for help.
pub fn parse() -> Plan {
    let parsed = command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed.unwrap_or_else(|error| refuse(&error)).command {
        Command::Run(args) => Plan::Run(Box::new(explore_plan(*args))),
        Command::Trace(args) => Plan::Trace(TracePlan {
            subject: subject(args.run),
            printing: printing(args.print),
            output: args.output,
            n_runs: args.repeat,
            tokens: args.token_fn,
            stretches: args.stretch,
        }),
        Command::Show(args) => Plan::Show(ShowPlan { printing: printing(args.print), trace: args.trace }),
        Command::Flip(args) => Plan::Flip(FlipPlan {
            flips: if args.all { Flips::All { limit: args.limit } } else { Flips::One { at: args.at } },
            subject: subject(args.run),
            output: args.output,
            is_json: args.json,
        }),
        Command::Replay(args) => Plan::Replay(ReplayPlan {
            timeout_ms: args.run.timeout_ms(),
            subject: subject(args.run),
            build: args.build,
            is_confined: !args.no_sandbox,
        }),
        Command::Cov(args) => {
            Plan::Cov(CovPlan { folder: args.folder, lcov: args.lcov, is_confined: !args.no_sandbox })
        }
        Command::Tmin(args) => Plan::Tmin(minimise::tmin_plan(*args)),
        Command::Cmin(args) => Plan::Cmin(minimise::cmin_plan(*args)),
        Command::Stats(args) => {
            Plan::Stats(StatsPlan { folder: args.folder, has_branches: args.branches, is_json: args.json })
        }
        Command::Audit(args) => Plan::Audit(AuditPlan {
            subject: subject(args.run),
            n_changes: args.changes,
            n_observed: args.observed,
            seed: args.seed,
            is_json: args.json,
        }),
        Command::Grammar(args) => Plan::Grammar(grammar::grammar_plan(args)),
        Command::Solve(args) => Plan::Solve(solve::solve_plan(args)),
        Command::Doctor => Plan::Doctor,
    }
}

impl RunArgs {
    fn timeout_ms(&self) -> Option<u64> {
        self.timeout.map(TimeLimit::ms)
    }
}

fn subject(args: RunArgs) -> Subject {
    args.timeout.iter().for_each(|limit| limit.explain());
    let (input, limits) = input_and_limits(args.input, args.timeout);
    let subject = Subject::new(&program(args.command), &input, &limits, Allowance::OF_ONE);
    Subject { is_quiet: args.quiet_target, ..subject }
}

fn program(command: Vec<OsString>) -> ProgramSpec {
    let mut command = command.into_iter();
    let path = command.next().unwrap_or_default().into();
    ProgramSpec { path, args: command.collect(), ..ProgramSpec::default() }
}

fn input_and_limits(args: InputArgs, timeout: Option<TimeLimit>) -> (InputSpec, LimitSpec) {
    let input = InputSpec {
        stdin: args.stdin,
        files: args.file,
        opened: args.open,
        env: args.env,
        sockets: args.socket,
        symbolic_args: args.symbolic_args.then_some(true),
        strings: args.strings.map(|strings| match strings {
            StringsArg::Expression => Strings::Expression,
            StringsArg::Branches => Strings::Branches,
        }),
        world: args.world.map(|world| match world {
            WorldArg::Fixed => World::Fixed,
            WorldArg::Real => World::Real,
        }),
    };
    let limits = LimitSpec {
        timeout: timeout.map(TimeLimit::time),
        max_memory: args.max_memory,
        max_input: args.max_input,
        max_expressions: args.max_expressions,
        max_events: args.max_events,
        max_snapshots: args.max_snapshots,
    };
    (input, limits)
}

fn printing(args: PrintArgs) -> Printing {
    let n_lines_max = match args.limit {
        None if args.json => usize::MAX,
        None => N_LINES_DEFAULT,
        Some(0) => usize::MAX,
        Some(limit) => limit,
    };
    Printing { is_json: args.json, is_unmodelled_only: args.unmodelled, n_lines_max }
}

#[cfg(test)]
mod tests {
    use gimlet_exec::Limits;

    use super::*;

    #[test]
    fn the_options_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn defaults_are_as_the_help_says() {
        let limits = Limits::default();
        let said = [limits.input_bytes, limits.nodes, limits.events, limits.snapshot_bytes];
        assert_eq!(said, [16_777_216, 33_554_432, 16_777_216, 1_073_741_824]);
    }

    #[test]
    fn everything_after_the_program_is_the_programs() {
        let matches = command()
            .try_get_matches_from(["gimlet", "trace", "--json", "--", "prog", "--json", "-o", "--", "@@"])
            .unwrap();
        let Command::Trace(args) = Cli::from_arg_matches(&matches).unwrap().command else { panic!("not trace") };
        assert!(args.print.json && args.output.is_none());
        assert_eq!(args.run.command, ["prog", "--json", "-o", "--", "@@"]);
    }
}
