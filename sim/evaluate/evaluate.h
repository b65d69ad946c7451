#pragma once

#include <span>

#include "core/ir/all_ops.h"
#include "sim/domains/domain.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// The results of one local op, by StableHLO's semantics, written to `out`; floats and predicates mean what `domain`
/// says, integers wrap around.
///
/// `operands` and `results` (types) must be as the op's inference left them. Pure and thread-safe. Views, collectives,
/// axis_index, convert_state, reinterpret, slice_block and call have other forms in a Plan and never come here.
void evaluate(const OpData& op, std::span<const Value* const> operands, std::span<const TensorType* const> results,
              const Domain& domain, std::span<Value> out);

/// The same for operands that stand side by side.
void evaluate(const OpData& op, std::span<const Value> operands, std::span<const TensorType* const> results,
              const Domain& domain, std::span<Value> out);

/// The same for an op with one result.
Value evaluate(const OpData& op, std::span<const Value> operands, const TensorType& result, const Domain& domain);

}  // namespace isoshard::sim
