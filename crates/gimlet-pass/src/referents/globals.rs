//! Globals: their ids, and what the runtime is told of them.

use std::ffi::{c_uint, CString};

use gimlet_trace::memory::GLOBAL_ID_PREFIX;
use gimlet_trace::FORMAT_VERSION;
use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode};

use super::Runtime;
use crate::ir::{Ir, Value};
use crate::module::constructor;

/// The variable that a constant pointer is computed from.
fn variable(pointer: Value) -> Option<Value> {
    // SAFETY: asks only.
    unsafe {
        if !LLVMIsAGlobalVariable(pointer).is_null() {
            return Some(pointer);
        }
        let is_computed = !LLVMIsAConstantExpr(pointer).is_null()
            && matches!(
                LLVMGetConstOpcode(pointer),
                LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMAddrSpaceCast
            );
        is_computed.then(|| variable(LLVMGetOperand(pointer, 0))).flatten()
    }
}

/// Whether other modules know a global by its name.
fn is_external(global: Value) -> bool {
    // SAFETY: a global.
    let linkage = unsafe { LLVMGetLinkage(global) };
    !matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
}

/// Whether the runtime is told of a global: what is in a section of its own may be an element of an array that the linker
/// makes, and the runtime's own are nobody's business.
fn is_object(ir: &Ir, global: Value) -> bool {
    let name = ir.name(global);
    // SAFETY: a global of the module; its section is a C string.
    unsafe {
        let section = LLVMGetSection(global);
        LLVMIsDeclaration(global) == 0
            && LLVMIsThreadLocal(global) == 0
            && LLVMGetLinkage(global) != LLVMLinkage::LLVMAvailableExternallyLinkage
            && LLVMGetLinkage(global) != LLVMLinkage::LLVMAppendingLinkage
            && (section.is_null() || *section == 0)
            && !["llvm.", "gimlet.", GLOBAL_ID_PREFIX].iter().any(|prefix| name.starts_with(prefix))
    }
}

impl Runtime {
    /// The id of the global that a constant pointer belongs to; loaded where the builder stands.
    pub fn constant_id(&self, ir: &Ir, pointer: Value) -> Option<Value> {
        let global = variable(pointer)?;
        // SAFETY: a global.
        let is_known = unsafe { LLVMIsThreadLocal(global) == 0 }
            && (is_object(ir, global) || unsafe { LLVMIsDeclaration(global) != 0 });
        if !is_known {
            return None;
        }
        let load = ir.load(ir.i32, self.id_variable(ir, global));
        // SAFETY: an empty node says that what is loaded never changes: it is set before anything else runs.
        unsafe {
            let name = "invariant.load";
            let kind = LLVMGetMDKindIDInContext(ir.context, name.as_ptr().cast(), name.len() as c_uint);
            let node = LLVMMDNodeInContext2(ir.context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(load, kind, LLVMMetadataAsValue(ir.context, node));
        }
        Some(load)
    }

    /// Where the id of a global is kept. Modules that know it by its name share one.
    fn id_variable(&self, ir: &Ir, global: Value) -> Value {
        if let Some(&known) = self.global_ids.borrow().get(&global) {
            return known;
        }
        let is_external = is_external(global);
        let name = if is_external { format!("{GLOBAL_ID_PREFIX}{}", ir.name(global)) } else { "gimlet.id".into() };
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: a new global.
        let variable = unsafe {
            let variable = LLVMAddGlobal(ir.module, ir.i32, name.as_ptr());
            LLVMSetInitializer(variable, ir.const32(0));
            LLVMSetLinkage(
                variable,
                if is_external { LLVMLinkage::LLVMWeakAnyLinkage } else { LLVMLinkage::LLVMInternalLinkage },
            );
            if is_external {
                LLVMSetVisibility(variable, LLVMGetVisibility(global));
            }
            variable
        };
        self.global_ids.borrow_mut().insert(global, variable);
        variable
    }

    /// A constant string.
    pub fn text(&self, ir: &Ir, text: &str) -> Value {
        if let Some(&known) = self.texts.borrow().get(text) {
            return known;
        }
        let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).chain([0]).collect();
        let global = constant(ir, ir.const_bytes(&bytes));
        self.texts.borrow_mut().insert(text.into(), global);
        global
    }

    /// What is told of a variable.
    pub fn about(&self, ir: &Ir, name: &str, function: Option<&str>, file: &str, line: u32) -> Value {
        let function = function.map_or_else(|| ir.null(ir.ptr), |function| self.text(ir, function));
        let mut fields = [self.text(ir, name), function, self.text(ir, file), ir.const64(line.into())];
        // SAFETY: a constant.
        constant(ir, unsafe { LLVMConstStructInContext(ir.context, fields.as_mut_ptr(), fields.len() as c_uint, 0) })
    }

    /// A constructor that tells the runtime of the module's globals.
    pub fn register(&self, ir: &Ir) {
        let mut globals = Vec::new();
        // SAFETY: walks the module's globals.
        unsafe {
            let mut at = LLVMGetFirstGlobal(ir.module);
            while !at.is_null() {
                if is_object(ir, at) {
                    globals.push(at);
                }
                at = LLVMGetNextGlobal(at);
            }
        }
        let file = String::from_utf8_lossy(&ir.source_name()).into_owned();
        let mut entries: Vec<Value> = globals.into_iter().map(|global| self.entry(ir, global, &file)).collect();
        let ty = entries.first().map_or(ir.ptr, |&entry| ir.type_of(entry));
        // SAFETY: constants of the module.
        let module = unsafe {
            let array = constant(ir, LLVMConstArray2(ty, entries.as_mut_ptr(), entries.len() as u64));
            let mut fields = [ir.const32(FORMAT_VERSION), ir.const32(entries.len() as u32), array, self.filling];
            constant(ir, LLVMConstStructInContext(ir.context, fields.as_mut_ptr(), fields.len() as c_uint, 0))
        };
        constructor(ir, c"gimlet.objects", || {
            self.call(ir, "gimlet_mem_register", &[module]);
        });
    }

    fn entry(&self, ir: &Ir, global: Value, file: &str) -> Value {
        let name = ir.name(global);
        let is_literal = name.starts_with(".str") || name.starts_with("str.") || name.starts_with("__const.");
        let about = self.about(ir, if is_literal { "" } else { &name }, None, file, 0);
        // SAFETY: a constant.
        unsafe {
            let size = ir.size_of(LLVMGlobalGetValueType(global));
            let mut fields = [global, ir.const64(size), self.id_variable(ir, global), about];
            LLVMConstStructInContext(ir.context, fields.as_mut_ptr(), fields.len() as c_uint, 0)
        }
    }
}

/// The module's own variable of whether fresh memory is filled: it is read at every branch, and the runtime's is farther away.
pub fn flag(ir: &Ir) -> Value {
    // SAFETY: a new global.
    unsafe {
        let flag = LLVMAddGlobal(ir.module, ir.i32, c"gimlet.filling".as_ptr());
        LLVMSetInitializer(flag, ir.const32(0));
        LLVMSetLinkage(flag, LLVMLinkage::LLVMInternalLinkage);
        flag
    }
}

/// A private constant.
fn constant(ir: &Ir, content: Value) -> Value {
    // SAFETY: a new global.
    unsafe {
        let global = LLVMAddGlobal(ir.module, ir.type_of(content), c"gimlet.about".as_ptr());
        LLVMSetInitializer(global, content);
        LLVMSetGlobalConstant(global, 1);
        LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
        global
    }
}
