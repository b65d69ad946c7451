#pragma once  // internal

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/calls/writing/calls_of_op.h"
#include "core/support/rational.h"

namespace isoshard::calls {

/// What a step reads: input i, a number in the bits of the computed type, the index along a dimension.
Source input(uint8_t which);
Source number(uint64_t bits);
Source index_along(uint8_t dim);
/// The bits of a constant as a number that ops of `dtype` are computed in.
uint64_t constant_bits(const Rational& value, DType dtype);

/// Writes the calls of one op.
class CallWriter {
 public:
  CallWriter(std::span<const Held> operands, std::span<const Held> results, Place scratch, Products products)
      : operands_(operands), results_(results), scratch_(scratch), products_(products) {}

  size_t operand_count() const { return operands_.size(); }
  const Held& operand(size_t i) const { return operands_[i]; }
  const Held& result(size_t i = 0) const { return results_[i]; }
  Products products() const { return products_; }
  /// A value in scratch memory, one per op.
  Held scratch(const TensorType& type);
  /// So many bytes of it, in place of a value.
  Place scratch(int64_t bytes);

  void add(LocalCall call);
  /// Says why there is no kernel; the first reason counts.
  void refuse(std::string reason);
  /// Whether the dimensions fit a kernel; refuses otherwise.
  bool fits(const Loops& loops);

  /// output = what the steps make of the inputs, all seen along dimensions of `shape`.
  void map(const Shape& shape, Compute compute, const std::vector<View>& inputs, const View& output,
           std::initializer_list<Step> steps);
  /// Moves elements along dimensions of `shape`.
  void copy(const Shape& shape, const View& from, const View& to);
  /// Copies a value, rounded to the dtype of the other, unless it is there.
  void copy(const Held& from, const Held& to);
  /// Fills a value with a number in the bits that its dtype is computed in.
  void fill(const Held& to, uint64_t bits);

  const std::string& refusal() const { return refusal_; }
  LocalCalls take() { return std::move(calls_); }

 private:
  /// Whether elements along `shape` that are written to `output` are the one result of the op.
  bool is_whole_result(const Shape& shape, const View& output) const;

  std::span<const Held> operands_, results_;
  Place scratch_;
  Products products_;
  LocalCalls calls_;
  std::string refusal_;
};

}  // namespace isoshard::calls
