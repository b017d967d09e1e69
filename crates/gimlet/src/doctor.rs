//! `gimlet doctor`: is everything there that Gimlet needs?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use gimlet_exec::memory::memory_file;
use gimlet_exec::{Confinement, Output, Target, TargetOptions};
use gimlet_path::{exact, PathCondition};
use gimlet_trace::abi::SHADOW_LEN;
use gimlet_trace::Input;

use crate::exit::Verdict;
use crate::interrupt;

/// The three lines that are compiled and traced.
const PROGRAM: &str = "#include <stdio.h>\nint main(void)\n{ if (getchar() == 'g') puts(\"g\"); return 0; }\n";

/// What was found, or what is wrong and what to do.
type Finding = Result<String, (String, String)>;
type Check = fn() -> Finding;

pub fn doctor() -> Result<Verdict> {
    let checks: &[(&str, Check)] = &[
        ("clang", clang),
        ("gimlet-cc", || part("gimlet-cc")),
        ("plugin", || part("libgimlet_pass.so")),
        ("runtime", || part("libgimlet_runtime.a")),
        ("memory checks", || part("libgimlet_memory.a")),
        ("address randomisation", randomisation),
        ("shared memory", shared_memory),
        ("shadow memory", shadow_memory),
        ("address space limit", address_space),
        ("stack limit", stack),
        ("confinement", confinement),
        ("end to end", end_to_end),
    ];
    let mut verdict = Verdict::Good;
    for (name, check) in checks {
        match check() {
            Ok(found) => say!("ok       {name:<22} {found}"),
            Err((problem, remedy)) => {
                say!("problem  {name:<22} {problem}");
                say!("         {:<22} -> {remedy}", "");
                verdict = Verdict::Incomplete;
            }
        }
    }
    say!("(ptrace is not needed)");
    Ok(verdict)
}

fn wrong(problem: impl Into<String>, remedy: impl Into<String>) -> Finding {
    Err((problem.into(), remedy.into()))
}

