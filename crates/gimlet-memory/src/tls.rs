//! The thread-local block ([`gimlet_trace::memory::tls`]).

use gimlet_trace::memory::tls;

gimlet_trace::thread_block!("gimlet_mem_tls", tls::LEN, block);

/// Pointer to a slot of this thread's block.
#[inline(always)]
pub fn slot<T>(offset: u64) -> *mut T {
    // SAFETY: offsets are those of `memory::tls`, all inside the block.
    unsafe { block().add(offset as usize).cast() }
}

/// An id with the lower half of its pointer.
pub fn pack(id: u32, pointer: u64) -> u64 {
    pointer << 32 | u64::from(id)
}

/// The id that was packed for this pointer.
pub fn unpack(packed: u64, pointer: u64) -> Option<u32> {
    (packed >> 32 == pointer & 0xffff_ffff).then_some(packed as u32)
}

/// The pointer that is about to be returned belongs to this object.
pub fn set_result(id: u32, pointer: u64) {
    // SAFETY: inside the block.
    unsafe { slot::<u64>(tls::RESULT).write(pack(id, pointer)) }
}

/// Holds off what the runtime itself causes, and a signal handler that comes in between.
pub struct Guard;

impl Guard {
    /// Not while this thread is in the runtime already.
    pub fn enter() -> Option<Guard> {
        // SAFETY: inside the block.
        unsafe {
            let busy = slot::<u32>(tls::BUSY);
            if busy.read() != 0 {
                return None;
            }
            busy.write(1);
        }
        Some(Guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: inside the block.
        unsafe { slot::<u32>(tls::BUSY).write(0) }
    }
}
