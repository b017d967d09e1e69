//! The clang plugin that inserts the calls to the runtime.
//!
//! It runs at the start of the pipeline, after SROA and the inlining that the
//! source demands, at every -O level, so that one source branch is one branch
//! event whatever the optimiser does later. A label (an i32) travels beside each
//! integer, pointer and float; see [`function`] for how one function is
//! rewritten and [`region`] for what keeps the concrete path cheap. In its other
//! modes it counts edges at the same places ([`edges`]), and follows which object
//! each pointer belongs to ([`referents`]).

mod asm;
mod calls;
mod edges;
mod frames;
mod function;
mod hoist;
mod intrinsics;
mod ir;
mod may;
mod memory;
mod module;
mod natives;
mod ops;
mod programs;
mod referents;
mod region;
mod sites;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tokens;
mod types;
mod variadic;
mod walks;

use std::ffi::c_char;

use llvm_sys::prelude::LLVMModuleRef;

/// LLVM's `PassPluginLibraryInfo`.
#[repr(C)]
pub struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut u8),
}

unsafe extern "C" {
    fn gimlet_shim_register(builder: *mut u8);
    fn gimlet_shim_drop_lines(module: LLVMModuleRef);
}

/// What clang looks for in a plugin.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo { api_version: 1, name: c"gimlet".as_ptr(), version: c"1".as_ptr(), register: gimlet_shim_register }
}

/// Rewrites a module; called by the shim.
///
/// # Safety
/// `module` must be a valid module that nobody else changes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gimlet_pass_run(module: LLVMModuleRef) {
    let options = std::env::var("GIMLET_PASS").unwrap_or_default();
    let has = |name: &str| options.split(',').any(|option| option == name);
    // SAFETY: the caller's module.
    unsafe {
        if has("memory") {
            edges::count(module);
            referents::check(module);
        } else if has("edges") {
            edges::count(module);
        } else {
            module::instrument(module, has("branch-log"));
        }
        if has("drop-lines") {
            gimlet_shim_drop_lines(module);
        }
    }
}
