#pragma once

#include <span>

#include "core/ir/all_ops.h"
#include "sim/domain.h"
#include "sim/value.h"

namespace isoshard::sim {

/// The result of one local op, by StableHLO's semantics; floats mean what `domain` says, i32 wraps around.
///
/// `operands` and `result` must be as the op's inference left them. Pure and thread-safe. Views, collectives,
/// axis_index, convert_state, reinterpret, slice_block and call have other forms in a Plan and never come here.
Value evaluate(const OpData& op, std::span<const Value> operands, const TensorType& result, const Domain& domain);

}  // namespace isoshard::sim
