//! What decides something: values that branches, switches and indices depend on.
//!
//! A run whose fresh memory is filled tells them to the runtime. Two runs that differ in
//! the filling alone are told apart by the first decision that depends on it, also where
//! both go the same way.
//!
//! Library functions tell themselves what they decide by, or give away; where they are called is
//! what the pass says.
//!
//! Addresses differ from run to run, and are not told; nor is what was told before, or was
//! computed of that and constants.

use std::collections::{HashMap, HashSet};

use gimlet_trace::memory::{tls, FUNCTION_PREFIX};
use llvm_sys::core::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::function::Rewriter;
use crate::function::Body;
use crate::ir::Value;
use crate::types::scalar_bits;

/// How far back the comparison is looked for that a condition is.
const DEPTH_MAX: u32 = 4;
/// Indices of one access that are looked at.
const N_INDICES_MAX: usize = 8;
/// An odd number that spreads the first of two values over all bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// How far back it is looked whether a value was told, in blocks and in operations.
const N_BLOCKS_BACK: u32 = 16;
const N_OPERATIONS_BACK: u32 = 6;

/// Which values have been told where.
#[derive(Default)]
pub struct Telling {
    /// By block: the one before it, where there is only one.
    before: HashMap<u32, u32>,
    /// By block.
    told: HashMap<u32, HashSet<Value>>,
    /// The block that is being rewritten.
    pub block: u32,
    n_decisions: u32,
}

impl Telling {
    pub fn new(body: &Body) -> Telling {
        let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
        for block in &body.blocks {
            let Some(&end) = block.instructions.last() else { continue };
            // SAFETY: the block's last instruction.
            let successors = unsafe { (0..LLVMGetNumSuccessors(end)).map(|index| LLVMGetSuccessor(end, index)) };
            for successor in successors {
                before.entry(body.numbers[&successor]).or_default().push(block.number);
            }
        }
        let only = |(block, before): (u32, Vec<u32>)| Some((block, <[u32; 1]>::try_from(before).ok()?[0]));
        Telling { before: before.into_iter().filter_map(only).collect(), ..Telling::default() }
    }

    /// The block before another, if there is only one.
    pub fn only_before(&self, block: u32) -> Option<u32> {
        self.before.get(&block).copied()
    }

    /// Whether a value was told on the way here.
    fn is_told(&self, value: Value) -> bool {
        let mut block = Some(self.block);
        for _ in 0..N_BLOCKS_BACK {
            let Some(number) = block else { return false };
            if self.told.get(&number).is_some_and(|told| told.contains(&value)) {
                return true;
            }
            block = self.only_before(number);
        }
        false
    }
}

