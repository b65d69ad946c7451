#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/domains/soft/soft_float_domain.h"
#include "sim/domains/soft/soft_maxima.h"
#include "sim/domains/soft/soft_rows.h"
#include "sim/domains/soft/tables/soft_odds.h"

namespace isoshard::sim {

/// A ring around an exact ring, in which integers, keys and predicates may depend on inputs: each is a soft integer
/// (SoftIntegers), one word; floats are those of the ring inside (docs/spec/verdict.md, "Integers").
///
/// An integer that meets floats collapses at once: a lookup is the sum over all rows of the weight of the row's index
/// times the row, a select is y + weight (x - y). A comparison of floats is a predicate whose weight is the ring's
/// element for it; the index of a maximum is a variable named by the differences of the row's elements; random bits are
/// opaque functions of key and place. Thread-safe; equal seeds and lanes give equal results.
class SoftDomain final : public SoftFloatDomain {
 public:
  SoftDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options);

  std::string undecided() const override;
  bool compares_bits(DType) const override { return false; }
  void make_comparable(std::span<Value* const> values) const override;
  Value opaque_identity(const Value& x) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  Tensor to_tensor(const Value& value) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  bool has_row_weights(DType dtype, const std::byte* element, int64_t rows) const override;
  void row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                   std::byte* weights) const override;
  bool take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const override {
    return rows_.take(indices, dtype, x, out);
  }
  bool sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const override {
    return rows_.sum(indices, dtype, x, sum);
  }
  void integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
               std::byte* indices) const override;

 private:
  /// Element i of n: one of x and y, whose tables and numbers are these.
  struct Choice {
    DType dtype;
    int64_t n, i;
    Word predicate;
    const std::byte *x, *y;
    std::array<SoftFloats::Id, 2> tables;
    std::array<SoftNumbers::Id, 2> numbers;
  };

  void put_predicates(int64_t n, const std::byte* elements, std::byte* out) const;
  void put_choice(const Choice& c, std::byte* out) const;
  void choose_by_parts(const Choice& c, std::byte* out) const;
  void largest_integers(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                        std::byte* indices) const;
  void known_largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                     std::byte* indices) const;

  SoftRows rows_;
  SoftMaxima maxima_;
  mutable SoftOdds integer_odds_;  ///< of rows of integers
};

}  // namespace isoshard::sim
