//! What concerns a module as a whole: the runtime's declarations, models, attributes, tables.

use std::collections::{HashMap, HashSet};
use std::ffi::{c_uint, CStr, CString};

use gimlet_trace::abi::{self, EntryPoint, Ty, ENTRY_POINTS, GLOBAL_CONSTANT, MODEL_PREFIX, MODULES_SECTION};
use gimlet_trace::program::PROGRAMS_SECTION;
use gimlet_trace::site::{SiteTable, SITES_SECTION};
use gimlet_trace::FORMAT_VERSION;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMIntPredicate, LLVMLinkage, LLVMTypeKind};

use crate::frames::keep_apart;
use crate::function::{Body, Rewriter};
use crate::hoist::hoist_arms;
use crate::ir::{Ir, Type, Value};
use crate::sites::Sites;
use crate::types::leaves;

unsafe extern "C" {
    fn gimlet_shim_constructor(module: LLVMModuleRef, function: Value);
    fn gimlet_shim_replace(from: Value, to: Value, kept: *mut Value, n_kept: usize);
    fn gimlet_shim_split_returns(function: Value);
    fn gimlet_shim_used(module: LLVMModuleRef, global: Value);
}

/// LLVM's number of the calling convention of the runtime's entry points, which keeps nearly all registers.
const PRESERVE_MOST: c_uint = 14;

/// The module under rewriting.
pub struct Module {
    runtime: EntryPoints,
    /// Number of each entry point.
    numbers: HashMap<Value, u8>,
    /// Programs of all unlikely blocks, one behind another.
    programs: Vec<u8>,
    pub sites: Sites,
    /// The descriptor that the runtime gets; holds the base of the site numbers.
    descriptor: Value,
    active: Value,
    instrumented: HashSet<Value>,
    /// Log every branch, concrete ones too.
    pub branch_log: bool,
}

/// Rewrites the module in place.
pub fn instrument(module: LLVMModuleRef, branch_log: bool) {
    let ir = Ir::new(module);
    let native = left_native(&ir);
    let defined = defined(&ir, &native);
    use_functions(&ir, &native, MODELS, MODEL_PREFIX);
    strip_attributes(&ir);
    keep_inlined(&defined);
    let mut state = Module::new(&ir, defined.iter().copied().collect(), branch_log);
    for function in defined {
        split_returns(function);
        hoist_arms(&ir, function);
        keep_apart(&ir, &Body::of(&ir, function));
        let body = Body::of(&ir, function);
        Rewriter::run(&ir, &mut state, &body);
    }
    state.finish(&ir);
    verify(module);
}

/// Ends the process with a message if the module is not valid.
pub fn verify(module: LLVMModuleRef) {
    // SAFETY: a module; the verifier aborts with its own message.
    unsafe {
        LLVMVerifyModule(module, LLVMVerifierFailureAction::LLVMAbortProcessAction, std::ptr::null_mut());
    }
}

/// The functions that are rewritten.
pub fn defined(ir: &Ir, native: &HashSet<Value>) -> Vec<Value> {
    functions(ir.module, |function| {
        // SAFETY: a function.
        unsafe { LLVMIsDeclaration(function) == 0 && !has_attribute(function, "naked") && !native.contains(&function) }
    })
}

/// Gives calls in tail position a return of their own.
pub fn split_returns(function: Value) {
    // SAFETY: a function with a body.
    unsafe { gimlet_shim_split_returns(function) }
}

fn functions(module: LLVMModuleRef, wanted: impl Fn(Value) -> bool) -> Vec<Value> {
    let mut out = Vec::new();
    // SAFETY: walks the module's list.
    unsafe {
        let mut at = LLVMGetFirstFunction(module);
        while !at.is_null() {
            if wanted(at) {
                out.push(at);
            }
            at = LLVMGetNextFunction(at);
        }
    }
    out
}

/// What the optimiser calls wherever memory is copied or filled, labels among it.
const CALLED_BY_COMPILERS: [&str; 3] = ["memcpy", "memmove", "memset"];

