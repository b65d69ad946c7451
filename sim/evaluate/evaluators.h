#pragma once  // internal

#include <array>
#include <span>
#include <vector>

#include "core/ir/all_ops.h"
#include "sim/domains/domain.h"
#include "sim/value/value.h"

/// One evaluator per local op, by StableHLO's semantics; sim/evaluate/evaluate.cc picks it. Each file evaluate_*.cc
/// holds a family.
namespace isoshard::sim {

/// What an evaluator sees besides the op.
struct EvalContext {
  std::span<const Value* const> operands;
  std::span<const TensorType* const> results;
  const Domain& domain;

  const Value& operand(size_t i) const { return *operands[i]; }
  /// Those from `first` on, side by side.
  std::vector<Value> operands_from(size_t first) const {
    std::vector<Value> result;
    for (const Value* operand : operands.subspan(first)) result.push_back(*operand);
    return result;
  }
  const TensorType& result(size_t i = 0) const { return *results[i]; }
};

/// The results of an op that has two.
using TwoValues = std::array<Value, 2>;

// Arithmetic: evaluate_arithmetic.cc
Value apply(const Constant& op, const EvalContext& c);
Value apply(const Negate& op, const EvalContext& c);
Value apply(const Add& op, const EvalContext& c);
Value apply(const Subtract& op, const EvalContext& c);
Value apply(const Multiply& op, const EvalContext& c);
Value apply(const Divide& op, const EvalContext& c);
Value apply(const DotGeneral& op, const EvalContext& c);
Value apply(const Cumsum& op, const EvalContext& c);

// Functions: evaluate_functions.cc
Value apply(const Exponential& op, const EvalContext& c);
Value apply(const Log& op, const EvalContext& c);
Value apply(const Tanh& op, const EvalContext& c);
Value apply(const Logistic& op, const EvalContext& c);
Value apply(const Sqrt& op, const EvalContext& c);
Value apply(const Rsqrt& op, const EvalContext& c);
Value apply(const Sine& op, const EvalContext& c);
Value apply(const Cosine& op, const EvalContext& c);
Value apply(const ErfInv& op, const EvalContext& c);
Value apply(const Floor& op, const EvalContext& c);
Value apply(const ExponentialMinusOne& op, const EvalContext& c);
Value apply(const LogPlusOne& op, const EvalContext& c);
Value apply(const Cbrt& op, const EvalContext& c);
Value apply(const Erf& op, const EvalContext& c);
Value apply(const Erfc& op, const EvalContext& c);
Value apply(const Atan2& op, const EvalContext& c);
Value apply(const RoundNearestEven& op, const EvalContext& c);
Value apply(const RoundNearestAfz& op, const EvalContext& c);
Value apply(const Power& op, const EvalContext& c);
Value apply(const Remainder& op, const EvalContext& c);
Value apply(const Convert& op, const EvalContext& c);
Value apply(const StopGradient& op, const EvalContext& c);

// Order and logic: evaluate_order.cc
Value apply(const Abs& op, const EvalContext& c);
Value apply(const Sign& op, const EvalContext& c);
Value apply(const Maximum& op, const EvalContext& c);
Value apply(const Minimum& op, const EvalContext& c);
Value apply(const And& op, const EvalContext& c);
Value apply(const Or& op, const EvalContext& c);
Value apply(const Xor& op, const EvalContext& c);
Value apply(const ShiftLeft& op, const EvalContext& c);
Value apply(const ShiftRightLogical& op, const EvalContext& c);
Value apply(const ShiftRightArithmetic& op, const EvalContext& c);
Value apply(const IntegerDivide& op, const EvalContext& c);
Value apply(const Popcnt& op, const EvalContext& c);
Value apply(const CountLeadingZeros& op, const EvalContext& c);
Value apply(const Not& op, const EvalContext& c);
Value apply(const Compare& op, const EvalContext& c);
Value apply(const IsFinite& op, const EvalContext& c);
Value apply(const Select& op, const EvalContext& c);

// Movement: evaluate_movement.cc
Value apply(const Iota& op, const EvalContext& c);
Value apply(const BroadcastInDim& op, const EvalContext& c);
Value apply(const Reshape& op, const EvalContext& c);
Value apply(const Transpose& op, const EvalContext& c);
Value apply(const Slice& op, const EvalContext& c);
Value apply(const Concatenate& op, const EvalContext& c);
Value apply(const Pad& op, const EvalContext& c);
Value apply(const Reverse& op, const EvalContext& c);
Value apply(const DynamicSlice& op, const EvalContext& c);
Value apply(const DynamicUpdateSlice& op, const EvalContext& c);
Value apply(const Gather& op, const EvalContext& c);
Value apply(const ScatterAdd& op, const EvalContext& c);

// Random numbers: evaluate_random.cc
Value apply(const RngFoldIn& op, const EvalContext& c);
Value apply(const RngSplit& op, const EvalContext& c);
Value apply(const RngBits& op, const EvalContext& c);
Value apply(const BitcastConvert& op, const EvalContext& c);

// Several results: evaluate_order.cc
/// One result, or for argmax the maximum and its index.
TwoValues apply(const Reduce& op, const EvalContext& c);
TwoValues apply(const TopK& op, const EvalContext& c);

}  // namespace isoshard::sim
