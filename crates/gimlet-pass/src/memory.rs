//! Loads, stores, atomics.

use gimlet_trace::event::LostReason;
use gimlet_trace::node::Op;
use gimlet_trace::site::SiteKind;
use llvm_sys::core::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::function::Rewriter;
use crate::ir::{Type, Value};
use crate::may::{is_constant_memory, underlying};
use crate::ops::emit_binary;
use crate::region::Emitter;
use crate::types::{leaf_value, leaves, scalar_bits, Leaf};

/// The variable around an access, if it is known: its address and size.
type Bounds = Option<(Value, u64)>;

/// Address, address label and bounds of one leaf of an access, as runtime arguments.
struct Place {
    address: Value,
    label: Value,
    object: Value,
    size: Value,
}

fn place(e: &Emitter, pointer: Value, offset: u64, bounds: Bounds) -> Place {
    let ir = e.ir;
    let mut label = e.label(pointer);
    let mut address = e.value(pointer);
    if offset != 0 {
        let from = e.low(address);
        address = ir.offset(address, ir.const64(offset));
        let to = e.low(address);
        label = emit_binary(e, Op::Add, 64, [label, ir.no_label()], from, ir.const64(offset), to);
    }
    let (object, size) = match bounds {
        Some((object, size)) => (object, ir.const64(size)),
        None => (ir.null(ir.ptr), ir.const64(0)),
    };
    Place { address, label, object, size }
}

impl Rewriter<'_> {
    fn bounds(&self, pointer: Value) -> Bounds {
        let variable = underlying(self.ir, pointer)?;
        // SAFETY: a global or an alloca.
        unsafe {
            let ty = if LLVMIsAGlobalVariable(variable).is_null() {
                if LLVMIsAConstantInt(LLVMGetOperand(variable, 0)).is_null() {
                    return None; // an array of variable length
                }
                let count = LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0));
                return Some((variable, self.ir.size_of(LLVMGetAllocatedType(variable)).checked_mul(count)?));
            } else {
                if LLVMIsDeclaration(variable) != 0 || LLVMIsThreadLocal(variable) != 0 {
                    return None; // its size may be another in its own module
                }
                LLVMGlobalGetValueType(variable)
            };
            Some((variable, self.ir.size_of(ty)))
        }
    }

    pub fn visit_load(&mut self, load: Value) {
        // SAFETY: a load.
        if self.region.stores && unsafe { LLVMGetVolatile(load) } != 0 {
            self.flush(load);
        }
        let pointer = self.ir.operand(load, 0);
        let ty = self.ir.type_of(load);
        let parts = leaves(self.ir, ty);
        if parts.is_empty() {
            return self.visit_opaque_load(load, pointer, ty);
        }
        if !self.may.contains(load) {
            return;
        }
        let site = self.site(load, SiteKind::Load, parts[0].bits);
        let bounds = self.bounds(pointer);
        if !is_constant_memory(self.ir, pointer) {
            for leaf in &parts {
                self.region.shadow_root(self.ir, pointer, leaf.offset, leaf.bytes());
            }
        }
        self.region.looks_up |= self.may.contains(pointer);
        self.defer(
            load,
            &[pointer],
            Box::new(move |e| {
                parts
                    .iter()
                    .map(|leaf| load_leaf(e, load, leaf, place(e, pointer, leaf.offset, bounds), site))
                    .collect()
            }),
        );
    }

    /// A load of a type that carries no labels: what it drops is counted.
    fn visit_opaque_load(&mut self, load: Value, pointer: Value, ty: Type) {
        let bytes = self.ir.size_of(ty);
        if bytes == 0 || is_constant_memory(self.ir, pointer) {
            return;
        }
        let reason = self.opaque_reason(ty);
        let site = self.site(load, SiteKind::Load, 0);
        self.region.shadow_root(self.ir, pointer, 0, bytes.min(64) as u32);
        self.defer(
            load,
            &[pointer],
            Box::new(move |e| {
                let arguments = [pointer, e.ir.const64(bytes), e.site(site), e.ir.const32(reason as u32)];
                e.call("gimlet_rt_lose_memory", &arguments);
                Vec::new()
            }),
        );
    }

    fn opaque_reason(&self, ty: Type) -> LostReason {
        match self.ir.kind(ty) {
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => LostReason::Vector,
            LLVMTypeKind::LLVMIntegerTypeKind => LostReason::Wide,
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind => LostReason::Aggregate,
            _ => LostReason::LongDouble,
        }
    }

    pub fn visit_store(&mut self, store: Value) {
        let (value, pointer) = (self.ir.operand(store, 0), self.ir.operand(store, 1));
        let ty = self.ir.type_of(value);
        let parts = leaves(self.ir, ty);
        let symbolic_address = self.may.contains(pointer);
        let site = self.site(store, SiteKind::Store, parts.first().map_or(0, |leaf| leaf.bits));
        if parts.is_empty() {
            let bytes = self.ir.size_of(ty);
            self.region.shadow_root(self.ir, pointer, 0, bytes.min(64) as u32);
            self.defer(
                store,
                &[pointer],
                Box::new(move |e| {
                    e.call("gimlet_rt_clear", &[pointer, e.ir.const64(bytes)]);
                    Vec::new()
                }),
            );
        } else {
            let bounds = self.bounds(pointer);
            for leaf in &parts {
                self.region.shadow_root(self.ir, pointer, leaf.offset, leaf.bytes());
            }
            self.defer(
                store,
                &[value, pointer],
                Box::new(move |e| {
                    let labels = e.labels(value);
                    for (leaf, label) in parts.iter().zip(labels) {
                        store_leaf(e, value, leaf, label, place(e, pointer, leaf.offset, bounds), site);
                    }
                    Vec::new()
                }),
            );
        }
        self.region.stores = true;
        // SAFETY: a store.
        if symbolic_address || self.region.looks_up || unsafe { LLVMGetVolatile(store) } != 0 {
            self.flush(store);
        }
    }

    pub fn visit_atomic(&mut self, atomic: Value) {
        self.flush(atomic);
        let (pointer, operand) = (self.ir.operand(atomic, 0), self.ir.operand(atomic, 1));
        let ty = self.ir.type_of(atomic);
        // SAFETY: an atomicrmw.
        let op = unsafe { LLVMGetAtomicRMWBinOp(atomic) } as u32;
        let next = self.ir.next(atomic);
        let site = self.site(atomic, SiteKind::Store, 0);
        let bits = scalar_bits(self.ir, ty).filter(|&bits| bits <= 64 && op <= 10);
        self.region.shadow_root(self.ir, pointer, 0, self.ir.size_of(ty).min(16) as u32);
        self.defer(
            atomic,
            &[pointer, operand],
            Box::new(move |e| {
                let ir = e.ir;
                let Some(bits) = bits else {
                    lose_cell(e, pointer, ty, site);
                    return vec![ir.no_label()];
                };
                let arguments = [
                    ir.const32(op),
                    pointer,
                    ir.const32(bits / 8),
                    e.label(pointer),
                    e.site(site),
                    e.low(atomic),
                    e.low(operand),
                    e.label(operand),
                ];
                vec![e.call("gimlet_rt_atomic", &arguments)]
            }),
        );
        self.flush(next);
    }

    pub fn visit_exchange(&mut self, exchange: Value) {
        self.flush(exchange);
        let [pointer, expected, new] = [0, 1, 2].map(|index| self.ir.operand(exchange, index));
        let ty = self.ir.type_of(expected);
        let next = self.ir.next(exchange);
        let site = self.site(exchange, SiteKind::Store, 0);
        let bits = scalar_bits(self.ir, ty).filter(|&bits| bits <= 64);
        self.region.shadow_root(self.ir, pointer, 0, self.ir.size_of(ty).min(16) as u32);
        self.defer(
            exchange,
            &[pointer, expected, new],
            Box::new(move |e| {
                let ir = e.ir;
                let Some(bits) = bits else {
                    lose_cell(e, pointer, ty, site);
                    return vec![ir.no_label(); 2];
                };
                let (old, success) = (ir.extract(exchange, 0), ir.extract(exchange, 1));
                let arguments = [
                    pointer,
                    ir.const32(bits / 8),
                    e.label(pointer),
                    e.site(site),
                    e.low(old),
                    e.low(expected),
                    e.label(expected),
                    e.low(new),
                    e.label(new),
                    ir.cast(LLVMOpcode::LLVMZExt, success, ir.i32),
                ];
                vec![e.call("gimlet_rt_exchange", &arguments), ir.no_label()]
            }),
        );
        self.flush(next);
    }
}

