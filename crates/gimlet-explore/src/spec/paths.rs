//! Paths of a spec, relative to the folder of its file.
//!
//! A path becomes relative if it shares more than the root with that folder; `/usr/bin/bc` stays as it is. Folders are told
//! by their real paths, because `..` leads out of a linked folder to where the link does not.

use std::fs;
use std::path::{absolute, Component, Path, PathBuf};

use gimlet_exec::image::find_program;

use super::SearchSpec;

impl SearchSpec {
    /// The same spec for a file in this folder.
    pub fn relative_to(&self, folder: &Path) -> SearchSpec {
        let mut spec = self.clone();
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| whole(folder));
        if let Ok(program) = find_program(&spec.program.path) {
            // It may have been found by its name alone.
            spec.program.path = program;
        }
        spec.paths_mut().for_each(|path| *path = relative(&real(path), &folder));
        spec
    }

    /// The same spec wherever the process is, if its file is in this folder.
    pub fn resolved_in(&self, folder: &Path) -> SearchSpec {
        let mut spec = self.clone();
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| whole(folder));
        spec.paths_mut().for_each(|path| *path = plain(&folder.join(&*path)));
        spec
    }

    /// All that are said.
    fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let SearchSpec { program, input, grammar, seeds, findings, team, output, .. } = self;
        let of_files = input.files.iter_mut().chain(&mut input.opened).map(|file| &mut file.path);
        let of_input = input.stdin.iter_mut().chain(of_files).chain(input.sockets.iter_mut().map(|it| &mut it.path));
        let of_grammar = grammar.file.iter_mut().chain(&mut grammar.lexer).chain(&mut grammar.token_map);
        let of_seeds = seeds.paths.iter_mut().chain(&mut seeds.dictionaries).chain(&mut findings.suppressions);
        let of_output = output.folder.iter_mut().chain(&mut output.summary).chain(&mut output.log_queries);
        let all = std::iter::once(&mut program.path).chain(of_input).chain(of_grammar).chain(of_seeds);
        all.chain(of_output).chain(&mut team.sync).filter(|path| !path.as_os_str().is_empty())
    }
}

fn whole(path: &Path) -> PathBuf {
    absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The path with its folder's links followed, not its own: builds are found beside a program by its name.
fn real(path: &Path) -> PathBuf {
    let path = whole(path);
    match (path.parent().map(fs::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => plain(&path),
    }
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// How to come to a path from a folder.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let n_shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    // The root is always shared.
    if n_shared < 2 {
        return path.to_owned();
    }
    let up = folder.components().skip(n_shared).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(n_shared)).collect();
    if relative.as_os_str().is_empty() {
        return ".".into();
    }
    relative
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn paths_lead_from_a_folder_and_back() {
        for (path, folder, expected) in [
            ("/a/b/c", "/a/b", "c"),
            ("/a/b/c", "/a/d/e", "../../b/c"),
            ("/a/b", "/a/b", "."),
            ("/usr/bin/bc", "/home/x", "/usr/bin/bc"),
        ] {
            let (path, folder) = (Path::new(path), Path::new(folder));
            let from_there = relative(path, folder);
            assert_eq!(from_there, Path::new(expected));
            assert_eq!(plain(&folder.join(from_there)), path);
        }
    }
}
