#pragma once

#include <cstdint>
#include <span>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// Elementwise functions of one argument.
enum class UnaryOp : std::uint8_t {
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
  round_nearest_afz
};

/// Elementwise functions of two arguments.
enum class BinaryOp : std::uint8_t { add, subtract, multiply, divide, power, remainder, atan2 };

/// y[i] = op(x[i]) for i < n, by core/ir/scalar for the transcendental ones; the bits do not depend on `isa`.
/// A NaN result is the positive quiet NaN without payload, also of negate. y may be x itself, otherwise they must not
/// overlap.
void unary(Isa isa, UnaryOp op, const float* x, float* y, std::int64_t n);
void unary(Isa isa, UnaryOp op, const double* x, double* y, std::int64_t n);

/// y[i] = op(a[i], b[i]) for i < n; NaNs and overlap as for unary.
void binary(Isa isa, BinaryOp op, const float* a, const float* b, float* y, std::int64_t n);
void binary(Isa isa, BinaryOp op, const double* a, const double* b, double* y, std::int64_t n);

/// y[i] = op(a[i], b) for i < n; NaNs and overlap as for unary.
void binary_scalar(Isa isa, BinaryOp op, const float* a, float b, float* y, std::int64_t n);
void binary_scalar(Isa isa, BinaryOp op, const double* a, double b, double* y, std::int64_t n);

/// acc[i] += x[i] for i < n: one step of a sum over ranks in a fixed order. NaNs as for unary. acc must not overlap x.
void accumulate(Isa isa, float* acc, const float* x, std::int64_t n);
void accumulate(Isa isa, double* acc, const double* x, std::int64_t n);

/// y[i] = terms[0][i] + terms[1][i] + ... in this order for i < n: accumulate of all terms, at least one, in fewer
/// passes over memory, with the same bits. y may be the first term itself, otherwise they must not overlap.
void add_up(Isa isa, std::span<const float* const> terms, float* y, std::int64_t n);
void add_up(Isa isa, std::span<const double* const> terms, double* y, std::int64_t n);

/// acc[i] += x[i] in the rounding-bound domain: errors add, plus 2^-53 · |result|; a result that is not finite has
/// error +inf.
void accumulate_bound(Isa isa, double* acc, double* acc_error, const double* x, const double* x_error, std::int64_t n);

}  // namespace isoshard::sim
