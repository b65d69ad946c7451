#pragma once

#include <cstdint>

#include "core/ir/types/type.h"
#include "core/plan/calls/call.h"

namespace isoshard::calls {

/// A value in the memory of a rank: row-major, without gaps.
struct Held {
  Place place = 0;
  const TensorType* type = nullptr;
};

/// What multiplies matrices.
enum class Products : uint8_t {
  exact,    ///< SumOfProducts, with the bits of sim
  library,  ///< Product, cuBLASLt, where its dtype and its operands are of the kind that it takes; else exact
  tf32,     ///< the same, whose f32 operands may be rounded to 11 bits
};

}  // namespace isoshard::calls
