//! Loops that walk over text, byte by byte.
//!
//! `while (*p && i < n) buf[i++] = *p++;` does the same with each byte of a stretch of the input, however long that is:
//! what it counts grows by the same for each. So the runtime is told, at the beginning of each iteration, which byte
//! comes next and what the counters are; where a stretch ends, it adds what they owe to its length
//! (`gimlet_rt_walk`). Comparisons of counters are told too: they say for how long all this holds.
//!
//! All of it is done in the unlikely blocks of regions ([`crate::region`]), if the input has stretches. What it costs
//! otherwise is that counters, which constants only add to, may carry a label.

use std::collections::{HashMap, HashSet};
use std::ffi::c_void;

use gimlet_trace::abi::MODEL_PREFIX;
use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode};

use crate::function::{Body, Rewriter};
use crate::hoist::forget_promises;
use crate::ir::{Block, Ir, Value};
use crate::ops::constant_offset;
use crate::region::Emitter;
use crate::types::scalar_bits;

/// More are not followed; the runtime has no room for them.
const COUNTERS_MAX: usize = 8;
const COMPARISONS_MAX: usize = 8;
/// Operations between a counter and an address.
const DEPTH_MAX: usize = 6;

/// Functions that take a byte of a stream.
const GETC: [&str; 7] = ["getc", "fgetc", "_IO_getc", "getchar", "getc_unlocked", "fgetc_unlocked", "getchar_unlocked"];

unsafe extern "C" {
    fn gimlet_shim_loops(
        function: Value,
        state: *mut c_void,
        found: unsafe extern "C" fn(*mut c_void, Block, Block, bool),
    );
}

/// A loop, as LLVM finds it.
struct Loop {
    header: Block,
    blocks: HashSet<Block>,
    /// Those that are in no loop inside of it.
    own: Vec<Block>,
}

fn loops(function: Value) -> Vec<Loop> {
    /// Called for each block of each loop, one loop after the other.
    unsafe extern "C" fn found(state: *mut c_void, header: Block, block: Block, is_own: bool) {
        // SAFETY: the vector below; nobody else has it.
        let loops = unsafe { &mut *state.cast::<Vec<Loop>>() };
        if loops.last().is_none_or(|last| last.header != header) {
            loops.push(Loop { header, blocks: HashSet::new(), own: Vec::new() });
        }
        let last = loops.last_mut().expect("one was pushed");
        last.blocks.insert(block);
        if is_own {
            last.own.push(block);
        }
    }
    let mut loops: Vec<Loop> = Vec::new();
    // SAFETY: a function with a body; the vector outlives the call.
    unsafe { gimlet_shim_loops(function, (&raw mut loops).cast(), found) };
    loops
}

/// A header's phi that only constants are added to, or that becomes what another one is.
#[derive(Clone, Copy)]
struct Counter {
    phi: Value,
    /// What is added in each iteration, if that is always the same; otherwise 0.
    step: i64,
}

/// A loop that walks.
struct Walk {
    /// A variable of its own: its address names the loop.
    key: Value,
    counters: Vec<Counter>,
    /// Addresses of the bytes that an iteration looks at; none if it takes them of a stream.
    addresses: Vec<Value>,
    /// Operations of the loop that compute them.
    operations: HashSet<Value>,
}

/// The loops of a function that walk.
#[derive(Default)]
pub struct Walks {
    by_header: HashMap<Block, Walk>,
    /// Comparisons of counters: the loop, and their number in it.
    comparisons: HashMap<Value, (Value, u32)>,
}

impl Walks {
    pub fn of(ir: &Ir, body: &Body) -> Walks {
        let mut walks = Walks::default();
        for found in loops(body.function) {
            let counters: Vec<Counter> = counters(ir, &found);
            let mut operations = HashSet::new();
            let addresses = addresses(ir, &found, &counters, &mut operations);
            if counters.is_empty() || addresses.is_empty() && !takes_of_stream(ir, &found) {
                continue;
            }
            let key = key(ir);
            for (&comparison, index) in comparisons(ir, &found, &counters).iter().zip(0..) {
                walks.comparisons.insert(comparison, (key, index));
            }
            walks.by_header.insert(found.header, Walk { key, counters, addresses, operations });
        }
        walks
    }

