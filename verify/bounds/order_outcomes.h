#pragma once

#include <cstdint>

#include "core/plan/plan.h"
#include "verify/bounds/error_bound.h"

namespace isoshard::verify {

/// One of how many equally likely outcomes of comparisons the rarest is that an element of an output may depend on: n
/// for the largest of n, 2 for one comparison, the product where comparisons must fall together (`and`, a product, a
/// select between results of comparisons). 1 when nothing is compared.
///
/// An estimate: comparisons count as independent, what goes into a sum or a comparison as seen in its result, and the
/// iterations of a loop as one.
double rarest_outcome(const Plan& plan);

/// How many random orders a comparison of two programs takes.
struct OrderPlan {
  double rarest = 1;   ///< the rarest outcome of either program
  uint32_t count = 0;  ///< 0: more than can be tried
  double bits = 0;     ///< the orders miss the rarest outcome with a probability of 2^-bits
};

/// As many orders as give the bits of the error that is aimed at (40 unless asked); where that is much work as many as
/// give the error that suffices, and at least 24 bits.
OrderPlan plan_orders(const Plan& sharded, const Plan& reference, const LaneChoice& error);

}  // namespace isoshard::verify
