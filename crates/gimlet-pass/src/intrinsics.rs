//! LLVM's intrinsic functions.

use gimlet_trace::event::LostReason;
use gimlet_trace::node::Op;
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::function::Rewriter;
use crate::ir::{Ir, Value};
use crate::ops::{emit_binary, shape};
use crate::region::Emitter;
use crate::types::{low_half, scalar_bits};

/// The number of the intrinsic that is called, if one is.
pub fn id(_: &Ir, call: Value) -> Option<u32> {
    // SAFETY: a call.
    unsafe {
        let callee = LLVMGetCalledValue(call);
        if callee.is_null() || LLVMIsAFunction(callee).is_null() {
            return None;
        }
        Some(LLVMGetIntrinsicID(callee)).filter(|&id| id != 0)
    }
}

/// Its name without `llvm.` and types.
pub fn name(ir: &Ir, call: Value) -> &'static str {
    let Some(id) = id(ir, call) else { return "" };
    // SAFETY: LLVM's own table of names, with lengths.
    unsafe {
        let mut len = 0;
        let text = LLVMIntrinsicGetName(id, &mut len);
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len);
        std::str::from_utf8(bytes).unwrap_or("").trim_start_matches("llvm.")
    }
}

/// What is known of an intrinsic.
#[derive(Clone, Copy)]
enum Meaning {
    /// The result is the first argument.
    Same,
    Unary(Op),
    BitReverse,
    Funnel(Op),
    /// The first argument if `first op second`, else the second.
    Pick(Op),
    /// The same with the arguments' places changed.
    PickOther(Op),
    Absolute,
    Mask,
    /// Result and overflow.
    Overflow(Op, Op),
    /// Result, or a bound where it overflows.
    Saturating(Op, Op, bool),
    /// The result does not depend on values, or there is none.
    Nothing,
    Copy,
    Fill,
    VaStart,
    VaCopy,
    StackSave,
    StackRestore,
    Unknown,
}

fn meaning(name: &str) -> Meaning {
    match name {
        "expect"
        | "expect.with.probability"
        | "annotation"
        | "ssa.copy"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "ptr.annotation" => Meaning::Same,
        "bswap" => Meaning::Unary(Op::BSwap),
        "ctpop" => Meaning::Unary(Op::CtPop),
        "ctlz" => Meaning::Unary(Op::Ctlz),
        "cttz" => Meaning::Unary(Op::Cttz),
        "bitreverse" => Meaning::BitReverse,
        "fshl" => Meaning::Funnel(Op::FShl),
        "fshr" => Meaning::Funnel(Op::FShr),
        "umin" => Meaning::Pick(Op::Ult),
        "smin" => Meaning::Pick(Op::Slt),
        "umax" => Meaning::PickOther(Op::Ult),
        "smax" => Meaning::PickOther(Op::Slt),
        "abs" => Meaning::Absolute,
        "ptrmask" => Meaning::Mask,
        "uadd.with.overflow" => Meaning::Overflow(Op::Add, Op::UAddO),
        "sadd.with.overflow" => Meaning::Overflow(Op::Add, Op::SAddO),
        "usub.with.overflow" => Meaning::Overflow(Op::Sub, Op::USubO),
        "ssub.with.overflow" => Meaning::Overflow(Op::Sub, Op::SSubO),
        "umul.with.overflow" => Meaning::Overflow(Op::Mul, Op::UMulO),
        "smul.with.overflow" => Meaning::Overflow(Op::Mul, Op::SMulO),
        "uadd.sat" => Meaning::Saturating(Op::Add, Op::UAddO, false),
        "usub.sat" => Meaning::Saturating(Op::Sub, Op::USubO, false),
        "sadd.sat" => Meaning::Saturating(Op::Add, Op::SAddO, true),
        "ssub.sat" => Meaning::Saturating(Op::Sub, Op::SSubO, true),
        "memcpy" | "memcpy.inline" | "memmove" => Meaning::Copy,
        "memset" | "memset.inline" => Meaning::Fill,
        "va_start" => Meaning::VaStart,
        "va_copy" => Meaning::VaCopy,
        "stacksave" => Meaning::StackSave,
        "stackrestore" => Meaning::StackRestore,
        "va_end"
        | "lifetime.start"
        | "lifetime.end"
        | "assume"
        | "donothing"
        | "trap"
        | "debugtrap"
        | "ubsantrap"
        | "prefetch"
        | "frameaddress"
        | "returnaddress"
        | "addressofreturnaddress"
        | "is.constant"
        | "objectsize"
        | "dbg.declare"
        | "dbg.value"
        | "dbg.label"
        | "dbg.assign"
        | "invariant.start"
        | "invariant.end"
        | "experimental.noalias.scope.decl"
        | "sideeffect"
        | "pseudoprobe"
        | "var.annotation"
        | "readcyclecounter"
        | "eh.typeid.for"
        | "allow.runtime.check"
        | "allow.ubsan.check"
        | "threadlocal.address" => Meaning::Nothing,
        _ => Meaning::Unknown,
    }
}

