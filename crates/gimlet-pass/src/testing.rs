//! Modules for unit tests, from LLVM's text.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};

use crate::ir::Value;

// In clang these come with the compiler; the shim's C++ wants its library as well.
#[link(name = "LLVM-19")]
#[link(name = "stdc++")]
unsafe extern "C" {}

/// A module with a context of its own.
pub struct Parsed {
    context: LLVMContextRef,
    pub module: LLVMModuleRef,
}

impl Drop for Parsed {
    fn drop(&mut self) {
        // SAFETY: made in `parse`, and nobody has values of it any more.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

/// Parses a module for x86-64.
pub fn parse(text: &str) -> Parsed {
    let text = format!(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n{text}"
    );
    let text = CString::new(text).expect("no zero inside");
    // SAFETY: a buffer with a copy of the text, which the parser takes.
    unsafe {
        let context = LLVMContextCreate();
        let bytes = text.as_bytes();
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), c"test".as_ptr());
        let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        let failed = LLVMParseIRInContext(context, buffer, &mut module, &mut message);
        assert!(failed == 0, "{}", std::ffi::CStr::from_ptr(message).to_string_lossy());
        Parsed { context, module }
    }
}

impl Parsed {
    /// A function by its name.
    pub fn function(&self, name: &str) -> Value {
        let name = CString::new(name).expect("no zero inside");
        // SAFETY: asks only.
        let function = unsafe { LLVMGetNamedFunction(self.module, name.as_ptr()) };
        assert!(!function.is_null(), "no function {name:?}");
        function
    }

    /// A function's text.
    pub fn text(&self, name: &str) -> String {
        // SAFETY: LLVM gives a string that is to be disposed of.
        unsafe {
            let text = LLVMPrintValueToString(self.function(name));
            let copy = std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            copy
        }
    }
}
