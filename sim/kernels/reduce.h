#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

class Mod31;  // sim/kernels/mod31.h

/// How to walk a row-major tensor when some of its dimensions are summed away. It depends on the shape only; make it
/// once.
class ReducePlan {
 public:
  /// One run of adjacent dimensions that are all kept or all reduced, as one dimension.
  struct Axis {
    std::int64_t size;
    std::int64_t stride;  ///< in elements of the input
  };

  /// `shape` is the input's; `dims` are different indices into it, in any order. The kept dimensions keep their order.
  ReducePlan(std::span<const std::int64_t> shape, std::span<const std::int64_t> dims);

  std::int64_t input_size() const { return output_size_ * count_; }
  std::int64_t output_size() const { return output_size_; }
  /// Number of input elements in one output element.
  std::int64_t count() const { return count_; }

  const std::vector<Axis>& kept() const { return kept_; }        ///< outermost first
  const std::vector<Axis>& reduced() const { return reduced_; }  ///< outermost first
  /// Whether neighbours in memory belong to the same sum (the innermost dimension of size > 1 is reduced).
  bool innermost_reduced() const { return innermost_reduced_; }

 private:
  std::vector<Axis> kept_;
  std::vector<Axis> reduced_;
  std::int64_t output_size_ = 1;
  std::int64_t count_ = 1;
  bool innermost_reduced_ = false;
};

/// Number of interleaved partial sums of a floating-point reduction.
inline constexpr int kReducePartials = 16;
/// Number of terms whose partial sums are added up before the next terms.
inline constexpr int kReduceChunk = 512;

/// y = sums of x over the reduced dimensions; x has plan.input_size() elements, y plan.output_size(), no overlap.
///
/// Numbering the elements of one sum row-major 0, 1, …, elements from 512 c on are chunk c. Of a chunk partial p adds
/// elements p, p + 16, p + 32, … to +0 in this order; then partial i takes up partial i + w, for w = 8, 4, 2, 1. The
/// sums of chunks are added in the same way, all at once. The bits depend on the elements of that sum and their order
/// only, not on kept dimensions or `isa`. A NaN result is the positive quiet NaN without payload; an empty sum is +0.
void reduce_sum(Isa isa, const ReducePlan& plan, const float* x, float* y);
void reduce_sum(Isa isa, const ReducePlan& plan, const double* x, double* y);

/// The exact sum of residues modulo `modulus`.
void reduce_sum_mod31(Isa isa, const Mod31& modulus, const ReducePlan& plan, const std::uint32_t* x, std::uint32_t* y);

/// The sum in the rounding-bound domain: y as by reduce_sum; its error bound is the sum of the errors plus gamma_d
/// times the sum of |x|, where d is the depth of the adds (sim/kernels/gemm.h has gamma), raised by the rounding of
/// that sum. A result that is not finite has error +inf.
void reduce_sum_bound(Isa isa, const ReducePlan& plan, const double* x, const double* x_error, double* y,
                      double* y_error);

}  // namespace isoshard::sim
