//! The environment.
//!
//! Values of variables that are input carry their labels in memory, as
//! arguments do, so a program that walks `environ` finds them too. What is
//! modelled here is what the library does with names, and copies.

use core::ffi::{c_char, c_int};

use crate::shadow;
use crate::state::Guard;

use super::{models, Call, Model};

models! {
    getenv,
    secure_getenv,
    setenv,
    unsetenv,
}

/// The library's own.
mod real {
    use super::c_char;

    unsafe extern "C" {
        pub fn secure_getenv(name: *const c_char) -> *mut c_char;
    }
}

/// Which variable it is depends on the name, which is pinned.
unsafe fn named(call: Call, name: *const c_char) {
    if let Some(_guard) = Guard::enter() {
        call.pin_address(0, name as u64);
        // SAFETY: the program hands over a string.
        unsafe { call.pin_text(name) };
    }
}

pub unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        named(Call::take(getenv as *const u8), name);
        libc::getenv(name)
    }
}

pub unsafe extern "C" fn secure_getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: forwards.
    unsafe {
        named(Call::take(secure_getenv as *const u8), name);
        real::secure_getenv(name)
    }
}

/// The copy that the library made of `value` has its labels. Where it ends depends on each byte.
unsafe fn copied(model: &Model, name: *const c_char, value: *const c_char) {
    // SAFETY: the library has just copied the string.
    unsafe {
        let copy = libc::getenv(name);
        if copy.is_null() || copy.cast_const() == value {
            return;
        }
        let len = libc::strlen(value) as u64 + 1;
        if model.may_be_symbolic(value as u64, len) {
            for at in value as u64..value as u64 + len {
                model.branch(model.byte(at).is(0));
            }
        }
        shadow::copy(copy as u64, value as u64, len);
    }
}

pub unsafe extern "C" fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int {
    let call = Call::take(setenv as *const u8);
    // SAFETY: forwards.
    unsafe {
        let is_kept = overwrite == 0 && !libc::getenv(name).is_null();
        named(call, name);
        let result = libc::setenv(name, value, overwrite);
        if let Some(model) = call.follow() {
            call.pin_address(1, value as u64);
            call.pin_number(2, overwrite as u64);
            if result == 0 && !is_kept {
                copied(&model, name, value);
            }
        }
        result
    }
}

pub unsafe extern "C" fn unsetenv(name: *const c_char) -> c_int {
    // SAFETY: forwards.
    unsafe {
        named(Call::take(unsetenv as *const u8), name);
        libc::unsetenv(name)
    }
}
