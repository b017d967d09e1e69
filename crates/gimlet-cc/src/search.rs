//! Which file the linker takes for `-lNAME`, as far as the user's own
//! directories go: an archive there may hold twins, one of the system doesn't.

use std::ffi::OsStr;
use std::path::PathBuf;

/// The linker's search through the directories of `-L`.
#[derive(Debug)]
pub struct LibrarySearch {
    dirs: Vec<PathBuf>,
    /// Whether only archives count from here on.
    is_static: bool,
}

impl LibrarySearch {
    pub fn new(dirs: Vec<PathBuf>, is_static: bool) -> LibrarySearch {
        LibrarySearch { dirs, is_static }
    }

    /// A word for the linker may change what follows.
    pub fn note(&mut self, word: &str) {
        match word {
            "-Bstatic" | "-dn" | "-non_shared" | "-static" => self.is_static = true,
            "-Bdynamic" | "-dy" | "-call_shared" => self.is_static = false,
            _ => {
                let dir = word.strip_prefix("-L").or_else(|| word.strip_prefix("--library-path="));
                self.dirs.extend(dir.filter(|dir| !dir.is_empty()).map(PathBuf::from));
            }
        }
    }

    /// The file, if it is in one of the directories.
    pub fn find(&self, name: &OsStr) -> Option<PathBuf> {
        let name = name.to_string_lossy();
        let candidates = match name.strip_prefix(':') {
            Some(file) => vec![file.to_owned()],
            None if self.is_static => vec![format!("lib{name}.a")],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        };
        let mut paths = self.dirs.iter().flat_map(|dir| candidates.iter().map(move |file| dir.join(file)));
        paths.find(|path| path.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_objects_come_first_unless_static() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        for name in ["libx.a", "libx.so", "liby.a", "odd.o"] {
            std::fs::write(file(name), "").unwrap();
        }
        let mut search = LibrarySearch::new(vec![PathBuf::from("/nonexistent"), dir.path().into()], false);
        assert_eq!(search.find(OsStr::new("x")), Some(file("libx.so")));
        assert_eq!(search.find(OsStr::new("y")), Some(file("liby.a")));
        assert_eq!(search.find(OsStr::new(":odd.o")), Some(file("odd.o")));
        assert_eq!(search.find(OsStr::new("z")), None);
        search.note("-Bstatic");
        assert_eq!(search.find(OsStr::new("x")), Some(file("libx.a")));
    }
}
