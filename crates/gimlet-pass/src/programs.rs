//! Unlikely blocks become programs ([`gimlet_trace::program`]).
//!
//! Such a block has no branches: it computes values once more and calls entry
//! points of the runtime. Written down as data it costs the optimiser, the
//! register allocator and the linker next to nothing; as code it was most of what
//! they had to do (LLVM runs more than a hundred passes over it, for a block that
//! hardly ever runs).
//!
//! A block is cut into *parts*, instructions that can be written down. What
//! cannot (memory intrinsics, numbers of more than 64 bits) stays where it is,
//! before the part if it needs nothing of it and touches no memory, else
//! between two of them. A part gets values from outside as inputs, through an
//! array in the frame: a signal handler may run programs, too.

use std::collections::{HashMap, HashSet};

use gimlet_trace::abi::{tls, ENTRY_POINTS, MODULE_SITE_BASE};
use gimlet_trace::node::Op;
use gimlet_trace::program::{Operand, Writer, SLOTS_MAX};
use llvm_sys::core::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::ir::{Ir, Type, Value};
use crate::module::Module;
use crate::ops::{integer_op, predicate_op};
use crate::types::scalar_bits;

/// Slots that are left free for what the count of a part does not foresee: a site that is an ordinary operand.
const SLOTS_SPARED: usize = 8;
/// A call of a program, without its inputs and results, in instructions.
const CALL_COST: usize = 4;

unsafe extern "C" {
    fn gimlet_shim_constant_base(pointer: Value, offset: &mut i64) -> Value;
}

/// What an instruction is to a program.
enum Kind {
    /// Another name of its operand.
    Same,
    /// A step, or several.
    Step,
    /// The first number of the module's sites, which is part of operands.
    SiteBase,
    /// It can't be written down. It touches no memory.
    Pure,
    /// It can't be written down.
    Other,
}

/// Instructions that become one program.
#[derive(Default)]
struct Part {
    instructions: Vec<Value>,
    members: HashSet<Value>,
    /// Operands from outside, constants among them.
    outside: HashSet<Value>,
    n_slots: usize,
    cost: usize,
}

/// A part with what it takes and gives.
struct Plan {
    instructions: Vec<Value>,
    n_inputs: usize,
    results: Vec<Value>,
    /// The program is called before this instruction.
    before: Value,
}

/// Rewrites the blocks with these terminators, all of one function.
pub fn write_down(ir: &Ir, module: &mut Module, function: Value, ends: &[Value]) {
    let plans: Vec<Plan> = ends.iter().flat_map(|&end| Planner { ir, module }.block(end)).collect();
    let Some(n_values) = plans.iter().map(|plan| plan.n_inputs.max(plan.results.len())).max() else { return };
    // SAFETY: an array type.
    let values = ir.entry_alloca(function, unsafe { LLVMArrayType2(ir.i64, n_values.max(1) as u64) });
    for plan in plans {
        plan.carry_out(ir, module, values);
    }
}

struct Planner<'a> {
    ir: &'a Ir,
    module: &'a Module,
}