    /// What may carry a label because of them.
    pub fn sources(&self) -> Vec<Value> {
        self.by_header.values().flat_map(|walk| &walk.counters).map(|counter| counter.phi).collect()
    }

    /// The loop in which a comparison of counters is, and its number there.
    pub fn comparison(&self, comparison: Value) -> Option<(Value, u32)> {
        self.comparisons.get(&comparison).copied()
    }
}

fn key(ir: &Ir) -> Value {
    // SAFETY: adds a global.
    unsafe {
        let global = LLVMAddGlobal(ir.module, ir.i8, c"gimlet.walk".as_ptr());
        LLVMSetInitializer(global, ir.null(ir.i8));
        LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
        global
    }
}

/// Instructions of the loop that are in no loop inside of it.
fn own_instructions(found: &Loop) -> impl Iterator<Item = Value> + '_ {
    found.own.iter().flat_map(|&block| crate::function::instructions(block))
}

fn counters(ir: &Ir, found: &Loop) -> Vec<Counter> {
    let mut phis: Vec<Value> = crate::function::instructions(found.header)
        .into_iter()
        .take_while(|&instruction| ir.opcode(instruction) == Some(LLVMOpcode::LLVMPHI))
        .filter(|&phi| scalar_bits(ir, ir.type_of(phi)).is_some_and(|bits| (2..=64).contains(&bits)))
        .filter(|&phi| !is_float(ir, phi))
        .collect();
    // What is made of something that is none is none.
    loop {
        let kept: Vec<Value> = phis.iter().copied().filter(|&phi| is_counter(ir, found, &phis, phi)).collect();
        if kept.len() == phis.len() {
            break;
        }
        phis = kept;
    }
    phis.into_iter().take(COUNTERS_MAX).map(|phi| Counter { phi, step: step_of(ir, found, phi) }).collect()
}

/// What the next iteration gets for a phi.
fn next_values(ir: &Ir, found: &Loop, phi: Value) -> Vec<Value> {
    let incoming = ir.incoming(phi).into_iter().filter(|(_, block)| found.blocks.contains(block));
    incoming.map(|(value, _)| value).collect()
}

/// True if a phi gets nothing but counters, and constants more than those.
fn is_counter(ir: &Ir, found: &Loop, counters: &[Value], phi: Value) -> bool {
    let mut seen = counters.iter().copied().collect();
    let mut changes = false;
    let next = next_values(ir, found, phi);
    let is_made_of_counters = next.iter().all(|&value| trace_back(ir, found, value, &mut seen, &mut changes).is_some());
    is_made_of_counters && (changes || next.iter().any(|&value| value != phi))
}

/// What each iteration adds to a counter, if that is always the same; otherwise 0.
fn step_of(ir: &Ir, found: &Loop, phi: Value) -> i64 {
    let steps: Option<HashSet<i64>> = next_values(ir, found, phi).iter().map(|&value| step(ir, value, phi)).collect();
    let only = steps.filter(|steps| steps.len() == 1).and_then(|steps| steps.into_iter().next());
    only.unwrap_or(0)
}

fn is_float(ir: &Ir, value: Value) -> bool {
    let kind = ir.kind(ir.type_of(value));
    use llvm_sys::LLVMTypeKind::*;
    !matches!(kind, LLVMIntegerTypeKind | LLVMPointerTypeKind)
}

/// What `value` is more than `from`, if it is a constant.
fn step(ir: &Ir, value: Value, from: Value) -> Option<i64> {
    let (rest, by) = stepped(ir, value)?;
    (rest == from).then_some(by)
}

/// A value that is a constant more than another.
fn stepped(ir: &Ir, value: Value) -> Option<(Value, i64)> {
    if let Some(offset) = constant_offset(ir, value) {
        return Some((ir.operand(value, 0), offset as i64));
    }
    let opcode = ir.opcode(value)?;
    if !matches!(opcode, LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub) {
        return None;
    }
    let by = ir.operand(value, 1);
    // SAFETY: asks only.
    let by = unsafe { (!LLVMIsAConstantInt(by).is_null()).then(|| LLVMConstIntGetSExtValue(by)) }?;
    Some((ir.operand(value, 0), if opcode == LLVMOpcode::LLVMSub { by.wrapping_neg() } else { by }))
}

