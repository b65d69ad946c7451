#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/gpu/programs/timed_ranks.h"
#include "core/value/dtype.h"

namespace isoshard::bench {

/// Which collectives are measured, and how. Sizes are bytes, of one rank or all as nccl-tests counts them.
struct SweepSettings {
  int64_t ranks = 2;
  DType dtype = DType::f32;
  int64_t smallest = 1024, largest = int64_t{1} << 24, factor = 128;
  int64_t calls = 20;  ///< in a step, one behind the other
  std::string only;    ///< the name of one collective; empty: all
};

/// Prints a table in the format of nccl-tests for each collective and adds its rows to `rows`; the number of elements
/// that are not what sim gives. Fails where ranks do.
exec::Outcome<int64_t> sweep_collectives(const SweepSettings& sweep, const RunSettings& settings,
                                         nlohmann::ordered_json& rows);

}  // namespace isoshard::bench