impl Planner<'_> {
    fn block(&self, end: Value) -> Vec<Plan> {
        let ir = self.ir;
        let mut plans = Vec::new();
        let mut part = Part::default();
        for at in crate::function::instructions(ir.parent(end)) {
            let kind = if at == end { Kind::Other } else { self.kind(at) };
            let needs_part = || ir.operands(at).iter().any(|operand| part.members.contains(operand));
            match kind {
                Kind::Pure if !needs_part() => continue,
                Kind::Pure | Kind::Other => plans.extend(self.plan(std::mem::take(&mut part), at)),
                Kind::Same | Kind::Step | Kind::SiteBase => {
                    if part.n_slots + self.slots_max(&kind, at) + SLOTS_SPARED > SLOTS_MAX {
                        plans.extend(self.plan(std::mem::take(&mut part), at));
                    }
                    part.n_slots += self.n_results(&kind, at);
                    for operand in ir.operands(at) {
                        let is_new = !part.members.contains(&operand) && part.outside.insert(operand);
                        part.n_slots += usize::from(is_new);
                    }
                    part.cost += match kind {
                        Kind::Step if ir.opcode(at) == Some(LLVMOpcode::LLVMCall) => ir.operands(at).len() + 1,
                        Kind::Same => 0,
                        _ => 1,
                    };
                    part.instructions.push(at);
                    part.members.insert(at);
                }
            }
        }
        plans
    }

    /// Slots that an instruction takes at the most.
    fn slots_max(&self, kind: &Kind, at: Value) -> usize {
        self.n_results(kind, at) + self.ir.operands(at).len()
    }

    /// Those of them that are not its operands.
    fn n_results(&self, kind: &Kind, at: Value) -> usize {
        match (kind, self.ir.opcode(at)) {
            // A label and a value.
            (Kind::Step, Some(LLVMOpcode::LLVMCall)) => 2,
            // Each index may be widened, multiplied by a constant and added, and the distance, a constant, is added.
            (Kind::Step, Some(LLVMOpcode::LLVMGetElementPtr)) => 4 * self.ir.operands(at).len() + 2,
            _ => 1,
        }
    }

    /// The part's plan, if a program is less than it is now.
    fn plan(&self, part: Part, before: Value) -> Option<Plan> {
        let ir = self.ir;
        let inputs = inputs(ir, self.module, &part.instructions);
        let is_result = |&at: &Value| ir.users(at).iter().any(|user| !part.members.contains(user));
        let results: Vec<Value> = part.instructions.iter().copied().filter(is_result).collect();
        let all_fit = inputs.iter().chain(&results).all(|&value| width(ir, ir.type_of(value)).is_some());
        let is_less = part.cost > inputs.len() + results.len() + CALL_COST;
        (all_fit && is_less).then_some(Plan {
            instructions: part.instructions,
            n_inputs: inputs.len(),
            results,
            before,
        })
    }

    fn kind(&self, at: Value) -> Kind {
        let ir = self.ir;
        let Some(opcode) = ir.opcode(at) else { return Kind::Other };
        let fits = |value: Value| width(ir, ir.type_of(value)).is_some();
        let all_fit = || fits(at) && ir.operands(at).into_iter().all(fits);
        match opcode {
            LLVMOpcode::LLVMCall if self.module.entry_of(called(at)).is_some() => Kind::Step,
            LLVMOpcode::LLVMCall if is_hiding(at) && all_fit_but_callee(ir, at) => Kind::Same,
            LLVMOpcode::LLVMLoad => match place(ir, self.module, at) {
                Some(Place::SiteBase) => Kind::SiteBase,
                Some(Place::Thread(..)) => Kind::Step,
                None => Kind::Other,
            },
            LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze | LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr
                if all_fit() =>
            {
                let same = width(ir, ir.type_of(at)) == width(ir, ir.type_of(ir.operand(at, 0)));
                if same {
                    Kind::Same
                } else {
                    Kind::Step
                }
            }
            LLVMOpcode::LLVMZExt if all_fit() => Kind::Same,
            LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMTrunc
            | LLVMOpcode::LLVMICmp
            | LLVMOpcode::LLVMSelect
            | LLVMOpcode::LLVMGetElementPtr
                if all_fit() =>
            {
                Kind::Step
            }
            _ if integer_op(opcode).is_some_and(is_computed) && all_fit() => Kind::Step,
            LLVMOpcode::LLVMZExt
            | LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMTrunc
            | LLVMOpcode::LLVMICmp
            | LLVMOpcode::LLVMSelect
            | LLVMOpcode::LLVMGetElementPtr
            | LLVMOpcode::LLVMBitCast
            | LLVMOpcode::LLVMFreeze
            | LLVMOpcode::LLVMPtrToInt
            | LLVMOpcode::LLVMIntToPtr
            | LLVMOpcode::LLVMExtractValue => Kind::Pure,
            _ if integer_op(opcode).is_some() => Kind::Pure,
            _ => Kind::Other,
        }
    }
}

/// Operators that the runtime computes (`region.rs` there).
pub fn is_computed(op: Op) -> bool {
    let arithmetic = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::LShr | Op::AShr);
    let bitwise = matches!(op, Op::And | Op::Or | Op::Xor);
    arithmetic || bitwise || matches!(op, Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle)
}

