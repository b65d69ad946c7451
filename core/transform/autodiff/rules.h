#pragma once  // internal

#include "core/transform/autodiff/adjoint.h"

namespace isoshard::autodiff {

/// Ops whose results have no gradient, or that no function contains: there is nothing to do.
template <class Op>
inline constexpr bool kNoGradient =
    kIsAlternative<Op, std::variant<View, BlockSize, Constant, Iota, AxisIndex, And, Or, Xor, Not, ShiftLeft,
                                    ShiftRightLogical, ShiftRightArithmetic, IntegerDivide, Popcnt, CountLeadingZeros,
                                    Compare, IsFinite, RngFoldIn, RngSplit, RngBits, BitcastConvert>>;
template <class Op>
requires kNoGradient<Op>
void adjoint(const Op&, OpAdjoint&) {}

void adjoint(const Negate& op, OpAdjoint& at);
void adjoint(const Exponential& op, OpAdjoint& at);
void adjoint(const Log& op, OpAdjoint& at);
void adjoint(const Tanh& op, OpAdjoint& at);
void adjoint(const Logistic& op, OpAdjoint& at);
void adjoint(const Sqrt& op, OpAdjoint& at);
void adjoint(const Rsqrt& op, OpAdjoint& at);
void adjoint(const Sine& op, OpAdjoint& at);
void adjoint(const Cosine& op, OpAdjoint& at);
void adjoint(const ErfInv& op, OpAdjoint& at);
void adjoint(const Floor& op, OpAdjoint& at);
void adjoint(const Ceil& op, OpAdjoint& at);
void adjoint(const RoundNearestEven& op, OpAdjoint& at);
void adjoint(const RoundNearestAfz& op, OpAdjoint& at);
void adjoint(const ExponentialMinusOne& op, OpAdjoint& at);
void adjoint(const LogPlusOne& op, OpAdjoint& at);
void adjoint(const Cbrt& op, OpAdjoint& at);
void adjoint(const Erf& op, OpAdjoint& at);
void adjoint(const Erfc& op, OpAdjoint& at);
void adjoint(const Atan2& op, OpAdjoint& at);
void adjoint(const Abs& op, OpAdjoint& at);
void adjoint(const Sign& op, OpAdjoint& at);
void adjoint(const Add& op, OpAdjoint& at);
void adjoint(const Subtract& op, OpAdjoint& at);
void adjoint(const Multiply& op, OpAdjoint& at);
void adjoint(const Divide& op, OpAdjoint& at);
void adjoint(const Power& op, OpAdjoint& at);
void adjoint(const Remainder& op, OpAdjoint& at);
void adjoint(const Maximum& op, OpAdjoint& at);
void adjoint(const Minimum& op, OpAdjoint& at);
void adjoint(const Select& op, OpAdjoint& at);
void adjoint(const Clamp& op, OpAdjoint& at);
void adjoint(const Convert& op, OpAdjoint& at);
void adjoint(const StopGradient& op, OpAdjoint& at);

void adjoint(const BroadcastInDim& op, OpAdjoint& at);
void adjoint(const Reshape& op, OpAdjoint& at);
void adjoint(const Transpose& op, OpAdjoint& at);
void adjoint(const Slice& op, OpAdjoint& at);
void adjoint(const Concatenate& op, OpAdjoint& at);
void adjoint(const Pad& op, OpAdjoint& at);
void adjoint(const Reverse& op, OpAdjoint& at);
void adjoint(const Cumsum& op, OpAdjoint& at);
void adjoint(const Reduce& op, OpAdjoint& at);
void adjoint(const DotGeneral& op, OpAdjoint& at);
void adjoint(const Convolution& op, OpAdjoint& at);

void adjoint(const DynamicSlice& op, OpAdjoint& at);
void adjoint(const DynamicUpdateSlice& op, OpAdjoint& at);
void adjoint(const Gather& op, OpAdjoint& at);
void adjoint(const ScatterAdd& op, OpAdjoint& at);
void adjoint(const TopK& op, OpAdjoint& at);

void adjoint(const AllReduce& op, OpAdjoint& at);
void adjoint(const AllGather& op, OpAdjoint& at);
void adjoint(const ReduceScatter& op, OpAdjoint& at);
void adjoint(const AllToAll& op, OpAdjoint& at);
void adjoint(const CollectivePermute& op, OpAdjoint& at);
void adjoint(const ConvertState& op, OpAdjoint& at);
void adjoint(const Reinterpret& op, OpAdjoint& at);
void adjoint(const SliceBlock& op, OpAdjoint& at);
void adjoint(const PlaceBlock& op, OpAdjoint& at);
void adjoint(const AssertEqual& op, OpAdjoint& at);

void adjoint(const Call& op, OpAdjoint& at);
void adjoint(const Scan& op, OpAdjoint& at);
void adjoint(const PipelineRun& op, OpAdjoint& at);

}  // namespace isoshard::autodiff
