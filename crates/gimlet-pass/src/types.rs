//! Which types carry labels, and how values are handed to the runtime.
//!
//! A *leaf* is an integer of at most 128 bits, a pointer, or a half, float or
//! double (whose label is that of its bits). A value of aggregate type has one
//! label for each leaf, in order.

use llvm_sys::core::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::ir::{Ir, Type, Value};

/// Aggregates with more leaves than this carry no labels.
const LEAVES_MAX: usize = 8;

/// A labelled part of a value: its width, its place in memory, and the path of indices to it.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub bits: u32,
    pub offset: u64,
    pub path: Vec<u32>,
}

impl Leaf {
    /// Bytes that the leaf takes in memory.
    pub fn bytes(&self) -> u32 {
        self.bits.div_ceil(8)
    }
}

/// Width of a type that carries one label.
pub fn scalar_bits(ir: &Ir, ty: Type) -> Option<u32> {
    match ir.kind(ty) {
        LLVMTypeKind::LLVMIntegerTypeKind => {
            // SAFETY: an integer type.
            let bits = unsafe { LLVMGetIntTypeWidth(ty) };
            (bits <= 128).then_some(bits)
        }
        // SAFETY: a pointer type.
        LLVMTypeKind::LLVMPointerTypeKind => (unsafe { LLVMGetPointerAddressSpace(ty) } == 0).then_some(64),
        LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => Some(16),
        LLVMTypeKind::LLVMFloatTypeKind => Some(32),
        LLVMTypeKind::LLVMDoubleTypeKind => Some(64),
        _ => None,
    }
}

/// The leaves of a type, or none if it carries no labels.
pub fn leaves(ir: &Ir, ty: Type) -> Vec<Leaf> {
    let mut out = Vec::new();
    if collect(ir, ty, 0, &mut Vec::new(), &mut out) {
        out
    } else {
        Vec::new()
    }
}

fn collect(ir: &Ir, ty: Type, offset: u64, path: &mut Vec<u32>, out: &mut Vec<Leaf>) -> bool {
    if let Some(bits) = scalar_bits(ir, ty) {
        out.push(Leaf { bits, offset, path: path.clone() });
        return out.len() <= LEAVES_MAX;
    }
    let parts: Vec<(Type, u64)> = match ir.kind(ty) {
        // SAFETY: a struct type.
        LLVMTypeKind::LLVMStructTypeKind => unsafe {
            (0..LLVMCountStructElementTypes(ty))
                .map(|field| (LLVMStructGetTypeAtIndex(ty, field), ir.field_offset(ty, field)))
                .collect()
        },
        // SAFETY: an array type.
        LLVMTypeKind::LLVMArrayTypeKind => unsafe {
            let element = LLVMGetElementType(ty);
            let count = LLVMGetArrayLength2(ty);
            if count > LEAVES_MAX as u64 {
                return false;
            }
            (0..count).map(|index| (element, index * ir.size_of(element))).collect()
        },
        _ => return false,
    };
    parts.into_iter().enumerate().all(|(index, (part, at))| {
        path.push(index as u32);
        let fits = collect(ir, part, offset + at, path, out);
        path.pop();
        fits
    })
}

/// The value of one leaf.
pub fn leaf_value(ir: &Ir, value: Value, leaf: &Leaf) -> Value {
    leaf.path.iter().fold(value, |part, &index| ir.extract(part, index))
}

/// A leaf as an integer of its own width.
pub fn as_int(ir: &Ir, value: Value) -> Value {
    let ty = ir.type_of(value);
    match ir.kind(ty) {
        LLVMTypeKind::LLVMIntegerTypeKind => value,
        LLVMTypeKind::LLVMPointerTypeKind => ir.cast(LLVMOpcode::LLVMPtrToInt, value, ir.i64),
        _ => {
            let bits = scalar_bits(ir, ty).unwrap_or(64);
            ir.cast(LLVMOpcode::LLVMBitCast, value, ir.int(bits))
        }
    }
}

/// A leaf of at most 64 bits as an i64; of a wider one its low half.
pub fn low_half(ir: &Ir, value: Value) -> Value {
    let int = as_int(ir, value);
    // SAFETY: an integer type.
    match unsafe { LLVMGetIntTypeWidth(ir.type_of(int)) } {
        64 => int,
        bits if bits < 64 => ir.cast(LLVMOpcode::LLVMZExt, int, ir.i64),
        _ => ir.cast(LLVMOpcode::LLVMTrunc, int, ir.i64),
    }
}

/// The high half of a leaf of more than 64 bits; zero for others.
pub fn high_half(ir: &Ir, value: Value) -> Value {
    let bits = scalar_bits(ir, ir.type_of(value)).unwrap_or(0);
    if bits <= 64 {
        return ir.const64(0);
    }
    let wide = if bits == 128 { value } else { ir.cast(LLVMOpcode::LLVMZExt, value, ir.int(128)) };
    // SAFETY: a constant.
    let amount = unsafe { LLVMConstInt(ir.int(128), 64, 0) };
    ir.cast(LLVMOpcode::LLVMTrunc, ir.binary(LLVMOpcode::LLVMLShr, wide, amount), ir.i64)
}