/// An atomic operation that has no model: what the memory held and holds is concrete from now on.
fn lose_cell(e: &Emitter, pointer: Value, ty: Type, site: u32) {
    let ir = e.ir;
    let size = ir.const64(ir.size_of(ty));
    let reason = ir.const32(LostReason::Intrinsic as u32);
    e.call("gimlet_rt_lose_memory", &[pointer, size, e.site(site), reason]);
    e.call("gimlet_rt_clear", &[pointer, size]);
}

fn load_leaf(e: &Emitter, load: Value, leaf: &Leaf, place: Place, site: u32) -> Value {
    let ir = e.ir;
    let value = leaf_value(ir, load, leaf);
    let (low, high) = (e.low(value), e.high(value));
    let arguments =
        [place.address, ir.const32(leaf.bytes()), place.label, e.site(site), low, high, place.object, place.size];
    let label = e.call("gimlet_rt_load", &arguments);
    if leaf.bits.is_multiple_of(8) {
        return label;
    }
    e.call("gimlet_rt_extract", &[ir.const32(leaf.bits), ir.const32(0), label])
}

fn store_leaf(e: &Emitter, value: Value, leaf: &Leaf, label: Value, place: Place, site: u32) {
    let ir = e.ir;
    let value = leaf_value(ir, value, leaf);
    let (low, high) = (e.low(value), e.high(value));
    let bits = 8 * leaf.bytes();
    let label = if leaf.bits == bits || ir.is_zero(label) {
        label
    } else {
        let arguments = [crate::ops::shape(ir, Op::ZExt, bits), ir.const32(leaf.bits), label, low, high];
        e.call("gimlet_rt_unary", &arguments)
    };
    let arguments = [
        place.address,
        ir.const32(leaf.bytes()),
        place.label,
        e.site(site),
        label,
        low,
        high,
        place.object,
        place.size,
    ];
    e.call("gimlet_rt_store", &arguments);
}
