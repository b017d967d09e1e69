//! `gimlet stats`: how a search went, or how it goes while it runs.
//!
//! Everything comes from the folder: the store, which can be read while somebody writes it, and `gimlet.json`. As JSON it
//! has the fields of a summary ([`gimlet_report::summary`]), and `resume`; branches only if they are asked for, since there
//! are many.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::Result;
use gimlet_explore::corpus::{self, record};
use gimlet_report::summary::summary;
use gimlet_report::text::{self, Commands};
use gimlet_report::{unreached, Results};
use serde_json::json;

use crate::exit::{hinted, Verdict};
use crate::manifest::Manifest;
use crate::options::StatsPlan;
use crate::replay::Again;
use crate::subject::shell_word;

pub fn stats(plan: &StatsPlan) -> Result<Verdict> {
    let out = &plan.folder;
    check(out)?;
    let manifest = Manifest::read(out)?;
    let Some(mut results) = record::read(out)? else {
        return Err(hinted(
            format!("{} has tests, but no store that says how they came about", out.display()),
            "gimlet replay and gimlet cov work on the tests alone; --resume begins with them",
        ));
    };
    // Notes of earlier versions do not have it.
    let about = &mut results.about;
    about.program = manifest.program().to_string_lossy().into_owned();
    about.args = manifest.args().iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    about.strategy = manifest.strategy().name().to_owned();
    (about.seed, about.jobs) = (manifest.seed(), manifest.n_workers());
    let commands = commands(&results, &manifest, out);
    if plan.is_json {
        let mut value = summary(&results);
        value["resume"] = json!(commands.resume);
        if let Some(fields) = value.as_object_mut().filter(|_| !plan.has_branches) {
            fields.remove("branches");
        }
        say!("{}", serde_json::to_string_pretty(&value)?);
    } else if plan.has_branches {
        say!("{}", unreached::unreached(&results).trim_end());
    } else {
        say!("{}", text::stats(&results, &commands, out).trim_end());
    }
    Ok(Verdict::Good)
}

/// What a folder is not.
fn check(out: &Path) -> Result<()> {
    let hint = "name the folder that `gimlet run -o` made";
    if !out.exists() {
        return Err(hinted(format!("{}: no such folder", out.display()), hint));
    }
    if !out.is_dir() {
        return Err(hinted(format!("{} is no folder", out.display()), hint));
    }
    if !record::is_of_search(out) {
        return Err(hinted(format!("{} does not hold the results of a search", out.display()), hint));
    }
    if !out.join(corpus::MANIFEST).exists() && record::user_of(out).is_some() {
        return Err(hinted(format!("the search in {} has only begun", out.display()), "wait a moment"));
    }
    Ok(())
}

fn commands(results: &Results, manifest: &Manifest, out: &Path) -> Commands {
    let mut program = vec![shell_word(&manifest.program().to_string_lossy())];
    program.extend(manifest.args().iter().map(|arg: &_| shell_word(&OsStr::to_string_lossy(arg))));
    let again = Again::new(manifest, out);
    Commands {
        program: program.join(" "),
        again: results.findings.iter().map(|finding| again.command(&out.join(&finding.path))).collect(),
        resume: format!("gimlet run --resume -o {}", shell_word(&out.to_string_lossy())),
    }
}
