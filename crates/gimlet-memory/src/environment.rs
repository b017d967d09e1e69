//! What the driver says in the environment.

/// The number that a variable holds. The program sees no more than that there was one: runs that are told different things are
/// to differ in nothing else. It stays where it is, because this may be called in the middle of a `setenv`.
pub fn take(name: &str, base: i32) -> Option<u64> {
    let mut terminated = [0u8; 32];
    terminated[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the name ends with a zero, and so does what the process was started with, which can be written to.
    unsafe {
        let text = libc::getenv(terminated.as_ptr().cast());
        if text.is_null() || *text == b'-' as i8 {
            return None;
        }
        let number = libc::strtoul(text, core::ptr::null_mut(), base);
        core::ptr::write_bytes(text.cast::<u8>(), b'-', libc::strlen(text));
        Some(number)
    }
}
