//! Moves the few pure operations of a branch's arm before the branch.
//!
//! `if (c) sum += x; else sum ^= y;` costs a mispredicted jump every other time
//! unless the compiler turns it into a conditional move, which it does only if
//! the arms are pure. Tests for labels inside them would forbid it. So their
//! operations are executed, and their labels computed, before the branch; the
//! branch itself, and its event, stay. This is what the optimiser would have
//! done, done early enough, and the same at every -O level.

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::LLVMOpcode;

use crate::ir::{Block, Ir, Value};
use crate::types;

/// Arms with more operations than this stay as they are.
const OPERATIONS_MAX: usize = 6;

/// True for operations that can't fail, can't lose a dependency, and touch no memory.
pub fn is_pure(ir: &Ir, instruction: Value) -> bool {
    let scalar = |value: Value| types::scalar_bits(ir, ir.type_of(value)).is_some();
    if !scalar(instruction) || !ir.operands(instruction).into_iter().all(scalar) {
        return false;
    }
    match ir.opcode(instruction) {
        // SAFETY: asks only.
        Some(LLVMOpcode::LLVMShl | LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr) => unsafe {
            !LLVMIsAConstantInt(ir.operand(instruction, 1)).is_null()
        },
        Some(
            LLVMOpcode::LLVMAdd
            | LLVMOpcode::LLVMSub
            | LLVMOpcode::LLVMMul
            | LLVMOpcode::LLVMAnd
            | LLVMOpcode::LLVMOr
            | LLVMOpcode::LLVMXor
            | LLVMOpcode::LLVMICmp
            | LLVMOpcode::LLVMZExt
            | LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMTrunc
            | LLVMOpcode::LLVMSelect,
        ) => true,
        _ => false,
    }
}

/// The operations of an arm of `branch`, if all of them can go before it.
fn arm(ir: &Ir, from: Block, block: Block) -> Option<Vec<Value>> {
    // SAFETY: a block with a terminator.
    unsafe {
        let end = LLVMGetBasicBlockTerminator(block);
        let leaves = LLVMGetInstructionOpcode(end) == LLVMOpcode::LLVMBr && LLVMIsConditional(end) == 0;
        let users = ir.users(LLVMBasicBlockAsValue(block));
        let alone = users.len() == 1 && LLVMGetInstructionParent(users[0]) == from;
        if !leaves || !alone {
            return None;
        }
        let mut operations = Vec::new();
        let mut at = LLVMGetFirstInstruction(block);
        while at != end {
            if !is_pure(ir, at) || operations.len() == OPERATIONS_MAX {
                return None;
            }
            operations.push(at);
            at = LLVMGetNextInstruction(at);
        }
        Some(operations)
    }
}

/// True if the arms of a conditional branch only compute what the block where they meet again chooses from: the optimiser
/// can make a conditional move of it.
pub fn is_choice(ir: &Ir, branch: Value) -> bool {
    let from = ir.parent(branch);
    // SAFETY: a conditional branch; an arm ends with a jump.
    unsafe {
        let meeting = |index: u32| {
            let successor = LLVMGetSuccessor(branch, index);
            let is_arm = arm(ir, from, successor).is_some();
            if is_arm {
                LLVMGetSuccessor(LLVMGetBasicBlockTerminator(successor), 0)
            } else {
                successor
            }
        };
        meeting(0) == meeting(1)
    }
}

/// Executed on paths that did not ask for it, an operation may overflow: that must not be undefined.
pub fn forget_promises(ir: &Ir, operation: LLVMValueRef) {
    // SAFETY: an operation of a kind that can have the flag.
    unsafe {
        match ir.opcode(operation) {
            Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl) => {
                LLVMSetNSW(operation, 0);
                LLVMSetNUW(operation, 0);
            }
            Some(LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr) => LLVMSetExact(operation, 0),
            Some(LLVMOpcode::LLVMZExt) => LLVMSetNNeg(operation, 0),
            Some(LLVMOpcode::LLVMGetElementPtr) => LLVMSetIsInBounds(operation, 0),
            Some(LLVMOpcode::LLVMOr) => LLVMSetIsDisjoint(operation, 0),
            _ => {}
        }
    }
}

/// Moves what can be moved in one function.
pub fn hoist_arms(ir: &Ir, function: Value) {
    // SAFETY: walks the blocks; moving operations leaves the list of blocks alone.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            let branch = LLVMGetBasicBlockTerminator(block);
            if LLVMGetInstructionOpcode(branch) == LLVMOpcode::LLVMBr && LLVMIsConditional(branch) != 0 {
                for index in 0..2 {
                    for operation in arm(ir, block, LLVMGetSuccessor(branch, index)).unwrap_or_default() {
                        forget_promises(ir, operation);
                        LLVMInstructionRemoveFromParent(operation);
                        let location = LLVMInstructionGetDebugLoc(operation);
                        LLVMPositionBuilderBefore(ir.builder, branch);
                        LLVMInsertIntoBuilder(ir.builder, operation);
                        LLVMInstructionSetDebugLoc(operation, location);
                    }
                }
            }
            block = LLVMGetNextBasicBlock(block);
        }
    }
}
