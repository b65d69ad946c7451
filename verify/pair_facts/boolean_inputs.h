#pragma once

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Whether predicates that are inputs may stand for both truth values at once: there are some, and none reaches a
/// denominator or the argument of a logarithm or power, which is 0 for one of the values while the general one has an
/// inverse (x m / m is x for every m but 0).
bool may_take_boolean_inputs(const Pair& pair);

}  // namespace isoshard::verify
