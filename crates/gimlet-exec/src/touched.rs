//! Which files of its input a run opened, whoever did: the program, a library that is not instrumented, or a child.
//!
//! The kernel tells of files that have a path (inotify). Standard input is open from the beginning; there the place says
//! whether somebody read, because all processes of a run share it.

use std::ffi::CString;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What a run did with the files of its input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// Something was read there.
    pub stdin: bool,
    /// Names of sources whose files were opened.
    pub opened: Vec<String>,
}

/// An eye on files.
pub struct Watch {
    events: Option<File>,
    /// Numbers of the kernel, with the names of sources. A file without one is not watched.
    watched: Vec<(Option<i32>, String)>,
}

impl Watch {
    /// Looks at these files from now on. Those that the kernel can't watch count as opened.
    pub fn new<'a>(files: impl Iterator<Item = (&'a str, &'a Path)>) -> Watch {
        // SAFETY: a new descriptor, which nobody else has.
        let events = match unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) } {
            -1 => None,
            // SAFETY: as above.
            descriptor => Some(unsafe { File::from_raw_fd(descriptor) }),
        };
        let mut watched = Vec::new();
        for (name, path) in files {
            let path = CString::new(path.as_os_str().as_bytes()).ok();
            let number = events.as_ref().zip(path).map(|(events, path)| {
                // SAFETY: a string that lives as long as the call.
                unsafe { libc::inotify_add_watch(events.as_raw_fd(), path.as_ptr(), libc::IN_OPEN) }
            });
            watched.push((number.filter(|&number| number >= 0), name.to_owned()));
        }
        Watch { events, watched }
    }

    /// Names of those that were opened.
    pub fn opened(mut self) -> Vec<String> {
        /// Without the name, which files that are watched themselves do not have.
        const EVENT_LEN: usize = 16;
        let mut bytes = vec![0; EVENT_LEN << 10];
        let n = self.events.as_mut().and_then(|events| events.read(&mut bytes).ok()).unwrap_or(0);
        let numbers: Vec<i32> = bytes[..n]
            .chunks_exact(EVENT_LEN)
            .map(|event| i32::from_ne_bytes([event[0], event[1], event[2], event[3]]))
            .collect();
        let names =
            self.watched.into_iter().filter(|(number, _)| number.is_none_or(|number| numbers.contains(&number)));
        names.map(|(_, name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_opened_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| dir.path().join(name));
        [&a, &b].iter().for_each(|path| std::fs::write(path, "x").unwrap());
        let watch = Watch::new([("one", a.as_path()), ("two", b.as_path())].into_iter());
        assert!(std::process::Command::new("cat").arg(&b).output().unwrap().status.success());
        assert_eq!(watch.opened(), ["two"]);
    }

    #[test]
    fn what_cannot_be_watched_counts_as_opened() {
        let missing = tempfile::tempdir().unwrap().path().join("none");
        assert_eq!(Watch::new([("one", missing.as_path())].into_iter()).opened(), ["one"]);
    }
}
