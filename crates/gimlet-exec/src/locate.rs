//! Where a program crashes, or what it is doing when its time is over.
//!
//! The plain build is run under ptrace. When a signal arrives that will end it, its registers and its stack are read; the
//! frames come from the unwind tables of its images (`framehop`), functions and lines from their line tables
//! (`addr2line`), which `gimlet-cc` adds to the plain build. The run also tells whether the plain build ends as the
//! instrumented one did. The memory build can be run in the same way; then its report is read as well.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder};
use gimlet_trace::finding::Kind;
use gimlet_trace::memory::REPORT_SYMBOL;
use gimlet_trace::trace::Outcome;
use gimlet_trace::Input;
use object::{Object, ObjectSection, ObjectSymbol};

use crate::error::ExecError;
use crate::image::find_program;
use crate::orphans::{self, Pid};
use crate::plain::{run_watched, Look};
use crate::process::Process;
use crate::target::TargetOptions;
use crate::violation::{self, Violation};

/// Frames that are kept of a deep recursion.
const N_FRAMES_MAX: usize = 256;
/// How long a process may take to stop, and how long to sleep between looks.
const STOP_LIMIT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_micros(200);

/// News of one process that are looked at before others have their turn, and the clock.
const N_NEWS_MAX: usize = 64;

/// In the symbols of the memory build's runtime, which has no lines.
const MEMORY_RUNTIME: &str = "gimlet_mem";

/// Symbols of what is linked into each build and takes the place of functions of the C library (`fixed.c` of gimlet-cc).
const STAND_IN: &str = "gimlet_fixed_";

/// A function that was running.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    pub function: String,
    pub file: Option<String>,
    /// 0 if it is not known.
    pub line: u32,
    /// Part of the program itself, not of a library that has no line tables.
    pub is_program: bool,
}

/// How a run ended, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crash {
    pub outcome: Outcome,
    /// The innermost function first; empty if the program ended by itself.
    pub frames: Vec<Frame>,
    /// Of a division that trapped: its divisor was not zero.
    pub is_overflow: bool,
    /// Of an access that trapped: the address.
    pub fault: Option<u64>,
    /// What the memory build said.
    pub violation: Option<Violation>,
}

/// Runs a program on an input, and says where it was when it crashed or was stopped.
pub fn locate(program: &Path, args: &[OsString], input: &Input, options: &TargetOptions) -> Result<Crash, ExecError> {
    let path = find_program(program)?;
    let mut tracer = Tracer { program: path, traced: Vec::new(), n_seen: 0, last: None };
    let outcome = run_watched(program, args, input, options, &mut tracer)?.outcome;
    Ok(match &tracer.last {
        Some(snapshot) if !matches!(outcome, Outcome::Exited(_)) || snapshot.report.is_some() => {
            let mut symbols = Symbols::of(snapshot);
            let mut frames = frames(snapshot, &mut symbols);
            let violation = snapshot.report.as_ref().and_then(|report| {
                violation::parse(report, |address| {
                    let mut found = Vec::new();
                    symbols.add(address, &mut found);
                    found
                })
            });
            // What the runtime of the memory build was doing is nobody's business.
            let is_runtime = |frame: &Frame| frame.file.is_none() && frame.function.contains(MEMORY_RUNTIME);
            let n_runtime = frames.iter().rposition(is_runtime).map_or(0, |last| last + 1);
            frames.drain(..n_runtime);
            // Where the program ended says nothing of what it has lost.
            let lost = violation.as_ref().filter(|violation| violation.kind == Kind::Leak);
            if let Some(object) = lost.and_then(|violation| violation.object.as_ref()) {
                frames.clone_from(&object.made);
            }
            let (is_overflow, fault) = (snapshot.is_overflow, snapshot.fault);
            Crash { outcome, frames, is_overflow, fault, violation }
        }
        _ => Crash { outcome, frames: Vec::new(), is_overflow: false, fault: None, violation: None },
    })
}

