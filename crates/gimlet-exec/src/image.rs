//! What an ELF file says about its instrumentation.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use gimlet_trace::builds::{ASAN_SUFFIX, COV_SUFFIX, EDGES_SUFFIX, MEMORY_SUFFIX, PLAIN_SUFFIX};
use gimlet_trace::edges::{EdgeTable, COUNTERS_SECTION, EDGES_SECTION};
use gimlet_trace::site::{SiteTable, SITES_SECTION};
use gimlet_trace::{TraceError, FORMAT_VERSION, VERSION_MAGIC, VERSION_SECTION};
use object::{Object, ObjectSection};

use crate::error::ExecError;

/// Finds a program as a shell would: a name without a slash that is no file here is looked up in `PATH`.
pub fn find_program(name: &Path) -> Result<PathBuf, ExecError> {
    let missing = || ExecError::Missing(name.to_path_buf());
    let found = if name.components().count() == 1 && !name.exists() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| is_executable(path)).ok_or_else(missing)?
    } else {
        name.to_path_buf()
    };
    let metadata = fs::metadata(&found).map_err(|_| missing())?;
    if !metadata.is_file() || !is_executable(&found) {
        return Err(ExecError::NotExecutable(name.to_path_buf()));
    }
    fs::canonicalize(&found).map_err(|_| missing())
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Checks that the program has a runtime of our version, and reads its site tables.
pub fn read_program(path: &Path) -> Result<Vec<SiteTable>, ExecError> {
    let bytes = fs::read(path).map_err(ExecError::io("reading the program"))?;
    let not_elf = || ExecError::NotElf(path.to_path_buf());
    if !bytes.starts_with(b"\x7fELF") {
        return Err(not_elf());
    }
    let file = object::File::parse(&*bytes).map_err(|_| not_elf())?;
    let not_instrumented = || twin(path).unwrap_or_else(|| ExecError::NotInstrumented(path.to_path_buf()));
    let section = file.section_by_name(VERSION_SECTION).ok_or_else(not_instrumented)?;
    let content = section.data().map_err(|_| not_elf())?;
    let version =
        content.strip_prefix(&VERSION_MAGIC).and_then(|rest| rest.first_chunk()).ok_or_else(not_instrumented)?;
    let found = u32::from_le_bytes(*version);
    if found != FORMAT_VERSION {
        return Err(ExecError::Version { program: path.to_path_buf(), found });
    }
    sites_of(&file, path)
}

/// Suffixes of the builds beside an instrumented program, and what they are called.
const TWINS: [(&str, &str); 5] = [
    (PLAIN_SUFFIX, "plain"),
    (EDGES_SUFFIX, "counting"),
    (MEMORY_SUFFIX, "memory-checking"),
    (ASAN_SUFFIX, "sanitizer"),
    (COV_SUFFIX, "coverage"),
];

/// The error of taking another build for the instrumented program, if that is beside it.
fn twin(path: &Path) -> Option<ExecError> {
    let name = path.to_str()?;
    let (instrumented, build) = TWINS.iter().find_map(|(suffix, build)| Some((name.strip_suffix(suffix)?, build)))?;
    let instrumented = PathBuf::from(instrumented);
    read_program(&instrumented).ok()?;
    Some(ExecError::Twin { program: path.to_path_buf(), build, instrumented })
}

/// The site tables of a shared object; none if it was not instrumented.
pub fn read_shared_object(path: &Path) -> Result<Vec<SiteTable>, ExecError> {
    let bytes = fs::read(path).map_err(ExecError::io("reading a shared object"))?;
    let file = object::File::parse(&*bytes).map_err(|_| ExecError::NotElf(path.to_path_buf()))?;
    sites_of(&file, path)
}

/// What the counters of a program or shared object of PROG.edges count; no table if it has none.
pub fn read_edges(path: &Path) -> Result<Vec<EdgeTable>, ExecError> {
    let bytes = fs::read(path).map_err(ExecError::io("reading an image"))?;
    let not_elf = || ExecError::NotElf(path.to_path_buf());
    let file = object::File::parse(&*bytes).map_err(|_| not_elf())?;
    let (edges, counters) = (file.section_by_name(EDGES_SECTION), file.section_by_name(COUNTERS_SECTION));
    let (Some(edges), Some(counters)) = (edges, counters) else { return Ok(Vec::new()) };
    let content = edges.data().map_err(|_| not_elf())?;
    // Addresses become offsets into the section of the counters.
    let address = edges.address().wrapping_sub(counters.address());
    let bad = |error| ExecError::BadSites { image: path.to_path_buf(), error };
    let tables = EdgeTable::decode_all(content, address).map_err(bad)?;
    let fits = |table: &EdgeTable| table.end().is_some_and(|end| end <= counters.size());
    if !tables.iter().all(fits) {
        return Err(bad(TraceError::Corrupt("place of the counters")));
    }
    Ok(tables)
}

/// The constants of a program that is not stripped of its sections; empty if it is.
pub fn constants(path: &Path) -> Result<Vec<u8>, ExecError> {
    let path = find_program(path)?;
    let bytes = fs::read(&path).map_err(ExecError::io("reading an image"))?;
    let file = object::File::parse(&*bytes).map_err(|_| ExecError::NotElf(path))?;
    let section = file.section_by_name(".rodata");
    Ok(section.and_then(|section| section.data().ok()).unwrap_or(&[]).to_vec())
}

fn sites_of(file: &object::File, path: &Path) -> Result<Vec<SiteTable>, ExecError> {
    let Some(section) = file.section_by_name(SITES_SECTION) else {
        return Ok(Vec::new());
    };
    let content = section.data().map_err(|_| ExecError::NotElf(path.to_path_buf()))?;
    SiteTable::decode_all(content).map_err(|error| ExecError::BadSites { image: path.to_path_buf(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_cannot_be_traced() {
        assert!(matches!(find_program(Path::new("/no/such")), Err(ExecError::Missing(_))));
        assert!(matches!(find_program(Path::new("no-such-program-anywhere")), Err(ExecError::Missing(_))));
        assert!(matches!(find_program(Path::new("/")), Err(ExecError::NotExecutable(_))));
        assert!(matches!(find_program(Path::new("/etc/passwd")), Err(ExecError::NotExecutable(_))));
        assert!(matches!(read_program(Path::new("/etc/passwd")), Err(ExecError::NotElf(_))));
        let shell = find_program(Path::new("sh")).unwrap();
        assert!(matches!(read_program(&shell), Err(ExecError::NotInstrumented(_))));
    }
}
