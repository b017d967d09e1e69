//! A thin layer over LLVM's C API: the types and the builder that the pass uses all over.
//!
//! The values handed in must belong to the module that the `Ir` was made for;
//! the pass works on one module, in one thread, and keeps to that. With it the
//! calls below are sound, and the rest of the pass needs no `unsafe`.

use std::cell::RefCell;
use std::ffi::{c_uint, CString};

use gimlet_trace::abi::{tls, SHADOW_BASE, SHADOW_MASK};
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMThreadLocalMode, LLVMTypeKind};

pub type Value = LLVMValueRef;
pub type Type = LLVMTypeRef;
pub type Block = LLVMBasicBlockRef;

unsafe extern "C" {
    fn gimlet_shim_split(at: Value, condition: Value, ends: bool) -> Value;
}

/// Context, module, builder and the common types.
pub struct Ir {
    pub context: LLVMContextRef,
    pub module: LLVMModuleRef,
    pub builder: LLVMBuilderRef,
    pub layout: LLVMTargetDataRef,
    pub void: Type,
    pub i8: Type,
    pub i32: Type,
    pub i64: Type,
    pub ptr: Type,
    tls: Value,
    /// The ends of unlikely blocks that are not written down yet.
    unlikely: RefCell<Vec<Value>>,
}

impl Drop for Ir {
    fn drop(&mut self) {
        // SAFETY: made in `new`.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl Ir {
    pub fn new(module: LLVMModuleRef) -> Ir {
        // SAFETY: the module is valid.
        unsafe {
            let context = LLVMGetModuleContext(module);
            let i8 = LLVMInt8TypeInContext(context);
            let block = LLVMArrayType2(i8, tls::LEN);
            let name = CString::new(tls::SYMBOL).expect("no zero inside");
            let tls = LLVMAddGlobal(module, block, name.as_ptr());
            LLVMSetThreadLocalMode(tls, LLVMThreadLocalMode::LLVMInitialExecTLSModel);
            LLVMSetAlignment(tls, 16);
            Ir {
                context,
                module,
                builder: LLVMCreateBuilderInContext(context),
                layout: LLVMGetModuleDataLayout(module),
                void: LLVMVoidTypeInContext(context),
                i8,
                i32: LLVMInt32TypeInContext(context),
                i64: LLVMInt64TypeInContext(context),
                ptr: LLVMPointerTypeInContext(context, 0),
                tls,
                unlikely: RefCell::default(),
            }
        }
    }

    pub fn int(&self, bits: u32) -> Type {
        // SAFETY: bits are between 1 and LLVM's maximum.
        unsafe { LLVMIntTypeInContext(self.context, bits) }
    }

    pub fn const32(&self, value: u32) -> Value {
        // SAFETY: a constant.
        unsafe { LLVMConstInt(self.i32, value.into(), 0) }
    }

    pub fn const64(&self, value: u64) -> Value {
        // SAFETY: a constant.
        unsafe { LLVMConstInt(self.i64, value, 0) }
    }

    /// An array of these bytes.
    pub fn const_bytes(&self, bytes: &[u8]) -> Value {
        // SAFETY: a constant of bytes with their number.
        unsafe { LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1) }
    }

    /// Name of the module's source file.
    pub fn source_name(&self) -> Vec<u8> {
        let mut len = 0;
        // SAFETY: LLVM gives a pointer and a length.
        unsafe {
            let name = LLVMGetSourceFileName(self.module, &mut len);
            std::slice::from_raw_parts(name.cast::<u8>(), len).to_vec()
        }
    }

    pub fn null(&self, ty: Type) -> Value {
        // SAFETY: a constant.
        unsafe { LLVMConstNull(ty) }
    }

    /// The label of concrete values.
    pub fn no_label(&self) -> Value {
        self.const32(0)
    }

    /// True for the constant zero.
    pub fn is_zero(&self, value: Value) -> bool {
        // SAFETY: asks only.
        unsafe { LLVMIsNull(value) != 0 }
    }

    /// True for constant integers below a limit.
    pub fn is_constant_below(&self, value: Value, limit: u64) -> bool {
        // SAFETY: asks only; wider constants than 64 bits are not looked at.
        unsafe {
            !LLVMIsAConstantInt(value).is_null()
                && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64
                && LLVMConstIntGetZExtValue(value) < limit
        }
    }

