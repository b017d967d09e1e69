//! Calls: labels of arguments go out, labels of results come in.
//!
//! An `invoke` is a call that may unwind: what a call does behind itself an
//! invoke does in a block of its own on the edge where control goes on. On the
//! other edge there is no result; the landing pad puts the slots in order
//! ([`Rewriter::come_back`]). If it is native code that catches, its caller
//! finds no label in the slots for results: they are cleared before whatever may
//! unwind.

use gimlet_trace::abi::{tls, MODEL_PREFIX};
use gimlet_trace::event::{LostReason, PinReason};
use gimlet_trace::site::SiteKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode, LLVMTailCallKind, LLVMTypeKind};

use crate::function::Rewriter;
use crate::intrinsics;
use crate::ir::{Ir, Value};
use crate::may::{is_asm, is_constant_memory, returns_twice};
use crate::module::{attribute_kind, has_attribute};
use crate::natives::{self, Use};
use crate::types::leaves;
use crate::variadic::{ByValue, Location, Registers};

/// Functions of the runtime that a program calls: they want to know from where. So may what is called by a pointer.
const WANT_SITE: &[&str] = &[MODEL_PREFIX, "gimlet_", "klee_", "__VERIFIER_", "reach_error"];

/// Functions that end the program: nobody finds labels behind them. What stands before a call of one is as little as can be, or
/// the optimiser makes one call of several, and one place.
const ENDS: &[&str] = &["abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "reach_error"];

unsafe extern "C" {
    fn gimlet_shim_split_edge(end: Value, index: u32) -> Value;
}

/// Labels on their way to a callee.
#[derive(Default)]
struct Outgoing {
    /// Slot and label of each part of a fixed argument.
    slots: Vec<(u64, Value)>,
    /// Slot (offset in the variadic block) and label of each variadic argument.
    variadic: Vec<(u64, Value)>,
    /// First word and size of each struct among the variadic arguments.
    variadic_structs: Vec<(u32, Value, u64)>,
    words: u32,
    structs: Vec<Value>,
    /// Labels that have no slot.
    lost: Vec<Value>,
}

impl Outgoing {
    /// An i1, if an argument may be symbolic: one is.
    fn any(&self, ir: &Ir) -> Option<Value> {
        let labels = self.slots.iter().chain(&self.variadic).map(|&(_, label)| label);
        let any = labels.filter(|&label| !ir.is_zero(label)).reduce(|any, label| ir.or(any, label));
        any.map(|any| ir.is_nonzero(any))
    }

    /// Number of slots of fixed arguments, and a bit for each slot in the variadic block that has one.
    fn slots_used(&self) -> (u32, u64) {
        let variadic = self.variadic.iter().fold(0, |bits, &(offset, _)| bits | 1 << (offset / 4));
        (self.slots.len() as u32, variadic)
    }
}

/// What a call leaves behind of its [`Outgoing`] labels.
#[derive(Clone, Copy)]
struct Sent {
    /// An i1, if an argument may be symbolic: one is.
    any: Option<Value>,
    /// See [`Outgoing::slots_used`].
    slots: (u32, u64),
}

impl Rewriter<'_> {
    pub fn visit_call(&mut self, call: Value) {
        if intrinsics::id(self.ir, call).is_some() {
            // The few that may be invoked do nothing with values.
            return match self.ir.opcode(call) {
                Some(LLVMOpcode::LLVMInvoke) => self.flush(call),
                _ => self.visit_intrinsic(call),
            };
        }
        if is_asm(call) {
            return self.visit_asm(call);
        }
        self.flush(call);
        if returns_twice(call) {
            return self.visit_returns_twice(call);
        }
        // SAFETY: a call.
        let callee = unsafe { LLVMGetCalledValue(call) };
        // SAFETY: asks only.
        let name = unsafe { (!LLVMIsAFunction(callee).is_null()).then(|| self.ir.name(callee)) };
        let site = self.call_site(call, name.clone().map(|name| name.trim_start_matches(MODEL_PREFIX).to_string()));
        if self.may.contains(callee) {
            self.defer_pin(call, callee, site, PinReason::CallTarget);
            self.flush(call);
        }
        let outgoing = self.outgoing(call);
        self.rewrite_call(call, callee, name.as_deref(), &outgoing, site);
    }

    /// After setjmp came back, the frames in between are gone.
    fn visit_returns_twice(&mut self, call: Value) {
        self.come_back(self.behind(call));
    }

    /// The instruction before which stands what is to be done when a call has returned.
    fn behind(&self, call: Value) -> Value {
        match self.ir.opcode(call) {
            // SAFETY: an invoke, whose first successor is where control goes on.
            Some(LLVMOpcode::LLVMInvoke) => unsafe { gimlet_shim_split_edge(call, 0) },
            _ => self.ir.next(call),
        }
    }

    /// The exception goes on to frames further out.
    pub fn visit_resume(&mut self, resume: Value) {
        self.flush(resume);
        self.ir.before(resume);
        self.store_result(&[self.ir.no_label(); tls::RET_MAX as usize]);
    }

    /// Whether a call may be left by an exception or by longjmp, and its caller with it.
    fn may_leave(&self, call: Value) -> bool {
        // SAFETY: a call or invoke.
        let has = |kind| unsafe {
            let callee = LLVMGetCalledValue(call);
            let on_call = LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, attribute_kind(kind));
            !on_call.is_null() || (!LLVMIsAFunction(callee).is_null() && has_attribute(callee, kind))
        };
        has("noreturn") || !(has("nounwind") || has_attribute(self.body.function, "nounwind"))
    }

    fn outgoing(&mut self, call: Value) -> Outgoing {
        let ir = self.ir;
        // SAFETY: a call.
        let (fixed, count, variadic) = unsafe {
            let ty = LLVMGetCalledFunctionType(call);
            (LLVMCountParamTypes(ty), LLVMGetNumArgOperands(call), LLVMIsFunctionVarArg(ty) != 0)
        };
        let mut out = Outgoing::default();
        let mut registers = Registers::default();
        let (mut slot, mut n_fixed_words) = (0, 0);
        for index in 0..count {
            let argument = ir.operand(call, index);
            let by_value = ByValue::at(ir, call, index);
            let location = registers.take(ir, argument, by_value);
            if index < fixed {
                if by_value.is_some() {
                    out.structs.push(argument);
                    continue;
                }
                for label in self.known_labels(argument) {
                    if slot < u64::from(tls::ARGS_MAX) {
                        out.slots.push((slot, label));
                    } else if !ir.is_zero(label) {
                        out.lost.push(label);
                    }
                    slot += 1;
                }
                n_fixed_words = registers.n_words();
                continue;
            }
            if let (Location::Words(first, _), Some(by_value)) = (location, by_value) {
                out.variadic_structs.push((first - n_fixed_words, argument, by_value.size));
                continue;
            }
            let label = self.known_label(argument);
            let (first, n_slots) = match location {
                Location::General(register, n) => (register, n),
                Location::Vector(register) => (tls::VA_GP + register, 1),
                Location::Words(word, n) => (tls::VA_GP + tls::VA_FP + word - n_fixed_words, n),
            };
            if first + n_slots <= tls::VA_GP + tls::VA_FP + tls::VA_WORDS {
                // The first slot has the label of all words.
                let labels = [label].into_iter().chain(std::iter::repeat(ir.no_label()));
                let slots = (first..first + n_slots).map(|slot| 4 * u64::from(slot));
                out.variadic.extend(slots.zip(labels));
            } else if !ir.is_zero(label) {
                out.lost.push(label);
            }
        }
        if variadic {
            out.words = registers.n_words() - n_fixed_words;
        }
        out
    }

    fn rewrite_call(&mut self, call: Value, callee: Value, name: Option<&str>, outgoing: &Outgoing, site: u32) {
        let ir = self.ir;
        // SAFETY: a call.
        let (variadic, must_tail) = unsafe {
            let ty = LLVMGetCalledFunctionType(call);
            let is_call = !LLVMIsACallInst(call).is_null();
            let must_tail = LLVMTailCallKind::LLVMTailCallKindMustTail;
            (LLVMIsFunctionVarArg(ty) != 0, is_call && LLVMGetTailCallKind(call) == must_tail)
        };
        ir.before(call);
        self.lose_arguments(call, outgoing, site);
        let any = outgoing.any(ir);
        let address = ir.cast(LLVMOpcode::LLVMPtrToInt, callee, ir.i64);
        let token = if variadic {
            self.store_labels(outgoing);
            self.store_variadic(outgoing);
            address
        } else {
            self.store_if_any(call, outgoing, any, address)
        };
        let sent = Sent { any, slots: outgoing.slots_used() };
        let token = match (must_tail, self.native) {
            (true, Some(native)) => {
                self.lose_tail_call(call, native, any, site);
                ir.select(native, ir.const64(0), token)
            }
            _ => token,
        };
        ir.store(token, ir.slot(tls::TOKEN));
        // A call through a pointer may reach one of them.
        if name.is_none_or(|name| WANT_SITE.iter().any(|prefix| name.starts_with(prefix))) {
            ir.store(self.module.site(ir, site), ir.slot(tls::SITE));
        }
        let ends = name.is_some_and(|name| ENDS.contains(&name.strip_prefix(MODEL_PREFIX).unwrap_or(name)));
        let parts = match !ends && self.may_leave(call) {
            true => tls::RET_MAX as usize,
            false => leaves(ir, ir.type_of(call)).len().min(tls::RET_MAX as usize),
        };
        if !self.module.is_ours(callee) {
            for part in 0..parts {
                ir.store(ir.no_label(), ir.slot(tls::RET + 4 * part as u64));
            }
        }
        if must_tail {
            self.tail_returns.insert(ir.next(call));
            return self.restore_frames();
        }
        match self.tail_return(call) {
            Some(end) => self.rewrite_tail_call(call, callee, name, sent, site, end),
            None => self.after_call(call, self.behind(call), callee, name, sent, site),
        }
    }

    /// The return right behind a call, if the call's result is the function's and the frame is not needed any more.
    fn tail_return(&self, call: Value) -> Option<Value> {
        let ir = self.ir;
        // SAFETY: asks only.
        if unsafe { LLVMIsACallInst(call).is_null() } {
            return None;
        }
        let next = ir.next(call);
        let returns = ir.opcode(next) == Some(LLVMOpcode::LLVMRet);
        let same = returns && ir.operands(next).first().is_none_or(|&value| value == call);
        // SAFETY: a call.
        let by_value = (0..unsafe { LLVMGetNumArgOperands(call) }).any(|index| ByValue::at(ir, call, index).is_some());
        (same && !by_value && self.native.is_some() && self.has_no_frame()).then_some(next)
    }

    /// A call in tail position stays one, so that recursion which the optimiser turns into a loop still is: the label
    /// of the callee's result is where the caller looks for ours. Where that is not enough (native code called this
    /// function, or the callee may be native and is to be counted), a copy of the call is executed instead.
    fn rewrite_tail_call(&mut self, call: Value, callee: Value, name: Option<&str>, sent: Sent, site: u32, end: Value) {
        let ir = self.ir;
        let Some(native) = self.native else { return };
        self.tail_returns.insert(end);
        let slow = if self.module.is_ours(callee) { native } else { ir.or(native, self.module.is_active(ir)) };
        // Its caller's is the copy's, too, where the function returns tokens.
        let slow = match self.token_site {
            Some(site) => ir.or(slow, self.module.is_token_function(ir, site)),
            None => slow,
        };
        let unreachable = ir.unlikely_end(call, slow);
        // SAFETY: copies of instructions, with the copy of the result in the copy of the return.
        let copy_end = unsafe {
            let copy = LLVMInstructionClone(call);
            LLVMInsertIntoBuilder(ir.builder, copy);
            LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(call));
            // Or the optimiser makes one call of the two again.
            let apart = LLVMCreateEnumAttribute(ir.context, attribute_kind("nomerge"), 0);
            LLVMAddCallSiteAttribute(call, llvm_sys::LLVMAttributeFunctionIndex, apart);
            LLVMAddCallSiteAttribute(copy, llvm_sys::LLVMAttributeFunctionIndex, apart);
            let copy_end = LLVMInstructionClone(end);
            LLVMInsertIntoBuilder(ir.builder, copy_end);
            LLVMInstructionSetDebugLoc(copy_end, LLVMInstructionGetDebugLoc(end));
            if LLVMGetNumOperands(copy_end) > 0 {
                LLVMSetOperand(copy_end, 0, copy);
            }
            LLVMInstructionEraseFromParent(unreachable);
            self.may.copied(call, copy);
            self.after_call(copy, ir.next(copy), callee, name, sent, site);
            copy_end
        };
        ir.before(copy_end);
        let result = ir.operands(copy_end).first().copied();
        if self.token_site.is_some() {
            let labels = self.leave_token(copy_end, result);
            self.store_result(&labels);
        }
        self.epilogue(copy_end, result);
    }

    /// A tail call that has to be one, in a function that native code called: nobody would take back the callee's
    /// result, so it gets no labels either.
    fn lose_tail_call(&mut self, call: Value, native: Value, any: Option<Value>, site: u32) {
        let ir = self.ir;
        let Some(any) = any else { return };
        let condition = ir.binary(LLVMOpcode::LLVMAnd, native, any);
        ir.unlikely(call, condition);
        let reason = ir.const32(LostReason::TailCall as u32);
        self.module.call(ir, "gimlet_rt_lost", &[self.module.site(ir, site), reason]);
        ir.before(call);
    }

    /// Counts labels that have nowhere to go.
    fn lose_arguments(&mut self, call: Value, outgoing: &Outgoing, site: u32) {
        let ir = self.ir;
        if let Some(any) = outgoing.lost.iter().copied().reduce(|any, label| ir.or(any, label)) {
            let condition = ir.is_nonzero(any);
            ir.unlikely(call, condition);
            let reason = ir.const32(LostReason::Arguments as u32);
            self.module.call(ir, "gimlet_rt_lost", &[self.module.site(ir, site), reason]);
            ir.before(call);
        }
    }

    fn store_labels(&self, outgoing: &Outgoing) {
        let ir = self.ir;
        for &(slot, label) in &outgoing.slots {
            ir.store(label, ir.slot(tls::ARGS + 4 * slot));
        }
        for (index, &origin) in outgoing.structs.iter().enumerate().take(tls::BY_VALUE_MAX as usize) {
            ir.store(origin, ir.slot(tls::BY_VALUE + 8 * index as u64));
        }
    }

    fn store_variadic(&self, outgoing: &Outgoing) {
        let ir = self.ir;
        for &(offset, label) in &outgoing.variadic {
            ir.store(label, ir.slot(tls::VA + offset));
        }
        for &(word, origin, size) in &outgoing.variadic_structs {
            self.module.call(ir, "gimlet_rt_va_memory", &[ir.const32(word), origin, ir.const64(size)]);
        }
        ir.store(ir.const32(outgoing.words), ir.slot(tls::VA_COUNT));
    }

    /// Stores labels if there are any, and gives the token that says so.
    fn store_if_any(&mut self, call: Value, outgoing: &Outgoing, any: Option<Value>, address: Value) -> Value {
        let ir = self.ir;
        let unlabelled = ir.add(address, ir.const64(1));
        let condition = if outgoing.structs.is_empty() {
            any
        } else {
            let active = self.module.is_active(ir);
            Some(any.map_or(active, |any| ir.or(any, active)))
        };
        let Some(condition) = condition else { return unlabelled };
        let unlikely = ir.unlikely(call, condition);
        self.store_labels(outgoing);
        ir.before(call);
        unlikely.merge(ir, call, address, unlabelled)
    }

    /// What is to be done before `next`, when a call has returned.
    fn after_call(&mut self, call: Value, next: Value, callee: Value, name: Option<&str>, sent: Sent, site: u32) {
        let ir = self.ir;
        ir.before(next);
        let is_output = name.is_some_and(natives::is_output) && !ir.has_uses(call);
        let is_model = name.is_some_and(|name| name.starts_with(MODEL_PREFIX));
        if !self.module.is_ours(callee) && !is_model && !is_output {
            self.count_if_native(call, next, callee, name, sent, site);
            ir.before(next);
        }
        if self.may.contains(call) && ir.has_uses(call) {
            self.take_result(call, next, self.module.is_ours(callee) || is_model);
        }
    }

    /// Labels of what a call returned. Unless both sides certainly agree on its type they are made to fit.
    fn take_result(&mut self, call: Value, next: Value, is_exact: bool) {
        let ir = self.ir;
        let parts = leaves(ir, ir.type_of(call));
        let mut labels: Vec<Value> = (0..parts.len())
            .map(|part| {
                if part < tls::RET_MAX as usize {
                    ir.load(ir.i32, ir.slot(tls::RET + 4 * part as u64))
                } else {
                    ir.no_label()
                }
            })
            .collect();
        if !is_exact {
            let any = labels.iter().copied().reduce(|any, label| ir.or(any, label)).unwrap_or_else(|| ir.no_label());
            let condition = ir.is_nonzero(any);
            let unlikely = ir.unlikely(next, condition);
            let fitting: Vec<Value> =
                labels.iter().zip(&parts).map(|(&label, leaf)| self.module.fit(ir, label, leaf.bits)).collect();
            ir.before(next);
            labels = fitting.into_iter().map(|label| unlikely.merge(ir, next, label, ir.no_label())).collect();
        }
        self.labels.insert(call, labels);
    }

    /// The callee may be native: then symbolic arguments, and symbolic memory behind pointers, are counted.
    fn count_if_native(&mut self, call: Value, next: Value, callee: Value, name: Option<&str>, sent: Sent, site: u32) {
        let ir = self.ir;
        let purpose = name.map_or(Use::Anything, natives::use_of);
        if purpose == Use::Input {
            let active = self.module.is_active(ir);
            ir.unlikely(next, active);
            self.module.call(ir, "gimlet_rt_consumed", &[callee, self.module.site(ir, site)]);
            return;
        }
        let pointers = if purpose == Use::Nothing { Vec::new() } else { self.pointers_to_variables(call) };
        let condition = if pointers.is_empty() { sent.any } else { Some(self.module.is_active(ir)) };
        let Some(condition) = condition else { return };
        ir.unlikely(next, condition);
        let site = self.module.site(ir, site);
        let strings = ir.const32((purpose == Use::Strings).into());
        for pointer in pointers {
            self.module.call(ir, "gimlet_rt_passed", &[callee, site, pointer, strings]);
        }
        let (fixed, variadic) = sent.slots;
        self.module.call(ir, "gimlet_rt_called", &[callee, site, ir.const32(fixed), ir.const64(variadic)]);
    }

    /// Arguments of a call that may point to symbolic memory.
    fn pointers_to_variables(&self, call: Value) -> Vec<Value> {
        let ir = self.ir;
        // SAFETY: a call.
        let count = unsafe { LLVMGetNumArgOperands(call) };
        let is_wanted = |&argument: &Value| {
            let is_pointer = ir.kind(ir.type_of(argument)) == LLVMTypeKind::LLVMPointerTypeKind;
            is_pointer && !is_constant_memory(ir, argument) && !ir.is_zero(argument)
        };
        (0..count).map(|index| ir.operand(call, index)).filter(is_wanted).collect()
    }

    /// A site for an operation inside a call, such as a copy of memory.
    pub fn operation_site(&mut self, instruction: Value) -> u32 {
        self.site(instruction, SiteKind::Operation, 0)
    }
}
