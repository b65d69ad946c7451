#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/domains/soft/soft_float_arrays.h"

namespace isoshard::sim {

/// Floats with what is known of them, in case they are overwritten.
struct KnownFloats {
  DType dtype;
  int64_t n;
  std::vector<SoftNumbers::Id> ids;  ///< empty: nothing is known of any
  std::vector<std::byte> elements;   ///< empty where `ids` is
};

/// Arrays of floats of which some are made of constants and integers only. Arrays must outlive it.
class SoftNumberArrays {
 public:
  using Word = SoftIntegers::Word;

  SoftNumberArrays(const SoftFloatArrays& arrays, const SoftOptions& options) : arrays_(arrays), options_(options) {}

  KnownFloats known_floats(DType dtype, int64_t n, const std::byte* x) const;
  /// Says of the results `out` of an op which numbers they are, and makes them of these where the ring has no law.
  void take_numbers(UnaryOp op, const KnownFloats& x, std::byte* out) const;
  void take_numbers(BinaryOp op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const;
  void take_numbers(Extreme op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const;
  void take_numbers(SignOp op, const KnownFloats& x, std::byte* out) const;
  /// The same of sums over an array whose elements are these, and of products of matrices of them; sizes as in dot().
  void take_sums(const ReducePlan& plan, DType dtype, const std::vector<SoftNumbers::Id>& terms, std::byte* out) const;
  void take_products(const DotSizes& sizes, DType dtype, const std::vector<SoftNumbers::Id>& left,
                     const std::vector<SoftNumbers::Id>& right, std::byte* out) const;
  /// Element i becomes the number, and in the ring its mean; false, and nothing changes, where it is not known exactly
  /// or may be a mask, of which the ring has laws.
  bool put_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const;
  /// Element i truncated, where SoftNumbers does not know it. Of one that is only known to lie about a whole number,
  /// the integer is a variable among those that it may be; of other floats, an opaque function.
  Word integer_of(DType from, DType to, int64_t n, const std::byte* x, int64_t i) const;

 private:
  void put_larger(const KnownFloats& x, const KnownFloats& y, Word x_it_is, int64_t i, std::byte* out) const;

  const SoftFloatArrays& arrays_;
  const SoftOptions& options_;
};

}  // namespace isoshard::sim
