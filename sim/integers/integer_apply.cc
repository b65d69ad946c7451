#include "sim/integers/integer_apply.h"

#include "sim/integers/integer_ops.h"
#include "sim/integers/integer_order.h"

namespace isoshard::sim::integer {

void apply(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  switch (op) {
    case IntegerOp::negate:
      return negate(dtype, n, x, out);
    case IntegerOp::absolute:
      return sign(SignOp::abs, dtype, n, x, out);
    case IntegerOp::sign:
      return sign(SignOp::sign, dtype, n, x, out);
    case IntegerOp::complement:
      return logic(Logic::negation, dtype, n, x, x, out);
    case IntegerOp::count_ones:
      return count_ones(dtype, n, x, out);
    case IntegerOp::leading_zeros:
      return leading_zeros(dtype, n, x, out);
    case IntegerOp::add:
      return add(dtype, n, x, y, out);
    case IntegerOp::subtract:
      return subtract(dtype, n, x, y, out);
    case IntegerOp::multiply:
      return multiply(dtype, n, x, y, out);
    case IntegerOp::quotient:
      return quotient(dtype, n, x, y, out);
    case IntegerOp::remainder:
      return remainder(dtype, n, x, y, out);
    case IntegerOp::minimum:
      return extreme(Extreme::minimum, dtype, n, x, y, out);
    case IntegerOp::maximum:
      return extreme(Extreme::maximum, dtype, n, x, y, out);
    case IntegerOp::conjunction:
      return logic(Logic::conjunction, dtype, n, x, y, out);
    case IntegerOp::disjunction:
      return logic(Logic::disjunction, dtype, n, x, y, out);
    case IntegerOp::exclusive_or:
      return exclusive_or(dtype, n, x, y, out);
    case IntegerOp::shift_left:
      return shift_left(dtype, n, x, y, out);
    case IntegerOp::shift_right_logical:
      return shift_right_logical(dtype, n, x, y, out);
    case IntegerOp::shift_right_arithmetic:
      return shift_right_arithmetic(dtype, n, x, y, out);
  }
}

}  // namespace isoshard::sim::integer
