#pragma once

#include <memory>
#include <optional>
#include <span>

#include "sim/domains/domain.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// A running sum, maximum or minimum of values of one type, in the order of the calls: reductions over a group in
/// member order.
class Accumulator {
 public:
  /// Starts at `first`, which is not written. Without `op` it is a sum, which is rounded to its dtype at the end, or
  /// with `native` after each add (SumPrecision::native).
  explicit Accumulator(Value first, std::optional<Extreme> op = std::nullopt, bool native = false);
  /// Combines with x, which has the type of the first value. Sums of integers wrap around; predicates are an internal
  /// error.
  void add(const Value& x, const Domain& domain) { add(std::span(&x, 1), domain); }
  /// The same one after another; large sums take one pass over memory for all of them together.
  void add(std::span<const Value> terms, const Domain& domain);
  /// The result so far, rounded to its dtype (bf16 and f16 are summed in f32 unless `native`); it shares nothing with
  /// later ones.
  Value current() const;
  /// The result, rounded to its dtype; the accumulator is empty afterwards.
  Value take();

 private:
  void own();
  void combine_with(const Value& x, const Domain& domain);
  void add_floats(std::span<const Value> terms, const Domain& domain);

  Value sum_;
  std::shared_ptr<std::byte> data_;  ///< of sum_; null while that is the first value, which others hold, too
  std::optional<Extreme> op_;
  bool native_;
  const Domain* rounds_ = nullptr;  ///< of the terms added to a float sum
};

}  // namespace isoshard::sim
