#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/compare/pair.h"
#include "verify/watches/element_place.h"

namespace isoshard::verify {

/// Of which elements a condition has to hold: all; all but zeros, which are known to be cut off later as rows of
/// padding are; or some.
enum class ConditionOf : uint8_t { all, padded, some };

/// `left != right`, or `left != 0`, of values of one program: a condition that fails on a thin set of inputs, if it
/// holds anywhere.
struct RareCondition {
  bool of_reference = false;
  PlanValueId left;
  PlanValueId right{};  ///< not valid: 0
  std::string words{};
  bool wide = false;  ///< it may fail on more, as far as its construction shows
  ConditionOf of = ConditionOf::padded;
  std::optional<ElementPlace> place{};  ///< of this element of `left` alone
  bool operator==(const RareCondition&) const = default;
};

/// The comparisons of floats that output `output` of the sharded program, or the reference's, depends on and that tell
/// x > y from x >= y: `%a != %b (compare at FILE:LINE:COL)`.
std::vector<RareCondition> ties_of(const Pair& pair, size_t output);

/// Per condition whether numbers show that it holds somewhere: for all elements on one of some random inputs, by more
/// than rounding.
std::vector<bool> hold_somewhere(const Pair& pair, const std::vector<RareCondition>& conditions, uint64_t seed);

}  // namespace isoshard::verify
