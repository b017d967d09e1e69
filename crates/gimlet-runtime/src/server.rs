//! Start-up: shadow, driver, fork server; registration of modules; the end of a run.
//!
//! [`start`] runs from `.preinit_array`: before any constructor, also before
//! those of shared objects, and so before any instrumented code.

use core::ptr::addr_of;

use gimlet_trace::abi::GLOBAL_CONSTANT;
use gimlet_trace::event::{EndKind, EventKind, EventRecord, NO_SITE};
use gimlet_trace::shm::{stop, Header, Message, ModuleRecord, Region, DRIVER_ENV, MAGIC};
use gimlet_trace::{FORMAT_VERSION, VERSION_MAGIC};

use crate::contents;
use crate::implied;
use crate::input;
use crate::lengths;
use crate::log::{self, blank};
use crate::model::ctype;
use crate::objects;
use crate::shadow;
use crate::stack;
use crate::state::{self, header, Guard};
use crate::table;
use crate::tokens;

/// What the driver looks for in the file before it runs it.
#[repr(C)]
pub struct Version {
    magic: [u8; 8],
    version: u32,
}

#[used]
#[unsafe(link_section = "gimlet_version")]
static VERSION: Version = Version { magic: VERSION_MAGIC, version: FORMAT_VERSION };

#[used]
#[unsafe(link_section = ".preinit_array")]
static START: unsafe extern "C" fn(i32, *mut *mut u8, *mut *mut u8) = start;

#[used]
#[unsafe(link_section = ".fini_array")]
static FINISH: extern "C" fn() = finish;

#[cfg(not(test))]
unsafe extern "C" {
    /// Makes time and chance the same in every run, if the driver says so (`fixed.c` of gimlet-cc).
    fn gimlet_fixed_begin(argc: i32, argv: *mut *mut u8, environment: *mut *mut u8);
}

unsafe extern "C" fn start(argc: i32, argv: *mut *mut u8, environment: *mut *mut u8) {
    stack::adjust();
    if !shadow::map() {
        // SAFETY: the arguments are those of the process.
        unsafe { stack::execute_again(argv, environment) };
        state::say(b"gimlet: cannot reserve shadow memory (16 TiB of address space, not of memory). ");
        state::say(b"Lift `ulimit -v`, make `ulimit -s` finite, or run the .plain build.\n");
        // SAFETY: ends the process.
        unsafe { libc::_exit(126) };
    }
    // SAFETY: the arguments are those of the process.
    unsafe {
        #[cfg(not(test))]
        gimlet_fixed_begin(argc, argv, environment);
        if let Some((shared, control)) = find_driver(environment) {
            serve(shared, control, argc, argv, environment);
        }
    }
}

/// Takes the driver's variable out of the environment: what the program execs shall not find it.
unsafe fn find_driver(environment: *mut *mut u8) -> Option<(i32, i32)> {
    let name = DRIVER_ENV.as_bytes();
    let mut at = environment;
    // SAFETY: the environment is a null-terminated array of strings.
    unsafe {
        while !(*at).is_null() {
            let text = core::ffi::CStr::from_ptr((*at).cast()).to_bytes();
            if text.len() > name.len() && &text[..name.len()] == name && text[name.len()] == b'=' {
                let pair = descriptors(&text[name.len() + 1..]);
                while !(*at).is_null() {
                    *at = *at.add(1);
                    at = at.add(1);
                }
                return pair;
            }
            at = at.add(1);
        }
    }
    None
}

fn descriptors(text: &[u8]) -> Option<(i32, i32)> {
    let mut numbers = [0i32; 2];
    let mut index = 0;
    for &byte in text {
        match byte {
            b':' if index == 0 => index = 1,
            b'0'..=b'9' => numbers[index] = numbers[index].checked_mul(10)?.checked_add(i32::from(byte - b'0'))?,
            _ => return None,
        }
    }
    (index == 1).then_some((numbers[0], numbers[1]))
}

fn send(control: i32, tag: u32, value: u32) -> bool {
    let message = Message { tag, value };
    let len = core::mem::size_of::<Message>();
    // SAFETY: the message is a plain structure.
    unsafe { libc::send(control, addr_of!(message).cast(), len, libc::MSG_NOSIGNAL) == len as isize }
}

fn receive(control: i32) -> Option<Message> {
    let mut message = Message::default();
    let len = core::mem::size_of::<Message>();
    // SAFETY: the message is a plain structure of `len` bytes.
    let got = unsafe { libc::recv(control, core::ptr::addr_of_mut!(message).cast(), len, libc::MSG_WAITALL) };
    (got == len as isize).then_some(message)
}