/// True if the result of this intrinsic carries a label where its arguments do.
pub fn has_result_label(ir: &Ir, call: Value) -> bool {
    let bits = scalar_bits(ir, ir.type_of(call));
    match meaning(name(ir, call)) {
        Meaning::Same
        | Meaning::Unary(_)
        | Meaning::Pick(_)
        | Meaning::PickOther(_)
        | Meaning::Absolute
        | Meaning::Mask
        | Meaning::Overflow(..)
        | Meaning::Saturating(..) => true,
        Meaning::Funnel(_) => bits.is_some_and(|bits| bits <= 64),
        Meaning::BitReverse => matches!(bits, Some(8 | 16 | 32 | 64)),
        _ => false,
    }
}

/// The sign bit alone, as a constant.
fn signed_min(ir: &Ir, bits: u32) -> Value {
    // SAFETY: constants.
    unsafe {
        let words = if bits > 64 { [0, 1u64 << (bits - 65)] } else { [1u64 << (bits - 1), 0] };
        LLVMConstIntOfArbitraryPrecision(ir.int(bits), 2, words.as_ptr())
    }
}

fn emit_select(e: &Emitter, bits: u32, c: (Value, Value), a: (Value, Value), b: (Value, Value)) -> Value {
    let ir = e.ir;
    let ((lc, c), (la, a), (lb, b)) = (c, a, b);
    let taken = ir.cast(LLVMOpcode::LLVMZExt, c, ir.i32);
    let arguments = [ir.const32(bits), lc, la, lb, taken, e.low(a), e.high(a), e.low(b), e.high(b)];
    e.call("gimlet_rt_select", &arguments)
}

