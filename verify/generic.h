#pragma once

#include <vector>

namespace isoshard::verify {

/// Where rungs A and B put a function about which nothing is known in the place of one that is, on both sides: equal
/// for every function there means equal for that one (equivalence.md 4). Degrees then start again.
struct Generic {
  bool reciprocals = false;     ///< 1/x of what is no number
  std::vector<bool> updates{};  ///< per global: between its update and the next step; empty: none

  bool any() const { return reciprocals || !updates.empty(); }
};

}  // namespace isoshard::verify
