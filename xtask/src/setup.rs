//! The packages that a build, its users and the tests need, on Debian and its relatives.
//!
//! Only what is missing is installed. Where that takes rights that we don't
//! have, the command to run is printed instead.

use std::path::Path;
use std::process::Command;

use anyhow::{bail, Context, Result};

use crate::process;

/// Package and what needs it, of a build and of programs under test: all that the demo takes.
const BUILD: &[(&str, &str)] = &[
    ("clang-19", "compiles the programs under test"),
    ("llvm-19", "llvm-objcopy and llvm-ar, used by gimlet-cc"),
    ("llvm-19-dev", "headers for gimlet-pass"),
    ("libclang1-19", "bindings of the solver are generated with it"),
    ("libz3-dev", "the solver"),
    ("libsqlite3-dev", "the store of a search"),
];

/// What users may want besides.
const USE: &[(&str, &str)] = &[("libclang-rt-19-dev", "sanitizers and coverage, for --with=asan,cov")];

const TESTS: &[(&str, &str)] = &[
    ("bison", "parsers of test projects"),
    ("flex", "scanners of test projects"),
    ("make", "builds test projects"),
    ("csmith", "random programs for the tests"),
    ("libcsmith-dev", "headers of those programs"),
    ("autoconf", "a project for the tests of gimlet-cc"),
    ("automake", "the same"),
    ("libtool", "the same"),
    ("cmake", "another one"),
    ("bubblewrap", "tests without /proc, and on small disks"),
    ("sqlite3", "looks into stores"),
    ("afl++", "shares a folder with us"),
    ("gnuplot-nox", "draws its plots"),
    ("locales", "sources of a locale for the tests of library models"),
];

/// Installs what a build needs.
pub fn for_build() -> Result<()> {
    install(BUILD)
}

/// The same, and what options of the compiler need.
pub fn for_use() -> Result<()> {
    install(&[BUILD, USE].concat())
}

/// The same, and what only the tests need.
pub fn for_tests() -> Result<()> {
    install(&[BUILD, USE, TESTS].concat())
}

/// Installs those of these packages that are missing; each comes with what needs it.
pub fn install(packages: &[(&str, &str)]) -> Result<()> {
    let missing: Vec<&str> = packages.iter().map(|(name, _)| *name).filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for (name, reason) in packages.iter().filter(|(name, _)| missing.contains(name)) {
        println!("missing: {name} ({reason})");
    }
    let install = ["-o", "DPkg::Lock::Timeout=600", "install", "-y", "--no-install-recommends"];
    let Some(prefix) = privilege() else {
        bail!("run this as root, then try again:\n    apt-get {} {}", install[2..].join(" "), missing.join(" "));
    };
    let update = || process::run(&mut apt_get(&prefix, &["-o", "DPkg::Lock::Timeout=600", "update"]));
    let is_known = missing.iter().all(|name| has_candidate(name));
    if !is_known {
        update()?;
    }
    let first = process::run(apt_get(&prefix, &install).args(&missing));
    if first.is_err() && is_known {
        // The lists may be of another day than the packages.
        update()?;
        process::run(apt_get(&prefix, &install).args(&missing)).context("installing packages")?;
    } else {
        first.context("installing packages")?;
    }
    match missing.iter().find(|name| !is_installed(name)) {
        Some(name) => bail!("{name} is still not installed"),
        None => Ok(()),
    }
}

/// Components of the Rust toolchain that `tidy` needs.
pub fn rust_components() -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let probe = &mut crate::workspace::cargo(&[subcommand, "--version"]);
        if process::output(probe).is_none() {
            let add = process::run(Command::new("rustup").args(["component", "add", component]));
            add.with_context(|| format!("{component} is missing and rustup can't add it"))?;
        }
    }
    Ok(())
}

fn is_installed(package: &str) -> bool {
    let status = process::output(Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}", package]));
    status.is_some_and(|status| status == "installed")
}

fn has_candidate(package: &str) -> bool {
    let policy = process::output(Command::new("apt-cache").args(["policy", package])).unwrap_or_default();
    policy.lines().any(|line| line.trim_start().starts_with("Candidate:") && !line.contains("(none)"))
}

/// What to put before `apt-get`: nothing for root, `sudo -n` where that works.
fn privilege() -> Option<Vec<&'static str>> {
    let has_apt = Path::new("/usr/bin/apt-get").exists();
    let is_root = process::output(Command::new("id").arg("-u")).is_some_and(|id| id == "0");
    let has_sudo = || process::output(Command::new("sudo").args(["-n", "true"])).is_some();
    match (has_apt, is_root) {
        (true, true) => Some(vec![]),
        (true, false) if has_sudo() => Some(vec!["sudo", "-n"]),
        _ => None,
    }
}

fn apt_get(prefix: &[&str], args: &[&str]) -> Command {
    let words: Vec<&str> = prefix.iter().copied().chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(args);
    command
}
