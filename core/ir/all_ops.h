#pragma once

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/ops/axis_index.h"
#include "core/ir/ops/bits.h"
#include "core/ir/ops/call.h"
#include "core/ir/ops/collective_permute.h"
#include "core/ir/ops/collectives.h"
#include "core/ir/ops/constant.h"
#include "core/ir/ops/conversions.h"
#include "core/ir/ops/convert.h"
#include "core/ir/ops/convolution.h"
#include "core/ir/ops/dot_general.h"
#include "core/ir/ops/elementwise.h"
#include "core/ir/ops/functions.h"
#include "core/ir/ops/indexing.h"
#include "core/ir/ops/pipeline.h"
#include "core/ir/ops/random.h"
#include "core/ir/ops/reduce.h"
#include "core/ir/ops/scan.h"
#include "core/ir/ops/select.h"
#include "core/ir/ops/sequence.h"
#include "core/ir/ops/shape_ops.h"
#include "core/ir/ops/special_functions.h"
#include "core/ir/ops/view_op.h"

namespace isoshard {

/// Every op of the language: the one list.
using OpVariant =
    std::variant<View, BlockSize, Constant, Iota, AxisIndex, Negate, Exponential, Log, Tanh, Logistic, Sqrt, Rsqrt,
                 Sine, Cosine, ErfInv, Floor, ExponentialMinusOne, LogPlusOne, Cbrt, Erf, Erfc, Atan2, Ceil,
                 RoundNearestEven, RoundNearestAfz, Abs, Sign, Add, Subtract, Multiply, Divide, IntegerDivide, Power,
                 Remainder, Maximum, Minimum, And, Or, Xor, ShiftLeft, ShiftRightLogical, ShiftRightArithmetic, Popcnt,
                 CountLeadingZeros, Not, Compare, IsFinite, Select, Clamp, Convert, StopGradient, BroadcastInDim,
                 Reshape, Transpose, Slice, Concatenate, Pad, Reverse, DynamicSlice, DynamicUpdateSlice, Gather,
                 ScatterAdd, DotGeneral, Convolution, Reduce, Cumsum, TopK, RngFoldIn, RngSplit, RngBits,
                 BitcastConvert, AllReduce, AllGather, ReduceScatter, AllToAll, CollectivePermute, ConvertState,
                 Reinterpret, SliceBlock, PlaceBlock, AssertEqual, Call, Scan, PipelineRun>;

template <class T, class Variant>
inline constexpr bool kIsAlternative = false;
template <class T, class... Ts>
inline constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// One op. Its own class, so that what copies, moves and destroys the many alternatives is compiled once, and not in
/// every file that holds an op. `std::visit` over it belongs into few .cc files.
class OpData : public OpVariant {
 public:
  OpData();
  template <class T>
  requires kIsAlternative<std::remove_cvref_t<T>, OpVariant> OpData(T&& op)
      : OpVariant(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(op)) {}
  OpData(const OpData& other);
  OpData(OpData&& other) noexcept;
  OpData& operator=(const OpData& other);
  OpData& operator=(OpData&& other) noexcept;
  ~OpData();
};

std::string_view op_name(const OpData& op);
OpFacts op_facts(const OpData& op);
/// The functions of the module that the op applies.
std::vector<ProgramId> callees(const OpData& op);
/// The number of operands, -1 for one or more.
int operand_count(const OpData& op);
Inferred infer_types(const OpData& op, const InferContext& context);
void infer_states(const OpData& op, StateContext& context);

}  // namespace isoshard
