#pragma once

#include <string>

#include "core/ir/types/type.h"

namespace isoshard {

/// One operand as the state rules see it.
struct OperandState {
  States states;
  bool has_gradient = false;
  bool exact_zero = false;  ///< a constant 0, the one `=` that may meet P
  std::string name;         ///< `%x`, for messages
};

}  // namespace isoshard