/// Functions that stay as they are, with those that they call: resolvers of ifuncs, which run while the program is being
/// relocated, before the shadow memory is there; and definitions of what instrumented code calls for its labels, which
/// models follow from outside as they do the library's.
pub fn left_native(ir: &Ir) -> HashSet<Value> {
    let mut native = HashSet::new();
    let mut work = functions(ir.module, |function| {
        CALLED_BY_COMPILERS.contains(&ir.name(function).as_str()) && is_known_elsewhere(function)
    });
    // SAFETY: walks the module's ifuncs.
    unsafe {
        let mut at = LLVMGetFirstGlobalIFunc(ir.module);
        while !at.is_null() {
            work.push(LLVMGetGlobalIFuncResolver(at));
            at = LLVMGetNextGlobalIFunc(at);
        }
    }
    while let Some(function) = work.pop() {
        // SAFETY: asks only.
        if unsafe { LLVMIsAFunction(function).is_null() || LLVMIsDeclaration(function) != 0 }
            || !native.insert(function)
        {
            continue;
        }
        for instruction in Body::of(ir, function).blocks.iter().flat_map(|block| &block.instructions) {
            // SAFETY: asks only.
            unsafe {
                if !LLVMIsACallInst(*instruction).is_null() || !LLVMIsAInvokeInst(*instruction).is_null() {
                    work.push(LLVMGetCalledValue(*instruction));
                }
            }
        }
    }
    native
}

/// True if other modules call what is defined here.
fn is_known_elsewhere(function: Value) -> bool {
    // SAFETY: a function.
    let linkage = unsafe { LLVMGetLinkage(function) };
    !matches!(
        linkage,
        LLVMLinkage::LLVMInternalLinkage
            | LLVMLinkage::LLVMPrivateLinkage
            | LLVMLinkage::LLVMAvailableExternallyLinkage
    )
}

/// LLVM's number of an attribute.
pub fn attribute_kind(name: &str) -> c_uint {
    // SAFETY: a name with its length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// Whether a function has an attribute.
pub fn has_attribute(function: Value, name: &str) -> bool {
    // SAFETY: a function.
    unsafe { !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute_kind(name)).is_null() }
}

/// Attributes that promise what instrumented code does not keep: it writes labels or counters wherever it runs.
const BROKEN_PROMISES: [&str; 6] = ["memory", "nosync", "nofree", "willreturn", "speculatable", "nocallback"];

pub fn strip_attributes(ir: &Ir) {
    let kinds = BROKEN_PROMISES.map(attribute_kind);
    let intrinsic = |function: Value| unsafe { LLVMGetIntrinsicID(function) != 0 };
    for function in functions(ir.module, |function| !intrinsic(function)) {
        for kind in kinds {
            // SAFETY: a function of the module.
            unsafe { LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) };
        }
        // SAFETY: walks the blocks and instructions.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                let mut at = LLVMGetFirstInstruction(block);
                while !at.is_null() {
                    let is_call = !LLVMIsACallInst(at).is_null() || !LLVMIsAInvokeInst(at).is_null();
                    if is_call && crate::intrinsics::id(ir, at).is_none() {
                        for kind in kinds {
                            LLVMRemoveCallSiteEnumAttribute(at, LLVMAttributeFunctionIndex, kind);
                        }
                    }
                    at = LLVMGetNextInstruction(at);
                }
                block = LLVMGetNextBasicBlock(block);
            }
        }
    }
}

/// Functions that are always inlined and have their body elsewhere, if anywhere: libstdc++ declares such members of
/// templates and exports none of them. Their addresses tell caller and callee that both are instrumented, so the module
/// gets a body of its own.
pub fn keep_inlined(defined: &[Value]) {
    for &function in defined {
        // SAFETY: a function with a body.
        unsafe {
            let is_elsewhere = LLVMGetLinkage(function) == LLVMLinkage::LLVMAvailableExternallyLinkage;
            if is_elsewhere && has_attribute(function, "alwaysinline") {
                LLVMSetLinkage(function, LLVMLinkage::LLVMInternalLinkage);
            }
        }
    }
}

