#pragma once

#include <map>
#include <vector>

#include "core/plan/plan_ids.h"
#include "verify/compare/ratio.h"

namespace isoshard {
struct Plan;
}

namespace isoshard::verify {

/// What loops hand on from layer to layer in both programs, residual streams and their gradients, and how many times
/// the reference's value a value of one of them is.
struct LayerEnds {
  std::map<PlanValueId, Ratio> sharded, reference;

  bool empty() const { return sharded.empty() && reference.empty(); }
};

/// Where rungs A and B put a function about which nothing is known in the place of one that is, on both sides: equal
/// for every function there means equal for that one (docs/spec/opaque.md, "Generic parts"). Degrees then start again.
struct Generic {
  bool reciprocals = false;     ///< 1/x of what is no number
  std::vector<bool> updates{};  ///< per global: between its update and the next step; empty: none
  LayerEnds layers{};           ///< r f(x/r) stands for x, r times the reference's value
  bool integers = false;        ///< all integers that depend on inputs, which then count in degrees; not in any()
  double places = 0;            ///< of their weights by odds (sim::SoftOdds), 0 where there are none; not in any()

  bool any() const { return reciprocals || !updates.empty() || !layers.empty(); }
};

/// Per value of `plan` whether it is one of `ends`.
std::vector<bool> marks(const Plan& plan, const std::map<PlanValueId, Ratio>& ends);

}  // namespace isoshard::verify
