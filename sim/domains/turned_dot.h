#pragma once

#include "sim/domain.h"

namespace isoshard::sim {

/// Rows of the result, its columns, and how many products each element sums.
struct DotSizes {
  int64_t m, n, k;
};
/// A matrix of one plane; turned: it lies as its transpose.
struct DotOperand {
  const std::byte* data;
  bool turned = false;
};

/// Whether the domain takes matrices that lie turned, without copies: ordinary floats.
bool takes_turned(const Domain& domain);

/// Domain::dot of such operands, in a domain that takes them: the same bits as of copies that are not turned.
void turned_dot(const Domain& domain, DType dtype, const DotSizes& sizes, DotOperand a, DotOperand b, std::byte* out);

}  // namespace isoshard::sim
