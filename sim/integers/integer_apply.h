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
  add,
  subtract,
  multiply,
  remainder,  ///< x - y trunc(x / y); x where y is 0, 0 for the least number by -1
  minimum,
  maximum,
  conjunction,
  disjunction,
  exclusive_or,
  shift_right_logical  ///< zeros move in; 0 where y is not below the number of bits
};

namespace integer {

/// Elements as the machine has them; `out` may be an operand.
void apply(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);

}  // namespace integer
}  // namespace isoshard::sim