/// Follows the processes of one run, and keeps the last one that was about to die.
struct Tracer {
    program: PathBuf,
    traced: Vec<Pid>,
    /// What there was to see at the last look.
    n_seen: usize,
    last: Option<Snapshot>,
}

/// A stopped process, as far as unwinding needs it.
struct Snapshot {
    registers: libc::user_regs_struct,
    /// The stack from the stack pointer on.
    stack: Vec<u8>,
    images: Vec<Image>,
    program: PathBuf,
    is_overflow: bool,
    fault: Option<u64>,
    /// What the memory build said.
    report: Option<String>,
}

/// A mapped file: where its address zero is, and the range of its mappings.
struct Image {
    path: PathBuf,
    base: u64,
    range: std::ops::Range<u64>,
}

/// Stack that is read at once.
const STACK_BYTES: usize = 1 << 20;

impl Look for Tracer {
    fn first_look(&mut self, processes: &[Pid]) {
        // Those that have children see to the others.
        let is_last = |pid: &Pid| orphans::children(*pid).is_empty();
        self.traced.extend(processes.iter().copied().filter(is_last).filter(|&pid| seize(pid)));
    }

    fn look(&mut self, process: &Process) -> bool {
        let leader = process.pid();
        let mut traced = std::mem::take(&mut self.traced);
        self.n_seen = 0;
        traced.retain(|&pid| self.poll(pid, pid == leader));
        // A process whose threads were killed before they could tell which others they began ends only when those have
        // been seen, too.
        let dying: Vec<Pid> = traced.iter().copied().filter(|&pid| orphans::has_ended(pid)).collect();
        self.traced.extend(dying.into_iter().flat_map(orphans::threads));
        // Those that have begun meanwhile.
        for pid in std::mem::take(&mut self.traced) {
            if !traced.contains(&pid) {
                traced.push(pid);
            }
        }
        self.traced = traced;
        self.n_seen > 0
    }

    fn last_look(&mut self, is_running: bool) {
        let is_program = |pid: &&Pid| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == self.program);
        let pid = self.traced.iter().find(is_program).or(self.traced.first()).copied();
        if let Some(pid) = pid.filter(|&pid| is_running && interrupt(pid)) {
            self.last = Snapshot::take(pid, 0, &self.program);
        }
        // What is still traced, known here or not, is killed and let go when this thread ends (`EXITKILL`). To wait for
        // each would be wrong: a process ends after all of its threads, and there may be some that nobody has seen.
        self.traced.clear();
    }
}

impl Tracer {
    /// Handles what a process has to tell; false if it has ended.
    fn poll(&mut self, pid: Pid, is_child: bool) -> bool {
        for _ in 0..N_NEWS_MAX {
            let Some(status) = news(pid) else { return true };
            self.n_seen += 1;
            if status.is_end {
                if !is_child {
                    // Its parent learns of it only once we have.
                    consume(pid);
                }
                return false;
            }
            let Some(status) = consume(pid) else { return false };
            if !libc::WIFSTOPPED(status) {
                return false;
            }
            let signal = libc::WSTOPSIG(status);
            let is_event = status >> 16 != 0;
            if is_event {
                self.traced.extend(begun(pid));
            }
            if !is_event && is_fatal(pid, signal) {
                self.last = Snapshot::take(pid, signal, &self.program).or(self.last.take());
            }
            let given = if is_event { 0 } else { signal };
            // SAFETY: the process is stopped, and traced by us.
            unsafe { libc::ptrace(libc::PTRACE_CONT, pid, 0, given) };
        }
        true
    }
}

/// Begins to trace a process, if that is allowed.
fn seize(pid: Pid) -> bool {
    let begins = libc::PTRACE_O_TRACEFORK | libc::PTRACE_O_TRACEVFORK | libc::PTRACE_O_TRACECLONE;
    let options = begins | libc::PTRACE_O_EXITKILL;
    // SAFETY: a system call on a number; without the right to it, or without the process, it fails.
    unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, 0, options) == 0 }
}

