// What LLVM's C API lacks: registration of the pass, what runs before it, splitting of blocks, debug information.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" void gimlet_pass_run(LLVMModuleRef);

namespace {

// A function that calls setjmp keeps its variables in memory, as the user's own -O level would see them.
bool callsReturnsTwice(const Function &F) {
  for (const BasicBlock &BB : F)
    for (const Instruction &I : BB)
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (Call->hasFnAttr(Attribute::ReturnsTwice))
          return true;
  return false;
}

struct GimletPass : PassInfoMixin<GimletPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    // Clang would inline these later, at every -O level: what is instrumented by then is many times larger.
    MAM.invalidate(M, AlwaysInlinerPass().run(M, MAM));
    for (Function &F : M) {
      if (F.isDeclaration() || callsReturnsTwice(F))
        continue;
      FAM.invalidate(F, SROAPass(SROAOptions::ModifyCFG).run(F, FAM));
    }
    gimlet_pass_run(wrap(&M));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// Whether a pointer is one to an edge counter. Marks in two arms may have become one behind them.
bool isCounter(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return all_of(Objects, [](const Value *Object) {
    const auto *Global = dyn_cast<GlobalVariable>(Object);
    return Global && Global->getSection() == "gimlet_counters";
  });
}

// Turns marks (`edges.rs`) into increments. What overflows comes in again from below, so that a counter is never zero.
struct CounterPass : PassInfoMixin<CounterPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    SmallVector<StoreInst *, 64> Marks;
    for (Instruction &I : instructions(F))
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isVolatile() && isCounter(Store->getPointerOperand()))
        Marks.push_back(Store);
    for (StoreInst *Mark : Marks) {
      IRBuilder<> Builder(Mark);
      Value *One = Builder.getInt8(1);
      Value *Before = Builder.CreateLoad(Builder.getInt8Ty(), Mark->getPointerOperand());
      Value *Sum = Builder.CreateBinaryIntrinsic(Intrinsic::uadd_with_overflow, Before, One);
      Value *Carry = Builder.CreateZExt(Builder.CreateExtractValue(Sum, 1), Builder.getInt8Ty());
      Builder.CreateStore(Builder.CreateAdd(Builder.CreateExtractValue(Sum, 0), Carry), Mark->getPointerOperand());
      Mark->eraseFromParent();
    }
    return Marks.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

} // namespace

extern "C" void gimlet_shim_register(PassBuilder *PB) {
  PB->registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(createModuleToFunctionPassAdaptor(CounterPass()));
  });
  PB->registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(GimletPass()); });
}

// Puts `To` in the place of `From`, but not in the functions that are `Kept`, and not behind another name of `From`.
extern "C" void gimlet_shim_replace(LLVMValueRef From, LLVMValueRef To, LLVMValueRef *Kept, size_t KeptCount) {
  SmallPtrSet<const Value *, 8> Functions;
  for (LLVMValueRef Function : ArrayRef(Kept, KeptCount))
    Functions.insert(unwrap(Function));
  unwrap(From)->replaceUsesWithIf(unwrap(To), [&](Use &U) {
    const auto *I = dyn_cast<Instruction>(U.getUser());
    return I ? !Functions.contains(I->getFunction()) : !isa<GlobalAlias, GlobalIFunc>(U.getUser());
  });
}

// Splits before `At`; the new block runs if `Condition` holds, which is unlikely. Returns its terminator, which jumps to
// the rest, or with `Ends` is an unreachable.
extern "C" LLVMValueRef gimlet_shim_split(LLVMValueRef At, LLVMValueRef Condition, bool Ends) {
  auto *Before = unwrap<Instruction>(At);
  MDNode *Weights = MDBuilder(Before->getContext()).createUnlikelyBranchWeights();
  return wrap(SplitBlockAndInsertIfThen(unwrap(Condition), Before->getIterator(), Ends, Weights));
}

// Tells the loops of a function block by block, and of each block whether it is in no loop inside of that one.
extern "C" void gimlet_shim_loops(LLVMValueRef Function_, void *State,
                                  void (*Found)(void *, LLVMBasicBlockRef, LLVMBasicBlockRef, bool)) {
  DominatorTree DT(*unwrap<Function>(Function_));
  LoopInfo LI(DT);
  for (Loop *L : LI.getLoopsInPreorder())
    for (BasicBlock *BB : L->blocks())
      Found(State, wrap(L->getHeader()), wrap(BB), LI.getLoopFor(BB) == L);
}

