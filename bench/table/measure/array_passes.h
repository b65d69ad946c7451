#pragma once

#include <cstdint>

#include "bench/table/measure/measured.h"

namespace isoshard::bench {

/// What passes once over an f32 array.
enum class ArrayPass { add, multiply_by_number, exponential, tanh, slice, transpose, sum_of_rows, sum_of_columns };

/// The bytes per second of a pass over `side` x `side` numbers, read and written, in percent of those of memcpy in the
/// same run; of sums, the bytes read in percent of those that memchr reads.
Measured array_pass(ArrayPass pass, std::int64_t side);

}  // namespace isoshard::bench
