#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/ir/all_ops.h"
#include "core/plan/calls/call.h"
#include "core/support/result_fwd.h"

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

/// The kernels and products of a local op of a Plan on one rank. Kernels give the bits of sim where operands have the
/// one nan that sim has (core/ir/scalar/format.h). A result may be where an operand of the same size is, if the op is
/// elementwise. Error `X-unsupported`, with the op, its types and the reason, where exec has no kernel for it.
Result<LocalCalls> local_calls(const OpData& op, std::span<const Held> operands, std::span<const Held> results,
                               Place scratch, const Location& location, Products products = Products::exact);

}  // namespace isoshard::calls
