#pragma once

#include <span>
#include <vector>

#include "sim/domains/soft/soft_order_arrays.h"
#include "sim/domains/soft/tables/soft_odds.h"

namespace isoshard::sim {

/// The largest floats of rows and their indices: an index is a variable named by the differences of the row's elements.
class SoftMaxima {
 public:
  SoftMaxima(const SoftFloatArrays& arrays, const SoftOrderArrays& order, const SoftOptions& options)
      : arrays_(arrays), order_(order), options_(options), odds_(arrays.integers(), options.most_places) {}

  void largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
               SoftIntegers::Word* indices) const;

 private:
  using Word = SoftIntegers::Word;
  /// Where element i of n is written.
  struct Place {
    int64_t n, i;
    std::byte* out;
  };

  std::vector<std::byte> row_differences(DType dtype, int64_t length, const std::byte* row) const;
  std::vector<uint64_t> pick_weights(const std::vector<std::byte>& row, int64_t length,
                                     std::span<const int64_t> left) const;
  Word index_by_odds(int64_t length, const std::byte* row, const std::vector<std::byte>& largest) const;
  void largest_one_by_one(const std::vector<uint64_t>& choice, int64_t length, int64_t k, Word* indices) const;
  void largest_of_row(DType dtype, int64_t length, int64_t k, const std::byte* row, Word* indices) const;
  std::vector<std::byte> maximum_of_row(DType dtype, int64_t length, const std::byte* row) const;
  std::vector<std::byte> picked_of_row(DType dtype, int64_t length, const std::byte* row, Word index) const;
  void put_chosen(DType dtype, int64_t length, const std::vector<std::byte>& row, Word index, const Place& to) const;

  const SoftFloatArrays& arrays_;
  const SoftOrderArrays& order_;
  const SoftOptions& options_;
  mutable SoftOdds odds_;
};

}  // namespace isoshard::sim
