//! Rewrites one function.
//!
//! Blocks are visited in reverse post-order, so every operand's label is known
//! before its user asks, phis apart: their label phis are made first, empty,
//! and filled last. Instructions are those of the function as it was; what the
//! rewriter adds is never visited.

use std::collections::{HashMap, HashSet};

use gimlet_trace::abi::tls;
use gimlet_trace::event::PinReason;
use gimlet_trace::site::SiteKind;
use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMUnnamedAddr};

use crate::frames::Frame;
use crate::ir::{Block, Ir, Value};
use crate::may::May;
use crate::module::Module;
use crate::programs::write_down;
use crate::region::Region;
use crate::sites::Spot;
use crate::tokens;
use crate::types;
use crate::walks::Walks;

/// A block as it was before rewriting.
pub struct BodyBlock {
    pub number: u32,
    pub instructions: Vec<Value>,
}

/// A function as it was before rewriting: its reachable blocks in reverse post-order.
pub struct Body {
    pub function: Value,
    pub name: String,
    pub arguments: Vec<Value>,
    pub blocks: Vec<BodyBlock>,
    pub numbers: HashMap<Block, u32>,
}

impl Body {
    pub fn of(ir: &Ir, function: Value) -> Body {
        // SAFETY: a function with a body.
        unsafe {
            let arguments = (0..LLVMCountParams(function)).map(|index| LLVMGetParam(function, index)).collect();
            let order = reverse_post_order(LLVMGetEntryBasicBlock(function));
            let numbers: HashMap<Block, u32> = order.iter().zip(0..).map(|(&block, number)| (block, number)).collect();
            let blocks = order
                .iter()
                .zip(0..)
                .map(|(&block, number)| BodyBlock { number, instructions: instructions(block) })
                .collect();
            Body { function, name: ir.name(function), arguments, blocks, numbers }
        }
    }
}

/// The instructions of a block.
pub fn instructions(block: Block) -> Vec<Value> {
    let mut out = Vec::new();
    // SAFETY: walks the block's list.
    unsafe {
        let mut at = LLVMGetFirstInstruction(block);
        while !at.is_null() {
            out.push(at);
            at = LLVMGetNextInstruction(at);
        }
    }
    out
}