/// Where a load is from, if programs can name it.
enum Place {
    SiteBase,
    /// Offset in the thread-local block, and width.
    Thread(u16, u8),
}

fn place(ir: &Ir, module: &Module, load: Value) -> Option<Place> {
    let mut offset = 0;
    // SAFETY: a load.
    let base = unsafe { gimlet_shim_constant_base(ir.operand(load, 0), &mut offset) };
    let bits = width(ir, ir.type_of(load))?;
    if base == module.descriptor() && offset == MODULE_SITE_BASE as i64 && bits == 32 {
        return Some(Place::SiteBase);
    }
    let is_inside = (0..tls::LEN as i64).contains(&offset) && offset <= i64::from(u16::MAX);
    (base == ir.thread_block() && is_inside && matches!(bits, 32 | 64)).then_some(Place::Thread(offset as u16, bits))
}

/// Width of a value that fits a slot.
fn width(ir: &Ir, ty: Type) -> Option<u8> {
    scalar_bits(ir, ty).filter(|&bits| (1..=64).contains(&bits)).map(|bits| bits as u8)
}

/// What is called.
fn called(call: Value) -> Value {
    // SAFETY: a call.
    unsafe { LLVMGetCalledValue(call) }
}

/// An assembly without code ([`Ir::hide`]).
fn is_hiding(call: Value) -> bool {
    crate::may::is_asm(call)
}

fn all_fit_but_callee(ir: &Ir, call: Value) -> bool {
    width(ir, ir.type_of(call)).is_some() && width(ir, ir.type_of(ir.operand(call, 0))).is_some()
}

/// What instructions take from outside.
fn inputs(ir: &Ir, module: &Module, instructions: &[Value]) -> Vec<Value> {
    let mut seen: HashSet<Value> = instructions.iter().copied().collect();
    // The address of a load says what it is.
    let steps = instructions.iter().filter(|&&at| ir.opcode(at) != Some(LLVMOpcode::LLVMLoad));
    let operands = steps.flat_map(|&at| ir.operands(at));
    let is_value = |&operand: &Value| !is_function_of(module, operand) && constant(ir, operand).is_none();
    operands.filter(is_value).filter(|&operand| seen.insert(operand)).collect()
}

/// True for functions of the runtime, which are no operands, and assembly.
fn is_function_of(module: &Module, operand: Value) -> bool {
    // SAFETY: asks only.
    module.entry_of(operand).is_some() || unsafe { !LLVMIsAInlineAsm(operand).is_null() }
}

/// A constant that is a number.
fn constant(ir: &Ir, value: Value) -> Option<u64> {
    // SAFETY: asks only.
    unsafe {
        if !LLVMIsAConstantInt(value).is_null() {
            return (LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64).then(|| LLVMConstIntGetZExtValue(value));
        }
        let is_nothing = LLVMIsNull(value) != 0 || LLVMIsUndef(value) != 0;
        (is_nothing && width(ir, LLVMTypeOf(value)).is_some()).then_some(0)
    }
}

impl Plan {
    fn carry_out(self, ir: &Ir, module: &mut Module, values: Value) {
        let mut translation = Translation {
            ir,
            module: &*module,
            members: self.instructions.iter().copied().collect(),
            writer: Writer::default(),
            known: HashMap::new(),
            inputs: Vec::new(),
        };
        self.instructions.iter().for_each(|&at| translation.effect(at));
        let results: Vec<Operand> = self.results.iter().map(|&result| translation.operand(result)).collect();
        let Translation { writer, inputs, .. } = translation;
        let program = writer.finish(&results);
        let offset = module.add_program(&program);

        ir.before(self.before);
        let slot = |index: usize| match index {
            0 => values,
            _ => ir.offset_inside(values, 8 * index as u64),
        };
        for (index, &input) in inputs.iter().enumerate() {
            ir.store(input, slot(index));
        }
        let first = module.call(ir, "gimlet_rt_region", &[module.descriptor(), ir.const32(offset), values]);
        for (index, &result) in self.results.iter().enumerate() {
            let ty = ir.type_of(result);
            let value = if index == 0 && ty == ir.i32 { first } else { taken(ir, slot(index), ty) };
            // SAFETY: values of one type; what uses the result comes behind the call.
            unsafe { LLVMReplaceAllUsesWith(result, value) };
        }
        for &at in self.instructions.iter().rev() {
            // SAFETY: only later ones of the part used it, and are gone.
            unsafe { LLVMInstructionEraseFromParent(at) };
        }
    }
}

