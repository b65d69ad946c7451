#pragma once

#include "core/plan/calls/held.h"

namespace isoshard::calls {

/// How a rank's calls are made.
struct CallOptions {
  Products products = Products::exact;
  bool fuse = true;  ///< chains of elementwise ops are one kernel
};

}  // namespace isoshard::calls