/// The process or thread that a traced one has just begun, and that is traced from its first instruction.
fn begun(pid: Pid) -> Option<Pid> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: the process is stopped, and traced by us; the kernel fills the number.
    let failed = unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, pid, 0, &raw mut message) } != 0;
    (!failed && message > 1).then_some(message as Pid)
}

/// Stops a traced process where it is.
fn interrupt(pid: Pid) -> bool {
    // SAFETY: as above.
    if unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, pid, 0, 0) } != 0 {
        return false;
    }
    let deadline = Instant::now() + STOP_LIMIT;
    while Instant::now() < deadline {
        match news(pid) {
            Some(news) if news.is_end => return false,
            Some(_) => return consume(pid).is_some_and(|status| libc::WIFSTOPPED(status)),
            None => std::thread::sleep(PAUSE),
        }
    }
    false
}

/// What a process has to tell.
struct News {
    is_end: bool,
}

/// Looks for news without taking them.
fn news(pid: Pid) -> Option<News> {
    let options = libc::WEXITED | libc::WSTOPPED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
    // SAFETY: the kernel fills the structure, which is plain data.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let failed = libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, options) != 0;
        if failed {
            // There is no such child any more.
            return (*libc::__errno_location() == libc::ECHILD).then_some(News { is_end: true });
        }
        if info.si_pid() == 0 {
            return None;
        }
        Some(News { is_end: [libc::CLD_EXITED, libc::CLD_KILLED, libc::CLD_DUMPED].contains(&info.si_code) })
    }
}

/// Takes the news of a process.
fn consume(pid: Pid) -> Option<i32> {
    let mut status = 0;
    // SAFETY: fills a local integer.
    (unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG | libc::__WALL) } == pid).then_some(status)
}

/// True if a signal will end the process: it is of that sort, and neither caught nor ignored.
fn is_fatal(pid: Pid, signal: i32) -> bool {
    let sorts = [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
        libc::SIGABRT,
        libc::SIGTRAP,
        libc::SIGSYS,
        libc::SIGXFSZ,
        libc::SIGXCPU,
        libc::SIGQUIT,
    ];
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return false };
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0)
    };
    let handled = mask("SigCgt:") | mask("SigIgn:");
    sorts.contains(&signal) && handled & (1 << (signal - 1)) == 0
}

impl Snapshot {
    fn take(pid: Pid, signal: i32, program: &Path) -> Option<Snapshot> {
        // SAFETY: the structure is plain data, which the kernel fills.
        let registers = unsafe {
            let mut registers: libc::user_regs_struct = std::mem::zeroed();
            let failed = libc::ptrace(libc::PTRACE_GETREGS, pid, 0, &mut registers as *mut _) != 0;
            (!failed).then_some(registers)?
        };
        let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
        let mut stack = vec![0; STACK_BYTES];
        let mut len = 0;
        while len < stack.len() {
            match memory.read_at(&mut stack[len..(len + 4096).min(STACK_BYTES)], registers.rsp + len as u64) {
                Ok(n) if n > 0 => len += n,
                _ => break,
            }
        }
        stack.truncate(len);
        let mut code = [0; 16];
        let n_code = memory.read_at(&mut code, registers.rip).unwrap_or(0);
        let read = |address: u64, bytes: &mut [u8]| memory.read_exact_at(bytes, address).is_ok();
        let is_overflow = signal == libc::SIGFPE
            && crate::divisor::of(&code[..n_code], &registers, read).is_some_and(|divisor| divisor != 0);
        let images = images(&fs::read_to_string(format!("/proc/{pid}/maps")).ok()?);
        let report = (signal == libc::SIGABRT).then(|| report(&images, program, read)).flatten();
        let fault = [libc::SIGSEGV, libc::SIGBUS].contains(&signal).then(|| fault(pid)).flatten();
        Some(Snapshot { registers, stack, images, program: program.to_owned(), is_overflow, fault, report })
    }
}

