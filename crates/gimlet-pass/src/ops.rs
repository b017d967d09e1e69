//! Operations on values: arithmetic, comparisons, casts, selects, pointers, parts of aggregates.

use gimlet_trace::event::LostReason;
use gimlet_trace::node::Op;
use gimlet_trace::site::SiteKind;
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use crate::function::Rewriter;
use crate::ir::{Ir, Type, Value};
use crate::region::Emitter;
use crate::types::{self, leaf_value, leaves, scalar_bits};

/// Operator and width as the runtime wants them.
pub fn shape(ir: &Ir, op: Op, bits: u32) -> Value {
    ir.const32(op as u32 | bits << 8)
}

/// The record operator of an LLVM operator on two integers.
pub fn integer_op(opcode: LLVMOpcode) -> Option<Op> {
    Some(match opcode {
        LLVMOpcode::LLVMAdd => Op::Add,
        LLVMOpcode::LLVMSub => Op::Sub,
        LLVMOpcode::LLVMMul => Op::Mul,
        LLVMOpcode::LLVMUDiv => Op::UDiv,
        LLVMOpcode::LLVMSDiv => Op::SDiv,
        LLVMOpcode::LLVMURem => Op::URem,
        LLVMOpcode::LLVMSRem => Op::SRem,
        LLVMOpcode::LLVMShl => Op::Shl,
        LLVMOpcode::LLVMLShr => Op::LShr,
        LLVMOpcode::LLVMAShr => Op::AShr,
        LLVMOpcode::LLVMAnd => Op::And,
        LLVMOpcode::LLVMOr => Op::Or,
        LLVMOpcode::LLVMXor => Op::Xor,
        _ => return None,
    })
}

/// The record operator of a comparison, and whether its operands change places.
pub fn predicate_op(predicate: LLVMIntPredicate) -> (Op, bool) {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => (Op::Eq, false),
        LLVMIntPredicate::LLVMIntNE => (Op::Ne, false),
        LLVMIntPredicate::LLVMIntULT => (Op::Ult, false),
        LLVMIntPredicate::LLVMIntULE => (Op::Ule, false),
        LLVMIntPredicate::LLVMIntUGT => (Op::Ult, true),
        LLVMIntPredicate::LLVMIntUGE => (Op::Ule, true),
        LLVMIntPredicate::LLVMIntSLT => (Op::Slt, false),
        LLVMIntPredicate::LLVMIntSLE => (Op::Sle, false),
        LLVMIntPredicate::LLVMIntSGT => (Op::Slt, true),
        LLVMIntPredicate::LLVMIntSGE => (Op::Sle, true),
    }
}

/// A call of the runtime for `a op b`, which gave `value`.
pub fn emit_binary(e: &Emitter, op: Op, bits: u32, labels: [Value; 2], a: Value, b: Value, value: Value) -> Value {
    let ir = e.ir;
    let [la, lb] = labels;
    if bits <= 64 {
        let arguments = [shape(ir, op, bits), la, lb, e.low(a), e.low(b), e.low(value)];
        return e.call("gimlet_rt_binary", &arguments);
    }
    let mut arguments = vec![shape(ir, op, bits), la, lb];
    for operand in [a, b, value] {
        arguments.extend([e.low(operand), e.high(operand)]);
    }
    e.call("gimlet_rt_binary_wide", &arguments)
}

fn is_float(ir: &Ir, ty: Type) -> bool {
    matches!(
        ir.kind(ty),
        LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind
            | LLVMTypeKind::LLVMX86_FP80TypeKind
            | LLVMTypeKind::LLVMFP128TypeKind
            | LLVMTypeKind::LLVMPPC_FP128TypeKind
    )
}

