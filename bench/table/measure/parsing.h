#pragma once

#include <cstdint>

#include "bench/table/measure/measured.h"

namespace isoshard::bench {

/// What reading and verifying a `.shard` file of so many bytes takes.
struct ParseCost {
  double bytes;
  double seconds;
};

/// Writes such a file, of layers of an MLP one after another, reads it and deletes it.
ParseCost parse_file_of(std::int64_t bytes);

/// Megabytes per second.
Measured parse_rate(std::int64_t bytes);

/// The time of a file ten times as large divided by that of one of `bytes`: 10 where it is linear.
Measured parse_growth(std::int64_t bytes);

/// Peak memory in bytes per byte of text.
Measured parse_memory(std::int64_t bytes);

}  // namespace isoshard::bench