fn clang() -> Finding {
    let name = std::env::var("GIMLET_CLANG").ok().filter(|name| !name.is_empty()).unwrap_or("clang-19".to_string());
    let remedy = "apt-get install clang-19 llvm-19, or set GIMLET_CLANG to a clang 19";
    let output = match Command::new(&name).arg("--version").output() {
        Ok(output) => output,
        Err(error) => return wrong(format!("{name}: {error}"), remedy),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().next().unwrap_or_default().to_string();
    if line.contains("clang version 19.") {
        Ok(line)
    } else {
        wrong(format!("{name} is not clang 19: {line}"), remedy)
    }
}

/// A part of Gimlet: beside this program, or in `lib/gimlet` under the same prefix.
fn find_part(name: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let bin_dir = program.parent()?;
    let lib_dir = bin_dir.parent().unwrap_or(Path::new("/")).join("lib/gimlet");
    [bin_dir.join(name), lib_dir.join(name)].into_iter().find(|path| path.is_file())
}

fn part(name: &str) -> Finding {
    match find_part(name) {
        Some(path) => Ok(path.display().to_string()),
        None => wrong(
            format!("{name} is neither beside this program nor in ../lib/gimlet"),
            "run `cargo build --release`, or `cargo xtask install`",
        ),
    }
}

fn randomisation() -> Finding {
    // SAFETY: asks for the persona, sets it with one bit more, and sets it back; nothing is executed in between.
    let is_allowed = unsafe {
        let old = libc::personality(0xffff_ffff);
        let is_set = old >= 0 && libc::personality((old | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) >= 0;
        if is_set {
            libc::personality(old as libc::c_ulong);
        }
        is_set
    };
    if is_allowed {
        Ok("can be switched off".to_string())
    } else {
        wrong(
            format!("personality: {}", io::Error::last_os_error()),
            "allow the personality system call (docker: --security-opt seccomp=unconfined)",
        )
    }
}

fn shared_memory() -> Finding {
    match memory_file(c"doctor").and_then(|file| file.set_len(4 << 30)) {
        Ok(()) => Ok("memfd_create works".to_string()),
        Err(error) => wrong(format!("memfd_create: {error}"), "use a kernel from 3.17 on that allows memfd_create"),
    }
}

fn shadow_memory() -> Finding {
    let overcommit = fs::read_to_string("/proc/sys/vm/overcommit_memory").unwrap_or_default();
    let overcommit = overcommit.trim();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let len = SHADOW_LEN as usize;
    // SAFETY: a mapping at a place of the kernel's choice, never touched and taken away at once.
    let error = unsafe {
        let at = libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if at == libc::MAP_FAILED {
            Some(io::Error::last_os_error())
        } else {
            libc::munmap(at, len);
            None
        }
    };
    match error {
        None => Ok(format!("16 TiB can be reserved (overcommit_memory {overcommit})")),
        Some(error) if overcommit == "2" => {
            wrong(format!("16 TiB cannot be reserved: {error}"), "sysctl vm.overcommit_memory=0")
        }
        Some(error) => wrong(format!("16 TiB cannot be reserved: {error}"), "lift `ulimit -v`"),
    }
}

fn limit(resource: libc::__rlimit_resource_t) -> Option<u64> {
    // SAFETY: getrlimit fills the structure.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        (libc::getrlimit(resource, &mut limit) == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
    }
}

fn address_space() -> Finding {
    match limit(libc::RLIMIT_AS) {
        None => Ok("none".to_string()),
        Some(bytes) if bytes > 2 * SHADOW_LEN => Ok(format!("{bytes} bytes")),
        Some(bytes) => wrong(format!("{bytes} bytes are less than the shadow memory needs"), "ulimit -v unlimited"),
    }
}

fn stack() -> Finding {
    match limit(libc::RLIMIT_STACK) {
        Some(bytes) => Ok(format!("{} KiB", bytes >> 10)),
        None => Ok("none; targets get 64 MiB".to_string()),
    }
}

/// Never a problem: programs run without it, and `gimlet run` says what is missing.
fn confinement() -> Finding {
    let report = Confinement::probe().report();
    Ok(report.given.into_iter().chain(report.missing).collect::<Vec<_>>().join("; "))
}

fn end_to_end() -> Finding {
    let Some(compiler) = find_part("gimlet-cc") else {
        return wrong("not tried: there is no gimlet-cc", "see above");
    };
    let remedy = "if all above is well this is a bug of Gimlet: please report it";
    let failed = |what: &str, error: &dyn std::fmt::Display| (format!("{what}: {error}"), remedy.to_string());
    let dir = tempfile::tempdir().map_err(|error| failed("making a directory", &error))?;
    let (source, program) = (dir.path().join("doctor.c"), dir.path().join("doctor"));
    fs::write(&source, PROGRAM).map_err(|error| failed("writing a program", &error))?;
    let output = Command::new(compiler).arg("-o").arg(&program).arg(&source).output();
    let output = output.map_err(|error| failed("starting gimlet-cc", &error))?;
    if !output.status.success() {
        return Err(failed("gimlet-cc", &String::from_utf8_lossy(&output.stderr).trim()));
    }
    let options =
        TargetOptions { output: Output::Null, interrupt: Some(&interrupt::INTERRUPTED), ..TargetOptions::default() };
    let mut target = Target::new(&program, &[], options).map_err(|error| failed("the program", &error))?;
    let run = target.run(&Input::stdin("x")).map_err(|error| failed("running", &error))?;
    let path = PathCondition::from_trace(&run.trace).map_err(|error| failed("the trace", &error))?;
    let report = exact::check(&run.trace).map_err(|error| failed("the trace", &error))?;
    let n_flippable = path.steps.iter().filter(|step| step.is_flippable(&path.dag)).count();
    if !report.is_exact() || n_flippable == 0 {
        return Err(failed("the trace", &format!("{} mismatches, {n_flippable} branches", report.n_mismatches)));
    }
    Ok(format!("compiled, traced: {} expressions, {n_flippable} branch", report.n_nodes))
}
