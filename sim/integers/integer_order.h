#pragma once

#include <cstdint>

#include "core/support/rational.h"
#include "core/value/dtype.h"
#include "sim/integers/order_domain.h"

/// Comparisons and bits of the integer dtypes, the same in every domain. `out` may be an operand.
namespace isoshard::sim::integer {

/// abs of the least integer is itself; sign is -1, 0 or 1.
void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out);
void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
void logic(Logic op, DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
/// Writes the bytes 0 and 1.
void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y, uint8_t* out);
/// As OrderDomain::top_k.
void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices);
/// The number that loses against every other: the maximum or minimum of no elements.
Rational weakest(Extreme op, DType dtype);

}  // namespace isoshard::sim::integer
