//! What the user can say to `gimlet grammar drift`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::grammar::CommonArgs;
use super::minimise::{running_of, Running, RunningArgs};
use super::values::{count, duration, seed};

/// Inputs that are tried unless the user says how many, or how long.
const N_INPUTS: u64 = 10_000;

#[derive(Args)]
pub struct DriftArgs {
    /// A grammar: of yacc or bison (.y), EBNF (.ebnf), of ANTLR 4 (.g4), or tree-sitter's grammar.json
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,
    /// The scanner that makes its tokens, of lex or flex
    #[arg(value_name = "FILE.l", conflicts_with = "lexer")]
    scanner: Option<PathBuf>,
    /// The same
    #[arg(long, value_name = "FILE.l")]
    lexer: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
    /// A file, or a folder of files, to try as well; also what `gimlet run -o` made; can be given several times
    #[arg(short, long = "seeds", value_name = "SEEDS")]
    input_seeds: Vec<PathBuf>,
    /// Functions by which the program rejects its input [default: yyerror, if it has that and nothing else is said]
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    reject_fn: Vec<String>,
    /// The exit status of a program that rejects its input [default: any but 0, if there is nothing else to tell it by]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    reject_status: Option<i32>,
    /// What a program says on standard error that rejects its input
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    reject_text: Option<String>,
    /// Inputs to try [default: 10000, those of -i not counted]
    #[arg(short, long, value_name = "N", conflicts_with = "budget", value_parser = count::<u64>("inputs", 1))]
    number: Option<u64>,
    /// Try inputs for this time: 30s, 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// For other inputs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    seed: u64,
    /// Write an example of each difference to a file of this folder, which is made, or empty
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    running: RunningArgs,
    /// The program and its arguments, as for `run`
    #[arg(last = true, required = true, value_name = "PROG [ARGS]")]
    command: Vec<OsString>,
}

pub struct DriftPlan {
    pub seeds: Vec<PathBuf>,
    pub rejection: Rejection,
    /// `None` if time is the limit.
    pub n_inputs: Option<u64>,
    pub budget: Option<Duration>,
    pub seed: u64,
    pub output: Option<PathBuf>,
    pub running: Running,
}

/// How the program says that it does not want an input.
#[derive(Clone, Default, Debug)]
pub struct Rejection {
    pub functions: Vec<String>,
    pub status: Option<i32>,
    pub text: Option<String>,
}

pub fn drift_plan(args: DriftArgs) -> (PathBuf, Option<PathBuf>, CommonArgs, DriftPlan) {
    let plan = DriftPlan {
        seeds: args.input_seeds,
        rejection: Rejection { functions: args.reject_fn, status: args.reject_status, text: args.reject_text },
        n_inputs: args.budget.is_none().then(|| args.number.unwrap_or(N_INPUTS)),
        budget: args.budget,
        seed: args.seed,
        output: args.output,
        running: running_of(args.running, args.command),
    };
    (args.grammar, args.scanner.or(args.lexer), args.common, plan)
}