/// Library functions that have a model in the runtime, sorted by name, with the types that a declaration must have to
/// be taken for one: a letter for the result and for each parameter; `p` pointer, `w` i32, `l` i64, `d` double, `f`
/// float, `s` a struct of two i64, `v` void; a dot at the end for variadic ones. The build script finds them.
const MODELS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The types of a function, in the letters of [`MODELS`].
fn signature(ir: &Ir, ty: Type) -> String {
    let letter = |ty: Type| match ir.kind(ty) {
        LLVMTypeKind::LLVMVoidTypeKind => 'v',
        LLVMTypeKind::LLVMPointerTypeKind => 'p',
        LLVMTypeKind::LLVMDoubleTypeKind => 'd',
        LLVMTypeKind::LLVMFloatTypeKind => 'f',
        LLVMTypeKind::LLVMStructTypeKind if ir.size_of(ty) == 16 && leaves(ir, ty).len() == 2 => 's',
        _ if ty == ir.i32 => 'w',
        _ if ty == ir.i64 => 'l',
        _ => '?',
    };
    // SAFETY: a function type.
    unsafe {
        let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(ty) as usize];
        LLVMGetParamTypes(ty, params.as_mut_ptr());
        let variadic = (LLVMIsFunctionVarArg(ty) != 0).then_some('.');
        std::iter::once(LLVMGetReturnType(ty)).chain(params).map(letter).chain(variadic).collect()
    }
}

/// Puts functions of the runtime, models say, in the place of library functions, wherever those are called or their address
/// is taken. A function that is declared with another type than the table has is the program's own; so is one that this
/// module defines, with whatever type, and it takes the model's place for the program's other modules too, unless it is
/// left native.
pub fn use_functions(ir: &Ir, native: &HashSet<Value>, table: &[(&str, &str)], prefix: &str) {
    let mut kept: Vec<Value> = native.iter().copied().collect();
    for (name, expected) in table {
        let real = CString::new(*name).expect("no zero inside");
        let model = CString::new(format!("{prefix}{name}")).expect("no zero inside");
        // SAFETY: functions of the module.
        unsafe {
            let function = LLVMGetNamedFunction(ir.module, real.as_ptr());
            if function.is_null() {
                continue;
            }
            // The program asks whether there is one, which a model can't answer.
            if LLVMGetLinkage(function) == LLVMLinkage::LLVMExternalWeakLinkage {
                continue;
            }
            let ty = LLVMGlobalGetValueType(function);
            if LLVMIsDeclaration(function) == 0 && !native.contains(&function) {
                own_definition(ir, function, ty, &model);
                continue;
            }
            if signature(ir, ty) != *expected {
                continue;
            }
            let model = LLVMAddFunction(ir.module, model.as_ptr(), ty);
            for keep in ["noreturn", "noalias"] {
                let index = if keep == "noreturn" { LLVMAttributeFunctionIndex } else { 0 };
                let kind = attribute_kind(keep);
                let attribute = LLVMGetEnumAttributeAtIndex(function, index, kind);
                if !attribute.is_null() {
                    LLVMAddAttributeAtIndex(model, index, attribute);
                }
            }
            if ir.has_uses(function) {
                // A reference, so that a statically linked program has the real function too.
                let reference = format!(".globl {name}");
                LLVMAppendModuleInlineAsm(ir.module, reference.as_ptr().cast(), reference.len());
            }
            gimlet_shim_replace(function, model, kept.as_mut_ptr(), kept.len());
        }
    }
}

/// The program has a function with the name of a modelled one: the model's name, which is weak in the runtime, becomes
/// another name of it. The optimiser must not turn calls of it into calls of others, `atoi` into `strtol` say: labels
/// travel to the function that was called here.
fn own_definition(ir: &Ir, function: Value, ty: Type, model: &CStr) {
    // SAFETY: a function with a body.
    unsafe {
        let attribute = LLVMCreateEnumAttribute(ir.context, attribute_kind("nobuiltin"), 0);
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
        if LLVMGetLinkage(function) == LLVMLinkage::LLVMExternalLinkage {
            let alias = LLVMAddAlias2(ir.module, ty, 0, function, model.as_ptr());
            LLVMSetVisibility(alias, llvm_sys::LLVMVisibility::LLVMHiddenVisibility);
        }
    }
}

