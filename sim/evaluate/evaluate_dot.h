#pragma once  // internal

#include "core/ir/ops/dot_general.h"
#include "sim/domains/domain.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// The sum of products as one matrix product [M, K] x [K, N] per index of the batch dimensions: M the free dimensions
/// of a, N those of b, K the pairs in the order they are written, row-major. Operands that already lie so are not
/// copied.
Value dot_general(const DotGeneral& op, const Value& a, const Value& b, const TensorType& result, const Domain& domain);

}  // namespace isoshard::sim
