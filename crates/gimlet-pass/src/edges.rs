//! Counts edges instead of following labels: what makes PROG.edges.
//!
//! The counters ([`gimlet_trace::edges`]) are put where the other mode puts its
//! sites: at the start of the pipeline, so that one branch of the source is one
//! branch in both. Their rival, clang's own counters, come at the end of the
//! pipeline, where the branches are those of the optimiser.
//!
//! A counter is incremented by three instructions at least, and the optimiser
//! would move them: out of loops, for example, so that a crash inside loses what
//! was counted. So a volatile store of one, a *mark*, goes through the pipeline
//! in their place, and becomes an increment at its end (`CounterPass` of the
//! shim). A mark that were missed there would still tell that the edge was taken.
//!
//! Marks stand in a block of their own on each edge, except where the arms of a
//! branch are so simple that the optimiser makes a conditional move of it, which
//! marks in the arms would forbid: there one mark stands before the branch, at an
//! address that depends on the condition.

use gimlet_trace::edges::{EdgeTable, COUNTERS_SECTION, DISTANCE_OFFSET, EDGES_SECTION, INIT_SYMBOL};
use gimlet_trace::site::SiteKind;
use gimlet_trace::FORMAT_VERSION;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::LLVMOpcode;

use crate::function::Body;
use crate::hoist::is_choice;
use crate::ir::{Ir, Value};
use crate::module::{self, constructor, new_section};
use crate::sites::{Sites, Spot};
use crate::types;

unsafe extern "C" {
    fn gimlet_shim_split_edge(switch: Value, index: u32) -> Value;
}

/// An instruction before or behind which edges are counted.
struct Counted {
    kind: SiteKind,
    at: Value,
    first_counter: u64,
}

/// The module under rewriting.
struct Edges {
    sites: Sites,
    counted: Vec<Counted>,
    n_counters: u64,
}

/// Adds counters to the module.
pub fn count(module: LLVMModuleRef) {
    let ir = Ir::new(module);
    let defined = module::defined(&ir, &module::left_native(&ir));
    module::strip_attributes(&ir);
    let mut edges = Edges { sites: Sites::default(), counted: Vec::new(), n_counters: 0 };
    for function in defined {
        module::split_returns(function);
        edges.find(&ir, &Body::of(&ir, function));
    }
    let counters = edges.finish(&ir);
    edges.counted.iter().for_each(|counted| counted.add_marks(&ir, counters));
    module::verify(module);
}

