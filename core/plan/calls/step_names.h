#pragma once  // internal

#include <string_view>

#include "core/plan/calls/step_op.h"

namespace isoshard::calls {

/// The name of a step in the text of calls.
std::string_view step_name(StepOp op);

}  // namespace isoshard::calls
