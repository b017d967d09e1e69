//! `gimlet cov`: which branches the tests of a folder take.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};

use anyhow::{Context, Result};
use gimlet_exec::confine::Confinement;
use gimlet_exec::coverage::Coverage;
use gimlet_exec::edges::EdgesTarget;
use gimlet_exec::{ExecError, Output, TargetOptions};
use gimlet_explore::corpus;
use gimlet_explore::program::branches::branches;
use gimlet_report::coverage::coverage_text;
use gimlet_report::lcov::lcov;
use gimlet_trace::builds::EDGES_SUFFIX;

use crate::exit::{hinted, Verdict};
use crate::interrupt::INTERRUPTED;
use crate::manifest::{self, Manifest};
use crate::options::CovPlan;
use crate::outputs;
use crate::replay;

pub fn cov(plan: &CovPlan) -> Result<Verdict> {
    let manifest = Manifest::read(&plan.folder)?;
    let program = manifest::twin(manifest.program(), EDGES_SUFFIX).ok_or_else(|| {
        let message = format!("there is no {}{EDGES_SUFFIX}", manifest.program().display());
        hinted(message, "gimlet-cc makes it when it links the program, unless it warns")
    })?;
    let options = TargetOptions {
        limits: manifest.limits(),
        file_names: manifest.files.clone(),
        world: manifest.world(),
        output: Output::Null,
        interrupt: Some(&INTERRUPTED),
        confinement: if plan.is_confined { Confinement::probe() } else { Confinement::Off },
        ..TargetOptions::default()
    };
    let mut target = EdgesTarget::new(&program, manifest.args(), options)?;
    let mut coverage = Coverage::new(target.image());
    let (mut n_tests, layout) = (0, manifest.layout());
    for path in replay::tests(&plan.folder)? {
        let input =
            corpus::read(&path, &layout, &manifest.primary).with_context(|| format!("reading {}", path.display()))?;
        match target.run(&input) {
            Err(ExecError::Interrupted) => break,
            run => coverage.merge(&run?.counters),
        };
        n_tests += 1;
    }
    if let Some(path) = &plan.lcov {
        outputs::write(path, lcov(&branches(&coverage)))?;
    }
    let mut out = io::stdout();
    out.write_all(coverage_text(&branches(&coverage), &sources(&coverage)).as_bytes())?;
    say!("{n_tests} tests take {} of {} branches", coverage.branches_covered(), coverage.branches_total());
    Ok(Verdict::Good)
}

/// The lines of the files that can be read.
fn sources(coverage: &Coverage) -> HashMap<String, Vec<String>> {
    let mut sources = HashMap::new();
    for branch in coverage.branches() {
        if sources.contains_key(&branch.file) {
            continue;
        }
        if let Ok(bytes) = fs::read(&branch.file) {
            let lines = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
            sources.insert(branch.file.clone(), lines);
        }
    }
    sources
}
