//! Compiles what twins get in place of the runtime, one archive for each kind of
//! twin, which become part of the executables. They use nothing that the program
//! can define (`own.h`).
//!
//! It also puts a link `gimlet-c++` beside them, because Cargo refuses a `+` in
//! the name of a target. Where that fails the compiler is there all the same, as
//! `gimlet-cxx`.

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

/// Calls that compilers make by themselves, and what they become (`own.c`).
const RENAMED: &str = "src/support/renamed.txt";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/support");
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for (twin, sources) in ARCHIVES {
        let objects: Vec<PathBuf> = sources.iter().map(|source| compile(&out_dir, twin, source)).collect();
        let archive = out_dir.join(format!("{twin}.a"));
        // An archive that is there would be added to.
        let _ = std::fs::remove_file(&archive);
        run(Command::new("llvm-ar-19").arg("rcsD").arg(archive).args(objects));
    }
    link_cxx(&out_dir);
}

fn compile(out_dir: &Path, twin: &str, source: &str) -> PathBuf {
    let object = out_dir.join(format!("{twin}-{source}.o"));
    let mut clang = Command::new("clang-19");
    clang.args(["-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-reserved-identifier", "-c"]);
    clang.args(["-ffreestanding", "-fno-builtin", "-fno-stack-protector"]);
    // Freestanding code has none by itself; whoever looks at a crash has to see past `reach_error` and its like.
    clang.arg("-fasynchronous-unwind-tables");
    clang.arg(format!("-DSUFFIX=\".{twin}\"")).arg(format!("src/support/{source}.c"));
    run(clang.arg("-o").arg(&object));
    let mut objcopy = Command::new("llvm-objcopy-19");
    objcopy.arg(format!("--redefine-syms={RENAMED}"));
    // Texts in .rodata are the program's (words for mutation).
    objcopy.args([".rodata", ".rodata.str1.1"].map(|section| format!("--rename-section={section}=.gimlet_rodata")));
    run(objcopy.arg(&object));
    object
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
    if link.symlink_metadata().is_err() {
        if let Err(error) = std::os::unix::fs::symlink("gimlet-cxx", &link) {
            println!("cargo:warning=no link {}: {error}", link.display());
        }
    }
}