fn reverse_post_order(entry: Block) -> Vec<Block> {
    let mut seen = HashSet::from([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, 0)];
    while let Some((block, next)) = stack.pop() {
        // SAFETY: every block has a terminator.
        let successor = unsafe {
            let end = LLVMGetBasicBlockTerminator(block);
            (next < LLVMGetNumSuccessors(end)).then(|| LLVMGetSuccessor(end, next))
        };
        match successor {
            Some(successor) => {
                stack.push((block, next + 1));
                if seen.insert(successor) {
                    stack.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

/// The state while one function is rewritten.
pub struct Rewriter<'a> {
    pub ir: &'a Ir,
    pub module: &'a mut Module,
    pub body: &'a Body,
    pub may: May,
    pub walks: Walks,
    /// Labels of the leaves of each value whose label is known by now.
    pub labels: HashMap<Value, Vec<Value>>,
    pub region: Region,
    /// Shadows that were computed earlier in this block, by what they are the shadow of.
    pub shadows: HashMap<Value, Value>,
    /// An i1: native code called this function. Only where the function has to know.
    pub native: Option<Value>,
    pub frame: Frame,
    /// The list of frame records at each `stacksave`.
    pub saved_frames: HashMap<Value, Value>,
    /// Returns that stand right behind a call in tail position: nothing may come between.
    pub tail_returns: HashSet<Value>,
    /// The site of the function itself, if it may be the one that returns tokens.
    pub token_site: Option<u32>,
    block: u32,
}

impl<'a> Rewriter<'a> {
    /// Rewrites the function.
    pub fn run(ir: &'a Ir, module: &'a mut Module, body: &'a Body) {
        let walks = Walks::of(ir, body);
        let may = May::analyse(ir, body, &walks.sources());
        let mut rewriter = Rewriter {
            ir,
            module,
            body,
            may,
            walks,
            labels: HashMap::new(),
            region: Region::default(),
            shadows: HashMap::new(),
            native: None,
            frame: Frame::default(),
            saved_frames: HashMap::new(),
            tail_returns: HashSet::new(),
            token_site: None,
            block: 0,
        };
        if let Some(&first) = body.blocks[0].instructions.first() {
            let site = rewriter.site(first, SiteKind::Function, tokens::returns(ir, body.function).width().into());
            rewriter.token_site = tokens::may_return_one(ir, body.function).then_some(site);
        }
        rewriter.prologue();
        let phis = rewriter.label_phis();
        for block in &body.blocks {
            rewriter.block = block.number;
            rewriter.shadows.clear();
            rewriter.begin_iteration(ir.parent(block.instructions[0]));
            for &instruction in &block.instructions {
                rewriter.visit(instruction);
            }
        }
        for (phi, labels) in phis {
            rewriter.fill(phi, &labels);
        }
        write_down(ir, rewriter.module, body.function, &ir.take_unlikely());
    }

    /// A new site at this instruction.
    pub fn site(&mut self, instruction: Value, kind: SiteKind, width: u32) -> u32 {
        let spot = Spot { function: &self.body.name, blocks: &self.body.numbers, block: self.block };
        self.module.sites.add(self.ir, spot, instruction, kind, width)
    }

    /// A new call site.
    pub fn call_site(&mut self, instruction: Value, callee: Option<String>) -> u32 {
        let spot = Spot { function: &self.body.name, blocks: &self.body.numbers, block: self.block };
        self.module.sites.add_call(self.ir, spot, instruction, callee)
    }

    /// Labels of a value that no pending instruction computes.
    pub fn known_labels(&self, value: Value) -> Vec<Value> {
        match self.labels.get(&value) {
            Some(labels) => labels.clone(),
            None => vec![self.ir.no_label(); types::leaves(self.ir, self.ir.type_of(value)).len()],
        }
    }

    /// Label of such a value with one leaf.
    pub fn known_label(&self, value: Value) -> Value {
        self.known_labels(value).first().copied().unwrap_or_else(|| self.ir.no_label())
    }

    /// The parts of `values` that may carry a label.
    pub fn symbolic_inputs(&self, values: &[Value]) -> Vec<Value> {
        values.iter().copied().filter(|&value| self.may.contains(value)).collect()
    }

    /// Empty label phis for each phi that may carry labels.
    fn label_phis(&mut self) -> Vec<(Value, Vec<Value>)> {
        let mut phis = Vec::new();
        for &phi in self.body.blocks.iter().flat_map(|block| &block.instructions) {
            if self.ir.opcode(phi) != Some(LLVMOpcode::LLVMPHI) || !self.may.contains(phi) {
                continue;
            }
            self.ir.before(phi);
            let leaves = types::leaves(self.ir, self.ir.type_of(phi));
            let labels: Vec<Value> = leaves.iter().map(|_| self.ir.phi(self.ir.i32, &[])).collect();
            self.labels.insert(phi, labels.clone());
            phis.push((phi, labels));
        }
        phis
    }

    fn fill(&mut self, phi: Value, labels: &[Value]) {
        for (value, block) in self.ir.incoming(phi) {
            let known = self.known_labels(value);
            for (&label_phi, label) in labels.iter().zip(known) {
                self.ir.add_incoming(label_phi, label, block);
            }
        }
    }

    fn visit(&mut self, instruction: Value) {
        let Some(opcode) = self.ir.opcode(instruction) else { return };
        match opcode {
            LLVMOpcode::LLVMPHI => {}
            LLVMOpcode::LLVMLoad => self.visit_load(instruction),
            LLVMOpcode::LLVMStore => self.visit_store(instruction),
            LLVMOpcode::LLVMAtomicRMW => self.visit_atomic(instruction),
            LLVMOpcode::LLVMAtomicCmpXchg => self.visit_exchange(instruction),
            LLVMOpcode::LLVMAlloca => self.visit_alloca(instruction),
            LLVMOpcode::LLVMCall => self.visit_call(instruction),
            LLVMOpcode::LLVMInvoke => self.visit_call(instruction),
            LLVMOpcode::LLVMCallBr => self.visit_asm(instruction),
            LLVMOpcode::LLVMResume => self.visit_resume(instruction),
            LLVMOpcode::LLVMLandingPad => self.come_back(self.ir.next(instruction)),
            LLVMOpcode::LLVMBr => self.visit_branch(instruction),
            LLVMOpcode::LLVMSwitch => self.visit_switch(instruction),
            LLVMOpcode::LLVMIndirectBr => self.visit_jump(instruction),
            LLVMOpcode::LLVMRet => self.visit_return(instruction),
            LLVMOpcode::LLVMUnreachable => {
                self.site(instruction, SiteKind::Jump, 0);
                self.flush(instruction);
            }
            _ => self.visit_operation(instruction, opcode),
        }
        self.flush_if_large_after(instruction);
    }

    fn flush_if_large_after(&mut self, instruction: Value) {
        let next = self.ir.next(instruction);
        // After a store that is announced before it happens, or a terminator, nothing is pending.
        if !next.is_null() && self.ir.opcode(next) != Some(LLVMOpcode::LLVMPHI) {
            self.flush_if_large(next);
        }
    }

    fn visit_branch(&mut self, branch: Value) {
        // SAFETY: a branch.
        if unsafe { LLVMIsConditional(branch) } == 0 {
            self.site(branch, SiteKind::Jump, 0);
            return self.flush(branch);
        }
        // SAFETY: a conditional branch.
        let condition = unsafe { LLVMGetCondition(branch) };
        let symbolic = self.may.contains(condition);
        let site = self.site(branch, SiteKind::Branch, 1);
        if !symbolic && !self.module.branch_log {
            return self.flush(branch);
        }
        if self.module.branch_log {
            self.flush(branch);
            self.log_branch(branch, condition, site);
        }
        if !symbolic {
            return;
        }
        self.defer(
            branch,
            &[condition],
            Box::new(move |e| {
                // The way that the program goes, not what the program's text says: where its behaviour is undefined the
                // optimiser may have made another of it.
                let taken = e.ir.cast(LLVMOpcode::LLVMZExt, condition, e.ir.i32);
                e.call("gimlet_rt_branch", &[e.label(condition), taken, e.site(site)]);
                Vec::new()
            }),
        );
        self.flush(branch);
    }

    /// An entry in the full branch log.
    fn log_branch(&mut self, branch: Value, condition: Value, site: u32) {
        let ir = self.ir;
        let label = self.known_label(condition);
        ir.before(branch);
        let taken = ir.cast(LLVMOpcode::LLVMZExt, condition, ir.i32);
        let arguments = [label, taken, self.module.site(ir, site), ir.const32(0), ir.const64(0)];
        self.module.call(ir, "gimlet_rt_log_branch", &arguments);
    }

    /// The same for a switch (kind 1) or an indirect jump (2).
    fn log_switch(&mut self, switch: Value, value: Value, site: u32, kind: u32) {
        let ir = self.ir;
        let label = self.known_label(value);
        ir.before(switch);
        let arguments =
            [label, ir.const32(0), self.module.site(ir, site), ir.const32(kind), types::low_half(ir, value)];
        self.module.call(ir, "gimlet_rt_log_branch", &arguments);
    }

    fn visit_switch(&mut self, switch: Value) {
        // SAFETY: a switch.
        let value = self.ir.operand(switch, 0);
        let symbolic = self.may.contains(value);
        let bits = types::scalar_bits(self.ir, self.ir.type_of(value)).unwrap_or(0);
        let site = self.site(switch, SiteKind::Switch, bits);
        if !symbolic && !self.module.branch_log {
            return self.flush(switch);
        }
        if self.module.branch_log && bits <= 64 {
            self.flush(switch);
            self.log_switch(switch, value, site, 1);
        }
        if symbolic {
            let (cases, n) = if bits <= 64 { self.cases(switch) } else { (self.ir.no_label(), 0) };
            self.defer(
                switch,
                &[value],
                Box::new(move |e| {
                    // As for a branch.
                    let (low, high) = (types::low_half(e.ir, value), types::high_half(e.ir, value));
                    if bits <= 64 {
                        let n = e.ir.const64(n);
                        e.call("gimlet_rt_switch", &[e.label(value), low, e.site(site), cases, n]);
                    } else {
                        let reason = e.ir.const32(PinReason::WideSwitch as u32);
                        e.call("gimlet_rt_pin", &[e.label(value), low, high, e.site(site), reason]);
                    }
                    Vec::new()
                }),
            );
        }
        self.flush(switch);
    }

    /// A table of a switch's case values in ascending order, and their number.
    fn cases(&self, switch: Value) -> (Value, u64) {
        let ir = self.ir;
        // SAFETY: a switch; each case is a constant and a block.
        unsafe {
            let mut cases: Vec<u64> = (1..LLVMGetNumSuccessors(switch))
                .map(|index| LLVMConstIntGetZExtValue(ir.operand(switch, 2 * index)))
                .collect();
            cases.sort_unstable();
            let mut values: Vec<Value> = cases.iter().map(|&case| ir.const64(case)).collect();
            let table = LLVMConstArray2(ir.i64, values.as_mut_ptr(), values.len() as u64);
            let global = LLVMAddGlobal(ir.module, ir.type_of(table), c"gimlet.cases".as_ptr());
            LLVMSetInitializer(global, table);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
            (global, cases.len() as u64)
        }
    }

    fn visit_jump(&mut self, jump: Value) {
        let target = self.ir.operand(jump, 0);
        let symbolic = self.may.contains(target);
        let site = self.site(jump, SiteKind::Jump, 64);
        if !symbolic && !self.module.branch_log {
            return self.flush(jump);
        }
        if self.module.branch_log {
            // A jump's target is an address of code, which is the same in every run without randomisation.
            self.flush(jump);
            self.log_switch(jump, target, site, 2);
        }
        if !symbolic {
            return;
        }
        self.defer_pin(jump, target, site, PinReason::JumpTarget);
        self.flush(jump);
    }

    /// Puts off pinning a value to what it is.
    pub fn defer_pin(&mut self, instruction: Value, value: Value, site: u32, reason: PinReason) {
        self.defer(
            instruction,
            &[value],
            Box::new(move |e| {
                let (low, high) = (e.low(value), e.high(value));
                let reason = e.ir.const32(reason as u32);
                e.call("gimlet_rt_pin", &[e.label(value), low, high, e.site(site), reason]);
                Vec::new()
            }),
        );
    }

    fn visit_return(&mut self, instruction: Value) {
        self.site(instruction, SiteKind::Jump, 0);
        if self.tail_returns.contains(&instruction) {
            return;
        }
        self.flush(instruction);
        // SAFETY: a return.
        let value = unsafe { (LLVMGetNumOperands(instruction) > 0).then(|| LLVMGetOperand(instruction, 0)) };
        self.ir.before(instruction);
        let labels = self.leave_token(instruction, value);
        self.store_result(&labels);
        self.epilogue(instruction, value);
    }

    /// Puts the labels of what is returned where the caller looks for them.
    pub fn store_result(&mut self, labels: &[Value]) {
        for (index, &label) in labels.iter().enumerate().take(tls::RET_MAX as usize) {
            self.ir.store(label, self.ir.slot(tls::RET + 4 * index as u64));
        }
    }
}
