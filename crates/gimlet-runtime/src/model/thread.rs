//! Threads get numbers in the order in which they are created, whoever runs first.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use crate::tls;

use super::{models, Call};

models! {
    pthread_create,
}

type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

/// The library's own.
mod real {
    use super::{c_int, c_void, Routine};

    unsafe extern "C" {
        pub fn pthread_create(
            thread: *mut c_void,
            attributes: *const c_void,
            routine: Routine,
            argument: *mut c_void,
        ) -> c_int;
    }
}

/// What a new thread finds: its own routine, argument and number.
struct Start {
    routine: Routine,
    argument: *mut c_void,
    number: u32,
}

const STARTS: usize = 4096;
static mut START: [core::mem::MaybeUninit<Start>; STARTS] = [const { core::mem::MaybeUninit::uninit() }; STARTS];
static CREATED: AtomicU32 = AtomicU32::new(0);

extern "C" fn begin(start: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` filled it for this thread.
    let Start { routine, argument, number } = unsafe { start.cast::<Start>().read() };
    tls::set_thread(number);
    routine(argument)
}

pub unsafe extern "C" fn pthread_create(
    thread: *mut c_void,
    attributes: *const c_void,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    Call::take(pthread_create as *const u8);
    let number = CREATED.fetch_add(1, Ordering::Relaxed) + 1;
    // SAFETY: each of the first threads has a cell of its own; later ones go without a number.
    unsafe {
        if number as usize >= STARTS {
            return real::pthread_create(thread, attributes, routine, argument);
        }
        let cell = core::ptr::addr_of_mut!(START[number as usize]).cast::<Start>();
        cell.write(Start { routine, argument, number });
        real::pthread_create(thread, attributes, begin, cell.cast())
    }
}
