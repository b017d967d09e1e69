//! Searches in strings of wide characters, and comparisons of them: those of [`super::search`] and [`super::compare`],
//! four bytes at a time.

use core::ffi::c_int;

use super::compare::{collate, compare, compare_memory, Case};
use super::search::{
    follow_character, follow_last_character, follow_length, follow_one_of, follow_set, follow_text, AtEnd, Gives,
};
use super::width::Characters;
use super::{models, Call, UNLIMITED};

models! {
    wcslen,
    wcsnlen,
    wcschr,
    wcschrnul,
    wcsrchr,
    wmemchr,
    wcsspn,
    wcscspn,
    wcspbrk,
    wcsstr,
    wcswcs: wcsstr,
    wcscmp,
    wcscasecmp,
    wcsncmp,
    wcsncasecmp,
    wcscoll,
    wmemcmp,
}

/// The library's own.
mod real {
    use super::c_int;

    unsafe extern "C" {
        pub fn wcslen(text: *const c_int) -> usize;
        pub fn wcsnlen(text: *const c_int, n: usize) -> usize;
        pub fn wcschr(text: *const c_int, wanted: c_int) -> *mut c_int;
        pub fn wcschrnul(text: *const c_int, wanted: c_int) -> *mut c_int;
        pub fn wcsrchr(text: *const c_int, wanted: c_int) -> *mut c_int;
        pub fn wmemchr(memory: *const c_int, wanted: c_int, n: usize) -> *mut c_int;
        pub fn wcsspn(text: *const c_int, accept: *const c_int) -> usize;
        pub fn wcscspn(text: *const c_int, reject: *const c_int) -> usize;
        pub fn wcspbrk(text: *const c_int, accept: *const c_int) -> *mut c_int;
        pub fn wcsstr(text: *const c_int, wanted: *const c_int) -> *mut c_int;
        pub fn wcscmp(a: *const c_int, b: *const c_int) -> c_int;
        pub fn wcscasecmp(a: *const c_int, b: *const c_int) -> c_int;
        pub fn wcsncmp(a: *const c_int, b: *const c_int, n: usize) -> c_int;
        pub fn wcsncasecmp(a: *const c_int, b: *const c_int, n: usize) -> c_int;
        pub fn wcscoll(a: *const c_int, b: *const c_int) -> c_int;
        pub fn wmemcmp(a: *const c_int, b: *const c_int, n: usize) -> c_int;
    }
}

