//! The function that returns tokens, which the driver names: any may be it, so each asks when it is entered and left.
//!
//! The question is one comparison with a constant ([`Module::is_token_function`]). What follows is the runtime's: while the
//! function runs, what it decides makes no events, and what it returns gets labels of its own.
//!
//! [`Module::is_token_function`]: crate::module::Module::is_token_function

use gimlet_trace::site::Returns;
use llvm_sys::core::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMTypeKind};

use crate::function::Rewriter;
use crate::ir::{Ir, Value};
use crate::module::attribute_kind;
use crate::types::{leaf_value, leaves, low_half};

/// A token has at most so many bits.
const BITS_MAX: u32 = 64;

/// What a function returns.
pub fn returns(ir: &Ir, function: Value) -> Returns {
    // SAFETY: a function.
    let (is_inlined, returned) = unsafe {
        let kind = attribute_kind("alwaysinline");
        let attribute = LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
        (!attribute.is_null(), LLVMGetReturnType(LLVMGlobalGetValueType(function)))
    };
    match ir.kind(returned) {
        _ if is_inlined => Returns::Inlined,
        LLVMTypeKind::LLVMPointerTypeKind => Returns::Address,
        _ if place_of_result(function).is_some() => Returns::Address,
        LLVMTypeKind::LLVMIntegerTypeKind => Returns::Number(u16::try_from(8 * ir.size_of(returned)).unwrap_or(0)),
        LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind => Returns::Struct,
        _ => Returns::Nothing,
    }
}

/// Whether a function returns something that may be a token, or have one in it.
pub fn may_return_one(ir: &Ir, function: Value) -> bool {
    !matches!(returns(ir, function), Returns::Nothing | Returns::Inlined) && ir.name(function) != "main"
}

/// The parameter that says where a struct is to be put that the function returns.
fn place_of_result(function: Value) -> Option<Value> {
    // SAFETY: a function.
    unsafe {
        let has_one = LLVMCountParams(function) > 0
            && !LLVMGetEnumAttributeAtIndex(function, 1, attribute_kind("sret")).is_null();
        has_one.then(|| LLVMGetParam(function, 0))
    }
}

impl Rewriter<'_> {
    /// At the beginning of the function.
    pub fn enter_token(&mut self, at: Value) {
        let Some(site) = self.token_site else { return };
        let ir = self.ir;
        ir.before(at);
        let frame = self.ir.frame_address();
        let is_it = self.module.is_token_function(ir, site);
        ir.unlikely(at, is_it);
        self.module.call(ir, "gimlet_rt_enter_token", &[frame]);
        ir.before(at);
    }

    /// Before a return: the labels of what is returned.
    pub fn leave_token(&mut self, at: Value, value: Option<Value>) -> Vec<Value> {
        let labels = value.map_or_else(Vec::new, |value| self.known_labels(value));
        let Some(site) = self.token_site else { return labels };
        let ir = self.ir;
        let frame = self.ir.frame_address();
        let is_it = self.module.is_token_function(ir, site);
        let unlikely = ir.unlikely(at, is_it);
        let is_outermost = self.module.call(ir, "gimlet_rt_leave_token", &[frame]);
        let place = match value {
            Some(value) if ir.kind(ir.type_of(value)) == LLVMTypeKind::LLVMPointerTypeKind => Some(value),
            Some(_) => None,
            None => place_of_result(self.body.function),
        };
        let site = self.module.site(ir, site);
        if let Some(place) = place {
            self.module.call(ir, "gimlet_rt_token_memory", &[is_outermost, place, site]);
            ir.before(at);
            return labels;
        }
        let parts = value.map_or_else(Vec::new, |value| leaves(ir, ir.type_of(value)));
        let mut new = Vec::new();
        for (leaf, &label) in parts.iter().zip(&labels) {
            let part = value.map(|value| leaf_value(ir, value, leaf));
            let is_number = |&part: &Value| ir.kind(ir.type_of(part)) == LLVMTypeKind::LLVMIntegerTypeKind;
            new.push(match part.filter(is_number) {
                Some(part) if leaf.bits <= BITS_MAX => {
                    let (offset, bits) = (ir.const32(leaf.offset as u32), ir.const32(leaf.bits));
                    self.module.call(
                        ir,
                        "gimlet_rt_token",
                        &[is_outermost, offset, label, low_half(ir, part), bits, site],
                    )
                }
                _ => label,
            });
        }
        ir.before(at);
        let merged = new.into_iter().zip(labels).map(|(new, label)| match new == label {
            true => label,
            false => unlikely.merge(ir, at, new, label),
        });
        merged.collect()
    }
}
