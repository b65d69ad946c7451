#pragma once

#include <cstdint>

namespace isoshard::calls {

/// What a step makes of the value v so far, and of b and c, as the op of the language of that name does (core/ir/ops).
/// Functions from exponential to round_nearest_afz, power, atan2 and is_finite are of floats only, logic, shifts and
/// counts of bits of integers and predicates only. What compares gives 1 or 0.
enum class StepOp : uint8_t {
  take,  ///< b
  negate,
  exponential,
  log,
  tanh,
  logistic,
  sqrt,
  rsqrt,
  sine,
  cosine,
  erf_inv,
  floor,
  exponential_minus_one,
  log_plus_one,
  cbrt,
  erf,
  erfc,
  round_nearest_even,
  round_nearest_afz,
  absolute,
  sign,
  is_finite,
  add,
  subtract,
  multiply,
  divide,
  power,
  remainder,
  atan2,
  maximum,
  minimum,
  conjunction,
  disjunction,
  exclusive_or,      ///< with all ones, or 1 of a predicate, it is `not`
  shift_left,        ///< by b, which is not negative; 0 where b is 64 or more
  shift_right,       ///< of numbers that are not negative, the same
  shift_right_sign,  ///< of signed numbers by b; by 63 where b is more, or negative
  count_ones,
  leading_zeros,  ///< of 64 bits
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  select,      ///< b where v is not 0, else c
  round_bf16,  ///< to nearest even, of floats only, as the next three
  round_f16,
  round_f8e4m3,
  round_f8e5m2,
  wrap_i8,  ///< modulo the range of the dtype, of integers only, as the next three
  wrap_u8,
  wrap_i32,
  wrap_u32,
};

}  // namespace isoshard::calls
