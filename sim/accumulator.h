#pragma once

#include <memory>

#include "sim/domain.h"
#include "sim/value.h"

namespace isoshard::sim {

/// A running sum of values of one type, in the order of the calls: reductions over a group, members as they arrive.
class Accumulator {
 public:
  /// Starts at `first`, which is copied.
  explicit Accumulator(const Value& first);
  /// sum += x; x has the type of the first value. Integers wrap around; predicates are an internal error.
  void add(const Value& x, const Domain& domain);
  /// The sum so far, rounded to its dtype (bf16 and f16 are summed in f32); it shares nothing with later sums.
  Value current() const;
  /// The sum, rounded to its dtype; the accumulator is empty afterwards.
  Value take();

 private:
  Value sum_;
  std::shared_ptr<std::byte> data_;
  const Domain* rounds_ = nullptr;  ///< of the terms added to a float sum
};

}  // namespace isoshard::sim
