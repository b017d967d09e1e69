//! What the user can say. Raw arguments are resolved once into a [`Plan`]; nothing else looks at them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use gimlet_exec::{Limits, Strings};

/// Events that a text shows unless the user wants more.
const N_LINES_DEFAULT: usize = 1000;

/// Runs C programs both concretely and symbolically.
///
/// Programs are built with gimlet-cc. Exit codes: 0 all well, 1 a flip went elsewhere or an audit failed, 2 an error
/// or an incomplete trace.
#[derive(Parser)]
#[command(name = "gimlet", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program once and print its path condition.
    Trace(TraceArgs),
    /// Print a saved trace.
    Show(ShowArgs),
    /// Negate a branch of a run, solve, and run the new input.
    Flip(FlipArgs),
    /// Check that the trace of a run is exact and, with a log of all branches, complete.
    Audit(AuditArgs),
    /// Check that everything Gimlet needs is there.
    Doctor,
}

#[derive(Args)]
struct RunArgs {
    /// Content of standard input [default: ours, or nothing if that is a terminal]
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Content of the file whose path stands for @@ in the arguments
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Make the program's arguments symbolic
    #[arg(long)]
    symbolic_args: bool,
    /// What the result of a string function is: an expression, or decided by a branch at each character
    #[arg(long, value_name = "HOW", value_enum, default_value_t = StringsArg::Expression)]
    strings: StringsArg,
    /// Seconds that a run may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// Memory that a run may use, its labels included
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().memory_mib)]
    max_memory: u64,
    /// Bytes of input
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().input_bytes)]
    max_input: u64,
    /// Expressions in a trace
    #[arg(long, value_name = "N", default_value_t = Limits::default().nodes)]
    max_expressions: u64,
    /// Events in a trace
    #[arg(long, value_name = "N", default_value_t = Limits::default().events)]
    max_events: u64,
    /// Bytes of memory snapshots in a trace
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().snapshot_bytes)]
    max_snapshots: u64,
    /// Do not show what the program prints (otherwise it goes to stderr)
    #[arg(long)]
    quiet_target: bool,
    /// The program and its arguments; @@ stands for the path of the input file
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "PROG [ARGS]")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum StringsArg {
    Expression,
    Branches,
}

#[derive(Args)]
struct PrintArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Events to print, 0 for all [default: 1000, all with --json]
    #[arg(long, value_name = "N")]
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
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
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
    #[arg(long, value_name = "N")]
    at: Option<usize>,
    /// Write the first source that changed to a file, or all sources into a directory
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Args)]
struct AuditArgs {
    /// Random changes of the input to try
    #[arg(long, value_name = "N", default_value_t = 200)]
    changes: u32,
    /// Check what the program observes: change the input until each group of cases has been checked so often
    #[arg(long, value_name = "N", default_value_t = 0)]
    observed: usize,
    /// The same seed makes the same changes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunArgs,
}

/// What is to be done.
pub enum Plan {
    Trace(TracePlan),
    Show(ShowPlan),
    Flip(FlipPlan),
    Audit(AuditPlan),
    Doctor,
}

/// A program and how to run it.
pub struct Subject {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub stdin: Option<PathBuf>,
    pub file: Option<PathBuf>,
    pub has_symbolic_args: bool,
    pub is_quiet: bool,
    pub strings: Strings,
    pub limits: Limits,
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
}

pub struct ShowPlan {
    pub printing: Printing,
    pub trace: PathBuf,
}

pub struct FlipPlan {
    pub subject: Subject,
    pub at: Option<usize>,
    pub output: Option<PathBuf>,
}

pub struct AuditPlan {
    pub subject: Subject,
    pub n_changes: u32,
    /// Checks of each group of observed cases.
    pub n_observed: usize,
    pub seed: u64,
    pub is_json: bool,
}

/// Reads the command line; ends the process on a wrong one or a call for help.
pub fn parse() -> Plan {
    match Cli::parse().command {
        Command::Trace(args) => Plan::Trace(TracePlan {
            subject: subject(args.run),
            printing: printing(args.print),
            output: args.output,
            n_runs: args.repeat,
        }),
        Command::Show(args) => Plan::Show(ShowPlan { printing: printing(args.print), trace: args.trace }),
        Command::Flip(args) => Plan::Flip(FlipPlan { subject: subject(args.run), at: args.at, output: args.output }),
        Command::Audit(args) => Plan::Audit(AuditPlan {
            subject: subject(args.run),
            n_changes: args.changes,
            n_observed: args.observed,
            seed: args.seed,
            is_json: args.json,
        }),
        Command::Doctor => Plan::Doctor,
    }
}

fn subject(args: RunArgs) -> Subject {
    let mut command = args.command.into_iter();
    Subject {
        program: command.next().unwrap_or_default().into(),
        args: command.collect(),
        stdin: args.stdin,
        file: args.file,
        has_symbolic_args: args.symbolic_args,
        is_quiet: args.quiet_target,
        strings: match args.strings {
            StringsArg::Expression => Strings::Expression,
            StringsArg::Branches => Strings::Branches,
        },
        limits: Limits {
            timeout_ms: (args.timeout * 1000.0).ceil() as u64,
            memory_mib: args.max_memory,
            input_bytes: args.max_input,
            nodes: args.max_expressions,
            events: args.max_events,
            snapshot_bytes: args.max_snapshots,
            ..Limits::default()
        },
    }
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

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1e9 => Ok(value),
        _ => Err("not a positive number of seconds".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_options_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn everything_after_the_program_is_the_programs() {
        let cli = Cli::parse_from(["gimlet", "trace", "--json", "--", "prog", "--json", "-o", "--", "@@"]);
        let Command::Trace(args) = cli.command else { panic!("not trace") };
        assert!(args.print.json && args.output.is_none());
        assert_eq!(args.run.command, ["prog", "--json", "-o", "--", "@@"]);
    }
}
