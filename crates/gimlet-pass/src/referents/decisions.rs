//! What decides something: values that branches, switches and indices depend on.
//!
//! A run whose fresh memory is filled tells them to the runtime. Two runs that differ in
//! the filling alone are told apart by the first decision that depends on it, also where
//! both go the same way.

use llvm_sys::core::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::function::Rewriter;
use crate::ir::Value;
use crate::types::scalar_bits;

/// How far back the comparison is looked for that a condition is.
const DEPTH_MAX: u32 = 4;
/// An odd number that spreads the first of two values over all bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Rewriter<'_> {
    /// A branch or a switch.
    pub fn visit_decision(&mut self, end: Value) {
        let ir = self.ir;
        // SAFETY: a branch.
        if ir.opcode(end) == Some(LLVMOpcode::LLVMBr) && unsafe { LLVMIsConditional(end) } == 0 {
            return;
        }
        let condition = ir.operand(end, 0);
        self.tell(end, &self.compared(condition, DEPTH_MAX));
    }

    /// The indices of an access.
    pub fn tell_indices(&mut self, access: Value, pointer: Value) {
        let ir = self.ir;
        if ir.opcode(pointer) == Some(LLVMOpcode::LLVMGetElementPtr) {
            let indices: Vec<Value> = ir.operands(pointer).into_iter().skip(1).collect();
            self.tell(access, &indices);
        }
    }

    /// The values that a condition compares. Addresses differ from run to run: of those only the outcome counts.
    fn compared(&self, condition: Value, depth: u32) -> Vec<Value> {
        let ir = self.ir;
        let is_bool = |value: Value| ir.type_of(value) == ir.int(1);
        match ir.opcode(condition) {
            Some(LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMFCmp) => {
                let operands = ir.operands(condition);
                if operands.iter().any(|&operand| ir.kind(ir.type_of(operand)) == LLVMTypeKind::LLVMPointerTypeKind) {
                    return vec![condition];
                }
                let within = |operand: Value| match ir.opcode(operand) {
                    Some(LLVMOpcode::LLVMZExt) if is_bool(ir.operand(operand, 0)) && depth > 0 => {
                        self.compared(ir.operand(operand, 0), depth - 1)
                    }
                    _ => vec![operand],
                };
                operands.into_iter().flat_map(within).collect()
            }
            Some(LLVMOpcode::LLVMXor) if is_bool(condition) && depth > 0 => {
                self.compared(ir.operand(condition, 0), depth - 1)
            }
            _ => vec![condition],
        }
    }

    /// Tells the runtime values that something before `at` depends on.
    fn tell(&mut self, at: Value, values: &[Value]) {
        let ir = self.ir;
        let is_told = |&value: &Value| {
            self.may.contains(value) && scalar_bits(ir, ir.type_of(value)).is_some_and(|bits| bits <= 64)
        };
        let values: Vec<Value> = values.iter().copied().filter(is_told).collect();
        if values.is_empty() {
            return;
        }
        self.n_decisions += 1;
        let place = self.body.name.bytes().fold(self.n_decisions, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        self.runtime.if_filling(ir, at);
        let told = values.into_iter().map(|value| self.bits(value)).reduce(|told, bits| {
            ir.add(ir.binary(LLVMOpcode::LLVMMul, told, ir.const64(SPREAD)), bits)
        });
        let arguments: Vec<Value> = told.into_iter().chain([ir.const32(place)]).collect();
        self.runtime.call(ir, "gimlet_mem_decide", &arguments);
        ir.before(at);
    }

    /// A scalar as an integer of 64 bits.
    fn bits(&self, value: Value) -> Value {
        let ir = self.ir;
        let ty = ir.type_of(value);
        let bits = scalar_bits(ir, ty).expect("a scalar");
        let integer = match ir.kind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => value,
            LLVMTypeKind::LLVMPointerTypeKind => return ir.cast(LLVMOpcode::LLVMPtrToInt, value, ir.i64),
            _ => ir.cast(LLVMOpcode::LLVMBitCast, value, ir.int(bits)),
        };
        if bits == 64 {
            integer
        } else {
            ir.cast(LLVMOpcode::LLVMZExt, integer, ir.i64)
        }
    }
}