impl Rewriter<'_> {
    pub fn visit_operation(&mut self, instruction: Value, opcode: LLVMOpcode) {
        let operands = self.ir.operands(instruction);
        let divides =
            matches!(opcode, LLVMOpcode::LLVMUDiv | LLVMOpcode::LLVMSDiv | LLVMOpcode::LLVMURem | LLVMOpcode::LLVMSRem);
        // SAFETY: asks only.
        let may_trap = divides && unsafe { LLVMIsAConstantInt(operands[1]).is_null() };
        let inputs = self.symbolic_inputs(&operands);
        let announced = match may_trap && !inputs.is_empty() && self.may.contains(instruction) {
            true => self.announce_division(instruction, opcode, &inputs),
            false => None,
        };
        if may_trap && self.region.stores {
            self.flush(instruction);
        }
        if inputs.is_empty() {
            return;
        }
        if !self.may.contains(instruction) {
            return self.lose(instruction, &inputs, self.loss_of(instruction, &operands));
        }
        match opcode {
            LLVMOpcode::LLVMICmp => self.visit_compare(instruction, &inputs),
            LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMTrunc => self.visit_cast(instruction, opcode),
            LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr => self.visit_cast(instruction, LLVMOpcode::LLVMZExt),
            LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze | LLVMOpcode::LLVMAddrSpaceCast => {
                self.defer(instruction, &inputs, Box::new(move |e| e.labels(operands[0])));
            }
            LLVMOpcode::LLVMSelect => self.visit_select(instruction, &inputs),
            LLVMOpcode::LLVMGetElementPtr => self.visit_pointer(instruction, &inputs),
            LLVMOpcode::LLVMExtractValue => self.visit_extract_value(instruction, &inputs),
            LLVMOpcode::LLVMInsertValue => self.visit_insert_value(instruction, &inputs),
            _ => match integer_op(opcode) {
                Some(op) => self.visit_arithmetic(instruction, op, &inputs, announced),
                None => self.lose(instruction, &inputs, self.loss_of(instruction, &operands)),
            },
        }
    }

    /// Counts a lost dependency if an input is symbolic.
    pub fn lose(&mut self, instruction: Value, inputs: &[Value], reason: LostReason) {
        let site = self.site(instruction, SiteKind::Operation, 0);
        let inputs_inside = inputs.to_vec();
        self.defer(
            instruction,
            inputs,
            Box::new(move |e| {
                // Some root of the region is symbolic; whether it is one of these is asked here.
                let ir = e.ir;
                let labels = inputs_inside.iter().flat_map(|&input| e.labels(input));
                let any = labels.fold(ir.no_label(), |any, label| ir.or(any, label));
                let is_lost = ir.is_nonzero(any);
                let no_site = ir.const32(0);
                let reason = ir.select(is_lost, ir.const32(reason as u32), no_site);
                e.call("gimlet_rt_lost", &[e.site(site), reason]);
                Vec::new()
            }),
        );
    }

    /// Why an operation has no model.
    fn loss_of(&self, instruction: Value, operands: &[Value]) -> LostReason {
        let types = operands.iter().map(|&operand| self.ir.type_of(operand)).chain([self.ir.type_of(instruction)]);
        for ty in types {
            match self.ir.kind(ty) {
                LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                    return LostReason::Vector
                }
                LLVMTypeKind::LLVMX86_FP80TypeKind => return LostReason::LongDouble,
                _ if is_float(self.ir, ty) => return LostReason::Float,
                LLVMTypeKind::LLVMIntegerTypeKind if scalar_bits(self.ir, ty).is_none() => return LostReason::Wide,
                LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind
                    if leaves(self.ir, ty).is_empty() =>
                {
                    return LostReason::Aggregate
                }
                _ => {}
            }
        }
        LostReason::Intrinsic
    }

    /// If the operation is announced, it has a site already.
    fn visit_arithmetic(&mut self, instruction: Value, op: Op, inputs: &[Value], announced: Option<u32>) {
        let bits = scalar_bits(self.ir, self.ir.type_of(instruction)).unwrap_or(0);
        let (a, b) = (self.ir.operand(instruction, 0), self.ir.operand(instruction, 1));
        let is_checked = match op {
            Op::UDiv | Op::SDiv | Op::URem | Op::SRem => true,
            Op::Shl | Op::LShr | Op::AShr => !self.ir.is_constant_below(b, bits.into()),
            _ => false,
        };
        if !is_checked {
            let emit =
                move |e: &mut Emitter| vec![emit_binary(e, op, bits, [e.label(a), e.label(b)], a, b, instruction)];
            return self.defer(instruction, inputs, Box::new(emit));
        }
        let site = announced.unwrap_or_else(|| self.site(instruction, SiteKind::Operation, bits));
        self.defer(
            instruction,
            inputs,
            Box::new(move |e| {
                let ir = e.ir;
                let mut arguments = vec![shape(ir, op, bits), e.label(a), e.label(b)];
                for operand in [a, b, instruction] {
                    arguments.push(e.low(operand));
                    if bits > 64 {
                        arguments.push(e.high(operand));
                    }
                }
                arguments.push(e.site(site));
                vec![e.call(if bits > 64 { "gimlet_rt_checked_wide" } else { "gimlet_rt_checked" }, &arguments)]
            }),
        );
    }

    /// Has a division logged that is going to trap, before it does. Returns its site.
    fn announce_division(&mut self, instruction: Value, opcode: LLVMOpcode, inputs: &[Value]) -> Option<u32> {
        let op = integer_op(opcode)?;
        let bits = scalar_bits(self.ir, self.ir.type_of(instruction)).unwrap_or(0);
        let (a, b) = (self.ir.operand(instruction, 0), self.ir.operand(instruction, 1));
        let site = self.site(instruction, SiteKind::Operation, bits);
        let announce = move |e: &mut Emitter| {
            let mut arguments = vec![shape(e.ir, op, bits), e.label(a), e.label(b)];
            arguments.extend([a, b].into_iter().flat_map(|operand| [e.low(operand), e.high(operand)]));
            arguments.push(e.site(site));
            e.call("gimlet_rt_dividing", &arguments);
            Vec::new()
        };
        self.defer(instruction, inputs, Box::new(announce));
        self.flush_unfinished(instruction);
        Some(site)
    }

    fn visit_compare(&mut self, instruction: Value, inputs: &[Value]) {
        let (mut a, mut b) = (self.ir.operand(instruction, 0), self.ir.operand(instruction, 1));
        let Some(bits) = scalar_bits(self.ir, self.ir.type_of(a)) else {
            return self.lose(instruction, inputs, LostReason::Wide);
        };
        // SAFETY: a comparison of integers.
        let (op, swapped) = predicate_op(unsafe { LLVMGetICmpPredicate(instruction) });
        if swapped {
            std::mem::swap(&mut a, &mut b);
        }
        if let Some((key, index)) = self.walks.comparison(instruction) {
            let site = self.site(instruction, SiteKind::Operation, 1);
            self.region.depends_on_stretches();
            let emit = move |e: &mut Emitter| {
                let (ir, labels) = (e.ir, [e.label(a), e.label(b)]);
                let values = [e.low(a), e.low(b), e.low(instruction)];
                let [shape, index] = [shape(ir, op, bits), ir.const32(index)];
                let arguments = [&[key, index, shape], &labels[..], &values, &[e.site(site)]].concat();
                vec![e.call("gimlet_rt_compare_counters", &arguments)]
            };
            return self.defer(instruction, inputs, Box::new(emit));
        }
        let emit = move |e: &mut Emitter| vec![emit_binary(e, op, bits, [e.label(a), e.label(b)], a, b, instruction)];
        self.defer(instruction, inputs, Box::new(emit));
    }

    /// Widening and narrowing; pointers count as 64-bit integers.
    fn visit_cast(&mut self, instruction: Value, opcode: LLVMOpcode) {
        let from_value = self.ir.operand(instruction, 0);
        let from = scalar_bits(self.ir, self.ir.type_of(from_value)).unwrap_or(0);
        let to = scalar_bits(self.ir, self.ir.type_of(instruction)).unwrap_or(0);
        self.defer(
            instruction,
            &[from_value],
            Box::new(move |e| {
                let ir = e.ir;
                let (label, low, high) = (e.label(from_value), e.low(instruction), e.high(instruction));
                vec![match to.cmp(&from) {
                    std::cmp::Ordering::Equal => label,
                    std::cmp::Ordering::Less => e.call("gimlet_rt_extract", &[ir.const32(to), ir.const32(0), label]),
                    std::cmp::Ordering::Greater => {
                        let op = if opcode == LLVMOpcode::LLVMSExt { Op::SExt } else { Op::ZExt };
                        e.call("gimlet_rt_unary", &[shape(ir, op, to), ir.const32(from), label, low, high])
                    }
                }]
            }),
        );
    }

    fn visit_select(&mut self, instruction: Value, inputs: &[Value]) {
        let [c, a, b] = [0, 1, 2].map(|index| self.ir.operand(instruction, index));
        if scalar_bits(self.ir, self.ir.type_of(c)) != Some(1) {
            return self.lose(instruction, inputs, LostReason::Vector);
        }
        let parts = leaves(self.ir, self.ir.type_of(instruction));
        self.defer(
            instruction,
            inputs,
            Box::new(move |e| {
                let ir = e.ir;
                let (a_labels, b_labels) = (e.labels(a), e.labels(b));
                let taken = ir.cast(LLVMOpcode::LLVMZExt, e.value(c), ir.i32);
                let lc = e.label(c);
                let mut labels = Vec::new();
                for (index, leaf) in parts.iter().enumerate() {
                    let (a, b) = (leaf_value(ir, a, leaf), leaf_value(ir, b, leaf));
                    let arguments = [
                        ir.const32(leaf.bits),
                        lc,
                        a_labels[index],
                        b_labels[index],
                        taken,
                        e.low(a),
                        e.high(a),
                        e.low(b),
                        e.high(b),
                    ];
                    labels.push(e.call("gimlet_rt_select", &arguments));
                }
                labels
            }),
        );
    }

    fn visit_pointer(&mut self, instruction: Value, inputs: &[Value]) {
        let base = self.ir.operand(instruction, 0);
        let steps = pointer_steps(self.ir, instruction);
        self.defer(
            instruction,
            inputs,
            Box::new(move |e| {
                let ir = e.ir;
                let mut label = e.label(base);
                let mut address = e.low(base);
                for step in &steps {
                    match *step {
                        Step::Constant(offset) => {
                            let offset = ir.const64(offset);
                            let sum = ir.add(address, offset);
                            label = emit_binary(e, Op::Add, 64, [label, ir.no_label()], address, offset, sum);
                            address = sum;
                        }
                        Step::Index { value, bits, scale } => {
                            let index = e.low(value);
                            let arguments =
                                [ir.const32(bits), label, e.label(value), address, index, ir.const64(scale)];
                            label = e.call("gimlet_rt_ptr_add", &arguments);
                            let signed =
                                if bits < 64 { ir.cast(LLVMOpcode::LLVMSExt, e.value(value), ir.i64) } else { index };
                            let scaled = ir.binary(LLVMOpcode::LLVMMul, signed, ir.const64(scale));
                            address = ir.add(address, scaled);
                        }
                    }
                }
                vec![label]
            }),
        );
    }

    /// Leaves of an aggregate that lie below the instruction's indices: the first, and how many.
    fn selected(&self, aggregate: Type, instruction: Value) -> (usize, usize) {
        // SAFETY: extractvalue or insertvalue.
        let path = unsafe {
            let count = LLVMGetNumIndices(instruction) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(instruction), count)
        };
        let parts = leaves(self.ir, aggregate);
        let first = parts.iter().position(|leaf| leaf.path.starts_with(path)).unwrap_or(0);
        (first, parts.iter().filter(|leaf| leaf.path.starts_with(path)).count())
    }

    fn visit_extract_value(&mut self, instruction: Value, inputs: &[Value]) {
        let aggregate = self.ir.operand(instruction, 0);
        let (first, count) = self.selected(self.ir.type_of(aggregate), instruction);
        self.defer(instruction, inputs, Box::new(move |e| e.labels(aggregate)[first..first + count].to_vec()));
    }

    fn visit_insert_value(&mut self, instruction: Value, inputs: &[Value]) {
        let (aggregate, part) = (self.ir.operand(instruction, 0), self.ir.operand(instruction, 1));
        let (first, count) = self.selected(self.ir.type_of(aggregate), instruction);
        self.defer(
            instruction,
            inputs,
            Box::new(move |e| {
                let mut labels = e.labels(aggregate);
                labels.splice(first..first + count, e.labels(part));
                labels
            }),
        );
    }
}