/// It ends the program, or changes nothing that instrumented code can see: what was loaded before still holds behind it.
const FAIL: &str = "gimlet_mem_fail";
/// LLVM's number for a function that changes nothing else than what is its own.
const INACCESSIBLE_ONLY: u64 = 3 << 2;

/// The functions of a runtime, declared, by name.
pub struct EntryPoints(HashMap<&'static str, (Type, Value)>);

impl EntryPoints {
    /// Those that are seldom called are told to the optimiser.
    pub fn declare(ir: &Ir, table: &[EntryPoint], is_cold: impl Fn(&str) -> bool) -> EntryPoints {
        let ty = |ty: Ty| match ty {
            Ty::Void => ir.void,
            Ty::U32 => ir.i32,
            Ty::U64 => ir.i64,
            Ty::Ptr => ir.ptr,
        };
        let declared = table
            .iter()
            .map(|entry| {
                let mut params: Vec<Type> = entry.params.iter().map(|&param| ty(param)).collect();
                let name = CString::new(entry.name).expect("no zero inside");
                // SAFETY: declares a function.
                unsafe {
                    let ty = LLVMFunctionType(ty(entry.ret), params.as_mut_ptr(), params.len() as c_uint, 0);
                    let function = LLVMAddFunction(ir.module, name.as_ptr(), ty);
                    LLVMSetFunctionCallConv(function, PRESERVE_MOST);
                    // A shared object's first call of a function runs the dynamic linker, which keeps fewer registers
                    // than the convention promises, unless it is bound when the object is loaded.
                    if entry.name == FAIL {
                        let memory = LLVMCreateEnumAttribute(ir.context, attribute_kind("memory"), INACCESSIBLE_ONLY);
                        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, memory);
                    }
                    let cold = is_cold(entry.name).then_some("cold");
                    for attribute in ["nounwind", "nonlazybind"].into_iter().chain(cold) {
                        let attribute = LLVMCreateEnumAttribute(ir.context, attribute_kind(attribute), 0);
                        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
                    }
                    (entry.name, (ty, function))
                }
            })
            .collect();
        EntryPoints(declared)
    }

    /// Calls one of them.
    pub fn call(&self, ir: &Ir, name: &str, arguments: &[Value]) -> Value {
        let (ty, function) = self.0[name];
        let call = ir.call(ty, function, &mut arguments.to_vec());
        // SAFETY: a call of a function with this convention.
        unsafe { LLVMSetInstructionCallConv(call, PRESERVE_MOST) };
        call
    }
}

impl Module {
    fn new(ir: &Ir, instrumented: HashSet<Value>, branch_log: bool) -> Module {
        let runtime = EntryPoints::declare(ir, ENTRY_POINTS, |_| true);
        let numbered = ENTRY_POINTS.iter().zip(0..);
        let numbers = numbered.map(|(entry, number)| (runtime.0[entry.name].1, number)).collect();
        let active = CString::new(abi::ACTIVE_SYMBOL).expect("no zero inside");
        // SAFETY: declares globals.
        unsafe {
            let mut fields = [ir.i32, ir.i32, ir.i32, ir.i32, ir.i64, ir.ptr, ir.i32, ir.i32, ir.ptr];
            let descriptor_type = LLVMStructTypeInContext(ir.context, fields.as_mut_ptr(), fields.len() as c_uint, 0);
            let descriptor = LLVMAddGlobal(ir.module, descriptor_type, c"gimlet.module".as_ptr());
            LLVMSetLinkage(descriptor, LLVMLinkage::LLVMInternalLinkage);
            let active = LLVMAddGlobal(ir.module, ir.i32, active.as_ptr());
            let programs = Vec::new();
            Module { runtime, numbers, programs, sites: Sites::default(), descriptor, active, instrumented, branch_log }
        }
    }

    /// True if the callee is certainly instrumented: it is here, and no other definition can replace it.
    pub fn is_ours(&self, callee: Value) -> bool {
        // SAFETY: a function.
        self.instrumented.contains(&callee)
            && matches!(
                unsafe { LLVMGetLinkage(callee) },
                LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage | LLVMLinkage::LLVMExternalLinkage
            )
    }