/// Goes from what the next iteration gets back to the phis in `seen`; none if something else comes in.
fn trace_back(ir: &Ir, found: &Loop, value: Value, seen: &mut HashSet<Value>, is_stepped: &mut bool) -> Option<()> {
    if !seen.insert(value) {
        return Some(());
    }
    if let Some((rest, by)) = stepped(ir, value) {
        *is_stepped |= by != 0;
        return trace_back(ir, found, rest, seen, is_stepped);
    }
    let choices: Vec<Value> = match ir.opcode(value)? {
        LLVMOpcode::LLVMPHI if found.blocks.contains(&ir.parent(value)) => {
            ir.incoming(value).into_iter().map(|(value, _)| value).collect()
        }
        LLVMOpcode::LLVMSelect => vec![ir.operand(value, 1), ir.operand(value, 2)],
        _ => return None,
    };
    choices.into_iter().try_for_each(|choice| trace_back(ir, found, choice, seen, is_stepped))
}

/// The operations that compute a value from counters, and what the loop does not change, if it can be computed at the
/// beginning of an iteration. `uses` says whether it is made of a counter.
fn operations(
    ir: &Ir,
    found: &Loop,
    counters: &[Counter],
    value: Value,
    depth: usize,
    uses: &mut bool,
) -> Option<HashSet<Value>> {
    if counters.iter().any(|counter| counter.phi == value) {
        *uses = true;
        return Some(HashSet::new());
    }
    let opcode = ir.opcode(value).filter(|_| found.blocks.contains(&ir.parent(value)));
    let Some(opcode) = opcode else { return Some(HashSet::new()) };
    let is_pure = matches!(
        opcode,
        LLVMOpcode::LLVMGetElementPtr
            | LLVMOpcode::LLVMAdd
            | LLVMOpcode::LLVMSub
            | LLVMOpcode::LLVMZExt
            | LLVMOpcode::LLVMSExt
    );
    if !is_pure || depth == DEPTH_MAX {
        return None;
    }
    let mut all = HashSet::from([value]);
    for operand in ir.operands(value) {
        all.extend(operations(ir, found, counters, operand, depth + 1, uses)?);
    }
    Some(all)
}

/// Addresses of bytes that the loop loads in each iteration, two at most, and the operations that compute them.
fn addresses(ir: &Ir, found: &Loop, counters: &[Counter], all: &mut HashSet<Value>) -> Vec<Value> {
    let mut addresses = Vec::new();
    for load in own_instructions(found) {
        let is_byte = ir.opcode(load) == Some(LLVMOpcode::LLVMLoad) && ir.type_of(load) == ir.i8;
        if !is_byte || addresses.len() == 2 {
            continue;
        }
        let (address, mut uses) = (ir.operand(load, 0), false);
        let operations = operations(ir, found, counters, address, 0, &mut uses);
        if let Some(operations) = operations.filter(|_| uses && !addresses.contains(&address)) {
            addresses.push(address);
            all.extend(operations);
        }
    }
    addresses
}

/// The function that a call names.
fn callee(ir: &Ir, call: Value) -> Option<Value> {
    // SAFETY: asks only.
    unsafe {
        (ir.opcode(call) == Some(LLVMOpcode::LLVMCall))
            .then(|| LLVMGetCalledValue(call))
            .filter(|&callee| !LLVMIsAFunction(callee).is_null())
    }
}

fn is_getc(ir: &Ir, function: Value) -> bool {
    let name = ir.name(function);
    GETC.contains(&name.strip_prefix(MODEL_PREFIX).unwrap_or(&name))
}

/// True if the loop takes bytes of a stream, by itself or by a function that it calls.
fn takes_of_stream(ir: &Ir, found: &Loop) -> bool {
    own_instructions(found).filter_map(|instruction| callee(ir, instruction)).any(|function| {
        // SAFETY: asks only.
        let is_here = unsafe { LLVMIsDeclaration(function) == 0 };
        is_getc(ir, function)
            || is_here
                && blocks(function)
                    .into_iter()
                    .flat_map(crate::function::instructions)
                    .filter_map(|instruction| callee(ir, instruction))
                    .any(|function| is_getc(ir, function))
    })
}

