//! The thread-local block ([`gimlet_trace::abi::tls`]).

use gimlet_trace::abi::tls;

gimlet_trace::thread_block!("gimlet_rt_tls", tls::LEN, block);

/// Pointer to a slot of this thread's block.
#[inline(always)]
pub fn slot<T>(offset: u64) -> *mut T {
    // SAFETY: offsets are those of `abi::tls`, all inside the block.
    unsafe { block().add(offset as usize).cast() }
}

/// The token that the last caller offered.
pub fn token() -> u64 {
    // SAFETY: the slot is inside the block.
    unsafe { slot::<u64>(tls::TOKEN).read() }
}

/// Offers a token, or takes it back.
pub fn set_token(token: u64) {
    // SAFETY: the slot is inside the block.
    unsafe { slot::<u64>(tls::TOKEN).write(token) }
}

/// Label of argument part `index`.
pub fn argument(index: usize) -> u32 {
    // SAFETY: callers stay below `ARGS_MAX`.
    unsafe { slot::<u32>(tls::ARGS).add(index).read() }
}

/// Labels an argument part of a call that is about to be made.
pub fn set_argument(index: usize, label: u32) {
    // SAFETY: callers stay below `ARGS_MAX`.
    unsafe { slot::<u32>(tls::ARGS).add(index).write(label) }
}

/// Labels the value that is about to be returned.
pub fn set_result(label: u32) {
    set_result_part(0, label);
}

/// Labels part of the value that is about to be returned.
pub fn set_result_part(part: usize, label: u32) {
    // SAFETY: callers stay below `RET_MAX`.
    unsafe { slot::<u32>(tls::RET).add(part).write(label) }
}

/// Number of this thread in the order of creation.
pub fn thread() -> u32 {
    // SAFETY: the slot is inside the block.
    unsafe { slot::<u32>(tls::THREAD).read() }
}

/// Numbers this thread.
pub fn set_thread(number: u32) {
    // SAFETY: the slot is inside the block.
    unsafe { slot::<u32>(tls::THREAD).write(number) }
}