/// The address of the access that a signal is about.
fn fault(pid: Pid) -> Option<u64> {
    // SAFETY: the process is stopped, and traced by us; the kernel fills the structure, which is plain data.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let failed = libc::ptrace(libc::PTRACE_GETSIGINFO, pid, 0, &raw mut info) != 0;
        // What is no address at all has none: the kernel says 0 then.
        (!failed && info.si_code > 0 && info.si_code != libc::SI_KERNEL).then(|| info.si_addr() as u64)
    }
}

/// The report of the memory build's runtime, if the program has one and it has said something.
fn report(images: &[Image], program: &Path, read: impl Fn(u64, &mut [u8]) -> bool) -> Option<String> {
    let image = images.iter().find(|image| image.path == program)?;
    let bytes = fs::read(program).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let base = if file.kind() == object::ObjectKind::Executable { 0 } else { image.base };
    let variable = file.dynamic_symbols().chain(file.symbols()).find(|symbol| symbol.name() == Ok(REPORT_SYMBOL))?;
    let mut text = vec![0; variable.size() as usize];
    if !read(base.wrapping_add(variable.address()), &mut text) {
        return None;
    }
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    Some(String::from_utf8_lossy(&text[..end]).into_owned()).filter(|text| !text.is_empty())
}

/// The mapped files of a process.
fn images(maps: &str) -> Vec<Image> {
    let mut found: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (Some(range), Some(_), Some(offset), Some(_), Some(_)) =
            (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let Some(path) = line.find('/').map(|at| &line[at..]) else { continue };
        let Some((first, last)) = range.split_once('-') else { continue };
        let parse = |text: &str| u64::from_str_radix(text, 16).unwrap_or(0);
        let (first, last, offset) = (parse(first), parse(last), parse(offset));
        let entry = found.entry(path).or_insert((first.wrapping_sub(offset), first, last));
        entry.1 = entry.1.min(first);
        entry.2 = entry.2.max(last);
    }
    let image =
        |(path, (base, first, last)): (&str, (u64, u64, u64))| Image { path: path.into(), base, range: first..last };
    found.into_iter().map(image).collect()
}

/// What is at the addresses of a process.
struct Symbols<'a> {
    snapshot: &'a Snapshot,
    unwinder: UnwinderX86_64<Vec<u8>>,
    /// Images, and what to subtract from addresses in them.
    bases: Vec<(&'a Image, u64)>,
    names: Names,
}

impl<'a> Symbols<'a> {
    fn of(snapshot: &'a Snapshot) -> Symbols<'a> {
        let mut unwinder = UnwinderX86_64::<Vec<u8>>::new();
        let mut bases = Vec::new();
        for image in &snapshot.images {
            let Some((module, base)) = module(image) else { continue };
            unwinder.add_module(module);
            bases.push((image, base));
        }
        Symbols { snapshot, unwinder, bases, names: Names::default() }
    }

    /// Adds the functions that are at an address.
    fn add(&mut self, address: u64, found: &mut Vec<Frame>) {
        match self.bases.iter().find(|(image, _)| image.range.contains(&address)) {
            Some((image, base)) => {
                self.names.add(image, address.wrapping_sub(*base), &self.snapshot.program, found);
            }
            None => found.push(Frame { function: "?".into(), file: None, line: 0, is_program: false }),
        }
    }
}

/// What was running, the innermost first.
fn frames(snapshot: &Snapshot, symbols: &mut Symbols) -> Vec<Frame> {
    let registers = &snapshot.registers;
    let mut cache = CacheX86_64::<_>::new();
    let mut read = |address: u64| {
        let at = address.checked_sub(registers.rsp).ok_or(())? as usize;
        let bytes = snapshot.stack.get(at..at + 8).ok_or(())?;
        Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| ())?))
    };
    let mut found = Vec::new();
    let (mut pc, mut sp) = (registers.rip, registers.rsp);
    if !snapshot.images.iter().any(|image| image.range.contains(&pc)) {
        // A call to an address where there is no code has done nothing yet but to push where it came from.
        found.push(Frame { function: "?".into(), file: None, line: 0, is_program: false });
        if let Ok(caller) = read(sp) {
            (pc, sp) = (caller.wrapping_sub(1), sp + 8);
        }
    }
    let start = UnwindRegsX86_64::new(pc, sp, registers.rbp);
    let mut addresses = Vec::new();
    let mut unwound = symbols.unwinder.iter_frames(pc, start, &mut cache, &mut read);
    while let Some(frame) = unwound.next().ok().flatten().filter(|_| addresses.len() < N_FRAMES_MAX) {
        addresses.push(match frame {
            FrameAddress::InstructionPointer(address) => address,
            FrameAddress::ReturnAddress(address) => address.get() - 1,
        });
    }
    for address in addresses {
        symbols.add(address, &mut found);
        if found.len() >= N_FRAMES_MAX {
            break;
        }
    }
    found
}