/// A result as a value of its type.
fn taken(ir: &Ir, slot: Value, ty: Type) -> Value {
    let whole = ty == ir.i32 || ty == ir.i64 || ir.kind(ty) == LLVMTypeKind::LLVMPointerTypeKind;
    if whole {
        return ir.load(ty, slot);
    }
    let bits = scalar_bits(ir, ty).unwrap_or(64);
    let word = ir.load(ir.i64, slot);
    let int = if bits == 64 { word } else { ir.cast(LLVMOpcode::LLVMTrunc, word, ir.int(bits)) };
    if ir.type_of(int) == ty {
        int
    } else {
        ir.cast(LLVMOpcode::LLVMBitCast, int, ty)
    }
}

/// Writes a part: its calls in order, and what is computed where somebody wants it first.
struct Translation<'a> {
    ir: &'a Ir,
    module: &'a Module,
    members: HashSet<Value>,
    writer: Writer,
    known: HashMap<Value, Operand>,
    inputs: Vec<Value>,
}

impl Translation<'_> {
    fn operand(&mut self, value: Value) -> Operand {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        if let Some(number) = constant(self.ir, value) {
            return Operand::Constant(number);
        }
        let operand = if self.members.contains(&value) {
            self.computed(value)
        } else {
            self.inputs.push(value);
            self.writer.input(self.width(value))
        };
        self.known.insert(value, operand);
        operand
    }

    fn width(&self, value: Value) -> u8 {
        width(self.ir, self.ir.type_of(value)).unwrap_or(64)
    }

    /// What an instruction does beside its result; a load is made where it stands.
    fn effect(&mut self, at: Value) {
        match self.ir.opcode(at) {
            Some(LLVMOpcode::LLVMCall) => {}
            Some(LLVMOpcode::LLVMLoad) => {
                self.operand(at);
                return;
            }
            _ => return,
        }
        let Some(number) = self.module.entry_of(called(at)) else { return };
        let operands = self.ir.operands(at);
        let (_, arguments) = operands.split_last().expect("a call has a callee");
        let entry = &ENTRY_POINTS[usize::from(number)];
        if entry.name == "gimlet_rt_binary" && self.binary(at, arguments).is_some() {
            return;
        }
        let arguments: Vec<Operand> = arguments.iter().map(|&argument| self.operand(argument)).collect();
        if let Some(result) = self.writer.call(number, entry, &arguments) {
            self.known.insert(at, result);
        }
    }

    /// A call that makes the label of an operator's result: the result comes with it.
    fn binary(&mut self, at: Value, arguments: &[Value]) -> Option<()> {
        let &[shape, la, lb, a, b, value] = arguments else { return None };
        let shape = constant(self.ir, shape)?;
        let op = Op::from_code(shape as u8).filter(|&op| is_computed(op))?;
        let (labels, values) = ([la, lb].map(|label| self.operand(label)), [a, b].map(|value| self.operand(value)));
        let [label, result] = self.writer.binary(op, (shape >> 8) as u8, labels, values);
        self.known.insert(at, label);
        // The value may be known by several names; what the program itself has computed stays an input where it is wanted.
        let mut name = value;
        while self.members.contains(&name) {
            self.known.entry(name).or_insert(result);
            if !self.is_same(name) {
                break;
            }
            name = self.ir.operand(name, 0);
        }
        Some(())
    }

    /// Whether an instruction is another name of its operand.
    fn is_same(&self, at: Value) -> bool {
        match self.ir.opcode(at) {
            Some(LLVMOpcode::LLVMZExt) => true,
            Some(LLVMOpcode::LLVMCall) => is_hiding(at),
            _ => false,
        }
    }

    /// The result of an instruction that has no effect.
    fn computed(&mut self, at: Value) -> Operand {
        let (ir, operands) = (self.ir, self.ir.operands(at));
        match ir.opcode(at) {
            Some(LLVMOpcode::LLVMLoad) => match place(ir, self.module, at) {
                Some(Place::Thread(offset, width)) => self.writer.thread_word(offset, width),
                _ => Operand::Site(0),
            },
            Some(LLVMOpcode::LLVMGetElementPtr) => self.pointer(at, &operands),
            Some(LLVMOpcode::LLVMICmp) => {
                // SAFETY: a comparison.
                let (op, is_swapped) = predicate_op(unsafe { LLVMGetICmpPredicate(at) });
                let [a, b] = if is_swapped { [operands[1], operands[0]] } else { [operands[0], operands[1]] };
                self.arithmetic(a, op, a, b)
            }
            Some(LLVMOpcode::LLVMSelect) => {
                let [condition, a, b] = [0, 1, 2].map(|index| self.operand(operands[index]));
                self.writer.select(condition, a, b)
            }
            Some(LLVMOpcode::LLVMSExt) => {
                let value = self.operand(operands[0]);
                self.writer.sign_extend(self.width(operands[0]), self.width(at), value)
            }
            Some(opcode) => match (integer_op(opcode), operands.as_slice()) {
                (Some(op), &[a, b]) => match (op, self.operand(a), constant(ir, b)) {
                    (Op::Add, Operand::Site(first), Some(index)) => Operand::Site(first + index as u32),
                    _ => self.arithmetic(at, op, a, b),
                },
                // Slots hold values with zeros above them: widening one changes nothing.
                _ if self.width(at) >= self.width(operands[0]) => self.operand(operands[0]),
                _ => {
                    let value = self.operand(operands[0]);
                    self.writer.truncate(self.width(at), value)
                }
            },
            None => Operand::Constant(0),
        }
    }

    /// An operator on values that are as wide as `typed`.
    fn arithmetic(&mut self, typed: Value, op: Op, a: Value, b: Value) -> Operand {
        let (a, b) = (self.operand(a), self.operand(b));
        self.writer.operation(op, self.width(typed), a, b)
    }

    /// Base, constant distance, and each variable index by its size.
    fn pointer(&mut self, at: Value, operands: &[Value]) -> Operand {
        let ir = self.ir;
        // SAFETY: a getelementptr, whose type says what its indices step over.
        let mut ty = unsafe { LLVMGetGEPSourceElementType(at) };
        let mut sum = self.operand(operands[0]);
        let mut distance = 0u64;
        for (number, &index) in operands[1..].iter().enumerate() {
            let field = (number > 0 && ir.kind(ty) == LLVMTypeKind::LLVMStructTypeKind)
                .then(|| constant(ir, index).unwrap_or(0) as u32);
            if let Some(field) = field {
                distance = distance.wrapping_add(ir.field_offset(ty, field));
                // SAFETY: the field exists.
                ty = unsafe { LLVMStructGetTypeAtIndex(ty, field) };
                continue;
            }
            if number > 0 {
                // SAFETY: an array type.
                ty = unsafe { LLVMGetElementType(ty) };
            }
            let (size, bits) = (ir.size_of(ty), self.width(index));
            match constant(ir, index) {
                Some(value) => {
                    let shift = 64 - u32::from(bits);
                    let signed = ((value << shift) as i64 >> shift) as u64;
                    distance = distance.wrapping_add(signed.wrapping_mul(size));
                }
                None => {
                    let mut scaled = self.operand(index);
                    if bits < 64 {
                        scaled = self.writer.sign_extend(bits, 64, scaled);
                    }
                    if size != 1 {
                        scaled = self.writer.operation(Op::Mul, 64, scaled, Operand::Constant(size));
                    }
                    sum = self.writer.operation(Op::Add, 64, sum, scaled);
                }
            }
        }
        match distance {
            0 => sum,
            _ => self.writer.operation(Op::Add, 64, sum, Operand::Constant(distance)),
        }
    }
}
