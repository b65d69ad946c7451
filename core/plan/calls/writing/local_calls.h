#pragma once

#include <span>

#include "core/ir/all_ops.h"
#include "core/plan/calls/writing/calls_of_op.h"
#include "core/support/result_fwd.h"

namespace isoshard::calls {

/// The kernels and products of a local op of a Plan on one rank. Kernels give the bits of sim where operands have the
/// one nan that sim has (core/ir/scalar/format.h). A result may be where an operand of the same size is, if the op is
/// elementwise. Error `X-unsupported`, with the op, its types and the reason, where exec has no kernel for it.
Result<LocalCalls> local_calls(const OpData& op, std::span<const Held> operands, std::span<const Held> results,
                               Place scratch, const Location& location, Products products = Products::exact);

}  // namespace isoshard::calls
