//! Inline assembly: nobody follows what it computes, so what goes in is counted as lost.
//!
//! That is its operands, the memory of its operands of kind `m`, and, if it
//! clobbers memory, the objects that its pointers point into. Memory that it
//! writes by an operand has no labels any more; what it writes otherwise is
//! found to be stale by whoever loads it. Assembly without text, a barrier say,
//! touches no memory at all.

use std::ffi::c_char;

use gimlet_trace::event::LostReason;
use gimlet_trace::site::SiteKind;
use llvm_sys::core::*;
use llvm_sys::LLVMTypeKind;

use crate::function::Rewriter;
use crate::ir::{Ir, Value};
use crate::may::is_constant_memory;
use crate::module::attribute_kind;

/// Memory that an assembly may access.
struct Access {
    pointer: Value,
    /// Bytes there; not known where a pointer is all that it has.
    size: Option<u64>,
    is_written: bool,
}

impl Rewriter<'_> {
    pub fn visit_asm(&mut self, call: Value) {
        let inputs = self.symbolic_inputs(&self.ir.operands(call));
        if !inputs.is_empty() {
            self.lose(call, &inputs, LostReason::Asm);
        }
        self.flush(call);
        self.lose_accessed(call);
    }

    /// Counts labelled memory that is read, and takes the labels off what is written. Before the assembly: labels of what
    /// was put off are written by now, and there may be no place behind it.
    fn lose_accessed(&mut self, call: Value) {
        let ir = self.ir;
        let accesses = accesses(ir, call);
        if accesses.is_empty() {
            return;
        }
        let site = self.site(call, SiteKind::Operation, 0);
        ir.before(call);
        let active = self.module.is_active(ir);
        ir.unlikely(call, active);
        let site = self.module.site(ir, site);
        for Access { pointer, size, is_written } in accesses {
            let size = ir.const64(size.unwrap_or(0));
            self.module.call(ir, "gimlet_rt_asm", &[pointer, size, ir.const32(is_written.into()), site]);
        }
        ir.before(call);
    }
}

/// # Safety
/// `len` bytes at `text`.
unsafe fn owned(text: *const c_char, len: usize) -> String {
    // SAFETY: the caller's promise.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text.cast(), len) }).into_owned()
}

fn accesses(ir: &Ir, call: Value) -> Vec<Access> {
    // SAFETY: a call of an assembly, which has both texts, with their lengths.
    let (text, constraints) = unsafe {
        let asm = LLVMGetCalledValue(call);
        let mut len = 0;
        let text = LLVMGetInlineAsmAsmString(asm, &mut len);
        let text = owned(text, len);
        let constraints = LLVMGetInlineAsmConstraintString(asm, &mut len);
        (text, owned(constraints, len))
    };
    if text.trim().is_empty() {
        return Vec::new();
    }
    let clobbers = constraints.split(',').any(|constraint| constraint == "~{memory}");
    let mut found = Vec::new();
    let mut index = 0;
    // Outputs come first; one that is returned is no argument, and neither are clobbers and labels.
    for constraint in constraints.split(',').filter(|constraint| !constraint.starts_with(['~', '!'])) {
        let (is_output, is_memory) = (constraint.starts_with('='), constraint.contains('*'));
        if is_output && !is_memory {
            continue;
        }
        let pointer = ir.operand(call, index);
        let is_pointer = ir.kind(ir.type_of(pointer)) == LLVMTypeKind::LLVMPointerTypeKind;
        if is_memory {
            // SAFETY: an argument of a call; its attribute has a type.
            let size = unsafe {
                let attribute = LLVMGetCallSiteEnumAttribute(call, index + 1, attribute_kind("elementtype"));
                (!attribute.is_null()).then(|| ir.accessed_size(LLVMGetTypeAttributeValue(attribute)))
            };
            found.push(Access { pointer, size, is_written: is_output });
        } else if clobbers && is_pointer {
            found.push(Access { pointer, size: None, is_written: false });
        }
        index += 1;
    }
    found.retain(|access| access.is_written || !(is_constant_memory(ir, access.pointer) || ir.is_zero(access.pointer)));
    found
}
