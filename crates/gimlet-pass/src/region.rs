//! Regions: one test for the labels of many instructions.
//!
//! Walking a block, the rewriter does not test labels instruction by
//! instruction. It defers: what has to be done if something is symbolic is
//! collected until somebody needs a label (a branch, a call, a return, the end
//! of the block) or the order of things forbids to wait (below). Then one test
//! is emitted: the labels that come in from outside and the shadow of all
//! memory touched, or-ed together. If it is zero, and it nearly always is,
//! every label of the region is zero. Otherwise an unlikely block calls the
//! runtime for each deferred instruction in order.
//!
//! What may wait: the deferred calls run after the instructions themselves, so
//! they are given values, never left to read memory again. The exceptions are
//! accesses at symbolic addresses, which look at a whole object: a store is
//! never executed while such a load is pending, and a store through a pointer
//! that may be symbolic is announced before it happens. Nor do stores wait for
//! divisions and volatile accesses: a program may catch what those trap into.
//! (An ordinary load that faults inside a region, caught by a handler that jumps
//! away, does lose the labels of stores before it.)

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::function::Rewriter;
use crate::hoist::is_pure;
use crate::ir::{Ir, Value};
use crate::module::Module;
use crate::ops::constant_offset;
use crate::types;

/// More roots than this in one test are not worth the registers.
const ROOTS_MAX: usize = 24;

/// What makes a region symbolic.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Label(Value),
    Shadow {
        base: Value,
        offset: u64,
        bytes: u32,
    },
    /// Whether the input has stretches.
    Stretches,
}

/// Emits the runtime calls of one deferred instruction and gives the labels of its result's leaves, or nothing if the
/// result is concrete.
pub type Emit = Box<dyn Fn(&mut Emitter) -> Vec<Value>>;

struct Deferred {
    instruction: Value,
    emit: Emit,
}

/// Instructions whose labels are not computed yet.
#[derive(Default)]
pub struct Region {
    deferred: Vec<Deferred>,
    members: HashSet<Value>,
    roots: Vec<Root>,
    seen: HashSet<Root>,
    /// A load at an address that may be symbolic is pending.
    pub looks_up: bool,
    /// A store is pending: its label is to be written before anything that may trap.
    pub stores: bool,
}

impl Region {
    fn root(&mut self, root: Root) {
        if self.seen.insert(root) {
            self.roots.push(root);
        }
    }

    /// What is put off has to be done if the input has stretches, labels or not.
    pub fn depends_on_stretches(&mut self) {
        self.root(Root::Stretches);
    }

    /// Cheap operations of the region whose results nobody else uses.
    fn private(&self, ir: &Ir) -> HashSet<Value> {
        let is_cheap = |value: Value| is_pure(ir, value) || ir.opcode(value) == Some(LLVMOpcode::LLVMGetElementPtr);
        let is_private = |value: Value| ir.users(value).iter().all(|&user| self.is_used_here(ir, user));
        self.members.iter().copied().filter(|&value| is_cheap(value) && is_private(value)).collect()
    }

    /// Whether a user of a value is part of the region. A phi that is part of it belongs to the next iteration, too.
    fn is_used_here(&self, ir: &Ir, user: Value) -> bool {
        self.members.contains(&user) && ir.opcode(user) != Some(LLVMOpcode::LLVMPHI)
    }

    /// The shadow of `bytes` bytes at `pointer + offset` matters.
    pub fn shadow_root(&mut self, ir: &Ir, pointer: Value, offset: u64, bytes: u32) {
        let (base, distance) = base_of(ir, pointer);
        self.root(Root::Shadow { base, offset: offset.wrapping_add(distance), bytes });
    }
}

/// Emission inside the unlikely block: labels are those computed in it, or those from before the region.
///
/// Values that only the region itself uses are computed once more in the block rather than handed to it, or every
/// intermediate result of the likely path would have to be kept until its end, just in case.
pub struct Emitter<'a> {
    pub ir: &'a Ir,
    pub module: &'a Module,
    inside: HashMap<Value, Vec<Value>>,
    outside: &'a HashMap<Value, Vec<Value>>,
    private: HashSet<Value>,
    copies: RefCell<HashMap<Value, Value>>,
}

impl Emitter<'_> {
    /// Labels of all leaves of a value.
    pub fn labels(&self, value: Value) -> Vec<Value> {
        match self.inside.get(&value).or_else(|| self.outside.get(&value)) {
            Some(labels) => labels.clone(),
            None => vec![self.ir.no_label(); types::leaves(self.ir, self.ir.type_of(value)).len()],
        }
    }

    /// Label of a value with one leaf.
    pub fn label(&self, value: Value) -> Value {
        self.labels(value).first().copied().unwrap_or_else(|| self.ir.no_label())
    }

    pub fn call(&self, name: &str, arguments: &[Value]) -> Value {
        self.module.call(self.ir, name, arguments)
    }

    /// A value of the program, as it is to be used in this block.
    pub fn value(&self, value: Value) -> Value {
        if !self.is_private(value) {
            return value;
        }
        if let Some(&copy) = self.copies.borrow().get(&value) {
            return copy;
        }
        let operands: Vec<Value> = self.ir.operands(value).into_iter().map(|operand| self.origin(operand)).collect();
        let copy = self.ir.copy(value, &operands);
        self.copies.borrow_mut().insert(value, copy);
        copy
    }

    /// An operand of a copy: hidden from the optimiser, which would find that the copy computes what is known already.
    fn origin(&self, value: Value) -> Value {
        if self.is_private(value) {
            return self.value(value);
        }
        let bits = types::scalar_bits(self.ir, self.ir.type_of(value)).unwrap_or(0);
        let kind = self.ir.kind(self.ir.type_of(value));
        let fits_register = matches!(kind, LLVMTypeKind::LLVMIntegerTypeKind | LLVMTypeKind::LLVMPointerTypeKind)
            && matches!(bits, 8 | 16 | 32 | 64);
        if self.ir.opcode(value).is_none() || !fits_register {
            return value;
        }
        if let Some(&copy) = self.copies.borrow().get(&value) {
            return copy;
        }
        let copy = self.ir.hide(value);
        self.copies.borrow_mut().insert(value, copy);
        copy
    }

    fn is_private(&self, value: Value) -> bool {
        self.private.contains(&value)
    }

    /// The low 64 bits of a value.
    pub fn low(&self, value: Value) -> Value {
        types::low_half(self.ir, self.value(value))
    }

    /// The bits above those.
    pub fn high(&self, value: Value) -> Value {
        types::high_half(self.ir, self.value(value))
    }

    /// The number of a site as the runtime counts it.
    pub fn site(&self, index: u32) -> Value {
        self.module.site(self.ir, index)
    }
}

