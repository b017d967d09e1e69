//! The runtimes as programs are linked with them.
//!
//! Cargo's archive is not fit for that as it is:
//!
//! - It holds Rust's library for the compiler, which defines functions of libm
//!   (`ceil`, `fmod`): a program without `-lm`, as `configure` tries on purpose,
//!   would be linked with those. So these members are left out; what the runtime
//!   needs of them is in the library of the C compiler as well.
//! - It calls the C library by names that a program may define itself, with
//!   another meaning or type, and the linker would give it the program's. So each
//!   such reference becomes one to a stub, `gimlet_lib_NAME`, which jumps to the
//!   library's function; `own.c` finds that when the first stub is called. In a
//!   static program there is only one function of a name, and only calls that
//!   compilers make by themselves are renamed.
//!
//! `memcpy`, `memmove` and `memset` have two names: what a model calls for the
//! program is the program's, if it has one, and is `gimlet_real_memcpy` in the
//! runtime's source.
//!
//! What a program's input that is *not* instrumented defines (an allocator, a
//! function in assembly) takes the place of the library's, as it does in any link:
//! models call it for the program ([`foreign_flags`]).
//!
//! The new archive is kept beside Cargo's, if that directory can be written to.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};

use crate::tool::Toolchain;

/// Crate whose members are left out, and what the names of all other crates' members end with.
const FOREIGN: &str = "compiler_builtins";
const OURS: &str = ".rcgu.o";

/// What stubs stand before, and calls that compilers make by themselves; what makes time and chance the same in every run.
const OWN: [&[u8]; 2] =
    [include_bytes!(concat!(env!("OUT_DIR"), "/own.o")), include_bytes!(concat!(env!("OUT_DIR"), "/fixed.o"))];
const RENAMED: &str = include_str!("support/renamed.txt");
/// What models call of the program's, if it has them, and compilers of the library's.
const REAL: [&str; 3] = ["memcpy", "memmove", "memset"];
/// Prefix of the stubs.
const STUB: &str = "gimlet_lib_";

/// Names that the runtimes share with the program, whoever defines them.
const SHARED: [&str; 16] = [
    // The heap is one for all: a block that one function makes another frees.
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    // Variables. Models of the functions around them set them for the program.
    "optarg",
    "opterr",
    "optind",
    "optopt",
    "stdin",
    // The program's, if it has them.
    "LLVMFuzzerInitialize",
    "LLVMFuzzerTestOneInput",
    "main",
];

/// The archive to link with in place of `whole`.
pub fn archive(toolchain: &Toolchain, whole: &Path, is_static: bool, temp_dir: &Path) -> Result<PathBuf> {
    let stem = whole.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}_{}.a", if is_static { "static" } else { "linked" });
    let kept = whole.with_file_name(&name);
    if is_as_new(&kept, whole) {
        return Ok(kept);
    }
    let maker = Maker { toolchain, temp_dir, name: &name };
    let made = maker.make(whole, is_static).with_context(|| format!("can't use {}", whole.display()))?;
    let fresh = whole.with_file_name(format!("{name}.{}", std::process::id()));
    let is_kept = std::fs::copy(&made, &fresh).and_then(|_| std::fs::rename(&fresh, &kept)).is_ok();
    if !is_kept {
        // It may not be there.
        let _ = std::fs::remove_file(&fresh);
    }
    Ok(if is_kept { kept } else { made })
}

/// Newer than Cargo's archive, and than this program, which brings the stubs.
fn is_as_new(kept: &Path, whole: &Path) -> bool {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let program = std::env::current_exe().ok().and_then(|program| modified(&program));
    matches!((modified(kept), modified(whole)), (Some(kept), Some(whole)) if kept >= whole && Some(kept) >= program)
}

/// The functions that an archive has stubs for.
pub fn stubbed(archive: &Path) -> Result<BTreeSet<String>> {
    let bytes = std::fs::read(archive)?;
    let mut names = BTreeSet::new();
    for symbol in ArchiveFile::parse(&*bytes)?.symbols()?.into_iter().flatten() {
        let name = String::from_utf8_lossy(symbol?.name()).into_owned();
        names.extend(name.strip_prefix(STUB).map(str::to_owned));
    }
    Ok(names)
}

/// What the link of a program says for library functions that its inputs without instrumentation define.
pub fn foreign_flags(archive: &Path, defined: &BTreeSet<String>) -> Result<Vec<OsString>> {
    if defined.is_empty() {
        return Ok(Vec::new());
    }
    let stubbed = stubbed(archive)?;
    Ok(stubbed.intersection(defined).map(|name| format!("-Wl,--defsym={STUB}{name}={name}").into()).collect())
}

/// A name that a program may define and that is not of our making: C reserves those with two underscores, and Rust's
/// names have a shape of their own.
fn is_library_name(name: &str) -> bool {
    let is_ours = ["__", "_ZN", "_R", "_Unwind", "_DYNAMIC", "_GLOBAL", "_r_debug", "gimlet_", "rust_", "anon."];
    !name.is_empty() && !is_ours.iter().any(|prefix| name.starts_with(prefix))
}

struct Maker<'a> {
    toolchain: &'a Toolchain,
    temp_dir: &'a Path,
    /// Of the archive.
    name: &'a str,
}