    /// Calls an entry point of the runtime.
    pub fn call(&self, ir: &Ir, name: &str, arguments: &[Value]) -> Value {
        self.runtime.call(ir, name, arguments)
    }

    /// The number of an entry point of the runtime.
    pub fn entry_of(&self, function: Value) -> Option<u8> {
        self.numbers.get(&function).copied()
    }

    pub fn descriptor(&self) -> Value {
        self.descriptor
    }

    /// Keeps a program; gives its offset among all of the module.
    pub fn add_program(&mut self, program: &[u8]) -> u32 {
        let offset = self.programs.len() as u32;
        self.programs.extend(program);
        offset
    }

    /// The number of a site as the runtime counts it.
    pub fn site(&self, ir: &Ir, index: u32) -> Value {
        let mut offset = [ir.const64(abi::MODULE_SITE_BASE)];
        // SAFETY: a constant expression.
        let base = unsafe { LLVMConstGEP2(ir.i8, self.descriptor, offset.as_mut_ptr(), 1) };
        ir.add(ir.load(ir.i32, base), ir.const32(index))
    }

    /// An i1: the function with this site is the one that returns tokens.
    pub fn is_token_function(&self, ir: &Ir, site: u32) -> Value {
        let mut offset = [ir.const64(abi::MODULE_TOKEN_FUNCTION)];
        // SAFETY: a constant expression.
        let place = unsafe { LLVMConstGEP2(ir.i8, self.descriptor, offset.as_mut_ptr(), 1) };
        ir.compare(LLVMIntPredicate::LLVMIntEQ, ir.load(ir.i32, place), ir.const32(site + 1))
    }

    /// A label from another function, whose type may not be what its caller or callee thinks: made to fit.
    pub fn fit(&self, ir: &Ir, label: Value, bits: u32) -> Value {
        self.call(ir, "gimlet_rt_fit", &[label, ir.const32(bits)])
    }

    /// An i32 that is not zero if the input has stretches.
    pub fn has_stretches(&self, ir: &Ir) -> Value {
        let mut offset = [ir.const64(abi::ACTIVE_STRETCHES)];
        // SAFETY: a constant expression.
        let place = unsafe { LLVMConstGEP2(ir.i8, self.active, offset.as_mut_ptr(), 1) };
        ir.load(ir.i32, place)
    }

    /// An i1: a driver traces this process.
    pub fn is_active(&self, ir: &Ir) -> Value {
        ir.is_nonzero(ir.load(ir.i32, self.active))
    }

    /// Writes the tables.
    fn finish(&self, ir: &Ir) {
        // SAFETY: constants and globals of the module.
        unsafe {
            let (globals, count) = self.globals(ir);
            let (build_id, bytes) = SiteTable::encode(&self.sites.sites, &ir.source_name());
            add_section(ir, ir.const_bytes(&bytes), c"gimlet.sites", SITES_SECTION, true);

            let programs = private_bytes(ir, &self.programs, c"gimlet.programs", PROGRAMS_SECTION);

            let mut fields = [
                ir.const32(FORMAT_VERSION),
                ir.const32(0),
                ir.const32(self.sites.sites.len() as u32),
                ir.const32(count),
                ir.const64(build_id),
                globals,
                ir.const32(0),
                ir.const32(0),
                programs,
            ];
            let init = LLVMConstStructInContext(ir.context, fields.as_mut_ptr(), fields.len() as c_uint, 0);
            LLVMSetInitializer(self.descriptor, init);
            LLVMSetAlignment(self.descriptor, 8);
            add_section(ir, self.descriptor, c"gimlet.here", MODULES_SECTION, false);
            self.register(ir);
        }
    }

