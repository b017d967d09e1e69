//! What variables hold that nobody has written to: whatever the run was told.
//!
//! Memory of a frame is filled when it is made. A variable that is in no memory is undefined
//! where it was not set: what the optimiser would choose for it is replaced by a value of the
//! runtime's.

use llvm_sys::core::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::function::Rewriter;
use super::Runtime;
use crate::function::Body;
use crate::ir::{Ir, Type, Value};
use crate::types::scalar_bits;

/// Larger variables are left as they are.
const FILLED_MAX: u64 = 1 << 16;

/// The runtime's value for a variable of this type, loaded where the builder stands.
fn value(ir: &Ir, runtime: &Runtime, ty: Type) -> Option<Value> {
    let bits = scalar_bits(ir, ty).filter(|&bits| bits <= 64)?;
    let pattern = ir.load(ir.i64, runtime.pattern);
    let low = if bits == 64 { pattern } else { ir.cast(LLVMOpcode::LLVMTrunc, pattern, ir.int(bits)) };
    Some(match ir.kind(ty) {
        LLVMTypeKind::LLVMIntegerTypeKind => low,
        LLVMTypeKind::LLVMPointerTypeKind => ir.cast(LLVMOpcode::LLVMIntToPtr, low, ty),
        _ => ir.cast(LLVMOpcode::LLVMBitCast, low, ty),
    })
}

/// Puts values in the place of what is undefined in a function, and says which.
pub fn define(ir: &Ir, runtime: &Runtime, body: &Body) -> Vec<Value> {
    let mut defined = Vec::new();
    for &instruction in body.blocks.iter().flat_map(|block| &block.instructions) {
        let opcode = ir.opcode(instruction);
        let is_of_parts = matches!(
            opcode,
            Some(LLVMOpcode::LLVMInsertValue | LLVMOpcode::LLVMInsertElement | LLVMOpcode::LLVMShuffleVector)
        );
        if is_of_parts {
            continue;
        }
        for (index, operand) in (0..).zip(ir.operands(instruction)) {
            // SAFETY: asks only.
            let is_undefined = unsafe { LLVMIsUndef(operand) != 0 && LLVMIsPoison(operand) == 0 };
            if !is_undefined {
                continue;
            }
            if opcode == Some(LLVMOpcode::LLVMPHI) {
                // SAFETY: the block that this operand comes from ends with something.
                let end = unsafe { LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(instruction, index)) };
                ir.before(end);
            } else {
                ir.before(instruction);
            }
            if let Some(value) = value(ir, runtime, ir.type_of(operand)) {
                // SAFETY: a value of the operand's type, which dominates its use.
                unsafe { LLVMSetOperand(instruction, index, value) };
                defined.push(value);
            }
        }
    }
    defined
}

impl Rewriter<'_> {
    /// Fills variables of the frame before `at`, if the run wants it.
    pub fn fill(&self, at: Value, variables: &[(Value, Value)]) {
        let ir = self.ir;
        if variables.is_empty() {
            return;
        }
        self.runtime.if_filling(ir, at);
        for &(variable, size) in variables {
            self.runtime.call(ir, "gimlet_mem_fresh", &[variable, size]);
        }
        ir.before(at);
    }

    /// The variables among these that are filled, with their sizes.
    pub fn filled(&self, variables: impl Iterator<Item = (Value, u64)>) -> Vec<(Value, Value)> {
        variables.filter(|&(_, size)| size <= FILLED_MAX).map(|(at, size)| (at, self.ir.const64(size))).collect()
    }
}
