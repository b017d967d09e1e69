//! Rewriting of one function: ids beside pointers, checks before accesses.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use gimlet_trace::memory::{tls, INDEX_BITS, MASK, OBJECTS, OBJECT_ID, OBJECT_SHIFT, OBJECT_SIZE, REFERENTS};
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use super::decisions::Telling;
use super::{fresh, Runtime};
use crate::function::Body;
use crate::ir::{Ir, Value};
use crate::may::May;

unsafe extern "C" {
    fn gimlet_shim_constant_base(pointer: Value, offset: &mut i64) -> Value;
}

/// How far back a distance of two pointers is looked for in an index.
const DEPTH_MAX: u32 = 6;

/// The state while one function is rewritten.
pub struct Rewriter<'a> {
    pub ir: &'a Ir,
    pub runtime: &'a Runtime,
    pub body: &'a Body,
    /// Ids of pointers that are known by now.
    pub ids: HashMap<Value, Value>,
    /// The record of the next variable when the function began, if it has some, or may come back to itself.
    pub top: Option<Value>,
    pub has_variables: bool,
    /// The same behind the function's own, where control may come back to it.
    pub own_top: Option<Value>,
    /// The same at each `stacksave`.
    pub saved: HashMap<Value, Value>,
    /// What has been checked on the way here, by the pointer that others are moved from by constants: all between the first and
    /// the last byte is one object, and nothing can have ended since.
    pub checked: HashMap<Value, Range<i64>>,
    /// Returns right behind a call that takes the function's place.
    pub tail_returns: HashSet<Value>,
    /// Values that may be made of fresh memory.
    pub may: May,
    pub telling: Telling,
}

/// The size of a variable, if it is known.
pub fn known_size(ir: &Ir, variable: Value) -> Option<u64> {
    // SAFETY: asks only.
    unsafe {
        if ir.opcode(variable) == Some(LLVMOpcode::LLVMAlloca) {
            let count = LLVMGetOperand(variable, 0);
            let is_known = !LLVMIsAConstantInt(count).is_null();
            let unit = ir.size_of(LLVMGetAllocatedType(variable));
            return is_known.then(|| unit.saturating_mul(LLVMConstIntGetZExtValue(count)));
        }
        let is_here = !LLVMIsAGlobalVariable(variable).is_null() && LLVMIsDeclaration(variable) == 0;
        is_here.then(|| ir.size_of(LLVMGlobalGetValueType(variable)))
    }
}

/// Whether so many bytes at a pointer are inside its object, whatever happens.
pub fn is_inside(ir: &Ir, pointer: Value, n: u64) -> bool {
    let mut offset = 0;
    // SAFETY: a pointer.
    let base = unsafe { gimlet_shim_constant_base(pointer, &mut offset) };
    known_size(ir, base).is_some_and(|size| {
        u64::try_from(offset).is_ok_and(|offset| offset.checked_add(n).is_some_and(|end| end <= size))
    })
}

pub fn is_pointer(ir: &Ir, value: Value) -> bool {
    let ty = ir.type_of(value);
    // SAFETY: a pointer type.
    ir.kind(ty) == LLVMTypeKind::LLVMPointerTypeKind && unsafe { LLVMGetPointerAddressSpace(ty) } == 0
}

impl<'a> Rewriter<'a> {
    pub fn run(ir: &'a Ir, runtime: &'a Runtime, body: &'a Body) {
        let defined = fresh::define(ir, runtime, body);
        let mut rewriter = Rewriter {
            ir,
            runtime,
            body,
            ids: HashMap::new(),
            top: None,
            has_variables: false,
            own_top: None,
            saved: HashMap::new(),
            checked: HashMap::new(),
            tail_returns: HashSet::new(),
            may: May::analyse(ir, body, &defined),
            telling: Telling::new(body),
        };
        rewriter.prologue();
        let phis = rewriter.phis();
        let mut checked_behind: HashMap<u32, HashMap<Value, Range<i64>>> = HashMap::new();
        for block in &body.blocks {
            rewriter.telling.block = block.number;
            let before = rewriter.telling.only_before(block.number);
            rewriter.checked = before.and_then(|before| checked_behind.get(&before)).cloned().unwrap_or_default();
            for &instruction in &block.instructions {
                rewriter.visit(instruction);
            }
            checked_behind.insert(block.number, std::mem::take(&mut rewriter.checked));
        }
        for (phi, id) in phis {
            for (value, block) in ir.incoming(phi) {
                // SAFETY: every block has a terminator.
                ir.before(unsafe { LLVMGetBasicBlockTerminator(block) });
                let of_value = rewriter.id_of(value);
                ir.add_incoming(id, of_value, block);
            }
        }
    }