impl Rewriter<'_> {
    pub fn visit_intrinsic(&mut self, call: Value) {
        let ir = self.ir;
        let what = meaning(name(ir, call));
        match what {
            Meaning::Nothing => return,
            Meaning::Copy => return self.visit_copy(call),
            Meaning::Fill => return self.visit_fill(call),
            Meaning::VaStart => return self.visit_va_start(call),
            Meaning::VaCopy => return self.visit_va_copy(call),
            Meaning::StackSave => return self.visit_stack_save(call),
            Meaning::StackRestore => return self.visit_stack_restore(call),
            _ => {}
        }
        // SAFETY: a call.
        let count = unsafe { LLVMGetNumArgOperands(call) };
        let arguments: Vec<Value> = (0..count).map(|index| ir.operand(call, index)).collect();
        let inputs = self.symbolic_inputs(&arguments);
        if inputs.is_empty() {
            return;
        }
        if !self.may.contains(call) {
            let floats = arguments.iter().any(|&argument| {
                !matches!(
                    ir.kind(ir.type_of(argument)),
                    llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind | llvm_sys::LLVMTypeKind::LLVMPointerTypeKind
                )
            });
            return self.lose(call, &inputs, if floats { LostReason::Float } else { LostReason::Intrinsic });
        }
        self.visit_value_intrinsic(call, what, arguments, &inputs);
    }

    fn visit_value_intrinsic(&mut self, call: Value, what: Meaning, arguments: Vec<Value>, inputs: &[Value]) {
        let bits = scalar_bits(self.ir, self.ir.type_of(arguments[0])).unwrap_or(0);
        let first = arguments[0];
        let second = arguments.get(1).copied().unwrap_or(first);
        match what {
            Meaning::Unary(Op::Ctlz | Op::Cttz) => self.visit_count_zeros(call, what, first, second, bits),
            Meaning::Unary(op) => {
                self.defer(call, inputs, Box::new(move |e| vec![emit_unary(e, op, bits, first, call)]))
            }
            Meaning::Funnel(op) => self.defer(
                call,
                inputs,
                Box::new(move |e| {
                    let ir = e.ir;
                    let mut all = vec![shape(ir, op, bits)];
                    all.extend(arguments.iter().map(|&argument| e.label(argument)));
                    all.extend(arguments.iter().map(|&argument| e.low(argument)));
                    all.push(e.low(call));
                    vec![e.call("gimlet_rt_funnel", &all)]
                }),
            ),
            Meaning::BitReverse => self.defer(
                call,
                inputs,
                Box::new(move |e| {
                    let ir = e.ir;
                    let arguments = [ir.const32(bits), e.label(first), e.low(first)];
                    vec![e.call("gimlet_rt_bit_reverse", &arguments)]
                }),
            ),
            Meaning::Pick(op) => self.visit_pick(call, inputs, op, [first, second], bits),
            Meaning::PickOther(op) => self.visit_pick(call, inputs, op, [second, first], bits),
            Meaning::Absolute => self.defer(
                call,
                inputs,
                Box::new(move |e| {
                    let ir = e.ir;
                    let zero = ir.null(ir.type_of(first));
                    let label = e.label(first);
                    let negative = ir.compare(LLVMIntPredicate::LLVMIntSLT, first, zero);
                    let lc = emit_binary(e, Op::Slt, bits, [label, ir.no_label()], first, zero, negative);
                    let negated = ir.binary(LLVMOpcode::LLVMSub, zero, first);
                    let ln = emit_binary(e, Op::Sub, bits, [ir.no_label(), label], zero, first, negated);
                    vec![emit_select(e, bits, (lc, negative), (ln, negated), (label, first))]
                }),
            ),
            Meaning::Mask => self.defer(
                call,
                inputs,
                Box::new(move |e| {
                    vec![emit_binary(e, Op::And, 64, [e.label(first), e.label(second)], first, second, call)]
                }),
            ),
            Meaning::Overflow(op, predicate) => self.defer(
                call,
                inputs,
                Box::new(move |e| {
                    let (value, flag) = (e.ir.extract(call, 0), e.ir.extract(call, 1));
                    let labels = [e.label(first), e.label(second)];
                    vec![
                        emit_binary(e, op, bits, labels, first, second, value),
                        emit_binary(e, predicate, bits, labels, first, second, flag),
                    ]
                }),
            ),
            Meaning::Saturating(op, predicate, signed) => self.defer(
                call,
                inputs,
                Box::new(move |e| vec![emit_saturating(e, op, predicate, signed, bits, first, second, call)]),
            ),
            _ => self.defer(call, inputs, Box::new(move |e| e.labels(first))),
        }
    }

    fn visit_pick(&mut self, call: Value, inputs: &[Value], op: Op, [x, y]: [Value; 2], bits: u32) {
        // `x op y ? x : y` where x is the first argument for minima, the second for maxima.
        let minimum = self.ir.operand(call, 0) == x;
        self.defer(
            call,
            inputs,
            Box::new(move |e| {
                let ir = e.ir;
                let predicate = if op == Op::Ult { LLVMIntPredicate::LLVMIntULT } else { LLVMIntPredicate::LLVMIntSLT };
                let less = ir.compare(predicate, x, y);
                let (lx, ly) = (e.label(x), e.label(y));
                let lc = emit_binary(e, op, bits, [lx, ly], x, y, less);
                // A minimum takes x if x < y; a maximum of (first, second) = (y, x) takes first if x < y.
                let (a, b) = if minimum { ((lx, x), (ly, y)) } else { ((ly, y), (lx, x)) };
                vec![emit_select(e, bits, (lc, less), a, b)]
            }),
        );
    }

    /// Leading or trailing zeros; of zero they may be undefined.
    fn visit_count_zeros(&mut self, call: Value, what: Meaning, value: Value, zero_is_poison: Value, bits: u32) {
        let Meaning::Unary(op) = what else { return };
        let site = self.operation_site(call);
        self.defer(
            call,
            &[value],
            Box::new(move |e| {
                let ir = e.ir;
                let label = emit_unary(e, op, bits, value, call);
                let zero = ir.compare(LLVMIntPredicate::LLVMIntEQ, value, ir.null(ir.type_of(value)));
                let is_symbolic = ir.is_nonzero(label);
                let poison = ir.binary(LLVMOpcode::LLVMAnd, zero, zero_is_poison);
                let lost = ir.binary(LLVMOpcode::LLVMAnd, poison, is_symbolic);
                let reason = ir.select(lost, ir.const32(LostReason::Poison as u32), ir.const32(0));
                e.call("gimlet_rt_lost", &[e.site(site), reason]);
                vec![ir.select(poison, ir.no_label(), label)]
            }),
        );
    }

    fn visit_copy(&mut self, call: Value) {
        self.flush(call);
        let ir = self.ir;
        let [to, from, n] = [0, 1, 2].map(|index| ir.operand(call, index));
        let labels = [n, to, from].map(|value| self.known_label(value));
        let site = self.operation_site(call);
        ir.before(call);
        let active = self.module.is_active(ir);
        ir.unlikely(call, active);
        let arguments = [to, from, low_half(ir, n), labels[0], labels[1], labels[2], self.module.site(ir, site)];
        self.module.call(ir, "gimlet_rt_copy", &arguments);
    }

    fn visit_fill(&mut self, call: Value) {
        self.flush(call);
        let ir = self.ir;
        let [to, byte, n] = [0, 1, 2].map(|index| ir.operand(call, index));
        let labels = [byte, n, to].map(|value| self.known_label(value));
        let site = self.operation_site(call);
        ir.before(call);
        let active = self.module.is_active(ir);
        ir.unlikely(call, active);
        let wide = ir.cast(LLVMOpcode::LLVMZExt, byte, ir.i32);
        let arguments = [to, low_half(ir, n), labels[0], wide, labels[1], labels[2], self.module.site(ir, site)];
        self.module.call(ir, "gimlet_rt_fill", &arguments);
    }

    fn visit_va_start(&mut self, call: Value) {
        self.flush(call);
        let ir = self.ir;
        let list = ir.operand(call, 0);
        let next = ir.next(call);
        let saved = self.frame.variadic.unwrap_or_else(|| ir.null(ir.ptr));
        ir.before(next);
        let active = self.module.is_active(ir);
        ir.unlikely(next, active);
        self.module.call(ir, "gimlet_rt_va_start", &[list, saved]);
        self.module.call(ir, "gimlet_rt_clear", &[list, ir.const64(24)]);
    }

    fn visit_va_copy(&mut self, call: Value) {
        self.flush(call);
        let ir = self.ir;
        let to = ir.operand(call, 0);
        ir.before(call);
        let active = self.module.is_active(ir);
        ir.unlikely(call, active);
        self.module.call(ir, "gimlet_rt_clear", &[to, ir.const64(24)]);
    }

    /// The list of frame records goes back together with the stack.
    fn visit_stack_save(&mut self, call: Value) {
        let ir = self.ir;
        self.flush(call);
        ir.before(call);
        let frames = ir.load(ir.ptr, ir.slot(gimlet_trace::abi::tls::FRAMES));
        self.saved_frames.insert(call, frames);
    }

    fn visit_stack_restore(&mut self, call: Value) {
        let ir = self.ir;
        self.flush(call);
        ir.before(call);
        match self.saved_frames.get(&ir.operand(call, 0)) {
            Some(&frames) => _ = ir.store(frames, ir.slot(gimlet_trace::abi::tls::FRAMES)),
            None => self.restore_frames(),
        }
    }
}

