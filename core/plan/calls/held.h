#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/types/type.h"
#include "core/plan/calls/call.h"

namespace isoshard::calls {

/// A value in the memory of a rank: row-major, without gaps.
struct Held {
  Place place = 0;
  const TensorType* type = nullptr;
};

/// What computes one instruction, in order, on one stream.
struct LocalCalls {
  std::vector<LocalCall> calls;
  int64_t scratch_bytes = 0;  ///< that they use from `scratch` on
};

/// What multiplies matrices.
enum class Products : uint8_t {
  exact,    ///< SumOfProducts, with the bits of sim
  library,  ///< Product, cuBLASLt, where its dtype and its operands are of the kind that it takes; else exact
};

}  // namespace isoshard::calls
