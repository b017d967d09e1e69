//! Calls by which a program learns what is not the same in every run.

use gimlet_exec::World;
use gimlet_path::Place;
use gimlet_trace::site::{Site, SiteKind};

use super::Explorer;

/// Whatever the world is: numbers of processes, threads, names and system calls that nobody sees.
const ALWAYS: [&str; 24] = [
    "clone",
    "fork",
    "getloadavg",
    "getpid",
    "getppid",
    "getsid",
    "gettid",
    "llvm.readcyclecounter",
    "llvm.x86.rdrand.32",
    "llvm.x86.rdrand.64",
    "llvm.x86.rdtsc",
    "llvm.x86.rdtscp",
    "mkdtemp",
    "mkostemp",
    "mkstemp",
    "mktemp",
    "pthread_create",
    "syscall",
    "sysinfo",
    "tempnam",
    "thrd_create",
    "tmpfile",
    "tmpnam",
    "vfork",
];
/// In the real world: what `fixed.c` of gimlet-cc replaces.
const REAL: [&str; 15] = [
    "arc4random",
    "arc4random_buf",
    "arc4random_uniform",
    "clock",
    "clock_gettime",
    "ftime",
    "getauxval",
    "getentropy",
    "getrandom",
    "getrusage",
    "gettimeofday",
    "sched_getcpu",
    "time",
    "times",
    "timespec_get",
];

impl Explorer {
    /// Such calls of the program, with their places, in the order of the source.
    pub(super) fn unstable_calls(&self) -> &[String] {
        self.runner.unstable_calls.get_or_init(|| self.find_unstable_calls())
    }

    fn find_unstable_calls(&self) -> Vec<String> {
        let world = self.runner.options.world;
        let sites = self.runner.target.tables().iter().flat_map(|table| &table.sites);
        let mut calls: Vec<(Place, &str)> =
            sites.filter_map(|site| Some((place(site), unstable_callee(site, world)?))).collect();
        calls.sort_unstable();
        calls.dedup();
        calls.into_iter().map(|(place, callee)| format!("{callee} at {place}")).collect()
    }
}

fn place(site: &Site) -> Place {
    Place { file: site.file.clone(), line: site.line, column: site.column, function: site.function.clone() }
}

fn unstable_callee(site: &Site, world: World) -> Option<&str> {
    let callee = site.callee.as_deref().filter(|_| site.kind == SiteKind::Call)?;
    let is_unstable =
        ALWAYS.binary_search(&callee).is_ok() || world == World::Real && REAL.binary_search(&callee).is_ok();
    is_unstable.then_some(callee)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callee(kind: SiteKind, callee: &str, world: World) -> Option<String> {
        let (file, function, callee) = ("a.c".to_owned(), "main".to_owned(), Some(callee.to_owned()));
        let site =
            Site { kind, width: 0, file, function, line: 1, column: 1, block: 0, copy: 0, words: Vec::new(), callee };
        unstable_callee(&site, world).map(str::to_owned)
    }

    #[test]
    fn the_clock_is_unstable_in_the_real_world_only() {
        assert_eq!(callee(SiteKind::Call, "time", World::Fixed), None);
        assert_eq!(callee(SiteKind::Call, "time", World::Real).as_deref(), Some("time"));
        assert_eq!(callee(SiteKind::Call, "getpid", World::Fixed).as_deref(), Some("getpid"));
        assert_eq!(callee(SiteKind::Call, "strlen", World::Real), None);
        assert_eq!(callee(SiteKind::Load, "getpid", World::Real), None);
    }

    #[test]
    fn names_are_in_order() {
        assert!(ALWAYS.is_sorted() && REAL.is_sorted());
    }
}
