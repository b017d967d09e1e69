//! The folder that a confined target works in.
//!
//! ```text
//! gimlet-XXXXXX/
//!   work/                  the target's current directory; writable
//!       notes.txt -> /home/me/project/notes.txt
//!   cwd/                   the whole file system, where the target has mounts of its own,
//!   cwd/home/me/project/   but for this, which is `work`
//!   tmp/                   what TMPDIR names; writable
//!   shm/                   /dev/shm, where the target has mounts of its own; writable
//!   files/                 the files of its input; writable
//!   random                 /dev/random and /dev/urandom of a fixed world, where the target has mounts of its own
//! ```
//!
//! Reading through the links gives the user's files, and `..` what is beside the current directory. Writing through
//! them is refused, because they lead out of the folder. Without mounts, every directory above the current one is one
//! in `cwd` with links to all that it has; one with more than [`LINKS_MAX`] entries, or that can't be listed, is empty.
//!
//! What a run makes is taken away before the next one. To know whether there is anything, an untouched folder has a
//! time of change that no run can leave.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{symlink, DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::error::ExecError;

/// Links in the mirror of a directory above the current one.
const LINKS_MAX: usize = 512;
/// Files and directories that a run may make.
const ENTRIES_MAX: usize = 1 << 16;
const RANDOM: &str = "random";
const MODE: u32 = 0o700;
/// Random bytes that a program can read in a fixed world.
const RANDOM_LEN: usize = 1 << 16;
/// When an untouched folder was last changed, in seconds since 1970.
const UNTOUCHED: u64 = 1;

/// The folder of one target; goes away with its value.
pub struct Private {
    root: TempDir,
    /// Where the target sees `work`.
    place: PathBuf,
    work: Folder,
    tmp: Folder,
    shm: Folder,
}

/// One writable folder and the links that belong into it.
struct Folder {
    path: PathBuf,
    links: BTreeMap<OsString, PathBuf>,
}

impl Private {
    /// Makes the folder, with links to what the driver's current directory has now. `has_mounts` if the target will
    /// have mounts of its own.
    pub fn new(has_mounts: bool) -> Result<Private, ExecError> {
        Private::make(has_mounts).map_err(ExecError::io("making a private folder"))
    }

    fn make(has_mounts: bool) -> io::Result<Private> {
        let current = std::env::current_dir()?;
        // By the name that the kernel gives it: `/proc/self/cwd` is compared with it.
        let temporary = fs::canonicalize(std::env::temp_dir())?;
        let root = tempfile::Builder::new().prefix("gimlet-").tempdir_in(temporary)?;
        let mirror = root.path().join("cwd");
        let place = mirrored(&mirror, &current);
        fs::create_dir(&mirror)?;
        fs::create_dir(root.path().join("files"))?;
        if has_mounts {
            fs::write(root.path().join(RANDOM), random_bytes())?;
        } else {
            make_mirror(&mirror, &current)?;
        }
        let folder = |path: PathBuf, links| {
            let folder = Folder { path, links };
            folder.make()?;
            Ok::<_, io::Error>(folder)
        };
        let work = if has_mounts { root.path().join("work") } else { place.clone() };
        Ok(Private {
            work: folder(work, links_to(&current, None)?)?,
            tmp: folder(root.path().join("tmp"), BTreeMap::new())?,
            shm: folder(root.path().join("shm"), BTreeMap::new())?,
            place,
            root,
        })
    }

    /// Where the whole file system is to be seen once more.
    pub fn mirror(&self) -> PathBuf {
        self.root.path().join("cwd")
    }

    /// The target's current directory, as the target sees it.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The target's current directory, as the driver sees it.
    pub fn work(&self) -> &Path {
        &self.work.path
    }

    pub fn tmp(&self) -> &Path {
        &self.tmp.path
    }

    pub fn shm(&self) -> &Path {
        &self.shm.path
    }

    /// Bytes that look random and are the same for every target.
    pub fn random(&self) -> PathBuf {
        self.root.path().join(RANDOM)
    }

    /// Where the files of the input go.
    pub fn files(&self) -> PathBuf {
        self.root.path().join("files")
    }

    /// How a target that goes up from its current directory calls this absolute path.
    pub fn mirrored(&self, path: &Path) -> PathBuf {
        mirrored(&self.mirror(), path)
    }

    fn folders(&self) -> [&Folder; 3] {
        [&self.work, &self.tmp, &self.shm]
    }

    /// Takes away what a run made and brings back what it removed; the input's files see to themselves.
    pub fn restore(&self) -> Result<(), ExecError> {
        self.folders()
            .iter()
            .try_for_each(|folder| folder.restore())
            .map_err(ExecError::io("emptying a private folder"))
    }

    /// Bytes that the target has on the disk. More files than it may have count as more bytes than it may have.
    pub fn usage(&self) -> u64 {
        let files = self.files();
        let touched =
            self.folders().into_iter().filter(|folder| !is_untouched(&folder.path)).map(|folder| &*folder.path);
        let mut n_left = ENTRIES_MAX;
        touched.chain([&*files]).fold(0, |sum: u64, path| sum.saturating_add(usage(path, &mut n_left)))
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // A target may have locked its own folders; the temporary directory then could not be removed.
        self.folders().iter().for_each(|folder| open_up(&folder.path));
        open_up(&self.files());
    }
}

impl Folder {
    fn make(&self) -> io::Result<()> {
        if !self.path.is_dir() {
            fs::DirBuilder::new().mode(MODE).create(&self.path)?;
        }
        make_links(&self.path, &self.links)?;
        mark(&self.path)
    }

