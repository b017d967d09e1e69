//! Copies and fills of wide characters: those of [`super::copy`], four bytes at a time.

use core::ffi::c_int;

use super::copy::{copy, copy_to_end, fill, follow_append, follow_copy, follow_duplicate, follow_field, Gives};
use super::width::{Characters, Width};
use super::{models, Call, UNLIMITED};

models! {
    wmemcpy,
    __wmemcpy_chk,
    wmemmove,
    __wmemmove_chk,
    wmempcpy,
    __wmempcpy_chk,
    wmemset,
    __wmemset_chk,
    wcscpy,
    __wcscpy_chk,
    wcpcpy,
    __wcpcpy_chk,
    wcsncpy,
    __wcsncpy_chk,
    wcpncpy,
    __wcpncpy_chk,
    wcscat,
    __wcscat_chk,
    wcsncat,
    __wcsncat_chk,
    wcsdup,
}

/// The library's own.
mod real {
    use super::c_int;

    unsafe extern "C" {
        pub fn wmemcpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int;
        pub fn __wmemcpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int;
        pub fn wmemmove(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int;
        pub fn __wmemmove_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int;
        pub fn wmempcpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int;
        pub fn __wmempcpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int;
        pub fn wmemset(to: *mut c_int, wide: c_int, n: usize) -> *mut c_int;
        pub fn __wmemset_chk(to: *mut c_int, wide: c_int, n: usize, room: usize) -> *mut c_int;
        pub fn wcscpy(to: *mut c_int, from: *const c_int) -> *mut c_int;
        pub fn __wcscpy_chk(to: *mut c_int, from: *const c_int, room: usize) -> *mut c_int;
        pub fn wcpcpy(to: *mut c_int, from: *const c_int) -> *mut c_int;
        pub fn __wcpcpy_chk(to: *mut c_int, from: *const c_int, room: usize) -> *mut c_int;
        pub fn wcsncpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int;
        pub fn __wcsncpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int;
        pub fn wcpncpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int;
        pub fn __wcpncpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int;
        pub fn wcscat(to: *mut c_int, from: *const c_int) -> *mut c_int;
        pub fn __wcscat_chk(to: *mut c_int, from: *const c_int, room: usize) -> *mut c_int;
        pub fn wcsncat(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int;
        pub fn __wcsncat_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int;
        pub fn wcsdup(from: *const c_int) -> *mut c_int;
    }
}

pub unsafe extern "C" fn wmemcpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int {
    copy(Call::take(wmemcpy as *const u8), Width::Wide, to.cast(), from.cast(), n);
    // SAFETY: forwards.
    unsafe { real::wmemcpy(to, from, n) }
}

pub unsafe extern "C" fn __wmemcpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int {
    copy(Call::take(__wmemcpy_chk as *const u8), Width::Wide, to.cast(), from.cast(), n);
    // SAFETY: forwards.
    unsafe { real::__wmemcpy_chk(to, from, n, room) }
}

pub unsafe extern "C" fn wmemmove(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int {
    copy(Call::take(wmemmove as *const u8), Width::Wide, to.cast(), from.cast(), n);
    // SAFETY: forwards.
    unsafe { real::wmemmove(to, from, n) }
}

pub unsafe extern "C" fn __wmemmove_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int {
    copy(Call::take(__wmemmove_chk as *const u8), Width::Wide, to.cast(), from.cast(), n);
    // SAFETY: forwards.
    unsafe { real::__wmemmove_chk(to, from, n, room) }
}

pub unsafe extern "C" fn wmempcpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int {
    copy_to_end(Call::take(wmempcpy as *const u8), Width::Wide, to.cast(), from.cast(), n);
    // SAFETY: forwards.
    unsafe { real::wmempcpy(to, from, n) }
}

pub unsafe extern "C" fn __wmempcpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int {
    copy_to_end(Call::take(__wmempcpy_chk as *const u8), Width::Wide, to.cast(), from.cast(), n);
    // SAFETY: forwards.
    unsafe { real::__wmempcpy_chk(to, from, n, room) }
}

pub unsafe extern "C" fn wmemset(to: *mut c_int, wide: c_int, n: usize) -> *mut c_int {
    fill(Call::take(wmemset as *const u8), Width::Wide, to.cast(), wide, n);
    // SAFETY: forwards.
    unsafe { real::wmemset(to, wide, n) }
}

pub unsafe extern "C" fn __wmemset_chk(to: *mut c_int, wide: c_int, n: usize, room: usize) -> *mut c_int {
    fill(Call::take(__wmemset_chk as *const u8), Width::Wide, to.cast(), wide, n);
    // SAFETY: forwards.
    unsafe { real::__wmemset_chk(to, wide, n, room) }
}

pub unsafe extern "C" fn wcscpy(to: *mut c_int, from: *const c_int) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(wcscpy as *const u8), to as u64, Characters::wide(from as u64), Gives::Target);
        real::wcscpy(to, from)
    }
}