pub unsafe extern "C" fn wcslen(text: *const c_int) -> usize {
    let call = Call::take(wcslen as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcslen(text);
        if let Some(model) = call.follow() {
            follow_length(&model, Characters::wide(text as u64), UNLIMITED, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcsnlen(text: *const c_int, n: usize) -> usize {
    let call = Call::take(wcsnlen as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcsnlen(text, n);
        if let Some(model) = call.follow() {
            follow_length(&model, Characters::wide(text as u64), model.size(1, n as u64), real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcschr(text: *const c_int, wanted: c_int) -> *mut c_int {
    let call = Call::take(wcschr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcschr(text, wanted);
        if let Some(model) = call.follow() {
            follow_character(&model, Characters::wide(text as u64), wanted, AtEnd::Null, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcschrnul(text: *const c_int, wanted: c_int) -> *mut c_int {
    let call = Call::take(wcschrnul as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcschrnul(text, wanted);
        if let Some(model) = call.follow() {
            follow_character(&model, Characters::wide(text as u64), wanted, AtEnd::Place, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcsrchr(text: *const c_int, wanted: c_int) -> *mut c_int {
    let call = Call::take(wcsrchr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcsrchr(text, wanted);
        if let Some(model) = call.follow() {
            follow_last_character(&model, Characters::wide(text as u64), wanted, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wmemchr(memory: *const c_int, wanted: c_int, n: usize) -> *mut c_int {
    let call = Call::take(wmemchr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wmemchr(memory, wanted, n);
        if let Some(model) = call.follow() {
            let limit = model.size(2, n as u64).min(UNLIMITED);
            follow_one_of(&model, Characters::wide(memory as u64), wanted, limit, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcsspn(text: *const c_int, accept: *const c_int) -> usize {
    let call = Call::take(wcsspn as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcsspn(text, accept);
        if let Some(model) = call.follow() {
            let (text, accept) = (Characters::wide(text as u64), Characters::wide(accept as u64));
            follow_set(&model, text, accept, false, Gives::Distance, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcscspn(text: *const c_int, reject: *const c_int) -> usize {
    let call = Call::take(wcscspn as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcscspn(text, reject);
        if let Some(model) = call.follow() {
            let (text, reject) = (Characters::wide(text as u64), Characters::wide(reject as u64));
            follow_set(&model, text, reject, true, Gives::Distance, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcspbrk(text: *const c_int, accept: *const c_int) -> *mut c_int {
    let call = Call::take(wcspbrk as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcspbrk(text, accept);
        if let Some(model) = call.follow() {
            let (text, accept) = (Characters::wide(text as u64), Characters::wide(accept as u64));
            follow_set(&model, text, accept, true, Gives::Place, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcsstr(text: *const c_int, wanted: *const c_int) -> *mut c_int {
    let call = Call::take(wcsstr as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcsstr(text, wanted);
        if let Some(model) = call.follow() {
            let (text, wanted) = (Characters::wide(text as u64), Characters::wide(wanted as u64));
            follow_text(&model, text, wanted, Case::Kept, real as u64);
        }
        real
    }
}

pub unsafe extern "C" fn wcscmp(a: *const c_int, b: *const c_int) -> c_int {
    let call = Call::take(wcscmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcscmp(a, b);
        if let Some(model) = call.follow() {
            compare(&model, Characters::wide(a as u64), Characters::wide(b as u64), UNLIMITED, Case::Kept, real);
        }
        real
    }
}

pub unsafe extern "C" fn wcscasecmp(a: *const c_int, b: *const c_int) -> c_int {
    let call = Call::take(wcscasecmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcscasecmp(a, b);
        if let Some(model) = call.follow() {
            compare(&model, Characters::wide(a as u64), Characters::wide(b as u64), UNLIMITED, Case::Wide, real);
        }
        real
    }
}

pub unsafe extern "C" fn wcsncmp(a: *const c_int, b: *const c_int, n: usize) -> c_int {
    let call = Call::take(wcsncmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcsncmp(a, b, n);
        if let Some(model) = call.follow() {
            let limit = model.size(2, n as u64).min(UNLIMITED);
            compare(&model, Characters::wide(a as u64), Characters::wide(b as u64), limit, Case::Kept, real);
        }
        real
    }
}

pub unsafe extern "C" fn wcsncasecmp(a: *const c_int, b: *const c_int, n: usize) -> c_int {
    let call = Call::take(wcsncasecmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcsncasecmp(a, b, n);
        if let Some(model) = call.follow() {
            let limit = model.size(2, n as u64).min(UNLIMITED);
            compare(&model, Characters::wide(a as u64), Characters::wide(b as u64), limit, Case::Wide, real);
        }
        real
    }
}

pub unsafe extern "C" fn wcscoll(a: *const c_int, b: *const c_int) -> c_int {
    let call = Call::take(wcscoll as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wcscoll(a, b);
        if let Some(model) = call.follow() {
            collate(&model, Characters::wide(a as u64), Characters::wide(b as u64), real);
        }
        real
    }
}

pub unsafe extern "C" fn wmemcmp(a: *const c_int, b: *const c_int, n: usize) -> c_int {
    let call = Call::take(wmemcmp as *const u8);
    // SAFETY: forwards.
    unsafe {
        let real = real::wmemcmp(a, b, n);
        if let Some(model) = call.follow() {
            compare_memory(&model, Characters::wide(a as u64), Characters::wide(b as u64), n, real);
        }
        real
    }
}