fn emit_unary(e: &Emitter, op: Op, bits: u32, value: Value, result: Value) -> Value {
    let ir = e.ir;
    let arguments = [shape(ir, op, bits), ir.const32(bits), e.label(value), e.low(result), e.high(result)];
    e.call("gimlet_rt_unary", &arguments)
}

#[allow(clippy::too_many_arguments)] // one per part of the operation
fn emit_saturating(
    e: &Emitter,
    op: Op,
    predicate: Op,
    signed: bool,
    bits: u32,
    a: Value,
    b: Value,
    result: Value,
) -> Value {
    let ir = e.ir;
    let labels = [e.label(a), e.label(b)];
    let none = ir.no_label();
    let opcode = if op == Op::Add { LLVMOpcode::LLVMAdd } else { LLVMOpcode::LLVMSub };
    let plain = ir.binary(opcode, a, b);
    let l_plain = emit_binary(e, op, bits, labels, a, b, plain);
    // SAFETY: constants.
    let ones = unsafe { LLVMConstAllOnes(ir.type_of(a)) };
    let zero = ir.null(ir.type_of(a));
    let (l_bound, bound, overflow) = if signed {
        // The bound has the sign of the first operand: MAX for the others, MIN for negative ones.
        let min = signed_min(ir, bits);
        let max = ir.binary(LLVMOpcode::LLVMXor, min, ones);
        let negative = ir.compare(LLVMIntPredicate::LLVMIntSLT, a, zero);
        let l_negative = emit_binary(e, Op::Slt, bits, [labels[0], none], a, zero, negative);
        let bound = ir.select(negative, min, max);
        let l_bound = emit_select(e, bits, (l_negative, negative), (none, min), (none, max));
        (l_bound, bound, ir.compare(LLVMIntPredicate::LLVMIntNE, result, plain))
    } else {
        let bound = if op == Op::Add { ones } else { zero };
        (none, bound, ir.compare(LLVMIntPredicate::LLVMIntNE, result, plain))
    };
    let l_overflow = emit_binary(e, predicate, bits, labels, a, b, overflow);
    emit_select(e, bits, (l_overflow, overflow), (l_bound, bound), (l_plain, plain))
}
