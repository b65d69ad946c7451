#pragma once

#include <random>
#include <vector>

#include "tests/property/local_calls_run.h"

namespace isoshard::testing {

/// Random local ops and their operands.
class LocalCases {
 public:
  explicit LocalCases(uint64_t seed) : random_(seed) {}

  /// A case of every kind of local op for a dtype, also such as inference rejects.
  std::vector<LocalCase> all(DType dtype);
  /// Elementwise ops on arrays of so many elements.
  std::vector<LocalCase> elementwise(DType dtype, const Shape& shape);
  /// Reductions of many terms, that are neighbours or rows apart, to one output and more.
  std::vector<LocalCase> long_reductions(DType dtype);

  int64_t between(int64_t low, int64_t high);
  Shape shape(int64_t least_rank, int64_t most_rank);
  /// Numbers of a few kinds, one of so many a special one, as infinities are; with 0 none.
  Tensor tensor(DType dtype, const Shape& shape, int64_t special_one_of = 6);
  /// Integers of `dtype`, most of them from 0 to `limit` - 1.
  Tensor indices(DType dtype, const Shape& shape, int64_t limit);

 private:
  template <class Op, class... Tensors>
  void add(std::vector<LocalCase>& cases, Op op, const Tensors&... operands) {
    cases.push_back(LocalCase{std::move(op), {operands...}});
  }
  void movement(DType dtype, std::vector<LocalCase>& cases);
  void blocks(DType dtype, std::vector<LocalCase>& cases);
  void indexed(DType dtype, std::vector<LocalCase>& cases);
  void sums(DType dtype, std::vector<LocalCase>& cases);
  void products(DType dtype, std::vector<LocalCase>& cases);
  void random_numbers(std::vector<LocalCase>& cases);
  std::vector<Tensor> starts(const Shape& whole, const Shape& block);
  DType integer_dtype();
  std::vector<int64_t> some_dims(int64_t rank);

  std::mt19937_64 random_;
};

}  // namespace isoshard::testing