/// Maps the driver's memory and checks that both speak the same format.
unsafe fn attach(shared: i32, control: i32) -> bool {
    // SAFETY: the mapping is checked before it is used.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        if libc::fstat(shared, &mut stat) != 0 || (stat.st_size as usize) < core::mem::size_of::<Header>() {
            send(control, Message::FAILED, libc::EBADF as u32);
            return false;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let len = stat.st_size as usize;
        let base =
            libc::mmap(core::ptr::null_mut(), len, protection, libc::MAP_SHARED | libc::MAP_NORESERVE, shared, 0);
        if base == libc::MAP_FAILED {
            send(control, Message::FAILED, libc::ENOMEM as u32);
            return false;
        }
        libc::madvise(base, len, libc::MADV_DONTDUMP);
        let header = &*base.cast::<Header>();
        if header.magic != MAGIC || header.version != FORMAT_VERSION {
            send(control, Message::HELLO, FORMAT_VERSION);
            return false;
        }
        state::attach(base.cast());
        libc::madvise(state::active_page().cast(), 4096, libc::MADV_WIPEONFORK);
    }
    objects::map() && implied::map()
}

/// Serves runs. Returns in each forked child, which goes on to be the program; the server itself never returns.
unsafe fn serve(shared: i32, control: i32, argc: i32, argv: *mut *mut u8, environment: *mut *mut u8) {
    // SAFETY: the descriptors are the driver's.
    unsafe {
        if !attach(shared, control) {
            libc::_exit(125);
        }
        register_linked();
        ctype::register();
        if !send(control, Message::HELLO, FORMAT_VERSION) {
            libc::_exit(125);
        }
        loop {
            let Some(message) = receive(control) else { libc::_exit(0) };
            if message.tag != Message::RUN {
                continue;
            }
            libc::lseek(0, 0, libc::SEEK_SET);
            let child = libc::fork();
            if child == 0 {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::close(control);
                libc::close(shared);
                return begin(argc, argv, environment);
            }
            if child < 0 {
                send(control, Message::FAILED, *libc::__errno_location() as u32);
                continue;
            }
            send(control, Message::PID, child as u32);
            let mut status = 0;
            while libc::waitpid(child, &mut status, 0) < 0 && *libc::__errno_location() == libc::EINTR {}
            // Descendants that lost their parent are ours, as long as they are zombies.
            while libc::waitpid(-1, core::ptr::null_mut(), libc::WNOHANG) > 0 {}
            input::count_native_stdin();
            if !send(control, Message::STATUS, status as u32) {
                libc::_exit(0);
            }
        }
    }
}

/// The first thing that a run does.
unsafe fn begin(argc: i32, argv: *mut *mut u8, environment: *mut *mut u8) {
    table::reset();
    tokens::begin();
    publish_modules();
    lengths::begin();
    // SAFETY: the arguments are those of the process.
    unsafe {
        input::replace_arguments(argc, argv);
        input::replace_environment(environment);
    }
    contents::begin();
    header().run_seen = header().run;
    if shares_shadow() {
        state::stop(stop::ALIASED);
    }
    state::set_active(true);
    lengths::begin_trace();
}

/// True if address randomisation put mappings at places that share shadow memory: possible where the driver could
/// not switch it off. The stack, the program and the libraries are looked at.
fn shares_shadow() -> bool {
    use gimlet_trace::abi::SHADOW_MASK;
    let on_stack = 0u8;
    let places = [addr_of!(on_stack) as u64, start as *const u8 as u64, libc::__errno_location as *const u8 as u64]
        .map(|at| at & SHADOW_MASK);
    const APART: u64 = 1 << 30;
    let near = |x: u64, y: u64, xs: u64, ys: u64| x.abs_diff(y) < APART && xs.abs_diff(ys) >= APART;
    let real = [addr_of!(on_stack) as u64, start as *const u8 as u64, libc::__errno_location as *const u8 as u64];
    (0..3).any(|i| (0..i).any(|j| near(places[i], places[j], real[i], real[j])))
}

/// What the pass puts into each object.
#[repr(C)]
pub struct Module {
    version: u32,
    pub site_base: u32,
    n_sites: u32,
    n_globals: u32,
    build_id: u64,
    globals: *const [u64; 2],
    /// The number of the site of the function that returns tokens, and one; 0 if it is not here.
    token_function: u32,
    /// [`gimlet_trace::program`]
    pub programs: *const u8,
}

unsafe extern "C" {
    #[link_name = "__start_gimlet_modules"]
    static FIRST_MODULE: [*mut Module; 0];
    #[link_name = "__stop_gimlet_modules"]
    static LAST_MODULE: [*mut Module; 0];
}

/// Keeps the section's bounds defined in a program without any module.
#[used]
#[unsafe(link_section = "gimlet_modules")]
static NO_MODULE: [u64; 1] = [0];

/// Modules known so far; their records are written at the beginning of each run.
const MODULES_MAX: usize = 1 << 16;
static mut MODULES: [*mut Module; MODULES_MAX] = [core::ptr::null_mut(); MODULES_MAX];
static mut N_MODULES: usize = 0;
static mut N_SITES: u32 = 0;