impl Maker<'_> {
    fn make(&self, whole: &Path, is_static: bool) -> Result<PathBuf> {
        let bytes = std::fs::read(whole)?;
        let own = OWN.iter().zip(["own.o", "fixed.o"]).map(|(object, name)| self.write(name, object));
        let mut files = own.collect::<Result<Vec<PathBuf>>>()?;
        let (mut wanted, mut defined) = (BTreeSet::new(), BTreeSet::new());
        for member in ArchiveFile::parse(&*bytes)?.members() {
            let member = member?;
            let name = String::from_utf8_lossy(member.name());
            if name.starts_with(FOREIGN) || !name.ends_with(OURS) {
                continue;
            }
            let content = member.data(&*bytes)?;
            for symbol in object::File::parse(content)?.symbols() {
                let names = if symbol.is_undefined() { &mut wanted } else { &mut defined };
                names.insert(symbol.name()?.to_owned());
            }
            files.push(self.write(&format!("{}.o", files.len()), content)?);
        }
        wanted.retain(|name| is_library_name(name) && !SHARED.contains(&name.as_str()) && !defined.contains(name));
        let mut renamed = if is_static {
            RENAMED.to_owned()
        } else {
            let assembly = self.write("stubs.s", stubs(&wanted).as_bytes())?;
            let object = assembly.with_extension("o");
            let args = ["-c".into(), assembly.into(), "-o".into(), object.clone().into()];
            self.toolchain.clang(&args).run_quietly()?;
            files.push(object);
            wanted.iter().map(|name| format!("{name} {STUB}{name}\n")).collect()
        };
        renamed.extend(REAL.map(|name| format!("gimlet_real_{name} {name}\n")));
        let renamed = self.write("renamed.txt", renamed.as_bytes())?;
        for file in files.iter().skip(OWN.len()) {
            let option = format!("--redefine-syms={}", renamed.display());
            self.toolchain.llvm("llvm-objcopy")?.arg(option).arg(file).run_quietly()?;
        }
        let archive = self.temp_dir.join(self.name);
        self.toolchain.llvm("llvm-ar")?.arg("rcsD").arg(&archive).args(&files).run_quietly()?;
        Ok(archive)
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        let path = self.temp_dir.join(format!("{}-{name}", self.name));
        std::fs::write(&path, content)?;
        Ok(path)
    }
}

/// Stubs for functions of the library. Each jumps through its slot, which leads to `bind` until the first call of any:
/// that keeps all registers that a call may use, and has `own.c` fill the slots. They are weak, and hidden, because other
/// images have their own.
fn stubs(names: &BTreeSet<String>) -> String {
    let mut text = String::from(BIND);
    for (index, name) in names.iter().enumerate() {
        let stub = format!("{STUB}{name}");
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            ".weak {stub}\n.hidden {stub}\n.type {stub}, @function\n.p2align 3\n{stub}:\n\
             .cfi_startproc\njmp *slots+{at}(%rip)\n.cfi_endproc\n.size {stub}, . - {stub}\n\
             first{index}: call bind\njmp *slots+{at}(%rip)",
            at = 8 * index
        );
    }
    text.push_str(".section .data.rel.local, \"aw\"\n.p2align 3\nslots:\n");
    for index in 0..names.len() {
        let _ = writeln!(text, ".quad first{index}");
    }
    text.push_str(".section .rodata\nnames:\n");
    for name in names {
        let _ = writeln!(text, ".asciz \"{name}\"");
    }
    text.push_str(".byte 0\n.section .note.GNU-stack, \"\", @progbits\n");
    text
}

const BIND: &str = "\
.text
.type bind, @function
bind:
push %rbp
mov %rsp, %rbp
push %rax
push %rdi
push %rsi
push %rdx
push %rcx
push %r8
push %r9
push %r10
sub $128, %rsp
and $-16, %rsp
movaps %xmm0, (%rsp)
movaps %xmm1, 16(%rsp)
movaps %xmm2, 32(%rsp)
movaps %xmm3, 48(%rsp)
movaps %xmm4, 64(%rsp)
movaps %xmm5, 80(%rsp)
movaps %xmm6, 96(%rsp)
movaps %xmm7, 112(%rsp)
lea names(%rip), %rdi
lea slots(%rip), %rsi
call gimlet_own_bind
movaps (%rsp), %xmm0
movaps 16(%rsp), %xmm1
movaps 32(%rsp), %xmm2
movaps 48(%rsp), %xmm3
movaps 64(%rsp), %xmm4
movaps 80(%rsp), %xmm5
movaps 96(%rsp), %xmm6
movaps 112(%rsp), %xmm7
lea -64(%rbp), %rsp
pop %r10
pop %r9
pop %r8
pop %rcx
pop %rdx
pop %rsi
pop %rdi
pop %rax
pop %rbp
ret
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_program_can_define() {
        let names = ["strncpy", "_exit", "environ", "time", "index"];
        assert!(names.iter().all(|name| is_library_name(name)));
        let names = ["__fork", "_ZN4core3fmt", "_RNvCs", "gimlet_rt_fit", "_r_debug", ""];
        assert!(!names.iter().any(|name| is_library_name(name)));
    }
}
