//! Confinement: what a target may not do, whatever its input makes it try.
//!
//! Generated inputs make interpreters run commands and delete files. A confined
//! target and all that it starts
//!
//! - work in a folder of their own ([`private`]) and may write nowhere else; they read what the user may read;
//! - reach no network, no local service, and no process but their own;
//! - end together;
//! - have no capabilities that could change the machine, no core files, a bound on the size of files
//!   (`Limits::file_bytes`, by SIGXFSZ), and bounds on processes and space on the disk, which are watched.
//!
//! It is there against accidents, not against attacks on the kernel. All is set up once for each process that is
//! started, so a run of the fork server costs three `stat`s.
//!
//! What guarantees it depends on the kernel; [`Confinement::probe`] finds out, [`Confinement::report`] says so.
//!
//! | guarantee | by namespaces (root, or a user who may make user namespaces) | otherwise |
//! |---|---|---|
//! | content, names | read-only mounts (5.12) and Landlock (5.13) | Landlock; before 6.2 `truncate` is refused |
//! | modes, owners, times, attributes | read-only mounts | seccomp refuses the calls, also on own files |
//! | network | a network of its own with a loopback device | seccomp refuses to bind, connect or send to addresses |
//! | local services | seccomp: no sockets of that kind, or none connects where peers are input | seccomp |
//! | signals, tracing | PID namespace | Landlock (5.13 for tracing, 6.12 for signals); seccomp refuses `kill(-1)` and the driver |
//! | end together | PID namespace | descendants are looked for, as without confinement |
//!
//! Without namespaces, Landlock and seccomp there is the private folder, and the report says that nothing else is.
//!
//! Known limits: what a program wants to write at fixed places such as `/tmp` fails (`tmpfile` does; `TMPDIR` names
//! a writable folder), as does writing to files and into directories that its current directory already has. Where
//! `/proc` can't be mounted again, numbers in it are not those that `getpid` gives. As process of a PID namespace the
//! target's parent has number 1.

mod child;
pub mod filter;
pub mod landlock;
pub mod namespace;
pub mod private;
mod probe;

pub use child::{Cell, Entry};
pub use private::Private;

use namespace::Namespaces;

/// What confinement is made of here. Tests take parts away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// Processes, network and mounts of its own.
    pub namespaces: Option<Namespaces>,
    /// Mounts can be made read-only.
    pub has_read_only_view: bool,
    /// `/proc` can be mounted again.
    pub has_own_proc: bool,
    /// Version of the interface, 0 for none.
    pub landlock_abi: u32,
    pub has_filter: bool,
}

/// Whether and how targets are confined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Confinement {
    #[default]
    Off,
    /// With all that there is; have it found by [`Confinement::probe`].
    On(Parts),
}

/// What confinement gives and what it can't give, in lines for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub given: Vec<String>,
    pub missing: Vec<String>,
}

impl Confinement {
    /// Confinement with all that this kernel gives to this user. Takes some milliseconds.
    pub fn probe() -> Confinement {
        Confinement::On(probe::parts())
    }

    pub fn parts(self) -> Option<Parts> {
        match self {
            Confinement::Off => None,
            Confinement::On(parts) => Some(parts),
        }
    }

    pub fn report(self) -> Report {
        match self {
            Confinement::Off => {
                let all = "not confined: the program may do whatever your user may";
                Report { given: Vec::new(), missing: vec![all.to_string()] }
            }
            Confinement::On(parts) => parts.report(),
        }
    }
}

impl Parts {
    /// The target has mounts of its own.
    pub fn has_mounts(&self) -> bool {
        self.namespaces.is_some() && self.has_read_only_view
    }

    fn report(&self) -> Report {
        let mut report = Report::default();
        self.report_files(&mut report);
        self.report_network(&mut report);
        self.report_processes(&mut report);
        report
    }

    fn report_files(&self, report: &mut Report) {
        let (has_mounts, abi) = (self.has_mounts(), self.landlock_abi);
        let how = match (has_mounts, abi) {
            (true, 0) => "read-only mounts".to_string(),
            (true, abi) => format!("read-only mounts, Landlock ABI {abi}"),
            (false, abi) => format!("Landlock ABI {abi}"),
        };
        if !has_mounts && abi == 0 {
            report.lack("no Landlock and no read-only mounts: the program may write anywhere your user may");
        } else {
            report.give(format!("writes only into a private folder ({how})"));
        }
        if !has_mounts && !self.has_filter {
            report.lack("no read-only mounts and no seccomp: the program may change modes, owners and times of files");
        }
        if !has_mounts && !self.has_filter && (1..landlock::ABI_WITH_TRUNCATE).contains(&abi) {
            report.lack("no Landlock ABI 3 and no seccomp: the program may truncate files");
        }
    }

    fn report_network(&self, report: &mut Report) {
        match (self.namespaces, self.has_filter) {
            (Some(_), _) => report.give("no network but one of its own (namespace)"),
            (None, true) => report.give("no network (seccomp)"),
            (None, false) if self.landlock_abi >= landlock::ABI_WITH_TCP => {
                report.lack("no network namespace and no seccomp: the program may use the network, but for TCP")
            }
            (None, false) => report.lack("no network namespace and no seccomp: the program may use the network"),
        }
        match self.has_filter {
            true => report.give("no sockets of local services (seccomp)"),
            false => report.lack("no seccomp: the program may talk to local services"),
        }
    }

    fn report_processes(&self, report: &mut Report) {
        if self.namespaces.is_some() {
            report.give("no processes but its own, which end together (PID namespace)");
            return;
        }
        report.lack("no PID namespace: processes that the program leaves behind are looked for and killed");
        match self.landlock_abi {
            0 => report.lack("no Landlock: the program may change other processes of your user and send them signals"),
            _ if self.has_signal_scope() => report.give("signals only for its own processes (Landlock)"),
            _ => report.lack("no Landlock ABI 6: the program may send signals to other processes of your user"),
        }
    }

    fn has_signal_scope(&self) -> bool {
        self.landlock_abi >= landlock::ABI_WITH_SCOPES
    }
}

impl Report {
    fn give(&mut self, line: impl Into<String>) {
        self.given.push(line.into());
    }

    fn lack(&mut self, line: &str) {
        self.missing.push(format!("not confined: {line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        let all = Parts {
            namespaces: Some(Namespaces::User),
            has_read_only_view: true,
            has_own_proc: true,
            landlock_abi: 7,
            has_filter: true,
        };
        assert_eq!(Confinement::On(all).report().missing, Vec::<String>::new());
        let n_missing = |parts: Parts| Confinement::On(parts).report().missing.len();
        assert_eq!(n_missing(Parts { namespaces: None, ..all }), 1);
        assert_eq!(n_missing(Parts { namespaces: None, landlock_abi: 2, ..all }), 2);
        assert_eq!(n_missing(Parts { namespaces: None, has_filter: false, ..all }), 4);
        assert_eq!(n_missing(Parts { landlock_abi: 0, ..all }), 0);
        assert_eq!(n_missing(Parts { landlock_abi: 0, has_read_only_view: false, ..all }), 1);
        let nothing = Confinement::On(Parts::default()).report();
        assert!(nothing.given.is_empty() && nothing.missing.len() == 6, "{nothing:?}");
        assert_eq!(Confinement::Off.report().missing.len(), 1);
    }
}
