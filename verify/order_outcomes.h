#pragma once

#include "core/plan/plan.h"

namespace isoshard::verify {

/// One of how many equally likely outcomes of comparisons the rarest is that an element of an output may depend on: n
/// for the largest of n, 2 for one comparison, the product where comparisons must fall together (`and`, a product, a
/// select between results of comparisons). 1 when nothing is compared.
///
/// An estimate: comparisons count as independent, what goes into a sum or a comparison as seen in its result, and the
/// iterations of a loop as one.
double rarest_outcome(const Plan& plan);

/// How many random orders show an outcome of one in `outcomes` with a probability of at least 1 - 2^-bits.
double orders_needed(double outcomes, double bits);

/// The bits that `orders` random orders give.
double order_bits(double outcomes, double orders);

}  // namespace isoshard::verify
