#pragma once

#include <type_traits>

#include "core/ir/all_ops.h"

namespace isoshard {

/// Whether an op of programs is a LocalOp of Plans as it is; others become other instructions, or several
/// (docs/spec/plan.md, "Lowering"). What evaluates Plans says the same of each op, or does not compile.
template <class Op>
inline constexpr bool kIsLocalOp =
    !kIsAlternative<Op, std::variant<View, BlockSize, AxisIndex, Clamp, Ceil, Convolution, AllReduce, AllGather,
                                     ReduceScatter, AllToAll, CollectivePermute, ConvertState, Reinterpret, SliceBlock,
                                     PlaceBlock, AssertEqual, Call, Scan, PipelineRun>>;

/// Whether a reduction is lowered to that op on halves (core/plan/passes/lower_pairwise.h): products, `and` and `or`.
constexpr bool is_pairwise(Reducer op) {
  return op == Reducer::mul || op == Reducer::logical_and || op == Reducer::logical_or;
}

/// The same of an op: a pairwise `reduce` is not local.
bool is_local_op(const OpData& op);

}  // namespace isoshard
