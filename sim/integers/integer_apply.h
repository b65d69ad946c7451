#pragma once

#include <cstddef>
#include <cstdint>

#include "core/value/dtype.h"

namespace isoshard::sim {

/// Functions of integers of one dtype, modulo its range; those of one number do not read the second operand.
enum class IntegerOp : uint8_t {
  negate,
  absolute,
  sign,
  complement,  ///< of all bits
  count_ones,
  leading_zeros,  ///< of the bits of the dtype
  add,
  subtract,
  multiply,
  quotient,   ///< trunc(x / y); -1 where y is 0, the least number by -1 is itself
  remainder,  ///< x - y trunc(x / y); x where y is 0, 0 for the least number by -1
  minimum,
  maximum,
  conjunction,
  disjunction,
  exclusive_or,
  shift_left,             ///< zeros move in; 0 where y, as an unsigned number, is not below the number of bits
  shift_right_logical,    ///< the same
  shift_right_arithmetic  ///< the first bit moves in, and is all that is left where y is not below the number of bits
};

namespace integer {

/// Elements as the machine has them; `out` may be an operand.
void apply(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);

}  // namespace integer
}  // namespace isoshard::sim
