#pragma once

#include <optional>
#include <span>

#include "core/plan/instruction_data.h"
#include "sim/evaluate/accumulator.h"

namespace isoshard::sim {

/// Whether the members' values are combined element by element, in member order: a sum, a maximum or a minimum.
bool is_reduction(const Collective& collective);

/// The combination of a reduction, begun with the value of the first member.
Accumulator begin_reduction(const Collective& collective, Value first);

/// What member `member` has after an all_to_all: its block of what each member brought, joined in member order.
Value exchanged(const Collective& collective, std::span<const Value* const> brought, size_t member);

}  // namespace isoshard::sim
