//! Sites: numbers for places in the source, and the table that explains them.

use std::collections::HashMap;
use std::ffi::c_void;

use gimlet_trace::site::{Site, SiteKind};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine, LLVMGetSubprogram};

use crate::ir::{Block, Ir, Value};

unsafe extern "C" {
    fn gimlet_shim_inlined_from(instruction: Value, len: &mut usize, call: &mut *const c_void) -> *const u8;
}

/// The sites of the module so far.
#[derive(Default)]
pub struct Sites {
    pub sites: Vec<Site>,
    /// Calls that were inlined into the function at hand, by the name of the callee.
    copies: HashMap<String, Vec<*const c_void>>,
}

/// Where in a function a site is.
#[derive(Clone, Copy)]
pub struct Spot<'a> {
    pub function: &'a str,
    pub blocks: &'a HashMap<Block, u32>,
    pub block: u32,
}

impl Sites {
    /// A site at the place of `instruction`; gives its number in the module.
    pub fn add(&mut self, ir: &Ir, spot: Spot, instruction: Value, kind: SiteKind, width: u32) -> u32 {
        let ((line, column, file), inlined) = match kind {
            SiteKind::Function => {
                self.copies.clear();
                (Self::definition(instruction), None)
            }
            _ => (Self::location(instruction), inlined_from(instruction)),
        };
        let copy = inlined.as_ref().map_or(0, |(name, call)| self.copy(name, *call));
        self.sites.push(Site {
            kind,
            width: width as u16,
            file,
            function: inlined.map_or_else(|| spot.function.to_string(), |(name, _)| name),
            line,
            column,
            block: spot.block,
            copy,
            words: words(ir, spot, instruction, kind),
            callee: None,
        });
        self.sites.len() as u32 - 1
    }

    /// Which of the copies of a function this call became.
    fn copy(&mut self, name: &str, call: *const c_void) -> u8 {
        let calls = self.copies.entry(name.to_string()).or_default();
        let index = calls.iter().position(|&known| known == call).unwrap_or_else(|| {
            calls.push(call);
            calls.len() - 1
        });
        index.min(u8::MAX.into()) as u8
    }

    /// A call site, with the callee's name if it is known, and the width of a result that is used.
    pub fn add_call(&mut self, ir: &Ir, spot: Spot, instruction: Value, callee: Option<String>) -> u32 {
        let used = if ir.has_uses(instruction) { 8 * ir.size_of(ir.type_of(instruction)) } else { 0 };
        let index = self.add(ir, spot, instruction, SiteKind::Call, used.min(u16::MAX.into()) as u32);
        self.sites[index as usize].callee = callee;
        index
    }

    fn location(instruction: Value) -> (u32, u32, String) {
        // SAFETY: an instruction; LLVM gives pointers with lengths, or null.
        unsafe {
            let mut len = 0;
            let name = LLVMGetDebugLocFilename(instruction, &mut len);
            if name.is_null() {
                return (0, 0, String::new());
            }
            (LLVMGetDebugLocLine(instruction), LLVMGetDebugLocColumn(instruction), text(name, len))
        }
    }

    /// Where the function of an instruction is defined.
    pub fn definition(instruction: Value) -> (u32, u32, String) {
        // SAFETY: an instruction; LLVM gives a pointer with its length, or null.
        unsafe {
            let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
            let definition = LLVMGetSubprogram(function);
            if definition.is_null() {
                return (0, 0, String::new());
            }
            let mut len = 0;
            let name = LLVMDIFileGetFilename(LLVMDIScopeGetFile(definition), &mut len);
            (LLVMDISubprogramGetLine(definition), 0, text(name, len))
        }
    }
}

/// # Safety
/// `len` bytes at `pointer`.
unsafe fn text(pointer: *const std::ffi::c_char, len: u32) -> String {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast(), len as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The function of the source that an instruction comes from, if that is not the one it is in; and what stands for the
/// call.
fn inlined_from(instruction: Value) -> Option<(String, *const c_void)> {
    let (mut len, mut call) = (0, std::ptr::null());
    // SAFETY: an instruction; the shim gives a pointer with its length, or null.
    unsafe {
        let name = gimlet_shim_inlined_from(instruction, &mut len, &mut call);
        (!name.is_null()).then(|| (String::from_utf8_lossy(std::slice::from_raw_parts(name, len)).into_owned(), call))
    }
}

fn words(ir: &Ir, spot: Spot, instruction: Value, kind: SiteKind) -> Vec<u64> {
    let number = |block: Block| u64::from(spot.blocks.get(&block).copied().unwrap_or(u32::MAX));
    // SAFETY: the instruction is a terminator of the kind; others have no words.
    unsafe {
        match kind {
            SiteKind::Branch => (0..2).map(|index| number(LLVMGetSuccessor(instruction, index))).collect(),
            SiteKind::Jump => (0..LLVMGetNumSuccessors(instruction))
                .map(|index| number(LLVMGetSuccessor(instruction, index)))
                .collect(),
            SiteKind::Switch => {
                let mut words = vec![number(LLVMGetSwitchDefaultDest(instruction))];
                for index in 1..LLVMGetNumSuccessors(instruction) {
                    words.push(LLVMConstIntGetZExtValue(ir.operand(instruction, 2 * index)));
                    words.push(number(LLVMGetSuccessor(instruction, index)));
                }
                words
            }
            _ => Vec::new(),
        }
    }
}