impl Rewriter<'_> {
    /// A branch or a switch.
    pub fn visit_decision(&mut self, end: Value) {
        let ir = self.ir;
        // SAFETY: a branch.
        if ir.opcode(end) == Some(LLVMOpcode::LLVMBr) && unsafe { LLVMIsConditional(end) } == 0 {
            return;
        }
        // SAFETY: a terminator.
        let n_ways = unsafe { LLVMGetNumSuccessors(end) };
        // Of an assertion it is told anyway that it fails.
        if n_ways == 2 && (self.ends(end, 0) || self.ends(end, 1)) {
            return;
        }
        let condition = ir.operand(end, 0);
        self.tell(end, &self.compared(condition, DEPTH_MAX));
    }

    /// Whether the program ends behind a branch.
    fn ends(&self, branch: Value, index: u32) -> bool {
        let ir = self.ir;
        // SAFETY: a terminator with that successor; every block has a terminator.
        let last = unsafe { LLVMGetBasicBlockTerminator(LLVMGetSuccessor(branch, index)) };
        match ir.opcode(last) {
            Some(LLVMOpcode::LLVMUnreachable) => true,
            // A block for the edge's counter may stand between.
            // SAFETY: a branch with one successor, and a block with a terminator.
            Some(LLVMOpcode::LLVMBr) if unsafe { LLVMIsConditional(last) } == 0 => unsafe {
                let behind = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(last, 0));
                ir.opcode(behind) == Some(LLVMOpcode::LLVMUnreachable)
            },
            _ => false,
        }
    }

    /// The indices of an access.
    pub fn tell_indices(&mut self, access: Value, pointer: Value) {
        let ir = self.ir;
        let (mut at, mut indices) = (pointer, Vec::new());
        while ir.opcode(at) == Some(LLVMOpcode::LLVMGetElementPtr) && indices.len() < N_INDICES_MAX {
            let operands = ir.operands(at);
            indices.extend(&operands[1..]);
            at = operands[0];
        }
        // Not those of edge counters.
        if !ir.name(at).starts_with("gimlet.") {
            self.tell(access, &indices);
        }
    }

    /// The values that a condition compares.
    fn compared(&self, condition: Value, depth: u32) -> Vec<Value> {
        let ir = self.ir;
        let is_bool = |value: Value| ir.type_of(value) == ir.int(1);
        match ir.opcode(condition) {
            Some(LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMFCmp) => {
                let operands = ir.operands(condition);
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

    /// Whether a value needs to be told.
    fn is_news(&self, value: Value, depth: u32) -> bool {
        let ir = self.ir;
        if !self.may.contains(value) || self.telling.is_told(value) {
            return false;
        }
        // SAFETY: asks only.
        let is_constant = |value: Value| unsafe { LLVMIsConstant(value) != 0 };
        match ir.opcode(value) {
            Some(LLVMOpcode::LLVMPtrToInt) => false,
            // What the C library returns.
            Some(LLVMOpcode::LLVMCall) => {
                // SAFETY: a call.
                let callee = unsafe { LLVMGetCalledValue(value) };
                !ir.name(callee).starts_with(FUNCTION_PREFIX)
            }
            Some(LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMSelect) | None => true,
            Some(_) if depth > 0 => {
                ir.operands(value).into_iter().any(|operand| !is_constant(operand) && self.is_news(operand, depth - 1))
            }
            Some(_) => true,
        }
    }

    /// Tells the runtime values that something before `at` depends on.
    fn tell(&mut self, at: Value, values: &[Value]) {
        let ir = self.ir;
        let is_told = |&value: &Value| {
            let ty = ir.type_of(value);
            ir.kind(ty) != LLVMTypeKind::LLVMPointerTypeKind
                && scalar_bits(ir, ty).is_some_and(|bits| bits <= 64)
                && self.is_news(value, N_OPERATIONS_BACK)
        };
        let values: Vec<Value> = values.iter().copied().filter(is_told).collect();
        if values.is_empty() {
            return;
        }
        let telling = &mut self.telling;
        telling.told.entry(telling.block).or_default().extend(&values);
        let place = self.place();
        self.runtime.if_filling(ir, at);
        let told = values
            .into_iter()
            .map(|value| self.bits(value))
            .reduce(|told, bits| ir.add(ir.binary(LLVMOpcode::LLVMMul, told, ir.const64(SPREAD)), bits));
        let arguments: Vec<Value> = told.into_iter().chain([ir.const32(place)]).collect();
        self.runtime.call(ir, "gimlet_mem_decide", &arguments);
        ir.before(at);
    }

    /// A number for the next place where something is decided.
    fn place(&mut self) -> u32 {
        self.telling.n_decisions += 1;
        let name = self.body.name.bytes();
        name.fold(self.telling.n_decisions, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    /// A call of a library function, which tells itself what it decides by.
    pub fn tell_place(&mut self, call: Value) {
        let ir = self.ir;
        let place = self.place();
        self.runtime.if_filling(ir, call);
        ir.store(ir.const32(place), self.runtime.slot(ir, tls::PLACE));
        ir.before(call);
    }

    /// A scalar as an integer of 64 bits.
    fn bits(&self, value: Value) -> Value {
        let ir = self.ir;
        let ty = ir.type_of(value);
        let bits = scalar_bits(ir, ty).expect("a scalar");
        let integer = match ir.kind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => value,
            _ => ir.cast(LLVMOpcode::LLVMBitCast, value, ir.int(bits)),
        };
        if bits == 64 {
            integer
        } else {
            ir.cast(LLVMOpcode::LLVMZExt, integer, ir.i64)
        }
    }
}