pub unsafe extern "C" fn __wcscpy_chk(to: *mut c_int, from: *const c_int, room: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(__wcscpy_chk as *const u8), to as u64, Characters::wide(from as u64), Gives::Target);
        real::__wcscpy_chk(to, from, room)
    }
}

pub unsafe extern "C" fn wcpcpy(to: *mut c_int, from: *const c_int) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(wcpcpy as *const u8), to as u64, Characters::wide(from as u64), Gives::End);
        real::wcpcpy(to, from)
    }
}

pub unsafe extern "C" fn __wcpcpy_chk(to: *mut c_int, from: *const c_int, room: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_copy(Call::take(__wcpcpy_chk as *const u8), to as u64, Characters::wide(from as u64), Gives::End);
        real::__wcpcpy_chk(to, from, room)
    }
}

pub unsafe extern "C" fn wcsncpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(wcsncpy as *const u8), to as u64, Characters::wide(from as u64), n, Gives::Target);
        real::wcsncpy(to, from, n)
    }
}

pub unsafe extern "C" fn __wcsncpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_field(
            Call::take(__wcsncpy_chk as *const u8),
            to as u64,
            Characters::wide(from as u64),
            n,
            Gives::Target,
        );
        real::__wcsncpy_chk(to, from, n, room)
    }
}

pub unsafe extern "C" fn wcpncpy(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(wcpncpy as *const u8), to as u64, Characters::wide(from as u64), n, Gives::End);
        real::wcpncpy(to, from, n)
    }
}

pub unsafe extern "C" fn __wcpncpy_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_field(Call::take(__wcpncpy_chk as *const u8), to as u64, Characters::wide(from as u64), n, Gives::End);
        real::__wcpncpy_chk(to, from, n, room)
    }
}

pub unsafe extern "C" fn wcscat(to: *mut c_int, from: *const c_int) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(wcscat as *const u8), to as u64, Characters::wide(from as u64), None);
        real::wcscat(to, from)
    }
}

pub unsafe extern "C" fn __wcscat_chk(to: *mut c_int, from: *const c_int, room: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(__wcscat_chk as *const u8), to as u64, Characters::wide(from as u64), None);
        real::__wcscat_chk(to, from, room)
    }
}

pub unsafe extern "C" fn wcsncat(to: *mut c_int, from: *const c_int, n: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(wcsncat as *const u8), to as u64, Characters::wide(from as u64), Some(n));
        real::wcsncat(to, from, n)
    }
}

pub unsafe extern "C" fn __wcsncat_chk(to: *mut c_int, from: *const c_int, n: usize, room: usize) -> *mut c_int {
    // SAFETY: forwards.
    unsafe {
        follow_append(Call::take(__wcsncat_chk as *const u8), to as u64, Characters::wide(from as u64), Some(n));
        real::__wcsncat_chk(to, from, n, room)
    }
}

pub unsafe extern "C" fn wcsdup(from: *const c_int) -> *mut c_int {
    let call = Call::take(wcsdup as *const u8);
    // SAFETY: forwards.
    unsafe {
        let to = real::wcsdup(from);
        if let Some(model) = call.follow() {
            follow_duplicate(&model, Characters::wide(from as u64), UNLIMITED, to as u64);
        }
        to
    }
}