    pub fn type_of(&self, value: Value) -> Type {
        // SAFETY: asks only.
        unsafe { LLVMTypeOf(value) }
    }

    pub fn kind(&self, ty: Type) -> LLVMTypeKind {
        // SAFETY: asks only.
        unsafe { LLVMGetTypeKind(ty) }
    }

    pub fn size_of(&self, ty: Type) -> u64 {
        // SAFETY: callers ask for sized types only.
        unsafe { LLVMABISizeOfType(self.layout, ty) }
    }

    /// How many bytes a load or store of this type accesses: of an integer of 24 bits three, of a variable of that type four.
    pub fn accessed_size(&self, ty: Type) -> u64 {
        // SAFETY: callers ask for sized types only.
        unsafe { LLVMStoreSizeOfType(self.layout, ty) }
    }

    pub fn field_offset(&self, ty: Type, field: u32) -> u64 {
        // SAFETY: the field exists.
        unsafe { LLVMOffsetOfElement(self.layout, ty, field) }
    }

    pub fn opcode(&self, value: Value) -> Option<LLVMOpcode> {
        // SAFETY: asks only; only instructions have opcodes.
        unsafe { (!LLVMIsAInstruction(value).is_null()).then(|| LLVMGetInstructionOpcode(value)) }
    }

    pub fn operand(&self, value: Value, index: u32) -> Value {
        // SAFETY: callers know the instruction's shape.
        unsafe { LLVMGetOperand(value, index) }
    }

    pub fn operands(&self, value: Value) -> Vec<Value> {
        // SAFETY: asks only.
        unsafe { (0..LLVMGetNumOperands(value)).map(|index| LLVMGetOperand(value, index as c_uint)).collect() }
    }

