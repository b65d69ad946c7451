#pragma once

#include <string>

#include "core/support/location.h"

namespace isoshard::verify {

/// Why something was not decided, in one clause, and where; empty where it was.
struct Reason {
  std::string text{};
  Location location{};

  bool empty() const { return text.empty(); }
};

}  // namespace isoshard::verify