unsafe fn register_linked() {
    // SAFETY: the linker defines the bounds of the section, which holds pointers to descriptors or zero.
    unsafe {
        let mut at = addr_of!(FIRST_MODULE).cast::<*mut Module>();
        let end = addr_of!(LAST_MODULE).cast::<*mut Module>();
        while at < end {
            if !(*at).is_null() {
                add_module(*at);
            }
            at = at.add(1);
        }
    }
}

unsafe fn add_module(module: *mut Module) {
    // SAFETY: descriptors are the pass's; one thread at a time comes here.
    unsafe {
        if N_MODULES >= MODULES_MAX || (*module).site_base != 0 {
            return;
        }
        // Bases begin at 1, so that zero says "not registered".
        (*module).site_base = N_SITES + 1;
        N_SITES += (*module).n_sites + 1;
        MODULES[N_MODULES] = module;
        N_MODULES += 1;
        for index in 0..(*module).n_globals as usize {
            let [address, size] = (*module).globals.add(index).read();
            objects::insert(address, size & !GLOBAL_CONSTANT, size & GLOBAL_CONSTANT != 0);
        }
    }
}

fn publish_module(index: usize) {
    let header = header();
    if u64::from(header.n_modules) >= state::capacity::<ModuleRecord>(Region::Modules) {
        return state::stop(stop::TABLES);
    }
    // SAFETY: registered modules stay; room was checked.
    unsafe {
        let module = &mut *MODULES[index];
        let has_token_function = header.token_build == module.build_id;
        module.token_function = if has_token_function { header.token_function } else { 0 };
        let (image_offset, image_len) = image_of(MODULES[index]);
        let record = ModuleRecord {
            base: module.site_base,
            count: module.n_sites,
            build_id: module.build_id,
            image_offset,
            image_len,
        };
        state::region::<ModuleRecord>(Region::Modules).add(header.n_modules as usize).write(record);
    }
    header.n_modules += 1;
}

/// Path of the shared object that a module is in, as a name; empty for the program itself.
unsafe fn image_of(module: *mut Module) -> (u32, u32) {
    // SAFETY: dladdr fills the structure or fails.
    unsafe {
        let mut module_info: libc::Dl_info = core::mem::zeroed();
        let mut own_info: libc::Dl_info = core::mem::zeroed();
        if libc::dladdr(module.cast(), &mut module_info) == 0 || libc::dladdr(start as *const _, &mut own_info) == 0 {
            return (0, 0);
        }
        if module_info.dli_fbase == own_info.dli_fbase || module_info.dli_fname.is_null() {
            return (0, 0);
        }
        let path = core::ffi::CStr::from_ptr(module_info.dli_fname).to_bytes();
        state::push_name(path).map_or((0, 0), |offset| (offset, path.len() as u32))
    }
}

fn publish_modules() {
    // SAFETY: no other thread yet.
    for index in 0..unsafe { N_MODULES } {
        publish_module(index);
    }
}

/// Called by a constructor of each object: does something for those that `dlopen` or the loader brought along.
pub extern "C" fn gimlet_rt_register(module: *mut u8) {
    let Some(_guard) = Guard::enter() else { return };
    // SAFETY: every version's descriptor begins with its number.
    if unsafe { (*module.cast::<Module>()).version } != FORMAT_VERSION {
        refuse(module.cast());
    }
    // SAFETY: the pass's constructor hands over its descriptor; dladdr does not call back.
    unsafe {
        let before = N_MODULES;
        add_module(module.cast());
        if N_MODULES > before {
            publish_module(before);
            let index = header().n_modules.saturating_sub(1);
            log::event(EventRecord { a: index, ..blank(EventKind::ModuleLoad, NO_SITE) });
        }
    }
}

/// Ends a traced run: the entry points may mean something else to the module.
fn refuse(module: *mut Module) -> ! {
    // SAFETY: dladdr fills the structure or fails; then the process ends.
    unsafe {
        let mut info: libc::Dl_info = core::mem::zeroed();
        state::say(b"gimlet: ");
        if libc::dladdr(module.cast(), &mut info) != 0 && !info.dli_fname.is_null() {
            state::say(core::ffi::CStr::from_ptr(info.dli_fname).to_bytes());
        }
        state::say(b" was compiled by another version of gimlet-cc than the program: compile both again\n");
        libc::_exit(125)
    }
}

/// The program is about to end by itself.
pub fn end(kind: EndKind, value: u64) {
    let Some(_guard) = Guard::enter() else { return };
    input::count_native_connections();
    log::event(EventRecord { aux: kind as u16, x: value, ..blank(EventKind::End, NO_SITE) });
}

/// Runs last of all: an exit that went through here was an ordinary one.
extern "C" fn finish() {
    end(EndKind::Exit, 0);
}