/// A part of the sum that a getelementptr computes.
enum Step {
    Constant(u64),
    Index { value: Value, bits: u32, scale: u64 },
}

fn pointer_steps(ir: &Ir, instruction: Value) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut constant = 0u64;
    // SAFETY: a getelementptr; its indices walk its source type.
    unsafe {
        let mut ty = LLVMGetGEPSourceElementType(instruction);
        for (at, &index) in ir.operands(instruction)[1..].iter().enumerate() {
            if at > 0 && ir.kind(ty) == LLVMTypeKind::LLVMStructTypeKind {
                let field = LLVMConstIntGetZExtValue(index) as u32;
                constant = constant.wrapping_add(ir.field_offset(ty, field));
                ty = LLVMStructGetTypeAtIndex(ty, field);
                continue;
            }
            if at > 0 {
                ty = LLVMGetElementType(ty);
            }
            let scale = ir.size_of(ty);
            if LLVMIsAConstantInt(index).is_null() {
                let bits = types::scalar_bits(ir, ir.type_of(index)).unwrap_or(64);
                steps.push(Step::Index { value: index, bits, scale });
            } else {
                let offset = LLVMConstIntGetSExtValue(index) as u64;
                constant = constant.wrapping_add(offset.wrapping_mul(scale));
            }
        }
    }
    if constant != 0 {
        steps.push(Step::Constant(constant));
    }
    steps
}

/// What a getelementptr without computed indices adds, if both pointers are in one object.
pub fn constant_offset(ir: &Ir, pointer: Value) -> Option<u64> {
    // SAFETY: a getelementptr is asked.
    let is_inside =
        ir.opcode(pointer) == Some(LLVMOpcode::LLVMGetElementPtr) && unsafe { LLVMIsInBounds(pointer) } != 0;
    if !is_inside || scalar_bits(ir, ir.type_of(pointer)).is_none() {
        return None;
    }
    match pointer_steps(ir, pointer).as_slice() {
        [] => Some(0),
        [Step::Constant(offset)] => Some(*offset),
        _ => None,
    }
}
