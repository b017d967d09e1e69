//! Files and folders that the user names for results.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::Result;
pub use gimlet_explore::corpus::folder::check_folder;
use gimlet_explore::ExploreError;

use crate::exit::hinted;

/// Makes a folder, or takes one that is empty.
pub fn empty_folder(folder: &Path) -> Result<()> {
    check_folder(folder)?;
    let path = folder.to_owned();
    fs::create_dir_all(folder).map_err(|error| ExploreError::Write { path: path.clone(), error })?;
    let mut entries = fs::read_dir(folder).map_err(|error| ExploreError::Read { path, error })?;
    match entries.next() {
        Some(_) => {
            let message = format!("{} is not empty", folder.display());
            Err(hinted(message, "name another folder, or remove what is in it"))
        }
        None => Ok(()),
    }
}

/// Writes a file, or leaves what is there as it was: nobody sees half of it, whatever there is room for.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    replace(path, bytes.as_ref()).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
            hinted(format!("cannot write {}: {error}", path.display()), "name a file in a folder that is there")
        }
        _ => ExploreError::Write { path: path.to_owned(), error }.into(),
    })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What a link points to is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path);
    if old.as_ref().is_ok_and(|old| !old.is_file()) {
        // A pipe or a device.
        return fs::write(&path, bytes);
    }
    let unfinished = unfinished(&path);
    let written = fs::write(&unfinished, bytes).and_then(|()| match old {
        Ok(old) => fs::set_permissions(&unfinished, old.permissions()),
        Err(_) => Ok(()),
    });
    let written = written.and_then(|()| fs::rename(&unfinished, &path));
    written.or_else(|error| {
        drop(fs::remove_file(&unfinished));
        match error.kind() {
            // A file that may be written can be in a folder that may not.
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem if path.is_file() => fs::write(&path, bytes),
            _ => Err(error),
        }
    })
}

/// Where a file is written before it takes the place of another.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.unfinished", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_as_a_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("summary.json");
        write(&path, "one").unwrap();
        std::os::unix::fs::symlink(&path, scratch.path().join("link")).unwrap();
        write(&scratch.path().join("link"), "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 2);
        write(Path::new("/dev/null"), "three").unwrap();
        let error = write(Path::new("/dev/full"), "four").unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(ExploreError::Write { .. })));
        assert!(write(&path.join("below"), "five").unwrap_err().downcast_ref::<ExploreError>().is_none());
    }

    #[test]
    fn a_file_is_no_folder() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        fs::write(&path, "").unwrap();
        for it in [path.clone(), path.join("below")] {
            let error = check_folder(&it).unwrap_err().to_string();
            assert_eq!(error, format!("{} is a file, not a folder", path.display()));
        }
        check_folder(scratch.path()).unwrap();
        check_folder(&scratch.path().join("new/folder")).unwrap();
        check_folder(Path::new("new")).unwrap();
    }
}
