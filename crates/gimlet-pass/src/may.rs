//! Which values may carry a label at all.
//!
//! Labels come from arguments, memory and calls; everything else has one only
//! if an operand has. Starting from nothing and adding until nothing changes,
//! a loop counter that only ever grows by constants stays out, and costs nothing.

use std::collections::HashSet;

use llvm_sys::core::*;
use llvm_sys::LLVMOpcode;

use crate::function::Body;
use crate::intrinsics;
use crate::ir::{Ir, Value};
use crate::types;

/// Values of a function that may carry a label.
pub struct May {
    values: HashSet<Value>,
}

impl May {
    pub fn contains(&self, value: Value) -> bool {
        self.values.contains(&value)
    }

    /// A copy of an instruction may carry what the instruction may.
    pub fn copied(&mut self, instruction: Value, copy: Value) {
        if self.contains(instruction) {
            self.values.insert(copy);
        }
    }

    /// What may, if `sources` do.
    pub fn analyse(ir: &Ir, body: &Body, sources: &[Value]) -> May {
        let mut may = May { values: sources.iter().copied().collect() };
        for argument in &body.arguments {
            if !types::leaves(ir, ir.type_of(*argument)).is_empty() {
                may.values.insert(*argument);
            }
        }
        loop {
            let before = may.values.len();
            for &instruction in body.blocks.iter().flat_map(|block| &block.instructions) {
                if !may.contains(instruction) && may.has_label(ir, instruction) {
                    may.values.insert(instruction);
                }
            }
            if may.values.len() == before {
                return may;
            }
        }
    }

    fn has_label(&self, ir: &Ir, instruction: Value) -> bool {
        if types::leaves(ir, ir.type_of(instruction)).is_empty() {
            return false;
        }
        let any = || ir.operands(instruction).into_iter().any(|operand| self.contains(operand));
        match ir.opcode(instruction) {
            Some(LLVMOpcode::LLVMLoad) => {
                let pointer = ir.operand(instruction, 0);
                self.contains(pointer) || !is_constant_memory(ir, pointer)
            }
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) => match intrinsics::id(ir, instruction) {
                Some(_) => intrinsics::has_result_label(ir, instruction) && any(),
                None => !is_asm(instruction) && !returns_twice(instruction),
            },
            Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => true,
            Some(
                LLVMOpcode::LLVMAlloca
                | LLVMOpcode::LLVMCallBr
                | LLVMOpcode::LLVMLandingPad
                | LLVMOpcode::LLVMVAArg
                | LLVMOpcode::LLVMFAdd
                | LLVMOpcode::LLVMFSub
                | LLVMOpcode::LLVMFMul
                | LLVMOpcode::LLVMFDiv
                | LLVMOpcode::LLVMFRem
                | LLVMOpcode::LLVMFNeg
                | LLVMOpcode::LLVMFCmp
                | LLVMOpcode::LLVMFPToUI
                | LLVMOpcode::LLVMFPToSI
                | LLVMOpcode::LLVMUIToFP
                | LLVMOpcode::LLVMSIToFP
                | LLVMOpcode::LLVMFPTrunc
                | LLVMOpcode::LLVMFPExt
                | LLVMOpcode::LLVMExtractElement,
            ) => false,
            _ => any(),
        }
    }
}

/// True for inline assembly.
pub fn is_asm(call: Value) -> bool {
    // SAFETY: a call.
    unsafe { !LLVMIsAInlineAsm(LLVMGetCalledValue(call)).is_null() }
}

/// True for setjmp and vfork: nothing may be put around them.
pub fn returns_twice(call: Value) -> bool {
    // SAFETY: a call; the attribute's name is LLVM's.
    unsafe {
        let name = "returns_twice";
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        let callee = LLVMGetCalledValue(call);
        let on_call = LLVMGetCallSiteEnumAttribute(call, llvm_sys::LLVMAttributeFunctionIndex, kind);
        let on_callee = if LLVMIsAFunction(callee).is_null() {
            std::ptr::null_mut()
        } else {
            LLVMGetEnumAttributeAtIndex(callee, llvm_sys::LLVMAttributeFunctionIndex, kind)
        };
        !on_call.is_null() || !on_callee.is_null()
    }
}

/// The variable that a pointer certainly points into.
pub fn underlying(ir: &Ir, pointer: Value) -> Option<Value> {
    let mut at = pointer;
    loop {
        // SAFETY: asks only.
        unsafe {
            if !LLVMIsAGlobalVariable(at).is_null() || !LLVMIsAAllocaInst(at).is_null() {
                return Some(at);
            }
            let is_constant_gep =
                !LLVMIsAConstantExpr(at).is_null() && LLVMGetConstOpcode(at) == LLVMOpcode::LLVMGetElementPtr;
            if is_constant_gep || ir.opcode(at) == Some(LLVMOpcode::LLVMGetElementPtr) {
                at = LLVMGetOperand(at, 0);
            } else {
                return None;
            }
        }
    }
}

/// True if a pointer certainly points into memory that nothing writes.
pub fn is_constant_memory(ir: &Ir, pointer: Value) -> bool {
    underlying(ir, pointer).is_some_and(|variable| unsafe {
        // SAFETY: asks only.
        !LLVMIsAGlobalVariable(variable).is_null()
            && LLVMIsGlobalConstant(variable) != 0
            && LLVMIsDeclaration(variable) == 0
    })
}
