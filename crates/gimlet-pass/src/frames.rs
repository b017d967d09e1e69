//! Entry and exit of functions, and the variables that live in their frames.
//!
//! On entry a function looks at the token that its caller left
//! ([`gimlet_trace::abi::tls`]): its own address means that labels of the
//! arguments are there, its address plus one that there are none, anything else
//! that native code called it. A native caller must find the slots as it left
//! them, because an instrumented caller further out may be waiting.
//!
//! Variables whose address leaves the function are kept in a list of records
//! on the stack, so that an access somewhere else finds the bounds of its
//! object; only while a driver traces.

use gimlet_trace::abi::{tls, RECORD_COUNT_MAX, RECORD_PLACE_SHIFT};
use gimlet_trace::event::PinReason;
use gimlet_trace::site::SiteKind;
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::function::{Body, Rewriter};
use crate::intrinsics;
use crate::ir::{Ir, Value};
use crate::may;
use crate::module::attribute_kind;
use crate::types::{high_half, leaf_value, leaves, low_half};

/// What the function keeps for its exit.
#[derive(Default)]
pub struct Frame {
    /// The list of records as the caller left it, if this function changes it.
    older: Option<Value>,
    /// The list with the function's own record, if control may come back to it from further down.
    own: Option<Value>,
    /// A pointer: the labels of variadic arguments, or null.
    pub variadic: Option<Value>,
}

/// The struct type of a parameter that is passed by value in memory.
pub fn by_value_size(ir: &Ir, function: Value, parameter: u32) -> Option<u64> {
    // SAFETY: a function.
    unsafe {
        let attribute = LLVMGetEnumAttributeAtIndex(function, parameter + 1, attribute_kind("byval"));
        (!attribute.is_null()).then(|| ir.size_of(LLVMGetTypeAttributeValue(attribute)))
    }
}

/// True if the function calls anything that may look at the slots.
fn has_calls(ir: &Ir, body: &Body) -> bool {
    body.blocks.iter().flat_map(|block| &block.instructions).any(|&instruction| {
        matches!(ir.opcode(instruction), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke))
            && intrinsics::id(ir, instruction).is_none()
    })
}

/// True if a variable's address is used other than for loads and stores in this function.
fn escapes(ir: &Ir, pointer: Value) -> bool {
    ir.users(pointer).into_iter().any(|user| match ir.opcode(user) {
        Some(LLVMOpcode::LLVMLoad) => false,
        Some(LLVMOpcode::LLVMStore) => ir.operand(user, 0) == pointer,
        Some(LLVMOpcode::LLVMGetElementPtr) => escapes(ir, user),
        Some(LLVMOpcode::LLVMCall) => intrinsics::id(ir, user).is_none(),
        _ => true,
    })
}

/// Takes the marks of lifetime off variables whose address leaves the function: the optimiser would let two of them
/// share a place in the frame, and an address there would belong to both.
pub fn keep_apart(ir: &Ir, body: &Body) {
    let is_alloca = |&&instruction: &&Value| ir.opcode(instruction) == Some(LLVMOpcode::LLVMAlloca);
    let variables = body.blocks.iter().flat_map(|block| &block.instructions).filter(is_alloca);
    // All of them first: what is erased is in the list of instructions, too.
    let variables: Vec<Value> = variables.copied().filter(|&variable| escapes(ir, variable)).collect();
    for variable in variables {
        for user in ir.users(variable) {
            let is_call = ir.opcode(user) == Some(LLVMOpcode::LLVMCall);
            if is_call && intrinsics::name(ir, user).starts_with("lifetime.") {
                // SAFETY: a call without a result.
                unsafe { LLVMInstructionEraseFromParent(user) };
            }
        }
    }
}

