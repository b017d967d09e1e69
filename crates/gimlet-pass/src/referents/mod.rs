//! Follows which object each pointer belongs to, and checks every access against it: what makes PROG.memory.
//!
//! Ids, records, shadows and slots are those of [`gimlet_trace::memory`]. Like
//! labels, ids travel beside SSA values, but they need neither expressions nor a
//! slow path that computes: so this is a build of its own, without labels. It has
//! the counters of PROG.edges as well, and can take its place.
//!
//! A pointer that is made of an integer has the id of the object that it points
//! to at that moment; everything else keeps the id of what it was computed from,
//! also where it points elsewhere. Two computations that programs rely on although
//! the standard has them undefined keep working: a pointer that is moved by the
//! distance of two objects belongs to the second one, and bits that are masked out
//! of an address or put into it change nothing.
//!
//! What fresh memory holds can be chosen for a run ([`fresh`]); what is decided then is told to
//! the runtime ([`decisions`]).

mod calls;
mod decisions;
mod frames;
mod fresh;
mod function;
mod globals;
mod variadic;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;

use gimlet_trace::memory::{tls, ENTRY_POINTS, FUNCTION_PREFIX, PATTERN_SYMBOL};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMMetadataRef, LLVMModuleRef};
use llvm_sys::LLVMThreadLocalMode;

use crate::function::Body;
use crate::ir::{Ir, Value};
use crate::module::{self, EntryPoints};

/// Library functions that the runtime of the memory build has, with their types as in the table of models.
const FUNCTIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// Entry points for what seldom happens.
const COLD: [&str; 5] =
    ["gimlet_mem_decide", "gimlet_mem_fail", "gimlet_mem_fresh", "gimlet_mem_resolve", "gimlet_mem_va_foreign"];

/// Adds ids and checks to the module.
pub fn check(module: LLVMModuleRef) {
    let ir = Ir::new(module);
    let native = module::left_native(&ir);
    let defined = module::defined(&ir, &native);
    module::use_functions(&ir, &native, FUNCTIONS, FUNCTION_PREFIX);
    module::strip_attributes(&ir);
    module::keep_inlined(&defined);
    let runtime = Runtime::new(&ir);
    for function in defined {
        function::Rewriter::run(&ir, &runtime, &Body::of(&ir, function));
    }
    runtime.register(&ir);
    module::verify(module);
}

/// What the module knows of the runtime.
pub struct Runtime {
    entry_points: EntryPoints,
    tls: Value,
    /// The module's own variable of whether fresh memory is filled, and with what.
    filling: Value,
    pattern: Value,
    /// What says that records are nowhere that the program writes to: the list of their scope, and the kinds of metadata by
    /// which an access is one to them, or certainly none.
    scopes: Value,
    of_records: u32,
    of_others: u32,
    /// Where the ids of globals are kept.
    global_ids: RefCell<HashMap<Value, Value>>,
    texts: RefCell<HashMap<String, Value>>,
}

/// A list of one scope, and the kinds of metadata that tell an access in it from others.
fn alias_scope(ir: &Ir) -> (Value, u32, u32) {
    // SAFETY: metadata of the context; the names have lengths.
    unsafe {
        let text = |text: &str| LLVMMDStringInContext2(ir.context, text.as_ptr().cast(), text.len());
        let node = |parts: &mut [LLVMMetadataRef]| LLVMMDNodeInContext2(ir.context, parts.as_mut_ptr(), parts.len());
        let domain = node(&mut [text("gimlet")]);
        let scope = node(&mut [text("gimlet records"), domain]);
        let list = LLVMMetadataAsValue(ir.context, node(&mut [scope]));
        (list, metadata_kind(ir, "alias.scope"), metadata_kind(ir, "noalias"))
    }
}

/// A kind of metadata.
fn metadata_kind(ir: &Ir, name: &str) -> u32 {
    // SAFETY: the name has its length.
    unsafe { LLVMGetMDKindIDInContext(ir.context, name.as_ptr().cast(), name.len() as u32) }
}

/// The runtime's variable of what fresh memory is filled with.
fn pattern(ir: &Ir) -> Value {
    let name = CString::new(PATTERN_SYMBOL).expect("no zero inside");
    // SAFETY: declares a global.
    unsafe { LLVMAddGlobal(ir.module, ir.i64, name.as_ptr()) }
}

impl Runtime {
    fn new(ir: &Ir) -> Runtime {
        let name = CString::new(tls::SYMBOL).expect("no zero inside");
        // SAFETY: declares a global.
        let tls = unsafe {
            let tls = LLVMAddGlobal(ir.module, LLVMArrayType2(ir.i8, tls::LEN), name.as_ptr());
            LLVMSetThreadLocalMode(tls, LLVMThreadLocalMode::LLVMInitialExecTLSModel);
            LLVMSetAlignment(tls, 16);
            tls
        };
        let (scopes, of_records, of_others) = alias_scope(ir);
        Runtime {
            scopes,
            of_records,
            of_others,
            entry_points: EntryPoints::declare(ir, ENTRY_POINTS, |name| COLD.contains(&name)),
            tls,
            filling: globals::flag(ir),
            pattern: pattern(ir),
            global_ids: RefCell::default(),
            texts: RefCell::default(),
        }
    }

    pub fn call(&self, ir: &Ir, name: &str, arguments: &[Value]) -> Value {
        self.entry_points.call(ir, name, arguments)
    }

    /// A block before `at` for runs whose fresh memory is filled; the builder stands in it.
    pub fn if_filling(&self, ir: &Ir, at: Value) {
        ir.before(at);
        let filling = ir.load(ir.i32, self.filling);
        ir.unlikely(at, ir.is_nonzero(filling));
    }

    /// This load is one of a record.
    pub fn is_of_record(&self, load: Value) -> Value {
        // SAFETY: a load, and metadata of its context.
        unsafe { LLVMSetMetadata(load, self.of_records, self.scopes) };
        load
    }

    /// This access is none to a record, so that what was loaded of one still holds behind it.
    pub fn is_of_program(&self, access: Value) {
        // SAFETY: an access, and metadata of its context.
        unsafe { LLVMSetMetadata(access, self.of_others, self.scopes) };
    }

    /// Pointer to a thread-local slot.
    pub fn slot(&self, ir: &Ir, offset: u64) -> Value {
        let mut index = [ir.const64(offset)];
        // SAFETY: a constant expression.
        unsafe { LLVMConstGEP2(ir.i8, self.tls, index.as_mut_ptr(), 1) }
    }
}
