#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "core/support/result_fwd.h"

namespace isoshard {

/// The failed Result with an error diagnostic, ready to return.
inline tl::unexpected<Diagnostic> failure(std::string rule, Location location, std::string message) {
  return tl::unexpected<Diagnostic>(
      Diagnostic{Severity::error, std::move(rule), std::move(location), std::move(message), {}});
}

}  // namespace isoshard
