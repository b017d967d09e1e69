//! `gimlet replay`: the plain build of a program on the same input, without any tracing.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use gimlet_exec::error::describe;
use gimlet_exec::{run_plain, Captured, ExecError, Output};

use crate::exit::{hinted, Verdict};
use crate::options::Subject;
use crate::subject;

/// What gimlet-cc adds to the name of a program for that of its plain build.
const PLAIN_SUFFIX: &str = ".plain";

pub fn replay(plan: &Subject) -> Result<Verdict> {
    let program = plain_program(plan);
    let input = subject::input(plan)?;
    let options = subject::target_options(plan, Output::Capture);
    let run = run_plain(&program, &plan.args, &input, &options).map_err(|error| match error {
        ExecError::Missing(path) => hinted(
            format!("{}: no such program", path.display()),
            "gimlet-cc makes PROG.plain when it links PROG, unless it warns",
        ),
        error => error.into(),
    })?;
    if !plan.is_quiet {
        show(&mut io::stdout(), &run.stdout)?;
        show(&mut io::stderr(), &run.stderr)?;
    }
    eprintln!("gimlet: the program {}", describe(run.outcome));
    Ok(Verdict::Good)
}

/// The plain build stands beside the program; who names it may mean it.
fn plain_program(plan: &Subject) -> PathBuf {
    let mut name: OsString = plan.program.clone().into();
    if !name.to_string_lossy().ends_with(PLAIN_SUFFIX) {
        name.push(PLAIN_SUFFIX);
    }
    name.into()
}

fn show(out: &mut impl Write, captured: &Captured) -> io::Result<()> {
    out.write_all(&captured.bytes)?;
    if captured.total_len > captured.bytes.len() as u64 {
        eprintln!("gimlet: {} more bytes of output are not shown", captured.total_len - captured.bytes.len() as u64);
    }
    out.flush()
}
