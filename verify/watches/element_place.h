#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// One element of a value while a program runs: of the block of a device, in row-major order, and for a value that is
/// made anew in each iteration and step, which time.
struct ElementPlace {
  PlanValueId value;
  int64_t position = 0;  ///< in the mesh
  size_t time = 0;       ///< from 0 on
  int64_t index = 0;
  auto operator<=>(const ElementPlace&) const = default;
};

}  // namespace isoshard::verify
