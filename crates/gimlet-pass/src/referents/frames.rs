//! The beginning and the end of a function: ids of its arguments, records of its variables.

use gimlet_trace::memory::tls;
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::function::{is_inside, is_pointer, known_size, Rewriter};
use crate::frames::by_value_size;
use crate::intrinsics;
use crate::ir::{Ir, Value};
use crate::may::returns_twice;
use crate::sites::Sites;
use crate::types::low_half;

/// Whether a pointer to a variable does more than to reach what is certainly inside it.
fn needs_id(ir: &Ir, pointer: Value) -> bool {
    ir.users(pointer).into_iter().any(|user| match ir.opcode(user) {
        Some(LLVMOpcode::LLVMLoad) => !is_inside(ir, pointer, ir.accessed_size(ir.type_of(user))),
        Some(LLVMOpcode::LLVMStore) => {
            let value = ir.operand(user, 0);
            value == pointer || !is_inside(ir, pointer, ir.accessed_size(ir.type_of(value)))
        }
        // SAFETY: asks only.
        Some(LLVMOpcode::LLVMGetElementPtr) => {
            let is_constant = |&index: &Value| unsafe { !LLVMIsAConstantInt(index).is_null() };
            !ir.operands(user)[1..].iter().all(is_constant) || needs_id(ir, user)
        }
        Some(LLVMOpcode::LLVMCall) => match intrinsics::name(ir, user) {
            "memset" | "memcpy" | "memmove" | "memcpy.inline" | "memset.inline" => {
                let n = ir.operand(user, 2);
                // SAFETY: asks only.
                let is_constant = unsafe { !LLVMIsAConstantInt(n).is_null() };
                // SAFETY: a constant.
                !is_constant || !is_inside(ir, pointer, unsafe { LLVMConstIntGetZExtValue(n) })
            }
            name => !(name.starts_with("dbg.") || name.starts_with("lifetime.")),
        },
        _ => true,
    })
}

/// A variable's name in the source, as far as the module has it.
fn name_of(ir: &Ir, variable: Value) -> String {
    let name = ir.name(variable);
    let name = name.strip_suffix(".addr").unwrap_or(&name);
    name.split('.').next().unwrap_or("").to_string()
}

