#pragma once

#include <string_view>
#include <variant>

#include "core/ir/ops/axis_index.h"
#include "core/ir/ops/call.h"
#include "core/ir/ops/collectives.h"
#include "core/ir/ops/constant.h"
#include "core/ir/ops/conversions.h"
#include "core/ir/ops/dot_general.h"
#include "core/ir/ops/elementwise.h"
#include "core/ir/ops/reduce.h"
#include "core/ir/ops/scan.h"
#include "core/ir/ops/shape_ops.h"
#include "core/ir/ops/view_op.h"

namespace isoshard {

/// Every op of the language: the one list. `std::visit` over it belongs into few .cc files.
using OpData =
    std::variant<View, BlockSize, Constant, AxisIndex, Negate, Exponential, Tanh, Logistic, Add, Subtract, Multiply, Divide,
                 BroadcastInDim, Reshape, Transpose, Slice, Concatenate, DotGeneral, Reduce, AllReduce, AllGather,
                 ReduceScatter, CollectivePermute, ConvertState, Reinterpret, SliceBlock, Call, Scan>;

std::string_view op_name(const OpData& op);
/// The number of operands, -1 for one or more.
int operand_count(const OpData& op);
Inferred infer_types(const OpData& op, const InferContext& context);
void infer_states(const OpData& op, StateContext& context);

}  // namespace isoshard
