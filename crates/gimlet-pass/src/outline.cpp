// Outlining: in large functions, unlikely blocks become functions of their own.
//
// Those blocks are most of what the pass adds, and the time that LLVM takes for a function grows faster than its size.
// As functions they are small, without branches, and not copied where the likely path is unrolled or threaded. They keep
// all registers, as the runtime's entry points do, so that the likely path does not notice. It takes a large function to
// make it pay: LLVM runs a hundred passes on the smallest.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// Labels that a function can return in registers.
constexpr unsigned ReturnedMax = 3;
// What a function costs beside its operands, in instructions.
constexpr unsigned FunctionOverhead = 16;

unsigned cost(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? 1 + Call->arg_size() : 1;
}

// An assembly without code, which hides a value from the optimiser: useless in a function of its own.
bool hides(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->isInlineAsm();
}

// What a block takes from the rest of its function and gives to it.
struct Interface {
  SmallSetVector<Value *, 16> Inputs;
  SmallSetVector<Instruction *, 16> Outputs;
  unsigned Cost = 0;

  explicit Interface(BasicBlock &Block) {
    for (Instruction &I : Block) {
      if (I.isTerminator())
        continue;
      Cost += hides(I) ? 0 : cost(I);
      for (Value *Operand : I.operands())
        if (isa<Argument>(Operand) || (isa<Instruction>(Operand) && cast<Instruction>(Operand)->getParent() != &Block))
          Inputs.insert(Operand);
      if (any_of(I.users(), [&](User *U) { return cast<Instruction>(U)->getParent() != &Block; }))
        Outputs.insert(&I);
    }
  }
};

Function *makeFunction(Function &Parent, ArrayRef<Value *> Inputs, Type *Result) {
  SmallVector<Type *, 16> Types;
  for (Value *Input : Inputs)
    Types.push_back(Input->getType());
  auto *F = Function::Create(FunctionType::get(Result, Types, false), GlobalValue::PrivateLinkage,
                             Parent.getAddressSpace(), "gimlet.region", Parent.getParent());
  F->setCallingConv(CallingConv::PreserveMost);
  for (auto Kind : {Attribute::Cold, Attribute::NoInline, Attribute::NoUnwind, Attribute::OptimizeForSize,
                    Attribute::MinSize})
    F->addFnAttr(Kind);
  for (StringRef Name : {"target-cpu", "tune-cpu", "target-features"})
    if (Parent.hasFnAttribute(Name))
      F->addFnAttr(Parent.getFnAttribute(Name));
  if (Parent.hasFnAttribute(Attribute::NoRedZone))
    F->addFnAttr(Attribute::NoRedZone);
  return F;
}

} // namespace

// Moves what comes before the terminator `End` of a block into a function of its own, if that is less code. Results
// that do not fit registers go through the `SlotsMax` labels at `Slots`.
extern "C" void gimlet_shim_outline(LLVMValueRef End, LLVMValueRef Slots, unsigned SlotsMax) {
  auto *Last = unwrap<Instruction>(End);
  BasicBlock *Block = Last->getParent();
  Interface Io(*Block);
  auto *I32 = Type::getInt32Ty(Block->getContext());
  bool Fits = Io.Outputs.size() <= SlotsMax && all_of(Io.Outputs, [&](Instruction *I) { return I->getType() == I32; });
  if (!Fits || Io.Cost <= Io.Inputs.size() + 2 * Io.Outputs.size() + FunctionOverhead)
    return;
  bool Returned = Io.Outputs.size() <= ReturnedMax;
  Type *Result = Type::getVoidTy(Block->getContext());
  if (Returned && !Io.Outputs.empty())
    Result = StructType::get(Block->getContext(), SmallVector<Type *, 4>(Io.Outputs.size(), I32));
  Function *F = makeFunction(*Block->getParent(), Io.Inputs.getArrayRef(), Result);

  auto *Body = BasicBlock::Create(Block->getContext(), "", F);
  Body->splice(Body->end(), Block, Block->begin(), Last->getIterator());
  IRBuilder<> Outside(Last);
  CallInst *Call = Outside.CreateCall(F, Io.Inputs.getArrayRef());
  Call->setCallingConv(CallingConv::PreserveMost);
  for (auto [Input, Parameter] : zip(Io.Inputs, F->args()))
    Input->replaceUsesWithIf(&Parameter, [&](Use &U) { return cast<Instruction>(U.getUser())->getParent() == Body; });
  IRBuilder<> Inside(Body);
  Value *Struct = Result->isVoidTy() ? nullptr : PoisonValue::get(Result);
  for (auto [Index, Output] : enumerate(Io.Outputs)) {
    Value *Seen;
    if (Returned) {
      Struct = Inside.CreateInsertValue(Struct, Output, Index);
      Seen = Outside.CreateExtractValue(Call, Index);
    } else {
      auto *Slot = ConstantExpr::getGetElementPtr(I32, unwrap<Constant>(Slots), Outside.getInt32(Index));
      Inside.CreateStore(Output, Slot);
      Seen = Outside.CreateLoad(I32, Slot);
    }
    Output->replaceUsesWithIf(Seen, [&](Use &U) { return cast<Instruction>(U.getUser())->getFunction() != F; });
  }
  Struct ? Inside.CreateRet(Struct) : Inside.CreateRetVoid();
  for (Instruction &I : make_early_inc_range(*Body)) {
    I.setDebugLoc(DebugLoc());
    if (!hides(I))
      continue;
    I.replaceAllUsesWith(I.getOperand(0));
    I.eraseFromParent();
  }
}
