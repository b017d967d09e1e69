//! Calls: ids of arguments go out, those of results come in.

use gimlet_trace::memory::{tls, FUNCTION_PREFIX, NO_ID};
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTailCallKind};

use super::function::{is_inside, is_pointer, Rewriter};
use crate::intrinsics;
use crate::ir::Value;
use crate::may::{is_asm, returns_twice};
use crate::types::low_half;

/// Library functions that give tables and variables of the library: no object of the program's.
const FOREIGN: [&str; 4] = ["__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "__errno_location"];

unsafe extern "C" {
    fn gimlet_shim_split_edge(end: Value, index: u32) -> Value;
}

impl Rewriter<'_> {
    pub fn visit_call(&mut self, call: Value) {
        if intrinsics::id(self.ir, call).is_some() {
            return self.visit_intrinsic(call);
        }
        if is_asm(call) {
            return;
        }
        self.checked.clear();
        if returns_twice(call) {
            return self.visit_returns_twice(call);
        }
        let ir = self.ir;
        // SAFETY: a call.
        let (callee, must_tail) = unsafe {
            let kind = LLVMGetTailCallKind(call);
            (LLVMGetCalledValue(call), kind == LLVMTailCallKind::LLVMTailCallKindMustTail)
        };
        if ir.name(callee).starts_with(FUNCTION_PREFIX) {
            // It accesses what it is given.
            ir.operands(call).into_iter().for_each(|argument| self.tell_indices(call, argument));
            self.tell_place(call);
        }
        self.send(call, callee);
        if must_tail {
            self.leave();
            self.tail_returns.insert(ir.next(call));
            return;
        }
        if !is_pointer(ir, call) {
            return;
        }
        if FOREIGN.contains(&ir.name(callee).as_str()) {
            return;
        }
        self.take_result(call, ir.next(call));
    }

    /// The id of what a call gives, taken before `next`.
    fn take_result(&mut self, call: Value, next: Value) {
        let ir = self.ir;
        ir.before(next);
        let packed = ir.load(ir.i64, self.runtime.slot(ir, tls::RESULT));
        let known = ir.cast(LLVMOpcode::LLVMTrunc, packed, ir.i32);
        let is_missing = ir.compare(LLVMIntPredicate::LLVMIntEQ, known, ir.const32(NO_ID));
        let is_other = ir.or(is_missing, self.is_other(packed, call));
        let unlikely = ir.unlikely(next, is_other);
        let found = self.find(call);
        ir.before(next);
        let id = unlikely.merge(ir, next, found, known);
        self.ids.insert(call, id);
    }

    /// Puts the ids of arguments where the callee looks for them.
    fn send(&mut self, call: Value, callee: Value) {
        let ir = self.ir;
        ir.before(call);
        // SAFETY: a call.
        let n_arguments = unsafe { LLVMGetNumArgOperands(call) };
        let arguments = (0..n_arguments.min(tls::ARGS_MAX)).map(|index| (index, ir.operand(call, index)));
        let pointers: Vec<(u32, Value)> = arguments.filter(|&(_, argument)| is_pointer(ir, argument)).collect();
        for &(index, argument) in &pointers {
            let packed = self.packed(self.id_of(argument), argument);
            self.runtime.is_of_program(ir.store(packed, self.runtime.slot(ir, tls::ARGS + 8 * u64::from(index))));
        }
        if self.send_memory(call) || !pointers.is_empty() {
            let address = ir.cast(LLVMOpcode::LLVMPtrToInt, callee, ir.i64);
            ir.store(address, self.runtime.slot(ir, tls::TOKEN));
        }
        if is_pointer(ir, call) {
            ir.store(ir.const64(NO_ID.into()), self.runtime.slot(ir, tls::RESULT));
        }
    }

    /// What it gives is taken on the way to where control goes on.
    pub fn visit_invoke(&mut self, invoke: Value) {
        self.checked.clear();
        // SAFETY: an invoke.
        let callee = unsafe { LLVMGetCalledValue(invoke) };
        self.send(invoke, callee);
        if is_pointer(self.ir, invoke) {
            // SAFETY: an invoke, whose first successor is that.
            let next = unsafe { gimlet_shim_split_edge(invoke, 0) };
            self.take_result(invoke, next);
        }
    }

    /// After setjmp came back, the frames in between are gone.
    fn visit_returns_twice(&mut self, call: Value) {
        let ir = self.ir;
        ir.before(call);
        let top = ir.load(ir.i32, self.runtime.slot(ir, tls::TOP));
        ir.before(ir.next(call));
        self.runtime.call(ir, "gimlet_mem_leave", &[top]);
    }

    fn visit_intrinsic(&mut self, call: Value) {
        let ir = self.ir;
        match intrinsics::name(ir, call) {
            "memcpy" | "memcpy.inline" => self.visit_copy(call, true),
            "memmove" => self.visit_copy(call, false),
            "memset" | "memset.inline" => {
                let [to, n] = [0, 2].map(|index| ir.operand(call, index));
                if !self.is_certain(to, n) {
                    ir.before(call);
                    let arguments = [to, low_half(ir, n), self.id_of(to), ir.const32(1)];
                    self.runtime.call(ir, "gimlet_mem_range", &arguments);
                }
            }
            "va_start" => self.visit_va_start(call),
            "va_copy" => self.visit_va_copy(call),
            "stacksave" => self.visit_stack_save(call),
            "stackrestore" => self.visit_stack_restore(call),
            "ssa.copy"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ptr.annotation"
            | "ptrmask"
            | "expect"
                if is_pointer(ir, call) =>
            {
                ir.before(call);
                self.ids.insert(call, self.id_of(ir.operand(call, 0)));
            }
            _ => {}
        }
    }

    /// Whether so many bytes are known and certainly inside.
    fn is_certain(&self, pointer: Value, n: Value) -> bool {
        // SAFETY: asks only.
        unsafe { !LLVMIsAConstantInt(n).is_null() && is_inside(self.ir, pointer, LLVMConstIntGetZExtValue(n)) }
    }

    fn visit_copy(&mut self, call: Value, is_apart: bool) {
        let ir = self.ir;
        let [to, from, n] = [0, 1, 2].map(|index| ir.operand(call, index));
        // SAFETY: asks only.
        let holds_none = unsafe { !LLVMIsAConstantInt(n).is_null() && LLVMConstIntGetZExtValue(n) < 8 };
        if holds_none && self.is_certain(to, n) && self.is_certain(from, n) {
            return;
        }
        ir.before(call);
        let arguments = [to, from, low_half(ir, n), self.id_of(to), self.id_of(from), ir.const32(is_apart.into())];
        self.runtime.call(ir, "gimlet_mem_copy", &arguments);
    }
}