    pub fn name(&self, value: Value) -> String {
        // SAFETY: LLVM gives a pointer and a length.
        unsafe {
            let mut len = 0;
            let text = LLVMGetValueName2(value, &mut len);
            String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), len)).into_owned()
        }
    }

    pub fn has_uses(&self, value: Value) -> bool {
        // SAFETY: asks only.
        unsafe { !LLVMGetFirstUse(value).is_null() }
    }

    pub fn users(&self, value: Value) -> Vec<Value> {
        let mut users = Vec::new();
        // SAFETY: walks the list of uses.
        unsafe {
            let mut at = LLVMGetFirstUse(value);
            while !at.is_null() {
                users.push(LLVMGetUser(at));
                at = LLVMGetNextUse(at);
            }
        }
        users
    }

    pub fn parent(&self, instruction: Value) -> Block {
        // SAFETY: an instruction in a block.
        unsafe { LLVMGetInstructionParent(instruction) }
    }

    pub fn next(&self, instruction: Value) -> Value {
        // SAFETY: not the terminator.
        unsafe { LLVMGetNextInstruction(instruction) }
    }

    // The builder.

    pub fn before(&self, instruction: Value) {
        // SAFETY: an instruction in a block.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, instruction);
            LLVMSetCurrentDebugLocation2(self.builder, LLVMInstructionGetDebugLoc(instruction));
        }
    }

    /// Splits before `at`: what is built next runs only if `condition` (an i1) holds, which is unlikely. Gives the
    /// block that jumps, for a phi in the rest, and leaves the builder in the new block.
    pub fn unlikely(&self, at: Value, condition: Value) -> Unlikely {
        let unlikely = self.split(at, condition, false);
        self.unlikely.borrow_mut().push(unlikely.end);
        unlikely
    }

    /// The terminators of the unlikely blocks made since the last call.
    pub fn take_unlikely(&self) -> Vec<Value> {
        self.unlikely.take()
    }

    /// The same for a block that does not come back: its terminator is to be replaced.
    pub fn unlikely_end(&self, at: Value, condition: Value) -> Value {
        self.split(at, condition, true).end
    }

    fn split(&self, at: Value, condition: Value, ends: bool) -> Unlikely {
        // SAFETY: an instruction in a block and an i1 that dominates it.
        unsafe {
            let location = LLVMInstructionGetDebugLoc(at);
            let head = LLVMGetInstructionParent(at);
            let end = gimlet_shim_split(at, condition, ends);
            LLVMPositionBuilderBefore(self.builder, end);
            LLVMSetCurrentDebugLocation2(self.builder, location);
            Unlikely { head, end }
        }
    }

    pub fn binary(&self, op: LLVMOpcode, a: Value, b: Value) -> Value {
        // SAFETY: operands of one type.
        unsafe { LLVMBuildBinOp(self.builder, op, a, b, c"".as_ptr()) }
    }

    pub fn or(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMOpcode::LLVMOr, a, b)
    }

    pub fn add(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMOpcode::LLVMAdd, a, b)
    }

    pub fn compare(&self, predicate: LLVMIntPredicate, a: Value, b: Value) -> Value {
        // SAFETY: operands of one type.
        unsafe { LLVMBuildICmp(self.builder, predicate, a, b, c"".as_ptr()) }
    }

    pub fn is_nonzero(&self, value: Value) -> Value {
        self.compare(LLVMIntPredicate::LLVMIntNE, value, self.null(self.type_of(value)))
    }

    pub fn cast(&self, op: LLVMOpcode, value: Value, to: Type) -> Value {
        // SAFETY: callers keep to what the cast allows.
        unsafe { LLVMBuildCast(self.builder, op, value, to, c"".as_ptr()) }
    }

    pub fn select(&self, condition: Value, a: Value, b: Value) -> Value {
        // SAFETY: operands of one type.
        unsafe { LLVMBuildSelect(self.builder, condition, a, b, c"".as_ptr()) }
    }

    pub fn load(&self, ty: Type, at: Value) -> Value {
        // SAFETY: a pointer.
        unsafe {
            let load = LLVMBuildLoad2(self.builder, ty, at, c"".as_ptr());
            LLVMSetAlignment(load, 4);
            load
        }
    }

    pub fn store(&self, value: Value, at: Value) -> Value {
        // SAFETY: a pointer.
        unsafe {
            let store = LLVMBuildStore(self.builder, value, at);
            LLVMSetAlignment(store, 4);
            store
        }
    }

    pub fn extract(&self, value: Value, index: u32) -> Value {
        // SAFETY: the part exists.
        unsafe { LLVMBuildExtractValue(self.builder, value, index, c"".as_ptr()) }
    }

    pub fn call(&self, ty: Type, callee: Value, arguments: &mut [Value]) -> Value {
        // SAFETY: arguments fit the type.
        unsafe {
            LLVMBuildCall2(self.builder, ty, callee, arguments.as_mut_ptr(), arguments.len() as c_uint, c"".as_ptr())
        }
    }

    /// What tells the frame of a function from others: the place of its return address.
    pub fn frame_address(&self) -> Value {
        // SAFETY: declares and calls an intrinsic.
        unsafe {
            let name = "llvm.addressofreturnaddress";
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let mut overload = [self.ptr];
            let function = LLVMGetIntrinsicDeclaration(self.module, id, overload.as_mut_ptr(), 1);
            self.call(LLVMIntrinsicGetType(self.context, id, overload.as_mut_ptr(), 1), function, &mut [])
        }
    }

    /// The same operation once more, on other operands.
    pub fn copy(&self, operation: Value, operands: &[Value]) -> Value {
        // SAFETY: an operation without effects, and operands of the same types.
        unsafe {
            let copy = LLVMInstructionClone(operation);
            for (index, &operand) in operands.iter().enumerate() {
                LLVMSetOperand(copy, index as c_uint, operand);
            }
            LLVMInsertIntoBuilder(self.builder, copy);
            copy
        }
    }

    /// The same value, of which the optimiser does not know that it is the same.
    pub fn hide(&self, value: Value) -> Value {
        let ty = self.type_of(value);
        let constraints = "=r,0";
        // SAFETY: inline assembly without code, for a value that fits a register.
        unsafe {
            let mut params = [ty];
            let function = LLVMFunctionType(ty, params.as_mut_ptr(), 1, 0);
            let dialect = llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            let text = constraints.as_ptr().cast_mut().cast();
            let asm = LLVMGetInlineAsm(function, c"".as_ptr().cast_mut(), 0, text, constraints.len(), 0, 0, dialect, 0);
            self.call(function, asm, &mut [value])
        }
    }

    pub fn phi(&self, ty: Type, incoming: &[(Value, Block)]) -> Value {
        // SAFETY: values of the type, from predecessors.
        unsafe {
            let phi = LLVMBuildPhi(self.builder, ty, c"".as_ptr());
            for &(mut value, mut block) in incoming {
                LLVMAddIncoming(phi, &mut value, &mut block, 1);
            }
            phi
        }
    }

    pub fn add_incoming(&self, phi: Value, mut value: Value, mut block: Block) {
        // SAFETY: a phi, a value of its type, a predecessor.
        unsafe { LLVMAddIncoming(phi, &mut value, &mut block, 1) }
    }

    pub fn incoming(&self, phi: Value) -> Vec<(Value, Block)> {
        // SAFETY: a phi.
        unsafe {
            (0..LLVMCountIncoming(phi))
                .map(|index| (LLVMGetIncomingValue(phi, index), LLVMGetIncomingBlock(phi, index)))
                .collect()
        }
    }

    /// `pointer + offset` bytes.
    pub fn offset(&self, pointer: Value, offset: Value) -> Value {
        let mut indices = [offset];
        // SAFETY: a pointer and an integer.
        unsafe { LLVMBuildGEP2(self.builder, self.i8, pointer, indices.as_mut_ptr(), 1, c"".as_ptr()) }
    }

    /// The same inside an object.
    pub fn offset_inside(&self, pointer: Value, offset: u64) -> Value {
        let mut indices = [self.const64(offset)];
        // SAFETY: a pointer and an integer.
        unsafe { LLVMBuildInBoundsGEP2(self.builder, self.i8, pointer, indices.as_mut_ptr(), 1, c"".as_ptr()) }
    }

    pub fn entry_alloca(&self, function: Value, ty: Type) -> Value {
        // SAFETY: a function with a body; the builder moves.
        unsafe {
            let first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
            LLVMPositionBuilderBefore(self.builder, first);
            let alloca = LLVMBuildAlloca(self.builder, ty, c"".as_ptr());
            LLVMSetAlignment(alloca, 16);
            alloca
        }
    }

    /// The thread-local block of the runtime.
    pub fn thread_block(&self) -> Value {
        self.tls
    }

    /// Pointer to a thread-local slot.
    pub fn slot(&self, offset: u64) -> Value {
        if offset == 0 {
            return self.tls;
        }
        let mut index = [self.const64(offset)];
        // SAFETY: a constant expression.
        unsafe { LLVMConstGEP2(self.i8, self.tls, index.as_mut_ptr(), 1) }
    }

    /// Pointer to the shadow of the byte at `pointer`.
    pub fn shadow(&self, pointer: Value) -> Value {
        let address = self.cast(LLVMOpcode::LLVMPtrToInt, pointer, self.i64);
        let low = self.binary(LLVMOpcode::LLVMAnd, address, self.const64(SHADOW_MASK));
        let scaled = self.binary(LLVMOpcode::LLVMShl, low, self.const64(2));
        let shadow = self.add(scaled, self.const64(SHADOW_BASE));
        self.cast(LLVMOpcode::LLVMIntToPtr, shadow, self.ptr)
    }
}

/// A block that runs only in unlikely cases.
#[derive(Clone, Copy)]
pub struct Unlikely {
    /// The block that jumps to it or past it.
    pub head: Block,
    /// Its terminator.
    pub end: Value,
}

impl Unlikely {
    /// Leaves the unlikely block: builds at the beginning of the rest, before `at`. `value` is what the block
    /// computed, `otherwise` what holds where it did not run.
    pub fn merge(self, ir: &Ir, at: Value, value: Value, otherwise: Value) -> Value {
        let from = ir.parent(self.end);
        // SAFETY: the rest begins with the phis that are made here, before `at`.
        unsafe {
            LLVMPositionBuilderBefore(ir.builder, first_of(ir.parent(at)));
        }
        let phi = ir.phi(ir.type_of(value), &[(otherwise, self.head), (value, from)]);
        ir.before(at);
        phi
    }
}

fn first_of(block: Block) -> Value {
    // SAFETY: a block with a terminator.
    unsafe { LLVMGetFirstInstruction(block) }
}