fn blocks(function: Value) -> Vec<Block> {
    // SAFETY: a function with a body.
    unsafe {
        let first = LLVMGetFirstBasicBlock(function);
        std::iter::successors(Some(first), |&block| Some(LLVMGetNextBasicBlock(block)).filter(|next| !next.is_null()))
            .collect()
    }
}

/// Comparisons of what counters are with something else.
fn comparisons(ir: &Ir, found: &Loop, counters: &[Counter]) -> Vec<Value> {
    own_instructions(found)
        .filter(|&instruction| {
            ir.opcode(instruction) == Some(LLVMOpcode::LLVMICmp)
                && !is_float(ir, ir.operand(instruction, 0))
                && scalar_bits(ir, ir.type_of(ir.operand(instruction, 0))).is_some_and(|bits| bits <= 64)
                && ir.operands(instruction).into_iter().any(|operand| counts(ir, found, counters, operand, 0))
        })
        .take(COMPARISONS_MAX)
        .collect()
}

/// True if a value is a counter, or a few operations away from one.
fn counts(ir: &Ir, found: &Loop, counters: &[Counter], value: Value, depth: usize) -> bool {
    if counters.iter().any(|counter| counter.phi == value) {
        return true;
    }
    let is_inside = ir.opcode(value).is_some() && found.blocks.contains(&ir.parent(value));
    let is_pure = matches!(
        ir.opcode(value),
        Some(
            LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMAdd
                | LLVMOpcode::LLVMSub
                | LLVMOpcode::LLVMZExt
                | LLVMOpcode::LLVMSExt
                | LLVMOpcode::LLVMTrunc
                | LLVMOpcode::LLVMPtrToInt
        )
    );
    is_inside
        && is_pure
        && depth < DEPTH_MAX
        && ir.operands(value).into_iter().any(|operand| counts(ir, found, counters, operand, depth + 1))
}

/// An address of a loop, computed at its beginning.
fn early(e: &Emitter, walk: &Walk, value: Value, copies: &mut HashMap<Value, Value>) -> Value {
    let ir = e.ir;
    if !walk.operations.contains(&value) {
        return value;
    }
    if let Some(&copy) = copies.get(&value) {
        return copy;
    }
    let operands: Vec<Value> = ir.operands(value).into_iter().map(|operand| early(e, walk, operand, copies)).collect();
    let copy = ir.copy(value, &operands);
    forget_promises(ir, copy);
    copies.insert(value, copy);
    copy
}

impl Rewriter<'_> {
    /// At the beginning of a block: an iteration of a loop that walks begins, if it is the header of one.
    pub fn begin_iteration(&mut self, block: Block) {
        let Some(walk) = self.walks.by_header.remove(&block).map(std::rc::Rc::new) else { return };
        for (index, counter) in walk.counters.iter().copied().enumerate() {
            let walk = walk.clone();
            let bits = scalar_bits(self.ir, self.ir.type_of(counter.phi)).unwrap_or(0);
            self.region.depends_on_stretches();
            self.defer(
                counter.phi,
                &[counter.phi],
                Box::new(move |e| {
                    let ir = e.ir;
                    if index == 0 {
                        let mut copies = HashMap::new();
                        let mut addresses: Vec<Value> =
                            walk.addresses.iter().map(|&address| early(e, &walk, address, &mut copies)).collect();
                        addresses.resize(2, ir.null(ir.ptr));
                        e.call("gimlet_rt_walk", &[walk.key, addresses[0], addresses[1]]);
                    }
                    let (label, value) = (e.label(counter.phi), e.low(counter.phi));
                    let (index, bits) = (ir.const32(index as u32), ir.const32(bits));
                    let step = ir.const64(counter.step as u64);
                    vec![e.call("gimlet_rt_counter", &[walk.key, index, label, value, bits, step])]
                }),
            );
        }
    }
}
