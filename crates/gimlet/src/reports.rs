//! What `gimlet run` leaves in OUT/reports: of each finding a text, and a script that shows it again.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::Result;
use gimlet_explore::findings::Finding;
use gimlet_explore::{ExploreError, Explorer};
use gimlet_path::PathCondition;

use crate::explore::{place, shown};
use crate::interrupt;
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

/// Writes all of them, in place of those that an earlier search wrote.
pub fn write(out: &Path, explorer: &mut Explorer, again: &Again) -> Result<()> {
    if explorer.known.findings.all.is_empty() {
        return Ok(());
    }
    let folder = out.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| ExploreError::Write { path: folder.clone(), error })?;
    for finding in explorer.known.findings.all.clone() {
        let name = format!("{:06}-{}", finding.id, finding.kind);
        let input = std::path::absolute(out.join(&finding.path))?;
        let command = again.command(&input);
        let text = text(&finding, &command, &way(explorer, &finding));
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
fn way(explorer: &mut Explorer, finding: &Finding) -> String {
    let mut steps = || -> Option<Vec<u8>> {
        let trace = explorer.trace_of(&finding.input).ok()??;
        let path = PathCondition::from_trace_unless(&trace, &|| interrupt::INTERRUPTED.load(Ordering::Relaxed)).ok()?;
        let mut lines = Vec::new();
        write_steps(&mut lines, &trace, &path, N_STEPS).ok()?;
        Some(lines)
    };
    // A search that was interrupted runs nothing any more.
    steps().map_or_else(
        || "unknown: there was no time left to follow it\n".to_owned(),
        |lines| String::from_utf8_lossy(&lines).into_owned(),
    )
}

fn text(finding: &Finding, command: &str, way: &str) -> String {
    let mut text = format!("{} {}\n{}\n", finding.kind, place(finding.frame.as_ref()), finding.ended);
    let _ = writeln!(text, "{}", shown(finding.shown_by));
    text.push_str("\nstack, the innermost function first:\n");
    for frame in finding.stack.iter().filter(|frame| frame.is_program) {
        let _ = match &frame.file {
            Some(file) => writeln!(text, "  {} at {file}:{}", frame.function, frame.line),
            None => writeln!(text, "  {}", frame.function),
        };
    }
    text.push_str("\ninput:\n");
    for source in &finding.input.sources {
        let shown = &source.bytes[..source.bytes.len().min(N_BYTES)];
        let _ = writeln!(text, "  {}, {} bytes: {}", source.name, source.bytes.len(), escaped(shown));
    }
    let _ = write!(text, "\nsee it again:\n  {command}\n\nthe way there:\n{way}");
    text
}