impl Rewriter<'_> {
    /// Everything before the function's own first instruction.
    pub fn prologue(&mut self) {
        let entry = &self.body.blocks[0].instructions;
        let is_alloca = |&&instruction: &&Value| self.ir.opcode(instruction) == Some(LLVMOpcode::LLVMAlloca);
        let Some(&at) = entry.iter().find(|instruction| !is_alloca(instruction)) else { return };
        let variables: Vec<Value> = entry.iter().filter(is_alloca).copied().collect();
        self.take_token(at);
        self.open_frame(at, &variables);
        self.enter_token(at);
    }

    fn take_token(&mut self, at: Value) {
        let ir = self.ir;
        // SAFETY: a function.
        let (returns, variadic) = unsafe {
            let ty = LLVMGlobalGetValueType(self.body.function);
            (LLVMGetReturnType(ty) != ir.void, LLVMIsFunctionVarArg(ty) != 0)
        };
        let calls = has_calls(ir, self.body);
        if !returns && !calls && self.body.arguments.is_empty() {
            return;
        }
        ir.before(at);
        let slot = ir.slot(tls::TOKEN);
        let token = ir.load(ir.i64, slot);
        let own = ir.cast(LLVMOpcode::LLVMPtrToInt, self.body.function, ir.i64);
        let distance = ir.binary(LLVMOpcode::LLVMSub, token, own);
        let native = ir.compare(LLVMIntPredicate::LLVMIntUGT, distance, ir.const64(1));
        if returns || calls {
            let frame = self.ir.frame_address();
            ir.unlikely(at, native);
            self.module.call(ir, "gimlet_rt_enter_native", &[frame]);
            ir.before(at);
            ir.store(ir.const64(0), slot);
            self.native = Some(native);
        } else {
            ir.store(ir.select(native, token, ir.const64(0)), slot);
        }
        let labelled = ir.compare(LLVMIntPredicate::LLVMIntEQ, distance, ir.const64(0));
        self.take_arguments(at, labelled);
        if variadic {
            self.take_variadic(at, labelled);
        }
    }

    fn take_arguments(&mut self, at: Value, labelled: Value) {
        let ir = self.ir;
        let mut slot = 0;
        let mut copies = 0;
        let mut labels: Vec<(Value, usize, u64)> = Vec::new();
        let mut structs: Vec<(Value, u64, u64)> = Vec::new();
        for (index, &argument) in self.body.arguments.iter().enumerate() {
            if let Some(size) = by_value_size(ir, self.body.function, index as u32) {
                structs.push((argument, size, copies));
                copies += 1;
                continue;
            }
            for leaf in 0..leaves(ir, ir.type_of(argument)).len() {
                labels.push((argument, leaf, slot));
                slot += 1;
            }
        }
        labels.retain(|&(argument, _, slot)| ir.has_uses(argument) && slot < u64::from(tls::ARGS_MAX));
        if labels.is_empty() && structs.is_empty() {
            return;
        }
        let unlikely = ir.unlikely(at, labelled);
        let loaded: Vec<Value> = labels
            .iter()
            .map(|&(argument, leaf, slot)| {
                let label = ir.load(ir.i32, ir.slot(tls::ARGS + 4 * slot));
                self.module.fit(ir, label, leaves(ir, ir.type_of(argument))[leaf].bits)
            })
            .collect();
        let origins: Vec<Value> = structs
            .iter()
            .map(|&(_, _, index)| {
                ir.load(ir.ptr, ir.slot(tls::BY_VALUE + 8 * index.min(u64::from(tls::BY_VALUE_MAX - 1))))
            })
            .collect();
        ir.before(at);
        for (&(argument, leaf, _), label) in labels.iter().zip(loaded) {
            let label = unlikely.merge(ir, at, label, ir.no_label());
            let all = self
                .labels
                .entry(argument)
                .or_insert_with(|| vec![ir.no_label(); leaves(ir, ir.type_of(argument)).len()]);
            all[leaf] = label;
        }
        let origins: Vec<Value> = origins
            .into_iter()
            .zip(&structs)
            .map(|(origin, &(_, _, index))| {
                let known = index < u64::from(tls::BY_VALUE_MAX);
                if known {
                    unlikely.merge(ir, at, origin, ir.null(ir.ptr))
                } else {
                    ir.null(ir.ptr)
                }
            })
            .collect();
        if structs.is_empty() {
            return;
        }
        let active = self.module.is_active(ir);
        ir.unlikely(at, active);
        for (&(argument, size, _), origin) in structs.iter().zip(origins) {
            self.module.call(ir, "gimlet_rt_by_value", &[argument, origin, ir.const64(size)]);
        }
        ir.before(at);
    }

    /// Keeps the labels of variadic arguments for `va_start`.
    fn take_variadic(&mut self, at: Value, labelled: Value) {
        let ir = self.ir;
        // SAFETY: an array type.
        let room = unsafe { LLVMArrayType2(ir.i8, tls::VA_LEN) };
        let saved = ir.entry_alloca(self.body.function, room);
        ir.before(at);
        let unlikely = ir.unlikely(at, labelled);
        // SAFETY: both have `VA_LEN` bytes.
        unsafe {
            LLVMBuildMemCpy(ir.builder, saved, 16, ir.slot(tls::VA), 4, ir.const64(tls::VA_LEN));
        }
        ir.before(at);
        self.frame.variadic = Some(unlikely.merge(ir, at, saved, ir.null(ir.ptr)));
    }

    /// Fresh variables have no labels; those whose address escapes are entered in the list.
    fn open_frame(&mut self, at: Value, variables: &[Value]) {
        let ir = self.ir;
        let sized: Vec<(Value, u64)> = variables
            .iter()
            .filter_map(|&variable| {
                // SAFETY: an alloca.
                unsafe {
                    let count = LLVMGetOperand(variable, 0);
                    let constant = !LLVMIsAConstantInt(count).is_null();
                    constant.then(|| {
                        let size = ir.size_of(LLVMGetAllocatedType(variable));
                        (variable, size.saturating_mul(LLVMConstIntGetZExtValue(count)))
                    })
                }
            })
            .collect();
        let is_any = |test: &dyn Fn(Value) -> bool| {
            self.body.blocks.iter().flat_map(|block| &block.instructions).any(|&instruction| test(instruction))
        };
        let calls_setjmp = is_any(&|call| {
            matches!(ir.opcode(call), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke)) && may::returns_twice(call)
        });
        let has_landing_pad = is_any(&|instruction| ir.opcode(instruction) == Some(LLVMOpcode::LLVMLandingPad));
        let dynamic = self.body.blocks.iter().flat_map(|block| &block.instructions).any(|&instruction| {
            ir.opcode(instruction) == Some(LLVMOpcode::LLVMAlloca)
                && !sized.iter().any(|&(known, _)| known == instruction)
        });
        let shared: Vec<(Value, u64)> = sized.iter().copied().filter(|&(variable, _)| escapes(ir, variable)).collect();
        if sized.is_empty() && !dynamic && !calls_setjmp && !has_landing_pad {
            return;
        }
        // SAFETY: an array type.
        let record = (!shared.is_empty()).then(|| {
            ir.entry_alloca(self.body.function, unsafe { LLVMArrayType2(ir.i64, 2 + 2 * shared.len() as u64) })
        });
        ir.before(at);
        let comes_back = calls_setjmp || has_landing_pad;
        let changes_list = record.is_some() || dynamic || calls_setjmp;
        let older = (changes_list || comes_back).then(|| ir.load(ir.ptr, ir.slot(tls::FRAMES)));
        self.frame.older = older.filter(|_| changes_list);
        self.frame.own = older.filter(|_| comes_back);
        if sized.is_empty() {
            return;
        }
        let active = self.module.is_active(ir);
        let unlikely = ir.unlikely(at, active);
        for &(variable, size) in &sized {
            self.module.call(ir, "gimlet_rt_clear", &[variable, ir.const64(size)]);
        }
        if let (Some(record), Some(older)) = (record, self.frame.older) {
            let sizes: Vec<(Value, Value)> = shared.iter().map(|&(at, size)| (at, ir.const64(size))).collect();
            self.link(record, older, &sizes);
            if comes_back {
                self.frame.own = Some(unlikely.merge(ir, at, record, older));
            }
        }
        ir.before(at);
    }

    /// Control may have come back from further down, by an exception or by longjmp: the frames there are gone.
    pub fn come_back(&mut self, at: Value) {
        let ir = self.ir;
        ir.before(at);
        if let Some(own) = self.frame.own {
            ir.store(own, ir.slot(tls::FRAMES));
        }
        let frame = self.ir.frame_address();
        let active = self.module.is_active(ir);
        ir.unlikely(at, active);
        self.module.call(ir, "gimlet_rt_unwound", &[frame]);
        ir.before(at);
    }

    /// Fills a record and makes it the newest.
    fn link(&self, record: Value, older: Value, variables: &[(Value, Value)]) {
        let ir = self.ir;
        let field = |index: u64| ir.offset(record, ir.const64(8 * index));
        let variables = &variables[..variables.len().min(RECORD_COUNT_MAX as usize - 1)];
        let place = ir.cast(LLVMOpcode::LLVMPtrToInt, record, ir.i64);
        let place = ir.binary(LLVMOpcode::LLVMShl, place, ir.const64(u64::from(RECORD_PLACE_SHIFT)));
        ir.store(older, record);
        ir.store(ir.or(place, ir.const64(variables.len() as u64)), field(1));
        for (index, &(variable, size)) in variables.iter().enumerate() {
            ir.store(variable, field(2 + 2 * index as u64));
            ir.store(size, field(3 + 2 * index as u64));
        }
        ir.store(record, ir.slot(tls::FRAMES));
    }

    /// A variable whose size is computed.
    pub fn visit_alloca(&mut self, alloca: Value) {
        let ir = self.ir;
        let count = ir.operand(alloca, 0);
        let in_entry = self.body.blocks[0].instructions.contains(&alloca);
        // SAFETY: an alloca.
        if in_entry && unsafe { !LLVMIsAConstantInt(count).is_null() } {
            return;
        }
        self.flush(alloca);
        if self.may.contains(count) {
            let site = self.site(alloca, SiteKind::Operation, 64);
            self.defer_pin(alloca, count, site, PinReason::Size);
            self.flush(alloca);
        }
        let next = ir.next(alloca);
        ir.before(next);
        // SAFETY: an alloca.
        let unit = ir.size_of(unsafe { LLVMGetAllocatedType(alloca) });
        let size = ir.binary(LLVMOpcode::LLVMMul, low_half(ir, count), ir.const64(unit));
        // SAFETY: an array type; the record lives as long as the variable.
        let record = unsafe { LLVMBuildAlloca(ir.builder, LLVMArrayType2(ir.i64, 4), c"".as_ptr()) };
        let active = self.module.is_active(ir);
        ir.unlikely(next, active);
        self.module.call(ir, "gimlet_rt_clear", &[alloca, size]);
        let older = ir.load(ir.ptr, ir.slot(tls::FRAMES));
        self.link(record, older, &[(alloca, size)]);
        ir.before(next);
    }

    /// True if the function keeps nothing on its stack that a tail call would take away.
    pub fn has_no_frame(&self) -> bool {
        let allocas = self.body.blocks.iter().flat_map(|block| &block.instructions);
        let has_variable = allocas.into_iter().any(|&at| self.ir.opcode(at) == Some(LLVMOpcode::LLVMAlloca));
        self.frame.older.is_none() && self.frame.variadic.is_none() && !has_variable
    }

    /// Puts the list of records back to what it was when this function began.
    pub fn restore_frames(&self) {
        if let Some(older) = self.frame.older {
            self.ir.store(older, self.ir.slot(tls::FRAMES));
        }
    }

    /// Everything before a return of `value`; the builder stands there. Native code can't take the label of a result,
    /// and what it decides by the value is the path's business: the value is pinned. What `main` returns decides nothing.
    pub fn epilogue(&mut self, at: Value, value: Option<Value>) {
        self.restore_frames();
        let Some(native) = self.native else { return };
        let ir = self.ir;
        let frame = self.ir.frame_address();
        let labelled = value.filter(|_| self.body.name != "main").map(|value| (value, self.known_labels(value)));
        let site = labelled
            .as_ref()
            .filter(|(_, labels)| labels.iter().any(|&label| !ir.is_zero(label)))
            .map(|_| self.site(at, SiteKind::Operation, 0));
        ir.unlikely(at, native);
        if let (Some((value, labels)), Some(site)) = (labelled, site) {
            let parts = leaves(ir, ir.type_of(value));
            for (leaf, label) in parts.iter().zip(labels) {
                let part = leaf_value(ir, value, leaf);
                let reason = ir.const32(PinReason::NativeResult as u32);
                let arguments = [label, low_half(ir, part), high_half(ir, part), self.module.site(ir, site), reason];
                self.module.call(ir, "gimlet_rt_pin", &arguments);
            }
        }
        self.module.call(ir, "gimlet_rt_leave_native", &[frame]);
        ir.before(at);
    }
}
