#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/types/type.h"

namespace isoshard {

/// The integers that a global may hold: those from `low` to before `high`, and `others`; on a `state` or `param` at the
/// start of every step. What a check says of integers it says of these.
struct ValueRange {
  int64_t low = 0, high = 0;
  std::vector<int64_t> others{};  ///< ascending; none from `low` to before `high`

  /// Adds `numbers` to `others`, but those that it has already.
  void add(const std::vector<int64_t>& numbers);
  bool contains(int64_t number) const;
  /// How many they are; 0 stands for 2^64.
  uint64_t size() const;
  /// The one at place `index`, below size(): first those from `low` on.
  int64_t at(uint64_t index) const;
  /// As a file says it: `0..32, -100`.
  std::string to_string() const;

  bool operator==(const ValueRange&) const = default;
};

/// What is wrong with a range of integers of this type; empty: nothing.
std::string wrong_range(const ValueRange& range, const TensorType& type);

}  // namespace isoshard
