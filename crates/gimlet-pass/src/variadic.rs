//! Where the arguments of a variadic call are: in which registers, in which words on the stack (System V ABI, x86-64).

use gimlet_trace::abi::tls;
use llvm_sys::core::*;
use llvm_sys::LLVMTypeKind;

use crate::ir::{Ir, Type, Value};
use crate::module::attribute_kind;
use crate::types::scalar_bits;

/// A struct that is passed by value in memory.
#[derive(Clone, Copy)]
pub struct ByValue {
    pub size: u64,
    align: u64,
}

impl ByValue {
    /// What an argument of a call is, if it is one.
    pub fn at(ir: &Ir, call: Value, argument: u32) -> Option<ByValue> {
        // SAFETY: a call, and attributes of its kinds.
        unsafe {
            let by_value = LLVMGetCallSiteEnumAttribute(call, argument + 1, attribute_kind("byval"));
            let align = LLVMGetCallSiteEnumAttribute(call, argument + 1, attribute_kind("align"));
            let align = if align.is_null() { 8 } else { LLVMGetEnumAttributeValue(align) };
            (!by_value.is_null()).then(|| ByValue { size: ir.size_of(LLVMGetTypeAttributeValue(by_value)), align })
        }
    }
}

/// Where an argument is.
#[derive(Clone, Copy)]
pub enum Location {
    /// In so many general registers from this one on.
    General(u32, u32),
    Vector(u32),
    /// In so many words on the stack, by number of the first.
    Words(u32, u32),
}

/// What the arguments have taken so far.
#[derive(Default)]
pub struct Registers {
    general: u32,
    vector: u32,
    words: u32,
}

/// Whether values of this type are passed in vector registers.
fn is_in_vectors(ir: &Ir, ty: Type) -> bool {
    use LLVMTypeKind::*;
    match ir.kind(ty) {
        LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind | LLVMFP128TypeKind => true,
        LLVMVectorTypeKind => ir.size_of(ty) <= 16,
        _ => false,
    }
}

impl Registers {
    pub fn take(&mut self, ir: &Ir, value: Value, by_value: Option<ByValue>) -> Location {
        if let Some(ByValue { size, align }) = by_value {
            return self.take_words(size, align);
        }
        let ty = ir.type_of(value);
        if is_in_vectors(ir, ty) && self.vector < tls::VA_FP {
            self.vector += 1;
            return Location::Vector(self.vector - 1);
        }
        let is_integer = matches!(ir.kind(ty), LLVMTypeKind::LLVMIntegerTypeKind | LLVMTypeKind::LLVMPointerTypeKind);
        let n_needed = scalar_bits(ir, ty).unwrap_or(128).div_ceil(64);
        if is_integer && self.general + n_needed <= tls::VA_GP {
            self.general += n_needed;
            return Location::General(self.general - n_needed, n_needed);
        }
        if is_integer {
            // LLVM leaves no register to others behind an integer of two words that did not fit.
            self.general = tls::VA_GP;
        }
        let size = ir.size_of(ty).max(8);
        self.take_words(size, size)
    }

    fn take_words(&mut self, size: u64, align: u64) -> Location {
        let n = size.div_ceil(8) as u32;
        let first = if align > 8 { self.words.next_multiple_of((align / 8) as u32) } else { self.words };
        self.words = first + n;
        Location::Words(first, n)
    }

    /// The number of words that were taken.
    pub fn n_words(&self) -> u32 {
        self.words
    }
}
