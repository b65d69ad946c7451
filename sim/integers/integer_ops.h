#pragma once

#include <cstddef>
#include <cstdint>

#include "core/support/rational.h"
#include "core/value/dtype.h"
#include "sim/kernels/reduce.h"

/// Arithmetic of the integer dtypes, the same in every domain: modulo 2^8, 2^32 or 2^64. Elements are of `dtype`; `out`
/// may be an operand where nothing else is said.
namespace isoshard::sim::integer {

void negate(DType dtype, int64_t n, const std::byte* x, std::byte* out);
void add(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
void subtract(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
void multiply(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
/// How many bits are 1.
void count_ones(DType dtype, int64_t n, const std::byte* x, std::byte* out);
/// How many bits are 0 above the first 1.
void leading_zeros(DType dtype, int64_t n, const std::byte* x, std::byte* out);
/// x / y toward zero; -1 where y is 0, and the least number itself by -1.
void quotient(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
/// x - y·trunc(x / y); x where y is 0, and 0 for the least number by -1.
void remainder(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
void exclusive_or(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
/// x moved right by y bits, zeros moving in; 0 where y is not below the number of bits.
void shift_right_logical(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
/// x moved left by y bits, zeros moving in; 0 where y is not below the number of bits.
void shift_left(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
/// x moved right by y bits, its first bit moving in; only copies of it where y is not below the number of bits.
void shift_right_arithmetic(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out);
/// out[m, n] = a[m, k] . b[k, n], row-major; out must not overlap the operands.
void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b, std::byte* out);
/// Sums over the reduced dimensions of `plan`; out must not overlap x.
void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out);

/// The elements of an integer array as 64-bit numbers; those of u64 from 2^63 on are negative (core/value/integers.h).
void widen(DType dtype, int64_t n, const std::byte* x, int64_t* out);
/// The same of indices: what of a u64 no array reaches is the greatest number.
void widen_indices(DType dtype, int64_t n, const std::byte* x, int64_t* out);
/// 64-bit numbers as elements of an integer dtype, modulo its range.
void wrap(DType dtype, int64_t n, const int64_t* x, std::byte* out);

/// x toward zero as a number of an integer dtype, as widen() has it: the nearest one beyond its range, 0 for nan.
int64_t truncated(float x, DType to);
int64_t truncated(double x, DType to);

/// x as a float of the dtype holds it: 16777217 in f32 is 16777216. That floats of fewer bits round nothing is an
/// assumption of its own (docs/spec/verdict.md).
double held_in(DType dtype, double x);
double held_in(DType dtype, const Rational& x);
/// The same of x held in a float of dtype `from`.
template <class Number>
int64_t truncated_from(DType from, const Number& x, DType to) {
  return truncated(held_in(from, x), to);
}

}  // namespace isoshard::sim::integer
