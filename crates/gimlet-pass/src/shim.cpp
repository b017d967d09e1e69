// What LLVM's C API lacks: registration of the pass, what runs before it, splitting of blocks, debug information.
#include "llvm/IR/DebugInfo.h"
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

} // namespace

extern "C" void gimlet_shim_register(PassBuilder *PB) {
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

// The name of the function that an instruction was inlined from, or null.
extern "C" const char *gimlet_shim_inlined_from(LLVMValueRef At, size_t *Length) {
  const DILocation *Location = unwrap<Instruction>(At)->getDebugLoc();
  if (!Location || !Location->getInlinedAt())
    return nullptr;
  const DISubprogram *Source = Location->getScope()->getSubprogram();
  StringRef Name = Source->getLinkageName().empty() ? Source->getName() : Source->getLinkageName();
  *Length = Name.size();
  return Name.data();
}

// Drops line tables that only the site table needed.
extern "C" void gimlet_shim_drop_lines(LLVMModuleRef M) {
  auto IsLines = [](const DICompileUnit *Unit) { return Unit->getEmissionKind() == DICompileUnit::LineTablesOnly; };
  if (all_of(unwrap(M)->debug_compile_units(), IsLines))
    StripDebugInfo(*unwrap(M));
}