    /// Empty phis of ids.
    fn phis(&mut self) -> Vec<(Value, Value)> {
        let ir = self.ir;
        let all = self.body.blocks.iter().flat_map(|block| &block.instructions);
        let is_phi = |&&at: &&Value| ir.opcode(at) == Some(LLVMOpcode::LLVMPHI) && is_pointer(ir, at);
        let phis: Vec<Value> = all.filter(is_phi).copied().collect();
        let with_id = |phi: Value| {
            ir.before(phi);
            let id = ir.phi(ir.i32, &[]);
            self.ids.insert(phi, id);
            (phi, id)
        };
        phis.into_iter().map(with_id).collect()
    }

    /// The id of a pointer. Those of globals are loaded where the builder stands.
    pub fn id_of(&self, pointer: Value) -> Value {
        let ir = self.ir;
        let known = self.ids.get(&pointer).copied();
        known.or_else(|| self.runtime.constant_id(ir, pointer)).unwrap_or_else(|| ir.const32(0))
    }

    /// The lower half of a pointer.
    pub fn low(&self, pointer: Value) -> Value {
        self.ir.cast(LLVMOpcode::LLVMPtrToInt, pointer, self.ir.i32)
    }

    /// An id as it is put into slots and shadows.
    pub fn packed(&self, id: Value, pointer: Value) -> Value {
        let ir = self.ir;
        let low = ir.cast(LLVMOpcode::LLVMZExt, self.low(pointer), ir.i64);
        let high = ir.binary(LLVMOpcode::LLVMShl, low, ir.const64(32));
        ir.or(high, ir.cast(LLVMOpcode::LLVMZExt, id, ir.i64))
    }

    /// An i1: what was packed is not about this pointer.
    pub fn is_other(&self, packed: Value, pointer: Value) -> Value {
        let ir = self.ir;
        let high = ir.binary(LLVMOpcode::LLVMLShr, packed, ir.const64(32));
        let half = ir.cast(LLVMOpcode::LLVMTrunc, high, ir.i32);
        ir.compare(LLVMIntPredicate::LLVMIntNE, half, self.low(pointer))
    }

    /// The id of the object at an address, found before `at`.
    pub fn find(&self, pointer: Value) -> Value {
        self.runtime.call(self.ir, "gimlet_mem_find", &[pointer])
    }

    pub fn referent_slot(&self, pointer: Value) -> Value {
        let ir = self.ir;
        let address = ir.cast(LLVMOpcode::LLVMPtrToInt, pointer, ir.i64);
        let low = ir.binary(LLVMOpcode::LLVMAnd, address, ir.const64(MASK & !7));
        ir.cast(LLVMOpcode::LLVMIntToPtr, ir.add(low, ir.const64(REFERENTS)), ir.ptr)
    }

    fn visit(&mut self, instruction: Value) {
        let ir = self.ir;
        let Some(opcode) = ir.opcode(instruction) else { return };
        match opcode {
            LLVMOpcode::LLVMPHI => {}
            LLVMOpcode::LLVMLoad => self.visit_load(instruction),
            LLVMOpcode::LLVMStore => self.visit_store(instruction),
            LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => {
                let size = ir.accessed_size(ir.type_of(ir.operand(instruction, 1)));
                self.check(instruction, ir.operand(instruction, 0), size, true);
                self.find_result(instruction);
            }
            LLVMOpcode::LLVMAlloca => self.visit_alloca(instruction),
            LLVMOpcode::LLVMCall => self.visit_call(instruction),
            LLVMOpcode::LLVMInvoke => self.visit_invoke(instruction),
            LLVMOpcode::LLVMLandingPad => self.come_back(ir.next(instruction)),
            LLVMOpcode::LLVMRet => self.visit_return(instruction),
            LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch => self.visit_decision(instruction),
            LLVMOpcode::LLVMGetElementPtr if is_pointer(ir, instruction) => self.visit_move(instruction),
            LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMFreeze
                if is_pointer(ir, instruction) =>
            {
                ir.before(instruction);
                self.ids.insert(instruction, self.id_of(ir.operand(instruction, 0)));
            }
            LLVMOpcode::LLVMSelect if is_pointer(ir, instruction) => {
                ir.before(instruction);
                let [condition, yes, no] = [0, 1, 2].map(|index| ir.operand(instruction, index));
                let (yes, no) = (self.id_of(yes), self.id_of(no));
                let is_one = ir.type_of(condition) == ir.int(1);
                let id = if is_one { ir.select(condition, yes, no) } else { ir.const32(0) };
                self.ids.insert(instruction, id);
            }
            LLVMOpcode::LLVMIntToPtr if is_pointer(ir, instruction) => self.visit_made(instruction),
            LLVMOpcode::LLVMExtractValue | LLVMOpcode::LLVMVAArg | LLVMOpcode::LLVMExtractElement => {
                self.find_result(instruction);
            }
            _ => {}
        }
    }