impl Rewriter<'_> {
    pub fn prologue(&mut self) {
        let ir = self.ir;
        let entry = &self.body.blocks[0].instructions;
        let is_alloca = |&&instruction: &&Value| ir.opcode(instruction) == Some(LLVMOpcode::LLVMAlloca);
        let Some(&at) = entry.iter().find(|instruction| !is_alloca(instruction)) else { return };
        let size_of = |&variable: &Value| known_size(ir, variable).map(|size| (variable, size));
        let all: Vec<(Value, u64)> = entry.iter().filter(is_alloca).filter_map(size_of).collect();
        let variables: Vec<(Value, u64)> =
            all.iter().copied().filter(|&(variable, _)| needs_id(ir, variable)).collect();
        self.fill(at, &self.filled(all.into_iter()));
        let by_value = self.by_value();
        self.take_arguments(at);
        let all = self.body.blocks.iter().flat_map(|block| &block.instructions);
        let is_dynamic = |instruction: Value| {
            // SAFETY: an alloca.
            ir.opcode(instruction) == Some(LLVMOpcode::LLVMAlloca)
                && (!entry.contains(&instruction)
                    || unsafe { LLVMIsAConstantInt(LLVMGetOperand(instruction, 0)).is_null() })
        };
        let has_dynamic = all.clone().any(|&instruction| is_dynamic(instruction));
        let comes_back = all.clone().any(|&instruction| match ir.opcode(instruction) {
            Some(LLVMOpcode::LLVMCall) => returns_twice(instruction),
            Some(LLVMOpcode::LLVMLandingPad) => true,
            _ => false,
        });
        self.has_variables = has_dynamic || !variables.is_empty() || !by_value.is_empty();
        if !self.has_variables && !comes_back {
            return;
        }
        ir.before(at);
        self.top = Some(ir.load(ir.i32, self.runtime.slot(ir, tls::TOP)));
        for (variable, size) in variables.into_iter().chain(by_value) {
            let id = self.enter(variable, ir.const64(size));
            self.ids.insert(variable, id);
        }
        self.own_top = comes_back.then(|| ir.load(ir.i32, self.runtime.slot(ir, tls::TOP)));
    }

    /// A record for a variable, made where the builder stands.
    fn enter(&self, variable: Value, size: Value) -> Value {
        let ir = self.ir;
        let first = self.body.blocks[0].instructions[0];
        let (line, _, file) = Sites::definition(first);
        let about = self.runtime.about(ir, &name_of(ir, variable), Some(&self.body.name), &file, line);
        self.runtime.call(ir, "gimlet_mem_local", &[variable, size, about])
    }

    fn take_arguments(&mut self, at: Value) {
        let ir = self.ir;
        let is_taken = |&(index, argument): &(u32, Value)| {
            is_pointer(ir, argument)
                && ir.has_uses(argument)
                && index < tls::ARGS_MAX
                && by_value_size(ir, self.body.function, index).is_none()
        };
        let taken: Vec<(u32, Value)> = (0..).zip(self.body.arguments.iter().copied()).filter(is_taken).collect();
        let has_memory = self.is_variadic() || !self.by_value().is_empty();
        if taken.is_empty() && !has_memory {
            return;
        }
        ir.before(at);
        let slot = self.runtime.slot(ir, tls::TOKEN);
        let token = ir.load(ir.i64, slot);
        let own = ir.cast(LLVMOpcode::LLVMPtrToInt, self.body.function, ir.i64);
        let is_native = ir.compare(LLVMIntPredicate::LLVMIntNE, token, own);
        ir.store(ir.const64(0), slot);
        if has_memory {
            self.take_memory(at, is_native);
        }
        let slots: Vec<Value> = taken
            .iter()
            .map(|&(index, _)| ir.load(ir.i64, self.runtime.slot(ir, tls::ARGS + 8 * u64::from(index))))
            .collect();
        for (&(_, argument), packed) in taken.iter().zip(slots) {
            ir.before(at);
            let is_other = ir.or(is_native, self.is_other(packed, argument));
            let known = ir.cast(LLVMOpcode::LLVMTrunc, packed, ir.i32);
            let unlikely = ir.unlikely(at, is_other);
            let found = self.find(argument);
            ir.before(at);
            let id = unlikely.merge(ir, at, found, known);
            self.ids.insert(argument, id);
        }
    }

    /// A variable whose size is computed, or that is made again and again.
    pub fn visit_alloca(&mut self, alloca: Value) {
        let ir = self.ir;
        let count = ir.operand(alloca, 0);
        let in_entry = self.body.blocks[0].instructions.contains(&alloca);
        // SAFETY: an alloca.
        if in_entry && unsafe { !LLVMIsAConstantInt(count).is_null() } {
            return;
        }
        let next = ir.next(alloca);
        ir.before(next);
        // SAFETY: an alloca.
        let unit = ir.size_of(unsafe { LLVMGetAllocatedType(alloca) });
        let size = ir.binary(LLVMOpcode::LLVMMul, low_half(ir, count), ir.const64(unit));
        let id = self.enter(alloca, size);
        self.ids.insert(alloca, id);
        self.fill(next, &[(alloca, size)]);
    }

    /// The function's variables are gone; the builder stands before what ends it.
    pub fn leave(&self) {
        if let Some(top) = self.top.filter(|_| self.has_variables) {
            self.runtime.call(self.ir, "gimlet_mem_leave", &[top]);
        }
    }

    /// Control has come back from further down, by an exception: the frames there are gone.
    pub fn come_back(&mut self, at: Value) {
        let Some(top) = self.own_top else { return };
        self.ir.before(at);
        self.runtime.call(self.ir, "gimlet_mem_leave", &[top]);
    }

    pub fn visit_stack_save(&mut self, call: Value) {
        let ir = self.ir;
        ir.before(ir.next(call));
        let top = ir.load(ir.i32, self.runtime.slot(ir, tls::TOP));
        self.saved.insert(call, top);
    }

    pub fn visit_stack_restore(&mut self, call: Value) {
        let ir = self.ir;
        self.checked.clear();
        let Some(&top) = self.saved.get(&self.origin(ir.operand(call, 0))) else { return };
        ir.before(call);
        self.runtime.call(ir, "gimlet_mem_leave", &[top]);
    }

    /// Where a saved stack pointer comes from: -O0 keeps it in a variable.
    fn origin(&self, value: Value) -> Value {
        let ir = self.ir;
        if ir.opcode(value) != Some(LLVMOpcode::LLVMLoad) {
            return value;
        }
        let place = ir.operand(value, 0);
        let stores = ir.users(place).into_iter().filter(|&user| ir.opcode(user) == Some(LLVMOpcode::LLVMStore));
        let stored: Vec<Value> = stores.map(|store| ir.operand(store, 0)).collect();
        if stored.len() == 1 {
            stored[0]
        } else {
            value
        }
    }
}
