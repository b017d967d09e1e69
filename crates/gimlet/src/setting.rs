//! Where inputs are run that are to become smaller or fewer: a program of the command line, or that of a search.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gimlet_exec::confine::Confinement;
use gimlet_exec::edges::EdgesTarget;
use gimlet_exec::{Output, TargetOptions};
use gimlet_explore::corpus;
use gimlet_explore::findings::witness::Builds;
use gimlet_trace::builds::{EDGES_SUFFIX, MEMORY_SUFFIX};
use gimlet_trace::Input;

use crate::exit::{hinted, note};
use crate::interrupt::INTERRUPTED;
use crate::manifest::{self, Manifest};
use crate::options::{Running, Subject};
use crate::subject;

pub struct Setting {
    program: PathBuf,
    args: Vec<OsString>,
    options: TargetOptions,
    /// The sources that the program is given.
    pub layout: Input,
    /// The source that an input with a single file is for.
    pub primary: String,
}

impl Setting {
    /// The program of the command line.
    pub fn of_command(subject: &Subject, running: &Running) -> Result<Setting> {
        let options = confined(subject::target_options(subject, Output::Null), running);
        let (layout, primary) = (subject.layout(Some(&INTERRUPTED))?, subject.primary().to_owned());
        Ok(Setting { program: subject.program.clone(), args: subject.args.clone(), options, layout, primary })
    }

    /// The program of a search.
    pub fn of_results(folder: &Path, running: &Running) -> Result<Setting> {
        let manifest = Manifest::read(folder)?;
        let mut limits = manifest.limits();
        limits.timeout_ms = running.timeout_ms.unwrap_or(limits.timeout_ms);
        limits.memory_mib = running.memory_mib.unwrap_or(limits.memory_mib);
        let options = TargetOptions {
            limits,
            file_names: manifest.files.clone(),
            world: manifest.world(),
            output: Output::Null,
            interrupt: Some(&INTERRUPTED),
            ..TargetOptions::default()
        };
        Ok(Setting {
            program: manifest.program().to_owned(),
            args: manifest.args().to_vec(),
            options: confined(options, running),
            layout: manifest.layout(),
            primary: manifest.primary,
        })
    }

    /// What runs may take.
    pub fn timeout_ms(&self) -> u64 {
        self.options.limits.timeout_ms
    }

    /// An input, unless it has too many bytes.
    pub fn read(&self, path: &Path) -> std::io::Result<Input> {
        corpus::read_within(path, &self.layout, &self.primary, self.options.limits.input_bytes)
    }

    /// The builds that tell what an input does.
    pub fn builds(&self) -> Result<Builds> {
        // Whatever is wrong with the program is said of the program itself.
        gimlet_exec::image::find_program(&self.program)?;
        let plain = manifest::replayed(&self.program).unwrap_or_else(|| self.program.clone());
        let memory = manifest::twin(&self.program, MEMORY_SUFFIX);
        let edges = memory.or_else(|| manifest::twin(&self.program, EDGES_SUFFIX));
        Ok(Builds { plain, edges, args: self.args.clone(), options: self.options.clone() })
    }

    /// The build that counts.
    pub fn edges(&self) -> Result<EdgesTarget> {
        self.edges_with(Output::Null)
    }

    /// The same, and where what it prints goes.
    pub fn edges_with(&self, output: Output) -> Result<EdgesTarget> {
        let Some(edges) = self.builds()?.edges else {
            let message = format!("there is no {}{EDGES_SUFFIX}", self.program.display());
            return Err(hinted(message, "gimlet-cc makes it when it links the program, unless it warns"));
        };
        Ok(EdgesTarget::new(&edges, &self.args, TargetOptions { output, ..self.options.clone() })?)
    }
}

fn confined(options: TargetOptions, running: &Running) -> TargetOptions {
    if !running.is_confined {
        note("the program is not confined: it may do whatever its input makes it do");
        return options;
    }
    let confinement = Confinement::probe();
    confinement.report().missing.iter().for_each(|missing| note(missing));
    TargetOptions { confinement, ..options }
}