    /// A pointer from somewhere: it belongs to what it points to.
    fn find_result(&mut self, instruction: Value) {
        if is_pointer(self.ir, instruction) {
            self.ir.before(self.ir.next(instruction));
            let id = self.find(instruction);
            self.ids.insert(instruction, id);
        }
    }

    /// A check before `at` of an access to `n` bytes.
    pub fn check(&mut self, at: Value, pointer: Value, n: u64, is_write: bool) {
        let ir = self.ir;
        if n == 0 || is_inside(ir, pointer, n) {
            return;
        }
        let mut first = 0;
        // SAFETY: a pointer.
        let origin = unsafe { gimlet_shim_constant_base(pointer, &mut first) };
        let end = first.saturating_add_unsigned(n);
        let checked = self.checked.get(&origin).cloned().unwrap_or(first..first);
        if checked.start <= first && end <= checked.end {
            return;
        }
        ir.before(at);
        let id = self.id_of(pointer);
        if ir.is_zero(id) {
            return;
        }
        let index = ir.binary(LLVMOpcode::LLVMAnd, id, ir.const32((1 << INDEX_BITS) - 1));
        let index = ir.cast(LLVMOpcode::LLVMZExt, index, ir.i64);
        let offset = ir.binary(LLVMOpcode::LLVMShl, index, ir.const64(OBJECT_SHIFT.into()));
        let record = ir.cast(LLVMOpcode::LLVMIntToPtr, ir.add(offset, ir.const64(OBJECTS)), ir.ptr);
        let field = |ty, offset: u64| self.runtime.is_of_record(ir.load(ty, ir.offset(record, ir.const64(offset))));
        let (base, size, alive) = (field(ir.i64, 0), field(ir.i64, OBJECT_SIZE), field(ir.i32, OBJECT_ID));
        let address = ir.cast(LLVMOpcode::LLVMPtrToInt, pointer, ir.i64);
        let at_offset = ir.binary(LLVMOpcode::LLVMSub, address, base);
        let mut bad = ir.or(
            ir.compare(LLVMIntPredicate::LLVMIntNE, alive, id),
            ir.compare(LLVMIntPredicate::LLVMIntUGE, at_offset, size),
        );
        if n > 1 {
            let room = ir.binary(LLVMOpcode::LLVMSub, size, at_offset);
            bad = ir.or(bad, ir.compare(LLVMIntPredicate::LLVMIntULT, room, ir.const64(n)));
        }
        ir.unlikely(at, bad);
        let arguments = [pointer, ir.const64(n), id, ir.const32(is_write.into())];
        self.runtime.call(ir, "gimlet_mem_fail", &arguments);
        ir.before(at);
        self.checked.insert(origin, checked.start.min(first)..checked.end.max(end));
    }

    fn visit_load(&mut self, load: Value) {
        let ir = self.ir;
        let pointer = ir.operand(load, 0);
        self.tell_indices(load, pointer);
        self.check(load, pointer, ir.accessed_size(ir.type_of(load)), false);
        self.runtime.is_of_program(load);
        if !is_pointer(ir, load) || self.visit_list_load(load, pointer) {
            return;
        }
        let next = ir.next(load);
        ir.before(next);
        let packed = ir.load(ir.i64, self.referent_slot(pointer));
        let known = ir.cast(LLVMOpcode::LLVMTrunc, packed, ir.i32);
        let is_other = self.is_other(packed, load);
        let unlikely = ir.unlikely(next, is_other);
        let found = self.runtime.call(ir, "gimlet_mem_resolve", &[pointer, load]);
        ir.before(next);
        self.ids.insert(load, unlikely.merge(ir, next, found, known));
    }

