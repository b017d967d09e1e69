//! Arguments that are in memory: those of variadic functions, and structs that are passed by value.
//!
//! Both get there by code that the pass does not see. Their ids go from the caller's slots into the
//! shadow of what the call has made of them when the function begins. What a `va_list` points to is
//! no variable: every access through its fields is right, and clang's are known by the list's type.

use std::ffi::CStr;

use gimlet_trace::memory::tls;
use llvm_sys::core::*;
use llvm_sys::LLVMOpcode;

use super::function::{is_pointer, Rewriter};
use crate::frames::by_value_size;
use crate::intrinsics;
use crate::ir::{Ir, Value};
use crate::variadic::{ByValue, Location, Registers};

/// clang's name of what a `va_list` is, its size, and its fields that are pointers: the words on the stack, the saved registers.
const LIST_TYPE: &[u8] = b"struct.__va_list_tag";
const LIST_LEN: u64 = 24;
const LIST_WORDS: u64 = 2;
const LIST_SAVED: u64 = 3;

/// The number of the field of a `va_list` at a pointer.
fn list_field(ir: &Ir, pointer: Value) -> Option<u64> {
    if ir.opcode(pointer) != Some(LLVMOpcode::LLVMGetElementPtr) {
        return None;
    }
    // SAFETY: asks only; a struct has a name or null.
    unsafe {
        let ty = LLVMGetGEPSourceElementType(pointer);
        let is_struct = ir.kind(ty) == llvm_sys::LLVMTypeKind::LLVMStructTypeKind;
        let name = if is_struct { LLVMGetStructName(ty) } else { std::ptr::null() };
        if name.is_null() || !CStr::from_ptr(name).to_bytes().starts_with(LIST_TYPE) {
            return None;
        }
        let field = *ir.operands(pointer).last()?;
        (!LLVMIsAConstantInt(field).is_null()).then(|| LLVMConstIntGetZExtValue(field))
    }
}

/// A call of `va_start` where the builder stands.
fn start(ir: &Ir, list: Value) {
    let name = "llvm.va_start";
    // SAFETY: the intrinsic takes a pointer, and the function is variadic.
    unsafe {
        let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
        let mut types = [ir.ptr];
        let callee = LLVMGetIntrinsicDeclaration(ir.module, id, types.as_mut_ptr(), 1);
        ir.call(LLVMGlobalGetValueType(callee), callee, &mut [list]);
    }
}

