#pragma once

#include <cstdint>

#include "sim/domains/domain.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// The first element (row-major) in which two values of one type and storage are not the same, or -1: bit for bit, in
/// an exact ring as it compares elements, in the bounded domain only where the intervals of a float do not meet.
int64_t first_difference(const Value& a, const Value& b, const Domain& domain);

}  // namespace isoshard::sim