    fn visit_store(&mut self, store: Value) {
        let ir = self.ir;
        let (value, pointer) = (ir.operand(store, 0), ir.operand(store, 1));
        self.tell_indices(store, pointer);
        self.check(store, pointer, ir.accessed_size(ir.type_of(value)), true);
        self.runtime.is_of_program(store);
        if !is_pointer(ir, value) {
            return;
        }
        ir.before(store);
        let packed = self.packed(self.id_of(value), value);
        self.runtime.is_of_program(ir.store(packed, self.referent_slot(pointer)));
    }

    /// A pointer that is moved. By the distance of two objects it comes from one to the other.
    fn visit_move(&mut self, instruction: Value) {
        let ir = self.ir;
        ir.before(instruction);
        let mut id = self.id_of(ir.operand(instruction, 0));
        let indices: Vec<Value> = ir.operands(instruction).into_iter().skip(1).collect();
        if let Some((to, from)) = indices.into_iter().find_map(|index| self.distance(index, DEPTH_MAX)) {
            let (to, from) = (self.id_of(to), self.id_of(from));
            let is_same = ir.compare(LLVMIntPredicate::LLVMIntEQ, to, from);
            id = ir.select(is_same, id, to);
        }
        self.ids.insert(instruction, id);
    }

    /// The pointers whose distance an integer was computed from: the one that the other was subtracted from first.
    fn distance(&self, value: Value, depth: u32) -> Option<(Value, Value)> {
        let ir = self.ir;
        let opcode = ir.opcode(value)?;
        match opcode {
            LLVMOpcode::LLVMSub => {
                let [to, from] = [0, 1].map(|index| self.address_of(ir.operand(value, index)));
                to.zip(from)
            }
            LLVMOpcode::LLVMSDiv
            | LLVMOpcode::LLVMAShr
            | LLVMOpcode::LLVMMul
            | LLVMOpcode::LLVMShl
            | LLVMOpcode::LLVMTrunc
            | LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMZExt
                if depth > 0 =>
            {
                self.distance(ir.operand(value, 0), depth - 1)
            }
            _ => None,
        }
    }

    /// The pointer whose address an integer is.
    fn address_of(&self, value: Value) -> Option<Value> {
        let ir = self.ir;
        // SAFETY: asks only.
        let is_constant =
            unsafe { !LLVMIsAConstantExpr(value).is_null() && LLVMGetConstOpcode(value) == LLVMOpcode::LLVMPtrToInt };
        let is_cast = is_constant || ir.opcode(value) == Some(LLVMOpcode::LLVMPtrToInt);
        is_cast.then(|| ir.operand(value, 0)).filter(|&pointer| is_pointer(ir, pointer))
    }

    /// The pointer that an integer is the address of, but for some bits or a constant distance.
    fn masked(&self, value: Value, depth: u32) -> Option<Value> {
        let ir = self.ir;
        if let Some(pointer) = self.address_of(value) {
            return Some(pointer);
        }
        // SAFETY: asks only.
        let is_constant = |value: Value| unsafe { !LLVMIsAConstantInt(value).is_null() };
        match ir.opcode(value)? {
            LLVMOpcode::LLVMAnd | LLVMOpcode::LLVMOr | LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub
                if depth > 0 && is_constant(ir.operand(value, 1)) =>
            {
                self.masked(ir.operand(value, 0), depth - 1)
            }
            _ => None,
        }
    }

    /// A pointer that is made of an integer.
    fn visit_made(&mut self, instruction: Value) {
        let ir = self.ir;
        let of = self.masked(ir.operand(instruction, 0), DEPTH_MAX);
        match of {
            Some(pointer) => {
                ir.before(instruction);
                self.ids.insert(instruction, self.id_of(pointer));
            }
            None => self.find_result(instruction),
        }
    }

    fn visit_return(&mut self, instruction: Value) {
        let ir = self.ir;
        if self.tail_returns.contains(&instruction) {
            return;
        }
        ir.before(instruction);
        if let Some(&value) = ir.operands(instruction).first().filter(|&&value| is_pointer(ir, value)) {
            let packed = self.packed(self.id_of(value), value);
            self.runtime.is_of_program(ir.store(packed, self.runtime.slot(ir, tls::RESULT)));
        }
        self.leave();
        if self.body.name == "main" {
            self.runtime.call(ir, "gimlet_mem_main_ends", &[ir.frame_address()]);
        }
    }
}
