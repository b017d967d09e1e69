//! What `gimlet run` leaves in OUT/reports: of each finding a text, and a script that shows it again.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Result;
use gimlet_explore::ExploreError;
use gimlet_path::PathCondition;
use gimlet_report::text::{place, shown};
use gimlet_report::{Finding, Results};
use gimlet_trace::Trace;

use crate::outputs;
use crate::replay::Again;
use crate::subject::shell_word;
use crate::text::{escaped, write_steps};

/// Below OUT.
const FOLDER: &str = "reports";
/// Steps of the path that are shown.
const N_STEPS: usize = 200;
/// Bytes of each source that are shown.
const N_BYTES: usize = 256;

/// Runs the input of a finding once more, by its number, if it can.
pub type Run<'a> = &'a mut dyn FnMut(usize) -> Option<(Trace, PathCondition)>;

/// Writes all of them, in place of those that an earlier search wrote.
pub fn write(out: &Path, results: &Results, run: Run, again: &Again) -> Result<()> {
    if results.findings.is_empty() {
        return Ok(());
    }
    let folder = out.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| ExploreError::Write { path: folder.clone(), error })?;
    for finding in &results.findings {
        let name = format!("{:06}-{}", finding.id, finding.kind);
        let input = std::path::absolute(out.join(&finding.path))?;
        let command = again.command(&input);
        let text = text(finding, &command, &way(run(finding.id)));
        let path = folder.join(format!("{name}.txt"));
        outputs::write(&path, &text)?;
        let directory = std::env::current_dir()?;
        let script = format!("#!/bin/sh\ncd {} && exec {command}\n", shell_word(&directory.to_string_lossy()));
        let path = folder.join(format!("{name}.sh"));
        outputs::write(&path, &script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// What the run decided by its input, in order.
fn way(followed: Option<(Trace, PathCondition)>) -> String {
    let mut lines = Vec::new();
    let written = followed.map(|(trace, path)| write_steps(&mut lines, &trace, &path, N_STEPS));
    match written {
        Some(Ok(())) => String::from_utf8_lossy(&lines).into_owned(),
        // A search that was interrupted runs nothing any more.
        _ => "unknown: there was no time left to follow it\n".to_owned(),
    }
}

fn text(finding: &Finding, command: &str, way: &str) -> String {
    let mut text = format!("{} {}\n", finding.kind, place(finding.frame.as_ref()));
    let _ = writeln!(text, "{}\n{}", finding.kind.meaning(), finding.ended);
    let _ = writeln!(text, "{}", shown(finding.shown_by));
    text.push_str("\nstack, the innermost function first:\n");
    for frame in finding.stack.iter().filter(|frame| frame.is_program) {
        let _ = match &frame.file {
            Some(file) => writeln!(text, "  {} at {file}:{}", frame.function, frame.line),
            None => writeln!(text, "  {}", frame.function),
        };
    }
    text.push_str("\ninput:\n");
    for source in &finding.sources {
        let shown = &source.bytes[..source.bytes.len().min(N_BYTES)];
        let _ = writeln!(text, "  {}, {} bytes: {}", source.name, source.n_bytes, escaped(shown));
    }
    let _ = write!(text, "\nsee it again:\n  {command}\n\nthe way there:\n{way}");
    text
}
