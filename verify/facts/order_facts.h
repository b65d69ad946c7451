#pragma once

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

}  // namespace isoshard::verify
