#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

using Dims = std::vector<int64_t>;

inline bool has(const Dims& dims, int64_t dim) { return std::find(dims.begin(), dims.end(), dim) != dims.end(); }

/// The numbers of a gather, or those of a scatter under the names of a gather.
struct GatherNumbers {
  Dims window, collapsed, operand_batch, index_batch, map, sizes;
  int64_t vector_dim = 0;
};

/// What a gather from `operand` at `starts` is, in terms of one index along one dimension.
class Indexing {
 public:
  Indexing(Lowering& lowering, const Operation& op, GatherNumbers numbers, ValueId operand, ValueId starts, bool drops);

  /// The operand with the indexed dimensions joined.
  ValueId operand() { return reshaped(transposed(operand_, order_), joined_shape()); }
  int64_t dim() const { return static_cast<int64_t>(joined_at_); }
  int64_t batch() const { return static_cast<int64_t>(numbers_.operand_batch.size()); }

  /// One index for each batch element, start and place in a window.
  ValueId indices();

  /// From the dimensions that picking gives to those of the result (a gather), or back (updates of a scatter).
  ValueId to_result(ValueId picked);
  ValueId from_updates(ValueId updates);
  /// The operand's own shape again, after an op that keeps the joined one.
  ValueId back(ValueId x);
  void expect_whole_windows() const;

 private:
  const TensorType& type(ValueId id) const { return lowering_.builder().type(id).tensor; }

  ValueId transposed(ValueId x, const Dims& permutation);
  ValueId reshaped(ValueId x, const Shape& shape);
  ValueId in_i32(ValueId x);
  ValueId filled(int64_t number, ValueId like) { return lowering_.splat(Rational(number), type(like), op_); }
  ValueId compared(Direction direction, ValueId x, int64_t with);
  ValueId both(ValueId a, ValueId b) { return a.valid() ? lowering_.append(And{}, {a, b}, op_) : b; }

  /// An error where the numbers name dimensions that the operands do not have, or one twice.
  void expect_fitting_numbers(ValueId starts) const;

  /// Batch dimensions, then the others in their order, those that are indexed side by side where the first is.
  void order_dimensions();

  Shape joined_shape() const;

  /// The starts along each indexed dimension, batch dimensions first.
  void split_starts(ValueId starts);

  /// The indexed dimensions whose windows have more than one element.
  Dims windowed() const;
  Shape index_shape() const;

  /// `x` repeated over windows, and for the k-th indexed dimension with the place in its window added.
  ValueId in_windows(ValueId x, size_t k);

  std::vector<int64_t> strides_of_indexed() const;

  /// What picking gives: batch, dimensions before the joined one, the rest of the starts, windows, dimensions behind.
  struct Picked {
    bool of_starts;
    int64_t dim;  ///< of the starts, or of the operand
    int64_t size;
  };
  std::vector<Picked> picked() const;
  Shape picked_shape() const;

  /// Where each dimension of the result, those of size 1 that are indexed left out, is among what picking gives.
  Dims result_order() const;
  Shape result_shape_without_ones() const { return op_.result_types.at(0).shape; }

  Lowering& lowering_;
  const Operation& op_;
  GatherNumbers numbers_;
  ValueId operand_;
  bool drops_;
  Shape shape_;
  Dims order_;  ///< of the operand's dimensions
  size_t joined_at_ = 0;
  int64_t joined_size_ = 1;
  std::vector<ValueId> starts_;
  Dims start_order_;
  Shape start_shape_;
};

}  // namespace isoshard::stablehlo