    fn restore(&self) -> io::Result<()> {
        if is_untouched(&self.path) {
            return Ok(());
        }
        fs::set_permissions(&self.path, Permissions::from_mode(MODE))?;
        let mut missing = self.links.clone();
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            let is_ours = self.links.get(name).is_some_and(|to| fs::read_link(&path).is_ok_and(|found| found == *to));
            if is_ours {
                missing.remove(name);
            } else {
                remove(&path)?;
            }
        }
        make_links(&self.path, &missing)?;
        mark(&self.path)
    }
}

/// Gives a directory the time of change of an untouched one.
pub fn mark(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, Permissions::from_mode(MODE))?;
    File::open(directory)?.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(UNTOUCHED))
}

/// Whether nothing was made in or taken from a directory since it was marked.
pub fn is_untouched(directory: &Path) -> bool {
    fs::symlink_metadata(directory).is_ok_and(|metadata| {
        (metadata.mtime(), metadata.mtime_nsec()) == (UNTOUCHED as i64, 0) && metadata.mode() & 0o7777 == MODE
    })
}

/// Takes away a file or a directory, also one that the target has locked.
pub fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    fs::remove_dir_all(path).or_else(|_| {
        open_up(path);
        fs::remove_dir_all(path)
    })
}

/// Lets us list and change a directory and all below it, as far as we can.
fn open_up(path: &Path) {
    let _ = fs::set_permissions(path, Permissions::from_mode(MODE));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// Directories with links for all above the current directory.
fn make_mirror(mirror: &Path, current: &Path) -> io::Result<()> {
    let mut above: Vec<&Path> = current.ancestors().collect();
    above.reverse();
    for pair in above.windows(2) {
        let [directory, below] = pair else { continue };
        let links = links_to(directory, Some(below)).unwrap_or_default();
        let links = if links.len() > LINKS_MAX { BTreeMap::new() } else { links };
        make_links(&mirrored(mirror, directory), &links)?;
        fs::create_dir(mirrored(mirror, below))?;
    }
    Ok(())
}

/// splitmix64, as in `fixed.c` of gimlet-cc.
fn random_bytes() -> Vec<u8> {
    let words = (1..=RANDOM_LEN as u64 / 8).map(|number| {
        let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    });
    words.flat_map(u64::to_le_bytes).collect()
}

fn mirrored(mirror: &Path, path: &Path) -> PathBuf {
    mirror.join(path.strip_prefix("/").unwrap_or(path))
}

/// Names in a directory, but for one, with the paths that they stand for.
fn links_to(directory: &Path, except: Option<&Path>) -> io::Result<BTreeMap<OsString, PathBuf>> {
    let paths = fs::read_dir(directory)?.flatten().map(|entry| (entry.file_name(), entry.path()));
    Ok(paths.filter(|(_, path)| Some(path.as_path()) != except).collect())
}

fn make_links(directory: &Path, links: &BTreeMap<OsString, PathBuf>) -> io::Result<()> {
    links.iter().try_for_each(|(name, to)| symlink(to, directory.join(name)))
}

fn usage(directory: &Path, n_left: &mut usize) -> u64 {
    let mut sum = 0u64;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        // Without a system call: a folder can have many links.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() {
            continue;
        }
        if *n_left == 0 {
            return u64::MAX;
        }
        *n_left -= 1;
        let bytes = entry.metadata().map_or(0, |metadata| metadata.blocks() * 512);
        let below = if kind.is_dir() { usage(&entry.path(), n_left) } else { 0 };
        sum = sum.saturating_add(bytes).saturating_add(below);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_go_through_and_changes_are_undone() {
        check_reads_and_changes(true);
        check_reads_and_changes(false);
    }

    fn check_reads_and_changes(has_mounts: bool) {
        let private = Private::new(has_mounts).unwrap();
        let work = private.work().to_path_buf();
        let here = std::env::current_dir().unwrap();
        assert_eq!(fs::read(work.join("Cargo.toml")).unwrap(), fs::read("Cargo.toml").unwrap());
        let above = here.parent().unwrap().file_name().unwrap();
        let around = work.join("../..").join(above).join(here.file_name().unwrap()).join("Cargo.toml");
        assert!(has_mounts || fs::read(around).unwrap() == fs::read("Cargo.toml").unwrap());
        assert_eq!(private.place(), private.mirrored(&here));
        assert!(is_untouched(&private.work.path) && private.usage() == 0);

        fs::remove_file(work.join("Cargo.toml")).unwrap();
        fs::write(work.join("Cargo.toml"), "mine").unwrap();
        fs::remove_file(work.join("src")).unwrap();
        fs::create_dir_all(work.join("a/b")).unwrap();
        fs::write(private.tmp().join("x"), vec![1; 100_000]).unwrap();
        fs::set_permissions(work.join("a"), Permissions::from_mode(0o000)).unwrap();
        assert!(private.usage() >= 100_000);
        private.restore().unwrap();
        assert_eq!(fs::read(work.join("Cargo.toml")).unwrap(), fs::read("Cargo.toml").unwrap());
        assert!(work.join("src/lib.rs").exists() && !work.join("a").exists());
        assert!(!private.tmp().join("x").exists() && private.usage() == 0);

        let root = private.root.path().to_path_buf();
        drop(private);
        assert!(!root.exists() && here.join("src/lib.rs").exists());
    }

    #[test]
    fn too_many_files_are_too_many_bytes() {
        let dir = tempfile::tempdir().unwrap();
        (0..3).for_each(|n| fs::write(dir.path().join(n.to_string()), "x").unwrap());
        assert!(usage(dir.path(), &mut 3) < u64::MAX);
        assert_eq!(usage(dir.path(), &mut 2), u64::MAX);
    }
}
