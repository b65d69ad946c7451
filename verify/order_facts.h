#pragma once

#include <set>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// How a program compares floats (docs/spec/order.md).
struct OrderFacts {
  bool present = false;     ///< some op compares floats
  bool tells_ties = false;  ///< some tells x > y from x >= y
  /// Some comparison has an operand that itself depends on order, a select or a rounding, so that ties are not rare.
  bool ties_apart = false;
};

OrderFacts order_facts(const Plan& plan);

/// Whether the results of `i` depend on the order of floats.
bool compares_floats(const Plan& plan, const Instruction& i);

/// Whether `i` tells x > y from x >= y; maximum, minimum and abs are the same either way.
bool tells_ties(const Instruction& i);

/// Which values enter and leave the body of a repeat under another id.
struct Renaming {
  PlanValueId from, to;
};
std::vector<Renaming> renamings(const Plan& plan);
/// `id`, and the values that are it before loops or messages hand it on.
std::set<PlanValueId> earlier_names(PlanValueId id, const std::vector<Renaming>& renamed);

}  // namespace isoshard::verify
