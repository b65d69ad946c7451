#pragma once

#include <cstdint>

#include "bench/small_plans.h"
#include "bench/table/measure/measured.h"

namespace isoshard::bench {

/// In which order ready work runs.
enum class Order { natural, drawn };

/// Microseconds of one instruction on one device, times workers: one-element numbers are negated and summed over all.
Measured instruction_cost(std::int64_t devices, int workers, Order order);

/// Kilobytes that a device adds to the peak of a run when it holds one number.
Measured idle_device(std::int64_t devices);

/// Microseconds of one collective over all devices, `bytes` each, one worker.
Measured collective_cost(AppendCollective append, std::int64_t devices, std::int64_t bytes);

/// The time of a permute of `bytes` divided by that of 1 KiB: 1 where pointers move.
Measured permute_of_large_over_small(std::int64_t devices, std::int64_t bytes);

/// JAX's time divided by ours for an all_reduce of 16 MiB per device, on all cores; `bytes` is less where it is tried
/// out.
Measured large_all_reduce(std::int64_t devices, std::int64_t bytes);

}  // namespace isoshard::bench
