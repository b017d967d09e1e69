//! The limit of the stack.
//!
//! Instrumented frames are larger than plain ones, so a small limit is raised.
//! An unlimited one is worse: the kernel then puts libraries and its own pages
//! where the shadow memory has to be. The program is executed once more with a
//! limit that is finite while the kernel lays out the address space, and lifted
//! again before the program's own code runs. The value of that limit tells the
//! second process what it is, so nothing is added to the environment.

use core::mem::zeroed;

/// Recursion that fits clang's build shall fit ours. The kernel looks at the limit when the stack grows, and keeps
/// 128 MiB free below it.
const RAISED: u64 = 64 << 20;

/// Room for the stack in the second process, an odd number of pages that nobody else would ask for.
const LAID_OUT: u64 = (64 << 30) + 0x6_1000;

/// What libc gives new threads where the limit is infinite.
const THREAD_STACK: usize = 2 << 20;

const EXECUTABLE: *const libc::c_char = c"/proc/self/exe".as_ptr();

fn limit() -> Option<libc::rlimit> {
    // SAFETY: a plain structure that the call fills.
    unsafe {
        let mut limit: libc::rlimit = zeroed();
        (libc::getrlimit(libc::RLIMIT_STACK, &mut limit) == 0).then_some(limit)
    }
}

fn set_limit(limit: libc::rlimit) -> bool {
    // SAFETY: a plain structure.
    unsafe { libc::setrlimit(libc::RLIMIT_STACK, &limit) == 0 }
}

/// Sets the limit that the program runs with.
pub fn adjust() {
    let Some(mut limit) = limit() else { return };
    if limit.rlim_cur == LAID_OUT {
        limit.rlim_cur = limit.rlim_max;
        set_limit(limit);
        limit_threads();
    } else if limit.rlim_cur < RAISED {
        limit.rlim_cur = RAISED.min(limit.rlim_max);
        set_limit(limit);
    }
}

/// libc took the size of threads' stacks from the limit before we were called.
fn limit_threads() {
    unsafe extern "C" {
        fn pthread_getattr_default_np(attributes: *mut libc::pthread_attr_t) -> i32;
        fn pthread_setattr_default_np(attributes: *const libc::pthread_attr_t) -> i32;
    }
    // SAFETY: the attributes are filled before they are used.
    unsafe {
        let mut attributes: libc::pthread_attr_t = zeroed();
        if pthread_getattr_default_np(&mut attributes) == 0 {
            libc::pthread_attr_setstacksize(&mut attributes, THREAD_STACK);
            pthread_setattr_default_np(&attributes);
            libc::pthread_attr_destroy(&mut attributes);
        }
    }
}

/// Executes the program once more if the stack's limit may be why there is no room. Returns if that can't help.
///
/// # Safety
/// The arguments are those of the process.
pub unsafe fn execute_again(argv: *mut *mut u8, environment: *mut *mut u8) {
    let Some(old) = limit() else { return };
    if old.rlim_cur <= LAID_OUT || was_named_to_loader() {
        return;
    }
    if !set_limit(libc::rlimit { rlim_cur: LAID_OUT, ..old }) {
        return;
    }
    // SAFETY: the caller vouches for the arguments; the paths are strings.
    unsafe { libc::execve(path(), argv.cast(), environment.cast()) };
    set_limit(old);
}

/// The program's path: as it was started, or where that is something else by now (a script), as the kernel knows it.
fn path() -> *const libc::c_char {
    // SAFETY: the kernel's string; stat fills its structure.
    unsafe {
        let given = libc::getauxval(libc::AT_EXECFN) as *const libc::c_char;
        let (mut ours, mut named): (libc::stat, libc::stat) = (zeroed(), zeroed());
        if libc::stat(EXECUTABLE, &mut ours) != 0 {
            return given;
        }
        let is_same = !given.is_null()
            && libc::stat(given, &mut named) == 0
            && (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino);
        if is_same {
            given
        } else {
            EXECUTABLE
        }
    }
}

/// True if the dynamic loader was called by name with the program as an argument: its own arguments are gone.
fn was_named_to_loader() -> bool {
    // SAFETY: the kernel and the loader describe the program's headers.
    unsafe {
        let headers = libc::getauxval(libc::AT_PHDR) as *const libc::Elf64_Phdr;
        let n_headers = libc::getauxval(libc::AT_PHNUM) as usize;
        let has_loader = (0..n_headers).any(|index| (*headers.add(index)).p_type == libc::PT_INTERP);
        has_loader && libc::getauxval(libc::AT_BASE) == 0
    }
}