    /// The module's variables: address and size of each.
    fn globals(&self, ir: &Ir) -> (Value, u32) {
        let mut entries = Vec::new();
        // SAFETY: walks the module's globals and builds a constant.
        unsafe {
            let mut fields = [ir.ptr, ir.i64];
            let entry_type = LLVMStructTypeInContext(ir.context, fields.as_mut_ptr(), 2, 0);
            let mut at = LLVMGetFirstGlobal(ir.module);
            while !at.is_null() {
                let name = ir.name(at);
                let ty = LLVMGlobalGetValueType(at);
                let skip = LLVMIsDeclaration(at) != 0
                    || LLVMIsThreadLocal(at) != 0
                    || LLVMGetLinkage(at) == LLVMLinkage::LLVMAvailableExternallyLinkage
                    || name.starts_with("llvm.")
                    || name.starts_with("gimlet.")
                    || ir.size_of(ty) == 0;
                if !skip {
                    let constant = if LLVMIsGlobalConstant(at) != 0 { GLOBAL_CONSTANT } else { 0 };
                    let mut entry = [at, ir.const64(ir.size_of(ty) | constant)];
                    entries.push(LLVMConstStructInContext(ir.context, entry.as_mut_ptr(), 2, 0));
                }
                at = LLVMGetNextGlobal(at);
            }
            let count = entries.len() as u32;
            let array = LLVMConstArray2(entry_type, entries.as_mut_ptr(), entries.len() as u64);
            let table = LLVMAddGlobal(ir.module, ir.type_of(array), c"gimlet.globals".as_ptr());
            LLVMSetInitializer(table, array);
            LLVMSetGlobalConstant(table, 1);
            LLVMSetLinkage(table, LLVMLinkage::LLVMInternalLinkage);
            (table, count)
        }
    }

    /// A constructor that hands the descriptor to the runtime.
    fn register(&self, ir: &Ir) {
        constructor(ir, c"gimlet.register", || {
            self.call(ir, "gimlet_rt_register", &[self.descriptor]);
        });
    }
}

/// A function that runs before all other constructors of the module, and does what `build` builds.
pub fn constructor(ir: &Ir, name: &CStr, build: impl FnOnce()) {
    // SAFETY: builds a function.
    unsafe {
        let ty = LLVMFunctionType(ir.void, std::ptr::null_mut(), 0, 0);
        let function = LLVMAddFunction(ir.module, name.as_ptr(), ty);
        LLVMSetLinkage(function, LLVMLinkage::LLVMInternalLinkage);
        let block = LLVMAppendBasicBlockInContext(ir.context, function, c"".as_ptr());
        LLVMPositionBuilderAtEnd(ir.builder, block);
        LLVMSetCurrentDebugLocation2(ir.builder, std::ptr::null_mut());
        build();
        LLVMBuildRetVoid(ir.builder);
        gimlet_shim_constructor(ir.module, function);
    }
}

/// A constant of the module with these bytes, in a section that nobody takes for the program's own constants.
fn private_bytes(ir: &Ir, bytes: &[u8], name: &CStr, section: &str) -> Value {
    let content = ir.const_bytes(bytes);
    let section = CString::new(section).expect("no zero inside");
    // SAFETY: a new global.
    unsafe {
        let global = LLVMAddGlobal(ir.module, ir.type_of(content), name.as_ptr());
        LLVMSetInitializer(global, content);
        LLVMSetGlobalConstant(global, 1);
        LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
        LLVMSetSection(global, section.as_ptr());
        LLVMSetAlignment(global, 1);
        global
    }
}

fn add_section(ir: &Ir, content: Value, name: &CStr, section: &str, constant: bool) {
    let global = new_section(ir, ir.type_of(content), name, section, 8);
    // SAFETY: a constant of the module.
    unsafe {
        LLVMSetInitializer(global, content);
        LLVMSetGlobalConstant(global, constant.into());
    }
}

/// A global in a section of its own, kept although nothing refers to it; its content is to follow.
pub fn new_section(ir: &Ir, ty: Type, name: &CStr, section: &str, alignment: c_uint) -> Value {
    let section = CString::new(section).expect("no zero inside");
    // SAFETY: a new global.
    unsafe {
        let global = LLVMAddGlobal(ir.module, ty, name.as_ptr());
        LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage);
        LLVMSetSection(global, section.as_ptr());
        LLVMSetAlignment(global, alignment);
        gimlet_shim_used(ir.module, global);
        global
    }
}
