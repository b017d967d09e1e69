//! What the user can say to `gimlet tmin` and `gimlet cmin`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::{duration, time_limit, TimeLimit};
use super::{input_and_limits, program, Allowance, InputArgs, Subject};

#[derive(Args)]
pub struct TminArgs {
    /// The file for the smaller input, or the folder if there are several [default: INPUT.min, or OUT/minimised]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stop after this time, with the smallest input so far: 60s, 10m, 2h [default: when nothing more can go]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    #[command(flatten)]
    running: RunningArgs,
    /// A file, a folder with a file for each source, or the folder that `gimlet run -o` made
    #[arg(value_name = "INPUT|OUT")]
    what: PathBuf,
    /// The program and its arguments, as for `run`; what is in the folder of a run needs none
    #[arg(last = true, value_name = "PROG [ARGS]")]
    command: Vec<OsString>,
}

#[derive(Args)]
#[command(
    override_usage = "gimlet cmin [OPTIONS] --output <DIR> <OUT>\n       gimlet cmin [OPTIONS] --output <DIR> --inputs <DIR>... -- <PROG [ARGS]>..."
)]
pub struct CminArgs {
    /// A folder of inputs; can be given several times
    ///
    /// A folder inside the folder is one input with several sources: a file for each, by its name. Names that begin with a
    /// dot are passed over.
    #[arg(short, long = "inputs", value_name = "DIR", required_unless_present = "folder", conflicts_with = "folder")]
    input_folders: Vec<PathBuf>,
    /// The folder for the inputs that are kept, which is made, or empty
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Copy inputs that end by a crash or a limit there [default: they are named and left out]
    #[arg(long, value_name = "DIR")]
    crashes: Option<PathBuf>,
    #[command(flatten)]
    running: RunningArgs,
    /// The folder that `gimlet run -o` made: its queue
    #[arg(value_name = "OUT")]
    folder: Option<PathBuf>,
    /// The program and its arguments, as for `run`; OUT has its own
    #[arg(last = true, value_name = "PROG [ARGS]", required_unless_present = "folder", conflicts_with = "folder")]
    command: Vec<OsString>,
}

/// How the program is run.
#[derive(Args)]
pub struct RunningArgs {
    /// Time that a run may take: 500ms, 2s, 1m; a number alone counts seconds [default: 1s, or what the search had]
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    timeout: Option<TimeLimit>,
    /// Let the program write files, use the network and send signals
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    input: InputArgs,
}

/// How inputs are run.
pub struct Running {
    /// The program of the command line; else it is that of a folder of results.
    pub subject: Option<Subject>,
    pub timeout_ms: Option<u64>,
    pub memory_mib: Option<u64>,
    pub is_confined: bool,
}

pub struct TminPlan {
    pub what: PathBuf,
    pub output: Option<PathBuf>,
    pub budget: Option<Duration>,
    pub running: Running,
}

pub struct CminPlan {
    /// Of the command line.
    pub inputs: Vec<PathBuf>,
    /// Of a search.
    pub results: Option<PathBuf>,
    pub output: PathBuf,
    pub crashes: Option<PathBuf>,
    pub running: Running,
}

pub fn tmin_plan(args: TminArgs) -> TminPlan {
    let TminArgs { output, budget, running, what, command } = args;
    TminPlan { what, output, budget, running: running_of(running, command) }
}

pub fn cmin_plan(args: CminArgs) -> CminPlan {
    let CminArgs { input_folders, output, crashes, running, folder, command } = args;
    CminPlan { inputs: input_folders, results: folder, output, crashes, running: running_of(running, command) }
}

pub fn running_of(args: RunningArgs, command: Vec<OsString>) -> Running {
    let RunningArgs { timeout, no_sandbox, input } = args;
    timeout.iter().for_each(|limit| limit.explain());
    let timeout_ms = timeout.map(TimeLimit::ms);
    let memory_mib = input.max_memory;
    let has_program = !command.is_empty();
    let (input, limits) = input_and_limits(input, timeout);
    let subject = Subject::new(&program(command), &input, &limits, Allowance::OF_MANY);
    Running { subject: has_program.then_some(subject), timeout_ms, memory_mib, is_confined: !no_sandbox }
}
