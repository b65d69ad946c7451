#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/ir/ops/random.h"
#include "sim/integers/integer_apply.h"
#include "sim/integers/order_domain.h"
#include "sim/kernels/reduce.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// Which bits of a key are meant: a block of those of `op` that begins at `start`.
struct BitsBlock {
  const RngBits& op;
  std::vector<int64_t> start;
};

/// n indices into so many rows of so many columns.
struct IndicesOf {
  int64_t n, rows, columns;
  const std::byte* elements;
};

/// What elements beyond the end of a global are drawn from.
struct PaddingOf {
  uint64_t seed = 0;
  size_t global = 0;  ///< its place in the plan
};

/// The numbers that integer padding may be.
struct PaddingNumbers {
  std::vector<int64_t> others{-100, -1, 0, 1};          ///< of globals that are not named; not empty
  std::map<size_t, std::vector<int64_t>> of_globals{};  ///< none of them empty
};

/// The part of a Domain that has integers and keys: as the machine has them unless a domain says otherwise.
///
/// Elements are those of integer_storage; `out` may be an operand where nothing else is said. Predicates and floats are
/// the domain's. Planes and purity as in Domain.
class IntegerDomain : public OrderDomain {
 public:
  /// How elements of an integer dtype, or keys, are stored.
  virtual Storage integer_storage(DType dtype) const;
  /// n elements from numbers of the dtype itself, and back. Where an element is not one known number, the domain
  /// remembers that and gives 0.
  virtual void from_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const;
  virtual void to_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const;
  /// n elements that no result may depend on: half of the time one of the padding numbers, otherwise random bits; of
  /// one number only always that.
  virtual void integer_padding(DType dtype, const PaddingOf& padding, int64_t n, std::byte* out) const;
  /// Whether all elements are known numbers.
  virtual bool are_known(DType dtype, int64_t n, const std::byte* x) const;
  /// The numbers, in ascending order, that one element may be, as integer::widen has them; empty where nothing says
  /// which.
  virtual std::vector<int64_t> possible(DType dtype, const std::byte* element) const;
  /// Whether it is known what weight each of so many rows has; where it is not, the domain remembers that.
  virtual bool has_row_weights(DType dtype, const std::byte* element, int64_t rows) const;
  /// weights[n, rows], floats of dtype `to`: that element i is that row. A number outside of 0..rows-1 counts as the
  /// nearest row with `clamp`, otherwise as none. Elements must have such weights.
  virtual void row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                           std::byte* weights) const;
  /// out[n, columns]: per index its row of the floats x[rows, columns], a number outside of 0..rows-1 counting as the
  /// nearest row; false where products with row_weights do as well.
  virtual bool take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const;
  /// sum[rows, columns] of the floats x[n, columns], each in the row of its index, outside of them nowhere; false where
  /// products with row_weights do as well.
  virtual bool sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const;

  virtual void integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                          std::byte* out) const;
  /// Writes predicates.
  virtual void integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                               std::byte* out) const;
  virtual void integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x,
                              const std::byte* y, std::byte* out) const;
  /// out[m, n] = a[m, k] . b[k, n], row-major; out must not overlap the operands.
  virtual void integer_dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                           std::byte* out) const;
  /// Sums over the reduced dimensions of `plan`; out must not overlap x.
  virtual void integer_sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const;

  /// Modulo the range of `to`.
  virtual void integers_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const;
  /// 0 and 1.
  virtual void predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const;
  /// x != 0
  virtual void integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const;
  /// Rounded once where the domain rounds.
  virtual void integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const;
  /// Truncated toward zero; beyond the range of `to` the nearest one, 0 for nan.
  virtual void floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const;

  /// The k largest of each row, largest first and of equal ones the first, and their indices as i32; x[rows, length] of
  /// any numeric dtype, values[rows, k], indices[rows, k].
  virtual void largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                       std::byte* indices) const;

  /// jax.random.fold_in of each key and a number of `dtype`.
  virtual void fold_in(DType dtype, int64_t n, const std::byte* keys, const std::byte* data, std::byte* out) const;
  /// The op.n keys of jax.random.split.
  virtual void split_key(const RngSplit& op, const std::byte* key, std::byte* out) const;
  /// The elements of a block of jax.random.bits, as u32.
  virtual void random_bits(const BitsBlock& block, const std::byte* key, std::byte* out) const;
  /// Keys as the two u32 that they are, adjacent and the first in front, and back; n keys.
  virtual void keys_to_words(int64_t n, const std::byte* keys, std::byte* words) const;
  virtual void words_to_keys(int64_t n, const std::byte* words, std::byte* keys) const;

  /// n floats that are the integers x, rounded once where the domain rounds.
  virtual void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const = 0;
  /// The same of numbers without a sign.
  virtual void from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const = 0;
  /// As floats_to_integers, as numbers of 64 bits (core/value/integers.h).
  virtual void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const = 0;
  /// The indices of the k largest floats of each row, largest first and of equal ones the first.
  virtual void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                     int32_t* indices) const = 0;
  /// How elements of a float dtype, or predicates, are stored.
  virtual Storage storage(DType dtype) const = 0;

  /// What padding may be: those that programs treat apart.
  const PaddingNumbers& padding_numbers() const { return padding_numbers_; }
  void pad_with(PaddingNumbers numbers) { padding_numbers_ = std::move(numbers); }
  /// 0, 1, -1, -100 and these.
  static std::set<int64_t> special_numbers(std::set<int64_t> numbers);

 private:
  PaddingNumbers padding_numbers_;
};

}  // namespace isoshard::sim
