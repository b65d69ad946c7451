#pragma once  // internal

#include "sim/domains/domain.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// The elementwise maximum or minimum of two values of one type; numbers of any dtype.
Value extreme(Extreme op, const Value& x, const Value& y, const Domain& domain);
/// acc becomes the elementwise maximum or minimum of acc and x, which are stored alike.
void extreme_into(Extreme op, std::byte* acc, const Value& x, const Domain& domain);

}  // namespace isoshard::sim