impl Edges {
    /// The places of a function where something is counted.
    fn find(&mut self, ir: &Ir, body: &Body) {
        for block in &body.blocks {
            let is_entry = block.number == 0;
            if let Some(&first) = block.instructions.iter().find(|&&at| is_place(ir, at)).filter(|_| is_entry) {
                self.add(ir, body, block.number, first, SiteKind::Function, 0);
            }
            let Some(&end) = block.instructions.last() else { continue };
            match ir.opcode(end) {
                // SAFETY: a branch.
                Some(LLVMOpcode::LLVMBr) if unsafe { LLVMIsConditional(end) } != 0 => {
                    self.add(ir, body, block.number, end, SiteKind::Branch, 1);
                }
                Some(LLVMOpcode::LLVMSwitch) => {
                    let bits = types::scalar_bits(ir, ir.type_of(ir.operand(end, 0))).unwrap_or(0);
                    self.add(ir, body, block.number, end, SiteKind::Switch, bits);
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, ir: &Ir, body: &Body, block: u32, at: Value, kind: SiteKind, width: u32) {
        let spot = Spot { function: &body.name, blocks: &body.numbers, block };
        let index = self.sites.add(ir, spot, at, kind, width);
        self.counted.push(Counted { kind, at, first_counter: self.n_counters });
        self.n_counters += self.sites.sites[index as usize].n_counters() as u64;
    }

    /// Makes the counters and the table; gives the former.
    fn finish(&self, ir: &Ir) -> Value {
        let (n_counters, record) = EdgeTable::encode(&self.sites.sites, &ir.source_name());
        let (head, rest) = record.split_at(DISTANCE_OFFSET as usize);
        // SAFETY: constants and globals of the module.
        unsafe {
            let counters = new_section(ir, LLVMArrayType2(ir.i8, n_counters), c"gimlet.counters", COUNTERS_SECTION, 1);
            LLVMSetInitializer(counters, ir.null(LLVMGlobalGetValueType(counters)));
            let (head, rest) = (ir.const_bytes(head), ir.const_bytes(&rest[8..]));
            let mut types = [ir.type_of(head), ir.i64, ir.type_of(rest)];
            let ty = LLVMStructTypeInContext(ir.context, types.as_mut_ptr(), types.len() as u32, 1);
            let table = new_section(ir, ty, c"gimlet.edges", EDGES_SECTION, 8);
            LLVMSetGlobalConstant(table, 1);
            let address = |global: Value| LLVMConstPtrToInt(global, ir.i64);
            let mut fields = [head, LLVMConstSub(address(counters), address(table)), rest];
            let content = LLVMConstStructInContext(ir.context, fields.as_mut_ptr(), fields.len() as u32, 1);
            LLVMSetInitializer(table, content);
            self.register(ir);
            counters
        }
    }

    /// A constructor that lets a driver have the counters.
    fn register(&self, ir: &Ir) {
        let name = std::ffi::CString::new(INIT_SYMBOL).expect("no zero inside");
        // SAFETY: declares a function and calls it.
        unsafe {
            let mut params = [ir.i32];
            let ty = LLVMFunctionType(ir.void, params.as_mut_ptr(), params.len() as u32, 0);
            let init = LLVMAddFunction(ir.module, name.as_ptr(), ty);
            LLVMSetVisibility(init, llvm_sys::LLVMVisibility::LLVMHiddenVisibility);
            constructor(ir, c"gimlet.count", || {
                ir.call(ty, init, &mut [ir.const32(FORMAT_VERSION)]);
            });
        }
    }
}

/// Instructions before which others can stand.
fn is_place(ir: &Ir, at: Value) -> bool {
    ir.opcode(at) != Some(LLVMOpcode::LLVMAlloca)
}

impl Counted {
    fn add_marks(&self, ir: &Ir, counters: Value) {
        let counter = |direction: u32| ir.const64(self.first_counter + u64::from(direction));
        match self.kind {
            SiteKind::Branch if is_choice(ir, self.at) => {
                ir.before(self.at);
                // SAFETY: a conditional branch.
                let condition = unsafe { LLVMGetCondition(self.at) };
                mark(ir, ir.offset(counters, ir.select(condition, counter(0), counter(1))));
            }
            SiteKind::Branch | SiteKind::Switch => {
                // SAFETY: a terminator.
                let n_successors = unsafe { LLVMGetNumSuccessors(self.at) };
                for index in 0..n_successors {
                    // The default comes first here and last among the counters.
                    let direction = match (self.kind, index) {
                        (SiteKind::Switch, 0) => n_successors - 1,
                        (SiteKind::Switch, _) => index - 1,
                        _ => index,
                    };
                    // SAFETY: the successor exists.
                    ir.before(unsafe { gimlet_shim_split_edge(self.at, index) });
                    mark(ir, ir.offset(counters, counter(direction)));
                }
            }
            _ => {
                ir.before(self.at);
                mark(ir, ir.offset(counters, counter(0)));
            }
        }
    }
}

/// What becomes an increment at the end of the pipeline.
fn mark(ir: &Ir, counter: Value) {
    // SAFETY: a pointer to a byte.
    unsafe {
        let store = LLVMBuildStore(ir.builder, LLVMConstInt(ir.i8, 1, 0), counter);
        LLVMSetAlignment(store, 1);
        LLVMSetVolatile(store, 1);
    }
}