impl Rewriter<'_> {
    /// Puts off what `instruction` needs done. `inputs` are the values whose labels it reads.
    pub fn defer(&mut self, instruction: Value, inputs: &[Value], emit: Emit) {
        for &input in inputs {
            if self.region.members.contains(&input) {
                continue;
            }
            for label in self.labels.get(&input).cloned().unwrap_or_default() {
                if !self.ir.is_zero(label) {
                    self.region.root(Root::Label(label));
                }
            }
        }
        self.region.members.insert(instruction);
        self.region.deferred.push(Deferred { instruction, emit });
    }

    /// Flushes if the region has grown large.
    pub fn flush_if_large(&mut self, next: Value) {
        if self.region.roots.len() > ROOTS_MAX {
            self.flush(next);
        }
    }

    /// Computes all pending labels before `at`, which has put off something and needs its inputs' labels again.
    pub fn flush_unfinished(&mut self, at: Value) {
        self.region.members.remove(&at);
        self.flush(at);
    }

    /// Computes all pending labels before `at`.
    pub fn flush(&mut self, at: Value) {
        let region = std::mem::take(&mut self.region);
        if region.deferred.is_empty() {
            return;
        }
        let ir = self.ir;
        let private = region.private(ir);
        ir.before(at);
        let Some(condition) = any_root(ir, &*self.module, &region.roots, &mut self.shadows) else {
            return; // nothing can be symbolic
        };
        let unlikely = ir.unlikely(at, condition);
        let mut emitter = Emitter {
            ir,
            module: &*self.module,
            inside: HashMap::new(),
            outside: &self.labels,
            private,
            copies: RefCell::default(),
        };
        for deferred in &region.deferred {
            let labels = (deferred.emit)(&mut emitter);
            if !labels.is_empty() {
                emitter.inside.insert(deferred.instruction, labels);
            }
        }
        let inside = emitter.inside;
        ir.before(at);
        for deferred in &region.deferred {
            let Some(labels) = inside.get(&deferred.instruction).cloned() else { continue };
            let needed = ir.users(deferred.instruction).iter().any(|&user| !region.is_used_here(ir, user));
            if needed {
                let merged = labels
                    .into_iter()
                    .map(|label| if ir.is_zero(label) { label } else { unlikely.merge(ir, at, label, ir.no_label()) })
                    .collect();
                self.labels.insert(deferred.instruction, merged);
            }
        }
    }
}

/// The pointer that `pointer` is a constant distance from, inside one object: fields of a struct share the place of their
/// shadow. No object lies across a multiple of the size of what is shadowed.
fn base_of(ir: &Ir, pointer: Value) -> (Value, u64) {
    let (mut base, mut distance) = (pointer, 0u64);
    while let Some(offset) = constant_offset(ir, base) {
        distance = distance.wrapping_add(offset);
        base = ir.operand(base, 0);
    }
    (base, distance)
}

/// Shadow that one load looks at, in bytes of the program.
const LOOKED_AT_MAX: u32 = 8;

/// An i1 that is true if a root is not zero.
///
/// The shadow of an access is one wide integer, up to 256 bits, and so is what they are or-ed to: the backend makes of it the
/// loads and ors of words that there would be otherwise, and the optimiser has a quarter of them to look at.
fn any_root(ir: &Ir, module: &Module, roots: &[Root], shadows: &mut HashMap<Value, Value>) -> Option<Value> {
    let mut words: Vec<(Value, u32)> = Vec::new();
    for &root in roots {
        match root {
            Root::Label(label) => words.push((label, 32)),
            Root::Stretches => words.push((module.has_stretches(ir), 32)),
            Root::Shadow { base, offset, bytes } => {
                let shadow = *shadows.entry(base).or_insert_with(|| ir.shadow(base));
                for first in (0..bytes).step_by(LOOKED_AT_MAX as usize) {
                    let at = match offset.wrapping_add(first.into()).wrapping_mul(4) {
                        0 => shadow,
                        distance => ir.offset(shadow, ir.const64(distance)),
                    };
                    let bits = 32 * (bytes - first).min(LOOKED_AT_MAX);
                    words.push((ir.load(ir.int(bits), at), bits));
                }
            }
        }
    }
    // Those of one width together first.
    words.sort_by_key(|&(_, bits)| bits);
    let any = words.into_iter().reduce(|(any, narrow), (word, bits)| {
        let any = if narrow < bits { ir.cast(LLVMOpcode::LLVMZExt, any, ir.int(bits)) } else { any };
        (ir.or(any, word), bits)
    });
    any.map(|(any, _)| ir.is_nonzero(any))
}
