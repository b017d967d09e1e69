//! The command line.
//!
//! | module | holds |
//! |---|---|
//! | [`options`] | what the user can say, resolved into plain structs |
//! | [`exit`] | exit codes and error messages, decided in one place |
//! | [`interrupt`] | Ctrl-C, and the terminal as it was |
//! | [`subject`] | the program under test and its input |
//! | [`problem`] | what is wrong with a run, and what to do about it |
//! | [`tallies`] | what was pinned, lost, stale and not modelled, by site |
//! | [`unmodelled`] | library functions called without a model, by cost |
//! | [`text`], [`json`] | a trace for people and for programs |
//! | [`explore`], [`trace_command`], [`flip`], [`replay`], [`cov`], [`stats`], [`tmin`], [`cmin`], [`audit`], [`grammar`], [`solve`], [`doctor`] | the commands |
//! | [`outputs`] | files and folders that the user names for results |
//! | [`setting`] | where inputs are run that are to become smaller or fewer |
//! | [`screen`] | how a search goes, live |
//! | [`ending`] | what `run` says in the end |
//! | [`observed`] | the part of the audit that compares observations |
//! | [`changes`] | random changes of an input |

/// Prints a line. Whoever closes the pipe has read enough; that is no reason to stop half way.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($text)*)));
    }};
}

/// The same for messages: a terminal may go away while a search has results to write.
macro_rules! tell {
    ($($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($text)*)));
    }};
}

mod audit;
mod changes;
mod cmin;
mod cov;
mod doctor;
mod ending;
mod exit;
mod explore;
mod flip;
mod grammar;
mod interrupt;
mod json;
mod observed;
mod options;
mod outputs;
mod problem;
mod replay;
mod reports;
mod screen;
mod setting;
mod solve;
mod stats;
mod subject;
mod tallies;
mod text;
mod tmin;
mod trace_command;
mod unmodelled;

use std::process::ExitCode;

use gimlet_explore::manifest;
use options::Plan;

fn main() -> ExitCode {
    let plan = options::parse();
    interrupt::install();
    let result = match plan {
        Plan::Run(plan) => explore::run(&plan),
        Plan::Trace(plan) => trace_command::trace(&plan),
        Plan::Show(plan) => trace_command::show(&plan),
        Plan::Flip(plan) => flip::flip(&plan),
        Plan::Replay(subject) => replay::replay(&subject),
        Plan::Cov(plan) => cov::cov(&plan),
        Plan::Tmin(plan) => tmin::tmin(&plan),
        Plan::Cmin(plan) => cmin::cmin(&plan),
        Plan::Stats(plan) => stats::stats(&plan),
        Plan::Audit(plan) => audit::audit(&plan),
        Plan::Grammar(plan) => grammar::grammar(&plan),
        Plan::Solve(plan) => solve::solve(&plan),
        Plan::Doctor => doctor::doctor(),
    };
    exit::finish(result)
}
