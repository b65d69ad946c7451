#pragma once

#include <cstdint>

#include "bench/planned.h"
#include "core/plan/passes/plan_builder.h"

namespace isoshard::bench {

inline constexpr int64_t kSmallOpRounds = 32;

/// Every device negates a number, kSmallOpRounds times; with `communicate` all devices add theirs up in between.
Planned small_ops(int64_t devices, bool communicate);

/// Appends one collective whose larger side has as many elements as `x`.
using AppendCollective = PlanValueId (*)(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x,
                                         int64_t devices);

PlanValueId append_all_reduce(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x, int64_t devices);
PlanValueId append_reduce_scatter(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x, int64_t devices);
/// With taking the block that is sent.
PlanValueId append_all_gather(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x, int64_t devices);
/// To the next device.
PlanValueId append_permute(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x, int64_t devices);

/// What each device of collective_rounds begins with: a block of its own, which is copied when it is loaded, or all
/// devices the same array.
enum class Operand { own_block, same_array };

/// Each device loads f32[elements] and takes part in `rounds` collectives on it.
Planned collective_rounds(int64_t devices, int64_t elements, int64_t rounds, AppendCollective append,
                          Operand operand = Operand::own_block);

}  // namespace isoshard::bench
