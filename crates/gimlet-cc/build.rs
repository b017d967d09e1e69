//! Compiles what twins get in place of the runtime, one archive for each kind of
//! twin, which become part of the executables. They use nothing that the program
//! can define (`own.h`).
//!
//! It also puts a link `gimlet-c++` beside them, because Cargo refuses a `+` in
//! the name of a target. Where that fails the compiler is there all the same, as
//! `gimlet-cxx`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Twins and the sources of their archives.
const ARCHIVES: [(&str, &[&str]); 5] = [
    ("plain", &["symbols", "loader", "sources", "fixed", "own"]),
    ("edges", &["symbols", "loader", "sources", "edges", "fixed", "own"]),
    ("memory", &["symbols", "loader", "sources", "edges", "fixed", "own"]),
    ("asan", &["symbols", "loader", "sources", "fixed", "own"]),
    ("cov", &["symbols", "loader", "sources", "fixed", "own"]),
];

/// What a twin's files are called is known to one of them; the others are the same in all archives.
const TWIN_S_OWN: &str = "loader";

/// Calls that compilers make by themselves, and what they become (`own.c`).
const RENAMED: &str = "src/support/renamed.txt";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/support");
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let shared: BTreeSet<&str> = ARCHIVES.iter().flat_map(|(_, sources)| *sources).copied().collect();
    for source in shared.iter().filter(|source| **source != TWIN_S_OWN) {
        compile(source, "", &object(&out_dir, source, ""));
    }
    for (twin, sources) in ARCHIVES {
        compile(TWIN_S_OWN, twin, &object(&out_dir, TWIN_S_OWN, twin));
        let objects: Vec<PathBuf> = sources.iter().map(|source| object(&out_dir, source, twin)).collect();
        let archive = out_dir.join(format!("{twin}.a"));
        // An archive that is there would be added to.
        let _ = std::fs::remove_file(&archive);
        run(Command::new("llvm-ar-19").arg("rcsD").arg(archive).args(objects));
    }
    link_cxx(&out_dir);
}

fn object(out_dir: &Path, source: &str, twin: &str) -> PathBuf {
    match source {
        TWIN_S_OWN => out_dir.join(format!("{twin}-{source}.o")),
        _ => out_dir.join(format!("{source}.o")),
    }
}

fn compile(source: &str, twin: &str, object: &Path) {
    let mut clang = Command::new("clang-19");
    clang.args(["-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-reserved-identifier", "-c"]);
    clang.args(["-ffreestanding", "-fno-builtin", "-fno-stack-protector"]);
    // Freestanding code has none by itself; whoever looks at a crash has to see past `reach_error` and its like.
    clang.arg("-fasynchronous-unwind-tables");
    clang.arg(format!("-DSUFFIX=\".{twin}\"")).arg(format!("src/support/{source}.c"));
    run(clang.arg("-o").arg(object));
    let mut objcopy = Command::new("llvm-objcopy-19");
    objcopy.arg(format!("--redefine-syms={RENAMED}"));
    // Texts in .rodata are the program's (words for mutation).
    objcopy.args([".rodata", ".rodata.str1.1"].map(|section| format!("--rename-section={section}=.gimlet_rodata")));
    run(objcopy.arg(object));
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{command:?}: {status}"),
        Err(error) => panic!("{command:?}: {error}. `cargo xtask setup` installs LLVM 19"),
    }
}

fn link_cxx(out_dir: &Path) {
    // OUT_DIR is PROFILE_DIR/build/gimlet-cc-HASH/out
    let Some(profile_dir) = out_dir.ancestors().nth(3) else { return };
    let link = profile_dir.join("gimlet-c++");
    if link.symlink_metadata().is_err()
        && let Err(error) = std::os::unix::fs::symlink("gimlet-cxx", &link)
    {
        println!("cargo:warning=no link {}: {error}", link.display());
    }
}