impl Rewriter<'_> {
    /// Whether the function looks at arguments behind those that it has names for.
    pub fn is_variadic(&self) -> bool {
        let mut all = self.body.blocks.iter().flat_map(|block| &block.instructions);
        all.any(|&at| self.ir.opcode(at) == Some(LLVMOpcode::LLVMCall) && intrinsics::name(self.ir, at) == "va_start")
    }

    /// The function's structs that are passed by value, with their sizes.
    pub fn by_value(&self) -> Vec<(Value, u64)> {
        let sized =
            |(index, &argument): (u32, &Value)| Some((argument, by_value_size(self.ir, self.body.function, index)?));
        (0..).zip(&self.body.arguments).filter_map(sized).collect()
    }

    /// Ids of what is in memory when the function begins, before `at`.
    pub fn take_memory(&self, at: Value, is_native: Value) {
        let ir = self.ir;
        ir.before(at);
        let is_known = ir.select(is_native, ir.const32(0), ir.const32(1));
        if self.is_variadic() {
            // SAFETY: an array type.
            let list = ir.entry_alloca(self.body.function, unsafe { LLVMArrayType2(ir.i64, LIST_LEN / 8) });
            ir.before(at);
            start(ir, list);
            self.runtime.call(ir, "gimlet_mem_variadic", &[list, is_known]);
        }
        for (index, (argument, size)) in (0..).zip(self.by_value()) {
            let said = if index < u64::from(tls::BY_VALUE_MAX) {
                let said = ir.load(ir.ptr, self.runtime.slot(ir, tls::BY_VALUE + 8 * index));
                ir.select(is_native, ir.null(ir.ptr), said)
            } else {
                ir.null(ir.ptr)
            };
            self.runtime.call(ir, "gimlet_mem_by_value", &[argument, said, ir.const64(size)]);
        }
    }

    /// Puts where the callee looks for it what a call is going to pass in memory; true if that is something.
    pub fn send_memory(&self, call: Value) -> bool {
        let ir = self.ir;
        // SAFETY: a call.
        let (n_fixed, n_arguments, is_variadic) = unsafe {
            let ty = LLVMGetCalledFunctionType(call);
            (LLVMCountParamTypes(ty), LLVMGetNumArgOperands(call), LLVMIsFunctionVarArg(ty) != 0)
        };
        let mut registers = Registers::default();
        let (mut n_fixed_words, mut n_by_value) = (0, 0);
        for index in 0..n_arguments {
            let argument = ir.operand(call, index);
            let by_value = ByValue::at(ir, call, index);
            let location = registers.take(ir, argument, by_value);
            if index < n_fixed {
                n_fixed_words = registers.n_words();
                if by_value.is_some() && n_by_value < tls::BY_VALUE_MAX {
                    ir.store(argument, self.runtime.slot(ir, tls::BY_VALUE + 8 * u64::from(n_by_value)));
                    n_by_value += 1;
                }
                continue;
            }
            let (first, n) = match location {
                Location::General(register, n) => (register, n),
                Location::Words(word, n) => (tls::VA_GENERAL + word - n_fixed_words, n),
                Location::Vector(_) => continue,
            };
            if let Some(by_value) = by_value {
                let arguments = [ir.const32(first - tls::VA_GENERAL), argument, ir.const64(by_value.size)];
                self.runtime.call(ir, "gimlet_mem_va_memory", &arguments);
                continue;
            }
            let packed =
                if is_pointer(ir, argument) { self.packed(self.id_of(argument), argument) } else { ir.const64(0) };
            for slot in (first..first + n).filter(|&slot| slot < tls::VA_GENERAL + tls::VA_WORDS) {
                ir.store(packed, self.runtime.slot(ir, tls::VA + 8 * u64::from(slot)));
            }
        }
        if is_variadic {
            let n_words = registers.n_words() - n_fixed_words;
            ir.store(ir.const32(n_words), self.runtime.slot(ir, tls::VA_COUNT));
        }
        is_variadic || n_by_value > 0
    }

    /// A list has been started: nobody owns what it points to.
    pub fn visit_va_start(&mut self, call: Value) {
        let ir = self.ir;
        let list = ir.operand(call, 0);
        self.check(call, list, LIST_LEN, true);
        ir.before(ir.next(call));
        for offset in [8, 16] {
            let place = ir.offset(list, ir.const64(offset));
            let pointer = ir.load(ir.ptr, place);
            let packed = self.packed(ir.const32(0), pointer);
            ir.store(packed, self.referent_slot(place));
        }
    }

    pub fn visit_va_copy(&mut self, call: Value) {
        let ir = self.ir;
        let [to, from] = [0, 1].map(|index| ir.operand(call, index));
        ir.before(call);
        let arguments = [to, from, ir.const64(LIST_LEN), self.id_of(to), self.id_of(from), ir.const32(1)];
        self.runtime.call(ir, "gimlet_mem_copy", &arguments);
    }

    /// A load of a pointer from a list; false if it is not one.
    pub fn visit_list_load(&mut self, load: Value, place: Value) -> bool {
        let ir = self.ir;
        let n_words = match list_field(ir, place) {
            Some(LIST_WORDS) => tls::VA_FOREIGN,
            Some(LIST_SAVED) => tls::VA_GENERAL,
            _ => return false,
        };
        let next = ir.next(load);
        ir.before(next);
        let packed = ir.load(ir.i64, self.referent_slot(place));
        let is_other = self.is_other(packed, load);
        ir.unlikely(next, is_other);
        self.runtime.call(ir, "gimlet_mem_va_foreign", &[place, load, ir.const32(n_words)]);
        ir.before(next);
        self.ids.insert(load, ir.const32(0));
        true
    }
}
