#pragma once

#include <cstdint>

namespace isoshard::calls {

/// What a step makes of the value v so far, and of b and c, as the op of the language of that name does (core/ir/ops).
/// Functions from exponential to floor, divide, power and is_finite are of floats only, logic and the shift of integers
/// and predicates only. What compares gives 1 or 0.
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
  absolute,
  sign,
  is_finite,
  add,
  subtract,
  multiply,
  divide,
  power,
  remainder,
  maximum,
  minimum,
  conjunction,
  disjunction,
  exclusive_or,  ///< with all ones, or 1 of a predicate, it is `not`
  shift_right,   ///< of numbers that are not negative, by b; 0 where b is 64 or more
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