// Runs `Function` before all other constructors of the module.
extern "C" void gimlet_shim_constructor(LLVMModuleRef M, LLVMValueRef Function_) {
  appendToGlobalCtors(*unwrap(M), unwrap<Function>(Function_), 0);
}

// Keeps a global although nothing refers to it.
extern "C" void gimlet_shim_used(LLVMModuleRef M, LLVMValueRef Global) {
  appendToUsed(*unwrap(M), {unwrap<GlobalValue>(Global)});
}

// Clang returns from one block; a call right before the jump to it is in tail position all the same. Gives such calls a
// return of their own.
extern "C" void gimlet_shim_split_returns(LLVMValueRef Function_) {
  auto *F = unwrap<Function>(Function_);
  for (BasicBlock &BB : *F) {
    auto *Return = dyn_cast<ReturnInst>(BB.getTerminator());
    if (!Return || BB.getFirstNonPHI() != Return)
      continue;
    for (BasicBlock *Pred : SmallVector<BasicBlock *, 8>(predecessors(&BB))) {
      auto *Jump = dyn_cast<BranchInst>(Pred->getTerminator());
      auto *Call = Jump ? dyn_cast_or_null<CallInst>(Jump->getPrevNode()) : nullptr;
      if (!Jump || Jump->isConditional() || !Call || isa<IntrinsicInst>(Call))
        continue;
      Value *Result = Return->getReturnValue();
      if (Result)
        Result = Result->DoPHITranslation(&BB, Pred);
      if (!Result || Result == Call)
        FoldReturnIntoUncondBranch(Return, &BB, Pred);
    }
  }
}

// Puts a block into the edge from a switch to its successor `Index`; returns the block's terminator.
extern "C" LLVMValueRef gimlet_shim_split_edge(LLVMValueRef Switch, unsigned Index) {
  auto *From = unwrap<Instruction>(Switch);
  BasicBlock *To = From->getSuccessor(Index);
  BasicBlock *Between = BasicBlock::Create(From->getContext(), "", From->getFunction(), To);
  auto *Jump = BranchInst::Create(To, Between);
  Jump->setDebugLoc(From->getDebugLoc());
  From->setSuccessor(Index, Between);
  // Other cases may lead to the same block: a phi has an entry for each. Those of labels have none yet.
  for (PHINode &Phi : To->phis())
    if (int Entry = Phi.getBasicBlockIndex(From->getParent()); Entry >= 0)
      Phi.setIncomingBlock(Entry, Between);
  return wrap(Jump);
}

// The name of the function that an instruction was inlined from, or null; `Call` is the same for all of one copy.
extern "C" const char *gimlet_shim_inlined_from(LLVMValueRef At, size_t *Length, const void **Call) {
  const DILocation *Location = unwrap<Instruction>(At)->getDebugLoc();
  if (!Location || !Location->getInlinedAt())
    return nullptr;
  *Call = Location->getInlinedAt();
  const DISubprogram *Source = Location->getScope()->getSubprogram();
  StringRef Name = Source->getLinkageName().empty() ? Source->getName() : Source->getLinkageName();
  *Length = Name.size();
  return Name.data();
}

// What a pointer was computed from by constant distances, and their sum.
extern "C" LLVMValueRef gimlet_shim_constant_base(LLVMValueRef Pointer, int64_t *Offset) {
  Value *V = unwrap(Pointer);
  const auto *I = dyn_cast<Instruction>(V);
  const auto *G = dyn_cast<GlobalValue>(getUnderlyingObject(V));
  const Module *M = I ? I->getModule() : G ? G->getParent() : nullptr;
  *Offset = 0;
  if (!M || !V->getType()->isPointerTy())
    return Pointer;
  APInt Sum(64, 0);
  Value *Base = V->stripAndAccumulateConstantOffsets(M->getDataLayout(), Sum, /*AllowNonInbounds=*/true);
  *Offset = Sum.getSExtValue();
  return wrap(Base);
}

// Drops line tables that only the site table needed.
extern "C" void gimlet_shim_drop_lines(LLVMModuleRef M) {
  auto IsLines = [](const DICompileUnit *Unit) { return Unit->getEmissionKind() == DICompileUnit::LineTablesOnly; };
  if (all_of(unwrap(M)->debug_compile_units(), IsLines))
    StripDebugInfo(*unwrap(M));
}