/// The unwind tables of a mapped file, and what to subtract from addresses in it.
fn module(image: &Image) -> Option<(Module<Vec<u8>>, u64)> {
    let bytes = fs::read(&image.path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let base = if file.kind() == object::ObjectKind::Executable { 0 } else { image.base };
    let section = |name: &str| file.section_by_name(name);
    let range = |name: &str| section(name).map(|section| section.address()..section.address() + section.size());
    let data = |name: &str| section(name).and_then(|section| section.data().ok()).map(<[u8]>::to_vec);
    let info = ExplicitModuleSectionInfo {
        base_svma: 0,
        text_svma: range(".text"),
        text: data(".text"),
        got_svma: range(".got"),
        eh_frame_svma: range(".eh_frame"),
        eh_frame: data(".eh_frame"),
        eh_frame_hdr_svma: range(".eh_frame_hdr"),
        eh_frame_hdr: data(".eh_frame_hdr"),
        debug_frame: data(".debug_frame"),
        ..ExplicitModuleSectionInfo::default()
    };
    Some((Module::new(image.path.display().to_string(), image.range.clone(), base, info), base))
}

/// How far back a line is looked for.
const N_BYTES_BACK: u64 = 64;

/// Some instructions belong to no line; the one before does. 0 if there is none near.
fn line_before(loader: Option<&addr2line::Loader>, address: u64) -> u32 {
    let line = |address| loader?.find_location(address).ok()??.line.filter(|&line| line != 0);
    (1..=N_BYTES_BACK).find_map(|back| line(address.checked_sub(back)?)).unwrap_or(0)
}

/// Functions and lines by image.
#[derive(Default)]
struct Names {
    loaders: BTreeMap<PathBuf, Option<addr2line::Loader>>,
}

impl Names {
    /// Adds the functions that are at an address: one, and those inlined there before it.
    fn add(&mut self, image: &Image, address: u64, program: &Path, found: &mut Vec<Frame>) {
        let loader = self.loaders.entry(image.path.clone()).or_insert_with(|| addr2line::Loader::new(&image.path).ok());
        let symbol = loader.as_ref().and_then(|loader| loader.find_symbol(address));
        let mut n_found = 0;
        let is_program = image.path == program && !symbol.is_some_and(|symbol| symbol.starts_with(STAND_IN));
        if let Some(mut inlined) = loader.as_ref().and_then(|loader| loader.find_frames(address).ok()) {
            while let Ok(Some(frame)) = inlined.next() {
                let named = frame.function.as_ref().and_then(|name| name.demangle().ok()).map(|name| name.into_owned());
                let location = frame.location.as_ref();
                let Some(function) = named.or_else(|| symbol.map(str::to_owned)) else { continue };
                let file = location.and_then(|location| location.file).map(str::to_owned);
                let line = location.and_then(|location| location.line).unwrap_or(0);
                let line = if line == 0 && n_found == 0 { line_before(loader.as_ref(), address) } else { line };
                // A library that was built here is the user's own.
                let is_program = is_program || file.is_some();
                found.push(Frame { function, file, line, is_program });
                n_found += 1;
            }
        }
        if n_found == 0 {
            let function = symbol.map_or_else(|| "?".to_owned(), str::to_owned);
            found.push(Frame { function, file: None, line: 0, is_program });
        }
    }
}
