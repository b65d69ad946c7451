#pragma once

#include <string>

#include "core/ir/types/type.h"
#include "core/support/location.h"

namespace isoshard {

using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;

/// One SSA value of a Program: a local tensor on every device.
struct Value {
  ValueType type;
  OpId definition;   ///< the op that makes it; invalid for arguments
  std::string name;  ///< without `%`, unique in its region, never empty
  Location location;
};

}  // namespace isoshard
